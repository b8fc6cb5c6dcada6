#include "simulate/advice_explore.hpp"

#include <algorithm>
#include <cmath>

#include "simulate/events.hpp"
#include "simulate/make_driver.hpp"

namespace daedalus {
namespace {

// Accurate enough that a singular point on the way is passed within the monitor's threshold: it sees the
// square of the distance.
constexpr double tolerance = 1e-5;
constexpr int most_steps = 1500;
constexpr int fewest_steps = 40;
constexpr int work = 20'000;  // steps times unknowns

Choice exploring_choice(const ConstrainedForm& form) {
  Choice choice;
  choice.row = find_formulation("orthogonal-projection");
  choice.row_options = resolve(Selection("orthogonal-projection"), choice.row->options, "").value();
  choice.integrator_row = find_integrator("dopri5");
  choice.integrator = resolve(Selection("dopri5"), choice.integrator_row->options, "").value();
  // Lent: the form outlives the exploration.
  choice.form = std::shared_ptr<const ConstrainedForm>(std::shared_ptr<void>(), &form);
  return choice;
}

class Explorer {
 public:
  explicit Explorer(const ExplorationPlan& plan)
      : plan_(plan),
        environment_(plan.environment.begin(), plan.environment.end()),
        choice_(exploring_choice(plan.form)),
        events_(plan.model, environment_, tolerance),
        start_(environment_[static_cast<std::size_t>(plan.model.layout().time)]),
        end_(start_ + plan.horizon) {
    settings_.tolerances = {.relative = tolerance, .absolute = tolerance};
    settings_.selection = choice_.integrator;
  }

  Exploration run() {
    auto driver = make_driver({.model = plan_.model,
                               .environment = environment_,
                               .choice = choice_,
                               .tolerances = {.relative = tolerance / 10, .absolute = tolerance / 10}});
    if (!driver) return found_;
    driver_ = *std::move(driver);
    events_.begin(start_);
    if (!driver_->begin().empty()) return found_;
    integrator_ = driver_->make_integrator(*choice_.integrator_row, settings_);
    y_.resize(static_cast<std::size_t>(driver_->size()));
    yp_.resize(y_.size());
    driver_->start_values(nullptr, y_, yp_);
    integrator_->start(start_, y_, yp_, end_);
    const int budget = std::clamp(work / (plan_.form.n() + plan_.form.ny()), fewest_steps, most_steps);
    next_sample_ = start_ + (plan_.horizon / plan_.samples);
    for (int k = 0; k < budget && integrator_->t() < end_ && advance(); ++k)
      found_.until = integrator_->t() - start_;
    if (lower_ > 0) found_.solution_rate = std::sqrt(upper_ / lower_);
    return found_;
  }

 private:
  void load(double t) {
    integrator_->interpolate(t, y_, yp_);
    driver_->scatter(t, y_, yp_);
  }

  bool advance() {
    const double stop = std::min(end_, events_.next_time_event(integrator_->t()));
    if (stop <= integrator_->t()) return false;
    driver_->before_step(*integrator_, stop);
    if (!driver_->step(*integrator_, stop).ok()) {
      load(integrator_->t());
      if (!driver_->explain_failure().empty()) {
        const int rank = plan_.form.ny();
        found_.singular = RankChange{.t = integrator_->t(), .from = rank, .to = rank - 1, .constraints = {}};
      }
      return false;
    }
    const double t = integrator_->t();
    load(t);
    if (events_.has_relations() && events_.find_crossings(crossed_, EventHandler::Depth::Hysteresis))
      return false;
    observe();
    if (!driver_->after_step(*integrator_).empty()) return false;
    Summary seen;
    driver_->finish(seen);
    if (!seen.rank_changes.empty()) {
      found_.singular = seen.rank_changes.front();
      found_.until = t - start_;
      return false;
    }
    return !integrator_->stiff();
  }

  // The environment holds the end of a step.
  void observe() {
    const double h = integrator_->last_step();
    const int m = plan_.form.order;
    std::vector<double> highest;
    for (int i = 0; i < plan_.form.n(); ++i) highest.push_back(value(plan_.form.x(i, m)));
    for (int i = 0; i < plan_.form.n(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      // For m = 1 the second derivative from the first at both ends of the step.
      const double below = m > 1 ? value(plan_.form.x(i, m - 1)) : highest[k];
      const double change = highest_.empty() ? 0 : (highest[k] - highest_[k]) / h;
      const double above = m > 1 ? highest[k] : change;
      lower_ += h * below * below;
      upper_ += h * above * above;
    }
    highest_ = std::move(highest);
    if (integrator_->t() < next_sample_ || integrator_->t() >= end_) return;
    next_sample_ = integrator_->t() + (plan_.horizon / plan_.samples);
    plan_.sample(environment_);
  }

  [[nodiscard]] double value(NodeId leaf) const {
    return environment_[static_cast<std::size_t>(plan_.model.slot(leaf))];
  }

  const ExplorationPlan& plan_;
  std::vector<double> environment_;
  Choice choice_;
  EventHandler events_;
  double start_;
  double end_;
  IntegratorSettings settings_;
  std::unique_ptr<RunDriver> driver_;
  std::unique_ptr<Integrator> integrator_;
  Exploration found_;
  std::vector<double> y_, yp_, highest_;
  std::vector<int> crossed_;
  double next_sample_ = 0;
  double upper_ = 0;  // ∫ |x^(m)|² dt, or of the one above for m = 1
  double lower_ = 0;  // ∫ of the one below
};

}  // namespace

Exploration explore(const ExplorationPlan& plan) {
  return Explorer(plan).run();
}

}  // namespace daedalus
