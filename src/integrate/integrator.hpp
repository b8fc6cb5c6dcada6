// The integrator family. One file a method, one table of them; help, tests and benchmarks walk the table.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/archive.hpp"
#include "core/lanes.hpp"
#include "core/options.hpp"
#include "integrate/end_correction.hpp"
#include "integrate/mechanical_system.hpp"
#include "integrate/ode_system.hpp"
#include "integrate/residual_system.hpp"
#include "integrate/series_system.hpp"
#include "integrate/system_reference.hpp"

namespace daedalus {

// Work is part of the answer.
struct Counters {
  long steps = 0;           // accepted
  long rejected = 0;        // by the error test or by Newton
  long residual_evals = 0;  // of F, or of φ for explicit methods
  long jacobian_evals = 0;
  long factorizations = 0;
  long newton_iterations = 0;
  long newton_failures = 0;
  long error_test_failures = 0;

  void state(Archive& archive) {
    archive(steps, rejected, residual_evals, jacobian_evals, factorizations, newton_iterations,
            newton_failures, error_test_failures);
  }
};

struct Tolerances {
  double relative = 1e-6;
  double absolute = 1e-9;  // times Component::nominal

  void state(Archive& archive) { archive(relative, absolute); }
};

struct IntegratorSettings {
  Tolerances tolerances;
  std::optional<double> fixed_step;    // --step; methods of fixed step need it
  std::optional<double> initial_step;  // otherwise chosen
  std::optional<double> max_step;
  Selection selection;  // the row's name and options, resolved
};

enum class StepStatus {
  Ok,
  StepTooSmall,    // |h| fell below what t can resolve; the reason is in `detail`
  NewtonFailed,    // the nonlinear system could not be solved at the smallest step
  SingularMatrix,  // the iteration matrix stayed singular
  NotFinite,       // the model gave NaN or infinity, even at the smallest step
};

struct StepOutcome {
  StepStatus status = StepStatus::Ok;
  std::string detail;
  int component = -1;  // the component that caused most trouble, if known
  [[nodiscard]] bool ok() const { return status == StepStatus::Ok; }
};

// Public checks, private does: start() and step() are not virtual.
class Integrator {
 public:
  virtual ~Integrator() = default;

  // (Re)starts at consistent values. `t_hint`: the end of the run, for the first step size.
  void start(double t, std::span<const double> y, std::span<const double> yp, double t_hint);
  // One accepted step, not beyond t_stop (it may end exactly there). On failure t() and y() are those of
  // the last accepted step.
  StepOutcome step(double t_stop);
  // y (and y', if the span is not empty) at a time in [t_previous(), t()], of the order of the method.
  void interpolate(double t, std::span<double> y, std::span<double> yp) const;
  // y at lane_count times of the last step at once, after its beginning and before its end (core/lanes.hpp).
  void interpolate_lanes(std::span<const double, lane_count> t, std::span<double> y) const;
  // About the same for less work, where there is a difference: at least as good as the cubic of the ends.
  void cheap_interpolation(double t, std::span<double> y) const;
  // The differential equations were exchanged (a dummy pivot): pattern and components are read anew and
  // the matrix is renewed, but the history stays: no restart.
  void system_changed();
  // For rows that say moves_end(): the caller has moved the end of the last step (or the start), by a
  // projection. The next step begins at y, y', and interpolation ends there. Explicit methods take no notice
  // of yp: they evaluate y' anew, unless y moved by less than the error of the step and `sensitive` is false
  // (near points where errors are multiplied it is true). For implicit ones an empty yp keeps the slopes.
  void replace_state(std::span<const double> y, std::span<const double> yp, bool sensitive = false);

  // Holds local errors at this part of the tolerances from now on, where the method can: near points where
  // errors are multiplied.
  virtual void tighten(double /*part*/) {}

  [[nodiscard]] double t() const { return t_; }
  [[nodiscard]] double t_previous() const { return t_previous_; }
  [[nodiscard]] double last_step() const { return t_ - t_previous_; }
  // The size of the step that step(t_stop) will try first. A rejected attempt is followed by shorter ones.
  [[nodiscard]] double next_step(double t_stop) const;
  // The steps were found to be limited by stability, not by accuracy, at some time of the run: an implicit
  // method would take longer ones. The StepOutcome of the step that found it says so in its detail.
  [[nodiscard]] virtual bool stiff() const { return false; }
  [[nodiscard]] virtual int order() const = 0;
  [[nodiscard]] std::span<const double> y() const { return y_; }
  [[nodiscard]] std::span<const double> yp() const { return yp_; }
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] virtual std::string_view linear_solver() const = 0;  // "dense", "klu", "static-lu", "none"

