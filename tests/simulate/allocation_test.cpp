// Runs of whole models, with all that happens between steps: twice as many steps need no more memory.
#include <gtest/gtest.h>

#include "simulate/formulation_support.hpp"
#include "support/allocations.hpp"

namespace daedalus::testing {
namespace {

constexpr std::string_view pendulum = R"(model Pendulum
  Real x(start = 0.6, fixed = true), y(start = -0.8), u(start = 0, fixed = true), v(start = 0), lambda;
equation
  der(x) = u;
  der(y) = v;
  der(u) = -2*x*lambda;
  der(v) = -2*y*lambda - 9.81;
  x^2 + y^2 = 1;
end Pendulum;
)";
// Capacitors between nodes: dummy derivatives whose choice never changes.
constexpr std::string_view circuit = R"(model Circuit
  Real a(start = 0, fixed = true), b(start = 0), c(start = 0, fixed = true);
equation
  1e-3*(der(a) - der(b)) = sin(time) - a;
  1e-3*(der(b) - der(a)) = 1e-3*exp(c) - b;
  der(c) = a - c;
end Circuit;
)";

struct Counted {
  long allocations = 0;
  long steps = 0;
};

Counted counted(const DaeSystem& system, const std::string& formulation, const std::string& integrator,
                double until) {
  const Setting setting{.integrator = integrator, .until = until, .tolerance = 1e-6, .points = 2};
  const long before = allocations;
  const RunResult result = run(system, formulation, setting);
  return {.allocations = allocations - before, .steps = result.summary.counters.steps};
}

// A swing of 37 degrees: no other choice of states is ever better. Some vectors of records double now and
// then; a step that allocated would show as hundreds.
TEST(LoopAllocation, DoesNotGrowWithTheNumberOfSteps) {
  struct Row {
    std::string_view text;
    const char* formulation;
    const char* integrator;
  };
  for (const Row& row :
       {Row{pendulum, "dummy-derivatives", "radau"}, Row{pendulum, "dummy-derivatives", "bdf"},
        Row{pendulum, "ggl", "radau"}, Row{pendulum, "baumgarte", "radau"},
        Row{pendulum, "orthogonal-projection", "dop853"}, Row{pendulum, "orthogonal-projection", "taylor"},
        Row{pendulum, "trust-region", "radau"}, Row{circuit, "dummy-derivatives", "radau"}}) {
    const DaeSystem system = from_text(std::string(row.text));
    (void)counted(system, row.formulation, row.integrator, 1);  // what is made once in the process
    const Counted once = counted(system, row.formulation, row.integrator, 20);
    const Counted twice = counted(system, row.formulation, row.integrator, 40);
    EXPECT_GT(twice.steps, once.steps + 50) << row.formulation;
    EXPECT_LE(twice.allocations, once.allocations + 20) << row.formulation << " " << row.integrator << ", "
                                                        << once.steps << " and " << twice.steps << " steps";
  }
}

}  // namespace
}  // namespace daedalus::testing
