#include "reform/repair.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Dense>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <set>

#include "reform/point.hpp"

namespace daedalus {
namespace {

constexpr int dense_limit = 400;           // larger blocks are tested by a sparse factorisation
constexpr std::size_t repair_limit = 800;  // equations that a repair may look at together
constexpr double rank_tolerance = 1e-9;  // of an equilibrated matrix; entries carry rounding errors of 1e-16
constexpr double shake = 0.4;
constexpr unsigned sample_points = 4;  // the start point and three shaken ones

struct Entry {
  int equation;
  int variable;
  NodeId value;
};

// J's entries: ∂f_i/∂x_j^(d_j - c_i), row by row.
class TopJacobian {
 public:
  TopJacobian(const RaisedSystem& raised, const Incidence& incidence, const StructuralPlan& plan)
      : place_(plan.d.size(), -1) {
    const ExprGraph& graph = *raised.system.graph;
    std::vector<NodeId> roots;
    row_start_.push_back(0);
    for (std::size_t i = 0; i < incidence.rows.size(); ++i) {
      for (const Partial& partial : incidence.rows[i]) {
        const int j = incidence.column[graph.variable_of(partial.leaf).at()];
        if (graph.order_of(partial.leaf) != plan.d[static_cast<std::size_t>(j)] - plan.c[i]) continue;
        entries_.push_back({.equation = static_cast<int>(i), .variable = j, .value = partial.value});
        roots.push_back(partial.value);
      }
      row_start_.push_back(entries_.size());
    }
    Traversal below;
    below.run(graph, roots);
    for (unsigned p = 0; p < sample_points; ++p) {
      values_.push_back(SamplePoint(raised.system, p == 0 ? 0 : shake, p).evaluate(roots, below));
    }
  }

  // The submatrix of the given rows and columns at sample point p.
  [[nodiscard]] Eigen::MatrixXd dense(unsigned p, const std::vector<int>& rows,
                                      const std::vector<int>& columns) const {
    for (std::size_t k = 0; k < columns.size(); ++k)
      place_[static_cast<std::size_t>(columns[k])] = static_cast<int>(k);
    Eigen::MatrixXd matrix =
        Eigen::MatrixXd::Zero(static_cast<long>(rows.size()), static_cast<long>(columns.size()));
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for_row(rows[r], [&](std::size_t k) {
        const int column = place_[static_cast<std::size_t>(entries_[k].variable)];
        if (column >= 0) matrix(static_cast<long>(r), column) = values_[p][k];
      });
    }
    for (const int j : columns) place_[static_cast<std::size_t>(j)] = -1;
    return matrix;
  }

  template <class F>
  void for_row(int equation, F&& visit) const {
    for (std::size_t k = row_start_[static_cast<std::size_t>(equation)];
         k < row_start_[static_cast<std::size_t>(equation) + 1]; ++k)
      visit(k);
  }
  [[nodiscard]] const Entry& entry(std::size_t k) const { return entries_[k]; }
  [[nodiscard]] double value(unsigned p, std::size_t k) const { return values_[p][k]; }

