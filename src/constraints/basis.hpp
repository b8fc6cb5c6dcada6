// The matrix A of a local parametrisation: [G; Aᵀ] must stay well conditioned.
#pragma once

#include "reform/reformulated.hpp"
#include "systems/constraint_matrices.hpp"

namespace daedalus {

class Basis {
 public:
  // For the constraints of one of the parametrisation's bases.
  Basis(const ConstrainedForm& form, const Parametrisation& parametrisation, std::size_t which,
        double threshold, bool every_step);

  // Whether A is chosen by the run, here.
  [[nodiscard]] bool used() const {
    return count() > 0 && (policy_ == BasisPolicy::Coordinates || policy_ == BasisPolicy::Tangent);
  }
  // Renews A for the constraint matrix G (all its rows) where its policy says so; true when A has changed.
  bool update(const Eigen::MatrixXd& constraint);
  [[nodiscard]] const Eigen::MatrixXd& matrix() const { return a_; }
  void state(Archive& archive);
  // Why there is no A: G has not full rank. Empty when there is one.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  [[nodiscard]] Eigen::Index count() const { return static_cast<Eigen::Index>(rows_.constraints.size()); }
  bool choose_coordinates(const Eigen::MatrixXd& constraint);
  bool choose_tangent(const Eigen::MatrixXd& constraint);

  const ConstrainedForm& form_;
  BasisPolicy policy_;
  Parametrisation::Rows rows_;
  double threshold_;
  bool every_step_;
  Eigen::MatrixXd a_;
  std::vector<int> dependent_;  // coordinates that follow from the constraints
  std::string trouble_;
};

}  // namespace daedalus
