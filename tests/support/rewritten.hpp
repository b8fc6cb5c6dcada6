// A model written in another way that means the same: equations and variables in another order, sides
// exchanged, other units, auxiliary variables, constraints said twice, an output more. What a program says of
// a model must not depend on any of it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "expr/traverse.hpp"
#include "model/dae_system.hpp"

namespace daedalus::testing {

// How to write it. Empty vectors: as it is.
struct Writing {
  std::vector<std::size_t> variables;  // [new place] = old number
  std::vector<std::size_t> equations;  // likewise
  std::vector<bool> turned;            // by old equation: its sides exchanged
  std::vector<double> unit;            // by old variable: x = unit * x as it is written now
  std::vector<double> factor;          // by old equation
  bool renamed = false;                // other names
};

class Rewriter {
 public:
  Rewriter(const DaeSystem& system, Writing writing) : old_(system), writing_(std::move(writing)) {
    fill(writing_.variables, old_.variables.size());
    fill(writing_.equations, old_.equations.size());
    writing_.turned.resize(old_.equations.size(), false);
    writing_.unit.resize(old_.variables.size(), 1);
    writing_.factor.resize(old_.equations.size(), 1);
    place_.resize(old_.variables.size());
    for (std::size_t k = 0; k < place_.size(); ++k) place_[writing_.variables[k]] = k;
    new_ = old_;
    new_.graph = std::make_shared<ExprGraph>();
  }

  DaeSystem run() {
    write_variables();
    new_.equations.clear();
    for (const std::size_t i : writing_.equations) {
      Equation equation = old_.equations[i];
      equation.residual = residual(i);
      new_.equations.push_back(equation);
    }
    for (Equation& e : new_.initial_equations) e.residual = written(e.residual);
    for (Relation& r : new_.relations) r.difference = written(r.difference);
    for (Assignment& a : new_.initial_assignments) write(a);
    for (DiscreteStep& step : new_.discrete_steps) {
      if (auto* assignment = std::get_if<Assignment>(&step)) {
        write(*assignment);
        continue;
      }
      for (WhenBranch& branch : std::get<WhenClause>(step).branches) write(branch);
    }
    for (Assertion& a : new_.assertions) a.condition = written(a.condition);
    for (ReportedValue& r : new_.reported) r.value = written(r.value);
    return std::move(new_);
  }

