// ReformulatedSystem: what a formulation makes of the constrained form. A square system F(t, u, u') = 0 in
// expressions: every unknown has a leaf for its value and, if it is differentiated, one for its rate.
//
// Unknowns that the model has keep their leaves (x^(k), the multipliers y, the companions), so values in
// results and events need no translation; what the formulation adds (μ, τ, …) has leaves of its own.
#pragma once

#include <string>
#include <vector>

#include "reform/constrained_form.hpp"

namespace daedalus {

struct ReformUnknown {
  NodeId leaf;
  NodeId rate;  // invalid: algebraic
  std::string name;
  int index = 1;       // weight h^(index-1) in norms
  bool tested = true;  // takes part in the local error test
  bool own = false;    // made by the formulation, not by the model
};

struct ReformEquation {
  NodeId residual;
  std::string name;  // in the user's words
};

// A value that is constant during a step and set by the run before it: the step size h in γ = 1/h, the ε of
// a trust region, an entry of a parametrisation A.
struct HeldValue {
  enum class Role { Step, Epsilon, Basis };
  Role role = Role::Step;
  NodeId leaf;     // Op::Discrete
  int row = 0;     // of A
  int column = 0;  // of A
  int basis = 0;   // which A, of Parametrisation::bases
};

// A constraint that is an equation of the system, differentiated `times`: it holds at every step, and output
// points are made to hold it, too.
struct KeptConstraint {
  int constraint = 0;
  int times = 0;
};

// How the run keeps A up to date.
enum class BasisPolicy { None, Fixed, Coordinates, Tangent };

// A local parametrisation. A(k) is for x^(k): its columns are what the constraints that say something of
// x^(k) leave free. Constraints of velocity say nothing of positions, so that there is an A for each set of
// constraints.
struct Parametrisation {
  struct Rows {
    std::vector<int> constraints;
    int columns = 0;  // n less the constraints
  };

  BasisPolicy policy = BasisPolicy::None;
  std::vector<Rows> bases;
  std::vector<int> of_level;  // by k < m: which of them
  std::vector<double> fixed;  // n × columns by rows, for BasisPolicy::Fixed, with one basis

  [[nodiscard]] const Rows& at(int level) const {
    return bases[static_cast<std::size_t>(of_level[static_cast<std::size_t>(level)])];
  }
};

struct ReformulatedSystem {
  std::vector<ReformUnknown> unknowns;
  std::vector<ReformEquation> equations;
  std::vector<HeldValue> held;
  std::vector<KeptConstraint> kept;
  Parametrisation parametrisation;
};

}  // namespace daedalus
