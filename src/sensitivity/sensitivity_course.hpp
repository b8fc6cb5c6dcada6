// Sensitivities along a run, whatever formulation and integrator make it: after every step of the run the
// variational equations are integrated over it, along the solution as the run interpolates it.
//
// On the manifold of all constraints everything follows from as many states as there are degrees of freedom
// (sensitivity_point.hpp):
//
//   δz = T δs + Q,   δs' = A(t) δs + B(t),   A, B the rows of T, Q for the derivatives of the states,
//
// which is linear, so that a step by Radau IIA (Hairer, Wanner, section IV.5) is one linear system. Steps are
// as long as those of the run or shorter, by the error of the collocation polynomial. Hidden constraints are
// fulfilled at every node. After each step other states may be chosen.
//
// Across an event at t_e(p), where r(z, p, t) = 0 (Rozenvasser 1967; Galán, Feehery, Barton 1999):
//
//   t_e' = -(∂r δz + ∂r/∂p) / ṙ,   δz⁺ = dh (δz⁻ + ż⁻ t_e', δp) - ż⁺ t_e',   z⁺ = h(z⁻, p)
//
// with h = id for what the event only switches; else dh is taken by differences of the event itself, of
// fourth order, and so are the initial values.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "numerics/radau_tableau.hpp"
#include "sensitivity/sensitivity_point.hpp"
#include "stepping/stepper.hpp"

namespace daedalus {

class SensitivityCourse {
 public:
  // Another start of the same run, with this value besides; the values that it begins with. An error: there
  // is no such start.
  using Start = std::function<Result<std::vector<double>>(const StartValue& value)>;
  // `values`: what the run was told by name.
  SensitivityCourse(const EngineParts& parts, const SensitivityModel& sensitivities,
                    const RunSettings& settings, std::vector<StartValue> values, Start start);

  [[nodiscard]] const std::vector<Signal>& signals() const { return sensitivities_.signals; }
  // A step has ended at `reached`; `event`: something will happen there. A sentence: there are no
  // sensitivities, and why.
  [[nodiscard]] std::string step(Stepper& stepper, double reached, bool event);
  // After the event, and at the start.
  [[nodiscard]] std::string event(const Stepper& stepper);
  // At a time of the last step, or after the event at its end; by signals().
  void values(double t, std::span<double> out) const;

 private:
  // Derivatives of all outputs at the nodes of a step of ours, of which the first is its beginning.
  struct Piece {
    double begin = 0, length = 0;
    std::vector<double> c;
    std::vector<Eigen::MatrixXd> outputs;  // by node: signals × parameters
  };
  struct Node {
    Eigen::MatrixXd by_state, by_given;
    std::vector<double> environment;
  };
  struct Before {
    double t = 0;
    std::vector<double> environment;
    std::vector<int> crossed;
    Eigen::VectorXd rates;  // ż of all levels
    std::unique_ptr<Stepper> stepper;
  };
  [[nodiscard]] Eigen::Index parameters() const {
    return static_cast<Eigen::Index>(sensitivities_.parameters.size());
  }
  [[nodiscard]] double size_of(Eigen::Index parameter) const;
  [[nodiscard]] std::string begin(std::span<const double> environment);
  [[nodiscard]] Eigen::MatrixXd differences(
      const std::function<std::span<const double>(Eigen::Index parameter, double change)>& values) const;
  void take_leaves(const Eigen::MatrixXd& found);
  [[nodiscard]] Eigen::VectorXd rates_at(std::span<const double> environment) const;
  [[nodiscard]] std::string enter(std::span<const double> environment);
  [[nodiscard]] std::string advance(Stepper::OutputPoints& points, double& t, double reached);
  [[nodiscard]] std::string look_at(Stepper::OutputPoints& points, double t, double h);
  [[nodiscard]] Eigen::MatrixXd stages_of(double h) const;
  [[nodiscard]] double error_of(double h, const Eigen::MatrixXd& stages) const;
  [[nodiscard]] Eigen::MatrixXd slopes(const Node& node, const Eigen::MatrixXd& at) const;
  void accept(double t, double h, const Eigen::MatrixXd& stages);
  [[nodiscard]] std::string cross(std::span<const double> after);
  [[nodiscard]] std::string shift_times(const std::vector<int>& crossed, Eigen::VectorXd& shift);
  [[nodiscard]] std::string jump(const std::vector<int>& crossed, const Eigen::VectorXd& shift,
                                 std::span<const double> after);
  [[nodiscard]] bool moved(std::span<const double> after) const;

  const EngineParts& parts_;
  const CompiledModel& model_;
  const SensitivityModel& sensitivities_;
  Tolerances tolerances_;
  std::vector<StartValue> given_;
  Start start_;
  SensitivityPoint point_;
  std::vector<double> parameter_values_;
  Eigen::MatrixXd leaves_;   // δ of leaves, and of time, which is zero
  Eigen::MatrixXd levels_;   // δz where we stand
  Eigen::MatrixXd state_;    // δs where we stand
  Eigen::MatrixXd slope_;    // δs'
  Eigen::MatrixXd largest_;  // |δs| so far
  Eigen::MatrixXd outputs_;
  std::vector<Node> nodes_;
  const RadauTableau* tableau_ = nullptr;
  double next_step_ = 0;
  bool begun_ = false;
  std::vector<Piece> pieces_;
  Before before_;
};

}  // namespace daedalus
