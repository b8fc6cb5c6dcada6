#include "simulate/sweep.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "expr/derivative.hpp"
#include "structure/blocks.hpp"
#include "structure/matching.hpp"

namespace daedalus {
namespace {

constexpr std::size_t largest_block = 250;
constexpr int newton_limit = 60;

// Which columns each row depends on, with the partial derivatives.
struct Rows {
  Signature signature;
  std::vector<std::vector<Partial>> partials;
};

// The rows of one block as functions of its unknowns.
class BlockFunction {
 public:
  BlockFunction(const SweepProblem& problem, const Rows& rows, const Block& block,
                const std::unordered_map<NodeId, int>& column_of, std::vector<double>& z)
      : problem_(problem), block_(block), column_of_(column_of), z_(z) {
    std::vector<NodeId> roots;
    for (const int r : block.equations) roots.push_back(problem.rows[static_cast<std::size_t>(r)]);
    std::unordered_map<int, int> place;
    for (std::size_t k = 0; k < block.variables.size(); ++k) place[block.variables[k]] = static_cast<int>(k);
    for (std::size_t r = 0; r < block.equations.size(); ++r) {
      for (const Partial& partial : rows.partials[static_cast<std::size_t>(block.equations[r])]) {
        const auto column = column_of.find(partial.leaf);
        if (column == column_of.end()) continue;
        const auto local = place.find(column->second);
        if (local == place.end()) continue;
        entries_.push_back({static_cast<long>(r), local->second, static_cast<long>(roots.size())});
        roots.push_back(partial.value);
      }
    }
    order_ = topological_order(*problem.graph, roots);
    for (std::size_t k = 0; k < order_.size(); ++k) index_[order_[k]] = k;
    for (const NodeId root : roots) roots_.push_back(index_.at(root));
    values_.resize(order_.size());
  }

  // Residuals and Jacobian at the block's unknowns in z. False when something is not finite.
  bool evaluate(Eigen::VectorXd& f, Eigen::MatrixXd& jacobian) {
    const auto n = static_cast<long>(block_.equations.size());
    const ExprGraph& graph = *problem_.graph;
    for (std::size_t k = 0; k < order_.size(); ++k) {
      const Node& node = graph.node(order_[k]);
      if (node.op == Op::Constant) {
        values_[k] = node.value;
      } else if (node.arity == 0) {
        const auto column = column_of_.find(order_[k]);
        values_[k] = column == column_of_.end() ? problem_.leaf(order_[k])
                                                : z_[static_cast<std::size_t>(column->second)];
      } else {
        std::array<double, 3> x{};
        for (std::size_t i = 0; i < node.arity; ++i) x[i] = values_[index_.at(NodeId(node.args[i]))];
        values_[k] = info(node.op).evaluate(x[0], x[1], x[2]);
      }
    }
    f.resize(n);
    for (long r = 0; r < n; ++r) f(r) = values_[roots_[static_cast<std::size_t>(r)]];
    jacobian = Eigen::MatrixXd::Zero(n, n);
    for (const Entry& e : entries_)
      jacobian(e.row, e.column) += values_[roots_[static_cast<std::size_t>(e.root)]];
    return f.allFinite() && jacobian.allFinite();
  }

 private:
  struct Entry {
    long row;
    long column;
    long root;
  };
  const SweepProblem& problem_;
  const Block& block_;
  const std::unordered_map<NodeId, int>& column_of_;
  std::vector<double>& z_;
  std::vector<Entry> entries_;
  std::vector<NodeId> order_;
  std::unordered_map<NodeId, std::size_t> index_;
  std::vector<std::size_t> roots_;
  std::vector<double> values_;
};

class BlockNewton {
 public:
  BlockNewton(const SweepProblem& problem, const Block& block, BlockFunction& function,
              std::vector<double>& z)
      : problem_(problem), block_(block), function_(function), z_(z) {}

  bool solve() {
    const Eigen::VectorXd start = read();
    for (const double shift : {0.0, 1e-3, 1.0, -1e-3, -1.0}) {
      Eigen::VectorXd x = start;
      for (long k = 0; k < x.size(); ++k) x(k) += shift * scale(k);
      if (newton(x)) return true;
    }
    write(start);
    return false;
  }

