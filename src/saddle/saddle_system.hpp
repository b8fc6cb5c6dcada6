// clang-format off
// Accelerations and multipliers: a linear system whose entries are expressions, solved again and again at
// other points.
//
//        n      m
//     ┌──────┬──────┐ ┌   ┐   ┌   ┐
//   n │  M   │  Gᵀ  │ │ a │   │ f │        M  positive definite: the mass matrix, or the norm of a projection
//     ├──────┼──────┤ │   │ = │   │        G  one row for each constraint
//   m │  G   │ -δD  │ │ λ │   │ c │        δ  zero, or a regularisation (saddle/regularised_system.hpp)
//     └──────┴──────┘ └   ┘   └   ┘
//
// Eliminating a leaves  -(G M⁻¹ Gᵀ + δD) λ = c - G M⁻¹ f.  S = G M⁻¹ Gᵀ is positive definite where G has full
// rank, so that the whole is quasi-definite: L D Lᵀ exists in any order (Vanderbei 1995), D is positive in
// the rows of M and negative in those of G. No strategy but GeneralSystem searches for pivots, and the order
// is found once. All take each row of G after the rows of M that it joins; then D in the rows of G has the
// pivots of S alone: -D_i = (distance of g_i from the span of the gradients before it, in the norm of M⁻¹)².
// That is what the rank is judged by (numerics/rank_policy.hpp).
//
//   strategy            file                   factor at a point by            for
//   StraightLineSystem  straight_line_system   expressions, written out        up to 40 unknowns and 4000 operations
//   CondensedSystem     condensed_system       expressions where M is constant bodies with constant masses
//                                              and diagonal, panels for S
//   PanelSystem         panel_system           L D Lᵀ on panels of numbers     any symmetric A; takes a δ
//   GeneralSystem       general_system         dense or sparse LU, pivoting    any A
//   RegularisedSystem   regularised_system     one of the first three          constraints that are, or become,
//                                                                              dependent
//
// make_saddle_system (saddle/make_saddle_system.hpp) chooses among the first three.
// clang-format on
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "codegen/program.hpp"
#include "core/archive.hpp"
#include "reform/constrained_form.hpp"

namespace daedalus {

class PanelSystem;

// What is to be solved. The graph grows in constructors only.
struct SaddleEquations {
  ExprGraph& graph;
  const SymbolicMatrix& matrix;  // both triangles, each entry once
  std::span<const NodeId> rhs;
  int first = 0;  // rows of M, which stand first; the others' diagonal is zero
};

// What follows from the solution, as a program straight from the point.
class Sequel {
 public:
  // Expressions in these leaves, by unknown, and in others.
  struct Given {
    std::span<const NodeId> unknowns;
    std::span<const NodeId> nodes;
  };
  Sequel() = default;
  explicit Sequel(Program program) : program_(std::move(program)) {}

  void evaluate(std::span<const double> environment, std::span<double> out) {
    program_.evaluate(environment, out, workspace_);
  }
  [[nodiscard]] Program::Bound bind(std::span<const double> environment) {
    return program_.bind(environment, workspace_);
  }

 private:
  Program program_;
  std::vector<double> workspace_;
};

class SaddleSystem {
 public:
  virtual ~SaddleSystem() = default;
  [[nodiscard]] virtual std::unique_ptr<SaddleSystem> copy() const = 0;

  // The matrix at a point. False: a pivot is zero, or not finite.
  [[nodiscard]] virtual bool factor(std::span<const double> environment) = 0;
  // b := A⁻¹ b, by unknown, with the matrix of the last factor().
  virtual void solve(std::span<double> b) = 0;
  // Matrix and right-hand side at a point, and the solution there. False: it is not finite. Allocates
  // nothing.
  [[nodiscard]] virtual bool solve_at(std::span<const double> environment) = 0;
  // |D| at the rows of the constraints. False: one is zero or not finite, or this strategy has none.
  [[nodiscard]] virtual bool pivots_at(std::span<const double> environment, std::span<double> pivots) = 0;
  // Whoever asks for pivots often says so before the first point: strategies may have a program for them.
  virtual void prepare_pivots() {}
  [[nodiscard]] virtual std::string_view name() const = 0;
  // Of its programs, for one solve_at(); what is done in numbers does not count.
  [[nodiscard]] virtual std::size_t operations() const { return 0; }

  // The solution of the last solve_at(), unknown i at index(i); of the multipliers only after complete().
  [[nodiscard]] virtual std::span<const double> solution() const = 0;
  [[nodiscard]] virtual int index(int unknown) const = 0;
  virtual void complete() {}
  // The same by unknown, without the multipliers.
  [[nodiscard]] virtual std::span<const double> accelerations() = 0;

  // Systems of constraints alone, whose right-hand side is zero: the accelerations for (0, c) in its place,
  // with the matrix that the last pivots_at() has left behind.
  [[nodiscard]] virtual bool solves_constraints() const { return false; }
  [[nodiscard]] virtual std::span<const double> solve_constraints(std::span<const double> /*c*/) {
    return {};
  }

  // The solution of solve_at() as expressions, by unknown, if it is computed by such; otherwise none.
  [[nodiscard]] virtual std::span<const NodeId> expressions() const { return {}; }
  // Null: there is none.
  [[nodiscard]] virtual Sequel* sequel() { return nullptr; }
  // The factorisation in numbers of the whole matrix, which takes a δ; null: there is none.
  [[nodiscard]] virtual PanelSystem* panels() { return nullptr; }

  // What later solutions depend on; read into a copy of the same system.
  virtual void state(Archive& archive) = 0;

 protected:
  SaddleSystem() = default;
  SaddleSystem(const SaddleSystem&) = default;
  SaddleSystem& operator=(const SaddleSystem&) = default;
  SaddleSystem(SaddleSystem&&) = default;
  SaddleSystem& operator=(SaddleSystem&&) = default;
};

}  // namespace daedalus