 private:
  static void fill(std::vector<std::size_t>& order, std::size_t count) {
    if (!order.empty()) return;
    order.resize(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
  }

  void write_variables() {
    for (std::size_t k = 0; k < old_.variables.size(); ++k) {
      const std::size_t v = writing_.variables[k];
      Variable variable = old_.variables[v];
      const double unit = writing_.unit[v];
      variable.start /= unit;
      if (variable.start_value.valid())
        variable.start_value = new_.graph->div(written(variable.start_value), number(unit));
      if (unit != 1 || variable.has_nominal) {
        variable.nominal = (variable.has_nominal ? variable.nominal : 1) / std::abs(unit);
        variable.has_nominal = true;
      }
      variable.min /= unit;
      variable.max /= unit;
      if (unit < 0) std::swap(variable.min, variable.max);
      if (writing_.renamed) variable.name = "renamed_" + std::to_string((v * 7919) % 100003);
      new_.variables[k] = variable;
    }
    if (writing_.renamed) {
      for (std::string& name : new_.report_order) {
        const auto found = std::ranges::find(old_.variables, name, &Variable::name);
        if (found != old_.variables.end())
          name = new_.variables[place_[static_cast<std::size_t>(found - old_.variables.begin())]].name;
      }
    }
  }

  NodeId number(double value) { return new_.graph->constant(value); }

  NodeId residual(std::size_t i) {
    ExprGraph& graph = *new_.graph;
    const Node& node = old_.graph->node(old_.equations[i].residual);
    const double factor = writing_.factor[i];
    if (node.op == Op::Sub) {
      NodeId left = written(NodeId(node.args[0]));
      NodeId right = written(NodeId(node.args[1]));
      if (factor != 1) {
        left = graph.mul(number(factor), left);
        right = graph.mul(number(factor), right);
      }
      return writing_.turned[i] ? graph.sub(right, left) : graph.sub(left, right);
    }
    NodeId all = written(old_.equations[i].residual);
    if (factor != 1) all = graph.mul(number(factor), all);
    return writing_.turned[i] ? graph.neg(all) : all;
  }

  void write(Assignment& a) {
    const std::size_t v = a.target.at();
    a.value = written(a.value);
    if (writing_.unit[v] != 1) a.value = new_.graph->div(a.value, number(writing_.unit[v]));
    a.target = VariableId(place_[v]);
  }

  void write(WhenBranch& branch) {
    for (NodeId& condition : branch.conditions) condition = written(condition);
    for (Assignment& a : branch.assignments) write(a);
    for (Assignment& a : branch.reinits) write(a);
    for (Termination& t : branch.terminations) {
      if (t.unless.valid()) t.unless = written(t.unless);
    }
  }

  NodeId leaf(const Node& node) {
    ExprGraph& graph = *new_.graph;
    const auto id = static_cast<std::size_t>(node.args[0]);
    NodeId at;
    switch (node.op) {
      case Op::Constant:
        return graph.constant(node.value);
      case Op::Time:
        return graph.time();
      case Op::Relation:
        return graph.relation(RelationId(id));
      case Op::Sample:
        return graph.sample(SampleId(id));
      case Op::Initial:
        return graph.initial();
      case Op::Variable:
        at = graph.variable(VariableId(place_[id]), node.args[1]);
        break;
      case Op::Discrete:
        at = graph.discrete(VariableId(place_[id]));
        break;
      default:
        at = graph.pre(VariableId(place_[id]));
    }
    return writing_.unit[id] == 1 ? at : graph.mul(number(writing_.unit[id]), at);
  }

  NodeId written(NodeId root) {
    for (const NodeId id : topological_order(*old_.graph, std::array{root})) {
      if (done_.contains(id)) continue;
      const Node& node = old_.graph->node(id);
      const auto argument = [&](std::size_t k) { return done_.at(NodeId(node.args[k])); };
      if (node.arity == 0)
        done_[id] = leaf(node);
      else if (node.arity == 1)
        done_[id] = new_.graph->apply(node.op, argument(0));
      else if (node.arity == 2)
        done_[id] = new_.graph->apply(node.op, argument(0), argument(1));
      else
        done_[id] = new_.graph->apply(node.op, argument(0), argument(1), argument(2));
    }
    return done_.at(root);
  }

  const DaeSystem& old_;
  DaeSystem new_;
  Writing writing_;
  std::vector<std::size_t> place_;  // by old variable
  std::unordered_map<NodeId, NodeId> done_;
};

inline DaeSystem rewritten(const DaeSystem& system, Writing writing) {
  return Rewriter(system, std::move(writing)).run();
}

class Chance {
 public:
  explicit Chance(unsigned seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(engine_); }
  bool coin() { return below(2) == 1; }
  double power_of_ten(int most) {
    return std::pow(10.0, std::uniform_int_distribution<int>(-most, most)(engine_));
  }
  std::vector<std::size_t> order(std::size_t n) {
    std::vector<std::size_t> result(n);
    std::iota(result.begin(), result.end(), std::size_t{0});
    std::ranges::shuffle(result, engine_);
    return result;
  }