 private:
  [[nodiscard]] double scale(long k) const {
    return problem_.scale[static_cast<std::size_t>(block_.variables[static_cast<std::size_t>(k)])];
  }
  Eigen::VectorXd read() const {
    Eigen::VectorXd x(static_cast<long>(block_.variables.size()));
    for (long k = 0; k < x.size(); ++k)
      x(k) = z_[static_cast<std::size_t>(block_.variables[static_cast<std::size_t>(k)])];
    return x;
  }
  void write(const Eigen::VectorXd& x) {
    for (long k = 0; k < x.size(); ++k)
      z_[static_cast<std::size_t>(block_.variables[static_cast<std::size_t>(k)])] = x(k);
  }
  [[nodiscard]] double size(const Eigen::VectorXd& dx, const Eigen::VectorXd& x) const {
    double largest = 0;
    for (long k = 0; k < dx.size(); ++k)
      largest = std::max(largest, std::abs(dx(k)) / (std::abs(x(k)) + scale(k)));
    return largest;
  }

  // Damped Newton with the natural monotonicity test (as in nearest_point, for a square block).
  bool newton(Eigen::VectorXd x) {
    Eigen::VectorXd f;
    Eigen::VectorXd trial_f;
    Eigen::MatrixXd jacobian;
    Eigen::MatrixXd trial_jacobian;
    write(x);
    if (!function_.evaluate(f, jacobian)) return false;
    double lambda = 1;
    for (int iteration = 0; iteration < newton_limit; ++iteration) {
      const Eigen::FullPivLU<Eigen::MatrixXd> lu(scaled(jacobian));
      if (!lu.isInvertible()) return false;
      const Eigen::VectorXd dx = unscaled(lu.solve(-row_scale_.cwiseProduct(f)));
      const double step = size(dx, x);
      if (!std::isfinite(step)) return false;
      lambda = std::min(1.0, 4 * lambda);
      bool accepted = false;
      for (; lambda > 1e-8 && !accepted; lambda *= 0.5) {
        const Eigen::VectorXd trial = x + (lambda * dx);
        write(trial);
        if (!function_.evaluate(trial_f, trial_jacobian)) continue;
        const Eigen::VectorXd simplified = unscaled(lu.solve(-row_scale_.cwiseProduct(trial_f)));
        if (step < 1e-9 || size(simplified, x) <= (1 - (lambda / 4)) * step) {
          x = trial;
          accepted = true;
          break;
        }
      }
      if (!accepted) return step < 1e-7;
      f = trial_f;
      jacobian = trial_jacobian;
      if (lambda == 1 && step < 1e-9) return true;
    }
    return false;
  }

  // Rows and columns scaled, so that invertibility means the same in all units.
  Eigen::MatrixXd scaled(Eigen::MatrixXd m) {
    column_scale_ = Eigen::VectorXd::Ones(m.cols());
    row_scale_ = Eigen::VectorXd::Ones(m.rows());
    for (int pass = 0; pass < 2; ++pass) {
      for (long j = 0; j < m.cols(); ++j) {
        const double largest = m.col(j).cwiseAbs().maxCoeff();
        if (largest > 0) {
          m.col(j) /= largest;
          column_scale_(j) /= largest;
        }
      }
      for (long i = 0; i < m.rows(); ++i) {
        const double largest = m.row(i).cwiseAbs().maxCoeff();
        if (largest > 0) {
          m.row(i) /= largest;
          row_scale_(i) /= largest;
        }
      }
    }
    return m;
  }
  Eigen::VectorXd unscaled(const Eigen::VectorXd& dx) const { return column_scale_.cwiseProduct(dx); }

