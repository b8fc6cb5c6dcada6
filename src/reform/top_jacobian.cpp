#include "reform/top_jacobian.hpp"

#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

namespace daedalus {
namespace {

constexpr std::size_t dense_limit = 400;   // larger blocks are tested by a sparse factorisation
constexpr std::size_t repair_limit = 800;  // equations that a repair may look at together
constexpr double shake = 0.4;              // of the values: what is singular by accident is not so there
constexpr double weak_shake = 0.01;        // where a strong one leaves the domain of a function
// The start point and shaken ones; with branches, so many that two of them meet in every way.
constexpr unsigned smooth_points = 6;
constexpr unsigned branching_points = 24;
constexpr double solved = 1e-6;  // residual of a random system: a singular one leaves about as much as it had

}  // namespace

TopJacobian::TopJacobian(const RaisedSystem& raised, const Incidence& incidence, const StructuralPlan& plan)
    : raised_(raised), plan_(plan), place_(plan.d.size(), -1) {
  const ExprGraph& graph = *raised.system.graph;
  row_start_.push_back(0);
  for (std::size_t i = 0; i < incidence.rows.size(); ++i) {
    for (const Partial& partial : incidence.rows[i]) {
      const int j = incidence.column[graph.variable_of(partial.leaf).at()];
      if (graph.order_of(partial.leaf) != plan.d[static_cast<std::size_t>(j)] - plan.c[i]) continue;
      entries_.push_back({.equation = static_cast<int>(i), .variable = j, .value = partial.value});
      roots_.push_back(partial.value);
    }
    row_start_.push_back(entries_.size());
  }
  below_.run(graph, roots_);
  branches_ = has_branches(graph, below_);
  values_.resize(points());
}

unsigned TopJacobian::points() const {
  return branches_ ? branching_points : smooth_points;
}

// Every third point is shaken weakly, every second one throws dice for its branches.
SamplePoint TopJacobian::point(unsigned p) const {
  const double by = p == 0 ? 0 : p % 3 == 0 ? weak_shake : shake;
  return {raised_.system, by, p, p % 2 == 0 ? Branches::Random : Branches::ByValue};
}

const std::vector<RoundedValue>& TopJacobian::values(unsigned p) const {
  if (values_[p].empty() && !roots_.empty()) values_[p] = point(p).evaluate(roots_, below_);
  return values_[p];
}

ScaledMatrix TopJacobian::matrix(unsigned p, const std::vector<int>& rows,
                                 const std::vector<int>& columns) const {
  for (std::size_t k = 0; k < columns.size(); ++k)
    place_[static_cast<std::size_t>(columns[k])] = static_cast<int>(k);
  Eigen::MatrixXd value =
      Eigen::MatrixXd::Zero(static_cast<long>(rows.size()), static_cast<long>(columns.size()));
  Eigen::MatrixXd error = value;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for_row(rows[r], [&](std::size_t k) {
      const int column = place_[static_cast<std::size_t>(entries_[k].variable)];
      if (column < 0) return;
      value(static_cast<long>(r), column) = values(p)[k].value;
      error(static_cast<long>(r), column) = values(p)[k].error;
    });
  }
  for (const int j : columns) place_[static_cast<std::size_t>(j)] = -1;
  return {value, error};
}

// Most blocks are one equation for one unknown.
TopJacobian::Verdict TopJacobian::judge_single(const Block& block, unsigned p) const {
  RoundedValue entry;
  for_row(block.equations.front(), [&](std::size_t k) {
    if (entries_[k].variable == block.variables.front()) entry = values(p)[k];
  });
  if (!std::isfinite(entry.value)) return Verdict::NotFinite;
  return entry.vanishes() ? Verdict::Singular : Verdict::Regular;
}

TopJacobian::Verdict TopJacobian::judge_dense(const Block& block, unsigned p) const {
  if (block.equations.size() == 1) return judge_single(block, p);
  const ScaledMatrix scaled = matrix(p, block.equations, block.variables);
  if (!scaled.finite()) return Verdict::NotFinite;
  return scaled.full_rank() ? Verdict::Regular : Verdict::Singular;
}

// A large block is regular when a random right-hand side can be solved for with a bounded solution.
TopJacobian::Verdict TopJacobian::judge_sparse(const Block& block, unsigned p) const {
  const auto n = static_cast<long>(block.equations.size());
  std::unordered_map<int, int> place;
  for (std::size_t k = 0; k < block.variables.size(); ++k) place[block.variables[k]] = static_cast<int>(k);
  std::vector<Eigen::Triplet<double>> triplets;
  Signature orders;
  orders.variables = static_cast<int>(n);
  std::vector<SignatureEntry> row;
  bool finite = true;
  for (long r = 0; r < n; ++r) {
    row.clear();
    for_row(block.equations[static_cast<std::size_t>(r)], [&](std::size_t k) {
      const auto column = place.find(entries_[k].variable);
      if (column == place.end()) return;
      const RoundedValue& entry = values(p)[k];
      finite = finite && std::isfinite(entry.value);
      if (!finite || entry.vanishes()) return;
      triplets.emplace_back(r, column->second, entry.value);
      row.push_back({.variable = column->second, .order = std::ilogb(entry.value)});
    });
    orders.add_row(row);
  }
  if (!finite) return Verdict::NotFinite;
  const auto exponents = transversal_exponents(orders);
  if (!exponents) return Verdict::Singular;
  for (Eigen::Triplet<double>& t : triplets) {
    const int by = exponents->row[static_cast<std::size_t>(t.row())] +
                   exponents->column[static_cast<std::size_t>(t.col())];
    t = {t.row(), t.col(), std::ldexp(t.value(), by)};
  }
  Eigen::SparseMatrix<double> sparse(n, n);
  sparse.setFromTriplets(triplets.begin(), triplets.end());
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu(sparse);
  if (lu.info() != Eigen::Success) return Verdict::Singular;
  const Eigen::VectorXd b = Eigen::VectorXd::Random(n);
  const Eigen::VectorXd x = lu.solve(b);
  const bool bounded = x.allFinite() && (sparse * x - b).norm() <= solved * b.norm();
  return bounded ? Verdict::Regular : Verdict::Singular;
}

