// Projection of all levels together (paper 002 §6.1): positions and velocities are moved by the least change
// onto the constraints, their derivatives, and further invariants that the user names (energy, momentum):
// functions I(t, x, …, x^(m-1)) that keep the values that they have at the start.
//
//   min Σ_k |Δx^(k)|² / s_k²   with   c(x + Δ) = 0,  I(x + Δ) = I(x₀)
//
// s_k = 1 as in the paper, or, so that no unit matters, the largest |x^(k)| so far.
#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/archive.hpp"
#include "core/diagnostic.hpp"
#include "reform/reformulated.hpp"
#include "systems/compiled_model.hpp"

namespace daedalus {

class JointProjection {
 public:
  enum class Weights { One, Sizes };
  // `names`: variables of the model. An error says which of them is no function of positions and velocities.
  [[nodiscard]] static Result<JointProjection> make(const CompiledModel& model, const ConstrainedForm& form,
                                                    const std::vector<KeptConstraint>& kept,
                                                    const std::vector<std::string>& names, Weights weights);
  JointProjection() = default;

  [[nodiscard]] bool idle() const { return columns_.empty(); }
  // The values in the environment are those to be kept.
  void begin(std::span<const double> environment);
  // False: there is no such point near.
  bool project(std::span<double> environment);
  // At the end of a step of size h, with accelerations: what the equations themselves would change.
  void watch(double h, std::span<const double> environment);
  // A sentence for each that the equations do not keep, more than `tolerance` times its size explains.
  [[nodiscard]] std::vector<std::string> contradictions(double tolerance) const;
  [[nodiscard]] std::string trouble() const;
  void state(Archive& archive);

 private:
  struct Column {
    int slot = 0;
    int level = 0;
  };
  struct Entry {
    int row = 0;
    int column = 0;
  };

  struct Steps;

  [[nodiscard]] Eigen::Index rows() const { return static_cast<Eigen::Index>(residuals_.roots()); }
  void measure(std::span<const double> environment);
  [[nodiscard]] double size_of(Eigen::Index column) const;
  [[nodiscard]] Eigen::MatrixXd matrix(std::span<const double> environment);
  [[nodiscard]] Eigen::VectorXd missing(std::span<const double> environment);

  Weights weights_ = Weights::Sizes;
  std::vector<std::string> names_;
  std::vector<Column> columns_;  // x, …, x^(m-1)
  Program residuals_;            // constraints, then invariants
  Program jacobian_;             // entries_
  Program rates_;                // dI/dt
  std::vector<Entry> entries_;
  std::vector<double> kept_;   // I(x₀)
  std::vector<double> sizes_;  // by level: the largest |x^(k)| so far
  std::vector<double> reach_;  // by invariant: the largest Σ |∂I/∂x_j| |x_j| so far
  std::vector<double> sums_;   // by invariant: ∫ dI/dt
  std::vector<double> values_, slopes_, entry_values_, workspace_;
};

}  // namespace daedalus
