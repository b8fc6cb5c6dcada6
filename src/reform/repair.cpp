#include "reform/repair.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "reform/top_jacobian.hpp"

namespace daedalus {
namespace {

// How much of the terms that cancel may be left: a few units of roundoff for each.
constexpr double cancelled = 64 * std::numeric_limits<double>::epsilon();
constexpr double ratio_of_small_numbers = 1e-13;  // a factor that near to one is meant to be one
constexpr int largest_denominator = 12;           // of ratios that are looked for
constexpr double elsewhere =
    0.7;  // for what cancels: a value away from a start at which something is infinite

using Constants = std::unordered_map<NodeId, NodeId>;

// 3 for 2.9999999999999996, and 1/3 for 0.33333333333333337.
double snapped(double value) {
  for (int denominator = 1; denominator <= largest_denominator; ++denominator) {
    const double rounded = std::round(value * denominator) / denominator;
    if (std::abs(value - rounded) < ratio_of_small_numbers * std::abs(value)) return rounded;
  }
  return value;
}

class Repairer {
 public:
  Repairer(RaisedSystem& raised, const Incidence& incidence, const StructuralPlan& plan,
           const TopJacobian& jacobian, RowCombination combination)
      : raised_(raised),
        system_(raised.system),
        incidence_(incidence),
        plan_(plan),
        jacobian_(jacobian),
        combination_(std::move(combination)),
        replaced_(equation_to_replace()) {}

  Result<Repair> run() {
    const std::string text = combination_text();
    if (combine()) {
      return Repair{
          .method = Repair::Method::LinearCombination,
          .text = fmt::format(
              "the highest derivatives cancel in {}; this combination replaces one of the equations", text)};
    }
    if (augment()) {
      return Repair{.method = Repair::Method::Substitution,
                    .text = fmt::format("the highest derivatives depend on each other in {}; one of the "
                                        "equations had them substituted from the others",
                                        text)};
    }
    return fail(
        fmt::format(
            "structural analysis is not enough for this model: in a combination of {} the highest "
            "derivatives cancel, so its index is higher than its structure shows; rewrite one of them "
            "with this combination",
            text),
        system_.equations[static_cast<std::size_t>(replaced_)].span);
  }

 private:
  [[nodiscard]] int c(int equation) const { return plan_.c[static_cast<std::size_t>(equation)]; }
  // Times that an equation is differentiated in the combination.
  [[nodiscard]] int times(int equation) const { return c(equation) - c(replaced_); }

  // Of those that need the fewest differentiations one that holds the highest derivatives itself, and of
  // these the one with the fewest unknowns; then the one whose unknowns were declared first, whatever the
  // order of the equations.
  [[nodiscard]] int equation_to_replace() const {
    const auto key = [&](int i) {
      int order = 0;
      std::vector<std::pair<int, int>> unknowns;
      for (const SignatureEntry& entry : incidence_.signature.row(i)) {
        order = std::max(order, entry.order);
        unknowns.emplace_back(entry.variable, entry.order);
      }
      const auto count = unknowns.size();
      return std::tuple(c(i), -order, count, std::move(unknowns));
    };
    return *std::ranges::min_element(combination_.equations, {}, key);
  }

  [[nodiscard]] NodeId differentiated(int equation) const {
    TimeDerivative derivative(*system_.graph);
    NodeId residual = system_.equations[static_cast<std::size_t>(equation)].residual;
    for (int k = 0; k < times(equation); ++k) residual = derivative(residual);
    return residual;
  }

  [[nodiscard]] std::string combination_text() const {
    std::vector<std::string> terms;
    for (std::size_t k = 0; k < combination_.equations.size(); ++k) {
      const int i = combination_.equations[k];
      const std::string text = equation_text(system_, system_.equations[static_cast<std::size_t>(i)]);
      const std::string what = times(i) == 0 ? text : fmt::format("derivative {} of {}", times(i), text);
      terms.push_back(combination_.constant ? fmt::format("{:g} * [{}]", combination_.factors[k], what)
                                            : fmt::format("[{}]", what));
    }
    return fmt::format("{}", fmt::join(terms, " + "));
  }

