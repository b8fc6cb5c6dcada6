#include "consistent/events.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace daedalus {
namespace {

// Iterations of an event: no model that settles needs many more than it has relations that depend on each
// other, and one that has not settled by then goes in circles.
constexpr int iteration_limit = 400;
// Of the terms of a relation's difference: what two components that block each other may be off by.
constexpr double tolerated_contradiction = 1e-3;
// Of the terms of a difference: what values at an event are off by, solved for or interpolated.
constexpr double located_part = 1e-6;
// The same in units of atol, for a difference that is one unknown by itself.
constexpr double located_depth = 1e3;
// Passes of initialisation in which pre(x) follows x, where nothing else is said of it.
constexpr int passes_of_past = 20;
// Relations in a circle of which all combinations are tried, at most 2^8.
constexpr std::size_t searched_relations = 8;

bool truth(const Relation& relation, double difference) {
  return difference > 0 || (difference == 0 && !relation.strict);
}

double tick_time(const SampleClock& clock, long k) {
  return clock.start + (static_cast<double>(k) * clock.interval);
}

bool same_value(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

// Two instants that are one: rounding of t cannot tell them apart.
bool same_instant(double a, double b) {
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  return std::abs(a - b) <= rounding * std::max(std::abs(a), std::abs(b));
}

}  // namespace

std::string relation_text(const DaeSystem& system, int relation) {
  const Relation& r = system.relations[static_cast<std::size_t>(relation)];
  if (r.span.valid())
    return fmt::format("{} ({})", system.sources->excerpt(r.span), system.sources->place(r.span));
  return fmt::format("{} {} 0", expression_text(system, r.difference), r.strict ? ">" : ">=");
}

EventHandler::EventHandler(const CompiledModel& model, std::span<double> environment, double hysteresis)
    : model_(model),
      environment_(environment),
      hysteresis_(hysteresis),
      courses_(std::make_shared<const RelationCourses>(model)),
      time_(model, courses_) {
  differences_.resize(model.dae().relations.size());
  compile_steps();
  const auto& levels = model.levels().levels;
  for (std::size_t k = 0; k + 1 < levels.size(); ++k) {
    if (levels[k + 1].order > levels[k].order) lower_levels_.push_back(static_cast<int>(k));
  }
  next_tick_.assign(model.dae().samples.size(), 0);
  std::vector<NodeId> residuals;
  for (const LevelEquation& e : model.levels().equations) residuals.push_back(e.residual);
  for (const NodeId id : topological_order(*model.dae().graph, residuals)) {
    const Op op = model.dae().graph->node(id).op;
    equations_read_past_ = equations_read_past_ || op == Op::Pre || op == Op::Sample;
  }
}

void EventHandler::compile_steps() {
  std::size_t conditions = 0;
  const ExprGraph& graph = *model_.dae().graph;
  for (const DiscreteStep& step : model_.dae().discrete_steps) {
    CompiledStep compiled;
    if (const auto* assignment = std::get_if<Assignment>(&step)) {
      compiled.program = model_.compile(std::array{assignment->value});
      compiled.target = assignment->target;
      compiled.source = assignment;
    } else {
      for (const WhenBranch& branch : std::get<WhenClause>(step).branches) {
        CompiledBranch b;
        std::vector<NodeId> roots = branch.conditions;
        for (const Assignment& a : branch.assignments) roots.push_back(a.value);
        for (const Assignment& a : branch.reinits) roots.push_back(a.value);
        b.program = model_.compile(roots);
        b.conditions = branch.conditions.size();
        b.first_condition = conditions;
        conditions += b.conditions;
        for (std::size_t k = 0; k < b.conditions; ++k) {
          if (graph.node(branch.conditions[k]).op == Op::Initial)
            b.always_initial.push_back(static_cast<int>(k));
        }
        b.source = &branch;
        compiled.branches.push_back(std::move(b));
      }
    }
    steps_.push_back(std::move(compiled));
  }
  for (const Assignment& a : model_.dae().initial_assignments)
    initial_assignments_.push_back(model_.compile(std::array{a.value}));
  past_.assign(model_.dae().variables.size(), Past::Open);
  for (std::size_t v = 0; v < past_.size(); ++v) {
    if (model_.dae().variables[v].fixed) past_[v] = Past::Given;
  }
  for (const Assignment& a : model_.dae().initial_assignments) past_[a.target.at()] = Past::Given;
  for (const CompiledStep& step : steps_) {
    if (step.source != nullptr && past_[step.target.at()] == Past::Given)
      past_[step.target.at()] = Past::GivenAlone;
  }
  previous_condition_.assign(conditions, 0);
  condition_ = previous_condition_;
}

bool EventHandler::update_relations(const std::vector<signed char>& forced, int pass_number) {
  if (differences_.empty()) return false;
  model_.relations.evaluate(environment_, differences_, workspace_);
  const double t = environment_[static_cast<std::size_t>(model_.layout().time)];
  bool changed = false;
  // Switching all at once can go round in circles (bridges of diodes). Then only the first one that is wrong
  // switches: the least-index rule of Murty and Bard, which ends for the complementarity problems of
  // circuits. Where even that does not end, values that rest at zero decide nothing, and the hysteresis
  // grows.
  const bool one_at_a_time = pass_number > all_at_once || one_at_a_time_;
  const int rounds = std::max(0, pass_number - (2 * all_at_once)) / all_at_once;
  const double hysteresis = hysteresis_ * std::pow(10.0, std::min(rounds, 5));
  for (std::size_t r = 0; r < differences_.size(); ++r) {
    double& flag = environment_[static_cast<std::size_t>(model_.layout().relations) + r];
    const bool of_time = !forced.empty() && time_.contains(static_cast<int>(r));
    bool now = of_time ? time_.truth_from(static_cast<int>(r), t, environment_)
                       : truth(model_.dae().relations[r], differences_[r]);
    // What rests at zero decides nothing; what an event has moved there from afar does. A crossing that was
    // located holds on its new side unless the iteration has really moved it.
    if (!forced.empty() && !of_time) {
      const bool jumped =
          !one_at_a_time && r < before_event_.size() && std::abs(before_event_[r]) > hysteresis;
      const double slack = std::max(located_slack_[r], std::abs(before_event_[r]));
      const bool located = located_slack_[r] > 0 && std::abs(differences_[r] - before_event_[r]) <= slack;
      if (located || (!jumped && std::abs(differences_[r]) <= hysteresis))
        now = forced[r] != 0 ? forced[r] > 0 : flag != 0;
    }
    if ((flag != 0) == now || (one_at_a_time_ && refused_[r] != 0)) continue;
    changed = true;
    flag = now ? 1 : 0;
    last_switched_ = static_cast<int>(r);
    if (one_at_a_time) break;
  }
  return changed;
}

void EventHandler::take_pre_values() {
  results_.resize(model_.pre_variables.size());
  model_.pre_sources.evaluate(environment_, results_, workspace_);
  for (std::size_t k = 0; k < results_.size(); ++k) {
    environment_[static_cast<std::size_t>(model_.layout().pre_slot[model_.pre_variables[k].at()])] =
        results_[k];
  }
}

bool EventHandler::assign(VariableId target, double value) {
  const int slot = model_.layout().discrete_slot[target.at()];
  if (slot < 0) return false;
  double& at = environment_[static_cast<std::size_t>(slot)];
  const bool changed = at != value && !(std::isnan(at) && std::isnan(value));
  at = value;
  return changed;
}

bool EventHandler::run_branch(CompiledBranch& branch, bool initial, Pass& pass, EventReport* report) {
  const WhenBranch& source = *branch.source;
  std::vector<double> values(branch.program.roots());
  branch.program.evaluate(environment_, values, workspace_);
  bool fires = false;
  for (std::size_t k = 0; k < branch.conditions; ++k) {
    const bool now = values[k] != 0;
    const bool is_initial =
        std::ranges::find(branch.always_initial, static_cast<int>(k)) != branch.always_initial.end();
    fires = fires || (now && (initial ? is_initial : previous_condition_[branch.first_condition + k] == 0));
    condition_[branch.first_condition + k] = now ? 1 : 0;
  }
  if (!fires) return false;
  for (std::size_t k = 0; k < source.assignments.size(); ++k) {
    // Later assignments of a branch may use earlier ones.
    if (k > 0) branch.program.evaluate(environment_, values, workspace_);
    pass.changed = assign(source.assignments[k].target, values[branch.conditions + k]) || pass.changed;
  }
  for (std::size_t k = 0; k < source.reinits.size(); ++k) {
    const Assignment& reinit = source.reinits[k];
    // raise_order may have replaced the target by a derivative of another variable.
    int level = -1;
    double factor = 1;
    const int j = model_.levels().incidence.column[reinit.target.at()];
    if (j >= 0) level = model_.levels().level_start[static_cast<std::size_t>(j)];
    for (const LevelAlias& alias : model_.levels().raised.aliases) {
      if (alias.variable != reinit.target) continue;
      const int target = model_.levels().incidence.column[alias.target.at()];
      level = model_.levels().level_start[static_cast<std::size_t>(target)] + alias.order;
      factor = alias.factor;
    }
    if (level >= 0)
      pass.reinits.push_back(
          {.level = level, .value = values[branch.conditions + source.assignments.size() + k] / factor});
  }
  if (report != nullptr) {
    const std::string place =
        source.span.valid() ? fmt::format("when ({})", model_.dae().sources->place(source.span)) : "when";
    if (std::ranges::find(report->what, place) == report->what.end()) report->what.push_back(place);
    for (const Termination& termination : source.terminations) {
      report->terminated = true;
      report->message = termination.message;
    }
  }
  return true;
}

EventHandler::Pass EventHandler::run_steps(bool initial, EventReport* report) {
  Pass pass;
  double value = 0;
  for (CompiledStep& step : steps_) {
    if (step.source != nullptr) {
      step.program.evaluate(environment_, std::span(&value, 1), workspace_);
      pass.changed = assign(step.target, value) || pass.changed;
      continue;
    }
    bool taken = false;
    for (CompiledBranch& branch : step.branches) {
      // All conditions are looked at, so that their memory is right; only the first active branch acts.
      if (taken) {
        std::vector<double> values(branch.program.roots());
        branch.program.evaluate(environment_, values, workspace_);
        for (std::size_t k = 0; k < branch.conditions; ++k)
          condition_[branch.first_condition + k] = values[k] != 0 ? 1 : 0;
        continue;
      }
      taken = run_branch(branch, initial, pass, report);
    }
  }
  return pass;
}

bool EventHandler::initial_pass() {
  environment_[static_cast<std::size_t>(model_.layout().initial)] = 1;
  const auto first = environment_.begin() + model_.layout().discretes;
  const auto last = environment_.begin() + model_.layout().relations;  // pre values included
  const std::vector<double> before(first, last);
  const bool switched = update_relations({}, 0);
  double value = 0;
  for (std::size_t k = 0; k < initial_assignments_.size(); ++k) {
    initial_assignments_[k].evaluate(environment_, std::span(&value, 1), workspace_);
    const VariableId target = model_.dae().initial_assignments[k].target;
    if (const int pre = model_.layout().pre_slot[target.at()]; pre >= 0)
      environment_[static_cast<std::size_t>(pre)] = value;
    // Of a variable that has an equation of its own, it can only be the value before that is meant.
    if (past_[target.at()] != Past::GivenAlone) assign(target, value);
  }
  run_steps(true, nullptr);
  // What initialisation has set by then is also what was "before": pre(x) of a variable of which nothing is
  // said is its value. Where that goes round in circles (x = not pre(x)) it is the start value.
  if (++initial_passes_ <= passes_of_past) {
    for (const VariableId v : model_.pre_variables) {
      const int discrete = model_.layout().discrete_slot[v.at()];
      const int pre = model_.layout().pre_slot[v.at()];
      if (discrete >= 0 && past_[v.at()] == Past::Open)
        environment_[static_cast<std::size_t>(pre)] = environment_[static_cast<std::size_t>(discrete)];
    }
  } else if (initial_passes_ == passes_of_past + 1) {
    for (const VariableId v : model_.pre_variables) {
      if (model_.layout().discrete_slot[v.at()] >= 0 && past_[v.at()] == Past::Open)
        environment_[static_cast<std::size_t>(model_.layout().pre_slot[v.at()])] =
            model_.dae().variables[v.at()].start;
    }
  }
  return switched || !std::equal(before.begin(), before.end(), first, same_value);
}

EventHandler::Restart EventHandler::restart_pass(int number) {
  environment_[static_cast<std::size_t>(model_.layout().initial)] = 0;
  if (number == 0) {
    take_pre_values();
    previous_condition_ = condition_;
  }
  const auto first = environment_.begin() + model_.layout().discretes;
  const auto last = environment_.begin() + model_.layout().pres;
  const std::vector<double> before(first, last);
  const bool switched = update_relations({}, number);
  reset_when_targets();
  Pass pass = run_steps(false, nullptr);
  return {.changed = switched || !std::equal(before.begin(), before.end(), first, same_value),
          .reinits = std::move(pass.reinits)};
}

void EventHandler::begin(double t) {
  environment_[static_cast<std::size_t>(model_.layout().initial)] = 0;
  take_pre_values();
  clear_samples();
  for (CompiledStep& step : steps_) {
    for (CompiledBranch& branch : step.branches) {
      std::vector<double> values(branch.program.roots());
      branch.program.evaluate(environment_, values, workspace_);
      for (std::size_t k = 0; k < branch.conditions; ++k)
        previous_condition_[branch.first_condition + k] = values[k] != 0 ? 1 : 0;
    }
  }
  for (std::size_t s = 0; s < next_tick_.size(); ++s) {
    const SampleClock& clock = model_.dae().samples[s];
    long k = std::max(0L, static_cast<long>((t - clock.start) / clock.interval) - 1);
    while (tick_time(clock, k) < t && !same_instant(tick_time(clock, k), t)) ++k;
    next_tick_[s] = k;
  }
  next_known_ = false;
}

double EventHandler::next_time_event(double t, double limit) {
  if (next_known_ && t <= next_ && limit <= known_until_) return next_;
  next_ = time_.next_change(t, limit, environment_);
  known_until_ = time_.searched() ? limit : std::numeric_limits<double>::infinity();
  for (std::size_t s = 0; s < next_tick_.size(); ++s)
    next_ = std::min(next_, tick_time(model_.dae().samples[s], next_tick_[s]));
  next_known_ = true;
  return next_;
}

bool EventHandler::contradicted() {
  if (differences_.empty()) return false;
  model_.relations.evaluate(environment_, differences_, workspace_);
  for (std::size_t r = 0; r < differences_.size(); ++r) {
    const bool flag = environment_[static_cast<std::size_t>(model_.layout().relations) + r] != 0;
    if (!time_.contains(static_cast<int>(r)) && std::abs(differences_[r]) > hysteresis_ &&
        truth(model_.dae().relations[r], differences_[r]) != flag)
      return true;
  }
  return false;
}

void EventHandler::set_due_samples(double t, EventReport& report) {
  for (std::size_t s = 0; s < next_tick_.size(); ++s) {
    const SampleClock& clock = model_.dae().samples[s];
    const double tick = tick_time(clock, next_tick_[s]);
    const bool due = tick <= t || same_instant(tick, t);
    environment_[static_cast<std::size_t>(model_.layout().samples) + s] = due ? 1 : 0;
    if (!due) continue;
    while (tick_time(clock, next_tick_[s]) <= t || same_instant(tick_time(clock, next_tick_[s]), t))
      ++next_tick_[s];
    report.what.push_back(fmt::format("sample({:g}, {:g})", clock.start, clock.interval));
  }
}

void EventHandler::clear_samples() {
  for (std::size_t s = 0; s < next_tick_.size(); ++s)
    environment_[static_cast<std::size_t>(model_.layout().samples) + s] = 0;
}

std::string EventHandler::unsettled_names() const {
  std::vector<std::string> names;
  for (const VariableId v : model_.pre_variables) {
    const int discrete = model_.layout().discrete_slot[v.at()];
    const int pre = model_.layout().pre_slot[v.at()];
    if (discrete >= 0 &&
        environment_[static_cast<std::size_t>(discrete)] != environment_[static_cast<std::size_t>(pre)] &&
        names.size() < 8) {
      names.push_back(model_.dae().variables[v.at()].name);
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// By how much a difference that is zero may be off, as the sum of its terms has been solved for.
double EventHandler::slack_of(int relation) const {
  std::vector<double> values;
  for (const int slot : courses_->slots()) values.push_back(environment_[static_cast<std::size_t>(slot)]);
  CourseProgram::Scratch scratch;
  const double terms =
      courses_->program(relation).rounding(values, scratch) / std::numeric_limits<double>::epsilon();
  return std::max(located_part * (std::isfinite(terms) ? terms : 0), located_depth * hysteresis_);
}

EventReport EventHandler::handle(double t, const std::vector<int>& crossed,
                                 const MakeConsistent& make_consistent) {
  EventReport report;
  next_known_ = false;
  environment_[static_cast<std::size_t>(model_.layout().time)] = t;
  take_pre_values();
  set_due_samples(t, report);
  before_event_.resize(differences_.size());
  if (!before_event_.empty()) model_.relations.evaluate(environment_, before_event_, workspace_);
  std::vector<signed char> forced(differences_.size(), 0);
  located_slack_.assign(differences_.size(), 0.0);
  for (const int r : crossed) {
    located_slack_[static_cast<std::size_t>(r)] = slack_of(r);
    const int slot = model_.layout().relations + r;
    const bool flag = environment_[static_cast<std::size_t>(slot)] != 0;
    forced[static_cast<std::size_t>(r)] = flag ? -1 : 1;
    if (report.what.size() < 4)
      report.what.push_back(
          fmt::format("{} became {}", relation_text(model_.dae(), r), flag ? "false" : "true"));
  }
  // A relation of time alone that changes at this very instant takes its new side too.
  for (const int r : time_.relations()) {
    const bool flag = environment_[static_cast<std::size_t>(model_.layout().relations + r)] != 0;
    if (forced[static_cast<std::size_t>(r)] != 0 || time_.truth_from(r, t, environment_) == flag) continue;
    forced[static_cast<std::size_t>(r)] = flag ? -1 : 1;
    report.what.push_back(
        fmt::format("{} became {}", relation_text(model_.dae(), r), flag ? "false" : "true"));
  }
  // Outer iteration: with pre() fixed, find discrete and continuous values that fit each other (inner
  // iteration, the mixed system); then the present becomes the past, until nothing changes.
  for (int iteration = 0; iteration < iteration_limit; ++iteration) {
    const bool must_solve = iteration == 0 || equations_read_past_;
    const MixedOutcome mixed = solve_mixed(forced, must_solve, make_consistent, report);
    if (!report.ok) return report;
    previous_condition_ = condition_;
    std::ranges::fill(forced, static_cast<signed char>(0));  // from now on the values speak for themselves
    const std::string unsettled = unsettled_names();
    take_pre_values();
    clear_samples();
    if ((!mixed.changed && unsettled.empty() && iteration > 0) || !report.warning.empty()) return report;
    if (iteration + 1 == iteration_limit) report.failure = unsettled;
  }
  report.ok = false;
  report.failure =
      fmt::format("the discrete variables do not settle at t = {:.10g}: {} keep changing at one instant", t,
                  report.failure);
  return report;
}

EventHandler::MixedOutcome EventHandler::solve_mixed(const std::vector<signed char>& forced, bool must_solve,
                                                     const MakeConsistent& make_consistent,
                                                     EventReport& report) {
  MixedOutcome outcome;
  const auto levels = environment_.begin() + model_.layout().levels;
  const std::vector<double> snapshot(levels, levels + model_.level_count());
  std::vector<double> solved = snapshot;  // with the relations `held`
  std::string refusal;
  const auto discrete_begin = static_cast<std::size_t>(model_.layout().discretes);
  const auto discrete_end = static_cast<std::size_t>(model_.layout().pres);
  const auto relations_begin = environment_.begin() + model_.layout().relations;
  std::vector<double> held(relations_begin, relations_begin + static_cast<long>(differences_.size()));
  double nearest = std::numeric_limits<double>::infinity();
  std::vector<double> nearest_environment;
  std::vector<int> circling;  // relations that still switch one at a time
  one_at_a_time_ = false;
  for (int pass_number = 0; pass_number < iteration_limit; ++pass_number) {
    const std::vector<double> before(environment_.begin() + static_cast<long>(discrete_begin),
                                     environment_.begin() + static_cast<long>(discrete_end));
    if (pass_number == search_after && !circling.empty() && circling.size() <= searched_relations)
      try_combinations(circling, snapshot, forced, make_consistent);
    bool changed = update_relations(forced, pass_number);
    if (changed && pass_number >= all_at_once &&
        std::ranges::find(circling, last_switched_) == circling.end())
      circling.push_back(last_switched_);
    reset_when_targets();
    const Pass pass = run_steps(false, &report);
    changed = changed || !std::equal(before.begin(), before.end(),
                                     environment_.begin() + static_cast<long>(discrete_begin));
    if (!changed && (pass_number > 0 || !must_solve)) {
      report.ok = !one_at_a_time_ || !contradicts_refused(forced);
      if (!report.ok) report.failure = refusal;
      // What is reinitialised takes its value now. The conditions that asked for it were those before; what
      // follows from the new values is for the next iteration.
      if (!report.ok || pass.reinits.empty()) return outcome;
      outcome.changed = true;
      report.failure = make_consistent(pass.reinits);
      report.ok = report.failure.empty();
      return outcome;
    }
    outcome.changed = outcome.changed || changed;
    // Every combination starts from the values before the event; only what solving has found for highest
    // derivatives is a guess for the next.
    for (const int level : lower_levels_)
      environment_[static_cast<std::size_t>(model_.layout().levels + level)] =
          snapshot[static_cast<std::size_t>(level)];
    report.failure = make_consistent({});
    if (!report.failure.empty()) {
      if (refusal.empty()) refusal = report.failure;
      std::ranges::copy(solved, environment_.begin() + model_.layout().levels);
      if (retreat(held)) continue;
      report.ok = false;
      return outcome;
    }
    held.assign(relations_begin, relations_begin + static_cast<long>(differences_.size()));
    solved.assign(levels, levels + model_.level_count());
    if (changed) std::ranges::fill(refused_, 0);  // in other company it may fit
    if (pass_number < all_at_once) continue;
    if (const double off = largest_contradiction(); off < nearest) {
      nearest = off;
      nearest_environment.assign(environment_.begin(), environment_.end());
    }
  }
  if (nearest <= tolerated_contradiction) {
    // Two components that block each other by a hair: go on with the combination that fits best, and say so.
    std::ranges::copy(nearest_environment, environment_.begin());
    report.warning = fmt::format(
        "at t = {:.10g} no combination of relations fits exactly; went on with the nearest one, in which {} "
        "is off by {:.2g}",
        environment_[static_cast<std::size_t>(model_.layout().time)],
        relation_text(model_.dae(), std::max(last_switched_, 0)), nearest);
    return outcome;
  }
  report.ok = false;
  std::string culprits = unsettled_names();
  if (last_switched_ >= 0) {
    if (!culprits.empty()) culprits += ", ";
    culprits += fmt::format("{} (off by {:.3g})", relation_text(model_.dae(), last_switched_),
                            differences_[static_cast<std::size_t>(last_switched_)]);
  }
  report.failure = fmt::format(
      "no combination of discrete and continuous values fits together at t = {:.10g}: {} keep changing",
      environment_[static_cast<std::size_t>(model_.layout().time)], culprits);
  return outcome;
}

// The values say that a relation is to switch that cannot.
bool EventHandler::contradicts_refused(const std::vector<signed char>& forced) {
  model_.relations.evaluate(environment_, differences_, workspace_);
  for (std::size_t r = 0; r < refused_.size(); ++r) {
    const bool flag = environment_[static_cast<std::size_t>(model_.layout().relations) + r] != 0;
    if (refused_[r] == 0) continue;
    // What was located, or is known by time, is to switch in any case.
    if (forced[r] != 0 && (forced[r] > 0) != flag) return true;
    if (std::abs(differences_[r]) > hysteresis_ && truth(model_.dae().relations[r], differences_[r]) != flag)
      return true;
  }
  return false;
}

// How far the levels contradict the relations as they are held.
double EventHandler::largest_contradiction() {
  if (differences_.empty()) return std::numeric_limits<double>::infinity();
  model_.relations.evaluate(environment_, differences_, workspace_);
  double largest = 0;
  for (std::size_t r = 0; r < differences_.size(); ++r) {
    const bool flag = environment_[static_cast<std::size_t>(model_.layout().relations) + r] != 0;
    if (truth(model_.dae().relations[r], differences_[r]) != flag)
      largest = std::max(largest, std::abs(differences_[r]));
  }
  return largest;
}

// Variables that when clauses set keep their past value unless a branch is active now.
void EventHandler::reset_when_targets() {
  for (const CompiledStep& step : steps_) {
    for (const CompiledBranch& branch : step.branches) {
      for (const Assignment& assignment : branch.source->assignments) {
        const int slot = model_.layout().discrete_slot[assignment.target.at()];
        const int pre = model_.layout().pre_slot[assignment.target.at()];
        if (slot >= 0 && pre >= 0)
          environment_[static_cast<std::size_t>(slot)] = environment_[static_cast<std::size_t>(pre)];
      }
    }
  }
}

}  // namespace daedalus
