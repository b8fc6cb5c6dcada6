// Dense vectors and matrices in an archive.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "core/archive.hpp"

namespace daedalus {

// As many entries as there are; at most `most`.
inline void state_of(Archive& archive, Eigen::VectorXd& vector, Eigen::Index most) {
  std::vector<double> values(vector.data(), vector.data() + vector.size());
  archive(values);
  archive.require(static_cast<Eigen::Index>(values.size()) <= most, "a vector that is too long");
  if (archive.reading() && archive.ok())
    vector = Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

inline void state_of(Archive& archive, Eigen::MatrixXd& matrix, Eigen::Index rows, Eigen::Index columns) {
  std::vector<double> values(matrix.data(), matrix.data() + matrix.size());
  archive(values);
  const bool fits = values.empty() || static_cast<Eigen::Index>(values.size()) == rows * columns;
  archive.require(fits, "a matrix of another size");
  if (archive.reading() && archive.ok() && !values.empty())
    matrix = Eigen::Map<const Eigen::MatrixXd>(values.data(), rows, columns);
}

}  // namespace daedalus
