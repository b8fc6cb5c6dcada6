#include "simulate/function_run.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/dense_algebra.hpp"
#include "numerics/newton.hpp"

namespace daedalus {
namespace {

constexpr int most_iterations = 30;  // quadratic convergence; damped steps on the way to it
constexpr double regular = 1e-9;     // the least pivot of a regular matrix, of the largest
constexpr double rank_part = 1e-7;   // of the largest singular value, for derivatives by differences

Eigen::MatrixXd dense_matrix(const SparsePattern& pattern, const std::vector<double>& values) {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(pattern.size, pattern.size);
  for (int j = 0; j < pattern.size; ++j) {
    for (int k = pattern.column_start[static_cast<std::size_t>(j)];
         k < pattern.column_start[static_cast<std::size_t>(j) + 1]; ++k) {
      out(pattern.row[static_cast<std::size_t>(k)], j) = values[static_cast<std::size_t>(k)];
    }
  }
  return out;
}

// Newton for consistent values. With E = ∂F/∂y', A = ∂F/∂y and V = (V₁ V₂) orthogonal, E V₂ = 0, the unknowns
// are y along V₂ and y' along V₁; the matrix (A V₂, E V₁) is regular if and only if the index is at most 1.
class ConsistentValues : public WholeSteps {
 public:
  ConsistentValues(DifferencedSystem& system, double t, std::vector<double>& y, std::vector<double>& yp)
      : system_(system), t_(t), y_(y), yp_(yp) {}

  Result<void> find() {
    const DampedStatus status = damped_newton(*this, {.iterations = most_iterations}).status;
    if (status == DampedStatus::Converged) return {};
    return fail(trouble_.empty() ? "no consistent initial values were found near those given" : trouble_);
  }

  bool linearise() {
    const Eigen::Index n = static_cast<Eigen::Index>(y_.size());
    std::vector<double> r(y_.size());
    std::vector<double> dy(static_cast<std::size_t>(system_.pattern().nonzeros()));
    std::vector<double> dyp(dy.size());
    if (!system_.residual(t_, y_, yp_, r) || !system_.jacobian(t_, y_, yp_, dy, dyp))
      return refuse("at the start " + system_.trouble());
    const Eigen::MatrixXd e = dense_matrix(system_.pattern(), dyp);
    const Svd svd = full_svd(e);
    const double largest = svd.sigma.size() > 0 ? svd.sigma(0) : 0;
    const Eigen::Index rank = (svd.sigma.array() > rank_part * largest).count();
    Eigen::MatrixXd matrix(n, n);
    matrix.leftCols(rank) = product(e, Eigen::MatrixXd(svd.v.leftCols(rank)));
    matrix.rightCols(n - rank) =
        product(dense_matrix(system_.pattern(), dy), Eigen::MatrixXd(svd.v.rightCols(n - rank)));
    if (!RankRevealingLu(scaled(matrix), regular).invertible()) {
      return refuse(
          "the index is above 1 at the start, or the equations do not determine their unknowns; that "
          "needs a function that can be traced into expressions");
    }
    const Eigen::VectorXd residual = Eigen::Map<const Eigen::VectorXd>(r.data(), n);
    const Eigen::VectorXd step = Lu(matrix).solve(-residual);
    if (!step.allFinite()) return refuse("at the start the equations cannot be solved for their unknowns");
    rates_ = product(svd.v.leftCols(rank), Eigen::VectorXd(step.head(rank)));
    values_ = product(svd.v.rightCols(n - rank), Eigen::VectorXd(step.tail(n - rank)));
    return true;
  }
  // Relative to the values.
  [[nodiscard]] double step() const {
    double length = 0;
    for (Eigen::Index i = 0; i < values_.size(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      length = std::max({length, std::abs(values_(i)) / (1 + std::abs(y_[k] + values_(i))),
                         std::abs(rates_(i)) / (1 + std::abs(yp_[k] + rates_(i)))});
    }
    return length;
  }
  void accept() {
    for (Eigen::Index i = 0; i < values_.size(); ++i) {
      y_[static_cast<std::size_t>(i)] += values_(i);
      yp_[static_cast<std::size_t>(i)] += rates_(i);
    }
  }

 private:
  bool refuse(std::string why) {
    trouble_ = std::move(why);
    return false;
  }

  static Eigen::MatrixXd scaled(Eigen::MatrixXd matrix) {
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
      const double largest = matrix.row(i).cwiseAbs().maxCoeff();
      if (largest > 0) matrix.row(i) /= largest;
    }
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
      const double largest = matrix.col(j).cwiseAbs().maxCoeff();
      if (largest > 0) matrix.col(j) /= largest;
    }
    return matrix;
  }

