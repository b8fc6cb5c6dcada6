#include "mechanics/lagrangian.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "expr/derivative.hpp"
#include "model/builder_state.hpp"

namespace daedalus {
namespace {

class EulerLagrange {
 public:
  EulerLagrange(ModelBuilder& model, const Lagrangian& lagrangian)
      : model_(model), lagrangian_(lagrangian), state_(*model.time().state()), graph_(*state_.system.graph) {
    for (std::size_t k = 0; k < lagrangian.coordinates.size(); ++k) {
      const VariableId v = state_.require_variable(lagrangian.coordinates[k].node(state_), "a coordinate");
      if (v.valid()) number_[v.value] = k;
    }
    rows_.assign(lagrangian.coordinates.size(), graph_.constant(0));
  }

  void run() {
    if (number_.size() != rows_.size()) return;  // complained of
    if (!lagrangian_.forces.empty() && lagrangian_.forces.size() != rows_.size()) {
      state_.complain(fmt::format("there are {} generalised forces for {} coordinates",
                                  lagrangian_.forces.size(), rows_.size()));
      return;
    }
    // d/dt ∂T/∂q' - ∂T/∂q
    for (const Partial& p : gradient(graph_, lagrangian_.kinetic.node(state_))) {
      const int order = graph_.order_of(p.leaf);
      add(p.leaf, order == 1 ? state_.derivative(p.value) : graph_.neg(p.value), "the kinetic energy", 1);
    }
    for (const Partial& p : gradient(graph_, lagrangian_.potential.node(state_)))
      add(p.leaf, p.value, "the potential energy", 0);
    for (std::size_t k = 0; k < lagrangian_.forces.size(); ++k)
      rows_[k] = graph_.sub(rows_[k], lagrangian_.forces[k].node(state_));
    for (const LagrangianConstraint& constraint : lagrangian_.constraints) add_constraint(constraint);
    finish();
  }

 private:
  // A term for the equation of the coordinate that the leaf is a level of, up to `most`.
  void add(NodeId leaf, NodeId term, const char* what, int most) {
    const auto found = number_.find(graph_.variable_of(leaf).value);
    if (found == number_.end() || graph_.order_of(leaf) > most) {
      state_.complain(fmt::format("{} depends on {}, which is {}", what, leaf_name(state_.system, leaf),
                                  found == number_.end() ? "no coordinate" : "of too high an order"));
      return;
    }
    rows_[found->second] = graph_.add(rows_[found->second], term);
  }

  void add_constraint(const LagrangianConstraint& constraint) {
    const Expr multiplier = model_.variable(fmt::format("multiplier of {}", constraint.name));
    const int level = constraint.of_velocity ? 1 : 0;
    for (const Partial& p : gradient(graph_, constraint.residual.node(state_))) {
      if (graph_.order_of(p.leaf) < level) continue;
      add(p.leaf, graph_.mul(p.value, multiplier.node(state_)), "a constraint", level);
    }
  }

  void finish() {
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const NodeId leaf = lagrangian_.coordinates[k].node(state_);
      model_.equation(Expr(&state_, rows_[k]), 0,
                      fmt::format("motion of {}", leaf_name(state_.system, leaf)));
      state_.system.equations.back().keep = true;
    }
    for (const LagrangianConstraint& constraint : lagrangian_.constraints) {
      model_.equation(constraint.residual, 0, constraint.name);
      state_.system.equations.back().keep = true;
    }
  }

  ModelBuilder& model_;
  const Lagrangian& lagrangian_;
  BuilderState& state_;
  ExprGraph& graph_;
  std::unordered_map<std::int32_t, std::size_t> number_;  // by variable
  std::vector<NodeId> rows_;
};

}  // namespace

void add_lagrangian(ModelBuilder& model, const Lagrangian& lagrangian) {
  EulerLagrange(model, lagrangian).run();
}

}  // namespace daedalus