 private:
  mutable std::vector<int> place_;  // by variable: its column in dense(), -1 between calls
  std::vector<Entry> entries_;
  std::vector<std::size_t> row_start_;
  std::vector<std::vector<double>> values_;  // by sample point
};

// Rows and columns scaled to largest entry 1, so that a rank tolerance means the same for all units.
void equilibrate(Eigen::MatrixXd& m) {
  for (int pass = 0; pass < 2; ++pass) {
    for (long i = 0; i < m.rows(); ++i) {
      const double largest = m.row(i).cwiseAbs().maxCoeff();
      if (largest > 0) m.row(i) /= largest;
    }
    for (long j = 0; j < m.cols(); ++j) {
      const double largest = m.col(j).cwiseAbs().maxCoeff();
      if (largest > 0) m.col(j) /= largest;
    }
  }
}

enum class Verdict { Regular, Singular, NotFinite };

// Most blocks are one equation for one unknown.
Verdict judge_single(const TopJacobian& jacobian, const Block& block, unsigned p) {
  double value = 0;
  jacobian.for_row(block.equations.front(), [&](std::size_t k) {
    if (jacobian.entry(k).variable == block.variables.front()) value = jacobian.value(p, k);
  });
  if (!std::isfinite(value)) return Verdict::NotFinite;
  return value == 0 ? Verdict::Singular : Verdict::Regular;
}

Verdict judge_dense(const TopJacobian& jacobian, const Block& block, unsigned p) {
  if (block.equations.size() == 1) return judge_single(jacobian, block, p);
  Eigen::MatrixXd matrix = jacobian.dense(p, block.equations, block.variables);
  if (!matrix.allFinite()) return Verdict::NotFinite;
  equilibrate(matrix);
  Eigen::FullPivLU<Eigen::MatrixXd> lu(matrix);
  lu.setThreshold(rank_tolerance);
  return lu.isInvertible() ? Verdict::Regular : Verdict::Singular;
}

// A large block is regular when a random right-hand side can be solved for with a bounded solution.
Verdict judge_sparse(const TopJacobian& jacobian, const Block& block, unsigned p) {
  const auto n = static_cast<long>(block.equations.size());
  std::unordered_map<int, int> place;
  for (std::size_t k = 0; k < block.variables.size(); ++k) place[block.variables[k]] = static_cast<int>(k);
  std::vector<Eigen::Triplet<double>> triplets;
  bool finite = true;
  for (long r = 0; r < n; ++r) {
    double largest = 0;
    const int equation = block.equations[static_cast<std::size_t>(r)];
    jacobian.for_row(equation, [&](std::size_t k) {
      if (place.contains(jacobian.entry(k).variable))
        largest = std::max(largest, std::abs(jacobian.value(p, k)));
    });
    jacobian.for_row(equation, [&](std::size_t k) {
      const auto column = place.find(jacobian.entry(k).variable);
      if (column == place.end()) return;
      finite = finite && std::isfinite(jacobian.value(p, k));
      triplets.emplace_back(r, column->second, largest > 0 ? jacobian.value(p, k) / largest : 0);
    });
  }
  if (!finite) return Verdict::NotFinite;
  Eigen::SparseMatrix<double> matrix(n, n);
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu(matrix);
  if (lu.info() != Eigen::Success) return Verdict::Singular;
  const Eigen::VectorXd b = Eigen::VectorXd::Random(n);
  const Eigen::VectorXd x = lu.solve(b);
  const bool bounded = x.allFinite() && (matrix * x - b).norm() <= 1e-6 * b.norm();
  return bounded ? Verdict::Regular : Verdict::Singular;
}

// A block is singular only if it is so at every sample point where it can be evaluated.
bool is_singular(const TopJacobian& jacobian, const Block& block) {
  bool seen_singular = false;
  for (unsigned p = 0; p < sample_points; ++p) {
    const bool small = static_cast<int>(block.equations.size()) <= dense_limit;
    const Verdict verdict = small ? judge_dense(jacobian, block, p) : judge_sparse(jacobian, block, p);
    if (verdict == Verdict::Regular) return false;
    seen_singular = seen_singular || verdict == Verdict::Singular;
  }
  return seen_singular;
}

// The block and every block whose top derivatives it uses, directly or not.
void collect_cone(const TopJacobian& jacobian, const StructuralPlan& plan, const Block& block,
                  std::vector<int>& equations, std::vector<int>& variables) {
  std::vector<int> pending = block.equations;
  std::set<int> seen(pending.begin(), pending.end());
  while (!pending.empty() && seen.size() <= repair_limit) {
    const int i = pending.back();
    pending.pop_back();
    jacobian.for_row(i, [&](std::size_t k) {
      const int other = plan.equation_of_variable[static_cast<std::size_t>(jacobian.entry(k).variable)];
      if (seen.insert(other).second) pending.push_back(other);
    });
  }
  equations.assign(seen.begin(), seen.end());
  for (const int i : equations) variables.push_back(plan.variable_of_equation[static_cast<std::size_t>(i)]);
}

// uᵀJ = 0 over the cone's equations at one point: the sparsest vector of a kernel basis, largest entry 1;
// empty if there is none.
Eigen::VectorXd null_combination(const TopJacobian& jacobian, unsigned p, const std::vector<int>& equations,
                                 const std::vector<int>& variables) {
  const Eigen::MatrixXd matrix = jacobian.dense(p, equations, variables);
  if (!matrix.allFinite()) return {};
  Eigen::MatrixXd scaled = matrix.transpose();
  Eigen::VectorXd scale = Eigen::VectorXd::Ones(scaled.cols());
  for (long j = 0; j < scaled.cols(); ++j) {
    const double largest = scaled.col(j).cwiseAbs().maxCoeff();
    if (largest > 0) scale(j) = largest;
    scaled.col(j) /= scale(j);
  }
  Eigen::FullPivLU<Eigen::MatrixXd> lu(scaled);
  lu.setThreshold(rank_tolerance);
  if (lu.isInvertible()) return {};
  const Eigen::MatrixXd kernel = lu.kernel();
  Eigen::VectorXd best;
  long best_count = scaled.cols() + 1;
  for (long k = 0; k < kernel.cols(); ++k) {
    Eigen::VectorXd u = kernel.col(k).cwiseQuotient(scale);
    u /= u.cwiseAbs().maxCoeff();
    u = (u.array().abs() > rank_tolerance).select(u, 0.0);
    const long count = (u.array() != 0).count();
    if (count < best_count) {
      best = u;
      best_count = count;
    }
  }
  return best;
}

// The singular combination: the equations of its support and their factors (at the first usable point).
struct Combination {
  std::vector<int> equations;
  std::vector<double> factors;
  std::vector<int> variables;  // columns of the cone
  bool constant = true;        // the same factors at every sample point
  int r = -1;                  // the equation to replace: of smallest c in the support
};

double snapped(double value) {
  for (int denominator = 1; denominator <= 12; ++denominator) {
    const double rounded = std::round(value * denominator) / denominator;
    if (std::abs(value - rounded) < 1e-9) return rounded;
  }
  return value;
}

std::optional<Combination> find_combination(const TopJacobian& jacobian, const StructuralPlan& plan,
                                            const Block& block) {
  Combination result;
  std::vector<int> cone;
  collect_cone(jacobian, plan, block, cone, result.variables);
  if (cone.size() > repair_limit) return std::nullopt;
  Eigen::VectorXd first;
  for (unsigned p = 1; p < sample_points; ++p) {
    const Eigen::VectorXd u = null_combination(jacobian, p, cone, result.variables);
    if (u.size() == 0) continue;
    if (first.size() == 0) {
      first = u;
      continue;
    }
    // u is known up to its length: compare after fixing the first nonzero factor.
    long k = 0;
    while (first(k) == 0) ++k;
    const Eigen::VectorXd again = u(k) == 0 ? u : Eigen::VectorXd(u * (first(k) / u(k)));
    result.constant = result.constant && (again - first).cwiseAbs().maxCoeff() < 1e-8;
  }
  if (first.size() == 0) return std::nullopt;
  for (std::size_t k = 0; k < cone.size(); ++k) {
    if (first(static_cast<long>(k)) == 0) continue;
    const int i = cone[k];
    result.equations.push_back(i);
    result.factors.push_back(first(static_cast<long>(k)));
    if (result.r < 0 || plan.c[static_cast<std::size_t>(i)] < plan.c[static_cast<std::size_t>(result.r)])
      result.r = i;
  }
  return result;
}

NodeId differentiated(DaeSystem& system, int equation, int times) {
  TimeDerivative derivative(*system.graph);
  NodeId residual = system.equations[static_cast<std::size_t>(equation)].residual;
  for (int k = 0; k < times; ++k) residual = derivative(residual);
  return residual;
}

std::string combination_text(const DaeSystem& system, const StructuralPlan& plan,
                             const Combination& combination) {
  std::vector<std::string> terms;
  const int lowest = plan.c[static_cast<std::size_t>(combination.r)];
  for (std::size_t k = 0; k < combination.equations.size(); ++k) {
    const int i = combination.equations[k];
    const int times = plan.c[static_cast<std::size_t>(i)] - lowest;
    const std::string text = equation_text(system, system.equations[static_cast<std::size_t>(i)]);
    const std::string what = times == 0 ? text : fmt::format("derivative {} of {}", times, text);
    terms.push_back(combination.constant ? fmt::format("{:g} * [{}]", combination.factors[k], what)
                                         : fmt::format("[{}]", what));
  }
  return fmt::format("{}", fmt::join(terms, " + "));
}

// x_j^(d_j - c_r) for every variable that occurs in the cone: the leaves that cancel.
std::unordered_map<NodeId, NodeId> tops_to_constants(DaeSystem& system, const Incidence& incidence,
                                                     const StructuralPlan& plan,
                                                     const Combination& combination, double value) {
  std::unordered_map<NodeId, NodeId> replacement;
  const NodeId constant = system.graph->constant(value);
  for (const int j : combination.variables) {
    const int order = plan.d[static_cast<std::size_t>(j)] - plan.c[static_cast<std::size_t>(combination.r)];
    if (order < 0) continue;
    const VariableId v = incidence.unknowns[static_cast<std::size_t>(j)];
    replacement[system.graph->variable(v, order)] =
        order == 0 ? system.graph->constant(system.variables[v.at()].start) : constant;
  }
  return replacement;
}

// True when the expression does not depend on the leaves at the sample points.
bool independent_of(const DaeSystem& system, NodeId residual,
                    const std::unordered_map<NodeId, NodeId>& leaves) {
  std::vector<NodeId> values;
  double largest = 0;
  std::vector<NodeId> all;
  for (const Partial& partial : gradient(*system.graph, residual)) {
    all.push_back(partial.value);
    if (leaves.contains(partial.leaf)) values.push_back(partial.value);
  }
  for (unsigned p = 1; p < sample_points; ++p) {
    const SamplePoint point(system, shake, p);
    for (const double value : point.evaluate(all))
      largest = std::max(largest, std::isfinite(value) ? std::abs(value) : 0);
    for (const double value : point.evaluate(values)) {
      if (std::isfinite(value) && std::abs(value) > 1e-9 * std::max(largest, 1e-300)) return false;
    }
  }
  return true;
}

// Differentiations that the combination contains.
int embedded_in(const RaisedSystem& raised, const StructuralPlan& plan, const Combination& combination) {
  const int lowest = plan.c[static_cast<std::size_t>(combination.r)];
  int most = 0;
  for (const int i : combination.equations) {
    most = std::max(
        most, raised.embedded[static_cast<std::size_t>(i)] + plan.c[static_cast<std::size_t>(i)] - lowest);
  }
  return most;
}

// Linear combination with constant factors. False when it does not apply.
bool combine(RaisedSystem& raised, const Incidence& incidence, const StructuralPlan& plan,
             const Combination& combination) {
  if (!combination.constant) return false;
  DaeSystem& system = raised.system;
  ExprGraph& graph = *system.graph;
  const int lowest = plan.c[static_cast<std::size_t>(combination.r)];
  const auto own = static_cast<std::size_t>(std::ranges::find(combination.equations, combination.r) -
                                            combination.equations.begin());
  NodeId sum = graph.constant(0);
  for (std::size_t k = 0; k < combination.equations.size(); ++k) {
    const int i = combination.equations[k];
    const double factor = snapped(combination.factors[k] / combination.factors[own]);
    const NodeId term = differentiated(system, i, plan.c[static_cast<std::size_t>(i)] - lowest);
    sum = graph.add(sum, graph.mul(graph.constant(factor), term));
  }
  const auto replacement = tops_to_constants(system, incidence, plan, combination, 0);
  if (!independent_of(system, sum, replacement)) return false;
  system.equations[static_cast<std::size_t>(combination.r)].residual =
      substitute(graph, std::array{sum}, replacement).front();
  raised.embedded[static_cast<std::size_t>(combination.r)] = embedded_in(raised, plan, combination);
  return true;
}

// Columns S, |S| = |I|, with J[I, S] regular, by elimination with complete pivoting. Empty: none found.
std::vector<int> pivot_columns(const TopJacobian& jacobian, const std::vector<int>& rows,
                               const std::vector<int>& variables) {
  for (unsigned p = 1; p < sample_points; ++p) {
    const Eigen::MatrixXd matrix = jacobian.dense(p, rows, variables);
    if (!matrix.allFinite()) continue;
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(matrix);
    if (qr.rank() < static_cast<long>(rows.size())) continue;
    std::vector<int> columns;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      columns.push_back(
          variables[static_cast<std::size_t>(qr.colsPermutation().indices()(static_cast<long>(k)))]);
    }
    return columns;
  }
  return {};
}

