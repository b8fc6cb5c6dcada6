#include "systems/explicit_form.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "numerics/newton.hpp"
#include "numerics/vectors.hpp"
#include "numerics/wide.hpp"

namespace daedalus {
namespace {

// From the values of the last stage three or four steps do; many more mean that there is no solution.
constexpr int newton_limit = 20;
// Of the last correction, relative to the unknowns: the next one would be its square.
constexpr double newton_tolerance = 1e-8;
constexpr const char* not_solved =
    "the equations for accelerations and multipliers could not be solved: Newton's method does not converge";
constexpr const char* singular = "the equations for accelerations and multipliers are singular";

}  // namespace

ExplicitForm::ExplicitForm(const ConstrainedForm& form, ReformedResidual& residual) : residual_(residual) {
  const auto all = residual.components();
  std::vector<int> state_slot;
  std::vector<int> rate_slot;
  for (int k = 0; k < residual.size(); ++k) {
    const Component& component = all[static_cast<std::size_t>(k)];
    if (!component.differential) continue;
    states_.push_back(k);
    components_.push_back(component);
    state_slot.push_back(residual.value_slot(k));
    rate_slot.push_back(residual.rate_slot(k));
  }
  std::vector<int> number(states_.size());
  std::iota(number.begin(), number.end(), 0);
  state_slots_ = state_slot;
  to_states_ = IndexedCopy(number, state_slot);
  from_states_ = IndexedCopy(state_slot, number);
  from_rates_ = IndexedCopy(rate_slot, number);
  first_state_ = residual.add_slots(size());
  linear_ = LinearRates::make(form, residual, {.numbers = states_, .first = first_state_});
  if (linear_ != nullptr) linear_->set_states(state_slot, rate_slot);
  const auto n = static_cast<std::size_t>(residual.size());
  u_.resize(n);
  up_.resize(n);
  r_.resize(n);
  if (linear_ != nullptr) return;
  dy_.resize(residual.pattern().row.size());
  dyp_ = dy_;
  values_ = dy_;
  solver_ = make_linear_solver<double>(residual.pattern());
}

ExplicitForm::ExplicitForm(const ExplicitForm& other, ReformedResidual& residual)
    : residual_(residual),
      linear_(other.linear_),
      to_states_(other.to_states_),
      from_states_(other.from_states_),
      from_rates_(other.from_rates_),
      first_state_(other.first_state_),
      state_slots_(other.state_slots_),
      states_(other.states_),
      components_(other.components_),
      solver_(other.solver_),
      u_(other.u_),
      up_(other.up_),
      dy_(other.dy_),
      dyp_(other.dyp_),
      values_(other.values_),
      r_(other.r_),
      trouble_(other.trouble_) {}

std::span<double> ExplicitForm::argument() {
  return residual_.environment().subspan(static_cast<std::size_t>(first_state_), states_.size());
}

DirectRates ExplicitForm::direct() {
  if (linear_ == nullptr) return {};
  const std::span<double> environment = residual_.environment();
  const Program::Bound rates = linear_->direct(environment);
  if (rates.evaluator == nullptr) return {};
  return {.t = &environment[static_cast<std::size_t>(residual_.time_slot())],
          .y = &environment[static_cast<std::size_t>(first_state_)],
          .environment = rates.environment,
          .registers = rates.registers,
          .code = rates.evaluator->machine_code(),
          .reviewed = !linear_->will_look()};
}

void ExplicitForm::set_argument(double t, std::span<const double> y) {
  residual_.environment()[static_cast<std::size_t>(residual_.time_slot())] = t;
  const std::span<double> there = argument();
  if (there.data() != y.data()) copy_values(y, there);
}

void ExplicitForm::place(double t, std::span<const double> y) {
  set_argument(t, y);
  to_states_(y.data(), residual_.environment().data());
}

void ExplicitForm::gather(std::span<double> y) const {
  from_states_(residual_.environment().data(), y.data());
}

void ExplicitForm::gather_rates(std::span<double> yp) const {
  from_rates_(residual_.environment().data(), yp.data());
}

// Of the unknowns: rates, and values of those that have none.
struct ExplicitForm::Newton {
  ExplicitForm& form;
  double t;

