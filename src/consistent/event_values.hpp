// What values become at an event: what can be a state stays where it is unless a reinit() or a constraint
// moves it, and the rest follows.
//
// Level by level, from positions over velocities to accelerations and multipliers. The equations that hold
// highest derivatives are integrated over the instant: J (w - w⁻ - Σ e_k δ_k) = 0 for the levels w one below
// them, with impulses in the place of multipliers and jumps δ_k of what is reinitialised; constraints hold
// as they stand. J is the Jacobian with respect to highest derivatives, for all levels the same. For a
// mechanism that is the impulse of its constraints: the nearest velocities in the norm of the mass matrix.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "consistent/algebraic_solver.hpp"
#include "core/copied.hpp"

namespace daedalus {

// A new value for a level, asked for by reinit().
struct Reinit {
  int level = -1;
  double value = 0;

  void state(Archive& archive) { archive(level, value); }
};

class EventValues {
 public:
  EventValues(const CompiledModel& model, const Tolerances& tolerances);

  // The environment before anything discrete changes, until forget(): what a constraint is off by although
  // nothing discrete in it has changed is drift; what it is off by because it has changed is a jump.
  void remember(std::span<const double> environment) { past_.assign(environment.begin(), environment.end()); }
  void forget() { past_.clear(); }

  enum class Outcome {
    Solved,
    // Without the highest derivatives: an equation holds none of them on this side of the event (a clutch
    // that closes), so that it is a constraint of the levels below, which have become what it says.
    LowerSolved,
    NotFound  // the levels are as before
  };
  // The environment holds the levels before the event and everything discrete after it.
  Outcome solve(std::span<double> environment, const std::vector<Reinit>& reinits);
  // The level below the highest derivatives that differs most from what it was before solve(), in units of
  // the tolerances times those that drift may reach; -1: none by more.
  [[nodiscard]] int jumped(std::span<const double> environment) const;

 private:
  struct Steps;
  struct Entry {
    int source = 0;  // in the model's Jacobian
    int row = 0, column = 0;
    int position = 0;    // in the pattern
    bool lower = false;  // by the level below the highest
  };
  struct Target {
    int column = 0;
    double value = 0;
  };
  void prepare();
  bool move_all(std::span<double> environment, const std::vector<Reinit>& reinits);
  bool find_missing_rows(std::span<const double> environment);
  // The equation that constrains the levels of a stage, or -1: the row tells of impulses.
  [[nodiscard]] int constraint_at(std::size_t i, int stage) const;
  [[nodiscard]] double weight_of(int level, double value) const;
  bool move(int stage, std::span<double> environment, const std::vector<Reinit>& reinits);
  bool factor(std::span<const double> environment);
  void set_right_side(int stage, std::span<const double> environment);
  // Whether the event moves what constraints of a stage ask for, by more than the tolerances.
  bool changes_constraints(int stage, std::span<const double> environment);
  bool add_jumps(int stage, std::span<const double> environment, std::span<const Target> targets);
  [[nodiscard]] int level_at(std::size_t j, int stage) const;
  [[nodiscard]] double size_of(std::span<const double> environment, int stage,
                               std::span<const double> step) const;

  const CompiledModel& model_;
  Tolerances tolerances_;
  AlgebraicSolver algebraic_;  // for the highest derivatives
  bool prepared_ = false;
  bool selected_ = false;
  bool changed_ = false;                    // a level below the highest has moved
  std::vector<char> missing_;               // by row: it holds no highest derivatives here
  int deepest_ = 0;                         // the stage of positions: -2 for a mechanism
  std::vector<int> first_level_, d_;        // by column
  std::vector<int> c_;                      // by row
  std::vector<std::vector<int>> equation_;  // by row, by level
  std::vector<Entry> entries_;              // of J
  Copied<RealSolver> solver_;
  std::vector<double> jacobian_values_, values_, residuals_, workspace_, jacobian_workspace_;
  std::vector<double> before_, rhs_;
  std::vector<double> past_, past_residuals_, change_;
  std::vector<double> moved_;  // by column: w - w⁻ without the jumps, or the impulse
  std::vector<Target> targets_;
};

}  // namespace daedalus
