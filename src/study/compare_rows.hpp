// Which rows a comparison has: lists of formulations and integrators as they are written, and their product.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/options.hpp"

namespace daedalus {

// "ggl:D=B,baumgarte:alpha=5,beta=5,index1" → ggl:D=B | baumgarte:alpha=5,beta=5 | index1: a comma begins a
// new row unless what follows it reads key=value, which is an option of the row before; commas inside [ ]
// never do.
[[nodiscard]] std::vector<std::string> split_selections(std::string_view text);

// The rows of such lists, each name and option looked up; "all" stands for all of the family, a row that
// occurs twice is taken once. Unknown names and options are errors.
[[nodiscard]] Result<std::vector<Selection>> parse_formulation_list(std::string_view text);
[[nodiscard]] Result<std::vector<Selection>> parse_integrator_list(std::string_view text);

// Every row of the table, and of a row with variants one for each of them.
[[nodiscard]] std::vector<Selection> all_formulations();

struct RowPlan {
  Selection formulation;
  Selection integrator;
  double rtol = 1e-6;
  std::optional<double> step;  // when the row needs a fixed one
};

struct PlanSettings {
  std::vector<Selection> formulations;
  std::vector<Selection> integrators;
  std::vector<double> rtols;  // of which fixed-step rows take the step, half the step, a quarter …
  double step = 0;
};

// All combinations: by formulations, then integrators, then tolerances.
[[nodiscard]] std::vector<RowPlan> plan_rows(const PlanSettings& settings);

}  // namespace daedalus
