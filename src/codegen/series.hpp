// Taylor coefficients of expressions, by recurrence over the operations: if the coefficients of the leaves
// are known up to order k, one sweep gives those of order k of everything (Griewank, Walther, "Evaluating
// Derivatives", chapter 13; Jorba, Zou, Experimental Mathematics 14, 2005).
//
// Sums, products and quotients have recurrences of their own. Any other function y = f(u) has
//     y_k = (1/k) Σ_(i=1..k) i u_i g_(k-i),     g = f'(u),
// where g is the expression that the table of operations knows for the derivative, and only its coefficients
// below k are needed: so g may contain y itself (tan' = 1 + tan²), and sine and cosine need no special care.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "codegen/tape.hpp"

namespace daedalus {

class SeriesProgram {
 public:
  SeriesProgram() = default;
  // `moves`: which slots of the environment hold series; the others are constants. The graph may grow.
  SeriesProgram(ExprGraph& graph, std::span<const NodeId> roots, int slots, const LeafSlot& slot_of,
                const std::function<bool(int slot)>& moves);

  // Room for coefficients 0 … order.
  void reserve(int order);
  // Coefficient 0 of everything, from the environment.
  void start(std::span<const double> environment);
  // The number of a leaf that moves, or -1: nothing depends on it. Its coefficients from 1 on are the
  // caller's.
  [[nodiscard]] std::int32_t leaf(int slot) const { return leaf_of_slot_[static_cast<std::size_t>(slot)]; }
  void set(std::int32_t leaf, int k, double value) { at(leaf)[k] = value; }
  // Coefficient k ≥ 1 of everything; those of the leaves are there.
  void advance(int k);
  [[nodiscard]] const double* root(std::size_t r) const { return at(roots_[r]); }
  [[nodiscard]] std::size_t roots() const { return roots_.size(); }
  [[nodiscard]] std::size_t operations() const { return steps_.size(); }

 private:
  enum class Rule : std::uint8_t { Add, Sub, Neg, Mul, Scale, Div, DivConstant, Choice, Chain, Chain2 };
  struct Step {
    Rule rule = Rule::Add;
    std::int32_t out = 0;
    std::array<std::int32_t, 2> u{-1, -1};
    std::array<std::int32_t, 2> g{-1, -1};  // of chains: the derivatives; of choices: the condition
  };
  class Writer;

  [[nodiscard]] double* at(std::int32_t value) {
    return c_.data() + static_cast<std::size_t>(value) * stride_;
  }
  [[nodiscard]] const double* at(std::int32_t value) const {
    return c_.data() + static_cast<std::size_t>(value) * stride_;
  }

  Tape tape_;                // for the coefficients 0
  std::vector<Step> steps_;  // of what moves
  std::vector<std::int32_t> roots_;
  std::vector<std::int32_t> leaf_of_slot_;  // -1: none
  std::size_t stride_ = 0;
  std::vector<double> c_;      // the coefficients of a value stand together
  std::vector<double> first_;  // coefficients 0
};

}  // namespace daedalus
