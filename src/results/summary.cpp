#include "results/summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

namespace daedalus {
namespace {

using Json = nlohmann::ordered_json;

// One counter of the work: its key in JSON and its name for people.
struct CounterRow {
  std::string_view key;
  std::string_view words;
  long Counters::*member;
};
constexpr std::array<CounterRow, 8> counter_rows{{
    {"steps", "steps", &Counters::steps},
    {"rejected", "rejected", &Counters::rejected},
    {"residual_evals", "residuals", &Counters::residual_evals},
    {"jacobian_evals", "Jacobians", &Counters::jacobian_evals},
    {"factorizations", "factorizations", &Counters::factorizations},
    {"newton_iterations", "Newton iterations", &Counters::newton_iterations},
    {"newton_failures", "Newton failures", &Counters::newton_failures},
    {"error_test_failures", "error test failures", &Counters::error_test_failures},
}};

constexpr std::array<std::string_view, 2> level_names{"position", "velocity"};

// JSON has no NaN or infinity.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

// A model without constraints of a level has none to violate: 0.
double drift_of(const Drift& drift, std::size_t level) {
  return level < drift.levels.size() ? drift.levels[level] : 0;
}

Json drift_json(const Drift& drift) {
  Json object = Json::object();
  for (std::size_t level = 0; level < level_names.size(); ++level) {
    object[std::string(level_names[level])] = number(drift_of(drift, level));
  }
  object["levels"] = Json::array();
  for (const double value : drift.levels) object["levels"].push_back(number(value));
  object["worst"] = drift.worst;
  object["in_tolerances"] = Json::array();
  for (const double value : drift.in_tolerances) object["in_tolerances"].push_back(number(value));
  object["farthest"] = drift.farthest;
  object["others"] = number(drift.others);
  object["worst_other"] = drift.worst_other;
  return object;
}

// The names are distinct, so they are appended: ordered_json's own look-up searches from the front, which for
// the final values of a large model is quadratic.
Json named_numbers(const std::vector<std::pair<std::string, double>>& values) {
  Json object = Json::object();
  auto& members = object.get_ref<Json::object_t&>();
  members.reserve(values.size());
  for (const auto& [name, value] : values) members.emplace_back(name, number(value));
  return object;
}

void add_logs(const Summary& summary, Json& object) {
  object["events"] = summary.event_count;
  object["event_log"] = Json::array();
  for (const EventRecord& event : summary.events) {
    object["event_log"].push_back({{"t", number(event.t)}, {"what", event.what}, {"count", event.count}});
  }
  object["rank_changes"] = Json::array();
  for (const RankChange& change : summary.rank_changes) {
    object["rank_changes"].push_back({{"t", number(change.t)},
                                      {"from", change.from},
                                      {"to", change.to},
                                      {"constraints", change.constraints}});
    if (!change.hint.empty()) object["rank_changes"].back()["hint"] = change.hint;
  }
  object["pivots"] = summary.pivot_count;
  object["pivot_log"] = Json::array();
  for (const PivotRecord& pivot : summary.pivots) {
    object["pivot_log"].push_back(
        {{"t", number(pivot.t)}, {"out", pivot.states_out}, {"in", pivot.states_in}});
  }
}

std::string work_text(const Counters& counters) {
  std::string text;
  for (const CounterRow& row : counter_rows) {
    const long count = counters.*row.member;
    // Failures are worth a word only when there are any.
    if (count == 0 && row.key.ends_with("failures")) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, row.words);
  }
  return text;
}

std::string drift_text(const Drift& drift) {
  if (drift.levels.empty()) return "no constraints";
  constexpr std::array<std::string_view, 3> words{"position", "velocity", "acceleration"};
  // Round-off needs no explanation; beyond it the constraint is named.
  constexpr double worth_naming = 1e-8;
  std::string text;
  for (std::size_t level = 0; level < drift.levels.size(); ++level) {
    const std::string name =
        level < words.size() ? std::string(words[level]) : fmt::format("level {}", level);
    text += fmt::format("{}{} {:.2g}", level == 0 ? "" : ", ", name, drift.levels[level]);
    if (level < drift.worst.size() && !drift.worst[level].empty() && drift.levels[level] > worth_naming) {
      text += fmt::format(" in {}", drift.worst[level]);
    }
  }
  return text;
}

// A few rank changes with a few constraints each: the whole list is in the JSON summary.
template <class Line>
void add_rank_changes(const Summary& summary, const Line& line) {
  constexpr std::size_t changes_shown = 5;
  constexpr std::size_t constraints_shown = 2;
  const auto& changes = summary.rank_changes;
  for (std::size_t k = 0; k < std::min(changes.size(), changes_shown); ++k) {
    const auto& all = changes[k].constraints;
    const std::vector<std::string> shown(
        all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), constraints_shown)));
    const std::string more =
        all.size() > constraints_shown ? fmt::format(" and {} more", all.size() - constraints_shown) : "";
    line("rank", fmt::format("{} → {} at t = {:.9g}: {}{}", changes[k].from, changes[k].to, changes[k].t,
                             fmt::join(shown, "; "), more));
  }
  if (changes.size() > changes_shown)
    line("rank", fmt::format("and {} more changes", changes.size() - changes_shown));
  if (!changes.empty() && !changes.front().hint.empty()) line("", "each is " + changes.front().hint);
}

