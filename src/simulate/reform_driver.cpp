#include "simulate/reform_driver.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace daedalus {
namespace {

// The radius Δ of a trust region is this many times the multipliers at the start (measured on the slider
// crank: none of 384 runs wrong).
constexpr double radius_factor = 10;

// Of the run: the smallest h in γ = 1/h when the step size is adaptive.
constexpr double smallest_coupled_step = 1e-4;

double threshold_of(const Selection& options) {
  return options.has("threshold") ? options.number("threshold") : 2;
}
bool updates_each_step(const Selection& options) {
  return !options.has("update") || options.text("update") == "step";
}

}  // namespace

ReformDriver::ReformDriver(const DriverSetting& setting, ReformulatedSystem system)
    : setting_(setting),
      residual_(setting.model, std::move(system), setting.environment),
      matrices_(setting.model, *setting.choice.form),
      monitor_(setting.model, *setting.choice.form, setting.tolerances.relative),
      projector_(setting.model, *setting.choice.form, residual_.system().kept),
      basis_(*setting.choice.form, residual_.system(), threshold_of(setting.choice.row_options),
             updates_each_step(setting.choice.row_options)) {
  if (setting.choice.row->ode) ode_ = std::make_unique<ExplicitForm>(residual_);
  for (const ReformUnknown& unknown : residual_.system().unknowns) {
    if (unknown.rate.valid()) states_.push_back(setting.model.levels().level_of(unknown.leaf));
  }
  std::ranges::sort(states_);
}

double ReformDriver::now() const {
  return setting_.environment[static_cast<std::size_t>(setting_.model.layout().time)];
}

int ReformDriver::size() const {
  return is_explicit() ? ode_->size() : residual_.size();
}

std::unique_ptr<Integrator> ReformDriver::make_integrator(const IntegratorRow& row,
                                                          const IntegratorSettings& settings) {
  return is_explicit() ? row.make_explicit(*ode_, settings) : row.make(residual_, settings);
}

void ReformDriver::set_held(HeldValue::Role role, double value) {
  for (const HeldValue& held : residual_.system().held) {
    if (held.role == role) environment()[static_cast<std::size_t>(residual_.slot(held.leaf))] = value;
  }
}

std::string ReformDriver::begin() {
  monitor_.begin(environment());
  double largest = 0;
  for (int i = 0; i < form().ny(); ++i)
    largest = std::max(largest, std::abs(environment()[static_cast<std::size_t>(model().slot(form().y(i)))]));
  typical_multiplier_ = std::max(largest, 1.0);
  set_held(HeldValue::Role::Step, 1e-3);
  set_epsilon(1e-3);
  if (basis_.used()) {
    refresh_basis(nullptr, true);
    if (!basis_.trouble().empty()) return basis_.trouble();
  }
  return {};
}

// ε = ((γ₁ + γ₀) tol / 2Δ)²: at it the multipliers that the regularisation allows are of size Δ when the
// constraints are violated by the tolerance.
double ReformDriver::automatic_epsilon(double h) const {
  const Selection& options = setting_.choice.row_options;
  double sum = 0;
  if (options.has("gamma0") && options.has("gamma1")) {
    sum = options.number("gamma0") + options.number("gamma1");
  } else {
    const double gamma = options.text("gamma") == "1/h" ? 1 / h : options.number("gamma");
    double factor = 1;
    for (int k = form().order - 1; k >= 0; --k) {
      factor *= k + 1;
      sum += factor * std::pow(gamma, form().order - k);
    }
  }
  const double tolerance = std::max(setting_.tolerances.relative, setting_.tolerances.absolute);
  const double root = sum * tolerance / (2 * radius_factor * typical_multiplier_);
  return root * root;
}

void ReformDriver::set_epsilon(double h) {
  const bool asked = std::ranges::any_of(
      residual_.system().held, [](const HeldValue& held) { return held.role == HeldValue::Role::Epsilon; });
  if (asked) set_held(HeldValue::Role::Epsilon, automatic_epsilon(h));
}

void ReformDriver::refresh_basis(Integrator* integrator, bool first) {
  matrices_.evaluate(environment());
  if (!basis_.update(matrices_.constraint())) return;
  for (const HeldValue& held : residual_.system().held) {
    if (held.role == HeldValue::Role::Basis)
      environment()[static_cast<std::size_t>(residual_.slot(held.leaf))] =
          basis_.matrix()(held.row, held.column);
  }
  if (!first) ++basis_changes_;
  if (integrator != nullptr) integrator->system_changed();
}

