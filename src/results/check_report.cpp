#include "results/check_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
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

std::string block_line(const CheckReport& report, const CheckedBlock& block) {
  constexpr std::size_t most_names = 12;
  std::vector<std::string> names;
  for (const int j : block.variables) {
    const CheckedVariable& variable = report.variables[static_cast<std::size_t>(j)];
    names.push_back(derivative_name(variable.name, variable.d));
    if (names.size() == most_names && block.variables.size() > most_names) {
      names.emplace_back("…");
      break;
    }
  }
  return fmt::format("{} for {}", counted(block.equations.size(), "equation", "equations"),
                     fmt::join(names, ", "));
}

// Blocks of one equation are solved one after the other; it is the coupled ones that cost.
void add_blocks(const CheckReport& report, TextBuilder& text) {
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

std::string check_text(const CheckReport& report) {
  TextBuilder text;
  text.line(
      fmt::format("{}: index {}, {}", report.model, report.index,
                  counted(static_cast<std::size_t>(report.dof), "degree of freedom", "degrees of freedom")));
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
  if (!report.sigma_agrees) text.line("warning: Pantelides' algorithm and the Σ-method disagree");
  text.list("Repaired, for the structure alone is misleading", report.repairs, as_it_is);
  text.list("Differentiated", differentiated(report), [](const CheckedEquation& equation) {
    return fmt::format("{}: {}{}", times(equation.c), equation.text,
                       equation.line > 0 ? fmt::format(" (line {})", equation.line) : "");
  });
  text.list("Hidden constraints", report.hidden_constraints, [](const HiddenConstraint& hidden) {
    return fmt::format("{}\n      from {}, differentiated {}", hidden.text, hidden.of, times(hidden.level));
  });
  add_blocks(report, text);
  add_start(report, text);
  text.line(fmt::format("\nRecommended: --formulation {} --integrator {}\n  {}", report.formulation.name(),
                        report.integrator.name(), report.why));
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
  object["formulation"] = report.formulation.to_text();
  object["integrator"] = report.integrator.to_text();
  object["why"] = report.why;
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace daedalus
