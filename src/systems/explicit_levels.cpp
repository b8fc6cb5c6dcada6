#include "systems/explicit_levels.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

#include "structure/explicit_unknowns.hpp"

namespace daedalus {
namespace {

// Larger models would spend more on choosing than they save; their matrices are sparse anyway.
constexpr std::size_t largest = 20'000;
// Eight digits are left.
constexpr double most_growth = 1e8;
// Of longer equations it is not asked whether they are linear.
constexpr std::size_t most_partials = 100;

std::vector<bool> read_by_relations(const DaeSystem& system) {
  std::vector<bool> read(system.variables.size(), false);
  for (const Relation& relation : system.relations) {
    for (const NodeId leaf : leaves_of(*system.graph, relation.difference)) {
      if (system.graph->node(leaf).op == Op::Variable) read[system.graph->variable_of(leaf).at()] = true;
    }
  }
  return read;
}

// Roots, logarithms, quotients: where they end, a step of the integrator shall fail, also if nothing depends
// on them.
bool may_lack_a_value(const ExprGraph& graph, NodeId residual) {
  const auto number = [&graph](std::int32_t of) { return graph.is_constant(NodeId(of)); };
  const std::vector<NodeId> all = topological_order(graph, std::span(&residual, 1));
  return std::ranges::any_of(all, [&](NodeId id) {
    const Node& node = graph.node(id);
    switch (node.op) {
      case Op::Div:
        return !number(node.args[1]);
      case Op::Pow:
        return !number(node.args[1]) || graph.node(NodeId(node.args[1])).value < 0 ||
               std::floor(graph.node(NodeId(node.args[1])).value) != graph.node(NodeId(node.args[1])).value;
      case Op::Sqrt:
      case Op::Log:
      case Op::Log10:
      case Op::Tan:
      case Op::Asin:
      case Op::Acos:
        return true;
      default:
        return false;
    }
  });
}

// Where a variable stands in a residual: by itself, with this factor; 0: within other operations, or more
// than once.
struct Use {
  NodeId leaf;
  double factor = 0;
};

// Sums, and products with numbers, are looked through; a sum of sums that share parts may have many paths.
constexpr std::size_t most_paths = 1000;

class Uses {
 public:
  Uses(const ExprGraph& graph, NodeId residual) : graph_(graph) {
    open_.emplace_back(residual, 1.0);
    for (std::size_t paths = 0; !open_.empty(); ++paths) {
      const auto [id, factor] = open_.back();
      open_.pop_back();
      if (paths > most_paths) {
        deep_.push_back(id);
      } else {
        look(id, factor);
      }
    }
    for (const NodeId id : topological_order(graph, deep_)) {
      if (graph.node(id).op == Op::Variable) factor_[id] = 0;
    }
  }
  [[nodiscard]] std::vector<Use> all() const {
    std::vector<Use> uses;
    for (const auto& [leaf, factor] : factor_) uses.push_back({.leaf = leaf, .factor = factor});
    std::ranges::sort(uses, {}, [](const Use& use) { return use.leaf.value; });
    return uses;
  }

 private:
  void look(NodeId id, double factor) {
    const Node& node = graph_.node(id);
    const NodeId a(node.args[0]);
    const NodeId b(node.args[1]);
    const auto number = [this](NodeId of) { return graph_.node(of).value; };
    switch (node.op) {
      case Op::Constant:
        return;
      case Op::Variable:
        if (const auto [at, fresh] = factor_.try_emplace(id, factor); !fresh) at->second = 0;
        return;
      case Op::Neg:
        open_.emplace_back(a, -factor);
        return;
      case Op::Add:
      case Op::Sub:
        open_.emplace_back(a, factor);
        open_.emplace_back(b, node.op == Op::Add ? factor : -factor);
        return;
      case Op::Mul:
        if (!graph_.is_constant(a) && !graph_.is_constant(b)) break;
        graph_.is_constant(a) ? open_.emplace_back(b, factor * number(a))
                              : open_.emplace_back(a, factor * number(b));
        return;
      case Op::Div:
        if (!graph_.is_constant(b)) break;
        open_.emplace_back(a, factor / number(b));
        return;
      default:
        break;
    }
    deep_.push_back(id);
  }

