#include "integrate/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

namespace daedalus {

namespace {

// Rows are pointed to, so the table never moves; this is more than one program will need.
constexpr std::size_t most_rows = 256;

std::vector<IntegratorRow>& table() {
  static std::vector<IntegratorRow> rows = [] {
    std::vector<IntegratorRow> made{bdf_row(),
                                    ndf_row(),
                                    backward_euler_row(),
                                    implicit_midpoint_row(),
                                    radau_row(),
                                    ida_row(),
                                    dopri5_row(),
                                    dop853_row(),
                                    hem5_row(),
                                    rattle_row(),
                                    generalized_alpha_row(),
                                    taylor_row()};
    made.reserve(most_rows);
    return made;
  }();
  return rows;
}

}  // namespace

std::span<const IntegratorRow> integrators() {
  return table();
}

Result<void> register_integrator(const IntegratorRow& row) {
  if (row.name.empty() || row.name == "auto" || find_integrator(row.name) != nullptr)
    return fail(fmt::format("an integrator cannot be registered by the name '{}': it is taken", row.name));
  if (table().size() == most_rows)
    return fail(
        fmt::format("'{}' cannot be registered: a program has at most {} integrators", row.name, most_rows));
  table().push_back(row);
  return {};
}

const IntegratorRow* find_integrator(std::string_view name) {
  const auto rows = integrators();
  const auto row = std::ranges::find(rows, name, &IntegratorRow::name);
  return row == rows.end() ? nullptr : &*row;
}

OptionSpec solver_option() {
  return {.name = "solver",
          .kind = OptionKind::Text,
          .default_value = "auto",
          .doc = "linear solver: by the size of the system, dense LU, or sparse LU (KLU)",
          .choices = {"auto", "dense", "klu"}};
}

LinearSolverKind solver_kind(const Selection& selection) {
  const std::string_view text = selection.text("solver");
  if (text == "dense") return LinearSolverKind::Dense;
  return text == "klu" ? LinearSolverKind::Klu : LinearSolverKind::Auto;
}

OptionSpec max_step_option() {
  return {.name = "max_step",
          .kind = OptionKind::Number,
          .default_value = "",
          .doc = "the longest step; 0, or not given: no limit",
          .min = 0};
}

// A rest of a step that is rounding of times, and no step.
constexpr double no_step = 1e-9;

double step_towards(double t, double t_stop, double h) {
  const double left = t_stop - t;
  return h >= left * (1 - no_step) ? left : h;
}

IntegratorSettings with_defaults(IntegratorSettings settings, const IntegratorRow& row) {
  auto resolved = resolve(settings.selection, row.options, row.name);
  assert(resolved.has_value());
  if (resolved) settings.selection = std::move(*resolved);
  const double longest = settings.selection.has("max_step") ? settings.selection.number("max_step") : 0;
  if (longest > 0) settings.max_step = std::min(longest, settings.max_step.value_or(longest));
  return settings;
}

}  // namespace daedalus
