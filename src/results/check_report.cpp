#include "results/check_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

namespace daedalus {
namespace {

using Json = nlohmann::ordered_json;

// Lists in the text are cut; --json has all of them.
constexpr std::size_t most_lines = 12;

std::string times(int count) {
  return count == 1 ? "once" : count == 2 ? "twice" : fmt::format("{} times", count);
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

class TextBuilder {
 public:
  void line(std::string_view words) { text_ += fmt::format("{}\n", words); }

  template <class Range, class Line>
  void list(std::string_view heading, const Range& range, Line item_line) {
    if (range.empty()) return;
    line(fmt::format("\n{}", heading));
    for (std::size_t i = 0; i < std::min(range.size(), most_lines); ++i) {
      line(fmt::format("  {}", item_line(range[i])));
    }
    if (range.size() > most_lines)
      line(fmt::format("  … {} more; --json lists all", range.size() - most_lines));
  }

  [[nodiscard]] std::string finish() { return std::move(text_); }

 private:
  std::string text_;
};

std::string as_it_is(const std::string& text) {
  return text;
}

// The equations that are differentiated, most often first; the others would only fill the screen.
std::vector<CheckedEquation> differentiated(const CheckReport& report) {
  int most = 0;
  for (const CheckedEquation& equation : report.equations) most = std::max(most, equation.c);
  std::vector<CheckedEquation> found;
  for (int c = most; c > 0; --c) {
    std::ranges::copy_if(report.equations, std::back_inserter(found),
                         [c](const auto& e) { return e.c == c; });
  }
  return found;
}

std::string shortened(std::vector<std::string> names) {
  constexpr std::size_t most_names = 12;
  if (names.size() > most_names) {
    names.resize(most_names);
    names.emplace_back("…");
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string block_line(const CheckReport& report, const CheckedBlock& block) {
  std::vector<std::string> names;
  for (const int j : block.variables) {
    const CheckedVariable& variable = report.variables[static_cast<std::size_t>(j)];
    names.push_back(derivative_name(variable.name, variable.d));
  }
  return fmt::format("{} for {}", counted(block.equations.size(), "equation", "equations"),
                     shortened(std::move(names)));
}

// Blocks of one equation are solved one after the other; it is the coupled ones that cost.
void add_blocks(const CheckReport& report, TextBuilder& text) {
  if (report.blocks.empty()) return;
  std::vector<CheckedBlock> coupled;
  std::ranges::copy_if(report.blocks, std::back_inserter(coupled),
                       [](const auto& b) { return b.equations.size() > 1; });
  const std::string all = counted(report.blocks.size(), "block", "blocks");
  if (coupled.empty()) return text.line(fmt::format("\n{} of one equation each", all));
  const std::string heading = coupled.size() == report.blocks.size()
                                  ? all
                                  : fmt::format("{}, of which {} coupled", all, coupled.size());
  text.list(heading, coupled, [&report](const CheckedBlock& block) { return block_line(report, block); });
}

void add_start(const CheckReport& report, TextBuilder& text) {
  if (!report.states.empty()) {
    text.line(fmt::format("\nStates at the initial point: {}", fmt::join(report.states, ", ")));
  }
  if (report.dof > 0 && !report.candidates.empty()) {
    text.list(fmt::format("May be set initially ({} of these, by start and fixed = true)", report.dof),
              report.candidates, as_it_is);
  }
  if (!report.fixed.empty()) text.line(fmt::format("Fixed: {}", fmt::join(report.fixed, ", ")));
  text.list(report.initialised ? "Initialisation" : "Initialisation fails", report.initialisation, as_it_is);
}

// x, x', x'', x^(3)
std::string primes(int order) {
  return order <= 2 ? "x" + std::string(static_cast<std::size_t>(order), '\'') : fmt::format("x^({})", order);
}

std::string constraint_line(const CheckedConstraint& constraint) {
  const std::string level =
      constraint.level == 0 ? "" : fmt::format(", a constraint of {}", primes(constraint.level));
  return fmt::format("{}{}; multiplier {}", constraint.text, level, constraint.multiplier);
}

// Coordinates less independent constraints; nothing where the rank was not measured.
std::optional<int> mobility(const CheckReport& report) {
  const Measures& m = report.advice.measures;
  if (!report.form.found || !(m.taken || m.ranked)) return std::nullopt;
  return static_cast<int>(report.form.positions.size()) - m.rank;
}

// Whole characters, as many as fit beside what stands on a line already.
std::string cut(const std::string& words) {
  constexpr std::size_t most = 100;
  if (words.size() <= most) return words;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(words[end]) & 0xC0U) == 0x80U) --end;
  return words.substr(0, end) + "…";
}

void add_mechanism(const CheckReport& report, TextBuilder& text) {
  if (!report.mechanism) return;
  const CheckedMechanism& m = *report.mechanism;
  text.line(fmt::format("\nMechanism: {}, {}{}",
                        counted(static_cast<std::size_t>(m.bodies), "body", "bodies"),
                        counted(static_cast<std::size_t>(m.joints), "joint", "joints"),
                        m.parts.empty() ? "" : fmt::format(" ({})", m.parts)));
  if (!m.coordinates.empty()) text.line(fmt::format("  coordinates: {}", m.coordinates));
  text.line(
      fmt::format("  mobility by Grübler's count: {} - {} = {}", m.freedoms, m.conditions, m.grubler()));
  const auto moves = mobility(report);
  if (!moves) return;
  const std::size_t redundant = report.advice.measures.redundant.size();
  text.line(fmt::format(
      "  mobility by rank{}: {}{}", report.advice.measures.taken ? "" : " at the start values", *moves,
      redundant == 0
          ? std::string()
          : fmt::format(", since {} redundant",
                        redundant == 1 ? "1 equation is" : fmt::format("{} equations are", redundant))));
}

void add_form(const CheckReport& report, TextBuilder& text) {
  const CheckedForm& form = report.form;
  if (!form.found) {
    if (!form.broken_by.empty()) text.line(fmt::format("\nNo constrained form: {}", form.broken_by));
    return;
  }
  text.line(
      fmt::format("\nConstrained form of order {}: M {} = f - B y, 0 = g", form.order, primes(form.order)));
  text.line(fmt::format("  positions: {}", shortened(form.positions)));
  if (!form.companions.empty()) text.line(fmt::format("  companions: {}", shortened(form.companions)));
  text.list("Constraints", form.constraints, constraint_line);
  text.list("Redundant constraints", report.advice.measures.redundant, [](const Redundancy& r) {
    return r.combination.empty() ? r.name : fmt::format("{}\n      is {}", r.name, r.combination);
  });
}

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.4g}", value) : std::string("infinite");
}

void add_measures(const CheckReport& report, TextBuilder& text) {
  const Measures& m = report.advice.measures;
  if (!m.taken) return;
  text.line(m.looked_ahead > 0
                ? fmt::format("\nMeasured at the initial values and {} ahead", number(m.looked_ahead))
                : std::string("\nMeasured at the initial values"));
  text.line(fmt::format("  rank of G M⁻¹ B: {} of {}, smallest singular value {} of the largest", m.rank,
                        report.form.constraints.size(), number(m.sigma_min)));
  if (m.singular) {
    text.line(fmt::format("  singular near t = {}: rank {} instead of {}{}", number(m.singular->t),
                          m.singular->to, m.singular->from,
                          m.singular->constraints.empty()
                              ? ""
                              : fmt::format(", by {}", fmt::join(m.singular->constraints, ", "))));
  }
  text.line(fmt::format("  condition of M: {}; M⁻¹B leans away from Gᵀ by a factor {}",
                        number(m.mass_condition), number(m.obliqueness)));
  text.line(fmt::format(
      "  frozen motion: |λ| up to {}, times the length of the run {}; coupling with the constraints {}",
      number(m.stiffness), number(m.stiffness * m.length), number(m.coupling)));
  text.line(fmt::format("  the constraints turn at up to {} rad, the solution changes at {}, a unit of time",
                        number(m.constraint_speed), number(m.solution_rate)));
  if (report.advice.motion != MotionCase::Unknown)
    text.line(fmt::format("  case {} of Ascher and Petzold (docs/advice.md)",
                          static_cast<int>(report.advice.motion)));
}

void add_recommendation(const CheckReport& report, TextBuilder& text) {
  text.line(fmt::format("\nRecommended: --formulation {} --integrator {}\n  {}", report.formulation.name(),
                        report.integrator.name(), report.why));
}

// What a person asks of a mechanism: what holds it, what is redundant, what may be set, how it will run.
void add_overview(const CheckReport& report, TextBuilder& text) {
  const CheckedMechanism& m = *report.mechanism;
  if (report.form.found) {
    std::vector<std::string> names;
    for (const CheckedConstraint& constraint : report.form.constraints) names.push_back(constraint.text);
    text.list("Constraints", names, [](const std::string& name) { return cut(name); });
  }
  text.list("Redundant constraints", report.advice.measures.redundant, [](const Redundancy& r) {
    return r.combination.empty() ? cut(r.name)
                                 : fmt::format("{}\n      is {}", cut(r.name), cut(r.combination));
  });
  if (!m.settable.empty())
    text.line(fmt::format("\nMay be set (--set NAME=VALUE), {} in all\n  {}", m.settable.size(),
                          shortened(m.settable)));
  if (!report.initialised) text.list("Initialisation fails", report.initialisation, as_it_is);
  if (const auto& singular = report.advice.measures.singular)
    text.line(fmt::format("\nSingular near t = {}: rank {} instead of {}", number(singular->t), singular->to,
                          singular->from));
  add_recommendation(report, text);
  text.line("\n--details shows the equations behind it, --json has everything");
}

Json number_json(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json form_json(const CheckReport& report) {
  const CheckedForm& form = report.form;
  if (!form.found) return {{"broken_by", form.broken_by}};
  Json constraints = Json::array();
  for (const CheckedConstraint& c : form.constraints)
    constraints.push_back({{"text", c.text}, {"level", c.level}, {"multiplier", c.multiplier}});
  return {{"order", form.order},        {"positions", form.positions},   {"multipliers", form.multipliers},
          {"constraints", constraints}, {"companions", form.companions}, {"broken_by", nullptr}};
}

Json redundant_json(const CheckReport& report) {
  Json rows = Json::array();
  for (const Redundancy& r : report.advice.measures.redundant)
    rows.push_back({{"constraint", r.name}, {"combination", r.combination}});
  return rows;
}

Json advice_json(const CheckReport& report) {
  const Advice& advice = report.advice;
  const Measures& m = advice.measures;
  Json object = {{"formulation", advice.formulation.to_text()}, {"why", advice.why}};
  if (!m.taken) return object;
  object["case"] = static_cast<int>(advice.motion);
  object["mass_condition"] = number_json(m.mass_condition);
  object["obliqueness"] = number_json(m.obliqueness);
  object["stiffness"] = number_json(m.stiffness);
  object["coupling"] = number_json(m.coupling);
  object["constraint_speed"] = number_json(m.constraint_speed);
  object["solution_rate"] = number_json(m.solution_rate);
  object["horizon"] = m.length;
  object["looked_ahead"] = m.looked_ahead;
  if (m.singular) {
    object["singular"] = {{"t", m.singular->t},
                          {"from", m.singular->from},
                          {"to", m.singular->to},
                          {"constraints", m.singular->constraints}};
  }
  return object;
}

Json equations_json(const CheckReport& report) {
  Json rows = Json::array();
  for (const CheckedEquation& equation : report.equations) {
    rows.push_back(
        {{"text", equation.text}, {"place", equation.place}, {"line", equation.line}, {"c", equation.c}});
  }
  return rows;
}

Json blocks_json(const CheckReport& report) {
  Json rows = Json::array();
  for (const CheckedBlock& block : report.blocks) {
    rows.push_back({{"equations", block.equations}, {"variables", block.variables}});
  }
  return rows;
}

Json hidden_json(const CheckReport& report) {
  Json rows = Json::array();
  for (const HiddenConstraint& hidden : report.hidden_constraints) {
    rows.push_back({{"text", hidden.text}, {"of", hidden.of}, {"level", hidden.level}});
  }
  return rows;
}

}  // namespace

std::string check_text(const CheckReport& report, bool details) {
  TextBuilder text;
  auto moves = report.mechanism ? mobility(report) : std::nullopt;
  // A tree of joints without constraints moves as far as they count.
  if (report.mechanism && !moves && report.form.constraints.empty()) moves = report.mechanism->grubler();
  text.line(fmt::format(
      "{}: index {}, {}", report.model, report.index,
      moves ? fmt::format("mobility {}", *moves)
            : counted(static_cast<std::size_t>(report.dof), "degree of freedom", "degrees of freedom")));
  text.line(fmt::format(
      "{} in {}; {} removed; a run solves for {}, derivatives counted",
      counted(report.equations.size(), "equation", "equations"),
      counted(report.variables.size(), "unknown", "unknowns"),
      counted(static_cast<std::size_t>(report.removed), "alias or constant", "aliases and constants"),
      counted(static_cast<std::size_t>(report.unknowns), "value", "values")));
  if (report.discrete + report.relations > 0) {
    text.line(fmt::format(
        "{}, {}",
        counted(static_cast<std::size_t>(report.discrete), "discrete variable", "discrete variables"),
        counted(static_cast<std::size_t>(report.relations), "relation that makes events",
                "relations that make events")));
  }
  add_mechanism(report, text);
  if (!report.sigma_agrees) text.line("warning: Pantelides' algorithm and the Σ-method disagree");
  if (report.mechanism && !details) {
    add_overview(report, text);
    return text.finish();
  }
  text.list("Repaired, for the structure alone is misleading", report.repairs, as_it_is);
  text.list("Differentiated", differentiated(report), [](const CheckedEquation& equation) {
    return fmt::format("{}: {}{}", times(equation.c), equation.text,
                       equation.line > 0 ? fmt::format(" (line {})", equation.line) : "");
  });
  text.list("Hidden constraints", report.hidden_constraints, [](const HiddenConstraint& hidden) {
    return fmt::format("{}\n      from {}, differentiated {}", hidden.text, hidden.of, times(hidden.level));
  });
  add_blocks(report, text);
  add_form(report, text);
  add_start(report, text);
  add_measures(report, text);
  add_recommendation(report, text);
  return text.finish();
}

std::string check_json(const CheckReport& report) {
  Json object = Json::object();
  object["model"] = report.model;
  object["index"] = report.index;
  object["dof"] = report.dof;
  object["equations"] = equations_json(report);
  object["variables"] = Json::array();
  object["c"] = Json::array();
  object["d"] = Json::array();
  for (const CheckedEquation& equation : report.equations) object["c"].push_back(equation.c);
  for (const CheckedVariable& variable : report.variables) {
    object["variables"].push_back({{"name", variable.name}, {"d", variable.d}});
    object["d"].push_back(variable.d);
  }
  object["blocks"] = blocks_json(report);
  object["sigma_agrees"] = report.sigma_agrees;
  object["hidden_constraints"] = hidden_json(report);
  object["states"] = report.states;
  object["repairs"] = report.repairs;
  object["unknowns"] = report.unknowns;
  object["removed"] = report.removed;
  object["discrete"] = report.discrete;
  object["relations"] = report.relations;
  object["initialisation"] = {{"ok", report.initialised},
                              {"free", report.dof},
                              {"may_set", report.candidates},
                              {"fixed", report.fixed},
                              {"explanation", report.initialisation}};
  if (report.mechanism) {
    const CheckedMechanism& m = *report.mechanism;
    const auto moves = mobility(report);
    object["mechanism"] = {{"bodies", m.bodies},     {"joints", m.joints},
                           {"freedoms", m.freedoms}, {"conditions", m.conditions},
                           {"grubler", m.grubler()}, {"mobility", moves ? Json(*moves) : Json(nullptr)},
                           {"parts", m.parts}};
  }
  object["constrained_form"] = form_json(report);
  object["redundant"] = redundant_json(report);
  object["rank"] = report.advice.measures.taken || report.advice.measures.ranked
                       ? Json(report.advice.measures.rank)
                       : Json(nullptr);
  object["sigma_min"] =
      report.advice.measures.taken ? number_json(report.advice.measures.sigma_min) : Json(nullptr);
  object["advice"] = advice_json(report);
  object["formulation"] = report.formulation.to_text();
  object["integrator"] = report.integrator.to_text();
  object["why"] = report.why;
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace daedalus
