#include "simulate/advice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "simulate/advice_explore.hpp"
#include "simulate/advice_rank.hpp"
#include "simulate/initialise.hpp"

namespace daedalus {
namespace {

// "Much faster than the solution": a step that follows the solution is a thirtieth to a third of its time
// scale, and beyond a few steps an explicit treatment is unstable (paper 003 §4.1: h |F C'| must be small).
constexpr double much = 30;
constexpr double nearly_singular = 1e-4;  // of σ_min: below, nothing is risked

constexpr std::size_t most_unknowns = 3000;  // beyond, measuring costs more than it is worth
constexpr int most_levels = 1500;            // for dense matrices
// Up to here a run ahead is cheap. In larger models singular points are found when the run meets them.
constexpr int most_positions = 100;
constexpr int most_constraints = 60;

void take(Measures& measures, const PointMeasure& point) {
  measures.mass_condition = std::max(measures.mass_condition, point.mass_condition);
  measures.obliqueness = std::max(measures.obliqueness, point.obliqueness);
  measures.stiffness = std::max(measures.stiffness, point.stiffness);
  measures.coupling = std::max(measures.coupling, point.coupling);
  measures.constraint_speed = std::max(measures.constraint_speed, point.constraint_speed);
}

// Without a run ahead: from the values at the start alone.
double rate_at(const CompiledModel& model, const ConstrainedForm& form, std::span<const double> environment) {
  double above = 0;
  double below = 0;
  for (int i = 0; i < form.n(); ++i) {
    const double x = environment[static_cast<std::size_t>(model.slot(form.x(i, 0)))];
    const double a = environment[static_cast<std::size_t>(model.slot(form.x(i, form.order)))];
    below += x * x;
    above += a * a;
  }
  return below > 0 ? std::pow(above / below, 0.5 / form.order) : 0;
}

class Measuring {
 public:
  Measuring(const CompiledModel& model, const ConstrainedForm& form, std::span<const double> environment,
            double horizon)
      : model_(model), form_(form), environment_(environment), horizon_(horizon), meter_(model, form) {}

  Measures run() {
    out_.taken = true;
    out_.horizon = horizon_;
    daedalus::take(out_, meter_.measure(environment_));
    schur_.push_back(meter_.schur());
    const Eigen::MatrixXd g = meter_.constraint();
    meter_.evaluate(nearby_point(model_, form_, environment_, horizon_));
    schur_.push_back(meter_.schur());
    find_rank(g);
    const bool regular = out_.redundant.empty() && !out_.singular && !out_.uncontrolled;
    if (regular && form_.n() <= most_positions && form_.ny() <= most_constraints) look_ahead();
    if (out_.solution_rate == 0) out_.solution_rate = rate_at(model_, form_, environment_);
    finish_sigma();
    return out_;
  }

 private:
  void find_rank(const Eigen::MatrixXd& at_start) {
    const RankProfile profile = rank_profile(schur_);
    out_.rank = profile.regular;
    const bool singular_start = profile.ranks.front() < profile.regular;
    // At a singular start the constraints beside it tell which are redundant.
    out_.redundant = find_redundancies(form_, singular_start ? meter_.constraint() : at_start);
    const int independent = form_.ny() - static_cast<int>(out_.redundant.size());
    out_.uncontrolled = !meter_.mass_is_singular() && profile.regular < independent;
    if (singular_start) {
      out_.singular = RankChange{.t = environment_[static_cast<std::size_t>(model_.layout().time)],
                                 .from = profile.regular,
                                 .to = profile.ranks.front(),
                                 .constraints = {}};
    }
  }

  void look_ahead() {
    RankWatch watch(meter_, form_);
    const Exploration seen = explore({.model = model_,
                                      .form = form_,
                                      .environment = environment_,
                                      .horizon = horizon_,
                                      .watch = watch,
                                      .samples = 8,
                                      .sample = [this](std::span<const double> e) { sample(e); }});
    out_.looked_ahead = seen.until;
    out_.solution_rate = seen.solution_rate;
    out_.stiff_ahead = seen.stiff;
    out_.singular = seen.singular;
  }

  void sample(std::span<const double> environment) {
    daedalus::take(out_, meter_.measure(environment));
    schur_.push_back(meter_.schur());
  }

