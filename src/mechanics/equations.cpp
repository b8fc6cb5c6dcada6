#include "mechanics/equations.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "expr/derivative.hpp"
#include "mechanics/assembly.hpp"
#include "mechanics/force_terms.hpp"
#include "mechanics/joint_inertia.hpp"
#include "mechanics/massless_links.hpp"
#include "mechanics/outputs.hpp"
#include "mechanics/validate.hpp"
#include "model/builder_state.hpp"

namespace daedalus {
namespace {

// Gᵀλ, the gradients of the constraints, into the equations of motion; then everything into the model. Where
// a coordinate has no mass of its own, c ∇g g'' is added, which is zero and makes the mass matrix regular.
class ConstraintForces {
 public:
  ConstraintForces(Assembly& assembly, ModelBuilder& model)
      : assembly_(assembly), state_(*model.time().state()) {
    for (std::size_t i = 0; i < assembly.equations.size(); ++i) {
      const NodeId leaf = assembly.equations[i].coordinate.node(state_);
      owner_[state_.system.graph->variable_of(leaf).value] = i;
    }
  }

  void add(const ConstraintEquation& row, const Expr& multiplier, double augmentation) {
    ExprGraph& graph = *state_.system.graph;
    const NodeId residual = row.residual.node(state_);
    const Expr weight = augmentation > 0 ? multiplier + augmentation * der(der(row.residual)) : multiplier;
    const std::vector<Partial> partials = gradient(graph, residual);
    for (const Partial& partial : partials) {
      if (graph.order_of(partial.leaf) != row.level) continue;
      Expr& equation = assembly_.equations[owner_.at(graph.variable_of(partial.leaf).value)].residual;
      equation = equation + Expr(&state_, partial.value) * weight;
    }
  }

 private:
  Assembly& assembly_;
  BuilderState& state_;
  std::unordered_map<std::int32_t, std::size_t> owner_;  // by variable: number of its equation
};

class EquationsOfMechanism {
 public:
  EquationsOfMechanism(const Mechanism& mechanism, bool joint_coordinates)
      : mechanism_(mechanism), model_(mechanism.name), assembly_(mechanism, model_, joint_coordinates) {}

  Result<DaeSystem> run() {
    assembly_.declare_bodies();
    assembly_.add_joints();
    assembly_.add_couplings();
    assembly_.add_path_couplings();
    assembly_.add_motions();
    add_forces(mechanism_, assembly_);
    if (assembly_.joint_space() != nullptr) assembly_.joint_space()->finish();
    assembly_.apply_path_forces();
    collect_outputs(mechanism_, assembly_);
    const std::size_t declared = assembly_.rates();  // x' = v come first in the builder
    add_constraint_forces();
    add_equations();
    const std::vector<Output> outputs = assembly_.outputs;
    BuilderState& state = *model_.time().state();
    std::vector<NodeId> values;
    for (const Output& output : outputs) values.push_back(output.value.node(state));
    auto system = model_.build();
    if (!system) return system;
    name_places(*system, declared);
    report(*system, outputs, values);
    system->experiment = mechanism_.experiment;
    system->warnings = mechanism_.warnings;
    if (mechanism_.sources) system->sources = mechanism_.sources;
    return system;
  }

 private:
  void add_constraint_forces() {
    ConstraintForces forces(assembly_, model_);
    for (const AssembledRow& row : assembly_.rows) forces.add(row.equation, row.multiplier, row.augmentation);
  }

  void add_equations() {
    for (const CoordinateEquation& equation : assembly_.equations)
      model_.equation(equation.residual, 0, equation.label);
    for (const AssembledRow& row : assembly_.rows)
      model_.equation(row.equation.residual, 0, row.equation.name);
  }

  // The places in the file that equations come from.
  void name_places(DaeSystem& system, std::size_t declared) const {
    std::size_t k = declared;
    for (const CoordinateEquation& equation : assembly_.equations) system.equations[k++].span = equation.span;
    for (const AssembledRow& row : assembly_.rows) system.equations[k++].span = row.equation.span;
    for (k = declared; k < system.equations.size(); ++k) system.equations[k].keep = true;
  }

  static void report(DaeSystem& system, const std::vector<Output>& outputs,
                     const std::vector<NodeId>& values) {
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      ReportedValue reported;
      reported.attributes.name = outputs[k].name;
      reported.attributes.unit = outputs[k].unit;
      reported.value = values[k];
      system.report_order.push_back(outputs[k].name);
      system.reported.push_back(std::move(reported));
    }
  }

  const Mechanism& mechanism_;
  ModelBuilder model_;
  Assembly assembly_;
};

}  // namespace

Result<DaeSystem> equations_of(const Mechanism& mechanism, const EquationOptions& options) {
  Diagnostics faults = faults_of(mechanism);
  if (!faults.empty()) return std::unexpected(std::move(faults));
  const CoordinateChoice choice = choose_coordinates(mechanism, options.coordinates);
  if (choice.joint) {
    if (const auto idle = motion_without_inertia(mechanism)) {
      const Body& body = mechanism.bodies[idle->body.at()];
      if (!idle->joint.valid())
        return fail(fmt::format("body {} moves freely, but there is an axis about which it has no inertia; "
                                "give it one",
                                body.name),
                    body.span);
      const Joint& joint = mechanism.joints[idle->joint.at()];
      return fail(
          fmt::format("joint {} moves nothing that has inertia: what it carries is a point on its axis, "
                      "or is moved by other joints in the same way; give it an inertia",
                      joint.name),
          joint.span);
    }
    return EquationsOfMechanism(mechanism, true).run();
  }
  for (const Body& body : mechanism.bodies) {
    if (body.inertia_as_given)
      return fail(fmt::format("the inertia of body {} is that of no body, with which it cannot turn freely; "
                              "--coordinates joint lets it turn with its joints",
                              body.name),
                  body.span);
  }
  auto merged = without_massless_links(mechanism);
  if (!merged) return std::unexpected(merged.error());
  return EquationsOfMechanism(*merged, false).run();
}

}  // namespace daedalus