  const ExprGraph& graph_;
  std::vector<std::pair<NodeId, double>> open_;
  std::vector<NodeId> deep_;
  std::unordered_map<NodeId, double> factor_;
};

}  // namespace

ExplicitLevels::ExplicitLevels(const LevelSystem& levels, const std::vector<bool>& may_define)
    : levels_(levels),
      equation_of_(levels.levels.size(), -1),
      defines_(levels.equations.size(), -1),
      factor_(levels.levels.size(), 0.0) {
  if (equation_of_.size() > largest) return;
  choose(may_define);
  sort_by_dependence();
  limit_growth();
}

// Algebraic unknowns that stand in an equation with a constant factor. What relations read is kept: errors of
// it are controlled. An equation that holds highest derivatives gives these, and nothing else: what would be
// computed from a rate, and stand in an exponential, is no help to Newton's method.
void ExplicitLevels::choose(const std::vector<bool>& may_define) {
  const LevelSystem& system = levels_;
  const ExprGraph& graph = *system.system().graph;
  const std::vector<bool> watched = read_by_relations(system.system());
  const auto holds_rate = [&](const Use& use) {
    const int j = system.incidence.column[graph.variable_of(use.leaf).at()];
    const int order = graph.order_of(use.leaf);
    return order > 0 && j >= 0 && order == system.plan.d[static_cast<std::size_t>(j)];
  };
  const auto is_linear = [&](std::size_t e, const Use& use) {
    if (use.factor != 0) return true;
    const auto& partials = system.incidence.rows[static_cast<std::size_t>(system.equations[e].equation)];
    const auto found = std::ranges::find(partials, use.leaf, &Partial::leaf);
    return found != partials.end() && partials.size() <= most_partials &&
           std::ranges::none_of(leaves_of(graph, found->value), [&](NodeId leaf) {
             return graph.node(leaf).op == Op::Variable || graph.node(leaf).op == Op::Time;
           });
  };
  std::vector<std::vector<Occurrence>> rows(system.equations.size());
  std::map<std::pair<int, int>, double> factors;
  inputs_.resize(rows.size());
  for (std::size_t e = 0; e < rows.size(); ++e) {
    if (!may_define[e] || system.plan.c[static_cast<std::size_t>(system.equations[e].equation)] != 0)
      continue;
    const std::vector<Use> uses = Uses(graph, system.equations[e].residual).all();
    if (std::ranges::any_of(uses, holds_rate) || may_lack_a_value(graph, system.equations[e].residual))
      continue;
    for (const Use& use : uses) {
      const VariableId variable = graph.variable_of(use.leaf);
      const int level = system.level_of(use.leaf);
      if (level < 0) continue;
      const auto j = static_cast<std::size_t>(system.incidence.column[variable.at()]);
      const bool plain =
          system.plan.d[j] == 0 && !watched[variable.at()] && use.factor != 0 && std::isfinite(use.factor);
      rows[e].push_back({.unknown = level, .plain = plain, .linear = is_linear(e, use)});
      inputs_[e].push_back({.level = level, .factor = use.factor});
      if (plain) factors[{static_cast<int>(e), level}] = use.factor;
    }
  }
  for (const ExplicitUnknown& one :
       choose_explicit(std::move(rows), static_cast<int>(system.levels.size()))) {
    equation_of_[static_cast<std::size_t>(one.unknown)] = one.equation;
    defines_[static_cast<std::size_t>(one.equation)] = one.unknown;
    factor_[static_cast<std::size_t>(one.unknown)] = factors.at({one.equation, one.unknown});
  }
}

// By depth-first search along what the equations hold.
void ExplicitLevels::sort_by_dependence() {
  std::vector<char> state(equation_of_.size(), 0);  // 1: open, 2: done
  for (std::size_t root = 0; root < equation_of_.size(); ++root) {
    if (equation_of_[root] < 0) continue;
    std::vector<int> stack{static_cast<int>(root)};
    while (!stack.empty()) {
      const int level = stack.back();
      char& at = state[static_cast<std::size_t>(level)];
      if (at != 0) {
        stack.pop_back();
        if (at == 1) order_.push_back(level);
        at = 2;
        continue;
      }
      at = 1;
      for (const Input& other :
           inputs_[static_cast<std::size_t>(equation_of_[static_cast<std::size_t>(level)])]) {
        if (has_level(other.level) && state[static_cast<std::size_t>(other.level)] == 0)
          stack.push_back(other.level);
      }
    }
  }
}

// Errors of what is left may grow from one definition to the next: y3 = 4 y2 - y1, y4 = 4 y3 - y2, … by 3.7
// each time, so that after thirty of them nothing of a value is right. Where they have grown too much an
// unknown is left after all.
void ExplicitLevels::limit_growth() {
  std::vector<double> growth(equation_of_.size(), 1.0);
  std::vector<int> kept;
  for (const int level : order_) {
    const auto at = static_cast<std::size_t>(level);
    const auto equation = static_cast<std::size_t>(equation_of_[at]);
    double sum = 0;
    for (const Input& other : inputs_[equation]) {
      // Where the factor is not a number, nothing is known of it.
      const double ratio = other.factor == 0 ? 1 : std::abs(other.factor / factor_[at]);
      if (other.level != level) sum += ratio * growth[static_cast<std::size_t>(other.level)];
    }
    if (sum > most_growth) {
      equation_of_[at] = -1;
      defines_[equation] = -1;
    } else {
      growth[at] = sum;
      kept.push_back(level);
    }
  }
  order_ = std::move(kept);
}

void ExplicitLevels::compile(const CompiledModel& model, const std::vector<int>& row_of_equation,
                             const std::vector<Place>& place_of_level) {
  first_slot_ = model.layout().levels;
  compile_values(model, row_of_equation);
  plan_derivatives(model.jacobian(), row_of_equation, place_of_level);
}

void ExplicitLevels::compile_values(const CompiledModel& model, const std::vector<int>& row_of_equation) {
  const LevelSystem& system = levels_;
  ExprGraph graph = *system.system().graph;  // a copy: threads may read the model's
  std::unordered_map<NodeId, NodeId> replacement;
  std::vector<NodeId> roots;
  std::vector<int> destinations;
  for (const int level : order_) {
    const auto at = static_cast<std::size_t>(level);
    const NodeId leaf = graph.variable(system.levels[at].variable, 0);
    replacement[leaf] = graph.constant(0);
    const NodeId residual = system.equations[static_cast<std::size_t>(equation_of_[at])].residual;
    const NodeId rest = substitute(graph, std::vector<NodeId>{residual}, replacement)[0];
    const NodeId value = graph.neg(graph.div(rest, graph.constant(factor_[at])));
    replacement[leaf] = value;
    roots.push_back(value);
    destinations.push_back(first_slot_ + level);
  }
  values_ = Program::compile(graph, roots, model.setting(), destinations);
  roots.clear();
  destinations.clear();
  std::vector<NodeId> left;
  for (std::size_t e = 0; e < system.equations.size(); ++e) {
    if (row_of_equation[e] < 0) continue;
    left.push_back(system.equations[e].residual);
    destinations.push_back(row_of_equation[e]);
  }
  roots = substitute(graph, left, replacement);
  residuals_ = Program::compile(graph, roots, model.setting(), destinations);
}

// Which products make the entries of the Jacobian of what is left: ∂v/∂y = -Σ (∂f/∂u ∂u/∂y) / (∂f/∂v).
void ExplicitLevels::plan_derivatives(const SparseJacobianProgram& jacobian,
                                      const std::vector<int>& row_of_equation,
                                      const std::vector<Place>& place_of_level) {
  struct Entry {
    int level = 0;
    int at = 0;
  };
  std::vector<std::vector<Entry>> entries(defines_.size());
  for (int level = 0; level < static_cast<int>(equation_of_.size()); ++level) {
    const auto column = static_cast<std::size_t>(level);
    for (int k = jacobian.column_start[column]; k < jacobian.column_start[column + 1]; ++k)
      entries[static_cast<std::size_t>(jacobian.row[static_cast<std::size_t>(k)])].push_back(
          {.level = level, .at = k});
  }
  // Levels on which an equation that is left depends.
  std::vector<char> needed(equation_of_.size(), 0);
  const auto need = [&](const std::vector<Entry>& row) {
    for (const Entry& entry : row) {
      if (has_level(entry.level)) needed[static_cast<std::size_t>(entry.level)] = 1;
    }
  };
  for (std::size_t e = 0; e < entries.size(); ++e) {
    if (row_of_equation[e] >= 0) need(entries[e]);
  }
  for (std::size_t k = order_.size(); k-- > 0;) {
    const auto level = static_cast<std::size_t>(order_[k]);
    if (needed[level] != 0) need(entries[static_cast<std::size_t>(equation_of_[level])]);
  }
  std::vector<std::vector<std::pair<Place, int>>> gradient(equation_of_.size());
  int count = 0;
  for (const int level : order_) {
    const auto at = static_cast<std::size_t>(level);
    if (needed[at] == 0) continue;
    std::map<Place, int> own;
    const double scale = -1 / factor_[at];
    const auto add = [&](Place place, int entry, int from) {
      const auto [found, fresh] = own.try_emplace(place, count);
      if (fresh) ++count;
      terms_.push_back({.to = found->second, .entry = entry, .from = from, .scale = scale});
    };
    for (const Entry& entry : entries[static_cast<std::size_t>(equation_of_[at])]) {
      if (entry.level == level) continue;
      if (!has_level(entry.level)) {
        add(place_of_level[static_cast<std::size_t>(entry.level)], entry.at, -1);
        continue;
      }
      for (const auto& [place, from] : gradient[static_cast<std::size_t>(entry.level)])
        add(place, entry.at, from);
    }
    gradient[at].assign(own.begin(), own.end());
  }
  derivatives_ = static_cast<std::size_t>(count);
  for (std::size_t e = 0; e < entries.size(); ++e) {
    if (row_of_equation[e] < 0) continue;
    for (const Entry& entry : entries[e]) {
      for (const auto& [place, from] : gradient[static_cast<std::size_t>(entry.level)])
        filled_.push_back(
            {.row = row_of_equation[e], .place = place, .product = {.entry = entry.at, .from = from}});
    }
  }
}

void ExplicitLevels::evaluate(std::span<double> environment, std::vector<double>& workspace) const {
  values_.evaluate(environment, environment, workspace);
}

void ExplicitLevels::differentiate(std::span<const double> jacobian_values,
                                   std::vector<double>& derivatives) const {
  derivatives.assign(derivatives_, 0.0);
  for (const Term& term : terms_) {
    const double inner = term.from < 0 ? 1 : derivatives[static_cast<std::size_t>(term.from)];
    // An unknown that is not there in this branch: 0 times a slope without a value.
    if (inner == 0) continue;
    derivatives[static_cast<std::size_t>(term.to)] +=
        term.scale * jacobian_values[static_cast<std::size_t>(term.entry)] * inner;
  }
}

int ExplicitLevels::not_finite(std::span<const double> environment) const {
  for (const int level : order_) {
    if (!std::isfinite(environment[static_cast<std::size_t>(first_slot_ + level)]))
      return equation_of_[static_cast<std::size_t>(level)];
  }
  return -1;
}

}  // namespace daedalus
