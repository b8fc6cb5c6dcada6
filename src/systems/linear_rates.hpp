// The fast way to accelerations and multipliers: one program for A(t, y) and b(t, y) of a LinearCore, and the
// solver that its structure deserves: none where there is nothing to solve, a symmetric strategy of
// src/saddle, or a dense or sparse LU.
//
// A is symmetric if rows of constraints may be scaled by constants (λ x against 2 x x'' of a pendulum), which
// is found by values at random points: equal at three of them is equal.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "core/copied.hpp"
#include "numerics/static_lu.hpp"
#include "reform/linear_core.hpp"
#include "saddle/general_system.hpp"
#include "saddle/make_saddle_system.hpp"
#include "systems/reformed_residual.hpp"

namespace daedalus {

class LinearRates {
 public:
  // The differential unknowns, by their number in the reformulated system, and from which slot of the
  // environment on the programs find their values, one after the other.
  struct States {
    std::span<const int> numbers;
    int first = 0;
  };
  // Null when the equations are not linear in rates and algebraic unknowns.
  [[nodiscard]] static std::unique_ptr<LinearRates> make(const ConstrainedForm& form,
                                                         const ReformedResidual& residual,
                                                         const States& states);

  // Time and differential unknowns are in the environment; rates and what they need are put there. False: a
  // pivot is zero or a value is not finite.
  [[nodiscard]] bool rates(std::span<double> environment);
  // So many of the first states have the next ones as their rates: x' = v.
  [[nodiscard]] int positions() const { return positions_; }
  // The rates of the other states for y, which is in the environment, too. What else follows is left out of
  // the environment.
  [[nodiscard]] bool derivative(std::span<double> environment, std::span<const double> y,
                                std::span<double> rates);
  // The same as one program for the stages of a step, where it is one; its results are not looked
  // after. Without an evaluator: it is not.
  [[nodiscard]] Program::Bound direct(std::span<double> environment);
  // Whether the next derivative() will look at the solution.
  [[nodiscard]] bool will_look() const { return solved_ + 1 >= look_at_; }
  // Where these are in the environment, before the first derivative().
  void set_states(std::span<const int> state_slots, std::span<const int> rate_slots);
  // What nothing follows from, after rates().
  void watched(std::span<double> environment);

  // rates() and watched() for several environments at once (core/lanes.hpp). Whether that is possible here:
  // prepare_lanes(). False: not every value is finite, or solutions are to be looked at one by one.
  [[nodiscard]] bool prepare_lanes();
  [[nodiscard]] bool complete_lanes(std::span<double> environments);

  // Goes through points where constraints lose rank (RegularisedSystem::soften). False: this system cannot.
  [[nodiscard]] bool soften(double part);

  // For Taylor coefficients: A z = b in the order in which it is solved, and A factorised by itself at the
  // point in the environment, for several b.
  [[nodiscard]] const LinearCore& core() const { return core_; }
  [[nodiscard]] bool factor(std::span<const double> environment);
  void solve_factored(std::span<double> b);

  // How the matrices of implicit methods for the same system can be eliminated: rates of positions, then of
  // velocities, down to a saddle matrix M + a D + b K, Gᵀ, G of the size of this one. Nothing: A is not
  // symmetric.
  [[nodiscard]] std::optional<EliminationPlan> elimination() const;

  [[nodiscard]] std::string_view method() const;
  // What a solution evaluates: A z = b, then the rates that follow from it.
  [[nodiscard]] std::vector<ProgramSize> programs() const;
  // What has been found out on the way; read into a copy of the same system.
  void state(Archive& archive);
  // RegularisedSystem::regularity(); 1 where there is nothing to solve, 0 where it is not known.
  [[nodiscard]] double regularity(std::span<const double> environment);

