// Rank of the constraints at a handful of points: which are redundant, and which points are singular.
#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "constraints/point_meter.hpp"
#include "constraints/redundancy.hpp"

namespace daedalus {

// Of matrices G M⁻¹ B at several points, with rows and columns scaled by the largest entries seen at any of
// them, so that units do not matter and a constraint that vanishes at one of them shows.
struct RankProfile {
  std::vector<int> ranks;  // by point
  int regular = 0;         // the highest
  double sigma_min = 0;    // the smallest of the `regular` largest singular values, over the largest of all
};
[[nodiscard]] RankProfile rank_profile(const std::vector<Eigen::MatrixXd>& schur);

// The smallest singular value of G M⁻¹ B along a course, scaled as above, against the largest one met.
class CourseRank {
 public:
  CourseRank(PointMeter& meter, const ConstrainedForm& form) : meter_(meter), form_(form) {}

  double sigma(std::span<const double> environment);
  // Of the last point.
  [[nodiscard]] int full_rank() const { return form_.ny(); }
  [[nodiscard]] int rank(double threshold) const;
  [[nodiscard]] std::vector<std::string> weakest() const;

 private:
  PointMeter& meter_;
  const ConstrainedForm& form_;
  Eigen::MatrixXd largest_;  // entries seen
  double top_ = 0;
  Eigen::MatrixXd scaled_;
  Eigen::VectorXd values_;
};

// "0.5 · [x + y = 1 (m.mo:4:3)] + 2 · [ … ]", of the first ones if there are many.
[[nodiscard]] std::string combination_text(const ConstrainedForm& form, int redundant,
                                           std::span<const int> rows, std::span<const double> factors);

// Row by row: which rows of G are combinations of rows before them. In the order of the model, so that of two
// equal constraints the later one is redundant.
[[nodiscard]] std::vector<Redundancy> find_redundancies(const ConstrainedForm& form,
                                                        const Eigen::MatrixXd& constraint);

// A consistent position near the one in the environment, a little later: to tell a redundant constraint from
// a start in a singular point. The levels above the positions are left as they are.
[[nodiscard]] std::vector<double> nearby_point(const CompiledModel& model, const ConstrainedForm& form,
                                               std::span<const double> environment, double length);

// By constraint: the multiplier that acts along its gradient, or most so.
[[nodiscard]] std::vector<int> multipliers_of_constraints(const CompiledModel& model,
                                                          const ConstrainedForm& form,
                                                          std::span<const double> environment);

}  // namespace daedalus
