// The tangent of the manifold on which a DAE lives, from the Jacobian of its derivative array:
//
//   J δz + J_u δu = 0,   z all levels x_j^(k), k = 0 … d_j, u what is given from outside.
//
// The highest levels h = {x_j^(d_j)} are solved for, the others, c, are what constraints hold between:
//
//   [J_c J_h] [δc; δh] = -J_u δu     Qᵀ J_h = [R; 0], so that the rows below R are the constraints K δc =
//   -K_u δu.
//
// As many of c as K has independent rows follow from the rest, which are the states s: velocities follow
// before positions do, as constraints of velocity hold both. So
//   δz = T [δs; δu].
//
// Redundant constraints are rows of K that say nothing new. Where they leave multipliers open, those of least
// norm are taken, and `open` tells which unknowns that concerns.
#pragma once

#include <string>
#include <vector>

namespace daedalus {

// Dense, column after column.
struct DenseMatrix {
  int rows = 0;
  int columns = 0;
  std::vector<double> values;
  DenseMatrix() = default;
  DenseMatrix(int r, int c)
      : rows(r), columns(c), values(static_cast<std::size_t>(r) * static_cast<std::size_t>(c)) {}
  [[nodiscard]] double& at(int r, int c) { return values[index(r, c)]; }
  [[nodiscard]] double at(int r, int c) const { return values[index(r, c)]; }

 private:
  [[nodiscard]] std::size_t index(int r, int c) const {
    return (static_cast<std::size_t>(c) * static_cast<std::size_t>(rows)) + static_cast<std::size_t>(r);
  }
};

struct TangentProblem {
  DenseMatrix jacobian;        // J
  DenseMatrix input_jacobian;  // J_u
  std::vector<bool> highest;   // by column of J
  std::vector<int> order;      // by column of J: k of x^(k)
  std::vector<double> size;    // by column of J: a typical size of the unknown, > 0
};

enum class TangentStatus {
  Ok,
  InputsHeld,  // constraints leave the inputs no freedom: `row` is one of them
  NotFinite    // a derivative has no value: `row` is its equation
};

struct Tangent {
  TangentStatus status = TangentStatus::Ok;
  int row = -1;
  std::vector<int> states;         // columns of J, ascending
  DenseMatrix directions;          // T: columns of J × (states + inputs)
  std::vector<bool> open;          // by column of J: not determined
  int redundant = 0;               // constraints that say nothing new
  bool constrains_inputs = false;  // a constraint depends on an input, so that states jump where it jumps
};

[[nodiscard]] Tangent tangent_of(const TangentProblem& problem);

}  // namespace daedalus
