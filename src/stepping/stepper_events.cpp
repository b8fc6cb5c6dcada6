// What a Stepper does at events: where they are, which values follow, and when they are too many.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "stepping/stepper.hpp"

namespace daedalus {
namespace {

constexpr std::size_t records_kept = 1000;  // of events in the summary; counters go on
// Chattering: so many crossings in a row, each sooner after the last one than this part of the run.
constexpr int chatter_limit = 15;
constexpr double chatter_spacing = 1e-9;
// No headway: windows of so many steps and events, so many of them in a row, at a pace at which the whole run
// would take more than so many. A transient that needs 300,000 steps may come.
constexpr long headway_window = 100'000;
constexpr int headway_windows = 3;
constexpr double most_steps = 1e9;
// At a pace at which it would take so many, a thousand steps without an event are enough: a transient would
// have let them grow by then, since every method at least doubles them in some tens.
constexpr long stuck_window = 1000;
constexpr double stuck_steps = 1e15;
// Of levels that are no states when values are made consistent after an event, against 1 for states: they
// follow, and do not pull.
constexpr double weight_of_others = 1e-6;

}  // namespace

// The end of a step fulfils all equations as it is.
void Stepper::load_for_relations(double t, SearchedStep::Loading loading) {
  integrator_->interpolate(t, y_, yp_);
  if (loading == SearchedStep::Loading::States) return driver_->place(t, y_, yp_);
  driver_->scatter(t, y_, yp_);
  if (loading == SearchedStep::Loading::Solved && t < integrator_->t()) (void)driver_->complete_output();
}

// The first time in the last step at which a relation differs from the truth held. Fills crossed_ and sets t.
bool Stepper::locate_crossing(double& t, bool event_at_end) {
  const CrossingSearch::Found& found = search_.search(
      {.begin = integrator_->t_previous(),
       .end = integrator_->t(),
       .order = integrator_->order(),
       .event_at_end = event_at_end,
       .load = [this](double at, SearchedStep::Loading loading) { load_for_relations(at, loading); }},
      environment_, settings_.tolerances.absolute);
  crossed_ = found.crossed;
  if (!crossed_.empty()) {
    t = found.t;
    crossing_since_ = found.since;
  } else if (found.missed >= 0) {
    fail_by_accumulation(found.missed);
  }
  return !crossed_.empty();
}

// `also`: what happens besides.
void Stepper::handle_event(const std::vector<int>& crossed, const std::string& also) {
  undetermined_ = -1;
  if (event_values_ == nullptr) event_values_ = std::make_unique<EventValues>(model_, settings_.tolerances);
  event_values_->remember(environment_);
  const EventReport report = events_.handle(
      t_, crossed, [this](const std::vector<Reinit>& reinits) { return make_consistent(reinits); });
  event_values_->forget();
  complete_ = true;
  if (report.ok && undetermined_ >= 0 && summary_.warnings.size() < records_kept)
    summary_.warnings.push_back(fmt::format(
        "the event at t = {:.10g} moves {}, and the equations leave open by how much; went on with the "
        "nearest values that fulfil them: a reinit() can say what is meant",
        t_, model_.levels().level_name(undetermined_)));
  std::vector<std::string> what = report.what;
  if (!also.empty()) what.push_back(also);
  if (!what.empty()) ++summary_.event_count;
  if (!what.empty() && summary_.events.size() < records_kept) {
    summary_.events.push_back({.t = t_, .what = fmt::format("{}", fmt::join(what, "; "))});
  }
  if (!report.ok) return fail(report.failure);
  if (!report.warning.empty() && summary_.warnings.size() < records_kept)
    summary_.warnings.push_back(report.warning);
  if (report.terminated) {
    stopped_ = true;
    summary_.reason = fmt::format("terminated by the model at t = {:.10g}: {}", t_, report.message);
  }
}

// Consistent values after an event; empty string when they were found.
std::string Stepper::make_consistent(const std::vector<Reinit>& reinits) {
  if (event_values_ == nullptr) event_values_ = std::make_unique<EventValues>(model_, settings_.tolerances);
  const EventValues::Outcome outcome = event_values_->solve(environment_, reinits);
  if (outcome == EventValues::Outcome::Solved) return {};
  if (outcome == EventValues::Outcome::LowerSolved) return make_nearest({});
  const auto& states = driver_->states();
  bool all_states = true;
  for (const Reinit& reinit : reinits)
    all_states = all_states && std::ranges::binary_search(states, reinit.level);
  for (const Reinit& reinit : reinits) {
    const int slot = model_.layout().levels + reinit.level;
    if (all_states) environment_[static_cast<std::size_t>(slot)] = reinit.value;
  }
  if (all_states && driver_->make_consistent()) return {};
  // The states may not be a good choice any more on the other side of the event.
  std::string reason = make_nearest(reinits);
  if (reason.empty() && reinits.empty()) undetermined_ = event_values_->jumped(environment_);
  return reason;
}

std::string Stepper::make_nearest(const std::vector<Reinit>& reinits) {
  const auto first = environment_.begin() + model_.layout().levels;
  NearestProblem problem;
  problem.guess.assign(first, first + model_.level_count());
  problem.held.assign(problem.guess.size(), false);
  problem.weight.assign(problem.guess.size(), weight_of_others);
  for (const double value : problem.guess) problem.scale.push_back(std::max(1.0, std::abs(value)));
  for (const int s : driver_->states()) problem.weight[static_cast<std::size_t>(s)] = 1;
  for (const Reinit& reinit : reinits) {
    problem.guess[static_cast<std::size_t>(reinit.level)] = reinit.value;
    problem.held[static_cast<std::size_t>(reinit.level)] = true;
  }
  const ConstraintFunction constraints = level_constraints(model_, environment_);
  const NearestResult found = nearest_point(constraints, problem);
  std::ranges::copy(found.z, environment_.begin() + model_.layout().levels);
  if (found.status == NearestStatus::Ok) return {};
  const std::string worst =
      found.bad_row >= 0
          ? model_.levels().equation_name(model_.levels().equations[static_cast<std::size_t>(found.bad_row)])
          : "";
  const std::string why =
      found.status == NearestStatus::NotFinite ? "has no finite value there" : "could not be fulfilled";
  return fmt::format(
      "no consistent values were found after the event at t = {:.10g}{}", t_,
      worst.empty() ? std::string(": the equations are singular there") : fmt::format("; {} {}", worst, why));
}

// Crossings that follow each other at once, again and again.
void Stepper::watch_chattering(bool crossing) {
  const bool at_once = crossing_since_ - last_crossing_ < chatter_spacing * (settings_.end - settings_.start);
  chatter_ = crossing && at_once ? chatter_ + 1 : 0;
  if (crossing) last_crossing_ = t_;
  if (crossing) accumulation_.crossed(t_, crossed_);
  if (chatter_ < chatter_limit) return;
  for (const int r : crossed_) {
    if (accumulation_.shrinks(r)) return fail_by_accumulation(r);
  }
  std::vector<std::string> names;
  for (const int r : crossed_) names.push_back(relation_text(model_.dae(), r));
  fail(
      fmt::format("chattering at t = {:.10g}: {} switches back and forth without end; make the "
                  "switch smooth, add hysteresis, or use noEvent()",
                  t_, fmt::join(names, ", ")));
}

void Stepper::fail_by_accumulation(int relation) {
  fail(fmt::format(
      "events accumulate at t = {:.6g}: {} changes ever faster, until no tolerance tells one change "
      "from the next, so what follows would not be the motion that the model means; end the run "
      "there, or give the model a state of rest",
      t_, relation_text(model_.dae(), relation)));
}

void Stepper::watch_headway(bool event) {
  if (!headway_.started || t_ < headway_.begin) headway_ = {.begin = t_, .started = true, .since = t_};
  const double length = settings_.end - settings_.start;
  if (event) headway_.quiet = 0;
  if (headway_.quiet++ == 0) headway_.since = t_;
  if (headway_.quiet > stuck_window) {
    headway_.quiet = 0;
    const double pace = (t_ - headway_.since) / static_cast<double>(stuck_window);
    if (pace * stuck_steps < length) return fail_without_headway(stuck_window, pace, stuck_steps);
  }
  if (++headway_.counted < headway_window) return;
  const double pace = (t_ - headway_.begin) / static_cast<double>(headway_window);
  headway_.slow = pace * most_steps < length ? headway_.slow + 1 : 0;
  headway_.counted = 0;
  headway_.begin = t_;
  if (headway_.slow >= headway_windows)
    fail_without_headway(headway_windows * headway_window, pace, most_steps);
}

void Stepper::fail_without_headway(long steps, double pace, double most) {
  if (failed_) return;
  // Steps that shrink towards a singular point are the same failure as a step that cannot be made there.
  const std::string more = driver_->explain_failure();
  near_singular_ = near_singular_ || !more.empty();
  fail(fmt::format(
      "{}{}no headway at t = {:.10g}: the last {} steps and events went forward by {:.3g} each, so that the "
      "run would take more than {:.0e} of them; the model has events or changes that are much too "
      "fast for its end time, or is near a point where its solution ends",
      more, more.empty() ? "" : "; ", t_, steps, pace, most));
}

}  // namespace daedalus
