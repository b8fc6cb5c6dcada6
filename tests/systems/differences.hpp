// The exact Jacobians of a ResidualSystem against central differences of its residual.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "integrate/residual_system.hpp"

namespace daedalus::testing {

// An entry that is not in the pattern must have a difference of zero. Central differences with steps of 1e-5
// have an error of 1e-10 times a third derivative, and rounding of 1e-11 times the residual.
inline void expect_exact_jacobian(ResidualSystem& system, double t, std::vector<double> y,
                                  std::vector<double> yp, const std::string& what) {
  constexpr double h = 1e-5;
  constexpr double tolerance = 1e-7;
  const SparsePattern& pattern = system.pattern();
  const auto n = static_cast<std::size_t>(system.size());
  std::vector<double> dy(pattern.row.size());
  std::vector<double> dyp(pattern.row.size());
  ASSERT_TRUE(system.jacobian(t, y, yp, dy, dyp)) << what;
  std::vector<double> low(n);
  std::vector<double> high(n);
  for (const bool rates : {false, true}) {
    std::vector<double>& moved = rates ? yp : y;
    const std::vector<double>& values = rates ? dyp : dy;
    for (std::size_t c = 0; c < n; ++c) {
      const double before = moved[c];
      moved[c] = before - h;
      ASSERT_TRUE(system.residual(t, y, yp, low)) << what;
      moved[c] = before + h;
      ASSERT_TRUE(system.residual(t, y, yp, high)) << what;
      moved[c] = before;
      std::vector<double> column(n, 0.0);
      for (int p = pattern.column_start[c]; p < pattern.column_start[c + 1]; ++p)
        column[static_cast<std::size_t>(pattern.row[static_cast<std::size_t>(p)])] =
            values[static_cast<std::size_t>(p)];
      for (std::size_t r = 0; r < n; ++r) {
        const double difference = (high[r] - low[r]) / (2 * h);
        EXPECT_NEAR(column[r], difference, tolerance * (1 + std::abs(difference)))
            << what << ": row " << r << ", " << (rates ? "rate " : "unknown ") << c;
      }
    }
  }
}

}  // namespace daedalus::testing
