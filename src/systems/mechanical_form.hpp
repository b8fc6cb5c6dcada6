// A constrained form of order 2 as the methods for mechanical systems see it: each part compiled by itself,
// matrices on fixed patterns, one saddle matrix [S B; G 0] for all solves (numerics/static_lu.hpp).
#pragma once

#include <memory>
#include <string>

#include "core/copied.hpp"
#include "integrate/mechanical_system.hpp"
#include "numerics/linear_solver.hpp"
#include "saddle/saddle_matrix.hpp"
#include "systems/explicit_form.hpp"
#include "systems/reformed_residual.hpp"

namespace daedalus {

// Why a method for mechanical systems cannot take the form, in a sentence; empty: it can.
[[nodiscard]] std::string mechanical_obstacle(const ConstrainedForm& form, bool holonomic_only);

class MechanicalForm final : public MechanicalSystem {
 public:
  // `ode` is the same form as an ODE in (p, v); both outlive this.
  MechanicalForm(const ConstrainedForm& form, ReformedResidual& residual, ExplicitForm& ode);
  // A copy for copies of both.
  MechanicalForm(const MechanicalForm& other, ReformedResidual& residual, ExplicitForm& ode);

  [[nodiscard]] int size() const override { return ode_.size(); }
  [[nodiscard]] std::span<const Component> components() const override { return ode_.components(); }
  bool derivative(double t, std::span<const double> y, std::span<double> yp) override {
    return ode_.derivative(t, y, yp);
  }
  [[nodiscard]] std::string trouble() const override { return trouble_.empty() ? ode_.trouble() : trouble_; }

  [[nodiscard]] int positions() const override { return form_.n(); }
  [[nodiscard]] int constraints() const override { return form_.ny(); }
  bool forces(double t, std::span<const double> y, std::span<double> f) override;
  bool momentum_forces(double t, std::span<const double> y, std::span<double> f) override;
  bool position_constraints(double t, std::span<const double> y, std::span<double> g) override;
  bool velocity_constraints(double t, std::span<const double> y, std::span<double> c) override;
  void multipliers(std::span<double> lambda) override;
  bool load_dynamics(double t, std::span<const double> y) override;
  bool load_constraints(double t, std::span<const double> y) override;
  void add_mass_times(std::span<const double> v, std::span<double> out) const override;
  void add_input_times(std::span<const double> lambda, std::span<double> out) const override;
  void add_constraints_times(std::span<const double> v, std::span<double> out) const override;
  [[nodiscard]] bool constant_mass() const override { return constant_mass_; }
  [[nodiscard]] bool solve_mass(std::span<double> rhs) override;
  [[nodiscard]] bool factor() override;
  void solve(std::span<double> rhs) override { saddle_.solve(rhs); }
  bool load_tangents(double t, std::span<const double> y, std::span<const double> acceleration,
                     std::span<const double> lambda) override;
  [[nodiscard]] bool factor_tangents(double d, double k) override;
  void solve_tangents(std::span<double> rhs) override { tangents_->saddle.solve(rhs); }
  [[nodiscard]] std::string_view solver() const override { return saddle_.name(); }

 private:
  // A list of expressions, and their values at a point.
  struct Values {
    Program program;
    std::vector<double> workspace;
    std::vector<double> values;
  };
  // K and D, made when a method asks for them.
  struct Tangents {
    std::vector<SymbolicEntry> stiffness, damping;
    Values values;  // K, then D
    SaddleMatrix saddle;
  };

  [[nodiscard]] Values compile(std::span<const NodeId> roots) const;
  bool evaluate(Values& part, double t, std::span<const double> y);
  void load(double t, std::span<const double> y);
  void make_tangents();
  // The saddle matrix with these entries in its top left.
  [[nodiscard]] SaddleShape shape(std::vector<std::span<const SymbolicEntry>> top);

  const ConstrainedForm& form_;
  ReformedResidual& residual_;
  ExplicitForm& ode_;
  std::vector<int> state_slot_, acceleration_slot_, multiplier_slot_;
  bool constant_mass_ = true;
  Values forces_, momentum_, positions_, velocities_;
  Values dynamics_;              // M, then B
  Values gradient_;              // G
  std::vector<int> multiplier_;  // by constraint: its own
  SaddleMatrix saddle_;
  Copied<RealSolver> mass_;
  std::vector<int> mass_place_;
  std::vector<double> mass_values_;
  Copied<Tangents> tangents_;
  std::string trouble_;
};

}  // namespace daedalus