  const SweepProblem& problem_;
  const Block& block_;
  BlockFunction& function_;
  std::vector<double>& z_;
  Eigen::VectorXd column_scale_, row_scale_;
};

Rows analyse_rows(const SweepProblem& problem, const std::unordered_map<NodeId, int>& column_of) {
  Rows rows;
  rows.signature.variables = static_cast<int>(problem.columns.size());
  for (const NodeId row : problem.rows) {
    rows.partials.push_back(gradient(*problem.graph, row, true));
    std::vector<SignatureEntry> entries;
    for (const Partial& partial : rows.partials.back()) {
      const auto column = column_of.find(partial.leaf);
      if (column == column_of.end() ||
          problem.willing[static_cast<std::size_t>(column->second)] == Willingness::Held)
        continue;
      entries.push_back({.variable = column->second, .order = 0});
    }
    rows.signature.add_row(entries);
  }
  return rows;
}

// Rows are matched with the most willing columns first; a column once matched stays so.
Matching match_by_willingness(const SweepProblem& problem, const Signature& signature) {
  const std::vector<int> c(problem.rows.size(), 0);
  std::vector<int> d(problem.columns.size(), 1);  // 1: the column's entries are not tight, so not in play
  Matching matching(signature);
  std::vector<int> free(problem.rows.size());
  std::iota(free.begin(), free.end(), 0);
  for (const Willingness stage : {Willingness::Free, Willingness::Default, Willingness::Given}) {
    for (std::size_t j = 0; j < d.size(); ++j) {
      if (problem.willing[j] == stage) d[j] = 0;
    }
    MatchingSearch search(TightGraph{.signature = signature, .c = c, .d = d});
    search.augment(matching, free);
  }
  return matching;
}

// The matched rows and columns alone, numbered anew.
struct SquarePart {
  Signature signature;
  Matching matching;
  std::vector<int> rows;
  std::vector<int> columns;
};

SquarePart square_part(const Signature& signature, const Matching& matching) {
  SquarePart part;
  std::vector<int> new_column(static_cast<std::size_t>(signature.variables), -1);
  for (int r = 0; r < signature.equations(); ++r) {
    if (!matching.has_variable(r)) continue;
    const int column = matching.variable_of_equation[static_cast<std::size_t>(r)];
    new_column[static_cast<std::size_t>(column)] = static_cast<int>(part.columns.size());
    part.rows.push_back(r);
    part.columns.push_back(column);
  }
  part.signature.variables = static_cast<int>(part.columns.size());
  for (const int r : part.rows) {
    std::vector<SignatureEntry> entries;
    for (const SignatureEntry& e : signature.row(r)) {
      if (new_column[static_cast<std::size_t>(e.variable)] >= 0)
        entries.push_back({.variable = new_column[static_cast<std::size_t>(e.variable)], .order = 0});
    }
    part.signature.add_row(entries);
  }
  part.matching = Matching(part.signature);
  for (std::size_t k = 0; k < part.rows.size(); ++k)
    part.matching.match(static_cast<int>(k), static_cast<int>(k));
  return part;
}

}  // namespace

SweepResult sweep(const SweepProblem& problem, std::span<const double> guess) {
  SweepResult result;
  result.z.assign(guess.begin(), guess.end());
  std::unordered_map<NodeId, int> column_of;
  for (std::size_t j = 0; j < problem.columns.size(); ++j)
    column_of[problem.columns[j]] = static_cast<int>(j);
  const Rows rows = analyse_rows(problem, column_of);
  const Matching matching = match_by_willingness(problem, rows.signature);
  const SquarePart part = square_part(rows.signature, matching);
  result.unmatched_rows = static_cast<int>(problem.rows.size() - part.rows.size());
  result.solved_for.assign(problem.columns.size(), false);
  for (const int j : part.columns) result.solved_for[static_cast<std::size_t>(j)] = true;
  const std::vector<int> zeros(part.rows.size(), 0);
  const auto form =
      block_triangular_form(TightGraph{.signature = part.signature, .c = zeros, .d = zeros}, part.matching);
  for (const Block& local : form.blocks) {
    ++result.blocks;
    Block block;
    for (const int r : local.equations) block.equations.push_back(part.rows[static_cast<std::size_t>(r)]);
    for (const int j : local.variables) block.variables.push_back(part.columns[static_cast<std::size_t>(j)]);
    bool solved = false;
    if (block.equations.size() <= largest_block) {
      BlockFunction function(problem, rows, block, column_of, result.z);
      solved = BlockNewton(problem, block, function, result.z).solve();
    }
    if (!solved) ++result.unsolved_blocks;
  }
  return result;
}

}  // namespace daedalus