void ReformDriver::start_values(Integrator* integrator, std::span<double> y, std::span<double> yp) {
  if (basis_.used() && integrator != nullptr) refresh_basis(integrator, false);
  // x^(k)' = x^(k+1) at consistent values; μ, τ, … are zero there.
  std::vector<double>& e = environment();
  for (const ReformUnknown& unknown : residual_.system().unknowns) {
    if (unknown.own) e[static_cast<std::size_t>(residual_.slot(unknown.leaf))] = 0;
    if (!unknown.rate.valid() || unknown.own) continue;
    const ExprGraph& graph = form().graph();
    const NodeId next =
        form().graph().variable(graph.variable_of(unknown.leaf), graph.order_of(unknown.leaf) + 1);
    e[static_cast<std::size_t>(residual_.slot(unknown.rate))] =
        e[static_cast<std::size_t>(residual_.slot(next))];
  }
  complete();
  gather(y, yp);
}

// Where all else follows from the states, it is computed from them.
void ReformDriver::complete() {
  if (ode_ == nullptr) return;
  state_.resize(static_cast<std::size_t>(ode_->size()));
  ode_->gather(state_);
  (void)ode_->complete(now(), state_);
}

void ReformDriver::scatter(double t, std::span<const double> y, std::span<const double> yp) {
  if (is_explicit()) {
    (void)ode_->complete(t, y);
    return;
  }
  residual_.scatter(t, y, yp);
}

void ReformDriver::gather(std::span<double> y, std::span<double> yp) const {
  if (is_explicit()) {
    ode_->gather(y);
    ode_->gather_rates(yp);
  } else {
    residual_.gather(y, yp);
  }
}

// Interpolation does not know the constraints; those that hold at the steps shall hold in between.
void ReformDriver::complete_output(std::vector<double>& environment) {
  if (!projector_.idle()) (void)projector_.project(environment);
  complete();
}

void ReformDriver::before_step(const Integrator& integrator, double t_stop) {
  if (residual_.system().held.empty()) return;
  // γ = 1/h: a method that chooses its steps would be driven to ever smaller ones, since a change of γ moves
  // the solution, so there h has a floor.
  longest_ahead_ = std::max(longest_ahead_, t_stop - integrator.t());
  const double floor = setting_.choice.integrator_row->adaptive ? smallest_coupled_step * longest_ahead_ : 0;
  const double h = std::max(integrator.next_step(t_stop), floor);
  set_held(HeldValue::Role::Step, h);
  set_epsilon(h);
}

std::string ReformDriver::after_step(Integrator& integrator) {
  const auto load = [&](double t) {
    std::vector<double>& y = scratch_y_;
    std::vector<double>& yp = scratch_yp_;
    y.resize(static_cast<std::size_t>(size()));
    yp.resize(y.size());
    integrator.interpolate(t, y, yp);
    scatter(t, y, yp);
  };
  monitor_.watch(integrator.t_previous(), integrator.t(), load, environment());
  if (basis_.used()) refresh_basis(&integrator, false);
  return {};
}

std::string ReformDriver::component_name(int component) const {
  const int k = is_explicit() ? ode_->states()[static_cast<std::size_t>(component)] : component;
  return residual_.system().unknowns[static_cast<std::size_t>(k)].name;
}

std::string ReformDriver::explain_failure() {
  if (form().ny() == 0 || monitor_.sigma() > 1e-3) return {};
  return fmt::format("the constraints are nearly singular here (relative singular value {:.2g}): {}",
                     monitor_.sigma(), fmt::join(monitor_.weakest_constraints(), ", "));
}

void ReformDriver::finish(Summary& summary) {
  summary.rank_changes = monitor_.changes();
  summary.pivot_count = basis_changes_;
  for (const std::string& combination : monitor_.redundancies())
    summary.warnings.push_back("redundant constraints: " + combination + " = 0 holds by itself");
  summary.dof += form().order * (form().ny() - monitor_.rank());
  for (const ReformUnknown& unknown : residual_.system().unknowns) {
    if (!unknown.own) continue;
    summary.formulation_values.emplace_back(
        unknown.name, environment()[static_cast<std::size_t>(residual_.slot(unknown.leaf))]);
  }
}

}  // namespace daedalus
