// How a formulation takes part in a run: which system the integrator sees, how its vector and the environment
// of the model translate into each other, and what is to be done before and after a step.
//
// A driver is made once for an Engine and copied for every Simulation. It has no memory of its own for the
// values of the model: these are in an environment of slots() values that it is bound to. A copy has the same
// history as the original and is bound to another environment before it is used.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "integrate/integrator.hpp"
#include "record/trajectory.hpp"
#include "systems/compiled_model.hpp"

namespace daedalus {

// Why a driver ends a run for another formulation to take over.
inline constexpr std::string_view rank_loss_reason = "the constraints lose rank";

// What to say of a run that passed a singular point with a formulation that is not made for it.
[[nodiscard]] std::string passed_untreated(double t, std::string_view formulation);

class RunDriver {
 public:
  virtual ~RunDriver() = default;
  RunDriver& operator=(const RunDriver&) = delete;

  [[nodiscard]] virtual std::unique_ptr<RunDriver> copy() const = 0;
  // How many values the environment has: the model's, and behind them the formulation's own.
  [[nodiscard]] virtual int slots() const = 0;
  virtual void bind(std::span<double> environment) = 0;

  // The environment holds consistent values for the first time. A sentence: why the run cannot begin.
  virtual std::string begin() = 0;
  [[nodiscard]] virtual std::unique_ptr<Integrator> make_integrator(const IntegratorRow& row,
                                                                    const IntegratorSettings& settings) = 0;
  // What runs, beside the model itself: what `--stop-after codegen` prints.
  [[nodiscard]] virtual std::vector<ProgramSize> programs() const { return {}; }
  // What that integrator steps.
  [[nodiscard]] virtual SystemReference system() = 0;
  [[nodiscard]] virtual int size() const = 0;
  // The environment holds consistent values: where the integrator (re)starts. `integrator` is null at first.
  virtual void start_values(Integrator* integrator, std::span<double> y, std::span<double> yp) = 0;
  virtual void scatter(double t, std::span<const double> y, std::span<const double> yp) = 0;
  // The same where it is enough that time and the differential unknowns are there.
  virtual void place(double t, std::span<const double> y, std::span<const double> yp) { scatter(t, y, yp); }
  // place() needs slopes, too.
  [[nodiscard]] virtual bool reads_rates() const { return true; }
  // An output point was placed in the environment: what the formulation itself determines from its
  // states is computed anew. Never hides a violation of constraints that the formulation allows.
  // A sentence: nothing was found, and the point is as the integrator interpolates it.
  virtual std::string complete_output() = 0;
  // The same for who asks between steps: what it finds depends on the point alone, and the run goes on as if
  // nobody had asked.
  virtual std::string complete_asked() { return complete_output(); }
  // Output points several at a time: environments side by side (core/lanes.hpp), in which nothing but time
  // and states is new. prepare_lanes(): whether that is possible now, after the first step; makes what it
  // takes.
  [[nodiscard]] virtual bool prepare_lanes() { return false; }
  // Where the states belong, as Integrator::interpolate_lanes() gives them.
  [[nodiscard]] virtual std::span<double> lane_states(std::span<double> /*environments*/) { return {}; }
  // place() and complete_output(). False: the points are to be completed one by one.
  [[nodiscard]] virtual bool complete_lanes(std::span<double> /*environments*/) { return false; }
  // Levels that are kept when others are made consistent after an event.
  [[nodiscard]] virtual const std::vector<int>& states() const = 0;
  // After an event: everything but the states anew. False: not found, or not this driver's business.
  virtual bool make_consistent() = 0;
  virtual void before_step(const Integrator& integrator, double t_stop) = 0;
  virtual StepOutcome step(Integrator& integrator, double t_stop) { return integrator.step(t_stop); }
  // A step was taken; the environment may hold anything. A sentence: it is none of this solution, and the run
  // ends before it.
  virtual std::string check_step(const Integrator& /*integrator*/) { return {}; }
  // After an accepted step, values at its end in the environment. A sentence: why the run ends here.
  virtual std::string after_step(Integrator& integrator) = 0;
  [[nodiscard]] virtual std::string component_name(int component) const = 0;
  // More to say why a step failed here, or nothing.
  [[nodiscard]] virtual std::string explain_failure() { return {}; }
  // The memory of the steps so far, beside the environment; read into a copy of the same driver, before it
  // makes its integrator.
  virtual void state(Archive& archive) = 0;
  // What goes into the summary at the end.
  virtual void finish(Summary& summary) = 0;

 protected:
  RunDriver() = default;
  RunDriver(const RunDriver&) = default;
};

}  // namespace daedalus
