#include "drive/projection_driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "numerics/dense_algebra.hpp"
#include "numerics/newton.hpp"
#include "numerics/rank_policy.hpp"
#include "numerics/vectors.hpp"

namespace daedalus {
namespace {

// Distance to singularity below which accelerations are sensitive to small changes of the state.
constexpr double sensitive_below = 0.05;

// Times rtol, of the size of an invariant: what the equations change beyond that is theirs, and no error.
constexpr double contradicting = 100;

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
  system.kept = projected(form, !options.has("levels") || options.text("levels") != "position");
  return system;
}

// "[E, L]" or "E".
std::vector<std::string> named(std::string_view text) {
  std::vector<std::string> names;
  std::string name;
  for (const char c : text) {
    if (c == ',' || c == ';') {
      names.push_back(std::exchange(name, {}));
    } else if (c != '[' && c != ']' && c != ' ') {
      name += c;
    }
  }
  names.push_back(name);
  return names;
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
  const Selection& options = setting.plan.row_options;
  const bool jointly = options.has("levels") && options.text("levels") == "jointly";
  if (jointly || options.has("invariants")) {
    const std::vector<std::string> names =
        options.has("invariants") ? named(options.text("invariants")) : std::vector<std::string>();
    auto joint =
        JointProjection::make(setting.model, *setting.plan.form, driver->residual().system().kept, names,
                              jointly ? JointProjection::Weights::One : JointProjection::Weights::Sizes);
    if (!joint) return std::unexpected(joint.error());
    driver->joint_ = *std::move(joint);
  }
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

std::string OrthogonalProjectionDriver::begin() {
  if (!joint_.idle()) joint_.begin(environment());
  return ReformDriver::begin();
}

std::string OrthogonalProjectionDriver::complete_output() {
  if (joint_.idle()) return ReformDriver::complete_output();
  (void)joint_.project(environment());
  return complete() ? std::string() : ReformDriver::complete_output();
}

void OrthogonalProjectionDriver::state(Archive& archive) {
  ReformDriver::state(archive);
  if (!joint_.idle()) joint_.state(archive);
}

void OrthogonalProjectionDriver::finish(Summary& summary) {
  ReformDriver::finish(summary);
  for (const std::string& contradiction : joint_.contradictions(contradicting * tolerances().relative))
    summary.warnings.push_back(contradiction);
}

std::string OrthogonalProjectionDriver::after_step(Integrator& integrator) {
  std::string reason = ReformDriver::after_step(integrator);
  if (!reason.empty() || keeps_constraints_) return reason;
  if (joint_.idle() && !project(monitor().singularity_distance_of_step(), true))
    return fmt::format("the projection onto the constraints failed at t = {:.10g}: {}", integrator.t(),
                       projector().trouble().empty() ? too_far : projector().trouble());
  if (!joint_.idle()) {
    if (!joint_.project(environment()))
      return fmt::format("at t = {:.10g} {}", integrator.t(), joint_.trouble());
    (void)complete();
    joint_.watch(integrator.last_step(), environment());
  }
  y_.resize(static_cast<std::size_t>(size()));
  gather(y_, {});
  integrator.replace_state(y_, {}, monitor().singularity_distance_of_step() < sensitive_below);
  return {};
}

SymmetricProjectionDriver::SymmetricProjectionDriver(const DriverSetting& setting, ReformulatedSystem system)
    : ReformDriver(setting, with_kept(std::move(system), *setting.plan.form, setting.plan.row_options)),
      full_(setting.plan.row_options.text("direction") == "full"),
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
  if (!full_) return;
  std::vector<NodeId> entries;
  for (const SymbolicEntry& entry : f.curvature.entries) entries.push_back(entry.value);
  curvature_ = setting.model.compile(entries);
  curvature_values_.resize(entries.size());
}

Result<std::unique_ptr<RunDriver>> SymmetricProjectionDriver::make(const DriverSetting& setting,
                                                                   ReformulatedSystem system) {
  if (setting.plan.row_options.text("direction") == "full" && setting.plan.form->order != 2)
    return fail(
        fmt::format("symmetric-projection:direction=full is defined for systems of order 2, but the "
                    "model has order {}; use direction=G",
                    setting.plan.form->order));
  return std::make_unique<SymmetricProjectionDriver>(setting, std::move(system));
}

// The unknowns of a level stand together: add_positions() puts them first, level by level.
Eigen::MatrixXd SymmetricProjectionDriver::directions() {
  const int n = form().n();
  const int ny = form().ny();
  matrices_.evaluate(environment());
  const Eigen::MatrixXd g = matrices_.constraint();
  Eigen::MatrixXd d = Eigen::MatrixXd::Zero(nu_.size(), static_cast<Eigen::Index>(form().order) * n);
  for (int level = 0; level < form().order; ++level) {
    for (int i = 0; i < ny; ++i) {
      if (form().constraints[static_cast<std::size_t>(i)].level <= level)
        d.row((level * ny) + i).segment(static_cast<Eigen::Index>(level) * n, n) = g.row(i);
    }
  }
  if (!full_) return d;
  curvature_.evaluate(environment(), curvature_values_, workspace_);
  for (std::size_t k = 0; k < curvature_values_.size(); ++k) {
    const SymbolicEntry& entry = form().curvature.entries[k];
    d(ny + entry.row, entry.column) += curvature_values_[k];
  }
  return d;
}

// y + D ν at the point in the environment.
void SymmetricProjectionDriver::perturb(std::span<const double> base, std::span<double> y) {
  copy_values(base, y);
  const Eigen::VectorXd move = transposed_product(directions(), nu_);
  for (Eigen::Index i = 0; i < move.size(); ++i) y[static_cast<std::size_t>(i)] += move[i];
}

void SymmetricProjectionDriver::load(double t, std::span<const double> y) {
  scatter(t, y, start_slopes_);
}

// y_ := end + D(y_) ν by fixed-point iteration, then c(y_) and the simplified Newton correction of ν, with D
// for ∂c/∂y; returns how far the end moves by it, relative to the unknowns of the same level.
double SymmetricProjectionDriver::close(double t, std::span<const double> end) {
  copy_values(end, y_);
  for (int k = 0; k < 4; ++k) {
    load(t, y_);
    perturb(end, y_);
  }
  load(t, y_);
  const Eigen::MatrixXd d = directions();
  residuals_.evaluate(environment(), constraint_values_, workspace_);
  const Eigen::Map<const Eigen::VectorXd> c(constraint_values_.data(), nu_.size());
  const Eigen::VectorXd scale = row_scales(d);
  const Eigen::MatrixXd unit = scale.asDiagonal() * d;
  // Near a singular point what D hardly sees stays as it is: ν would be anything.
  const LeastSquares solver(product(unit, Eigen::MatrixXd(unit.transpose())), RankPolicy::lost);
  const Eigen::VectorXd delta = scale.cwiseProduct(solver.solve(scale.cwiseProduct(c))) / 2;
  nu_ -= delta;
  const Eigen::VectorXd move = transposed_product(d, delta);
  const int n = form().n();
  double size = 0;
  for (int level = 0; level < form().order; ++level) {
    const auto first = static_cast<std::ptrdiff_t>(level) * n;
    const Eigen::Map<const Eigen::VectorXd> x(y_.data() + first, n);
    const double largest = x.cwiseAbs().maxCoeff();
    size = std::max(size, move.segment(first, n).cwiseAbs().maxCoeff() / (largest > 0 ? largest : 1));
  }
  return size;
}

StepOutcome SymmetricProjectionDriver::step(Integrator& integrator, double t_stop) {
  start_.assign(integrator.y().begin(), integrator.y().end());
  start_slopes_.assign(integrator.yp().begin(), integrator.yp().end());
  const double t0 = integrator.t();
  nu_.setZero();
  // Symmetry is what the method is for, so that no rounding is too small.
  constexpr double nothing = 1e-16;
  RoundingStop at_rounding({.nothing = nothing});
  constexpr int limit = 50;  // linear convergence, by about the square of the step size
  for (int iteration = 0; iteration < limit; ++iteration) {
    load(t0, start_);
    perturb(start_, y_);
    integrator.start(t0, y_, start_slopes_, t_stop);
    StepOutcome outcome = integrator.step(t_stop);
    if (!outcome.ok()) {
      integrator.start(t0, start_, start_slopes_, t_stop);
      return outcome;
    }
    const double size =
        close(integrator.t(), std::vector<double>(integrator.y().begin(), integrator.y().end()));
    if (!std::isfinite(size)) break;
    if (at_rounding(size)) {
      ++steps_;
      return outcome;
    }
  }
  integrator.start(t0, start_, start_slopes_, t_stop);  // as if nothing had been tried
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
