// A simulation whose steps somebody else makes: x' = f(t, x, u) for any integrator, as FMI's Model Exchange
// asks for it.
//
// The states x are all levels of the derivative array but the highest: positions and velocities of a
// mechanism, constrained or not. What is given as x is moved to the nearest point of the manifold of all
// constraints, f is evaluated there, and so is everything that is asked for: constraints hold in all values,
// however the integrator drifts. Where it has drifted by more than the tolerances after a step, an event is
// asked for, in which x becomes that point.
//
// Indicators are the differences of relations, moved a little beyond zero against the truth that holds, so
// that at the root that an integrator finds it is contradicted.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "simulate/simulation.hpp"
#include "systems/compiled_model.hpp"

namespace daedalus {

class ModelExchange {
 public:
  // Where the simulation stands, after its initialisation. It is used through this alone as long as this is.
  explicit ModelExchange(Simulation& simulation);

  // The levels that are states, and which of them is which one's derivative.
  [[nodiscard]] static std::vector<int> states_of(const LevelSystem& levels);

  void set_time(double t);
  void set_states(std::span<const double> x);
  // A slot of the environment: an input or a parameter.
  void set_slot(int slot, double value);

  // All values at what was set. A sentence: there are none.
  [[nodiscard]] std::string evaluate();
  // After evaluate().
  void states(std::span<double> x) const;
  void derivatives(std::span<double> dx) const;
  void indicators(std::span<double> z);
  [[nodiscard]] double level(int number) const;

  // After a step of the integrator: an event is asked for.
  [[nodiscard]] bool drifted() const;

  struct Update {
    std::string failure;
    bool states_changed = false;
    bool terminated = false;
    double next_event = std::numeric_limits<double>::infinity();
  };
  // The event that happens here, if one does.
  [[nodiscard]] Update update();

 private:
  [[nodiscard]] std::vector<int> crossed();
  [[nodiscard]] double allowed(std::size_t state, double value) const;

  Simulation& simulation_;
  const CompiledModel& model_;
  std::vector<int> levels_;  // that are states
  std::vector<double> x_;    // as they were set
  std::vector<double> differences_, workspace_;
  bool constrained_ = false;
  bool known_ = true;  // the environment belongs to what was set
};

}  // namespace daedalus
