#include "study/compare_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "integrate/integrator.hpp"
#include "reform/formulation.hpp"

namespace daedalus {
namespace {

// The first comma outside brackets, or the text's size.
std::size_t next_comma(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') ++depth;
    if (text[i] == ']') --depth;
    if (text[i] == ',' && depth <= 0) return i;
  }
  return text.size();
}

// "key=value" and not "name:key=value".
bool is_option(std::string_view piece) {
  const std::size_t mark = piece.find_first_of(":=");
  return mark != std::string_view::npos && piece[mark] == '=';
}

// One selection for each choice of an option called "variant", one otherwise.
std::vector<Selection> variants_of(const FormulationRow& row) {
  const auto option = std::ranges::find(row.options, std::string_view("variant"), &OptionSpec::name);
  if (option == row.options.end()) return {Selection(std::string(row.name))};
  std::vector<Selection> variants;
  for (const std::string_view choice : option->choices) {
    variants.emplace_back(std::string(row.name),
                          std::vector<OptionValue>{{.name = "variant", .text = std::string(choice)}});
  }
  return variants;
}

template <class Row>
Result<void> look_up(const Selection& given, std::span<const Row> rows, std::string_view family) {
  if (given.name() == "auto") return {};
  const auto row = std::ranges::find(rows, std::string_view(given.name()), &Row::name);
  if (row == rows.end()) {
    std::vector<std::string_view> known;
    for (const Row& each : rows) known.push_back(each.name);
    known.insert(known.end(), {"auto", "all"});
    return fail(unknown_name_message(family, given.name(), known));
  }
  const auto resolved = resolve(given, row->options, fmt::format("{} {}", family, row->name));
  if (!resolved) return std::unexpected(resolved.error());
  return {};
}

template <class Row>
Result<std::vector<Selection>> parse_list(std::string_view text, std::span<const Row> rows,
                                          std::string_view family, const std::vector<Selection>& all) {
  std::vector<Selection> list;
  const auto add = [&list](const Selection& selection) {
    const auto same = [&](const Selection& other) { return other.to_text() == selection.to_text(); };
    if (std::ranges::none_of(list, same)) list.push_back(selection);
  };
  for (const std::string& item : split_selections(text)) {
    if (item == "all") {
      std::ranges::for_each(all, add);
      continue;
    }
    const auto selection = parse_selection(item);
    if (!selection) return std::unexpected(selection.error());
    if (auto known = look_up(*selection, rows, family); !known) return std::unexpected(known.error());
    add(*selection);
  }
  return list;
}

// Whether a run by these needs a step size: the integrator says so, or auto will choose one that does.
bool needs_step(const Selection& formulation, const Selection& integrator) {
  if (const IntegratorRow* row = find_integrator(integrator.name())) return !row->adaptive;
  // On its own or behind a wrapper.
  return formulation.to_text().find("symmetric-projection") != std::string::npos;
}

}  // namespace

std::vector<std::string> split_selections(std::string_view text) {
  std::vector<std::string> items;
  while (true) {
    const std::size_t end = next_comma(text);
    const std::string_view piece = text.substr(0, end);
    if (!items.empty() && is_option(piece)) {
      items.back() += fmt::format(",{}", piece);
    } else {
      items.emplace_back(piece);
    }
    if (end >= text.size()) return items;
    text.remove_prefix(end + 1);
  }
}

std::vector<Selection> all_formulations() {
  std::vector<Selection> all;
  for (const FormulationRow& row : formulations()) {
    for (Selection& variant : variants_of(row)) all.push_back(std::move(variant));
  }
  return all;
}

Result<std::vector<Selection>> parse_formulation_list(std::string_view text) {
  return parse_list(text, formulations(), "formulation", all_formulations());
}

Result<std::vector<Selection>> parse_integrator_list(std::string_view text) {
  std::vector<Selection> all;
  for (const IntegratorRow& row : integrators()) all.emplace_back(std::string(row.name));
  return parse_list(text, integrators(), "integrator", all);
}

std::vector<RowPlan> plan_rows(const PlanSettings& settings) {
  std::vector<RowPlan> rows;
  for (const Selection& formulation : settings.formulations) {
    for (const Selection& integrator : settings.integrators) {
      double step = settings.step;
      for (const double rtol : settings.rtols) {
        RowPlan row{.formulation = formulation, .integrator = integrator, .rtol = rtol};
        if (needs_step(formulation, integrator)) row.step = step;
        rows.push_back(std::move(row));
        step /= 2;
      }
    }
  }
  return rows;
}

}  // namespace daedalus
