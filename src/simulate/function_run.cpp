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
class ConsistentValues {
 public:
  ConsistentValues(DifferencedSystem& system, double t, std::vector<double>& y, std::vector<double>& yp)
      : system_(system), t_(t), y_(y), yp_(yp) {}

  Result<void> find() {
    std::vector<double> r(y_.size());
    RoundingStop at_rounding{{}};
    for (int iteration = 0; iteration < most_iterations; ++iteration) {
      if (!system_.residual(t_, y_, yp_, r)) return fail("at the start " + system_.trouble());
      const auto moved = move(r);
      if (!moved) return std::unexpected(moved.error());
      if (at_rounding(*moved)) return {};
    }
    return fail("no consistent initial values were found near those given");
  }

 private:
  // One step; its length relative to the values.
  Result<double> move(const std::vector<double>& r) {
    std::vector<double> dy(static_cast<std::size_t>(system_.pattern().nonzeros()));
    std::vector<double> dyp(dy.size());
    if (!system_.jacobian(t_, y_, yp_, dy, dyp)) return fail("at the start " + system_.trouble());
    const Eigen::MatrixXd e = dense_matrix(system_.pattern(), dyp);
    const Svd svd = full_svd(e);
    const double largest = svd.sigma.size() > 0 ? svd.sigma(0) : 0;
    const Eigen::Index rank = (svd.sigma.array() > rank_part * largest).count();
    const Eigen::Index n = e.rows();
    Eigen::MatrixXd matrix(n, n);
    matrix.leftCols(rank) = product(e, Eigen::MatrixXd(svd.v.leftCols(rank)));
    matrix.rightCols(n - rank) =
        product(dense_matrix(system_.pattern(), dy), Eigen::MatrixXd(svd.v.rightCols(n - rank)));
    if (!RankRevealingLu(scaled(matrix), regular).invertible()) {
      return fail(
          "the index is above 1 at the start, or the equations do not determine their unknowns; that "
          "needs a function that can be traced into expressions");
    }
    const Eigen::VectorXd residual = Eigen::Map<const Eigen::VectorXd>(r.data(), n);
    const Eigen::VectorXd step = Lu(matrix).solve(-residual);
    const Eigen::VectorXd rates = product(svd.v.leftCols(rank), Eigen::VectorXd(step.head(rank)));
    const Eigen::VectorXd values = product(svd.v.rightCols(n - rank), Eigen::VectorXd(step.tail(n - rank)));
    if (!step.allFinite()) return fail("at the start the equations cannot be solved for their unknowns");
    double length = 0;
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      y_[k] += values(i);
      yp_[k] += rates(i);
      length = std::max(
          {length, std::abs(values(i)) / (1 + std::abs(y_[k])), std::abs(rates(i)) / (1 + std::abs(yp_[k]))});
    }
    return length;
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

Result<void> check_horizon(const FunctionProblem& problem) {
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
  if (auto fine = check_horizon(problem); !fine) return std::unexpected(fine.error());
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
