#include "consistent/events.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace daedalus {
namespace {

constexpr int iteration_limit = 400;
constexpr double tolerated_contradiction = 1e-3;
constexpr int all_at_once = 20;  // passes in which all relations may switch together

bool truth(const Relation& relation, double difference) {
  return difference > 0 || (difference == 0 && !relation.strict);
}

double tick_time(const SampleClock& clock, long k) {
  return clock.start + (static_cast<double>(k) * clock.interval);
}

// Two instants that are one: nearer than rounding of t can tell.
bool same_instant(double a, double b) {
  return std::abs(a - b) <= 1e-12 * std::max({1e-300, std::abs(a), std::abs(b)});
}

// Later, but the same instant; models may live for nanoseconds.
double just_after(double t) {
  return t + (1e-12 * std::max(1e-9, std::abs(t)));
}

}  // namespace

std::string relation_text(const DaeSystem& system, int relation) {
  const Relation& r = system.relations[static_cast<std::size_t>(relation)];
  if (r.span.valid())
    return fmt::format("{} ({})", system.sources->excerpt(r.span), system.sources->place(r.span));
  return fmt::format("{} {} 0", expression_text(system, r.difference), r.strict ? ">" : ">=");
}

EventHandler::EventHandler(const CompiledModel& model, std::span<double> environment, double hysteresis)
    : model_(model), environment_(environment), hysteresis_(hysteresis) {
  differences_.resize(model.dae().relations.size());
  compile_steps();
  classify_relations();
  next_tick_.assign(model.dae().samples.size(), 0);
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
  previous_condition_.assign(conditions, 0);
  condition_ = previous_condition_;
}

namespace {

// An unknown of which only the value itself occurs.
bool is_algebraic(const CompiledModel& model, NodeId leaf) {
  const int level = model.slot(leaf) - model.layout().levels;
  if (level < 0 || level >= model.level_count()) return false;
  const auto& levels = model.levels().levels;
  const auto at = static_cast<std::size_t>(level);
  return levels[at].order == 0 && (at + 1 == levels.size() || levels[at + 1].order == 0);
}

}  // namespace

void EventHandler::classify_relations() {
  const ExprGraph& graph = *model_.dae().graph;
  for (const Relation& relation : model_.dae().relations) {
    bool only_time = false;
    bool others = false;
    for (const NodeId leaf : leaves_of(graph, relation.difference)) {
      const Op op = graph.node(leaf).op;
      only_time = only_time || op == Op::Time;
      others = others || op == Op::Variable;
      reads_algebraic_ = reads_algebraic_ || is_algebraic(model_, leaf);
    }
    time_only_.push_back(only_time && !others);
  }
}

// At an event a relation of time alone has the truth that it has from now on: `time > 1` is true from the
// event at 1 on, although it is false at 1 itself.
void EventHandler::look_ahead() {
  if (std::ranges::find(time_only_, true) == time_only_.end()) return;
  double& time = environment_[static_cast<std::size_t>(model_.layout().time)];
  const double now = time;
  time = just_after(now);
  ahead_.resize(differences_.size());
  model_.relations.evaluate(environment_, ahead_, workspace_);
  time = now;
  for (std::size_t r = 0; r < differences_.size(); ++r) {
    if (time_only_[r]) differences_[r] = ahead_[r];
  }
}