  // An integrator's memory is all that its further steps and its output depend on besides the system: the
  // last step and those before it, step size, order, controller, Newton's matrices and their factorisations,
  // counters. What goes on from a copy of it goes on with the same bits, provided that the system gives the
  // same values.
  //
  // Not of rows whose memory is not ours (IntegratorRow::copyable): clone_on() gives null there, state()
  // fails.
  [[nodiscard]] virtual bool copyable() const { return true; }
  // The same method with the same memory on another system that is like this one: of the same kind and size,
  // with the same components and pattern. What was found of the pattern is shared. Null: it is not like this
  // one.
  [[nodiscard]] std::unique_ptr<Integrator> clone_on(const SystemReference& system) const;
  // The memory, from or to an archive. It is read into an integrator of the same row, with the same settings,
  // on a system like the one it was written for. After a failure the integrator must be started anew.
  void state(Archive& archive);

 protected:
  explicit Integrator(IntegratorSettings settings);

  [[nodiscard]] virtual int system_size() const = 0;
  virtual void do_start(double t_hint) = 0;
  virtual StepOutcome do_step(double t_stop) = 0;  // on Ok sets t_, t_previous_, y_, yp_
  // Of the step as the method made it, before any replace_state(): no use of y_ and yp_.
  virtual void do_interpolate(double t, std::span<double> y, std::span<double> yp) const = 0;
  virtual void do_interpolate_lanes(std::span<const double, lane_count> t, std::span<double> y) const;
  virtual void do_cheap_interpolation(double t, std::span<double> y) const { do_interpolate(t, y, {}); }
  virtual void do_system_changed() = 0;
  [[nodiscard]] virtual double do_next_step(double t_stop) const = 0;
  // y_ is new, and yp_ too if slopes were given; what else depends on them is to follow.
  virtual void do_replace_state(bool slopes_given, bool sensitive);
  // The method's own interpolation ends at y_.
  void interpolates_to_moved_end() { correction_.clear(); }
  // A new integrator of the same method with settings_, not started; null where the system is of another
  // kind.
  [[nodiscard]] virtual std::unique_ptr<Integrator> make_on(const SystemReference& system) const = 0;
  // Memory beyond that of this class, which has been read or written before: y_ has the size of the system.
  // Once read, the first step may come.
  virtual void do_state(Archive& archive) = 0;

  IntegratorSettings settings_;
  Counters counters_;
  double t_ = 0;
  double t_previous_ = 0;
  std::vector<double> y_;
  std::vector<double> yp_;

 private:
  void settings_state(Archive& archive);

  EndCorrection correction_;  // of the last step, by replace_state()
  bool started_ = false;
  mutable std::vector<double> lane_;  // of interpolate_lanes()
};

struct IntegratorRow {
  std::string_view name;
  std::string_view summary;    // one line, for `list` and --help
  std::string_view reference;  // where it is published
  int order;                   // of convergence at fixed step size (the highest, for variable order)
  bool adaptive;               // false: needs --step
  bool one_step;               // no past but the last accepted values
  std::vector<OptionSpec> options;
  // All but one are null: methods for F(t, y, y') = 0; explicit methods, for y' = φ(t, y); and of these such
  // as need more: the parts of a constrained mechanical system, or Taylor coefficients.
  std::unique_ptr<Integrator> (*make)(ResidualSystem& system, const IntegratorSettings& settings) = nullptr;
  std::unique_ptr<Integrator> (*make_explicit)(OdeSystem& system,
                                               const IntegratorSettings& settings) = nullptr;
  std::unique_ptr<Integrator> (*make_mechanical)(MechanicalSystem& system,
                                                 const IntegratorSettings& settings) = nullptr;
  std::unique_ptr<Integrator> (*make_series)(SeriesSystem& system,
                                             const IntegratorSettings& settings) = nullptr;
  // Its own equations keep the positions and velocities on the constraints: nothing is to be projected.
  bool keeps_constraints = false;
  // Of mechanical methods: constraints of velocity alone are not for it.
  bool holonomic_only = false;
  // Its memory can be copied and saved (Integrator::state); false: it is inside a foreign library.
  bool copyable = true;
  // A multistep method whose past takes the moved end of a step for what the step gave.
  bool past_follows = false;

  // replace_state() may be called.
  [[nodiscard]] bool moves_end() const { return one_step || past_follows; }
};

[[nodiscard]] std::span<const IntegratorRow> integrators();
// Null when there is no such row.
[[nodiscard]] const IntegratorRow* find_integrator(std::string_view name);

}  // namespace daedalus
