// Problems of every kind for copies of integrators: a problem made twice is two systems that are alike.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "integrate/drive.hpp"
#include "integrate/high_index_systems.hpp"
#include "integrate/mechanical_pendulum.hpp"
#include "integrate/ode_systems.hpp"
#include "integrate/stiff_systems.hpp"

namespace daedalus::testing {

// y_i' = k (y_(i-1) - 2 y_i + y_(i+1)) - y_i³ + sin t at the first one: a band, for sparse solvers. With a
// plan of elimination, if wanted.
class Band final : public ResidualSystem {
 public:
  explicit Band(int n, bool planned = false) : components_(static_cast<std::size_t>(n)), planned_(planned) {
    pattern_ = {.size = n, .column_start = {0}, .row = {}};
    for (int j = 0; j < n; ++j) {
      for (int i = std::max(0, j - 1); i < std::min(n, j + 2); ++i) pattern_.row.push_back(i);
      pattern_.column_start.push_back(pattern_.nonzeros());
      plan_.equation.push_back(j);
      plan_.turn.push_back(EliminationPlan::Turn::Top);
      plan_.next.push_back(-1);
    }
  }
  int size() const override { return pattern_.size; }
  std::span<const Component> components() const override { return components_; }
  const SparsePattern& pattern() const override { return pattern_; }
  const EliminationPlan* elimination() const override { return planned_ ? &plan_ : nullptr; }
  bool residual(double t, std::span<const double> y, std::span<const double> yp,
                std::span<double> r) override {
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double left = i > 0 ? y[i - 1] : std::sin(20 * t);
      const double right = i + 1 < y.size() ? y[i + 1] : 0;
      r[i] = yp[i] - stiffness * (left - 2 * y[i] + right) + y[i] * y[i] * y[i];
    }
    return true;
  }
  bool jacobian(double /*t*/, std::span<const double> y, std::span<const double> /*yp*/, std::span<double> dy,
                std::span<double> dyp) override {
    for (int j = 0; j < size(); ++j) {
      const auto column = static_cast<std::size_t>(j);
      for (int p = pattern_.column_start[column]; p < pattern_.column_start[column + 1]; ++p) {
        const auto entry = static_cast<std::size_t>(p);
        const bool diagonal = pattern_.row[entry] == j;
        dy[entry] = diagonal ? 2 * stiffness + 3 * y[column] * y[column] : -stiffness;
        dyp[entry] = diagonal ? 1 : 0;
      }
    }
    return true;
  }

 private:
  static constexpr double stiffness = 50;
  std::vector<Component> components_;
  bool planned_;
  SparsePattern pattern_;
  EliminationPlan plan_;
};

// x'' = -x as a series.
class Oscillator final : public SeriesSystem {
 public:
  int size() const override { return 2; }
  std::span<const Component> components() const override { return components_; }
  bool derivative(double /*t*/, std::span<const double> y, std::span<double> yp) override {
    yp[0] = y[1];
    yp[1] = -y[0];
    return true;
  }
  bool expand(double /*t*/, std::span<const double> y, int order, std::span<double> c) override {
    c[0] = y[0];
    c[1] = y[1];
    for (std::size_t k = 1; k <= static_cast<std::size_t>(order); ++k) {
      c[2 * k] = c[2 * k - 1] / static_cast<double>(k);
      c[2 * k + 1] = -c[2 * k - 2] / static_cast<double>(k);
    }
    return true;
  }

 private:
  std::vector<Component> components_{2};
};

class Problem {
 public:
  virtual ~Problem() = default;
  [[nodiscard]] virtual SystemReference reference() = 0;
  // What the caller does to the system between two steps, in a way that depends on the values only. True: the
  // integrator is to be told that the system has changed.
  virtual bool change(const Integrator& /*integrator*/) { return false; }
  // As another instance is now.
  virtual void follow(const Problem& /*other*/) {}

  std::vector<double> y, yp;
  double t_end = 0;
};

template <class System>
class ProblemOf : public Problem {
 public:
  template <class... Arguments>
  explicit ProblemOf(double end, std::vector<double> start, std::vector<double> slope, Arguments... arguments)
      : system(arguments...) {
    t_end = end;
    y = std::move(start);
    yp = std::move(slope);
  }
  SystemReference reference() override { return {system}; }

  System system;
};

// Pivots on its way.
class PivotingPendulum final : public ProblemOf<DummyPendulum> {
 public:
  PivotingPendulum() : ProblemOf(20, {}, {}, true) {
    DummyPendulum::initial(std::numbers::pi / 2, -1, y, yp);
  }
  bool change(const Integrator& integrator) override {
    const bool y_is_state = std::abs(integrator.y()[0]) > std::abs(integrator.y()[1]);
    if (y_is_state == system.y_is_state()) return false;
    system.select(y_is_state);
    return true;
  }
  void follow(const Problem& other) override {
    system.select(dynamic_cast<const PivotingPendulum&>(other).system.y_is_state());
  }
};