bool EventHandler::update_relations(const std::vector<signed char>& forced, int pass_number) {
  if (differences_.empty()) return false;
  model_.relations.evaluate(environment_, differences_, workspace_);
  if (!forced.empty()) look_ahead();
  bool changed = false;
  // Switching all at once can go round in circles (bridges of diodes). Then only the first one that is wrong
  // switches: the least-index rule of Murty and Bard, which ends for the complementarity problems of
  // circuits. Where even that does not end, values that rest at zero decide nothing, and the hysteresis
  // grows.
  const bool one_at_a_time = pass_number > all_at_once;
  const int rounds = std::max(0, pass_number - (2 * all_at_once)) / all_at_once;
  const double hysteresis = hysteresis_ * std::pow(10.0, std::min(rounds, 5));
  for (std::size_t r = 0; r < differences_.size(); ++r) {
    double& flag = environment_[static_cast<std::size_t>(model_.layout().relations) + r];
    bool now = truth(model_.dae().relations[r], differences_[r]);
    // What rests at zero decides nothing; what an event has moved there from afar does.
    const bool jumped = !one_at_a_time && r < before_event_.size() && std::abs(before_event_[r]) > hysteresis;
    if (!forced.empty() && !time_only_[r] && !jumped && std::abs(differences_[r]) <= hysteresis)
      now = flag != 0;
    // A crossing that was located holds on its new side unless the iteration has really moved it.
    if (!forced.empty() && forced[r] != 0 && std::abs(differences_[r]) < 1e-6) now = forced[r] > 0;
    if ((flag != 0) == now) continue;
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
  bool changed = update_relations({}, 0);
  double value = 0;
  for (std::size_t k = 0; k < initial_assignments_.size(); ++k) {
    initial_assignments_[k].evaluate(environment_, std::span(&value, 1), workspace_);
    changed = assign(model_.dae().initial_assignments[k].target, value) || changed;
  }
  changed = run_steps(true, nullptr).changed || changed;
  // What initialisation has set by then is also what was "before": pre(x) of a variable without a fixed
  // start is its value.
  for (const VariableId v : model_.pre_variables) {
    const int discrete = model_.layout().discrete_slot[v.at()];
    const int pre = model_.layout().pre_slot[v.at()];
    if (discrete >= 0 && !model_.dae().variables[v.at()].fixed) {
      environment_[static_cast<std::size_t>(pre)] = environment_[static_cast<std::size_t>(discrete)];
    }
  }
  return changed;
}

bool EventHandler::restart_pass() {
  environment_[static_cast<std::size_t>(model_.layout().initial)] = 0;
  take_pre_values();
  bool changed = update_relations({}, 0);
  double value = 0;
  for (CompiledStep& step : steps_) {
    if (step.source == nullptr) continue;
    step.program.evaluate(environment_, std::span(&value, 1), workspace_);
    changed = assign(step.target, value) || changed;
  }
  return changed;
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
    const double k = std::ceil((t - clock.start) / clock.interval - 1e-9);
    next_tick_[s] = k > 0 ? static_cast<long>(k) : 0;
  }
}

double EventHandler::next_time_event(double t) {
  double next = std::numeric_limits<double>::infinity();
  for (std::size_t s = 0; s < next_tick_.size(); ++s)
    next = std::min(next, tick_time(model_.dae().samples[s], next_tick_[s]));
  if (std::ranges::find(time_only_, true) == time_only_.end()) return next;
  // Three points tell whether a relation's difference is linear in time and where it crosses zero.
  double& time = environment_[static_cast<std::size_t>(model_.layout().time)];
  const double saved = time;
  std::array<std::vector<double>, 3> g;
  const std::array<double, 3> at{t, t + 0.5, t + 1};
  for (std::size_t k = 0; k < 3; ++k) {
    g[k].resize(differences_.size());
    time = at[k];
    model_.relations.evaluate(environment_, g[k], workspace_);
  }
  time = saved;
  for (std::size_t r = 0; r < time_only_.size(); ++r) {
    if (!time_only_[r]) continue;
    const double slope = g[2][r] - g[0][r];
    const double bend = g[2][r] - (2 * g[1][r]) + g[0][r];
    if (slope == 0 || std::abs(bend) > 1e-9 * std::abs(slope)) continue;
    const bool flag = environment_[static_cast<std::size_t>(model_.layout().relations) + r] != 0;
    if (flag == (slope > 0)) continue;  // it has crossed already, or never will
    double crossing = t - (g[0][r] / slope);
    if (crossing <= t) crossing = t;
    next = std::min(next, crossing);
  }
  return next;
}

bool EventHandler::find_crossings(std::vector<int>& crossed, Depth depth) {
  crossed.clear();
  if (differences_.empty()) return false;
  model_.relations.evaluate(environment_, differences_, workspace_);
  for (std::size_t r = 0; r < differences_.size(); ++r) {
    const bool flag = environment_[static_cast<std::size_t>(model_.layout().relations) + r] != 0;
    const bool deep = depth == Depth::Zero || time_only_[r] || std::abs(differences_[r]) > hysteresis_;
    if (deep && truth(model_.dae().relations[r], differences_[r]) != flag)
      crossed.push_back(static_cast<int>(r));
  }
  return !crossed.empty();
}