std::string seconds_text(const std::vector<std::pair<std::string, double>>& seconds) {
  std::string text;
  double total = 0;
  for (const auto& [stage, value] : seconds) {
    total += value;
    text += fmt::format("{}{} {:.2g}", text.empty() ? "" : ", ", stage, value);
  }
  return fmt::format("{:.3g} s ({})", total, text);
}

}  // namespace

std::string summary_json(const Summary& summary) {
  Json object = Json::object();
  object["status"] = summary.status;
  object["reason"] = summary.reason;
  object["t_end"] = number(summary.t_end);
  object["formulation"] = summary.formulation.to_text();
  object["integrator"] = summary.integrator.to_text();
  object["why"] = summary.why;
  object["index"] = summary.index;
  object["dof"] = summary.dof;
  object["unknowns"] = summary.unknowns;
  object["linear_solver"] = summary.linear_solver;
  object["codegen"] = summary.codegen;
  for (const CounterRow& row : counter_rows) object[std::string(row.key)] = summary.counters.*row.member;
  object["drift"] = drift_json(summary.drift);
  object["final"] = named_numbers(summary.final_values);
  object["formulation_values"] = named_numbers(summary.formulation_values);
  add_logs(summary, object);
  object["initialisation"] = summary.initialisation;
  object["warnings"] = summary.warnings;
  object["seconds"] = named_numbers(summary.seconds);
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string summary_text(const Summary& summary) {
  std::string text;
  const auto line = [&](std::string_view label, const std::string& words) {
    if (!words.empty()) text += fmt::format("  {:<13}{}\n", label, words);
  };
  text = fmt::format("{}: t = {:.9g}\n", summary.status, summary.t_end);
  line("reason", summary.reason);
  line("formulation", summary.formulation.to_text());
  line("integrator", summary.integrator.to_text());
  line("why", summary.why);
  line("structure", fmt::format("index {}, {} degree{} of freedom, {} unknowns{}{}", summary.index,
                                summary.dof, summary.dof == 1 ? "" : "s", summary.unknowns,
                                summary.linear_solver.empty() ? "" : ", solver ", summary.linear_solver));
  line("work", work_text(summary.counters));
  line("drift", drift_text(summary.drift));
  if (summary.event_count > 0) line("events", fmt::format("{}", summary.event_count));
  if (summary.pivot_count > 0) line("pivots", fmt::format("{}", summary.pivot_count));
  add_rank_changes(summary, line);
  line("time taken", seconds_text(summary.seconds));
  return text;
}

}  // namespace daedalus
