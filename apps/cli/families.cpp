#include "cli/families.hpp"

#include <algorithm>
#include <array>

#include "expr/op.hpp"
#include "integrate/integrator.hpp"
#include "reform/formulation.hpp"

namespace daedalus::cli {
namespace {

// Rows of formulations and of integrators have these members in common.
template <class Row>
std::vector<FamilyRow> rows_of(std::span<const Row> table) {
  std::vector<FamilyRow> rows;
  for (const Row& row : table) {
    rows.push_back(
        {.name = row.name, .summary = row.summary, .reference = row.reference, .options = row.options});
  }
  return rows;
}

std::vector<FamilyRow> function_rows() {
  std::vector<FamilyRow> rows;
  for (const OpInfo& op : all_ops()) {
    if (find_function(op.name) == nullptr) continue;
    rows.push_back({.name = op.name, .summary = op.arity == 1 ? "of one argument" : "of two arguments"});
  }
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

std::span<const Family> families() {
  static const std::array<Family, 3> all{{
      {.name = "formulations", .singular = "formulation", .rows = rows_of(formulations())},
      {.name = "integrators", .singular = "integrator", .rows = rows_of(integrators())},
      {.name = "functions", .singular = "function", .rows = function_rows()},
  }};
  return all;
}

const Family& formulation_family() {
  return families()[0];
}

const Family& integrator_family() {
  return families()[1];
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
