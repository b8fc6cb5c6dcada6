#include "drive/projection_driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "numerics/dense_algebra.hpp"
#include "numerics/newton.hpp"
#include "numerics/rank_policy.hpp"
#include "numerics/vectors.hpp"

namespace daedalus {
namespace {

// Distance to singularity below which accelerations are sensitive to small changes of the state.
constexpr double sensitive_below = 0.05;

constexpr const char* too_far =
    "the step ended too far from them to find the way back; try a smaller rtol or atol";

// All constraints at all levels below the accelerations; without derivatives, the constraints alone.
std::vector<KeptConstraint> projected(const ConstrainedForm& form, bool derivatives) {
  std::vector<KeptConstraint> kept;
  for (int i = 0; i < form.ny(); ++i) {
    const int levels = form.order - form.constraints[static_cast<std::size_t>(i)].level;
    for (int k = 0; k < (derivatives ? levels : 1); ++k) kept.push_back({.constraint = i, .times = k});
  }
  return kept;
}

ReformulatedSystem with_kept(ReformulatedSystem system, const ConstrainedForm& form,
                             const Selection& options) {
  system.kept = projected(form, !options.has("levels") || options.text("levels") == "all");
  return system;
}

Result<Eigen::MatrixXd> given_norm(std::string_view text, int n) {
  const auto literal = parse_matrix(text, "W", "I, M");
  if (!literal) return std::unexpected(literal.error());
  if (literal->rows != n || literal->columns != n)
    return fail(fmt::format("W must be {} by {} (as many as unknowns of position), but is {} by {}", n, n,
                            literal->rows, literal->columns));
  Eigen::MatrixXd w =
      Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
          literal->values.data(), n, n);
  if (!w.isApprox(w.transpose()) || !Cholesky(w).positive_definite())
    return fail(
        "W is not symmetric positive definite and measures no distance; give a matrix that is, or I or M");
  return w;
}

}  // namespace

OrthogonalProjectionDriver::OrthogonalProjectionDriver(const DriverSetting& setting,
                                                       ReformulatedSystem system)
    : ReformDriver(setting, with_kept(std::move(system), *setting.plan.form, setting.plan.row_options)) {}

std::unique_ptr<Integrator> OrthogonalProjectionDriver::make_integrator(const IntegratorRow& row,
                                                                        const IntegratorSettings& settings) {
  keeps_constraints_ = row.keeps_constraints;
  return ReformDriver::make_integrator(row, settings);
}

Result<std::unique_ptr<RunDriver>> OrthogonalProjectionDriver::make(const DriverSetting& setting,
                                                                    ReformulatedSystem system) {
  std::unique_ptr<OrthogonalProjectionDriver> driver(
      new OrthogonalProjectionDriver(setting, std::move(system)));
  if (!setting.plan.row_options.has("W")) return driver;
  const std::string_view w = setting.plan.row_options.text("W");
  if (w == "M") {
    driver->projector().use_norm(ConstraintProjector::Norm::Mass);
  } else if (w != "I") {
    auto matrix = given_norm(w, setting.plan.form->n());
    if (!matrix) return std::unexpected(matrix.error());
    driver->projector().use_norm(ConstraintProjector::Norm::Given, *std::move(matrix));
  }
  return driver;
}

std::string OrthogonalProjectionDriver::after_step(Integrator& integrator) {
  std::string reason = ReformDriver::after_step(integrator);
  if (!reason.empty() || keeps_constraints_) return reason;
  if (!project(monitor().singularity_distance_of_step(), true))
    return fmt::format("the projection onto the constraints failed at t = {:.10g}: {}", integrator.t(),
                       projector().trouble().empty() ? too_far : projector().trouble());
  y_.resize(static_cast<std::size_t>(size()));
  gather(y_, {});
  integrator.replace_state(y_, {}, monitor().singularity_distance_of_step() < sensitive_below);
  return {};
}

SymmetricProjectionDriver::SymmetricProjectionDriver(const DriverSetting& setting, ReformulatedSystem system)
    : ReformDriver(setting, with_kept(std::move(system), *setting.plan.form, setting.plan.row_options)),
      matrices_(matrices()) {
  std::vector<NodeId> roots;
  const ConstrainedForm& f = form();
  for (int level = 0; level < f.order; ++level) {
    for (const FormConstraint& constraint : f.constraints) {
      const int k = level - constraint.level;
      roots.push_back(k >= 0 ? constraint.derivatives[static_cast<std::size_t>(k)] : f.graph().constant(0));
    }
  }
  residuals_ = setting.model.compile(roots);
  constraint_values_.resize(roots.size());
  nu_ = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(roots.size()));
  y_.resize(static_cast<std::size_t>(size()));
}