bool TopJacobian::is_singular(const Block& block) const {
  int seen_singular = 0;
  for (unsigned p = 0; p < points(); ++p) {
    const Verdict verdict =
        block.equations.size() <= dense_limit ? judge_dense(block, p) : judge_sparse(block, p);
    if (verdict == Verdict::Regular) return false;
    // The start alone may be singular by accident.
    if (verdict == Verdict::Singular && p > 0) ++seen_singular;
  }
  return seen_singular >= witnesses;
}

// The block and every block whose top derivatives it uses, directly or not.
void TopJacobian::collect_cone(const Block& block, RowCombination& combination) const {
  std::vector<int> pending = block.equations;
  std::set<int> seen(pending.begin(), pending.end());
  while (!pending.empty() && seen.size() <= repair_limit) {
    const int i = pending.back();
    pending.pop_back();
    for_row(i, [&](std::size_t k) {
      const int other = plan_.equation_of_variable[static_cast<std::size_t>(entries_[k].variable)];
      if (seen.insert(other).second) pending.push_back(other);
    });
  }
  combination.rows.assign(seen.begin(), seen.end());
  for (const int i : combination.rows)
    combination.columns.push_back(plan_.variable_of_equation[static_cast<std::size_t>(i)]);
}

// All uᵀJ = 0 of a basis, those with the fewest factors first.
std::vector<Eigen::VectorXd> TopJacobian::combinations(unsigned p, const RowCombination& cone) const {
  const ScaledMatrix scaled = matrix(p, cone.rows, cone.columns);
  if (!scaled.finite()) return {};
  std::vector<Eigen::VectorXd> found = scaled.null_combinations();
  std::ranges::stable_sort(found, {}, [](const Eigen::VectorXd& u) { return (u.array() != 0).count(); });
  return found;
}

// The first combination that explains all points, with constant factors if there is one. At one point a
// factor may be as small as rounding (an exponential) that at another is not.
std::optional<RowCombination> TopJacobian::find_combination(const Block& block) const {
  RowCombination cone;
  collect_cone(block, cone);
  if (cone.rows.size() > repair_limit) return std::nullopt;
  std::optional<RowCombination> varying;
  for (unsigned p = 1; p < points(); ++p) {
    for (const Eigen::VectorXd& u : combinations(p, cone)) {
      RowCombination found = cone;
      for (std::size_t k = 0; k < cone.rows.size(); ++k) {
        if (u(static_cast<long>(k)) == 0) continue;
        found.equations.push_back(cone.rows[k]);
        found.factors.push_back(u(static_cast<long>(k)));
      }
      if (!holds(found)) continue;
      if (found.constant) return found;
      if (!varying) varying = std::move(found);
    }
  }
  return varying;
}

// The rows of some of the equations, scaled within all that was looked at.
ScaledMatrix TopJacobian::part(unsigned p, const RowCombination& combination,
                               const std::vector<int>& equations) const {
  std::vector<int> which;
  for (const int i : equations)
    which.push_back(static_cast<int>(std::ranges::find(combination.rows, i) - combination.rows.begin()));
  return matrix(p, combination.rows, combination.columns).rows(which);
}

// Whether the rows depend on each other at every other point, too; and by the same factors?
bool TopJacobian::holds(RowCombination& combination) const {
  const Eigen::VectorXd first =
      Eigen::Map<const Eigen::VectorXd>(combination.factors.data(), std::ssize(combination.factors));
  int seen = 0;
  for (unsigned p = 1; p < points(); ++p) {
    const ScaledMatrix scaled = part(p, combination, combination.equations);
    if (!scaled.finite()) continue;
    ++seen;
    if (scaled.cancels(first)) continue;
    combination.constant = false;
    const std::vector<Eigen::VectorXd> again = scaled.null_combinations();
    // In another branch other rows than these may be behind it.
    if (again.size() != 1 || (again.front().array() == 0).any()) return false;
  }
  return seen >= witnesses;
}

std::vector<int> TopJacobian::regular_columns(const RowCombination& combination,
                                              const std::vector<int>& equations) const {
  for (unsigned p = 1; p < points(); ++p) {
    const ScaledMatrix scaled = part(p, combination, equations);
    if (!scaled.finite()) continue;
    std::vector<int> chosen;
    for (const int k : scaled.independent_columns())
      chosen.push_back(combination.columns[static_cast<std::size_t>(k)]);
    if (!chosen.empty()) return chosen;
  }
  return {};
}

}  // namespace daedalus