  [[nodiscard]] double& unknown(std::size_t k) {
    return form.residual_.components()[k].differential ? form.up_[k] : form.u_[k];
  }
  bool linearise() {
    ReformedResidual& residual = form.residual_;
    if (!residual.residual(t, form.u_, form.up_, form.r_) ||
        !residual.jacobian(t, form.u_, form.up_, form.dy_, form.dyp_)) {
      form.trouble_ = residual.trouble();
      return false;
    }
    const SparsePattern& pattern = residual.pattern();
    const auto all = residual.components();
    for (std::size_t column = 0; column < all.size(); ++column) {
      const auto begin = static_cast<std::size_t>(pattern.column_start[column]);
      const auto end = static_cast<std::size_t>(pattern.column_start[column + 1]);
      for (std::size_t k = begin; k < end; ++k)
        form.values_[k] = all[column].differential ? form.dyp_[k] : form.dy_[k];
    }
    if (form.solver_->factor(form.values_)) return true;
    form.trouble_ = singular;
    return false;
  }
  double step() {
    form.solver_->solve(form.r_);
    double size = 0;
    for (std::size_t k = 0; k < form.r_.size(); ++k)
      size = std::max(size, std::abs(form.r_[k]) / (1 + std::abs(unknown(k) - form.r_[k])));
    if (all_finite(form.r_)) return size;
    form.trouble_ = singular;
    return std::numeric_limits<double>::infinity();
  }
  NewtonStep judge(double size) { return size <= newton_tolerance ? NewtonStep::Last : NewtonStep::Untested; }
  bool evaluate(double /*lambda*/) { return true; }
  bool descends(double /*lambda*/, double /*size*/) { return true; }
  void accept() {
    for (std::size_t k = 0; k < form.r_.size(); ++k) unknown(k) -= form.r_[k];
  }
};

bool ExplicitForm::complete(double t, std::span<const double> y) {
  if (linear_ == nullptr) return newton(t, y);
  place(t, y);
  return solve_rates();
}

bool ExplicitForm::complete_here() {
  const std::span<double> environment = residual_.environment();
  from_states_(environment.data(), argument().data());
  if (linear_ != nullptr) return solve_rates();
  return newton(environment[static_cast<std::size_t>(residual_.time_slot())], argument());
}

std::span<double> ExplicitForm::lane_argument(std::span<double> environments) const {
  return environments.subspan(lane_count * static_cast<std::size_t>(first_state_),
                              lane_count * states_.size());
}

void ExplicitForm::place_lanes(std::span<double> environments) const {
  const double* from = lane_argument(environments).data();
  for (const int slot : state_slots_) {
    copy_four(from, environments.data() + lane_count * static_cast<std::size_t>(slot));
    from += lane_count;
  }
}

bool ExplicitForm::complete_lanes(std::span<double> environments) {
  double* to = lane_argument(environments).data();
  for (const int slot : state_slots_) {
    copy_four(environments.data() + lane_count * static_cast<std::size_t>(slot), to);
    to += lane_count;
  }
  return linear_ != nullptr && linear_->complete_lanes(environments);
}

bool ExplicitForm::solve_rates() {
  if (!linear_->rates(residual_.environment())) {
    trouble_ = singular;
    return false;
  }
  linear_->watched(residual_.environment());
  return true;
}

void ExplicitForm::state(Archive& archive) {
  archive.section("explicit form", 1);
  archive.sized(u_.size(), u_, up_);
  if (linear_ != nullptr) linear_->state(archive);
  if (solver_ != nullptr) solver_->state(archive);
}

std::vector<ProgramSize> ExplicitForm::programs() const {
  return linear_ != nullptr ? linear_->programs() : residual_.programs();
}

std::string_view ExplicitForm::method() const {
  return linear_ != nullptr ? linear_->method() : solver_->name();
}

double ExplicitForm::regularity() {
  return linear_ != nullptr ? linear_->regularity(residual_.environment()) : 0;
}

bool ExplicitForm::newton(double t, std::span<const double> y) {
  for (std::size_t k = 0; k < states_.size(); ++k) u_[static_cast<std::size_t>(states_[k])] = y[k];
  Newton problem{.form = *this, .t = t};
  const DampedStatus status = damped_newton(problem, {.iterations = newton_limit}).status;
  if (status == DampedStatus::Converged) {
    residual_.scatter(t, u_, up_);
    return true;
  }
  if (status == DampedStatus::TooManyIterations) trouble_ = not_solved;
  // A bad point shall not spoil the next one.
  std::ranges::fill(up_, 0.0);
  for (std::size_t k = 0; k < u_.size(); ++k) {
    if (!residual_.components()[k].differential) u_[k] = 0;
  }
  return false;
}

bool ExplicitForm::derivative(double t, std::span<const double> y, std::span<double> yp) {
  if (linear_ == nullptr) {
    if (!newton(t, y)) return false;
    gather_rates(yp);
    return true;
  }
  set_argument(t, y);
  const std::size_t missing = y.size() - yp.size();
  const auto known = static_cast<std::size_t>(linear_->positions()) - missing;
  assert(missing == 0 || known == 0);
  if (known > 0) copy_values(y.subspan(known, known), yp);
  if (linear_->derivative(residual_.environment(), y, yp.subspan(known))) return true;
  trouble_ = singular;
  return false;
}

}  // namespace daedalus
