#include "systems/mechanical_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "expr/derivative.hpp"
#include "numerics/pattern_builder.hpp"
#include "numerics/vectors.hpp"
#include "saddle/pairing.hpp"
#include "saddle/random_point.hpp"

namespace daedalus {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

NodeId dynamics_of(const ConstrainedForm& form, int i) {
  return form.system().equations[at(form.dynamics[at(i)])].residual;
}

// The constraint at the level of velocities.
NodeId velocity_level(const FormConstraint& constraint) {
  return constraint.derivatives[at(1 - constraint.level)];
}

std::vector<NodeId> values_of(const SymbolicMatrix& matrix) {
  std::vector<NodeId> nodes;
  for (const SymbolicEntry& entry : matrix.entries) nodes.push_back(entry.value);
  return nodes;
}

// The first variable among the leaves that is not one of the known ones.
NodeId stranger(const ConstrainedForm& form, std::span<const NodeId> roots,
                const std::unordered_set<NodeId>& known) {
  for (const NodeId id : topological_order(form.graph(), roots)) {
    if (form.graph().node(id).op == Op::Variable && !known.contains(id)) return id;
  }
  return {};
}

std::string name_of(const ConstrainedForm& form, NodeId leaf) {
  return form.system().variables[form.graph().variable_of(leaf).at()].name;
}

// out += A x, A given entry by entry.
void add_product(const SymbolicMatrix& matrix, std::span<const double> values, std::span<const double> x,
                 std::span<double> out) {
  for (std::size_t k = 0; k < values.size(); ++k)
    out[at(matrix.entries[k].row)] += values[k] * x[at(matrix.entries[k].column)];
}

}  // namespace

std::string mechanical_obstacle(const ConstrainedForm& form, bool holonomic_only) {
  if (form.order != 2)
    return fmt::format("the model is of order {}, and not one of positions and velocities", form.order);
  const ExprGraph& graph = form.graph();
  for (const Companion& companion : form.companions) {
    if (companion.order > 0)
      return fmt::format("{} has a differential equation of its own beside positions and velocities",
                         form.system().variables[companion.variable.at()].name);
  }
  std::unordered_set<NodeId> known;
  for (int i = 0; i < form.n(); ++i) known.insert(form.x(i, 0));
  std::vector<NodeId> configuration = values_of(form.mass);
  for (const SymbolicMatrix* matrix : {&form.input, &form.constraint}) {
    const auto nodes = values_of(*matrix);
    configuration.insert(configuration.end(), nodes.begin(), nodes.end());
  }
  if (const NodeId leaf = stranger(form, configuration, known); leaf.valid())
    return fmt::format("the mass matrix or the constraint forces depend on {}{}", name_of(form, leaf),
                       graph.order_of(leaf) > 0 ? "'s velocity" : "");
  for (int i = 0; i < form.n(); ++i) {
    known.insert(form.x(i, 1));
    known.insert(form.x(i, 2));
  }
  for (int i = 0; i < form.ny(); ++i) known.insert(form.y(i));
  std::vector<NodeId> roots;
  for (int i = 0; i < form.n(); ++i) roots.push_back(dynamics_of(form, i));
  for (const FormConstraint& constraint : form.constraints) roots.push_back(velocity_level(constraint));
  if (const NodeId leaf = stranger(form, roots, known); leaf.valid())
    return fmt::format("the equations of motion depend on {}, which is neither position nor velocity",
                       name_of(form, leaf));
  if (!holonomic_only) return {};
  for (int i = 0; i < form.ny(); ++i) {
    if (form.constraints[at(i)].level > 0)
      return fmt::format("{} is a constraint of velocities that follows from none of positions",
                         form.constraint_name(i));
  }
  for (const NodeId leaf : values_of(form.mass)) {
    const auto leaves = leaves_of(graph, leaf);
    if (std::ranges::any_of(leaves, [&](NodeId id) { return graph.node(id).op == Op::Time; }))
      return "the mass matrix depends on time";
  }
  return {};
}

