// What `daedalus check` says of a model: its structure as written, what hides in it, and how a run would
// begin.
#pragma once

#include <string>
#include <vector>

#include "advise/advice.hpp"
#include "model/dae_system.hpp"
#include "record/run_options.hpp"

namespace daedalus {

struct CheckedEquation {
  std::string text;   // as the user wrote it
  std::string place;  // file:line:column
  int line = 0;
  int c = 0;  // times differentiated
};

struct CheckedVariable {
  std::string name;
  int d = 0;  // order of the highest derivative
};

struct CheckedBlock {
  std::vector<int> equations;  // numbers into CheckReport::equations
  std::vector<int> variables;
};

struct HiddenConstraint {
  std::string text;  // its expression, "2 * x * der(x) + … = 0"
  std::string of;    // the equation that it comes from
  int level = 0;     // times differentiated
};

struct CheckedConstraint {
  std::string text;  // with its place
  int level = 0;     // 0: of position
  std::string multiplier;
};

// The constrained form M x^(m) = f - B y, 0 = g, or what keeps the model from having it.
struct CheckedForm {
  bool found = false;
  std::string broken_by;
  int order = 0;
  std::vector<std::string> positions;
  std::vector<std::string> multipliers;
  std::vector<CheckedConstraint> constraints;
  std::vector<std::string> companions;
};

// Of a mechanism: how far it can move. Grübler counts equations, rank counts those that are independent.
struct CheckedMechanism {
  int bodies = 0;
  int joints = 0;
  int freedoms = 0;                   // of the bodies without joints
  int conditions = 0;                 // that joints, couplings and motions make of these
  std::string parts;                  // "6 revolute"
  std::string coordinates;            // which, and why
  std::vector<std::string> settable;  // by --set
  [[nodiscard]] int grubler() const { return freedoms - conditions; }
};

struct CheckReport {
  std::string model;
  std::optional<CheckedMechanism> mechanism;
  int index = 0;
  int differentiation_index = 0;  // the same unless repairs were made
  int dof = 0;
  std::vector<CheckedEquation> equations;
  std::vector<CheckedVariable> variables;
  std::vector<CheckedBlock> blocks;
  bool sigma_agrees = true;  // the Σ-method gave the same offsets as Pantelides' algorithm
  bool regular = true;       // false: by redundant constraints; blocks and states there are none then
  std::vector<std::string> repairs;
  std::vector<HiddenConstraint> hidden_constraints;
  std::vector<std::string> states;      // selected at the initial point
  std::vector<std::string> candidates;  // what the user may set initially: `dof` of these
  std::vector<std::string> fixed;
  int unknowns = 0;   // of a run, after aliases and trivial derivatives are gone
  int removed = 0;    // alias and constant variables
  int discrete = 0;   // discrete variables
  int relations = 0;  // that make events
  bool initialised = false;
  std::vector<std::string> initialisation;  // the explanation, or why it failed
  CheckedForm form;
  Advice advice;
  Selection formulation;
  Selection integrator;
  std::string why;
};

// A model without a regular structure (redundant constraints) passes if it has the constrained form; the
// numbers are then those of the form. Constraints that contradict each other are an error that says by how
// much. `as_written`: loaded with remove_aliases = false; `reduced`: the same model without aliases.
[[nodiscard]] Result<CheckReport> check(const DaeSystem& as_written, const DaeSystem& reduced);

}  // namespace daedalus
