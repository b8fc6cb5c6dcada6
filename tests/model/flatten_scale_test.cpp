// Large models: what must be linear is counted, not timed, except for a generous end.
#include <chrono>

#include "model/flatten_support.hpp"

namespace daedalus::test {
namespace {

std::string chain(int n) {
  return "model Chain parameter Integer n = " + std::to_string(n) +
         "; Real x[n], v[n], f[n + 1]; equation for i in 1:n loop der(x[i]) = v[i]; der(v[i]) = f[i + 1] - "
         "f[i]; end for; "
         "f[1] = x[1]; for i in 2:n loop f[i] = x[i] - x[i - 1]; end for; f[n + 1] = 0; end Chain;";
}

TEST(FlattenScale, NodesGrowLinearly) {
  const DaeSystem small = load(chain(100));
  const DaeSystem large = load(chain(1000));
  EXPECT_EQ(large.equations.size(), 3001U);
  EXPECT_LT(large.graph->size(), 10.5 * static_cast<double>(small.graph->size()));
}

// 300,001 equations take about a second; a quadratic step anywhere would take minutes.
TEST(FlattenScale, HundredThousandMasses) {
  const auto start = std::chrono::steady_clock::now();
  const DaeSystem system = load_reduced(chain(100'000));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(system.equations.size(), 299'999U);  // f[1] = x[1] and f[n + 1] = 0 are gone
  EXPECT_LT(seconds.count(), 30);
}

TEST(FlattenScale, SlicesDoNotCostTheWholeArray) {
  const DaeSystem system = load(
      "model M parameter Integer n = 50000; Real r[n, 2]; equation for i in 1:n loop der(r[i, :]) = -r[i, "
      "1:2]; end for; end M;");
  EXPECT_EQ(system.equations.size(), 100'000U);
}

// A chain of aliases in the worst order, and one equation that contains them all.
TEST(FlattenScale, LongAliasChains) {
  const DaeSystem system = load_reduced(
      "model M parameter Integer n = 50000; Real x[n], s; equation s = sum(x); for i in 1:n - 1 loop x[i] = "
      "2*x[i + 1]/2; end for; x[n] = 1; end M;");
  EXPECT_EQ(system.equations.size(), 0U);
  EXPECT_EQ(reported_number(system, "s"), 50000);
}

TEST(FlattenScale, ManyWhenClauses) {
  const DaeSystem system = load(
      "model M parameter Integer n = 20000; Real x[n]; Boolean b[n]; equation for i in 1:n loop b[i] = time "
      "> i; when b[i] then x[i] = time; end when; end for; end M;");
  EXPECT_EQ(system.discrete_steps.size(), 40'000U);
}

}  // namespace
}  // namespace daedalus::test
