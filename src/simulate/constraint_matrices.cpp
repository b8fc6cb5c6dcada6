#include "simulate/constraint_matrices.hpp"

#include <array>

namespace daedalus {

ConstraintMatrices::ConstraintMatrices(const CompiledModel& model, const ConstrainedForm& form)
    : form_(form) {
  std::vector<NodeId> roots;
  for (const SymbolicMatrix* matrix : {&form.mass, &form.input, &form.constraint}) {
    for (const SymbolicEntry& entry : matrix->entries) roots.push_back(entry.value);
  }
  program_ = model.compile(roots);
  values_.resize(roots.size());
  mass_ = Eigen::MatrixXd::Zero(form.n(), form.n());
  input_ = Eigen::MatrixXd::Zero(form.n(), form.ny());
  constraint_ = Eigen::MatrixXd::Zero(form.ny(), form.n());
}

void ConstraintMatrices::evaluate(std::span<const double> environment) {
  program_.evaluate(environment, values_, workspace_);
  std::size_t k = 0;
  const auto fill = [&](const SymbolicMatrix& from, Eigen::MatrixXd& into) {
    for (const SymbolicEntry& entry : from.entries) into(entry.row, entry.column) = values_[k++];
  };
  fill(form_.mass, mass_);
  fill(form_.input, input_);
  fill(form_.constraint, constraint_);
}

}  // namespace daedalus