// Substitution in implicit form (augmentation). False when it does not apply.
bool augment(RaisedSystem& raised, const Incidence& incidence, const StructuralPlan& plan,
             const TopJacobian& jacobian, const Combination& combination) {
  DaeSystem& system = raised.system;
  ExprGraph& graph = *system.graph;
  const int lowest = plan.c[static_cast<std::size_t>(combination.r)];
  std::vector<int> rows;
  for (const int i : combination.equations) {
    if (i != combination.r) rows.push_back(i);
  }
  const std::vector<int> columns = pivot_columns(jacobian, rows, combination.variables);
  if (columns.empty()) return false;
  auto replacement = tops_to_constants(system, incidence, plan, combination, 0);
  for (const int j : columns) {
    const VariableId v = incidence.unknowns[static_cast<std::size_t>(j)];
    const int order = plan.d[static_cast<std::size_t>(j)] - lowest;
    Variable added;
    added.name = fmt::format("${}", derivative_name(system.variables[v.at()].name, order));
    added.internal = true;
    added.start = order == 0 ? system.variables[v.at()].start : 0;
    if (order == 0) added.start_value = system.variables[v.at()].start_value;
    added.span = system.variables[v.at()].span;
    system.variables.push_back(added);
    raised.eliminated.push_back(false);
    replacement[graph.variable(v, order)] = graph.variable(VariableId(system.variables.size() - 1));
  }
  std::vector<Equation> copies;
  const int lowest_embedded = embedded_in(raised, plan, combination);
  for (const int i : rows) {
    raised.embedded.push_back(raised.embedded[static_cast<std::size_t>(i)] +
                              plan.c[static_cast<std::size_t>(i)] - lowest);
    const auto& original = system.equations[static_cast<std::size_t>(i)];
    const NodeId residual = differentiated(system, i, plan.c[static_cast<std::size_t>(i)] - lowest);
    copies.push_back({.residual = substitute(graph, std::array{residual}, replacement).front(),
                      .span = original.span,
                      .label = "highest derivatives replaced by auxiliary unknowns"});
  }
  Equation& replaced = system.equations[static_cast<std::size_t>(combination.r)];
  replaced.residual = substitute(graph, std::array{replaced.residual}, replacement).front();
  replaced.label = "highest derivatives substituted";
  raised.embedded[static_cast<std::size_t>(combination.r)] = lowest_embedded;
  system.equations.insert(system.equations.end(), copies.begin(), copies.end());
  return true;
}

}  // namespace

