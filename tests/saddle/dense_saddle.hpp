// Saddle systems [M Gᵀ; G 0] z = b in dense matrices and, with the same numbers, as expressions; and their
// solution by dense algebra in extended precision, the reference of every strategy.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "codegen/program.hpp"
#include "reform/constrained_form.hpp"
#include "saddle/elimination.hpp"
#include "saddle/saddle_system.hpp"

namespace daedalus::testing {

using Extended = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using ExtendedVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

struct DenseSaddle {
  Eigen::MatrixXd mass;      // M
  Eigen::MatrixXd gradient;  // G
  Eigen::VectorXd b;

  [[nodiscard]] int n() const { return static_cast<int>(mass.rows()); }
  [[nodiscard]] int m() const { return static_cast<int>(gradient.rows()); }
  [[nodiscard]] int size() const { return n() + m(); }
  [[nodiscard]] Eigen::MatrixXd whole() const {
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(size(), size());
    a.topLeftCorner(n(), n()) = mass;
    a.bottomLeftCorner(m(), n()) = gradient;
    a.topRightCorner(n(), m()) = gradient.transpose();
    return a;
  }
  [[nodiscard]] Eigen::VectorXd solution() const {
    const ExtendedVector z = whole().cast<long double>().fullPivLu().solve(b.cast<long double>());
    return z.cast<double>();
  }
  // G diag(M)⁻¹ Gᵀ on its diagonal: what a multiplier's size is measured by.
  [[nodiscard]] Eigen::VectorXd schur_diagonal() const {
    return (gradient.array().square().rowwise() / mass.diagonal().transpose().array()).rowwise().sum();
  }
  // Redundant constraints: of all solutions the one whose multipliers λ have the least Σ s_i λ_i².
  [[nodiscard]] Eigen::VectorXd least_norm_solution(const Eigen::VectorXd& s) const {
    Extended a = whole().cast<long double>();
    ExtendedVector scale = ExtendedVector::Ones(size());
    for (int i = 0; i < m(); ++i) scale(n() + i) = 1 / std::sqrt(static_cast<long double>(s(i)));
    a = a * scale.asDiagonal();
    Eigen::CompleteOrthogonalDecomposition<Extended> decomposition;
    decomposition.setThreshold(1e-14L);
    decomposition.compute(a);
    const ExtendedVector z = scale.asDiagonal() * decomposition.solve(b.cast<long double>());
    return z.cast<double>();
  }
  // 2-norm, of the regular part.
  [[nodiscard]] double condition(int rank) const {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(whole(), Eigen::EigenvaluesOnly);
    std::vector<double> sizes;
    for (const double value : eigen.eigenvalues()) sizes.push_back(std::abs(value));
    std::ranges::sort(sizes, std::greater{});
    return sizes.front() / sizes[static_cast<std::size_t>(rank) - 1];
  }
  // The same system in other units: A becomes T A T, b becomes T b.
  [[nodiscard]] DenseSaddle scaled(const Eigen::VectorXd& t) const {
    const Eigen::VectorXd top = t.head(n());
    const Eigen::VectorXd bottom = t.tail(m());
    return {.mass = top.asDiagonal() * mass * top.asDiagonal(),
            .gradient = bottom.asDiagonal() * gradient * top.asDiagonal(),
            .b = t.asDiagonal() * b};
  }
};

enum class Masses { Coupled, Diagonal };

// Each row of G has a large entry in a column of its own, so that G has full rank and A a condition below
// some hundreds; m ≤ n.
inline DenseSaddle random_saddle(int n, int m, Masses masses, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> part(-0.5, 0.5);
  std::uniform_int_distribution<int> any(0, n - 1);
  DenseSaddle made{.mass = Eigen::MatrixXd::Zero(n, n),
                   .gradient = Eigen::MatrixXd::Zero(m, n),
                   .b = Eigen::VectorXd::Zero(n + m)};
  for (int i = 0; i < n; ++i) {
    made.mass(i, i) = 4 + part(random);
    const int j = any(random);
    if (masses == Masses::Coupled && j != i) made.mass(i, j) = made.mass(j, i) = part(random);
  }
  for (int r = 0; r < m; ++r) {
    for (int k = 0; k < 2; ++k) made.gradient(r, any(random)) = part(random);
    made.gradient(r, r) = 2 + part(random);
  }
  for (int i = 0; i < n + m; ++i) made.b(i) = part(random);
  return made;
}

// The same as expressions: a leaf for each entry or, of M where `constant_mass` says so, a number.
struct SaddleExpressions {
  explicit SaddleExpressions(const DenseSaddle& given, bool constant_mass = false) : first(given.n()) {
    matrix.rows = matrix.columns = given.size();
    const Eigen::MatrixXd a = given.whole();
    for (int i = 0; i < given.size(); ++i) {
      for (int j = 0; j <= i; ++j) {
        if (a(i, j) == 0) continue;
        const bool constant = constant_mass && i < first;
        const NodeId node = constant ? graph.constant(a(i, j)) : leaf(a(i, j), i, j);
        lower.push_back({.row = i, .column = j, .value = node});
        matrix.entries.push_back({.row = i, .column = j, .value = node});
        if (i != j) matrix.entries.push_back({.row = j, .column = i, .value = node});
      }
    }
    for (int i = 0; i < given.size(); ++i) rhs.push_back(leaf(given.b(i), i, -1));
  }
  NodeId leaf(double value, int row, int column) {
    environment.push_back(value);
    where.push_back({row, column});
    return graph.variable(VariableId(static_cast<int>(environment.size()) - 1));
  }
  // The values of another system with the same pattern and the same constants.
  void load(const DenseSaddle& other) {
    const Eigen::MatrixXd a = other.whole();
    for (std::size_t k = 0; k < where.size(); ++k) {
      const auto [i, j] = where[k];
      environment[k] = j < 0 ? other.b(i) : a(i, j);
    }
  }
  // `homogeneous`: with zero on the right-hand side.
  [[nodiscard]] SaddleEquations equations(bool homogeneous = false) {
    if (homogeneous) std::ranges::fill(rhs, graph.constant(0));
    return {.graph = graph, .matrix = matrix, .rhs = rhs, .first = first};
  }
  [[nodiscard]] ProgramSetting setting() const {
    return {.slots = static_cast<int>(environment.size()),
            .slot_of = [this](NodeId leaf) { return graph.variable_of(leaf).value; },
            .codegen = {}};
  }

  int first;
  ExprGraph graph;
  SymbolicMatrix matrix;
  std::vector<EliminationEntry> lower;
  std::vector<NodeId> rhs;
  std::vector<double> environment;
  std::vector<std::pair<int, int>> where;  // by leaf: row and column, -1 for b
};

inline Eigen::Map<const Eigen::VectorXd> as_vector(std::span<const double> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

// An elimination in double precision against the exact solution: its backward error is some tens of
// roundings, and the condition multiplies it.
inline double forward_tolerance(const DenseSaddle& given, const Eigen::VectorXd& z, int rank) {
  constexpr double roundings = 64;
  return roundings * std::numeric_limits<double>::epsilon() * given.condition(rank) * z.cwiseAbs().maxCoeff();
}
inline double forward_tolerance(const DenseSaddle& given, const Eigen::VectorXd& z) {
  return forward_tolerance(given, z, given.size());
}

}  // namespace daedalus::testing