  void finish_sigma() {
    const RankProfile profile = rank_profile(schur_);
    out_.rank = std::max(out_.rank, profile.regular);
    out_.sigma_min = profile.sigma_min;
  }

  const CompiledModel& model_;
  const ConstrainedForm& form_;
  std::span<const double> environment_;
  double horizon_;
  PointMeter meter_;
  Measures out_;
  std::vector<Eigen::MatrixXd> schur_;
};

// At most two by name; the report has all.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 2;
  if (names.empty()) return "";
  const std::size_t shown = std::min(names.size(), most);
  const std::string more =
      names.size() > most ? fmt::format(" and {} more", names.size() - most) : std::string();
  return fmt::format(
      " ({}{})", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "), more);
}

std::string where(const RankChange& change, double horizon) {
  const double t = std::abs(change.t) < 1e-6 * horizon ? 0 : change.t;
  return fmt::format("the constraints lose rank near t = {:.4g}, from {} to {}{}", t, change.from, change.to,
                     some_of(change.constraints));
}

class Recommender {
 public:
  Recommender(const ConstrainedForm& form, Advice& advice)
      : form_(form), advice_(advice), seen_(advice.measures) {
    rate_ = std::max(seen_.solution_rate, 1 / seen_.horizon);
  }

  void run() {
    advice_.motion = motion();
    if (rank_matters()) return;
    if (!std::isfinite(seen_.mass_condition))
      return keep("the mass matrix is singular, and it needs no inverse of it");
    if (seen_.rank >= form_.n()) return keep("the constraints leave nothing free to move");
    if (form_.order > 2)
      return keep(fmt::format("it takes any order, and the model has order {}", form_.order));
    by_case();
  }

 private:
  [[nodiscard]] MotionCase motion() const {
    // If an explicit method was held up by stability, it was by the largest of the three.
    const double largest = std::max({seen_.stiffness, seen_.coupling, seen_.constraint_speed});
    const auto much_faster = [&](double rate) {
      return rate > much * rate_ || (seen_.stiff_ahead && rate == largest);
    };
    const bool fast = seen_.constraint_speed > much * rate_;
    const bool frozen = much_faster(seen_.stiffness);
    if (much_faster(seen_.coupling) || (frozen && fast)) return MotionCase::StiffCoupling;
    if (frozen) return MotionCase::StiffMotion;
    return fast ? MotionCase::FastConstraints : MotionCase::Slow;
  }

  void choose(Selection formulation, const std::string& reason) {
    advice_.why = fmt::format("{}: {}", formulation.to_text(), reason);
    advice_.formulation = std::move(formulation);
  }
  void keep(const std::string& reason) { choose(Selection("dummy-derivatives"), reason); }

  // Paper 000: redundant constraints and singular points.
  bool rank_matters() {
    if (!seen_.redundant.empty()) {
      const std::size_t count = seen_.redundant.size();
      choose(Selection("trust-region"),
             fmt::format("{} of {} constraints {} redundant, and it takes them as they are", count,
                         form_.ny(), count == 1 ? "is" : "are"));
      return true;
    }
    if (seen_.uncontrolled) {
      keep("the multipliers do not act on all constraints, so that the index is higher than the form says");
      return true;
    }
    if (!seen_.singular) return false;
    if (passes_singular_points(form_)) {
      choose(Selection("trust-region"),
             where(*seen_.singular, seen_.horizon) + ", and it passes singular points");
    } else if (form_.order == 1) {
      keep(where(*seen_.singular, seen_.horizon) +
           ", where multipliers have a pole; it holds the constraints on both sides, and a regularisation "
           "would "
           "not be as accurate");
    } else {
      keep(where(*seen_.singular, seen_.horizon) +
           "; motion constraints do not say how the motion goes on from there, whatever the formulation: "
           "write "
           "them as constraints of position if they are");
    }
    return true;
  }

  [[nodiscard]] std::string numbers() const {
    return fmt::format(
        "the constraints turn at {:.3g} rad, the frozen motion has |λ| ≤ {:.3g}, their coupling is {:.3g}, "
        "the "
        "solution changes at {:.3g} a unit of time",
        seen_.constraint_speed, seen_.stiffness, seen_.coupling, rate_);
  }

