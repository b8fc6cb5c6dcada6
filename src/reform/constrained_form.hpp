// The constrained form of order m, found in a DaeSystem:
//
//   M(t, x, …) x^(m) = f(t, x, …, x^(m-1)) - B(t, x, …) y      n equations, the dynamics
//   0 = g(t, x)                                                constraints of level 0, G = ∂g/∂x
//   0 = ĝ(t, x, …, x^(l)), linear in x^(l), 0 < l < m          motion constraints of level l (paper
//   003, 1.1c) companions: further ODEs and index-1 equations, which come along in every formulation.
//
// Mechanics is m = 2 (index 3), a semi-explicit index-2 DAE is m = 1. The form is recognised by what occurs
// in an equation, not by its numbers, so redundant and singular constraints have it, too.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reform/level_system.hpp"

namespace daedalus {

struct SymbolicEntry {
  int row = 0;
  int column = 0;
  NodeId value;
};

// A sparse matrix of expressions, by rows.
struct SymbolicMatrix {
  int rows = 0;
  int columns = 0;
  std::vector<SymbolicEntry> entries;
};

struct FormConstraint {
  int equation = 0;                 // in system().equations
  int level = 0;                    // 0: of position
  std::vector<NodeId> derivatives;  // [k]: d^k/dt^k of the residual, k = 0 … m - level; the last has x^(m)
};

struct Companion {
  VariableId variable;
  int order = 0;  // of its highest derivative; 0: algebraic, index 1
};

struct ConstrainedForm {
  int order = 0;  // m
  RaisedSystem raised;
  std::vector<VariableId> positions;    // x
  std::vector<VariableId> multipliers;  // y, as many as constraints
  std::vector<int> dynamics;            // equations, as many as positions
  std::vector<FormConstraint> constraints;
  std::vector<Companion> companions;
  std::vector<int> companion_equations;
  SymbolicMatrix mass;        // M: ∂dynamics/∂x^(m)
  SymbolicMatrix input;       // B: ∂dynamics/∂y
  SymbolicMatrix constraint;  // G: ∂constraint/∂x^(level)
  // ∂ġ/∂x of the constraints of level 0, for m = 2: L of Ascher, Petzold 1993 (4.17), Petzold, Potra 1992
  // (3.15).
  SymbolicMatrix curvature;
  bool symmetric = false;  // B = Gᵀ for all constraints, expression by expression

  [[nodiscard]] const DaeSystem& system() const { return raised.system; }
  [[nodiscard]] ExprGraph& graph() const { return *raised.system.graph; }
  [[nodiscard]] int n() const { return static_cast<int>(positions.size()); }
  [[nodiscard]] int ny() const { return static_cast<int>(constraints.size()); }
  [[nodiscard]] NodeId x(int i, int k) const {
    return graph().variable(positions[static_cast<std::size_t>(i)], k);
  }
  [[nodiscard]] NodeId y(int i) const { return graph().variable(multipliers[static_cast<std::size_t>(i)]); }
  [[nodiscard]] std::string constraint_name(int i) const;
};

// An error says what keeps the model from having the form, and names the equation. `unconstrained`: a model
// without constraints has it, too, with no multipliers (so that explicit methods apply to an ODE).
[[nodiscard]] Result<ConstrainedForm> recognise_constrained_form(const DaeSystem& system,
                                                                 bool unconstrained = false);

// The derivative array of the form: all levels of positions up to m, constraints differentiated m - level
// times. Needs no regular structure, so redundant constraints pass.
[[nodiscard]] LevelSystem level_system_of(const ConstrainedForm& form);

}  // namespace daedalus
