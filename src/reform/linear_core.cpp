#include "reform/linear_core.hpp"

#include <algorithm>
#include <ranges>
#include <unordered_map>
#include <unordered_set>

#include "expr/derivative.hpp"

namespace daedalus {
namespace {

class CoreFinder {
 public:
  CoreFinder(const ConstrainedForm& form, const ReformulatedSystem& system)
      : graph_(form.graph()), system_(system) {
    for (int i = 0; i < form.ny(); ++i) kept_.insert(form.y(i));
    for (int i = 0; form.ny() > 0 && i < form.n(); ++i) kept_.insert(form.x(i, form.order));
    for (const ReformUnknown& unknown : system.unknowns)
      wanted_.push_back(unknown.rate.valid() ? unknown.rate : unknown.leaf);
    for (std::size_t k = 0; k < wanted_.size(); ++k) number_[wanted_[k]] = k;
    Gradient gradient(graph_, [this](NodeId leaf) { return number_.contains(leaf); });
    for (const ReformEquation& equation : system.equations) rows_.push_back(gradient(equation.residual));
    for (const NodeId leaf : wanted_) zero_[leaf] = graph_.constant(0);
  }

  std::optional<LinearCore> run() {
    if (!linear()) return std::nullopt;
    peel();
    LinearCore core;
    std::vector<int> column(wanted_.size(), -1);
    for (std::size_t k = 0; k < wanted_.size(); ++k) {
      if (explicit_[k]) continue;
      column[k] = static_cast<int>(core.unknowns.size());
      core.unknowns.push_back(wanted_[k]);
    }
    std::vector<NodeId> residuals;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (peeled_[i]) continue;
      for (const Partial& partial : rows_[i])
        core.matrix.entries.push_back({.row = static_cast<int>(core.equations.size()),
                                       .column = column[number_.at(partial.leaf)],
                                       .value = partial.value});
      core.equations.push_back(static_cast<int>(i));
      residuals.push_back(system_.equations[i].residual);
    }
    if (core.equations.size() != core.unknowns.size()) return std::nullopt;
    core.matrix.rows = core.matrix.columns = static_cast<int>(core.unknowns.size());
    for (const NodeId residual : substitute(graph_, residuals, zero_))
      core.rhs.push_back(graph_.neg(residual));
    core.assignments = assignments();
    return core;
  }

 private:
  // No ∂F/∂z contains a z.
  bool linear() {
    std::vector<NodeId> roots;
    for (const auto& row : rows_) {
      for (const Partial& partial : row) roots.push_back(partial.value);
    }
    return std::ranges::none_of(topological_order(graph_, roots),
                                [this](NodeId id) { return number_.contains(id); });
  }

  // Takes out what occurs in one equation only, with a constant factor; then what is left so by that.
  void peel() {
    explicit_.assign(wanted_.size(), false);
    peeled_.assign(rows_.size(), false);
    std::vector<int> occurrences(wanted_.size(), 0);
    std::vector<std::vector<std::size_t>> users(wanted_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (const Partial& partial : rows_[i]) {
        ++occurrences[number_.at(partial.leaf)];
        users[number_.at(partial.leaf)].push_back(i);
      }
    }
    std::vector<std::size_t> ready;
    for (std::size_t k = 0; k < wanted_.size(); ++k) {
      if (occurrences[k] == 1) ready.push_back(k);
    }
    for (std::size_t next = 0; next < ready.size(); ++next) {
      const std::size_t k = ready[next];
      if (kept_.contains(wanted_[k])) continue;
      const auto user = std::ranges::find_if(users[k], [this](std::size_t i) { return !peeled_[i]; });
      if (user == users[k].end()) continue;
      const auto& row = rows_[*user];
      const auto own = std::ranges::find(row, wanted_[k], &Partial::leaf);
      if (!graph_.is_constant(own->value)) continue;
      peeled_[*user] = true;
      explicit_[k] = true;
      order_.push_back({.unknown = k, .equation = *user, .factor = own->value});
      for (const Partial& partial : row) {
        if (--occurrences[number_.at(partial.leaf)] == 1) ready.push_back(number_.at(partial.leaf));
      }
    }
  }

  // In the opposite order: what was peeled off first may use what came later.
  std::vector<LinearCore::Assignment> assignments() {
    std::vector<LinearCore::Assignment> result;
    for (const Peeled& peeled : order_ | std::views::reverse) {
      const NodeId leaf = wanted_[peeled.unknown];
      const NodeId residual = system_.equations[peeled.equation].residual;
      const NodeId rest = substitute(graph_, std::span(&residual, 1), {{leaf, graph_.constant(0)}}).front();
      result.push_back({.leaf = leaf,
                        .value = graph_.div(rest, graph_.constant(-graph_.node(peeled.factor).value)),
                        .equation = static_cast<int>(peeled.equation)});
    }
    return result;
  }

  struct Peeled {
    std::size_t unknown;
    std::size_t equation;
    NodeId factor;
  };
  ExprGraph& graph_;
  const ReformulatedSystem& system_;
  std::vector<NodeId> wanted_;  // the leaf to solve for, by unknown
  std::unordered_set<NodeId> kept_;
  std::unordered_map<NodeId, std::size_t> number_;
  std::unordered_map<NodeId, NodeId> zero_;
  std::vector<std::vector<Partial>> rows_;
  std::vector<bool> explicit_;  // by unknown
  std::vector<bool> peeled_;    // by equation
  std::vector<Peeled> order_;
};

}  // namespace

std::optional<LinearCore> find_linear_core(const ConstrainedForm& form, const ReformulatedSystem& system) {
  return CoreFinder(form, system).run();
}

}  // namespace daedalus
