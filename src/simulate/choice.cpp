#include "simulate/choice.hpp"

#include <fmt/format.h>

namespace daedalus {
namespace {

// Up to this many unknowns radau's real and complex matrices cost less than the extra steps and restarts of
// bdf.
constexpr int radau_limit = 2000;

template <class Row>
Result<Selection> look_up(const Selection& given, std::span<const Row> rows, const Row* row,
                          std::string_view family) {
  if (row == nullptr) {
    std::vector<std::string_view> known{"auto"};
    for (const Row& r : rows) known.push_back(r.name);
    return fail(unknown_name_message(family, given.name(), known));
  }
  return resolve(given, row->options, fmt::format("{} {}", family, row->name));
}

}  // namespace

Result<Choice> choose(const RunOptions& options, int unknowns) {
  Choice choice;
  Selection formulation = options.formulation;
  Selection integrator = options.integrator;
  if (formulation.name() == "auto") {
    formulation = Selection("dummy-derivatives", formulation.values());
    choice.why = "dummy-derivatives: it takes any DAE and keeps every constraint";
  }
  if (integrator.name() == "auto") {
    const bool fixed = options.step.has_value();
    const bool large = unknowns > radau_limit;
    integrator = Selection(fixed ? "backward-euler" : large ? "bdf" : "radau", integrator.values());
    if (!choice.why.empty()) choice.why += "; ";
    choice.why += fixed   ? "backward-euler: a fixed step was asked for"
                  : large ? fmt::format("bdf: one real matrix a step suits {} unknowns", unknowns)
                          : fmt::format(
                                "radau: for {} unknowns it is the most accurate for its cost, and restarts "
                                "after events at full order",
                                unknowns);
  }
  auto resolved = look_up(formulation, formulations(), find_formulation(formulation.name()), "formulation");
  if (!resolved) return std::unexpected(resolved.error());
  choice.formulation = *std::move(resolved);
  choice.integrator_row = find_integrator(integrator.name());
  resolved = look_up(integrator, integrators(), choice.integrator_row, "integrator");
  if (!resolved) return std::unexpected(resolved.error());
  choice.integrator = *std::move(resolved);
  if (choice.integrator_row->make == nullptr) {
    return fail(
        fmt::format("integrator {} is explicit and needs a formulation that is an ODE, such as "
                    "orthogonal-projection",
                    integrator.name()));
  }
  if (!choice.integrator_row->adaptive && !options.step) {
    return fail(
        fmt::format("integrator {} works at a fixed step size: give it with --step H", integrator.name()));
  }
  return choice;
}

}  // namespace daedalus
