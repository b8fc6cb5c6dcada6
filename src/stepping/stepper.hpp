// The memory of one run and the loop over its steps: initial values, steps of the integrator, events, the
// change to another integrator where equations turn stiff. It records nothing; whoever wants output is a
// StepObserver.
//
// A copy has its own memory and goes on with the same bits.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "consistent/accumulation.hpp"
#include "consistent/crossing_search.hpp"
#include "consistent/event_values.hpp"
#include "consistent/initialise.hpp"
#include "stepping/engine_parts.hpp"
#include "stepping/input_functions.hpp"

namespace daedalus {

class Stepper;

class StepObserver {
 public:
  virtual ~StepObserver() = default;
  // A step has ended at `reached`, where nothing has happened yet; Stepper::OutputPoints has the times of
  // the step. `event`: something will happen there. An error: why the run ends.
  virtual std::string step_done(Stepper& stepper, double reached, bool event) = 0;
  // The event at Stepper::time() has been handled.
  virtual std::string event_done(Stepper& stepper) = 0;
  // After all of it; false: the run is to end.
  virtual bool go_on(const Progress& progress) = 0;
};

// For steps that nobody records.
class UnobservedSteps final : public StepObserver {
 public:
  std::string step_done(Stepper& /*stepper*/, double /*reached*/, bool /*event*/) override { return {}; }
  std::string event_done(Stepper& /*stepper*/) override { return {}; }
  bool go_on(const Progress& /*progress*/) override { return true; }
};

// How far a run came with its last steps.
struct Headway {
  long counted = 0;  // steps and events in this window
  double begin = 0;  // where it began
  int slow = 0;      // windows in a row at whose pace the run would not end
  bool started = false;
  long quiet = 0;    // steps without an event, in a shorter window
  double since = 0;  // where that began

  void state(Archive& archive) { archive(counted, begin, slow, started, quiet, since); }
};

class Stepper {
 public:
  // Points of the last step as they are written, one after the other. While it lives the driver works on a
  // copy of the values, which is made once, and the stepper must not go on.
  class OutputPoints {
   public:
    // Asked: by who asks between steps, and the run goes on as if nobody had.
    enum class For { Recording, Asked };
    explicit OutputPoints(Stepper& stepper, For whom = For::Recording) : stepper_(stepper), for_(whom) {}
    ~OutputPoints();
    OutputPoints(const OutputPoints&) = delete;
    OutputPoints& operator=(const OutputPoints&) = delete;

    // The environment at a time of the step, made consistent as the formulation does it; valid until the next
    // one.
    [[nodiscard]] std::span<const double> at(double t);
    // The same for dense output: the two ends of the step belong to it, too.
    [[nodiscard]] std::span<const double> within(double t);
    // The environments at lane_count times between the beginning and the end of the step, side by side
    // (core/lanes.hpp). Empty: they have to be asked for one by one.
    [[nodiscard]] std::span<const double> lanes(std::span<const double, lane_count> times);
    // Why the point asked for last could not be completed: it is as the integrator interpolates it. Empty: it
    // was.
    [[nodiscard]] const std::string& trouble() const { return trouble_; }

   private:
    Stepper& stepper_;
    For for_;
    std::string trouble_;
    bool bound_ = false;
    bool spread_ = false;  // the environment of the step is in all lanes
  };

  Stepper(const EngineParts& parts, const RunSettings& settings);
  Stepper(const Stepper& other);
  Stepper& operator=(const Stepper&) = delete;

  // Consistent values at the start, and an integrator. Wrong input is an error; where the numerics fail,
  // status() says so.
  Result<void> start(std::span<const StartValue> values, std::span<const InputFunction> inputs = {});
  // Events that are due at the start; then the integrator may step.
  void begin(StepObserver& observer);
  // One step of the integrator, not beyond `stop`, and all that follows from it.
  void advance(double stop, StepObserver& observer);
  // Makes what a start from other values may need. Only before start().
  void rehearse_start();
  // Makes the integrator that would take over where equations are stiff, for what is compiled on the way.
  void rehearse_stiff();
  // Everything that the rest of the run depends on; read into a stepper of the same engine that has not been
  // started. ida cannot be saved.
  void state(Archive& archive);
  // The run is over: what there is to say of it.
  void finish(RunResult& result);