MechanicalForm::MechanicalForm(const ConstrainedForm& form, ReformedResidual& residual, ExplicitForm& ode)
    : form_(form), residual_(residual), ode_(ode) {
  for (int level = 0; level < 2; ++level) {
    for (int i = 0; i < form.n(); ++i) state_slot_.push_back(residual.slot(form.x(i, level)));
  }
  ExprGraph& graph = form.graph();
  std::unordered_map<NodeId, NodeId> zero;
  for (int i = 0; i < form.n(); ++i) {
    acceleration_slot_.push_back(residual.slot(form.x(i, 2)));
    zero[form.x(i, 2)] = graph.constant(0);
  }
  for (int i = 0; i < form.ny(); ++i) {
    multiplier_slot_.push_back(residual.slot(form.y(i)));
    zero[form.y(i)] = graph.constant(0);
  }
  std::vector<NodeId> roots;
  for (int i = 0; i < form.n(); ++i) roots.push_back(dynamics_of(form, i));
  roots = substitute(graph, roots, zero);
  for (NodeId& root : roots) root = graph.neg(root);
  forces_ = compile(roots);
  TimeDerivative rate(graph);
  for (const SymbolicEntry& entry : form.mass.entries) {
    if (!graph.is_constant(entry.value)) constant_mass_ = false;
    NodeId& sum = roots[at(entry.row)];
    sum = graph.add(sum, graph.mul(rate(entry.value), form.x(entry.column, 1)));
  }
  momentum_ = compile(roots);
  std::vector<NodeId> velocities;
  std::vector<NodeId> positions;
  for (const FormConstraint& constraint : form.constraints) {
    positions.push_back(constraint.level == 0 ? constraint.derivatives.front() : graph.constant(0));
    velocities.push_back(velocity_level(constraint));
  }
  positions_ = compile(positions);
  velocities_ = compile(velocities);
  roots = values_of(form.mass);
  const std::vector<NodeId> input = values_of(form.input);
  roots.insert(roots.end(), input.begin(), input.end());
  dynamics_ = compile(roots);
  gradient_ = compile(values_of(form.constraint));
  saddle_ = SaddleMatrix(shape({form.mass.entries}));
}

MechanicalForm::MechanicalForm(const MechanicalForm& other, ReformedResidual& residual, ExplicitForm& ode)
    : form_(other.form_),
      residual_(residual),
      ode_(ode),
      state_slot_(other.state_slot_),
      acceleration_slot_(other.acceleration_slot_),
      multiplier_slot_(other.multiplier_slot_),
      constant_mass_(other.constant_mass_),
      forces_(other.forces_),
      momentum_(other.momentum_),
      positions_(other.positions_),
      velocities_(other.velocities_),
      dynamics_(other.dynamics_),
      gradient_(other.gradient_),
      multiplier_(other.multiplier_),
      saddle_(other.saddle_),
      mass_(other.mass_),
      mass_place_(other.mass_place_),
      mass_values_(other.mass_values_),
      tangents_(other.tangents_),
      trouble_(other.trouble_) {}

SaddleShape MechanicalForm::shape(std::vector<std::span<const SymbolicEntry>> top) {
  if (multiplier_.empty()) {
    // At a point that is no special one.
    std::vector<double> environment(at(residual_.slots()));
    std::mt19937 random(1);
    fill_at_random(random, environment);
    dynamics_.program.evaluate(environment, dynamics_.values, dynamics_.workspace);
    gradient_.program.evaluate(environment, gradient_.values, gradient_.workspace);
    multiplier_ = pair_multipliers(form_.constraint, gradient_.values, form_.input,
                                   std::span(dynamics_.values).subspan(form_.mass.entries.size()))
                      .with_rest();
  }
  return {.n = form_.n(),
          .multiplier = multiplier_,
          .top = std::move(top),
          .right = form_.input.entries,
          .bottom = form_.constraint.entries};
}

MechanicalForm::Values MechanicalForm::compile(std::span<const NodeId> roots) const {
  Values part;
  part.program = Program::compile(form_.graph(), roots, residual_.slots(),
                                  [this](NodeId leaf) { return residual_.slot(leaf); });
  part.values.resize(roots.size());
  return part;
}

void MechanicalForm::load(double t, std::span<const double> y) {
  const std::span<double> environment = residual_.environment();
  environment[at(residual_.time_slot())] = t;
  for (std::size_t k = 0; k < state_slot_.size(); ++k) environment[at(state_slot_[k])] = y[k];
}

bool MechanicalForm::evaluate(Values& part, double t, std::span<const double> y) {
  load(t, y);
  part.program.evaluate(residual_.environment(), part.values, part.workspace);
  if (all_finite(part.values)) return true;
  trouble_ = "the equations of motion";
  return false;
}

bool MechanicalForm::forces(double t, std::span<const double> y, std::span<double> f) {
  const bool ok = evaluate(forces_, t, y);
  copy_values(forces_.values, f);
  return ok;
}

bool MechanicalForm::momentum_forces(double t, std::span<const double> y, std::span<double> f) {
  const bool ok = evaluate(momentum_, t, y);
  copy_values(momentum_.values, f);
  return ok;
}

bool MechanicalForm::position_constraints(double t, std::span<const double> y, std::span<double> g) {
  const bool ok = evaluate(positions_, t, y);
  copy_values(positions_.values, g);
  return ok;
}

bool MechanicalForm::velocity_constraints(double t, std::span<const double> y, std::span<double> c) {
  const bool ok = evaluate(velocities_, t, y);
  copy_values(velocities_.values, c);
  return ok;
}

