#include "systems/compiled_model.hpp"

#include <gtest/gtest.h>

#include <map>

#include "reform/constrained_form.hpp"
#include "support/equations.hpp"

namespace daedalus {
namespace {

using Entries = std::map<std::pair<int, int>, double>;  // by row and column

Entries entries_of(const SparseJacobianProgram& jacobian, std::span<const double> environment) {
  std::vector<double> values(jacobian.row.size());
  std::vector<double> workspace;
  jacobian.evaluate(environment, values, workspace);
  Entries entries;
  for (std::size_t c = 0; c + 1 < jacobian.column_start.size(); ++c) {
    for (int k = jacobian.column_start[c]; k < jacobian.column_start[c + 1]; ++k)
      entries[{jacobian.row[static_cast<std::size_t>(k)], static_cast<int>(c)}] =
          values[static_cast<std::size_t>(k)];
  }
  return entries;
}

// The start's Jacobian is the whole one without the entries that it is said to do without: in the equations
// of the highest level, those of levels that are not the highest.
TEST(CompiledModel, TheStartsJacobianIsAPartOfTheWhole) {
  const testing::Pendulum e(0.6, -0.8, 0.4, 0.3);
  const auto form = recognise_constrained_form(e.system);
  ASSERT_TRUE(form.has_value());
  const auto model = CompiledModel::compile(level_system_of(*form));
  ASSERT_TRUE(model.has_value());
  std::vector<double> environment = (*model)->fresh_environment();
  for (std::size_t k = 0; k < environment.size(); ++k) environment[k] += 1 / (2.0 + static_cast<double>(k));
  const Entries whole = entries_of((*model)->jacobian(), environment);
  Entries start = entries_of((*model)->start_jacobian(), environment);
  const LevelSystem& levels = (*model)->levels();
  std::size_t left_out = 0;
  for (const auto& [place, value] : whole) {
    const auto [row, column] = place;
    const LevelEquation& equation = levels.equations[static_cast<std::size_t>(row)];
    const Level& level = levels.levels[static_cast<std::size_t>(column)];
    const auto j = static_cast<std::size_t>(levels.incidence.column[level.variable.at()]);
    const bool top = equation.level == levels.plan.c[static_cast<std::size_t>(equation.equation)];
    if (top && level.order < levels.plan.d[j]) {
      EXPECT_FALSE(start.contains(place));
      ++left_out;
    } else {
      ASSERT_TRUE(start.contains(place));
      EXPECT_EQ(start[place], value);
    }
  }
  EXPECT_EQ(start.size() + left_out, whole.size());
  EXPECT_GT(left_out, 0U);
}

}  // namespace
}  // namespace daedalus
