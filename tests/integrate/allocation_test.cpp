// After the first steps nothing is allocated in the loop. Every malloc of the program is counted, KLU's too.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "integrate/drive.hpp"
#include "integrate/mechanical_pendulum.hpp"
#include "integrate/ode_systems.hpp"
#include "integrate/test_systems.hpp"
#include "support/allocations.hpp"

namespace daedalus::testing {
namespace {

TEST(Allocation, IsCounted) {
#if defined(__SANITIZE_ADDRESS__)
  ASSERT_NE(installed, 0);
#endif
  const long before = allocations;
  const auto block = std::make_unique<std::vector<double>>(100);
  EXPECT_GE(allocations - before, 2);
  EXPECT_EQ(block->size(), 100);
}

TEST(Allocation, DoesNotHappenInTheLoop) {
  for (const char* method :
       {"bdf", "ndf", "radau", "radau:order=variable", "backward-euler", "implicit-midpoint"}) {
    for (const char* solver : {"dense", "klu"}) {
      DummyPendulum system(false);
      std::vector<double> y;
      std::vector<double> yp;
      DummyPendulum::initial(0.1, 0, y, yp);
      IntegratorSettings settings = with_tolerance(1e-6, 1e-6);
      const std::string name(method);
      if (!find_integrator(name.substr(0, name.find(':')))->adaptive) settings.fixed_step = 0.01;
      const std::string separator = name.find(':') == std::string::npos ? ":" : ",";
      const auto integrator = make_integrator(name + separator + "solver=" + solver, system, settings);
      integrator->start(0, y, yp, 1e4);
      // Several periods, so that KLU has chosen its pivots for all that comes, at each order.
      for (int step = 0; step < 1200; ++step) ASSERT_TRUE(integrator->step(1e4).ok());
      const long factorizations = integrator->counters().factorizations;
      const long before = allocations;
      bool ok = true;
      for (int step = 0; step < 300; ++step) {
        ok = ok && integrator->step(1e4).ok();
        integrator->interpolate(integrator->t_previous() + 0.5 * integrator->last_step(), y, yp);
      }
      const long during = allocations - before;
      EXPECT_TRUE(ok);
      EXPECT_EQ(during, 0) << method << " " << solver;
      EXPECT_GT(integrator->counters().factorizations, factorizations) << "the test saw no factorisation";
    }
  }
}

// In 300 steps, each read in its middle and replaced at its end, after three to warm up. The vectors are
// room.
void expect_no_allocation(Integrator& integrator, std::vector<double>& y, std::vector<double>& yp,
                          std::string_view name) {
  for (int step = 0; step < 3; ++step) {
    ASSERT_TRUE(integrator.step(1e4).ok());
    integrator.replace_state(integrator.y(), {});
  }
  const long before = allocations;
  bool ok = true;
  for (int step = 0; step < 300; ++step) {
    ok = ok && integrator.step(1e4).ok();
    integrator.interpolate(integrator.t_previous() + 0.5 * integrator.last_step(), y, yp);
    integrator.replace_state(integrator.y(), {});
  }
  EXPECT_EQ(allocations - before, 0) << name;
  EXPECT_TRUE(ok) << name;
}

TEST(Allocation, DoesNotHappenInTheLoopOfExplicitMethods) {
  for (const IntegratorRow& row : explicit_rows()) {
    Kepler ode;
    const auto integrator = make_explicit_integrator(std::string(row.name), ode, with_tolerance(1e-5, 1e-5));
    integrator->start(0, Kepler::exact(0), Kepler::exact(0), 1e4);
    std::vector<double> y = Kepler::exact(0);
    std::vector<double> yp(4);
    expect_no_allocation(*integrator, y, yp, row.name);
    EXPECT_GT(integrator->counters().rejected, 0) << "the test saw no rejected step";
  }
}

TEST(Allocation, DoesNotHappenInTheLoopOfMechanicalMethods) {
  for (const IntegratorRow& row : mechanical_rows()) {
    MechanicalPendulum pendulum;
    IntegratorSettings settings = with_tolerance(1e-5, 1e-5);
    if (!row.adaptive) settings.fixed_step = 0.01;
    const IntegratorRow* resolved = look_up(std::string(row.name), settings);
    const auto integrator = resolved->make_mechanical(pendulum, settings);
    std::vector<double> y{0.6, -0.8, 0.4, 0.3};
    std::vector<double> yp(4);
    ASSERT_TRUE(pendulum.derivative(0, y, yp));
    integrator->start(0, y, yp, 1e4);
    expect_no_allocation(*integrator, y, yp, row.name);
  }
}

// exp(t) as a series system: c_k = c_0 / k!
class Growth final : public SeriesSystem {
 public:
  int size() const override { return 1; }
  std::span<const Component> components() const override { return components_; }
  bool derivative(double /*t*/, std::span<const double> y, std::span<double> yp) override {
    yp[0] = -y[0];
    return true;
  }
  bool expand(double /*t*/, std::span<const double> y, int order, std::span<double> c) override {
    c[0] = y[0];
    for (int k = 1; k <= order; ++k) c[static_cast<std::size_t>(k)] = -c[static_cast<std::size_t>(k) - 1] / k;
    return true;
  }

 private:
  std::array<Component, 1> components_{};
};

TEST(Allocation, DoesNotHappenInTheLoopOfTaylorMethods) {
  Growth system;
  IntegratorSettings settings = with_tolerance(1e-8, 1e-8);
  const auto integrator = look_up("taylor:max_step=0.1", settings)->make_series(system, settings);
  std::vector<double> y{1};
  std::vector<double> yp{-1};
  integrator->start(0, y, yp, 1e4);
  for (int step = 0; step < 3; ++step) {
    ASSERT_TRUE(integrator->step(1e4).ok());
    integrator->replace_state(integrator->y(), {});
  }
  const long before = allocations;
  bool ok = true;
  for (int step = 0; step < 60; ++step) {
    ok = ok && integrator->step(1e4).ok();
    integrator->interpolate(integrator->t_previous() + 0.5 * integrator->last_step(), y, yp);
    integrator->replace_state(integrator->y(), {});
  }
  EXPECT_EQ(allocations - before, 0);
  EXPECT_TRUE(ok);
  EXPECT_NEAR(integrator->y()[0], std::exp(-integrator->t()), 1e-12);
}

// A dummy pivot exchanges equations; with the pattern unchanged nothing needs to be made anew.
TEST(Allocation, DoesNotHappenAtAPivot) {
  for (const char* method : {"bdf:solver=dense", "radau:solver=dense"}) {
    std::vector<double> y;
    std::vector<double> yp;
    DummyPendulum::initial(std::numbers::pi / 2, -1, y, yp);
    DummyPendulum system(true);
    const auto integrator = make_integrator(method, system, with_tolerance(1e-6, 1e-6));
    integrator->start(0, y, yp, 1e4);
    for (int step = 0; step < 1200; ++step) ASSERT_TRUE(integrator->step(1e4).ok());
    const long before = allocations;
    int pivots = 0;
    while (pivots < 10 && integrator->step(1e4).ok()) {
      const bool y_is_state = std::abs(integrator->y()[0]) > std::abs(integrator->y()[1]);
      if (y_is_state == system.y_is_state()) continue;
      system.select(y_is_state);
      integrator->system_changed();
      ++pivots;
    }
    EXPECT_EQ(allocations - before, 0) << method;
    EXPECT_EQ(pivots, 10) << method;
  }
}

}  // namespace
}  // namespace daedalus::testing