void MechanicalForm::multipliers(std::span<double> lambda) {
  const std::span<const double> environment = residual_.environment();
  for (std::size_t k = 0; k < lambda.size(); ++k) lambda[k] = environment[at(multiplier_slot_[k])];
}

bool MechanicalForm::load_dynamics(double t, std::span<const double> y) {
  return evaluate(dynamics_, t, y);
}

bool MechanicalForm::load_constraints(double t, std::span<const double> y) {
  return evaluate(gradient_, t, y);
}

void MechanicalForm::add_mass_times(std::span<const double> v, std::span<double> out) const {
  add_product(form_.mass, std::span(dynamics_.values).first(form_.mass.entries.size()), v, out);
}

void MechanicalForm::add_input_times(std::span<const double> lambda, std::span<double> out) const {
  add_product(form_.input, std::span(dynamics_.values).subspan(form_.mass.entries.size()), lambda, out);
}

void MechanicalForm::add_constraints_times(std::span<const double> v, std::span<double> out) const {
  add_product(form_.constraint, gradient_.values, v, out);
}

bool MechanicalForm::solve_mass(std::span<double> rhs) {
  if (mass_ == nullptr) {
    PatternBuilder builder(form_.n());
    for (const SymbolicEntry& entry : form_.mass.entries) builder.add(entry.row, entry.column);
    PatternBuilder::Built built = builder.build();
    mass_ = make_linear_solver<double>(built.pattern);
    mass_place_ = std::move(built.position);
    mass_values_.resize(built.pattern.row.size());
  }
  for (std::size_t k = 0; k < mass_place_.size(); ++k) mass_values_[at(mass_place_[k])] = dynamics_.values[k];
  if (!mass_->factor(mass_values_)) {
    trouble_ = "the mass matrix is singular";
    return false;
  }
  mass_->solve(rhs);
  return true;
}

bool MechanicalForm::factor() {
  const std::span<const double> dynamics = dynamics_.values;
  saddle_.clear();
  saddle_.add(0, dynamics.first(form_.mass.entries.size()), 1);
  saddle_.add(1, dynamics.subspan(form_.mass.entries.size()), 1);
  saddle_.add(2, gradient_.values, 1);
  if (saddle_.factor()) return true;
  trouble_ = "the equations for accelerations and multipliers are singular";
  return false;
}

void MechanicalForm::make_tangents() {
  tangents_ = std::make_unique<Tangents>();
  std::unordered_map<NodeId, int> column;
  for (int i = 0; i < form_.n(); ++i) {
    column[form_.x(i, 0)] = i;
    column[form_.x(i, 1)] = form_.n() + i;
  }
  Gradient gradient(form_.graph(), [&](NodeId leaf) { return column.contains(leaf); });
  for (int i = 0; i < form_.n(); ++i) {
    for (const Partial& partial : gradient(dynamics_of(form_, i))) {
      const int c = column.at(partial.leaf);
      const bool position = c < form_.n();
      (position ? tangents_->stiffness : tangents_->damping)
          .push_back({.row = i, .column = position ? c : c - form_.n(), .value = partial.value});
    }
  }
  std::vector<NodeId> roots;
  for (const auto* entries : {&tangents_->stiffness, &tangents_->damping}) {
    for (const SymbolicEntry& entry : *entries) roots.push_back(entry.value);
  }
  tangents_->values = compile(roots);
  tangents_->saddle = SaddleMatrix(shape({form_.mass.entries, tangents_->damping, tangents_->stiffness}));
}

bool MechanicalForm::load_tangents(double t, std::span<const double> y, std::span<const double> acceleration,
                                   std::span<const double> lambda) {
  if (tangents_ == nullptr) make_tangents();
  const std::span<double> environment = residual_.environment();
  for (std::size_t k = 0; k < acceleration.size(); ++k)
    environment[at(acceleration_slot_[k])] = acceleration[k];
  for (std::size_t k = 0; k < lambda.size(); ++k) environment[at(multiplier_slot_[k])] = lambda[k];
  return evaluate(tangents_->values, t, y);
}

bool MechanicalForm::factor_tangents(double d, double k) {
  const std::size_t masses = form_.mass.entries.size();
  const std::size_t stiffnesses = tangents_->stiffness.size();
  SaddleMatrix& saddle = tangents_->saddle;
  saddle.clear();
  saddle.add(0, std::span(dynamics_.values).first(masses), 1);
  saddle.add(1, std::span(tangents_->values.values).subspan(stiffnesses), d);
  saddle.add(2, std::span(tangents_->values.values).first(stiffnesses), k);
  saddle.add(3, std::span(dynamics_.values).subspan(masses), 1);
  saddle.add(4, gradient_.values, 1);
  if (saddle.factor()) return true;
  trouble_ = "the iteration matrix is singular";
  return false;
}

}  // namespace daedalus
