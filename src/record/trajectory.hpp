// What a run gives: values of every named signal at the output points, and how it went.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/archive.hpp"
#include "integrate/integrator.hpp"

namespace daedalus {

struct Signal {
  std::string name;
  std::string unit;
  std::string description;
  bool discrete = false;
};

struct ParameterValue {
  Signal signal;
  double value = 0;
};

// values[row * signals.size() + column]; times are not decreasing (an event may give two rows of one time).
struct Trajectory {
  std::vector<Signal> signals;  // without time
  std::vector<double> times;
  std::vector<double> values;
  std::vector<ParameterValue> parameters;
  // [level][row]: the largest absolute residual of the constraints of that level at that row; for plots.
  // Empty when there are no constraints.
  std::vector<std::vector<double>> drift;

  [[nodiscard]] std::size_t rows() const { return times.size(); }
  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    return values[(row * signals.size()) + column];
  }
};

struct EventRecord {
  double t = 0;
  std::string what;  // the relations, samples and when clauses involved, in the user's words
  int count = 1;     // the same event repeated is one entry with its last time when there are very many

  void state(Archive& archive) { archive(t, what, count); }
};

struct RankChange {
  double t = 0;
  int from = 0;
  int to = 0;
  std::vector<std::string> constraints;
  std::string hint = {};  // of a mechanism: what such a position is called

  void state(Archive& archive) { archive(t, from, to, constraints, hint); }
};

struct PivotRecord {
  double t = 0;
  std::vector<std::string> states_out;
  std::vector<std::string> states_in;

  void state(Archive& archive) { archive(t, states_out, states_in); }
};

// The largest absolute residual over the output points of each level of the constraints: [0] the
// constraint itself, [1] differentiated once, ...
struct Drift {
  std::vector<double> levels;
  std::vector<std::string> worst;  // the constraint that was worst at that level, by name
  // The same against what the tolerances allow: a residual over what a change of every unknown by its
  // tolerance makes of it. 1 is as good as was asked for.
  std::vector<double> in_tolerances;
  std::vector<std::string> farthest;
  // Of all equations that are no constraints, and the one it is.
  double others = 0;
  std::string worst_other;
};

struct Summary {
  std::string status = "ok";  // "ok", "failed"
  std::string reason;
  double t_end = 0;
  Selection formulation;
  Selection integrator;
  std::string why;  // for auto: why this formulation and integrator
  int index = 0;
  int dof = 0;
  int unknowns = 0;
  std::string linear_solver;
  std::string codegen;  // the back end that evaluates the equations
  Counters counters;
  Drift drift;
  std::vector<std::pair<std::string, double>> final_values;
  // The formulation's own unknowns (μ, τ, …) at the end, by name.
  std::vector<std::pair<std::string, double>> formulation_values;
  std::vector<EventRecord> events;
  long event_count = 0;
  std::vector<RankChange> rank_changes;
  std::vector<PivotRecord> pivots;
  long pivot_count = 0;
  std::vector<std::string> initialisation;  // how initialisation explains itself, line by line
  std::vector<std::string> warnings;
  std::vector<std::pair<std::string, double>> seconds;  // parse, structure, codegen, initialise, integrate
};

struct RunResult {
  Trajectory trajectory;
  Summary summary;
  bool numerics_failed = false;  // the integration itself could not go on: another formulation might
  bool near_singular = false;    // and that where the constraints are nearly singular
  [[nodiscard]] bool ok() const { return summary.status == "ok"; }
};

}  // namespace daedalus
