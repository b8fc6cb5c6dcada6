// Every formulation by every integrator on models with known solutions: right at every output point, or a
// warning, or a reason why not. A cell that is wrong and says nothing fails.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "simulate/formulation_support.hpp"
#include "simulate/manufactured.hpp"

namespace daedalus::testing {
namespace {

constexpr double kAllowed = 100;  // of rtol times the size of the variable

struct Counts {
  int right = 0, warned = 0, said = 0, refused = 0, failed = 0;
};

// The rows of the table with their defaults, and variants that bend what a row does.
std::vector<std::string> every_formulation() {
  std::vector<std::string> names{"auto"};
  for (const FormulationRow& row : formulations()) names.emplace_back(row.name);
  for (const char* variant :
       {"baumgarte:gamma=1", "baumgarte:gamma=100", "trust-region:curvature=no",
        "projected-invariants:variant=pa", "projected-invariants:variant=pc",
        "orthogonal-projection:levels=positions", "orthogonal-projection:W=M",
        "coordinate-partitioning:threshold=10", "coordinate-partitioning:threshold=1000",
        "tangent-plane:threshold=100", "singular-mass:gamma=1e-3", "dummy-derivatives:pivot=1e6"})
    names.emplace_back(variant);
  return names;
}

std::vector<std::string> every_integrator() {
  std::vector<std::string> names;
  for (const IntegratorRow& row : integrators()) names.emplace_back(row.name);
  for (const char* variant :
       {"radau:order=1", "radau:order=9", "radau:order=13", "radau:order=variable", "bdf:order=2"})
    names.emplace_back(variant);
  return names;
}

struct Worst {
  double error = 0;
  std::string variable;
};

Worst worst_error(const Manufactured& model, const Trajectory& trajectory, double rtol) {
  Worst worst;
  for (const ManufacturedVariable& variable : model.variables) {
    const std::size_t column = column_of(trajectory, variable.name);
    double size = 0;
    for (const double t : trajectory.times) size = std::max(size, std::abs(variable.course(t)));
    for (std::size_t row = 0; row < trajectory.rows(); ++row) {
      const double exact = variable.course(trajectory.times[row]);
      const double error = std::abs(trajectory.at(row, column) / variable.scale - exact) / (rtol * size);
      if (!(error <= worst.error)) worst = {.error = error, .variable = variable.name};
    }
  }
  return worst;
}

// Methods of fixed step have no error test: their tolerance is what their order makes of the step.
void fill_cell(const Manufactured& model, const DaeSystem& system, const std::string& formulation,
               const std::string& integrator, Counts& counts) {
  RunOptions options;
  options.until = model.until;
  options.points = 137;  // not where steps end
  const auto parsed = parse_selection(formulation);
  options.formulation = parsed.value();
  options.integrator = parse_selection(integrator).value();
  const IntegratorRow* row = find_integrator(options.integrator.name());
  const bool low_order = row->order == 1 || integrator == "radau:order=1";
  options.rtol = low_order ? 1e-3 : row->adaptive ? 1e-6 : 1e-4;
  if (!row->adaptive) options.step = model.until / (row->order > 1 ? 2000 : 4000);
  const auto result = simulate(system, options);
  if (!result) {
    ++counts.refused;
    return;
  }
  if (!result->ok()) {
    ++counts.failed;
    return;
  }
  const Worst worst = worst_error(model, result->trajectory, *options.rtol);
  if (worst.error <= kAllowed) {
    ++counts.right;
    if (!result->summary.warnings.empty()) ++counts.warned;
    return;
  }
  ++counts.said;
  EXPECT_FALSE(result->summary.warnings.empty())
      << model.kind << ", " << formulation << ", " << integrator << ": error of " << worst.error
      << " rtol in " << worst.variable;
}

TEST(EveryCell, IsRightOrRefusedOrSaid) {
  Counts counts;
  // Of each family one or two with ordinary scales; the mechanical ones have 2 and 3 coordinates.
  for (const std::uint64_t seed : {3U, 13U, 2U, 5U}) {
    const Manufactured model = manufacture(seed);
    const DaeSystem system = from_text(model.text);
    for (const std::string& formulation : every_formulation()) {
      for (const std::string& integrator : every_integrator())
        fill_cell(model, system, formulation, integrator, counts);
    }
  }
  fmt::print("{} cells right ({} with a warning), {} wrong and said, {} refused, {} failed\n", counts.right,
             counts.warned, counts.said, counts.refused, counts.failed);
  // More than half of what is not refused is right: the test looks at results, not at refusals.
  EXPECT_GT(counts.right, counts.said + counts.failed);
}

}  // namespace
}  // namespace daedalus::testing