  // Paper 003 §4.2 and §5.
  void by_case() {
    const std::string measured = numbers();
    const bool risky = seen_.sigma_min < nearly_singular;
    switch (advice_.motion) {
      case MotionCase::Unknown:
      case MotionCase::Slow:
        return keep(
            fmt::format("nothing is stiff and the constraints turn slowly ({}), so that every stable "
                        "formulation does well; this one has the fewest states and keeps every constraint",
                        measured));
      case MotionCase::StiffMotion:
        return keep(fmt::format(
            "the motion itself is stiff, not the coupling with the constraints ({}), so that any stable "
            "formulation with an implicit integrator does well; this one keeps every constraint",
            measured));
      case MotionCase::FastConstraints:
      case MotionCase::StiffCoupling:
        break;
    }
    if (risky)
      return keep(fmt::format(
          "the constraints are nearly singular (σ = {:.2g}), and it exchanges its states there; {}",
          seen_.sigma_min, measured));
    const bool fast = advice_.motion == MotionCase::FastConstraints;
    choose(Selection("projected-invariants", {{.name = "variant", .text = "pb"}}),
           fmt::format("{} ({}); projections along Gᵀ keep implicit integrators stable there, while index2, "
                       "ggl:D=B and baumgarte would act like explicit ones",
                       fast ? "the constraints turn much faster than the solution changes"
                            : "the turning of the constraints makes the motion stiff",
                       measured));
  }

  const ConstrainedForm& form_;
  Advice& advice_;
  const Measures& seen_;
  double rate_ = 1;
};

Advice unmeasured(Advice advice, const std::string& reason) {
  advice.why = fmt::format("dummy-derivatives: it takes any DAE and keeps every constraint; {}", reason);
  return advice;
}

}  // namespace

int degrees_of_freedom(const ConstrainedForm& form, std::span<const Redundancy> redundant) {
  int free = form.order * form.n();
  for (const Companion& companion : form.companions) free += companion.order;
  for (const FormConstraint& constraint : form.constraints) free -= form.order - constraint.level;
  for (const Redundancy& r : redundant)
    free += form.order - form.constraints[static_cast<std::size_t>(r.constraint)].level;
  return free;
}

bool passes_singular_points(const ConstrainedForm& form) {
  return form.order > 1 &&
         std::ranges::all_of(form.constraints, [](const FormConstraint& c) { return c.level == 0; });
}

bool too_large_for_advice(const DaeSystem& system) {
  return system.variables.size() > most_unknowns;
}

void recommend(const ConstrainedForm& form, Advice& advice) {
  Recommender(form, advice).run();
}

Advice advise(const CompiledModel& model, const ConstrainedForm& form, std::span<const double> environment,
              double horizon) {
  Advice advice;
  advice.dof = degrees_of_freedom(form, {});
  if (model.level_count() > most_levels)
    return unmeasured(std::move(advice),
                      fmt::format("{} unknowns are too many to be measured", model.level_count()));
  advice.measures = Measuring(model, form, environment, horizon).run();
  advice.dof = degrees_of_freedom(form, advice.measures.redundant);
  recommend(form, advice);
  return advice;
}

Advice advise(const DaeSystem& system, const RunOptions& options) {
  Advice advice;
  if (too_large_for_advice(system))
    return unmeasured(std::move(advice),
                      fmt::format("{} unknowns are too many to be measured", system.variables.size()));
  auto form = recognise_constrained_form(system);
  if (!form) {
    advice.broken_by = form.error().front().message;
    return unmeasured(advice, advice.broken_by);
  }
  const auto shared = std::make_shared<const ConstrainedForm>(*std::move(form));
  advice.form = shared;
  auto model = CompiledModel::compile(level_system_of(*shared));
  if (!model) return unmeasured(std::move(advice), model.error().front().message);
  std::vector<double> environment = (*model)->fresh_environment();
  EventHandler events(**model, environment);
  const Initialisation start = initialise(**model, environment, events);
  if (start.status != Initialisation::Status::Ok)
    return unmeasured(std::move(advice), "no consistent initial values were found to measure at");
  advice = advise(**model, *shared, environment, horizon_length(system, options));
  advice.form = shared;
  return advice;
}

double horizon_length(const DaeSystem& system, const RunOptions& options) {
  const double start = system.experiment.start_time;
  const double end = options.until.value_or(system.experiment.stop_time.value_or(start + 1));
  return std::isfinite(end) && end > start ? end - start : 1;
}

}  // namespace daedalus