  // x_j^(d_j - c_r) for every variable that was looked at: the leaves that cancel.
  [[nodiscard]] std::vector<NodeId> highest() const {
    std::vector<NodeId> leaves;
    for (const int j : combination_.columns) {
      const int order = plan_.d[static_cast<std::size_t>(j)] - c(replaced_);
      if (order >= 0)
        leaves.push_back(system_.graph->variable(incidence_.unknowns[static_cast<std::size_t>(j)], order));
    }
    return leaves;
  }

  // Which value it has does not matter. `away`: not the start, where something may be infinite.
  [[nodiscard]] Constants constants(const std::vector<NodeId>& leaves, bool away) const {
    Constants result;
    for (const NodeId leaf : leaves) {
      const Variable& v = system_.variables[system_.graph->variable_of(leaf).at()];
      const double start = system_.graph->order_of(leaf) == 0 ? v.start : 0;
      const double scale = v.has_nominal && v.nominal != 0 ? std::abs(v.nominal) : 1;
      result[leaf] = system_.graph->constant(away ? start + (elsewhere * scale) : start);
    }
    return result;
  }

  // The expression with values for what cancels in it.
  [[nodiscard]] NodeId without(NodeId expression, const std::vector<NodeId>& leaves) const {
    NodeId result;
    for (const bool away : {false, true}) {
      result = substitute(*system_.graph, std::array{expression}, constants(leaves, away)).front();
      if (is_finite(result)) break;
    }
    return result;
  }

  [[nodiscard]] bool is_finite(NodeId expression) const {
    for (unsigned p = 0; p < jacobian_.points(); ++p) {
      if (std::isfinite(jacobian_.point(p).evaluate({expression}).front())) return true;
    }
    return false;
  }

  // Linear combination with constant factors. False when it does not apply.
  bool combine() {
    if (!combination_.constant) return false;
    ExprGraph& graph = *system_.graph;
    const auto own = std::ranges::find(combination_.equations, replaced_) - combination_.equations.begin();
    NodeId sum = graph.constant(0);
    std::vector<Term> terms;
    for (std::size_t k = 0; k < combination_.equations.size(); ++k) {
      const double factor =
          snapped(combination_.factors[k] / combination_.factors[static_cast<std::size_t>(own)]);
      terms.push_back({.factor = factor, .residual = differentiated(combination_.equations[k])});
      sum = graph.add(sum, graph.mul(graph.constant(factor), terms.back().residual));
    }
    const std::vector<NodeId> gone = cancelled_leaves(terms);
    const auto remains = [&](NodeId leaf) { return !std::ranges::binary_search(gone, leaf); };
    std::vector<NodeId> held;
    for (const Partial& partial : gradient(graph, sum)) held.push_back(partial.leaf);
    for (const NodeId leaf : highest()) {
      if (remains(leaf) && std::ranges::find(held, leaf) != held.end()) return false;
    }
    system_.equations[static_cast<std::size_t>(replaced_)].residual = without(sum, gone);
    raised_.embedded[static_cast<std::size_t>(replaced_)] = embedded();
    return true;
  }

  struct Term {
    double factor = 0;
    NodeId residual;
  };

  // The leaves, sorted, that Σ factor * residual does not depend on although its terms do: of what the terms
  // say about a leaf nothing is left but rounding, at every point.
  [[nodiscard]] std::vector<NodeId> cancelled_leaves(const std::vector<Term>& terms) const {
    struct Part {
      double factor = 0;
      std::size_t root = 0;
    };
    std::map<NodeId, std::vector<Part>> parts;
    std::vector<NodeId> roots;
    for (const Term& term : terms) {
      for (const Partial& partial : gradient(*system_.graph, term.residual)) {
        parts[partial.leaf].push_back({.factor = term.factor, .root = roots.size()});
        roots.push_back(partial.value);
      }
    }
    Traversal below;
    below.run(*system_.graph, roots);
    std::map<NodeId, int> seen;
    for (unsigned p = 1; p < jacobian_.points(); ++p) {
      const std::vector<RoundedValue> values = jacobian_.point(p).evaluate(roots, below);
      std::erase_if(parts, [&](const auto& entry) {
        double sum = 0;
        double size = 0;
        double error = 0;
        for (const Part& part : entry.second) {
          sum += part.factor * values[part.root].value;
          size += std::abs(part.factor * values[part.root].value);
          error += std::abs(part.factor) * values[part.root].error;
        }
        if (!std::isfinite(sum)) return false;
        ++seen[entry.first];
        return std::abs(sum) > (cancelled * size) + error;
      });
    }
    std::vector<NodeId> result;
    for (const auto& [leaf, of] : parts) {
      if (seen[leaf] >= TopJacobian::witnesses) result.push_back(leaf);
    }
    return result;
  }