double EventHandler::depth_of(int relation) const {
  return std::abs(differences_[static_cast<std::size_t>(relation)]);
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

EventReport EventHandler::handle(double t, const std::vector<int>& crossed,
                                 const MakeConsistent& make_consistent) {
  EventReport report;
  environment_[static_cast<std::size_t>(model_.layout().time)] = t;
  take_pre_values();
  set_due_samples(t, report);
  before_event_.resize(differences_.size());
  if (!before_event_.empty()) model_.relations.evaluate(environment_, before_event_, workspace_);
  std::vector<signed char> forced(differences_.size(), 0);
  for (const int r : crossed) {
    const int slot = model_.layout().relations + r;
    const bool flag = environment_[static_cast<std::size_t>(slot)] != 0;
    forced[static_cast<std::size_t>(r)] = flag ? -1 : 1;
    if (report.what.size() < 4)
      report.what.push_back(
          fmt::format("{} became {}", relation_text(model_.dae(), r), flag ? "false" : "true"));
  }
  // A relation of time alone that crosses at this very instant takes its new side too.
  double& time = environment_[static_cast<std::size_t>(model_.layout().time)];
  if (!differences_.empty()) {
    std::vector<int> later;
    time = just_after(t);
    (void)find_crossings(later, Depth::Zero);
    time = t;
    for (const int r : later) {
      if (!time_only_[static_cast<std::size_t>(r)] || forced[static_cast<std::size_t>(r)] != 0) continue;
      const int slot = model_.layout().relations + r;
      const bool flag = environment_[static_cast<std::size_t>(slot)] != 0;
      forced[static_cast<std::size_t>(r)] = flag ? -1 : 1;
      report.what.push_back(
          fmt::format("{} became {}", relation_text(model_.dae(), r), flag ? "false" : "true"));
    }
  }
  // Outer iteration: with pre() fixed, find discrete and continuous values that fit each other (inner
  // iteration, the mixed system); then the present becomes the past, until nothing changes.
  for (int iteration = 0; iteration < iteration_limit; ++iteration) {
    const MixedOutcome mixed = solve_mixed(forced, make_consistent, report);
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

EventHandler::MixedOutcome EventHandler::solve_mixed(const std::vector<signed char>& forced,
                                                     const MakeConsistent& make_consistent,
                                                     EventReport& report) {
  MixedOutcome outcome;
  const auto levels = environment_.begin() + model_.layout().levels;
  const std::vector<double> snapshot(levels, levels + model_.level_count());
  const auto discrete_begin = static_cast<std::size_t>(model_.layout().discretes);
  const auto discrete_end = static_cast<std::size_t>(model_.layout().pres);
  bool reinitialised = false;
  double nearest = std::numeric_limits<double>::infinity();
  std::vector<double> nearest_environment;
  for (int pass_number = 0; pass_number < iteration_limit; ++pass_number) {
    const std::vector<double> before(environment_.begin() + static_cast<long>(discrete_begin),
                                     environment_.begin() + static_cast<long>(discrete_end));
    bool changed = update_relations(forced, pass_number);
    reset_when_targets();
    const Pass pass = run_steps(false, &report);
    changed = changed || !std::equal(before.begin(), before.end(),
                                     environment_.begin() + static_cast<long>(discrete_begin));
    const bool reinits_now = !pass.reinits.empty();
    if (pass_number > 0 && !changed && reinits_now == reinitialised) return outcome;
    outcome.changed = outcome.changed || changed || reinits_now;
    // A reinit that was asked for on the way and is no longer meant leaves no trace.
    if (reinitialised) std::ranges::copy(snapshot, environment_.begin() + model_.layout().levels);
    reinitialised = reinits_now;
    report.failure = make_consistent(pass.reinits);
    if (!report.failure.empty()) {
      report.ok = false;
      return outcome;
    }
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