struct StateCase {
  std::string name;
  std::string selection;
  std::function<std::unique_ptr<Problem>()> make;
  double fixed_step = 0;  // 0: adaptive
};

inline std::unique_ptr<Integrator> make_on(const StateCase& one, Problem& problem) {
  IntegratorSettings settings = with_tolerance(1e-6, 1e-6);
  if (one.fixed_step > 0) settings.fixed_step = one.fixed_step;
  const IntegratorRow* row = look_up(one.selection, settings);
  const SystemReference system = problem.reference();
  if (row->make != nullptr) return row->make(*system.as<ResidualSystem>(), settings);
  if (row->make_explicit != nullptr) return row->make_explicit(*system.as<OdeSystem>(), settings);
  if (row->make_series != nullptr) return row->make_series(*system.as<SeriesSystem>(), settings);
  return row->make_mechanical(*system.as<MechanicalSystem>(), settings);
}

inline void add_residual_cases(const IntegratorRow& row, std::vector<StateCase>& cases) {
  const std::vector<std::pair<std::string, std::function<std::unique_ptr<Problem>()>>> problems{
      {"index 1",
       [] {
         return std::make_unique<ProblemOf<IndexOne>>(10, IndexOne::exact(0), IndexOne::exact_slope(0));
       }},
      {"van der pol",
       [] {
         return std::make_unique<ProblemOf<VanDerPol>>(2, std::vector<double>{2, -0.66},
                                                       std::vector<double>{-0.66, 0.0});
       }},
      {"pivots", [] { return std::make_unique<PivotingPendulum>(); }},
      {"index 2",
       [] {
         return std::make_unique<ProblemOf<GglPendulum>>(5, std::vector<double>{1, 0, 0, -1, 1, 0},
                                                         std::vector<double>{0, -1, -1, -1, 0, 0});
       }},
      {"index 3",
       [] {
         return std::make_unique<ProblemOf<PositionPendulum>>(5, std::vector<double>{1, 0, 0, -1, 1},
                                                              std::vector<double>{0, -1, -1, -1, 0});
       }},
      {"band",
       [] {
         return std::make_unique<ProblemOf<Band>>(1, std::vector<double>(40, 0.1), std::vector<double>(40, 0),
                                                  40);
       }},
      {"planned band", [] {
         return std::make_unique<ProblemOf<Band>>(1, std::vector<double>(40, 0.1), std::vector<double>(40, 0),
                                                  40, true);
       }}};
  std::vector<std::string> selections{std::string(row.name)};
  if (row.name == "radau") {
    for (const char* order : {"1", "9", "variable"})
      selections.push_back(std::string("radau:order=") + order);
  }
  selections.push_back(std::string(row.name) + ":solver=klu");
  for (const std::string& selection : selections) {
    for (const auto& [name, make] : problems) {
      // The midpoint rule has no values for multipliers without error control, nor does Euler at 1e-2.
      cases.push_back({.name = selection + ", " + name,
                       .selection = selection,
                       .make = make,
                       .fixed_step = row.adaptive            ? 0
                                     : name == "van der pol" ? 1e-4
                                                             : 0.01});
    }
  }
}

// Every row that can be copied, on every kind of problem that is for it.
inline std::vector<StateCase> state_cases() {
  std::vector<StateCase> cases;
  for (const IntegratorRow& row : integrators()) {
    if (!row.copyable) continue;
    const std::string name(row.name);
    const double fixed = row.adaptive ? 0 : 0.01;
    if (row.make != nullptr) add_residual_cases(row, cases);
    if (row.make_explicit != nullptr) {
      cases.push_back({name + ", kepler", name, [] {
                         return std::make_unique<ProblemOf<Kepler>>(20, Kepler::exact(0),
                                                                    std::vector<double>(4, 0));
                       }});
      cases.push_back({name + ", stiff", name, [] {
                         return std::make_unique<ProblemOf<StiffOde>>(2, StiffOde::exact(0),
                                                                      std::vector<double>{0}, 1000.0);
                       }});
      cases.push_back({name + ", circle", name, [] {
                         return std::make_unique<ProblemOf<Circle>>(10, Circle::exact(0),
                                                                    std::vector<double>(2, 0));
                       }});
    }
    if (row.make_mechanical != nullptr) {
      cases.push_back({name + ", pendulum", name,
                       [] {
                         return std::make_unique<ProblemOf<MechanicalPendulum>>(
                             10, std::vector<double>{0.6, -0.8, 0.4, 0.3}, std::vector<double>(4, 0));
                       },
                       fixed});
    }
    if (row.make_series != nullptr) {
      cases.push_back({name + ", oscillator", name, [] {
                         return std::make_unique<ProblemOf<Oscillator>>(50, std::vector<double>{1, 0},
                                                                        std::vector<double>(2, 0));
                       }});
    }
  }
  return cases;
}

}  // namespace daedalus::testing