  [[nodiscard]] double time() const { return t_; }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool initialised() const { return initialised_; }
  // terminate() was called.
  [[nodiscard]] bool stopped() const { return stopped_; }
  [[nodiscard]] bool running() const { return !failed_ && !stopped_; }
  [[nodiscard]] const std::string& reason() const { return summary_.reason; }
  [[nodiscard]] const CompiledModel& model() const { return model_; }
  [[nodiscard]] const Summary& summary() const { return summary_; }
  [[nodiscard]] const Integrator* integrator() const { return integrator_.get(); }
  // The relations that the last step ended at, if an event ended it.
  [[nodiscard]] const std::vector<int>& crossed() const { return crossed_; }
  // In a copy that is used for nothing else: the event at which these relations change, met at another time
  // with other values before it. The values after it; empty: it has none.
  [[nodiscard]] std::span<const double> values_after_event(double t, std::span<const double> before,
                                                           const std::vector<int>& crossed);
  // Of all integrators of the run.
  [[nodiscard]] long steps() const {
    return earlier_.steps + (integrator_ == nullptr ? 0 : integrator_->counters().steps);
  }
  [[nodiscard]] const IntegratorRow& integrator_row() const { return *row_; }
  // Levels at the end of the last step as they follow from its values, and from values that are off by what
  // the tolerances allow, this way or that; `sizes` are the largest values so far. Nothing of the run
  // changes. False: nothing follows there.
  [[nodiscard]] bool levels_nearby(std::span<const double> directions, std::vector<double>& sizes,
                                   std::vector<double>& here, std::vector<double>& moved);
  // Seconds in which programs for a second method were compiled.
  [[nodiscard]] double compiling() const { return compiling_; }

  // The environment at time(), made consistent as an output point is.
  [[nodiscard]] std::span<const double> output_now();
  // Whether OutputPoints::lanes() is to be had now; makes what it takes.
  [[nodiscard]] bool prepare_lanes();
  // Why that could not be; empty: it was.
  [[nodiscard]] const std::string& output_trouble() const { return output_trouble_; }
  // The values as they are at time().
  [[nodiscard]] std::span<const double> environment() const { return environment_; }

  // A new value for an input or a free parameter (`slot` of the environment), or for a level, from time() on.
  void set_slot(int slot, double value);
  void set_level(int level, double value);
  // Inputs that are functions of time, or may be: a constant, or other functions, from time() on.
  [[nodiscard]] bool may_be_function(std::string_view name) const { return inputs_.has(name); }
  void set_input(std::string_view name, double value);
  [[nodiscard]] Result<void> take_functions(std::span<const InputFunction> inputs);
  // Takes up what was set: consistent values, and a new start of the integrator. An error: why it cannot be.
  std::string take_up_changes();

  // The largest residual of the constraints of each level at time().
  [[nodiscard]] std::vector<double> drift();
  // Where a step that nobody limits shall end at the latest.
  [[nodiscard]] double latest_step_end() const;

  void fail(std::string reason);

 private:
  friend class ModelExchange;
  [[nodiscard]] Result<void> give(std::span<const StartValue> values);
  bool locate_crossing(double& t, bool event_at_end);
  void load(double t);
  void load_for_relations(double t, SearchedStep::Loading loading);
  void handle_event(const std::vector<int>& crossed, const std::string& also = {});
  [[nodiscard]] double step_limit(double stop);
  std::string pass_break();
  std::string make_consistent(const std::vector<Reinit>& reinits);
  std::string make_nearest(const std::vector<Reinit>& reinits);
  void watch_chattering(bool crossing);
  void watch_headway(bool event);
  void fail_without_headway(long steps, double pace, double most);
  void fail_by_accumulation(int relation);
  void restart();
  void restart_after_event();
  void go_over_to_stiff();
  void explain_failure(const StepOutcome& outcome);
  void fail_at(double t, std::string reason);
  void bind(std::vector<double>& environment);

  const EngineParts& parts_;
  const CompiledModel& model_;
  RunSettings settings_;
  IntegratorSettings integrator_settings_;
  const IntegratorRow* row_;
  const IntegratorRow* stiff_row_;  // goes on where the equations are stiff; null: none, or it does already
  StartValues starts_;
  std::vector<double> environment_;
  std::vector<double> output_;  // an output point
  std::vector<double> lanes_;   // several; empty: not asked for yet
  std::string output_trouble_;
  std::unique_ptr<RunDriver> driver_;
  EventHandler events_;
  InputFunctions inputs_;
  std::unique_ptr<Integrator> integrator_;
  Summary summary_;
  bool initialised_ = false;  // consistent initial values were found
  bool numerics_failed_ = false;
  bool near_singular_ = false;  // and the driver says so
  Counters earlier_;            // of the integrator before this one
  double compiling_ = 0;
  double t_ = 0;
  bool failed_ = false;
  bool stopped_ = false;
  bool restarted_ = false;
  bool restart_due_ = false;  // before the next step: an event at the end of the run, or beyond it
  bool complete_ = true;      // the environment holds all values at t_, not the states alone
  double last_crossing_;
  double crossing_since_ = 0;  // of the crossing found last
  int chatter_ = 0;
  AccumulationWatch accumulation_;
  CrossingSearch search_;
  std::unique_ptr<EventValues> event_values_;  // made at the first event
  int undetermined_ = -1;  // a level that moved at the last event by an amount that nothing determines
  Headway headway_;
  std::vector<int> crossed_;
  std::vector<double> y_, yp_;
  bool changed_ = false;
  std::vector<Reinit> changed_levels_;
};

}  // namespace daedalus