// y + D ν with G at the point in the environment.
void SymmetricProjectionDriver::perturb(std::span<const double> base, std::span<double> y) {
  copy_values(base, y);
  matrices_.evaluate(environment());
  const int ny = form().ny();
  for (int level = 0; level < form().order; ++level) {
    Eigen::VectorXd factor = nu_.segment(level * ny, ny);
    for (int i = 0; i < ny; ++i) {
      if (form().constraints[static_cast<std::size_t>(i)].level > level) factor[i] = 0;
    }
    const Eigen::VectorXd move = transposed_product(matrices_.constraint(), factor);
    // The unknowns of a level stand together: add_positions() puts them first, level by level.
    const auto first = static_cast<std::size_t>(level) * static_cast<std::size_t>(form().n());
    for (int i = 0; i < form().n(); ++i) y[first + static_cast<std::size_t>(i)] += move[i];
  }
}

void SymmetricProjectionDriver::load(double t, std::span<const double> y) {
  scatter(t, y, start_slopes_);
}

// y_ := end + D(y_) ν by fixed-point iteration, then c(y_) and the simplified Newton correction of ν; returns
// how far the end moves by it, relative to the unknowns of the same level.
double SymmetricProjectionDriver::close(double t, std::span<const double> end) {
  copy_values(end, y_);
  for (int k = 0; k < 4; ++k) {
    load(t, y_);
    perturb(end, y_);
  }
  load(t, y_);
  matrices_.evaluate(environment());
  residuals_.evaluate(environment(), constraint_values_, workspace_);
  const int ny = form().ny();
  const int n = form().n();
  const Eigen::MatrixXd g = matrices_.constraint();
  const Eigen::VectorXd scale = row_scales(g);
  const Eigen::MatrixXd unit = scale.asDiagonal() * g;
  const LeastSquares solver(product(unit, Eigen::MatrixXd(unit.transpose())), RankPolicy::square);
  double size = 0;
  for (int level = 0; level < form().order; ++level) {
    const Eigen::Map<const Eigen::VectorXd> c(
        constraint_values_.data() + static_cast<std::ptrdiff_t>(level) * ny, ny);
    const Eigen::VectorXd delta = scale.cwiseProduct(solver.solve(scale.cwiseProduct(c))) / 2;
    nu_.segment(level * ny, ny) -= delta;
    const Eigen::VectorXd move = transposed_product(g, delta);
    const Eigen::Map<const Eigen::VectorXd> x(y_.data() + static_cast<std::ptrdiff_t>(level) * n, n);
    const double largest = x.cwiseAbs().maxCoeff();
    size = std::max(size, move.cwiseAbs().maxCoeff() / (largest > 0 ? largest : 1));
  }
  return size;
}

StepOutcome SymmetricProjectionDriver::step(Integrator& integrator, double t_stop) {
  start_.assign(integrator.y().begin(), integrator.y().end());
  start_slopes_.assign(integrator.yp().begin(), integrator.yp().end());
  const double t0 = integrator.t();
  nu_.setZero();
  // Symmetry is what the method is for, so that no rounding is too small.
  RoundingStop at_rounding({.nothing = 1e-16});
  constexpr int limit = 50;
  for (int iteration = 0; iteration < limit; ++iteration) {
    load(t0, start_);
    perturb(start_, y_);
    integrator.start(t0, y_, start_slopes_, t_stop);
    StepOutcome outcome = integrator.step(t_stop);
    if (!outcome.ok()) return outcome;
    const double size =
        close(integrator.t(), std::vector<double>(integrator.y().begin(), integrator.y().end()));
    if (!std::isfinite(size)) break;
    if (at_rounding(size)) {
      ++steps_;
      return outcome;
    }
  }
  return {.status = StepStatus::NewtonFailed,
          .detail = "the iteration on the multipliers of the symmetric projection does not converge",
          .component = -1};
}

std::string SymmetricProjectionDriver::after_step(Integrator& integrator) {
  integrator.replace_state(y_, {});
  load(integrator.t(), y_);
  return ReformDriver::after_step(integrator);
}

void SymmetricProjectionDriver::finish(Summary& summary) {
  summary.counters.steps = steps_;
  ReformDriver::finish(summary);
}

}  // namespace daedalus
