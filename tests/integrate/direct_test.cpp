// Small mechanical systems whose φ is one function are integrated by code of their own (erk_small.hpp): the
// same numbers, to the last bit.
#include <gtest/gtest.h>

#include <cmath>

#include "integrate/drive.hpp"
#include "integrate/ode_systems.hpp"

namespace daedalus::testing {
namespace {

// The pull of neighbours on n pendulums; √ says where the first of them may not go. The environment is n, t,
// and y.
void pull(const double* environment, double* /*registers*/, double* rates, const std::int32_t* /*starts*/) {
  const auto n = static_cast<std::size_t>(environment[0]);
  const double* const x = environment + 2;
  for (std::size_t i = 0; i < n; ++i) {
    const double before = i > 0 ? x[i - 1] : 0;
    const double after = i + 1 < n ? x[i + 1] : std::sin(environment[1]);
    rates[i] = -std::sin(x[i]) + before - 2 * x[i] + after - 0.1 * x[n + i];
  }
  rates[0] += 0 * std::sqrt(2 - x[0]);
}

class Pulled final : public SmallOde {
 public:
  Pulled(int n, bool direct) : SmallOde(2 * n), n_(static_cast<std::size_t>(n)), direct_(direct) {
    environment_.resize(2 + 2 * n_);
    environment_[0] = n;
  }
  int positions() const override { return static_cast<int>(n_); }
  DirectRates direct() override {
    ++asked;
    if (!direct_) return {};
    return {.t = &environment_[1],
            .y = &environment_[2],
            .environment = environment_.data(),
            .registers = nullptr,
            .code = pull,
            .reviewed = reviewed};
  }
  bool derivative(double t, std::span<const double> y, std::span<double> yp) override {
    ++called;
    environment_[1] = t;
    std::ranges::copy(y, environment_.begin() + 2);
    std::vector<double> rates(n_);
    pull(environment_.data(), nullptr, rates.data(), nullptr);
    for (std::size_t i = 0; yp.size() > n_ && i < n_; ++i) yp[i] = y[n_ + i];
    std::ranges::copy(rates, yp.end() - static_cast<std::ptrdiff_t>(n_));
    return std::isfinite(rates[0]);
  }
  void phi(double, std::span<const double>, std::span<double>) const override {}
  std::string trouble() const override { return "the root in equation 1"; }
  [[nodiscard]] std::vector<double> start(double speed) const {
    std::vector<double> y;
    for (int i = 0; i < size(); ++i) y.push_back(std::sin(1 + i));
    y[n_] = speed;
    return y;
  }

  bool reviewed = true;
  long asked = 0;
  long called = 0;

 private:
  std::size_t n_;
  bool direct_;
  std::vector<double> environment_;
};

struct Pair {
  Pair(const IntegratorRow& row, int n, double speed) : plain(n, false), direct(n, true) {
    one = make_explicit_integrator(std::string(row.name), plain, with_tolerance(1e-6, 1e-8));
    two = make_explicit_integrator(std::string(row.name), direct, with_tolerance(1e-6, 1e-8));
    one->start(0, plain.start(speed), slope_at(plain, 0, plain.start(speed)), 10);
    two->start(0, direct.start(speed), slope_at(direct, 0, direct.start(speed)), 10);
  }
  Pulled plain, direct;
  std::unique_ptr<Integrator> one, two;
};

// With sizes of every remainder, and one that is too large for it: values, slopes, dense output and work.
TEST(Direct, SmallSystemsGiveTheSameNumbersForLess) {
  for (const IntegratorRow& row : explicit_rows()) {
    for (int n = 1; n <= 9; ++n) {
      Pair pair(row, n, 0.3);
      std::vector<double> y(static_cast<std::size_t>(2 * n));
      std::vector<double> yp = y;
      std::vector<double> y2 = y;
      std::vector<double> yp2 = y;
      while (pair.one->t() < 10) {
        ASSERT_TRUE(pair.one->step(10).ok() && pair.two->step(10).ok());
        ASSERT_EQ(pair.one->t(), pair.two->t());
        for (const double s : {0.0, 0.4, 1.0}) {
          const double t = pair.one->t_previous() + s * pair.one->last_step();
          pair.one->interpolate(t, y, yp);
          pair.two->interpolate(t, y2, yp2);
          ASSERT_EQ(max_difference(y, y2), 0) << row.name << ", n = " << n << ", t = " << t;
          ASSERT_EQ(max_difference(yp, yp2), 0) << row.name << ", n = " << n << ", t = " << t;
        }
      }
      EXPECT_GT(pair.one->counters().steps, 10) << row.name;
      EXPECT_EQ(pair.one->counters().rejected, pair.two->counters().rejected);
      EXPECT_EQ(pair.one->counters().residual_evals, pair.two->counters().residual_evals);
      // What is left are stages for dense output; of the large system all.
      const bool small = n <= 8;
      EXPECT_EQ(pair.direct.asked > 0, small) << row.name << " " << n;
      EXPECT_LT(pair.direct.called, small ? pair.plain.called / 2 : pair.plain.called + 1)
          << row.name << " " << n;
    }
  }
}

// A root of a negative number at a stage: shorter steps, and at last the same words.
TEST(Direct, WhatIsNotFiniteIsSaidAsEver) {
  for (const IntegratorRow& row : explicit_rows()) {
    Pair pair(row, 3, 8);
    StepOutcome one;
    StepOutcome two;
    while (one.ok() && two.ok() && pair.one->t() < 10) {
      one = pair.one->step(10);
      two = pair.two->step(10);
      ASSERT_EQ(pair.one->t(), pair.two->t()) << row.name;
    }
    EXPECT_FALSE(one.ok()) << row.name;
    EXPECT_EQ(one.status, two.status) << row.name;
    EXPECT_EQ(one.detail, two.detail) << row.name;
    EXPECT_NE(two.detail.find("the root in equation 1"), std::string::npos) << two.detail;
    EXPECT_EQ(pair.one->counters().rejected, pair.two->counters().rejected) << row.name;
  }
}

// derivative() is called once a step where that is wished for.
TEST(Direct, ASystemMayLookAfterItsResults) {
  for (const bool reviewed : {true, false}) {
    Pair pair(*find_integrator("dop853"), 2, 0.3);
    pair.direct.reviewed = reviewed;
    const long before = pair.direct.called;
    for (int k = 0; k < 5; ++k) ASSERT_TRUE(pair.two->step(10).ok());
    EXPECT_EQ(pair.direct.called - before, reviewed ? 0 : 5);
  }
}

}  // namespace
}  // namespace daedalus::testing