Result<std::optional<Repair>> repair_structure(RaisedSystem& raised, const Incidence& incidence,
                                               const StructuralPlan& plan) {
  const TopJacobian jacobian(raised, incidence, plan);
  for (const Block& block : plan.blocks) {
    if (!is_singular(jacobian, block)) continue;
    const auto combination = find_combination(jacobian, plan, block);
    if (!combination) {
      const Equation& equation = raised.system.equations[static_cast<std::size_t>(block.equations.front())];
      return fail(
          fmt::format("the {} equations of the block of {} are singular in their highest derivatives, and no "
                      "combination that shows why was found",
                      block.equations.size(), equation_text(raised.system, equation)),
          equation.span);
    }
    const std::string text = combination_text(raised.system, plan, *combination);
    const SourceSpan span = raised.system.equations[static_cast<std::size_t>(combination->r)].span;
    if (combine(raised, incidence, plan, *combination)) {
      return std::optional(Repair{
          .method = Repair::Method::LinearCombination,
          .text = fmt::format(
              "the highest derivatives cancel in {}; this combination replaces one of the equations", text)});
    }
    if (augment(raised, incidence, plan, jacobian, *combination)) {
      return std::optional(
          Repair{.method = Repair::Method::Substitution,
                 .text = fmt::format("the highest derivatives depend on each other in {}; one of the "
                                     "equations had them substituted from the others",
                                     text)});
    }
    return fail(
        fmt::format(
            "structural analysis is not enough for this model: in a combination of {} the highest "
            "derivatives cancel, so its index is higher than its structure shows; rewrite one of them "
            "with this combination",
            text),
        span);
  }
  return std::optional<Repair>{};
}

}  // namespace daedalus