  // Differentiations that the combination contains.
  [[nodiscard]] int embedded() const {
    int most = 0;
    for (const int i : combination_.equations)
      most = std::max(most, raised_.embedded[static_cast<std::size_t>(i)] + times(i));
    return most;
  }

  // Substitution in implicit form (augmentation). False when it does not apply.
  bool augment() {
    ExprGraph& graph = *system_.graph;
    std::vector<int> rows;
    for (const int i : combination_.equations) {
      if (i != replaced_) rows.push_back(i);
    }
    const std::vector<int> columns = jacobian_.regular_columns(combination_, rows);
    if (columns.empty()) return false;
    Constants replacement = constants(highest(), false);
    for (const int j : columns) add_auxiliary(j, replacement);
    const int embedded_here = embedded();
    std::vector<Equation> copies;
    for (const int i : rows) {
      raised_.embedded.push_back(raised_.embedded[static_cast<std::size_t>(i)] + times(i));
      copies.push_back({.residual = substitute(graph, std::array{differentiated(i)}, replacement).front(),
                        .span = system_.equations[static_cast<std::size_t>(i)].span,
                        .label = "highest derivatives replaced by auxiliary unknowns"});
    }
    Equation& replaced = system_.equations[static_cast<std::size_t>(replaced_)];
    replaced.residual = substitute(graph, std::array{replaced.residual}, replacement).front();
    replaced.label = "highest derivatives substituted";
    raised_.embedded[static_cast<std::size_t>(replaced_)] = embedded_here;
    system_.equations.insert(system_.equations.end(), copies.begin(), copies.end());
    return true;
  }

  // An unknown of its own in place of x_j^(d_j - c_r).
  void add_auxiliary(int j, Constants& replacement) {
    const VariableId v = incidence_.unknowns[static_cast<std::size_t>(j)];
    const int order = plan_.d[static_cast<std::size_t>(j)] - c(replaced_);
    const Variable of = system_.variables[v.at()];
    Variable added;
    added.name = fmt::format("${}", derivative_name(of.name, order));
    added.internal = true;
    added.start = order == 0 ? of.start : 0;
    if (order == 0) added.start_value = of.start_value;
    added.nominal = of.nominal;
    added.has_nominal = of.has_nominal;
    added.span = of.span;
    system_.variables.push_back(added);
    raised_.eliminated.push_back(false);
    ExprGraph& graph = *system_.graph;
    replacement[graph.variable(v, order)] = graph.variable(VariableId(system_.variables.size() - 1));
  }

  RaisedSystem& raised_;
  DaeSystem& system_;
  const Incidence& incidence_;
  const StructuralPlan& plan_;
  const TopJacobian& jacobian_;
  RowCombination combination_;
  int replaced_;  // the equation of smallest c
};

}  // namespace

Result<std::optional<Repair>> repair_structure(RaisedSystem& raised, const Incidence& incidence,
                                               const StructuralPlan& plan) {
  const TopJacobian jacobian(raised, incidence, plan);
  for (const Block& block : plan.blocks) {
    if (!jacobian.is_singular(block)) continue;
    auto combination = jacobian.find_combination(block);
    if (!combination) {
      const Equation& equation = raised.system.equations[static_cast<std::size_t>(block.equations.front())];
      return fail(
          fmt::format("the {} equations of the block of {} are singular in their highest derivatives, and no "
                      "combination that shows why was found",
                      block.equations.size(), equation_text(raised.system, equation)),
          equation.span);
    }
    auto repair = Repairer(raised, incidence, plan, jacobian, *std::move(combination)).run();
    if (!repair) return std::unexpected(repair.error());
    return std::optional(*std::move(repair));
  }
  return std::optional<Repair>{};
}

}  // namespace daedalus
