// One model by many formulations and integrators, side by side: `daedalus compare`.
//
// Every row is a run of its own, as `daedalus run` would make it, on a model loaded anew (the expression
// graph of a DaeSystem grows while it is used, so that two threads cannot share it). Rows do not know of each
// other: what comes out is the same whatever the number of threads, but for the time taken.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/load.hpp"
#include "record/trajectory.hpp"
#include "study/compare_reference.hpp"

namespace daedalus {

struct CompareProgress {
  std::size_t done = 0;
  std::size_t total = 0;
  std::string running;  // the row that had news
  double part = 0;      // of that row, 0 to 1
};

struct CompareOptions {
  std::vector<Selection> formulations;  // empty: all_formulations()
  std::vector<Selection> integrators;   // empty: auto, by which each formulation gets its own
  std::vector<double> rtols;            // empty: the model's Tolerance, else 1e-6
  std::optional<double> until;
  std::optional<double> atol;
  std::optional<double> step;  // of rows that need a fixed step; default: the run in 2000 steps
  std::optional<int> points;   // default: those of the given reference, if they are evenly spaced, else 501
  std::optional<ReferenceTable> reference;
  std::string energy;    // the signal to watch; empty: energy, E or E_total, if there is one
  unsigned threads = 0;  // 0: as many as the hardware has
  double limit = 0;      // processor seconds after which a row is given up; 0: never
  // Called from the rows' threads, one at a time; false ends the comparison with what there is.
  std::function<bool(const CompareProgress&)> progress;
};

enum class RowStatus {
  Ok,
  Differs,      // ran to the end, but is further than a tenth of a signal's range from the reference
  Failed,       // the numerics failed; the reason says how
  Refused,      // the formulation or the integrator does not apply; the reason says why
  Interrupted,  // by the user
};

[[nodiscard]] std::string_view word(RowStatus status);

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

// Curves for pictures, thinned out. All of them over `times`.
struct RowCurves {
  std::vector<double> times;
  std::vector<double> error;
  std::vector<double> position_drift;
  std::vector<double> velocity_drift;
  std::vector<double> energy_drift;
  std::vector<std::vector<double>> signals;  // Comparison::plotted
};

struct CompareRow {
  std::string formulation;  // as asked for
  std::string integrator;   // as asked for, or the one that auto chose
  std::string resolved;     // both with all options, as they can be given to `daedalus run`
  double rtol = 0;
  std::optional<double> step;  // of fixed-step rows
  RowStatus status = RowStatus::Interrupted;
  std::string reason;
  double t_end = 0;
  double error = no_number;             // of positions and velocities; NaN: not measured
  std::string worst;                    // the signal that it comes from
  double worst_time = no_number;        // and when
  double multiplier_error = no_number;  // of multipliers
  double position_drift = no_number;    // NaN: the model has no such constraints
  double velocity_drift = no_number;
  double energy_drift = no_number;  // NaN: there is no energy to watch
  Counters counters;
  long rank_changes = 0;
  long pivots = 0;
  double seconds = 0;  // processor time, without loading the model
  RowCurves curves;

  [[nodiscard]] bool ran() const { return status == RowStatus::Ok || status == RowStatus::Differs; }
};

struct Comparison {
  std::string model;
  double t_start = 0;
  double t_end = 0;
  int points = 0;
  std::optional<double> atol;  // as asked for
  bool several_tolerances = false;
  ReferenceInfo reference;
  std::vector<std::string> motion;       // signals whose error is measured
  std::vector<std::string> multipliers;  // signals measured apart
  std::string energy;                    // empty: none
  std::vector<std::string> plotted;      // signals of RowCurves::signals
  RowCurves reference_curves;            // of the reference, if it was a run
  std::vector<CompareRow> rows;
  std::vector<std::string> notes;  // what a reader should know

  [[nodiscard]] bool any_ran() const;
  [[nodiscard]] bool all_refused() const;
};

// The text of a model, or a function that makes it: to be loaded as often as needed.
struct ModelSource {
  std::string name;
  std::string text;
  std::vector<ParameterSetting> settings;
  // Of a model without a text: makes the system anew. Called from the rows' threads.
  std::function<Result<DaeSystem>()> make = {};

  // For a formulation (load_for in advise/plan.hpp), of a model with a text.
  [[nodiscard]] Result<DaeSystem> load(const Selection& formulation = Selection("auto")) const;
};

// Wrong input (the model, a reference that has nothing in common with it, an energy that it does not have) is
// an error; everything that happens to a row is in the row.
[[nodiscard]] Result<Comparison> compare(const ModelSource& model, const CompareOptions& options);

// An aligned table for a terminal, with what there is to say of single rows below it.
[[nodiscard]] std::string comparison_text(const Comparison& comparison);
// One JSON object, indented, with a final line break.
[[nodiscard]] std::string comparison_json(const Comparison& comparison);

}  // namespace daedalus
