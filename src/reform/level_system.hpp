// The derivative array of a DAE: every unknown at every level of differentiation, every equation
// differentiated as often as its structure asks. All formulations choose from these.
//
//   levels      x_j^(k),  k = 0 … d_j          (Σ d_j + n of them)
//   equations   f_i^(l),  l = 0 … c_i          (Σ c_i + n of them)
//
// There are degrees_of_freedom more levels than equations. Which of the levels are states decides the
// selection (selection.hpp); the vector of levels never changes during a run.
#pragma once

#include <string>
#include <vector>

#include "reform/incidence.hpp"
#include "reform/raise_order.hpp"
#include "structure/plan.hpp"

namespace daedalus {

struct Level {
  VariableId variable;
  int order = 0;
};

struct LevelEquation {
  int equation = 0;  // number in DaeSystem::equations
  int level = 0;     // times differentiated
  NodeId residual;
};

// What was done where structure lied (Mattsson, Söderlind 1991 §4, singular case).
struct Repair {
  enum class Method { LinearCombination, Substitution };
  Method method = Method::LinearCombination;
  std::string text;
};

struct LevelSystem {
  RaisedSystem raised;  // the (possibly repaired) system; raised.system is what the numbers refer to
  Incidence incidence;
  StructuralPlan plan;
  std::vector<Level> levels;
  std::vector<int> level_start;  // by column j of the incidence: number of x_j^(0); x_j^(k) is at + k
  std::vector<int> named_by;     // by level: the alias (raised.aliases) whose name the user gave it, or -1
  std::vector<LevelEquation> equations;
  std::vector<Repair> repairs;

  [[nodiscard]] const DaeSystem& system() const { return raised.system; }
  // How often equations were differentiated in all, repairs included (+1 for algebraic unknowns): the
  // structural index of the repaired system does not count what the repairs put in.
  [[nodiscard]] int differentiation_index() const;
  // What is reported as the index: the structural index, as the literature does also after a conversion;
  // after repeated substitution the auxiliary unknowns hide so much of it that the differentiations count.
  [[nodiscard]] int index() const;
  // Number of the level that a Variable leaf means, or -1.
  [[nodiscard]] int level_of(NodeId leaf) const;
  [[nodiscard]] std::string level_name(int level) const;
  // The level at which a constraint holds: 0 for positions, 1 for velocities, … A motion constraint, which
  // holds x' itself, is of velocity level before any differentiation.
  [[nodiscard]] int constraint_level(const LevelEquation& equation) const;
  // "second derivative of x^2 + y^2 = L^2 (pendulum.mo:11:3)"
  [[nodiscard]] std::string equation_name(const LevelEquation& equation) const;
};

// Raises the order, analyses the structure, repairs it where it lies, differentiates. Errors name the
// equations that are too many, the unknowns that are not determined, or the combination that cannot be
// repaired. `raise`: read der(x) = v as a definition of v first (raise_order.hpp); off for the structure of
// a model exactly as it was written.
[[nodiscard]] Result<LevelSystem> make_level_system(const DaeSystem& system, bool raise = true);

// The two last steps of it, for whoever has a plan already: levels x_j^(k), k = 0 … d_j, and equations
// f_i^(l), l = 0 … c_i.
void number_levels(LevelSystem& system);
void differentiate_levels(LevelSystem& system);

// The Diagnostics of a structurally singular system, in the user's words.
[[nodiscard]] Diagnostics explain_singular_structure(const DaeSystem& system, const Incidence& incidence,
                                                     const DulmageMendelsohn& parts);
// The same of a system by itself; empty when its structure is not singular.
[[nodiscard]] Diagnostics structural_errors(const DaeSystem& system);

}  // namespace daedalus
