// The discrete side of a run: relations, samples, when clauses, and the iteration that settles them.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "consistent/event_values.hpp"
#include "consistent/time_relations.hpp"
#include "systems/compiled_model.hpp"

namespace daedalus {

struct EventReport {
  bool ok = true;
  std::string failure;            // the sentence, when not ok
  std::string warning;            // something that the user should know
  bool terminated = false;        // terminate() was called
  std::string message;            // its text
  std::vector<std::string> what;  // what changed: relations, samples, when clauses
};

class EventHandler {
 public:
  // `hysteresis`: a relation's difference must pass zero by this much to count as a crossing, so that values
  // that rest at zero (a stuck friction, a closed valve) do not switch by rounding errors. The crossing
  // itself is located at zero.
  EventHandler(const CompiledModel& model, std::span<double> environment, double hysteresis = 0);
  // The memory of the run. A copy is bound anew.
  void bind(std::span<double> environment) {
    environment_ = environment;
    next_known_ = false;
  }
  void state(Archive& archive) {
    archive.section("events", 2);
    archive(hysteresis_, last_switched_);
    archive.sized(previous_condition_.size(), previous_condition_).sized(condition_.size(), condition_);
    archive.sized(next_tick_.size(), next_tick_);
    next_known_ = false;
  }
  void set_hysteresis(double hysteresis) { hysteresis_ = hysteresis; }

  // Called by initialisation instead of handle(): one pass over initial assignments and discrete steps.
  // True if any discrete value or relation changed.
  bool initial_pass();
  // After the initial values were found: what reads pre() is computed anew, and when clauses act whose
  // condition has become true since. `number` 0: the present becomes the past before it; higher numbers: the
  // same past.
  struct Restart {
    bool changed = false;  // some discrete value or relation
    std::vector<Reinit> reinits;
  };
  Restart restart_pass(int number);
  // After initialisation: conditions and pre values are as found, ticks before t have passed.
  void begin(double t);

  // The next instant that is known beforehand: a sample tick, or the change of a relation that depends on
  // time only, which is searched for up to `limit` (the instant may lie beyond it). Infinity: none.
  [[nodiscard]] double next_time_event(double t, double limit);
  // Nothing is known of what comes after this time.
  // Values that relations of time read have changed without an event.
  void look_anew() { next_known_ = false; }
  [[nodiscard]] double known_until() const { return known_until_; }
  // The levels in the environment contradict the truth held for a relation, by more than the hysteresis.
  [[nodiscard]] bool contradicted();
  // It depends on time (and discrete values) only.
  [[nodiscard]] bool is_time_relation(int relation) const { return time_.contains(relation); }
  [[nodiscard]] const std::shared_ptr<const RelationCourses>& courses() const { return courses_; }

  // Solves for the algebraic levels given the states; applies reinits. The caller's, because it owns the
  // selection of states. Empty string: fine.
  using MakeConsistent = std::function<std::string(const std::vector<Reinit>& reinits)>;
  // An event at t: `crossed` relations take their new truth, due ticks are on, and everything discrete is
  // iterated until it settles.
  EventReport handle(double t, const std::vector<int>& crossed, const MakeConsistent& make_consistent);

 private:
  // Passes in which all relations may switch together, then one at a time; then all combinations are tried.
  static constexpr int all_at_once = 20;
  static constexpr int search_after = 2 * all_at_once;

  struct CompiledBranch {
    std::vector<int> always_initial;  // which conditions are initial() itself
    std::size_t conditions = 0;
    std::size_t first_condition = 0;  // number of its first condition among all
    Program program;                  // conditions, assignments, reinits
    const WhenBranch* source = nullptr;
  };
  struct CompiledStep {
    std::vector<CompiledBranch> branches;  // empty: an Assignment
    Program program;                       // of the assignment
    VariableId target;
    const Assignment* source = nullptr;
  };
  void compile_steps();
  bool update_relations(const std::vector<signed char>& forced, int pass_number);
  void take_pre_values();
  bool assign(VariableId target, double value);
  // One pass over the discrete steps in their order.
  struct Pass {
    bool changed = false;
    std::vector<Reinit> reinits;
  };
  Pass run_steps(bool initial, EventReport* report);
  // With pre() held: discrete values, relations and continuous values that fit each other.
  struct MixedOutcome {
    bool changed = false;
  };
  bool retreat(const std::vector<double>& held);
  // Tries the combinations of relations that switch in circles, the nearest to the present one first, until
  // values fit; false: none does, and nothing has changed.
  bool try_combinations(const std::vector<int>& circling, const std::vector<double>& lower_levels,
                        const std::vector<signed char>& forced, const MakeConsistent& make_consistent);
  bool fits(const std::vector<signed char>& forced);
  [[nodiscard]] bool contradicts_refused(const std::vector<signed char>& forced);
  MixedOutcome solve_mixed(const std::vector<signed char>& forced, bool must_solve,
                           const MakeConsistent& make_consistent, EventReport& report);
  void reset_when_targets();
  [[nodiscard]] double largest_contradiction();
  bool run_branch(CompiledBranch& branch, bool initial, Pass& pass, EventReport* report);
  [[nodiscard]] double slack_of(int relation) const;
  void set_due_samples(double t, EventReport& report);
  void clear_samples();
  [[nodiscard]] std::string unsettled_names() const;

  const CompiledModel& model_;
  std::span<double> environment_;
  double hysteresis_;
  std::shared_ptr<const RelationCourses> courses_;
  TimeRelations time_;
  bool next_known_ = false;  // nothing has happened since next_ was found
  double next_ = 0, known_until_ = 0;
  std::vector<double> workspace_;
  std::vector<double> results_;
  std::vector<double> differences_;
  std::vector<double> before_event_;   // the differences when an event began
  std::vector<double> located_slack_;  // of relations whose crossing was located; 0 for others
  std::vector<CompiledStep> steps_;
  std::vector<Program> initial_assignments_;
  // What is said of pre(x) at the start, by variable: nothing; something; or something, while x itself has an
  // equation at all times.
  enum class Past : char { Open, Given, GivenAlone };
  std::vector<Past> past_;
  int initial_passes_ = 0;
  std::vector<char> previous_condition_;  // by condition: its truth at the instant before
  std::vector<char> condition_;           // and now
  int last_switched_ = -1;                // the relation that changed last
  std::vector<char> refused_;             // by relation: switching it led to no values
  bool one_at_a_time_ = false;
  bool equations_read_past_ = false;  // pre() or sample()
  std::vector<int> lower_levels_;     // below the highest derivatives: an event starts from them
  std::vector<long> next_tick_;       // by sample
};

// One sentence for an event report: "x > 0 (ball.mo:7:8) became true".
[[nodiscard]] std::string relation_text(const DaeSystem& system, int relation);

}  // namespace daedalus
