// What advise() recommends, run.
#include <gtest/gtest.h>

#include <cmath>

#include "advise/advice.hpp"
#include "simulate/run.hpp"
#include "support/model_text.hpp"

namespace daedalus::testing {
namespace {

// What is recommended reaches the exact solution x = p = v = exp(t) of all four examples at least as well
// as dummy derivatives do, or to a tenth of the tolerance.
TEST(Advice, IsNotWorse) {
  for (const int k : {1, 2, 3, 4}) {
    const DaeSystem system =
        problem("ascher_petzold_" + std::to_string(k) + ".mo", {{.name = "nu", .value = "300"}});
    const auto error = [&](const Selection& formulation) {
      RunOptions options;
      options.formulation = formulation;
      options.points = 11;
      const auto result = simulate(system, options);
      EXPECT_TRUE(result && result->ok()) << formulation.to_text();
      double largest = 0;
      if (!result) return largest;
      const Trajectory& t = result->trajectory;
      for (std::size_t row = 0; row < t.rows(); ++row) {
        for (std::size_t column = 0; column < t.signals.size(); ++column) {
          if (std::string_view("pvx").find(t.signals[column].name[0]) == std::string_view::npos) continue;
          largest = std::max(largest, std::abs(t.at(row, column) - std::exp(t.times[row])));
        }
      }
      return largest;
    };
    const Advice advice = advise(system);
    EXPECT_EQ(advice.formulation.name(), "projected-invariants") << k;
    EXPECT_LE(error(advice.formulation), std::max(1e-7, error(Selection("dummy-derivatives")))) << k;
  }
}

}  // namespace
}  // namespace daedalus::testing
