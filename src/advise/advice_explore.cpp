#include "advise/advice_explore.hpp"

#include <algorithm>
#include <cmath>

#include "consistent/events.hpp"
#include "drive/make_driver.hpp"

namespace daedalus {
namespace {

// Of the coarse run: loose enough to be cheap, tight enough that it goes where the run will go.
constexpr double tolerance = 1e-5;
// What counts as a singular point: the monitor sees the square of the distance from it, and near it the
// errors of a coarse run are magnified.
constexpr double singular_threshold = 1e-5;
constexpr double near_impasse = 1e-3;
constexpr double worth_a_look = 0.1;  // above it no singular point lies beside a look
constexpr int most_steps = 150;       // of a coarse run over the whole time, or as much of it as they cover
constexpr int work = 4000;            // steps times unknowns
constexpr int looks = 6;              // at the rank in a step that comes near: steps here are long
constexpr int window = 8;  // steps over which a rate is taken: in fewer, the noise of stiff motions shows

RunPlan exploring_choice(const ConstrainedForm& form) {
  RunPlan choice;
  choice.row = find_formulation("orthogonal-projection");
  choice.row_options = resolve(Selection("orthogonal-projection"), choice.row->options, "").value();
  choice.integrator_row = find_integrator("dopri5");
  choice.integrator = resolve(Selection("dopri5"), choice.integrator_row->options, "").value();
  choice.soft = false;  // such points are what is looked for
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
        end_(start_ + plan.length) {
    settings_.tolerances = {.relative = tolerance, .absolute = tolerance};
    settings_.selection = choice_.integrator;
  }

  Exploration run() {
    auto driver = make_driver({.model = plan_.model, .plan = choice_, .tolerances = settings_.tolerances});
    if (!driver) return found_;
    driver_ = *std::move(driver);
    environment_.resize(static_cast<std::size_t>(driver_->slots()), 0.0);
    driver_->bind(environment_);
    events_.bind(environment_);
    events_.begin(start_);
    if (!driver_->begin().empty()) return found_;
    integrator_ = driver_->make_integrator(*choice_.integrator_row, settings_);
    y_.resize(static_cast<std::size_t>(driver_->size()));
    yp_.resize(y_.size());
    driver_->start_values(nullptr, y_, yp_);
    integrator_->start(start_, y_, yp_, end_);
    root_ = std::sqrt(plan_.rank.sigma(environment_));
    const int budget = std::min(work / (plan_.form.n() + plan_.form.ny()), most_steps);
    sample_steps_ = std::max(1, budget / plan_.samples);
    next_sample_ = start_ + (plan_.length / plan_.samples);
    for (int k = 0; k < budget && integrator_->t() < end_ && advance(); ++k)
      found_.until = integrator_->t() - start_;
    found_.stiff = integrator_->stiff();
    if (!rates_.empty()) {
      const auto middle = rates_.begin() + static_cast<std::ptrdiff_t>(rates_.size() / 2);
      std::ranges::nth_element(rates_, middle);
      found_.solution_rate = *middle;
    }
    return found_;
  }

 private:
  void load(double t) {
    integrator_->interpolate(t, y_, yp_);
    driver_->scatter(t, y_, yp_);
  }

  bool advance() {
    const double stop = std::min(end_, events_.next_time_event(integrator_->t(), end_));
    if (stop <= integrator_->t()) return false;
    driver_->before_step(*integrator_, stop);
    if (!driver_->step(*integrator_, stop).ok()) {
      load(integrator_->t());
      // An impasse: it gets no nearer than this.
      if (plan_.rank.sigma(environment_) < near_impasse) {
        found_.singular = RankChange{.t = integrator_->t(),
                                     .from = plan_.rank.full_rank(),
                                     .to = plan_.rank.full_rank() - 1,
                                     .constraints = plan_.rank.weakest()};
      }
      return false;
    }
    load(integrator_->t());
    if (events_.contradicted()) return false;
    observe();
    if (meets_singular_point()) return false;
    if (!driver_->after_step(*integrator_).empty()) return false;
    return true;
  }

  // Where the smallest singular value may have touched zero within the step, a look at some points of it and
  // a golden section. Leaves the environment at the end of the step unless it is met.
  bool meets_singular_point() {
    const double root_before = root_;
    const double slope_before = slope_;
    root_ = std::sqrt(plan_.rank.sigma(environment_));
    slope_ = std::abs(root_ - root_before) / integrator_->last_step();
    // √σ goes linearly through a singular point: could it have come there at the pace of the last steps?
    const double reach = 3 * std::max(slope_before, slope_) * integrator_->last_step();
    if (std::min(root_before, root_) > reach && steps_ > 1) return false;
    const double begin = integrator_->t_previous();
    const double h = integrator_->last_step() / looks;
    int lowest = 0;
    double least = root_before * root_before;
    for (int k = 1; k <= looks; ++k) {
      const double sigma = k == looks ? root_ * root_ : sigma_at(begin + (k * h));
      if (!(sigma < least)) continue;
      least = sigma;
      lowest = k;
    }
    if (least < worth_a_look) {
      const double t =
          minimum(begin + (std::max(lowest - 1, 0) * h), begin + (std::min(lowest + 1, looks) * h));
      if (sigma_at(t) < singular_threshold) {
        found_.singular = RankChange{.t = t,
                                     .from = plan_.rank.full_rank(),
                                     .to = plan_.rank.rank(singular_threshold),
                                     .constraints = plan_.rank.weakest()};
        found_.until = t - start_;
        return true;
      }
    }
    load(integrator_->t());
    return false;
  }

  double sigma_at(double t) {
    load(std::clamp(t, integrator_->t_previous(), integrator_->t()));
    return plan_.rank.sigma(environment_);
  }

  double minimum(double low, double high) {
    constexpr double golden = 0.6180339887498949;  // (√5 - 1)/2
    constexpr int halvings = 34;  // 1e-7 of the interval; in a very short one rounding ends it
    for (int k = 0; k < halvings && low < high; ++k) {
      const double a = high - (golden * (high - low));
      const double b = low + (golden * (high - low));
      if (sigma_at(a) < sigma_at(b))
        high = b;
      else
        low = a;
    }
    return (low + high) / 2;
  }

  // The environment holds the end of a step.
  void observe() {
    const int level = std::max(1, plan_.form.order - 1);
    std::vector<double> now;
    for (int i = 0; i < plan_.form.n(); ++i) now.push_back(value(plan_.form.x(i, level)));
    if (steps_++ % window == 0) {
      take_rate(now);
      past_ = std::move(now);
      past_time_ = integrator_->t();
    }
    // Some along the time, some along the steps if they do not come that far.
    if (integrator_->t() < next_sample_ && steps_ % sample_steps_ != 0) return;
    next_sample_ = integrator_->t() + (plan_.length / plan_.samples);
    plan_.sample(environment_);
  }

  // |x^(m)|/|x^(m-1)| over the window that ends now; for m = 1 of the derivatives one higher.
  void take_rate(const std::vector<double>& now) {
    if (past_.empty()) return;
    double change = 0;
    double size = 0;
    for (std::size_t i = 0; i < now.size(); ++i) {
      change += (now[i] - past_[i]) * (now[i] - past_[i]);
      size += ((now[i] * now[i]) + (past_[i] * past_[i])) / 2;
    }
    if (size > 0) rates_.push_back(std::sqrt(change / size) / (integrator_->t() - past_time_));
  }

  [[nodiscard]] double value(NodeId leaf) const {
    return environment_[static_cast<std::size_t>(plan_.model.slot(leaf))];
  }

  const ExplorationPlan& plan_;
  std::vector<double> environment_;
  RunPlan choice_;
  EventHandler events_;
  double start_;
  double end_;
  IntegratorSettings settings_;
  std::unique_ptr<RunDriver> driver_;
  std::unique_ptr<Integrator> integrator_;
  Exploration found_;
  std::vector<double> y_, yp_, past_, rates_;
  double next_sample_ = 0;
  long sample_steps_ = 1;
  double past_time_ = 0;
  double root_ = 1;   // √σ at the end of the last step
  double slope_ = 0;  // of it, in that step
  long steps_ = 0;
};

}  // namespace

Exploration explore(const ExplorationPlan& plan) {
  return Explorer(plan).run();
}

}  // namespace daedalus
