#include "advise/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "advise/advice_explore.hpp"
#include "consistent/initialise.hpp"
#include "constraints/rank_profile.hpp"

namespace daedalus {
namespace {

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
            double length, Explore explore)
      : model_(model),
        form_(form),
        environment_(environment),
        length_(length),
        explore_(explore),
        meter_(model, form) {}

  Measures run() {
    out_.taken = true;
    out_.length = length_;
    const PointMeasure start = meter_.measure(environment_);
    daedalus::take(out_, start);
    out_.slowest = start.slowest;
    schur_.push_back(meter_.schur());
    const Eigen::MatrixXd g = meter_.constraint();
    meter_.evaluate(nearby_point(model_, form_, environment_, length_));
    schur_.push_back(meter_.schur());
    find_rank(g);
    const bool regular = out_.redundant.empty() && !out_.singular && !out_.uncontrolled;
    if (explore_ == Explore::Yes && regular && form_.n() <= most_positions && form_.ny() <= most_constraints)
      look_ahead();
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
    CourseRank rank(meter_, form_);
    const Exploration seen = explore({.model = model_,
                                      .form = form_,
                                      .environment = environment_,
                                      .length = length_,
                                      .rank = rank,
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
  double length_;
  Explore explore_;
  PointMeter meter_;
  Measures out_;
  std::vector<Eigen::MatrixXd> schur_;
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

bool too_large_for_advice(const DaeSystem& system) {
  return system.variables.size() > most_unknowns;
}

bool too_large_for_advice(const CompiledModel& model) {
  return model.level_count() > most_levels;
}

Advice advise(const CompiledModel& model, const ConstrainedForm& form, std::span<const double> environment,
              double length, Explore explore) {
  Advice advice;
  advice.dof = degrees_of_freedom(form, {});
  if (too_large_for_advice(model))
    return unmeasured(std::move(advice),
                      fmt::format("{} unknowns are too many to be measured", model.level_count()));
  advice.measures = Measuring(model, form, environment, length, explore).run();
  advice.dof = degrees_of_freedom(form, advice.measures.redundant);
  recommend(form, advice);
  return advice;
}

Advice advise(const DaeSystem& system, const RunOptions& options, Explore explore) {
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
  auto model = CompiledModel::compile(level_system_of(*shared), options.codegen, options.vars);
  if (!model) return unmeasured(std::move(advice), model.error().front().message);
  // Formulations that rewrite the form have Jacobians of their own.
  (*model)->spare_jacobian();
  std::vector<double> environment = (*model)->fresh_environment();
  EventHandler events(**model, environment);
  const Initialisation start = initialise(**model, environment, events);
  if (start.status != Initialisation::Status::Ok)
    return unmeasured(std::move(advice), "no consistent initial values were found to measure at");
  advice = advise(**model, *shared, environment, run_length(system, options), explore);
  advice.form = shared;
  advice.model = *std::move(model);
  return advice;
}

double run_length(const DaeSystem& system, const RunOptions& options) {
  const double start = system.experiment.start_time;
  const double end = options.until.value_or(system.experiment.stop_time.value_or(start + 1));
  return std::isfinite(end) && end > start ? end - start : 1;
}

}  // namespace daedalus
