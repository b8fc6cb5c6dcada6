#include "simulate/constraint_monitor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedalus {
namespace {

constexpr double rank_tolerance = 1e-9;      // of scaled singular values, at the initial point
constexpr double singular_threshold = 1e-6;  // of the watched one at a passage: |t - t*| ~ 1e-3 of its width
constexpr int watched_each_step = 48;        // constraints; beyond, the stride grows with their cube
constexpr std::size_t changes_kept = 1000;

}  // namespace

ConstraintMonitor::ConstraintMonitor(const CompiledModel& model, const ConstrainedForm& form, double rtol)
    : form_(form), matrices_(model, form), threshold_(std::max(singular_threshold, rtol)) {
  scale_ = Eigen::VectorXd::Zero(form.ny());
  const double size = static_cast<double>(form.ny()) / watched_each_step;
  stride_ = static_cast<int>(std::clamp(std::ceil(size * size * size), 1.0, 1e6));
}

// The watched singular value at the point in the environment.
double ConstraintMonitor::measure(std::span<const double> environment, bool vectors) {
  matrices_.evaluate(environment);
  const Eigen::FullPivLU<Eigen::MatrixXd> mass(matrices_.mass());
  // A singular mass matrix: the constraints alone.
  const Eigen::MatrixXd s =
      mass.isInvertible() ? Eigen::MatrixXd(matrices_.constraint() * mass.solve(matrices_.input()))
                          : Eigen::MatrixXd(matrices_.constraint() * matrices_.constraint().transpose());
  if (!s.allFinite()) return last_;
  scale_ = scale_.cwiseMax(s.diagonal().cwiseAbs());
  const Eigen::VectorXd d =
      scale_.unaryExpr([](double value) { return value > 0 ? 1 / std::sqrt(value) : 1.0; });
  const Eigen::MatrixXd scaled = d.asDiagonal() * s * d.asDiagonal();
  const unsigned options = vectors ? static_cast<unsigned>(Eigen::ComputeThinU) : 0U;
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(scaled, options);
  singular_values_ = svd.singularValues();
  if (vectors && form_.ny() > 0) weakest_ = svd.matrixU().col(std::max(0, rank_ - 1));
  return rank_ > 0 ? singular_values_[rank_ - 1] : 1;
}

void ConstraintMonitor::begin(std::span<const double> environment) {
  rank_ = form_.ny();
  if (rank_ == 0) return;
  last_ = measure(environment, false);
  rank_ = static_cast<int>((singular_values_.array() > rank_tolerance * singular_values_.maxCoeff()).count());
  last_ = rank_ > 0 ? singular_values_[rank_ - 1] : 1;
  slope_ = 0;
  if (rank_ < form_.ny()) find_redundancies();
}

// uᵀG = 0: a combination of constraints that has no derivative. From the echelon form, so that each names as
// few as possible.
void ConstraintMonitor::find_redundancies() {
  redundancies_.clear();
  Eigen::FullPivLU<Eigen::MatrixXd> lu(matrices_.constraint().transpose());
  lu.setThreshold(1e-9);
  const Eigen::MatrixXd kernel = lu.kernel();
  if (lu.dimensionOfKernel() == 0) return;
  for (Eigen::Index c = 0; c < kernel.cols(); ++c) {
    const double largest = kernel.col(c).cwiseAbs().maxCoeff();
    std::vector<std::string> terms;
    for (int i = 0; i < form_.ny(); ++i) {
      const double factor = kernel(i, c) / largest;
      if (std::abs(factor) > 1e-8)
        terms.push_back(fmt::format("{:.4g} · [{}]", factor, form_.constraint_name(i)));
    }
    redundancies_.push_back(fmt::format("{}", fmt::join(terms, " + ")));
  }
}

void ConstraintMonitor::watch(double t0, double t1, const std::function<void(double)>& load,
                              std::span<const double> environment) {
  if (form_.ny() == 0 || steps_++ % stride_ != 0) return;
  const double h = t1 - t0;
  const double sigma = measure(environment, false);
  if (rank_ < form_.ny() && singular_values_[rank_] > std::sqrt(rank_tolerance)) {
    // The start was a singular point, the rank is higher than it seemed.
    rank_ = static_cast<int>((singular_values_.array() > std::sqrt(rank_tolerance)).count());
    last_ = singular_values_[rank_ - 1];
    slope_ = 0;
    return;
  }
  constexpr double beside = 0.02;
  load(t1 - (beside * h));
  const double slope = (sigma - measure(environment, false)) / (beside * h);
  time_to_singular_ = slope < 0 ? -2 * sigma / slope : std::numeric_limits<double>::infinity();
  // Falling at the beginning and rising at the end: the smallest value lies within.
  if (slope_ < 0 && slope > 0 && stride_ == 1) {
    constexpr double golden = 0.6180339887498949;
    double low = t0;
    double high = t1;
    for (int k = 0; k < 40 && high - low > 1e-9 * h; ++k) {
      const double a = high - (golden * (high - low));
      const double b = low + (golden * (high - low));
      load(a);
      const double at_a = measure(environment, false);
      load(b);
      const double at_b = measure(environment, false);
      (at_a < at_b ? high : low) = at_a < at_b ? b : a;
    }
    const double t = (low + high) / 2;
    load(t);
    const double smallest = measure(environment, true);
    if (smallest < threshold_) record(t);
  }
  load(t1);
  last_ = sigma;
  slope_ = slope;
}

void ConstraintMonitor::record(double t) {
  if (changes_.size() >= changes_kept) return;
  const int to = static_cast<int>((singular_values_.array() > threshold_).count());
  changes_.push_back(
      {.t = t, .from = rank_, .to = std::min(to, rank_), .constraints = weakest_constraints()});
}

std::vector<std::string> ConstraintMonitor::weakest_constraints() const {
  std::vector<std::string> names;
  if (weakest_.size() == 0) return names;
  const double largest = weakest_.cwiseAbs().maxCoeff();
  for (int i = 0; i < form_.ny(); ++i) {
    if (std::abs(weakest_[i]) > 0.1 * largest) names.push_back(form_.constraint_name(i));
  }
  return names;
}

}  // namespace daedalus
