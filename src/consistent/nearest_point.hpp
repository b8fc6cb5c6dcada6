// The nearest point on a manifold: min ½ Σ (w_k (z_k - z⁰_k) / s_k)² subject to C(z) = 0, some z_k held.
// The engine of initialisation and of reinit(). Knows residuals and sparse Jacobians, no models.
//
// First a feasible point by Newton with steps of minimal weighted norm, globalised by the natural
// monotonicity test (Deuflhard 2004, algorithm NLEQ-ERR and §4.4 for the underdetermined case); then
// Gauss–Newton towards the nearest one; last, Newton again until the constraints hold to round-off.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "consistent/tolerances.hpp"

namespace daedalus {

// C and its derivatives. Jacobian values lie on a compressed-column pattern of `rows` × z.size().
struct ConstraintFunction {
  int rows = 0;
  int columns = 0;
  std::vector<int> column_start;
  std::vector<int> row;
  std::function<void(std::span<const double> z, std::span<double> c)> residual;
  std::function<void(std::span<const double> z, std::span<double> values)> jacobian;
};

// The entries of a Jacobian by columns: visit(its number, column, row).
template <class F>
void for_entries(const ConstraintFunction& constraints, F&& visit) {
  for (std::size_t column = 0; column < static_cast<std::size_t>(constraints.columns); ++column) {
    for (int k = constraints.column_start[column]; k < constraints.column_start[column + 1]; ++k) {
      visit(static_cast<std::size_t>(k), column,
            static_cast<std::size_t>(constraints.row[static_cast<std::size_t>(k)]));
    }
  }
}

// The same without the other rows, which stay as empty ones: 0 = 0.
[[nodiscard]] ConstraintFunction restricted_to(const std::vector<bool>& rows,
                                               const ConstraintFunction& constraints);

struct NearestProblem {
  std::vector<double> guess;   // z⁰
  std::vector<double> first;   // where the iteration begins; empty: at z⁰
  std::vector<double> scale;   // s > 0: a typical size of each unknown
  std::vector<double> weight;  // w > 0: how much it matters that z stays near z⁰ (1: much, 1e-4: hardly)
  std::vector<bool> held;      // z_k = z⁰_k
  // By row: what of its residual may be rounding (expr/rounding.hpp). A row that no unknown changes by more
  // than that says nothing about them; it holds or not. Empty: nothing is known.
  std::vector<double> rounding = {};
  // δ of the saddle system (nearest_point.cpp): conditions that are nearly dependent, by less than its root,
  // count as redundant.
  double regularisation = consistent::saddle_regularisation;
  double tolerance = 1e-12;  // of the last Newton correction, relative to |z| and s
  int max_iterations = 200;
};

enum class NearestStatus { Ok, NotFinite, Singular, NoConvergence };

struct NearestResult {
  NearestStatus status = NearestStatus::Ok;
  std::vector<double> z;
  int iterations = 0;
  int bad_row = -1;            // NotFinite: which constraint; NoConvergence: the largest one left
  double residual = 0;         // largest |C_i|, each relative to its row's size, at z
  std::vector<int> redundant;  // Singular: rows that depend on the others
};

[[nodiscard]] NearestResult nearest_point(const ConstraintFunction& constraints,
                                          const NearestProblem& problem);

// Which rows depend linearly on others at z, over the columns that are not held, and how. Dense: for
// diagnosis only; empty for more than a few thousand rows.
struct Dependency {
  std::vector<int> rows;  // Σ factor_k * C_rows[k] has (almost) no derivative in the free unknowns
  std::vector<double> factors;
  double defect = 0;      // Σ factor_k C_rows[k] at z: 0 (redundant), otherwise they contradict each other
  std::vector<int> held;  // held unknowns that the combination depends on
};
[[nodiscard]] std::vector<Dependency> find_dependencies(const ConstraintFunction& constraints,
                                                        const NearestProblem& problem,
                                                        std::span<const double> z);

}  // namespace daedalus
