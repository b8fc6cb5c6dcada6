// Explicit methods do not keep the slopes of positions, x' = v (erk_sums.hpp): what they compute is the same.
#include <gtest/gtest.h>

#include "integrate/drive.hpp"
#include "integrate/ode_systems.hpp"

namespace daedalus::testing {
namespace {

// n pendulums, each pulled by its neighbours, and a state that is neither position nor velocity: long enough
// for vectors of every width, and with what is left of them.
class Pendulums final : public SmallOde {
 public:
  Pendulums(int n, bool says_positions)
      : SmallOde(2 * n + 3), n_(static_cast<std::size_t>(n)), says_positions_(says_positions) {}
  int positions() const override { return says_positions_ ? static_cast<int>(n_) : 0; }
  bool derivative(double t, std::span<const double> y, std::span<double> yp) override {
    if (yp.size() == y.size()) return SmallOde::derivative(t, y, yp);
    EXPECT_TRUE(says_positions_);
    EXPECT_EQ(yp.size() + n_, y.size());
    std::vector<double> all(y.size());
    const bool fine = SmallOde::derivative(t, y, all);
    std::ranges::copy(std::span(all).subspan(n_), yp.begin());
    return fine;
  }
  void phi(double t, std::span<const double> y, std::span<double> yp) const override {
    for (std::size_t i = 0; i < n_; ++i) {
      const double before = i > 0 ? y[i - 1] : 0;
      const double after = i + 1 < n_ ? y[i + 1] : std::sin(t);
      yp[i] = y[n_ + i];
      yp[n_ + i] = -std::sin(y[i]) + before - 2 * y[i] + after;
    }
    yp[2 * n_] = y[0] - y[2 * n_];
    yp[2 * n_ + 1] = y[n_] * y[2 * n_];
    yp[2 * n_ + 2] = std::cos(y[2 * n_ + 1]);
  }
  [[nodiscard]] std::vector<double> start() const {
    std::vector<double> y;
    for (int i = 0; i < size(); ++i) y.push_back(std::sin(1 + i));
    return y;
  }

 private:
  std::size_t n_;
  bool says_positions_;
};

// At the ends of the steps and inside, all that an integrator gives away. Steps of one size: with others a
// difference in the last place of an error estimate would show.
TEST(Positions, ChangeNothingButTheWork) {
  for (const IntegratorRow& row : explicit_rows()) {
    for (const int n : {1, 2, 3, 7, 12, 21}) {
      Pendulums plain(n, false);
      Pendulums second(n, true);
      const auto one = make_explicit_integrator(std::string(row.name), plain, with_fixed_step(0.25));
      const auto two = make_explicit_integrator(std::string(row.name), second, with_fixed_step(0.25));
      one->start(0, plain.start(), slope_at(plain, 0, plain.start()), 3);
      two->start(0, second.start(), slope_at(second, 0, second.start()), 3);
      std::vector<double> y(plain.start().size());
      std::vector<double> yp = y;
      std::vector<double> y2 = y;
      std::vector<double> yp2 = y;
      while (one->t() < 3) {
        ASSERT_TRUE(one->step(3).ok() && two->step(3).ok());
        ASSERT_EQ(one->t(), two->t());
        for (const double s : {0.0, 0.3, 0.9, 1.0}) {
          const double t = one->t_previous() + s * one->last_step();
          one->interpolate(t, y, yp);
          two->interpolate(t, y2, yp2);
          // Rounding of some twenty terms of order 1, a dozen steps.
          EXPECT_LT(max_difference(y, y2), 1e-13) << row.name << ", n = " << n << ", t = " << t;
          EXPECT_LT(max_difference(yp, yp2), 1e-12) << row.name << ", n = " << n << ", t = " << t;
        }
      }
    }
  }
}

// The error estimate and the watch on stiffness see the same, so that free steps are as many.
TEST(Positions, DoNotChangeTheSteps) {
  for (const IntegratorRow& row : explicit_rows()) {
    const auto steps = [&row](bool says_positions) {
      Pendulums ode(5, says_positions);
      const auto integrator =
          make_explicit_integrator(std::string(row.name), ode, with_tolerance(1e-7, 1e-9));
      integrator->start(0, ode.start(), slope_at(ode, 0, ode.start()), 20);
      while (integrator->t() < 20) {
        if (!integrator->step(20).ok()) return Counters{};
      }
      return integrator->counters();
    };
    const Counters plain = steps(false);
    const Counters second = steps(true);
    EXPECT_GT(plain.steps, 10) << row.name;
    EXPECT_EQ(plain.steps, second.steps) << row.name;
    EXPECT_EQ(plain.rejected, second.rejected) << row.name;
    EXPECT_EQ(plain.residual_evals, second.residual_evals) << row.name;
  }
}

}  // namespace
}  // namespace daedalus::testing
