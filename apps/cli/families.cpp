#include "cli/families.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "codegen/back_end.hpp"
#include "expr/op.hpp"
#include "integrate/integrator.hpp"
#include "model/flatten/calls.hpp"
#include "reform/formulation.hpp"

namespace daedalus::cli {
namespace {

// Rows of formulations and of integrators have these members in common.
template <class Row>
std::vector<FamilyRow> rows_of(std::span<const Row> table) {
  std::vector<FamilyRow> rows;
  for (const Row& row : table) {
    rows.push_back({.name = row.name,
                    .summary = std::string(row.summary),
                    .reference = row.reference,
                    .options = row.options});
  }
  return rows;
}

std::string arguments_text(int least, int most, std::string_view names) {
  if (!names.empty()) return fmt::format("({})", names);
  if (most == 0) return "()";
  if (most > 5) return fmt::format("of {} or more arguments", least);
  const std::string count = least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most);
  return fmt::format("of {} argument{}", count, most == 1 ? "" : "s");
}

// The elementary functions of the expression graph, then the operators that the model stage knows.
std::vector<FamilyRow> function_rows() {
  std::vector<FamilyRow> rows;
  const auto add = [&rows](std::string_view name, std::string summary) {
    if (std::ranges::find(rows, name, &FamilyRow::name) != rows.end()) return;
    rows.push_back({.name = name, .summary = std::move(summary)});
  };
  for (const OpInfo& op : all_ops()) {
    if (find_function(op.name) == nullptr) continue;
    add(op.name, fmt::format("elementary function {}", arguments_text(op.arity, op.arity, "")));
  }
  const auto add_table = [&add](std::string_view kind, std::span<const flatten::Builtin> table) {
    for (const flatten::Builtin& row : table) {
      add(row.name, fmt::format("{} {}", kind, arguments_text(row.least, row.most, row.parameters)));
    }
  };
  add_table("function", flatten::math_builtins());
  add_table("operator", flatten::event_builtins());
  add_table("array function", flatten::array_builtins());
  return rows;
}

std::vector<FamilyRow> back_end_rows() {
  std::vector<FamilyRow> rows;
  for (const BackEnd& row : all_back_ends())
    rows.push_back(
        {.name = row.name,
         .summary = fmt::format("{}{}", row.doc, row.available() ? "" : " (not on this machine)")});
  return rows;
}

}  // namespace

std::vector<std::string_view> Family::names() const {
  std::vector<std::string_view> all;
  for (const FamilyRow& row : rows) all.push_back(row.name);
  return all;
}

std::optional<FamilyRow> Family::find(std::string_view row) const {
  const auto found = std::ranges::find(rows, row, &FamilyRow::name);
  return found == rows.end() ? std::nullopt : std::optional(*found);
}

const Family& formulation_family() {
  static const Family family{
      .name = "formulations", .singular = "formulation", .rows = rows_of(formulations())};
  return family;
}

const Family& integrator_family() {
  static const Family family{.name = "integrators", .singular = "integrator", .rows = rows_of(integrators())};
  return family;
}

std::span<const Family> families() {
  static const std::array<Family, 4> all{{
      formulation_family(),
      integrator_family(),
      {.name = "codegen", .singular = "back end", .rows = back_end_rows()},
      {.name = "functions", .singular = "function", .rows = function_rows()},
  }};
  return all;
}

const Family* find_family(std::string_view name) {
  const auto found = std::ranges::find(families(), name, &Family::name);
  return found == families().end() ? nullptr : &*found;
}

std::vector<std::string_view> family_names() {
  std::vector<std::string_view> names;
  for (const Family& family : families()) names.push_back(family.name);
  return names;
}

}  // namespace daedalus::cli
