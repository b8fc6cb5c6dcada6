#include "constraints/constraint_monitor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "constraints/redundancy.hpp"
#include "numerics/dense_algebra.hpp"
#include "numerics/eigen_state.hpp"
#include "numerics/rank_policy.hpp"

namespace daedalus {
namespace {

constexpr double asymmetry = 1e-12;    // of G M⁻¹ Gᵀ by way of an LU: thousands of roundings
constexpr int dense_limit = 32;        // constraints; beyond, inverse iteration on the sparse saddle matrix
constexpr double located = 1e-9;       // of a step: a smallest value is there, which is flat to its root
constexpr double recovered = 1000;     // times the threshold: a passage is over
constexpr double worth_a_look = 0.05;  // above it no singular point can lie within a step
constexpr double involved = 0.1;       // of the largest entry of a singular vector: a constraint is named
constexpr double far_away = 0.5;       // pivots at both ends of a step: none can be zero within
constexpr double close = 1e-2;         // of a pivot against the largest that it has been
constexpr std::size_t changes_kept = 1000;  // in the summary
constexpr int copied_constraints = 1000;    // beyond, a second copy of the system is memory better spent

// G M⁻¹ Gᵀ has the rank of G, whose singular values do not depend on how different the masses are: slender
// and light bodies would hide those of the motion.
bool rank_is_that_of_constraints(const ConstrainedForm& form) {
  const auto& equations = form.system().equations;
  return form.symmetric || std::ranges::all_of(form.constraints, [&](const FormConstraint& constraint) {
           return equations[static_cast<std::size_t>(constraint.equation)].keep;
         });
}

}  // namespace

ConstraintMonitor::ConstraintMonitor(const CompiledModel& model, const ConstraintMatrices& matrices,
                                     double rtol)
    : model_(model),
      form_(matrices.form()),
      matrices_(matrices),
      threshold_(std::max(RankPolicy::lost, rtol)) {
  scale_ = Eigen::VectorXd::Zero(form_.ny());
}

// Which matrix has the rank that is watched.
void ConstraintMonitor::prepare_matrix(std::span<const double> environment) {
  matrices_.evaluate(environment);
  geometric_ = rank_is_that_of_constraints(form_) || matrices_.multipliers_act_along_constraints();
  if (large()) make_saddle();
}

void ConstraintMonitor::make_saddle() {
  using enum ConstraintMatrices::Norm;
  using enum ConstraintSaddle::Right;
  saddle_ = std::make_unique<ConstraintSaddle>(form_, geometric_ ? Identity : Mass,
                                               geometric_ ? ConstraintTransposed : Input);
  rhs_.resize(saddle_->size());
}

bool ConstraintMonitor::large() const {
  return form_.ny() > dense_limit;
}

// The watched singular value at the point in the environment, against the largest that it has been: very
// different masses make it small everywhere, which is no loss of rank.
double ConstraintMonitor::measure(std::span<const double> environment, bool vectors) {
  matrices_.evaluate(environment);
  return large() && !vectors && rank_ == form_.ny() ? measure_sparse() : measure_dense(vectors);
}

// The smallest singular value of D S D, S = G M⁻¹ B, against what it was at first, by inverse iteration: λ =
// -S⁻¹u solves the saddle system with right-hand side (0, u), and D⁻¹ stands before and behind it.
double ConstraintMonitor::measure_sparse() {
  if (!saddle_->factor(matrices_)) return 0;
  const auto n = static_cast<std::size_t>(form_.n());
  const auto ny = static_cast<std::size_t>(form_.ny());
  if (static_cast<std::size_t>(inverse_.size()) != ny) {
    inverse_.resize(form_.ny());
    for (std::size_t i = 0; i < ny; ++i)
      inverse_[static_cast<Eigen::Index>(i)] = 1 + (0.1 * static_cast<double>(i % 7));
    inverse_.normalize();
  }
  std::vector<double> diagonal(ny);
  using enum ConstraintMatrices::Norm;
  matrices_.schur_diagonal(geometric_ ? Identity : Mass, diagonal);
  scale_ = scale_.cwiseMax(Eigen::Map<const Eigen::VectorXd>(diagonal.data(), form_.ny()));
  const Eigen::VectorXd roots = scale_.cwiseSqrt();
  double growth = 1;
  constexpr int iterations = 3;  // from the last vector on, each of which squares the ratio to the next value
  for (int k = 0; k < iterations; ++k) {
    std::fill_n(rhs_.begin(), n, 0.0);
    for (std::size_t i = 0; i < ny; ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      rhs_[n + i] = roots[row] * inverse_[row];
    }
    saddle_->solve(rhs_);
    inverse_ = roots.cwiseProduct(Eigen::Map<const Eigen::VectorXd>(rhs_.data() + n, form_.ny()));
    growth = inverse_.norm();
    if (!std::isfinite(growth) || growth == 0) {
      inverse_.resize(0);
      return 0;
    }
    inverse_ /= growth;
  }
  largest_sigma_ = std::max(largest_sigma_, 1 / growth);
  return 1 / growth / largest_sigma_;
}

Eigen::MatrixXd ConstraintMonitor::schur() const {
  const Eigen::MatrixXd g = matrices_.constraint();
  if (!geometric_) {
    const Lu mass(matrices_.mass());
    Eigen::MatrixXd s = product(g, mass.solve(matrices_.input()));
    if (s.allFinite() && mass.rcond() > RankPolicy::mass) return s;
  }
  // Also where the mass matrix is singular: the constraints alone.
  return product(g, Eigen::MatrixXd(g.transpose()));
}

double ConstraintMonitor::measure_dense(bool vectors) {
  const Eigen::MatrixXd s = schur();
  if (!s.allFinite()) return last_;
  scale_ = scale_.cwiseMax(s.diagonal().cwiseAbs());
  const Eigen::VectorXd d =
      scale_.unaryExpr([](double value) { return value > 0 ? 1 / std::sqrt(value) : 1.0; });
  Eigen::MatrixXd scaled = d.asDiagonal() * s * d.asDiagonal();
  // The eigenvalues of S where it is symmetric (B = Gᵀ); otherwise those of S Sᵀ, which are σ² with the left
  // singular vectors: σ is then right to 1e-8, which is enough here.
  const bool symmetric = (scaled - scaled.transpose()).norm() <= asymmetry * scaled.norm();
  if (symmetric && scaled.trace() < 0) scaled = -scaled;  // B = -Gᵀ is as good
  const SymmetricEigen eigen =
      symmetric_eigen(symmetric ? scaled : product(scaled, Eigen::MatrixXd(scaled.transpose())));
  const Eigen::VectorXd values = eigen.values.cwiseMax(0).reverse();
  // Where they decide about the rank they must be right to more.
  singular_values_ = symmetric ? values
                     : vectors ? singular_values(scaled)
                               : Eigen::VectorXd(values.cwiseSqrt());
  if (vectors) weakest_ = eigen.vectors.col(form_.ny() - std::max(1, rank_));
  if (peaks_.size() != singular_values_.size()) {
    peaks_ = singular_values_;
    if (large()) peaks_.setOnes();  // it comes here at singular points only
  }
  peaks_ = peaks_.cwiseMax(singular_values_);
  return watched();
}

double ConstraintMonitor::watched() const {
  if (rank_ == 0 || !(peaks_[rank_ - 1] > 0)) return 1;
  return singular_values_[rank_ - 1] / peaks_[rank_ - 1];
}

void ConstraintMonitor::begin(std::span<const double> environment) {
  rank_ = form_.ny();
  if (rank_ == 0) return;
  prepare_matrix(environment);
  if (large()) {  // where singular values would cost too much, pivots tell that all is regular
    prepare_pivot_system(environment);
    if (pivot_system_ != nullptr && !pivot_system_->has_redundant()) {
      last_ = pivot_system_->regularity(environment);
      return;
    }
    pivot_system_.reset();
  }
  last_ = measure(environment, true);
  rank_ =
      static_cast<int>((singular_values_.array() > RankPolicy::square * singular_values_.maxCoeff()).count());
  last_ = watched();
  if (rank_ < form_.ny()) {
    find_redundancies();
  } else if (!large()) {
    prepare_pivot_system(environment);
  }
}

std::unique_ptr<RegularisedSystem> ConstraintMonitor::make_pivot_system() const {
  const int n = form_.n();
  SymbolicMatrix matrix = form_.mass;
  if (geometric_) {
    matrix.entries.clear();
    for (int k = 0; k < n; ++k)
      matrix.entries.push_back({.row = k, .column = k, .value = form_.graph().constant(1)});
  }
  for (const SymbolicEntry& entry : form_.constraint.entries) {
    matrix.entries.push_back({.row = n + entry.row, .column = entry.column, .value = entry.value});
    matrix.entries.push_back({.row = entry.column, .column = n + entry.row, .value = entry.value});
  }
  matrix.rows = matrix.columns = n + form_.ny();
  const std::vector<NodeId> rhs(static_cast<std::size_t>(matrix.rows), form_.graph().constant(0));
  auto made = make_saddle_system({.graph = form_.graph(), .matrix = matrix, .rhs = rhs, .first = n},
                                 model_.setting());
  made->prepare_pivots();
  return made;
}

void ConstraintMonitor::take_pivot_system() {
  if (made_->pivot_system != nullptr && made_->geometric == geometric_) {
    pivot_system_ = std::make_unique<RegularisedSystem>(*made_->pivot_system);
  } else {
    pivot_system_ = make_pivot_system();
    if (!form_.graph().frozen() && form_.ny() <= copied_constraints)
      *made_ = {.pivot_system = std::make_unique<const RegularisedSystem>(*pivot_system_),
                .geometric = geometric_};
  }
}

void ConstraintMonitor::prepare_pivot_system(std::span<const double> environment) {
  take_pivot_system();
  if (!pivot_system_->prepare(environment)) pivot_system_.reset();
}

void ConstraintMonitor::state(Archive& archive) {
  archive.section("rank monitor", 2);
  bool has_pivot_system = pivot_system_ != nullptr;
  bool saddle = saddle_ != nullptr;
  archive(geometric_, has_pivot_system, saddle, rank_, largest_sigma_, last_, singularity_distance_,
          regularity_);
  archive(factored_at_end_, armed_, came_close_, rank_there_, creeping_, nearest_, falling_);
  archive(changes_, redundancies_);
  const Eigen::Index ny = form_.ny();
  for (Eigen::VectorXd* vector : {&scale_, &singular_values_, &peaks_, &weakest_, &inverse_})
    state_of(archive, *vector, ny);
  archive.require(rank_ >= 0 && rank_ <= ny && scale_.size() == ny, "another number of constraints");
  if (!archive.ok()) return;
  if (archive.reading()) {
    pivot_system_.reset();
    if (has_pivot_system) take_pivot_system();
    if (saddle) make_saddle();
  }
  if (has_pivot_system) pivot_system_->state(archive);
  if (saddle) saddle_->state(archive);
}

// uᵀG = 0: a combination of constraints that has no derivative. From the echelon form, so that each names as
// few as possible.
void ConstraintMonitor::find_redundancies() {
  redundancies_.clear();
  const Eigen::MatrixXd g = matrices_.constraint();
  const Eigen::VectorXd lengths =
      g.rowwise().norm().unaryExpr([](double length) { return length > 0 ? length : 1.0; });
  const Eigen::MatrixXd unit = lengths.cwiseInverse().asDiagonal() * g;
  const Eigen::MatrixXd kernel =
      lengths.cwiseInverse().asDiagonal() * RankRevealingLu(unit.transpose(), RankPolicy::gradient).kernel();
  for (Eigen::Index c = 0; c < kernel.cols(); ++c) {
    const double largest = kernel.col(c).cwiseAbs().maxCoeff();
    std::vector<std::string> terms;
    for (int i = 0; i < form_.ny(); ++i) {
      const double factor = kernel(i, c) / largest;
      if (std::abs(factor) > negligible_factor)
        terms.push_back(fmt::format("{:.4g} · [{}]", factor, form_.constraint_name(i)));
    }
    redundancies_.push_back(fmt::format("{}", fmt::join(terms, " + ")));
  }
}

void ConstraintMonitor::watch(const StepPath& path, std::span<const double> environment) {
  if (form_.ny() == 0) return;
  const double before = regularity_;
  const double regularity = pivot_system_ != nullptr ? pivot_system_->regularity(environment) : 0;
  regularity_ = regularity;
  singularity_distance_ = regularity;
  factored_at_end_ = pivot_system_ != nullptr;
  if (regularity > worth_a_look) {
    // By reference: a copy of the lambda could be allocated, each step.
    const auto here = [&] { return pivot_system_->regularity(environment); };
    search({.t = path.t0, .value = before}, {.t = path.t1, .value = regularity}, std::ref(here), path,
           environment);
    last_ = regularity;
    armed_ = true;
    return;
  }
  const double sigma = measure(environment, false);
  singularity_distance_ = sigma;
  came_close_ = came_close_ || (pivot_system_ != nullptr && regularity < close && sigma < close);
  if (rank_ < form_.ny() && singular_values_.size() > rank_ &&
      singular_values_[rank_] > RankPolicy::regular) {
    // The start was a singular point, the rank is higher than it seemed.
    rank_ = static_cast<int>((singular_values_.array() > RankPolicy::regular).count());
    last_ = watched();
    return;
  }
  const auto here = [&] { return measure(environment, false); };
  search({.t = path.t0, .value = last_}, {.t = path.t1, .value = sigma}, std::ref(here), path, environment);
  // Steps that creep up to the point end there, to working accuracy.
  if (sigma < threshold_ && armed_ && changes_.size() < changes_kept && examine(environment) < threshold_) {
    record(path.t1);
    creeping_ = true;
    nearest_ = sigma;
  } else if (creeping_ && sigma < nearest_) {
    changes_.back().t = path.t1;
    nearest_ = sigma;
  }
  armed_ = armed_ || sigma > recovered * threshold_;
  last_ = sigma;
}

double ConstraintMonitor::singularity_distance(std::span<const double> environment) {
  factored_at_end_ = false;
  const double regularity = pivot_system_ != nullptr ? pivot_system_->regularity(environment) : 0;
  return regularity > worth_a_look ? regularity : measure(environment, false);
}

// Pivots and singular values go with the square of the distance from a singular point, so that their roots go
// straight to zero and straight away from it. Where they are far enough from zero for the speed at which they
// change, there is no such point, for which a look at the middle of the step is enough; otherwise every
// smallest value within the step is looked at.
void ConstraintMonitor::search(const Sample& begin, const Sample& end, const Measure& measure_here,
                               const StepPath& path, std::span<const double> environment) {
  if (std::min(begin.value, end.value) > far_away) return;
  factored_at_end_ = false;
  // Quarters, and beside both ends for the slopes there.
  constexpr std::array<double, 7> parts{0, 0.002, 0.25, 0.5, 0.75, 0.998, 1};
  const double h = end.t - begin.t;
  std::array<double, 7> roots{};
  const auto look = [&](std::size_t k, const std::function<void(double)>& load) {
    load(begin.t + (parts[k] * h));
    roots[k] = std::sqrt(measure_here());
  };
  roots.front() = std::sqrt(begin.value);
  roots.back() = std::sqrt(end.value);
  look(3, path.cheap_interpolation);
  const double change = std::max(std::abs(roots[0] - roots[3]), std::abs(roots[3] - roots[6]));
  double slope = 0;
  if (std::min({roots[0], roots[3], roots[6]}) <= change) {
    for (const std::size_t k : {1U, 2U, 3U, 4U, 5U}) look(k, path.load);
    if (falling_ && roots[0] < roots[1]) locate(begin.t, begin.t + (parts[1] * h), path.load, environment);
    for (std::size_t k = 1; k + 1 < parts.size(); ++k) {
      if (roots[k] <= roots[k - 1] && roots[k] < roots[k + 1])
        locate(begin.t + (parts[k - 1] * h), begin.t + (parts[k + 1] * h), path.load, environment);
    }
    slope = (end.value - (roots[5] * roots[5])) / ((1 - parts[5]) * h);
  }
  falling_ = slope < 0;
  path.load(end.t);
}

// Golden section for the smallest singular value.
void ConstraintMonitor::locate(double t0, double t1, const std::function<void(double)>& load,
                               std::span<const double> environment) {
  constexpr double golden = 0.6180339887498949;  // (√5 - 1)/2
  double low = t0;
  double high = t1;
  double a = high - (golden * (high - low));
  double b = low + (golden * (high - low));
  const auto value = [&](double t) {
    load(t);
    return measure(environment, false);
  };
  double at_a = value(a);
  double at_b = value(b);
  for (int k = 0; k < 40 && high - low > located * (t1 - t0); ++k) {
    if (at_a < at_b) {
      high = std::exchange(b, a);
      at_b = at_a;
      at_a = value(a = high - (golden * (high - low)));
    } else {
      low = std::exchange(a, b);
      at_a = at_b;
      at_b = value(b = low + (golden * (high - low)));
    }
  }
  const double t = (low + high) / 2;
  load(t);
  const double smallest = examine(environment);
  came_close_ = came_close_ || (pivot_system_ != nullptr && smallest < close);
  if (smallest < threshold_) record(t);
}

// A singular point: the watched value, the rank there, and the constraints involved. Of many constraints
// pivots tell the rank, and inverse iteration the direction.
double ConstraintMonitor::examine(std::span<const double> environment) {
  const double part = std::max(RankPolicy::regular, threshold_);
  if (!large() || pivot_system_ == nullptr || rank_ < form_.ny()) {
    const double sigma = measure(environment, true);
    rank_there_ = static_cast<int>((singular_values_.array() > part * peaks_.array()).count());
    return sigma;
  }
  const double sigma = measure(environment, false);
  weakest_ = inverse_;
  (void)pivot_system_->regularity(environment);
  rank_there_ = rank_ - pivot_system_->vanished(part);
  return sigma;
}

void ConstraintMonitor::record(double t) {
  // One passage is one entry, however many dips rounding makes of it.
  if (!armed_) {
    if (creeping_) changes_.back().t = t;
    creeping_ = false;
    return;
  }
  if (changes_.size() >= changes_kept) return;
  armed_ = false;
  creeping_ = false;
  changes_.push_back({.t = t,
                      .from = rank_,
                      .to = std::min(rank_there_, rank_ - 1),
                      .constraints = weakest_constraints(),
                      .hint = hint()});
}

// A mechanism that loses rank could go on in another way, or its drive cannot move it.
std::string ConstraintMonitor::hint() const {
  if (weakest_.size() == 0) return {};
  const double largest = weakest_.cwiseAbs().maxCoeff();
  bool mechanism = false;
  for (int i = 0; i < form_.ny(); ++i) {
    if (std::abs(weakest_[i]) <= involved * largest) continue;
    const int number = form_.constraints[static_cast<std::size_t>(i)].equation;
    const Equation& equation = form_.system().equations[static_cast<std::size_t>(number)];
    mechanism = mechanism || equation.keep;
    if (equation.keep && equation.label.starts_with("motion "))
      return fmt::format("a dead centre, in which {} cannot move the mechanism", equation.label);
  }
  return mechanism ? "a change point, from which the mechanism could go on in another way" : "";
}

std::vector<std::string> ConstraintMonitor::weakest_constraints() const {
  if (weakest_.size() == 0) return {};
  const double largest = weakest_.cwiseAbs().maxCoeff();
  std::vector<int> order;
  for (int i = 0; i < form_.ny(); ++i) {
    if (std::abs(weakest_[i]) > involved * largest) order.push_back(i);
  }
  // The heaviest first; equal ones, but for rounding, in the model's order.
  std::ranges::sort(order, {},
                    [&](int i) { return std::pair(-std::round(std::abs(weakest_[i]) / largest * 20), i); });
  std::vector<std::string> names;
  for (const int i : order) names.push_back(form_.constraint_name(i));
  return names;
}

}  // namespace daedalus