 private:
  std::mt19937 engine_;
};

// The kinds of another writing.
enum class Change { EquationOrder, VariableOrder, Sides, Names, EquationFactors, Units, Auxiliaries, Output };
inline constexpr std::array all_changes{Change::EquationOrder, Change::VariableOrder,   Change::Sides,
                                        Change::Names,         Change::EquationFactors, Change::Units,
                                        Change::Auxiliaries,   Change::Output};
inline const char* name_of(Change change) {
  constexpr std::array names{"order of equations", "order of variables", "sides", "names", "factors", "units",
                             "auxiliaries",        "an output"};
  return names[static_cast<std::size_t>(change)];
}

inline bool is_continuous(const DaeSystem& system, std::size_t v) {
  return system.variables[v].kind == VariableKind::Continuous;
}

inline VariableId add_variable(DaeSystem& system, const std::string& name) {
  Variable variable;
  variable.name = name;
  system.variables.push_back(variable);
  if (!system.report_order.empty()) system.report_order.push_back(name);
  return VariableId(system.variables.size() - 1);
}

// Parts of some equations become variables of their own.
inline DaeSystem with_auxiliaries(const DaeSystem& system, Chance& chance) {
  DaeSystem result = deep_copy(system);
  ExprGraph& graph = *result.graph;
  const std::size_t equations = result.equations.size();
  for (std::size_t n = 0; n < 1 + (equations / 4); ++n) {
    NodeId& residual = result.equations[chance.below(equations)].residual;
    std::vector<NodeId> parts;
    for (const NodeId id : topological_order(graph, std::array{residual})) {
      const Op op = graph.node(id).op;
      const bool smooth = op == Op::Add || op == Op::Sub || op == Op::Mul || op == Op::Sin || op == Op::Cos ||
                          op == Op::Exp || op == Op::Pow;
      const auto leaves = leaves_of(graph, id);
      const bool moves = std::ranges::any_of(
          leaves, [&](NodeId l) { return graph.node(l).op == Op::Variable && graph.order_of(l) == 0; });
      const bool known = std::ranges::none_of(
          leaves, [&](NodeId l) { return graph.node(l).op == Op::Variable && graph.order_of(l) > 0; });
      if (smooth && moves && known && id != residual) parts.push_back(id);
    }
    if (parts.empty()) continue;
    const NodeId part = parts[chance.below(parts.size())];
    const VariableId z = add_variable(result, "auxiliary_" + std::to_string(n));
    const NodeId leaf = graph.variable(z);
    residual = substitute(graph, std::array{residual}, {{part, leaf}}).front();
    Equation added;
    added.residual = graph.sub(leaf, part);
    added.label = "auxiliary " + std::to_string(n);
    result.equations.push_back(added);
  }
  return result;
}

// Something that nothing else depends on is computed, too.
inline DaeSystem with_output(const DaeSystem& system, Chance& chance) {
  DaeSystem result = deep_copy(system);
  ExprGraph& graph = *result.graph;
  std::vector<bool> moves(system.variables.size(), false);
  for (const Equation& equation : system.equations) {
    for (const NodeId leaf : leaves_of(graph, equation.residual)) {
      if (graph.node(leaf).op == Op::Variable && graph.order_of(leaf) > 0)
        moves[graph.variable_of(leaf).at()] = true;
    }
  }
  NodeId sum = graph.constant(0);
  for (std::size_t v = 0; v < system.variables.size(); ++v) {
    if (!is_continuous(system, v) || chance.coin()) continue;
    const NodeId leaf = graph.variable(VariableId(v));
    // Multipliers may have poles, which are not to be made worse.
    sum = graph.add(sum, moves[v] && chance.coin() ? graph.mul(leaf, leaf) : leaf);
  }
  const VariableId w = add_variable(result, "added_output");
  Equation added;
  added.residual = graph.sub(graph.variable(w), sum);
  added.label = "the added output";
  result.equations.push_back(added);
  return result;
}

// The constraint of this number in `constraints`, said twice and with a force of its own: the two multipliers
// share what the one was.
inline DaeSystem with_doubled_constraint(const DaeSystem& system, std::size_t constraint,
                                         VariableId multiplier) {
  DaeSystem result = deep_copy(system);
  ExprGraph& graph = *result.graph;
  const VariableId another = add_variable(result, "another_multiplier");
  const NodeId leaf = graph.variable(multiplier);
  const NodeId both = graph.add(leaf, graph.variable(another));
  for (Equation& equation : result.equations)
    equation.residual = substitute(graph, std::array{equation.residual}, {{leaf, both}}).front();
  Equation twice = system.equations[constraint];
  twice.residual = graph.mul(graph.constant(3), twice.residual);
  twice.label = "the constraint, again";
  result.equations.push_back(twice);
  return result;
}

// The units, by variable, are handed out so that results can be compared.
inline DaeSystem changed(const DaeSystem& system, Change change, Chance& chance,
                         std::vector<double>* units = nullptr, int powers = 12) {
  Writing writing;
  switch (change) {
    case Change::EquationOrder:
      writing.equations = chance.order(system.equations.size());
      break;
    case Change::VariableOrder:
      writing.variables = chance.order(system.variables.size());
      break;
    case Change::Sides:
      for (std::size_t i = 0; i < system.equations.size(); ++i) writing.turned.push_back(chance.coin());
      break;
    case Change::Names:
      writing.renamed = true;
      break;
    case Change::EquationFactors:
      for (std::size_t i = 0; i < system.equations.size(); ++i)
        writing.factor.push_back(chance.power_of_ten(powers));
      break;
    case Change::Units:
      for (std::size_t v = 0; v < system.variables.size(); ++v)
        writing.unit.push_back(is_continuous(system, v) ? chance.power_of_ten(powers) : 1);
      if (units != nullptr) *units = writing.unit;
      break;
    case Change::Auxiliaries:
      return with_auxiliaries(system, chance);
    case Change::Output:
      return with_output(system, chance);
  }
  return rewritten(system, std::move(writing));
}

}  // namespace daedalus::testing