  DifferencedSystem& system_;
  double t_;
  std::vector<double>& y_;
  std::vector<double>& yp_;
  Eigen::VectorXd values_, rates_;  // of the next step
  std::string trouble_;
};

Result<const IntegratorRow*> integrator_row(const Selection& selection) {
  std::vector<std::string_view> known;
  for (const IntegratorRow& row : integrators()) {
    if (row.make == nullptr) continue;
    if (row.name == selection.name()) return &row;
    known.push_back(row.name);
  }
  return fail(unknown_name_message("integrator of F(t, y, y') = 0", selection.name(), known));
}

Result<void> check_interval(const FunctionProblem& problem) {
  if (!std::isfinite(problem.t_start) || !std::isfinite(problem.t_end) || problem.t_end < problem.t_start) {
    return fail(
        fmt::format("the end time {:g} lies before the start time {:g}", problem.t_end, problem.t_start));
  }
  if (!(problem.tolerances.relative > 0) || !(problem.tolerances.absolute > 0)) {
    return fail(fmt::format("tolerances must be positive, but rtol = {:g} and atol = {:g}",
                            problem.tolerances.relative, problem.tolerances.absolute));
  }
  return {};
}

void record(const Integrator& integrator, DenseOutput& course) {
  const std::vector<double> nodes =
      DenseOutput::nodes(integrator.t_previous(), integrator.t(), integrator.order());
  const std::size_t n = course.signals().size();
  std::vector<double> rows(nodes.size() * n);
  for (std::size_t k = 0; k < nodes.size(); ++k)
    integrator.interpolate(nodes[k], std::span(rows).subspan(k * n, n), {});
  course.add(nodes, rows);
}

void integrate(Integrator& integrator, const FunctionProblem& problem, FunctionResult& result) {
  while (integrator.t() < problem.t_end) {
    const StepOutcome outcome = integrator.step(problem.t_end);
    result.t = integrator.t();
    if (!outcome.ok()) {
      result.failure = fmt::format("the integration stopped at t = {:.10g}: {}", result.t, outcome.detail);
      return;
    }
    record(integrator, *problem.course);
    if (!problem.progress) continue;
    if (!problem.progress({.t = result.t,
                           .t_start = problem.t_start,
                           .t_end = problem.t_end,
                           .step = integrator.last_step(),
                           .order = integrator.order(),
                           .steps = integrator.counters().steps})) {
      result.failure = fmt::format("interrupted at t = {:.10g}", result.t);
      return;
    }
  }
}

}  // namespace

Result<FunctionResult> run_function(const FunctionProblem& problem) {
  if (auto fine = check_interval(problem); !fine) return std::unexpected(fine.error());
  const auto row = integrator_row(problem.integrator);
  if (!row) return std::unexpected(row.error());
  const auto selection =
      resolve(problem.integrator, (*row)->options, fmt::format("integrator {}", (*row)->name));
  if (!selection) return std::unexpected(selection.error());
  const bool reversible = selection->has("steps") && selection->text("steps") == "reversible";
  if (!(*row)->adaptive && !problem.step && !reversible)
    return fail(fmt::format("the integrator {} needs a step size", (*row)->name));
  FunctionResult result{.t = problem.t_start, .y = problem.y};
  std::vector<double> yp = problem.yp;
  DifferencedSystem system(problem.function, problem.t_start, result.y, yp, problem.jacobian);
  if (auto found = ConsistentValues(system, problem.t_start, result.y, yp).find(); !found)
    return std::unexpected(found.error());
  std::vector<Signal> signals;
  for (std::size_t k = 0; k < result.y.size(); ++k)
    signals.push_back({.name = fmt::format("y[{}]", k), .unit = {}, .description = {}});
  problem.course->begin(std::move(signals));
  const auto integrator = (*row)->make(system, {.tolerances = problem.tolerances,
                                                .fixed_step = problem.step,
                                                .initial_step = {},
                                                .max_step = {},
                                                .selection = *selection});
  integrator->start(problem.t_start, result.y, yp, problem.t_end);
  integrate(*integrator, problem, result);
  result.counters = integrator->counters();
  result.calls = system.calls();
  return result;
}

}  // namespace daedalus