 private:
  // Assignments of w: copies of slots, and a program for the others.
  struct Assignments {
    std::map<int, int> sources;               // by slot: whose copy it is
    std::vector<int> slots;                   // of the others
    std::vector<NodeId> roots;                // theirs
    std::vector<std::pair<int, int>> copies;  // from and to
    IndexedCopy copy;
    Program program;
    void add(const LinearCore::Assignment& assignment, const LinearRates& owner);
    void finish(const LinearRates& owner);
    void compute(std::span<double> environment, std::vector<double>& workspace) const;
    void copy_lanes(std::span<double> environments) const;
  };

  LinearRates(const ConstrainedForm& form, const ReformedResidual& residual, LinearCore core,
              const States& states);
  // By leaf: what it is, in states and unknowns of A z = b.
  using Assigned = std::unordered_map<NodeId, NodeId>;
  [[nodiscard]] Assigned compile_assignments(const ReformulatedSystem& system);
  [[nodiscard]] std::vector<NodeId> rate_nodes(const States& states, const Assigned& assigned) const;
  void find_positions(const States& states, std::span<const NodeId> rates);
  void compile_general();
  [[nodiscard]] SaddleEquations equations() const;
  [[nodiscard]] ProgramSetting setting() const;
  [[nodiscard]] bool prepare(std::span<const double> environment);
  void connect_solution();
  void put_solution(std::span<double> environment);
  [[nodiscard]] bool solve_general(std::span<double> environment);
  // looked_after: whether the solution is to be compared with the equations.
  [[nodiscard]] bool solve(std::span<double> environment, bool looked_after);
  // Whether this solution, the next one, is to be looked at: the 1st, 4th, 16th, … and every 1024th.
  [[nodiscard]] bool is_time_to_look() {
    if (++solved_ < look_at_) return false;
    look_at_ = solved_ < 1024 ? 4 * solved_ : solved_ + 1024;
    return true;
  }
  // Whether the solution is that of symmetric_, where it is; otherwise it is in the environment.
  [[nodiscard]] bool is_in_place() const { return symmetric_ != nullptr && !pivoting_; }

  // What programs are compiled against; shared by copies.
  struct Slots {
    std::shared_ptr<const ReformedResidual::SlotMap> map;
    std::unordered_map<std::int32_t, int> state;  // of the programs, by leaf
    [[nodiscard]] int slot(NodeId leaf) const {
      const auto found = state.find(leaf.value);
      return found == state.end() ? map->slot(leaf) : found->second;
    }
  };

  std::shared_ptr<const ReformulatedSystem> system_of_;
  ExprGraph& graph_;
  LinearCore core_;
  std::shared_ptr<const Slots> slots_;
  int slot_count_ = 0;
  CodegenOptions codegen_;
  std::vector<int> slot_;  // of z
  Assignments rates_, watched_;
  int positions_ = 0;
  std::vector<int> solved_rates_, solved_unknowns_;  // what from_solution_ copies to, and which unknowns
  IndexedCopy to_slots_;                             // from the solution, all of it
  IndexedCopy from_states_, from_solution_, from_unknowns_, from_others_;  // to the rates of the others
  int first_ = 0;                        // rows of M, when symmetric: they stand first
  Copied<RegularisedSystem> symmetric_;  // null: not symmetric, or not positive definite
  bool pivoting_ = false;                // it lost digits
  bool direct_ = false;                  // rates are its sequel
  std::uint64_t solved_ = 0;             // by it, as far as it is looked after
  std::uint64_t look_at_ = 1;            // the next one to be looked at
  Copied<GeneralSystem> general_;        // null: not needed so far
  // Programs for several environments; shared by copies.
  struct Lanes {
    std::once_flag once;
    bool made = false;  // all of them
    std::optional<Program> solution, rates, watched;
  };
  std::shared_ptr<Lanes> lanes_ = std::make_shared<Lanes>();
  std::array<std::vector<double>, 3> lane_workspaces_;
  std::vector<double> rates_workspace_, watched_workspace_;
};

}  // namespace daedalus
