// Stabilised index 2, after Gear, Gupta and Leimkuhler (paper 002 §8, paper 003 (4.15), (2.18)):
//
//   p' = v - D μ,   M v' = f - B y,   0 = g,   0 = ġ         (m = 2)
//   x^(k)' = x^(k+1) - D μ_(k+1), k < m - 1,   M x^(m) = f - B y,   0 = g = … = d^(m-1) g/dt^(m-1)   (any m)
//
// D = Gᵀ by default, M⁻¹B (D=B), or a matrix of numbers. Only the range of D matters for p and v. Motion
// constraints are of velocity level already and have no μ.
#include "reform/ggl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reform/descriptor.hpp"

namespace daedalus {
namespace {

// D for constraints of position level only.
Result<std::vector<NodeId>> literal_direction(ReformBuilder& b, const Selection& options,
                                              std::span<const NodeId> mu) {
  const auto matrix = parse_matrix(options.text("D"), "D", "GT, B");
  if (!matrix) return std::unexpected(matrix.error());
  if (matrix->rows != b.n() || matrix->columns != static_cast<int>(mu.size())) {
    return fail(fmt::format("D must be {} by {} (unknowns of position by constraints), but is {} by {}",
                            b.n(), mu.size(), matrix->rows, matrix->columns));
  }
  if (rank_of(*matrix) < matrix->columns) {
    return fail(
        fmt::format("D has rank {}, but its {} columns must be independent, one direction for each "
                    "constraint of position; "
                    "D=GT always is where the constraints are",
                    rank_of(*matrix), matrix->columns));
  }
  return b.literal_times(*matrix, mu);
}

}  // namespace

int rank_of(const DenseLiteral& matrix) {
  // Of the largest entry: a sum of numbers that somebody wrote with 12 digits.
  constexpr double no_pivot = 1e-12;
  std::vector<double> a = matrix.values;
  const auto columns = static_cast<std::size_t>(matrix.columns);
  double largest = 0;
  for (const double value : a) largest = std::max(largest, std::abs(value));
  int rank = 0;
  for (std::size_t c = 0; c < columns && rank < matrix.rows; ++c) {
    auto best = static_cast<std::size_t>(rank);
    for (auto r = best; r < static_cast<std::size_t>(matrix.rows); ++r) {
      if (std::abs(a[(r * columns) + c]) > std::abs(a[(best * columns) + c])) best = r;
    }
    if (std::abs(a[(best * columns) + c]) <= no_pivot * largest) continue;
    const auto pivot = static_cast<std::size_t>(rank++);
    for (std::size_t k = 0; k < columns; ++k) std::swap(a[(best * columns) + k], a[(pivot * columns) + k]);
    for (auto r = pivot + 1; r < static_cast<std::size_t>(matrix.rows); ++r) {
      const double factor = a[(r * columns) + c] / a[(pivot * columns) + c];
      for (std::size_t k = c; k < columns; ++k) a[(r * columns) + k] -= factor * a[(pivot * columns) + k];
    }
  }
  return rank;
}

std::vector<int> constraints_up_to(const ConstrainedForm& form, int level) {
  std::vector<int> found;
  for (int i = 0; i < form.ny(); ++i) {
    if (form.constraints[static_cast<std::size_t>(i)].level <= level) found.push_back(i);
  }
  return found;
}

Result<std::vector<NodeId>> add_projection(ReformBuilder& b, const Selection& options,
                                           const std::vector<int>& rows, const std::string& name) {
  const ConstrainedForm& form = b.form();
  const std::vector<NodeId> mu = b.own_unknowns(name, static_cast<int>(rows.size()));
  const std::string_view kind = options.text("D");
  if (kind != "GT" && kind != "B") return literal_direction(b, options, mu);
  std::vector<NodeId> factor(static_cast<std::size_t>(form.ny()));
  for (std::size_t k = 0; k < rows.size(); ++k) factor[static_cast<std::size_t>(rows[k])] = mu[k];
  if (kind == "GT") return b.transposed_times(form.constraint, factor);
  // D = M⁻¹B without M⁻¹: s with M s = B μ.
  std::vector<NodeId> s = b.own_unknowns(name == "mu" ? "s" : "s of " + name, form.n());
  const std::vector<NodeId> mass_s = b.times(form.mass, s);
  const std::vector<NodeId> b_mu = b.times(form.input, factor);
  for (std::size_t i = 0; i < s.size(); ++i)
    b.equation(b.graph().sub(mass_s[i], b_mu[i]), fmt::format("M s = B mu, row {}", i + 1));
  return s;
}

Result<ReformulatedSystem> rewrite_ggl(const ConstrainedForm& form, const Selection& options) {
  ReformBuilder b(form);
  b.add_positions();
  b.use_rates_as_accelerations();
  b.add_multipliers(2);
  // (2.18): each derivative of a constraint below the m-th has a multiplier in the equation of its level;
  // that of the highest is y.
  for (int k = 0; k + 1 < b.m(); ++k) {
    const std::string name = k == 0 ? "mu" : fmt::format("mu{}", k + 1);
    auto direction = add_projection(b, options, constraints_up_to(form, k), name);
    if (!direction) return std::unexpected(direction.error());
    for (NodeId& d : *direction) d = b.graph().neg(d);
    b.kinematics(k, *direction);
  }
  b.add_dynamics();
  b.add_companions();
  for (int i = 0; i < form.ny(); ++i) {
    const int level = form.constraints[static_cast<std::size_t>(i)].level;
    for (int k = 0; k < b.m() - level; ++k) b.add_constraint(i, k);
  }
  return b.take();
}

}  // namespace daedalus
