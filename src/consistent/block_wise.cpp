#include "consistent/block_wise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>

#include "consistent/tolerances.hpp"
#include "expr/derivative.hpp"
#include "expr/node_map.hpp"
#include "expr/traverse.hpp"
#include "numerics/dense_algebra.hpp"
#include "numerics/newton.hpp"
#include "structure/blocks.hpp"
#include "structure/matching.hpp"

namespace daedalus {
namespace {

// Which columns each row depends on, with the partial derivatives.
struct Rows {
  Signature signature;
  std::vector<std::size_t> start{0};  // of each row in partials
  std::vector<Partial> partials;

  [[nodiscard]] std::span<const Partial> row(int r) const {
    const auto k = static_cast<std::size_t>(r);
    return std::span(partials).subspan(start[k], start[k + 1] - start[k]);
  }
};

// The rows of one block as functions of its unknowns. One object serves all blocks in turn, so that its
// space is reused: there may be a hundred thousand blocks of one equation each.
class BlockFunction {
 public:
  BlockFunction(const BlockWiseProblem& problem, const Rows& rows, const NodeMap<int>& column_of,
                std::vector<double>& z)
      : problem_(problem), rows_(rows), column_of_(column_of), z_(z), place_(problem.columns.size(), -1) {}

  void set(const Block& block) {
    size_ = static_cast<long>(block.equations.size());
    collect_roots(block);
    traversal_.run(*problem_.graph, roots_);
    steps_.clear();
    for (const NodeId id : traversal_.order()) steps_.push_back(step(id));
    outputs_.clear();
    for (const NodeId root : roots_) outputs_.push_back(traversal_.position(root));
    values_.resize(steps_.size());
  }

  // Residuals and Jacobian at the block's unknowns in z. False when something is not finite.
  bool evaluate(Eigen::VectorXd& f, Eigen::MatrixXd& jacobian) {
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      const Step& s = steps_[k];
      if (s.evaluate != nullptr) {
        values_[k] = s.evaluate(values_[s.args[0]], values_[s.args[1]], values_[s.args[2]]);
      } else {
        values_[k] = s.column >= 0 ? z_[static_cast<std::size_t>(s.column)] : s.value;
      }
    }
    f.resize(size_);
    for (long r = 0; r < size_; ++r) f(r) = values_[outputs_[static_cast<std::size_t>(r)]];
    jacobian = Eigen::MatrixXd::Zero(size_, size_);
    for (const Entry& e : entries_) jacobian(e.row, e.column) += values_[outputs_[e.root]];
    return f.allFinite() && jacobian.allFinite();
  }

 private:
  struct Entry {
    long row;
    long column;
    std::size_t root;
  };
  // An operation on earlier values, an unknown, or a value that stays.
  struct Step {
    double (*evaluate)(double, double, double) = nullptr;
    std::array<std::size_t, 3> args{};
    int column = -1;
    double value = 0;
  };

  // Residuals first, then those of their partial derivatives that belong to unknowns of the block.
  void collect_roots(const Block& block) {
    roots_.clear();
    entries_.clear();
    for (const int r : block.equations) roots_.push_back(problem_.rows[static_cast<std::size_t>(r)]);
    for (std::size_t k = 0; k < block.variables.size(); ++k)
      place_[static_cast<std::size_t>(block.variables[k])] = static_cast<int>(k);
    for (std::size_t r = 0; r < block.equations.size(); ++r) {
      for (const Partial& partial : rows_.row(block.equations[r])) {
        const int* column = column_of_.find(partial.leaf);
        const int local = column == nullptr ? -1 : place_[static_cast<std::size_t>(*column)];
        if (local < 0) continue;
        entries_.push_back({static_cast<long>(r), local, roots_.size()});
        roots_.push_back(partial.value);
      }
    }
    for (const int j : block.variables) place_[static_cast<std::size_t>(j)] = -1;
  }

  [[nodiscard]] Step step(NodeId id) const {
    const Node& node = problem_.graph->node(id);
    Step made;
    if (node.op == Op::Constant) {
      made.value = node.value;
    } else if (node.arity > 0) {
      made.evaluate = info(node.op).evaluate;
      for (std::size_t i = 0; i < node.arity; ++i) made.args[i] = traversal_.position(NodeId(node.args[i]));
    } else if (const int* column = column_of_.find(id); column != nullptr) {
      made.column = *column;
    } else {
      made.value = problem_.leaf(id);
    }
    return made;
  }

  const BlockWiseProblem& problem_;
  const Rows& rows_;
  const NodeMap<int>& column_of_;
  std::vector<double>& z_;
  std::vector<int> place_;  // by column: its number in the block, -1 between blocks
  long size_ = 0;
  Traversal traversal_;
  std::vector<NodeId> roots_;
  std::vector<Entry> entries_;
  std::vector<Step> steps_;
  std::vector<std::size_t> outputs_;
  std::vector<double> values_;
};

class BlockNewton {
 public:
  BlockNewton(const BlockWiseProblem& problem, const Block& block, BlockFunction& function,
              std::vector<double>& z)
      : problem_(problem), block_(block), function_(function), z_(z) {}

  // From the values that the unknowns have. They keep them where there is no convergence.
  bool solve_here() {
    const Eigen::VectorXd start = read();
    const bool solved = newton(start);
    write(solved ? x_ : start);
    return solved;
  }

  bool solve() {
    const Eigen::VectorXd start = read();
    if (solve_here()) return true;
    for (const double shift : consistent::elsewhere) {
      Eigen::VectorXd x = start;
      for (long k = 0; k < x.size(); ++k) x(k) += shift * scale(k);
      if (newton(x)) {
        write(x_);
        return true;
      }
    }
    write(start);
    return false;
  }

  bool linearise() {
    lu_ = std::make_unique<RankRevealingLu>(scaled(jacobian_));
    return lu_->invertible();
  }
  double step() {
    dx_ = unscaled(lu_->solve(-row_scale_.cwiseProduct(f_)));
    return size(dx_, x_);
  }
  [[nodiscard]] static NewtonStep judge(double size) {
    return size < consistent::block_last_step ? NewtonStep::Last : NewtonStep::Tested;
  }
  bool evaluate(double lambda) {
    trial_ = x_ + (lambda * dx_);
    write(trial_);
    return function_.evaluate(trial_f_, trial_jacobian_);
  }
  bool descends(double lambda, double step) {
    return naturally_monotone(size(unscaled(lu_->solve(-row_scale_.cwiseProduct(trial_f_))), x_), step,
                              lambda);
  }
  void accept() {
    x_.swap(trial_);
    f_.swap(trial_f_);
    jacobian_.swap(trial_jacobian_);
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

  bool newton(Eigen::VectorXd x) {
    x_ = std::move(x);
    write(x_);
    if (!function_.evaluate(f_, jacobian_)) return false;
    const DampedOutcome outcome = damped_newton(*this, consistent::block_newton);
    return outcome.status == DampedStatus::Converged ||
           (outcome.status == DampedStatus::NoDescent && outcome.last_size < consistent::block_stagnation);
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

  const BlockWiseProblem& problem_;
  const Block& block_;
  BlockFunction& function_;
  std::vector<double>& z_;
  Eigen::VectorXd x_, dx_, trial_, f_, trial_f_;
  Eigen::MatrixXd jacobian_, trial_jacobian_;
  std::unique_ptr<RankRevealingLu> lu_;
  Eigen::VectorXd column_scale_, row_scale_;
};

// Within a block, guesses are carried on along equations in which one unknown is left of which nobody said
// anything: of a distance vector with a guess the length follows, and the direction, which has no value at
// length 0. The rows that are left over are what Newton is for.
class GuessesCarriedOn {
 public:
  GuessesCarriedOn(const BlockWiseProblem& problem, const Rows& rows, const NodeMap<int>& column_of,
                   BlockFunction& function, std::vector<double>& z)
      : problem_(problem), rows_(rows), column_of_(column_of), function_(function), z_(z) {}

  // Whether some unknown of the block has another value now.
  bool run(const Block& block) {
    open_.clear();
    std::vector<int> zeros;
    for (const int j : block.variables) {
      const Willingness willing = problem_.willing[static_cast<std::size_t>(j)];
      const bool nobody = willing == Willingness::Free || willing == Willingness::Default;
      const bool zero = z_[static_cast<std::size_t>(j)] == 0;
      if (nobody || zero) open_.insert(j);
      if (!nobody && zero) zeros.push_back(j);
    }
    if (open_.size() == block.variables.size()) return false;
    left_ = block.equations;
    const bool assigned = follow();
    // A start value of 0 is what components have by default: it says something only where nothing follows.
    for (const int j : zeros) open_.erase(j);
    return follow() || assigned;
  }

 private:
  static constexpr int none = -1;     // of the open unknowns of a row
  static constexpr int several = -2;  // more than one is open

  bool follow() {
    bool assigned = false;
    bool again = true;
    while (again) {
      again = false;
      std::erase_if(left_, [&](int r) {
        const int column = only_open(r);
        if (column == several) return false;
        if (column == none || !assign(r, column)) return true;
        open_.erase(column);
        assigned = again = true;
        return true;
      });
    }
    return assigned;
  }

  [[nodiscard]] int only_open(int row) const {
    int found = none;
    for (const Partial& partial : rows_.row(row)) {
      const int* column = column_of_.find(partial.leaf);
      if (column == nullptr || !open_.contains(*column)) continue;
      if (found != none) return several;
      found = *column;
    }
    return found;
  }
  bool assign(int row, int column) {
    const Block one{.equations = {row}, .variables = {column}};
    function_.set(one);
    return BlockNewton(problem_, one, function_, z_).solve_here();
  }

  const BlockWiseProblem& problem_;
  const Rows& rows_;
  const NodeMap<int>& column_of_;
  BlockFunction& function_;
  std::vector<double>& z_;
  std::vector<int> left_;  // equations of the block from which nothing has followed yet
  std::set<int> open_;     // unknowns of the block without a value that anybody gave or that followed
};

// Newton from where the guesses lead, and from the plain start values if that is nowhere.
bool solve_block(const BlockWiseProblem& problem, const Block& block, BlockFunction& function,
                 GuessesCarriedOn& guesses, std::vector<double>& z) {
  std::vector<double> start;
  for (const int j : block.variables) start.push_back(z[static_cast<std::size_t>(j)]);
  const bool carried = block.variables.size() > 1 && guesses.run(block);
  function.set(block);
  if (carried) {
    if (BlockNewton(problem, block, function, z).solve_here()) return true;
    for (std::size_t k = 0; k < start.size(); ++k) z[static_cast<std::size_t>(block.variables[k])] = start[k];
  }
  return BlockNewton(problem, block, function, z).solve();
}

Rows analyse_rows(const BlockWiseProblem& problem, const NodeMap<int>& column_of) {
  Rows rows;
  rows.signature.variables = static_cast<int>(problem.columns.size());
  Gradient gradient(*problem.graph, [&](NodeId leaf) { return column_of.find(leaf) != nullptr; });
  std::vector<SignatureEntry> entries;
  for (const NodeId row : problem.rows) {
    entries.clear();
    for (const Partial& partial : gradient(row)) {
      rows.partials.push_back(partial);
      const int column = *column_of.find(partial.leaf);
      if (problem.willing[static_cast<std::size_t>(column)] != Willingness::Held)
        entries.push_back({.variable = column, .order = 0});
    }
    rows.start.push_back(rows.partials.size());
    rows.signature.add_row(entries);
  }
  return rows;
}

// Rows are matched with the most willing columns first; a column once matched stays so.
Matching match_by_willingness(const BlockWiseProblem& problem, const Signature& signature) {
  const std::vector<int> c(problem.rows.size(), 0);
  std::vector<int> d(problem.columns.size(), 1);  // 1: the column's entries are not tight, so not in play
  Matching matching(signature);
  std::vector<int> free(problem.rows.size());
  std::iota(free.begin(), free.end(), 0);
  for (const Willingness stage :
       {Willingness::Free, Willingness::Default, Willingness::Guess, Willingness::Given}) {
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

BlockWiseResult solve_block_wise(const BlockWiseProblem& problem, std::span<const double> guess) {
  BlockWiseResult result;
  result.z.assign(guess.begin(), guess.end());
  NodeMap<int> column_of;
  for (std::size_t j = 0; j < problem.columns.size(); ++j)
    column_of.try_emplace(problem.columns[j], static_cast<int>(j));
  const Rows rows = analyse_rows(problem, column_of);
  const Matching matching = match_by_willingness(problem, rows.signature);
  const SquarePart part = square_part(rows.signature, matching);
  result.unmatched_rows = static_cast<int>(problem.rows.size() - part.rows.size());
  result.solved_for.assign(problem.columns.size(), false);
  for (const int j : part.columns) result.solved_for[static_cast<std::size_t>(j)] = true;
  const std::vector<int> zeros(part.rows.size(), 0);
  const auto form =
      block_triangular_form(TightGraph{.signature = part.signature, .c = zeros, .d = zeros}, part.matching);
  BlockFunction function(problem, rows, column_of, result.z);
  GuessesCarriedOn guesses(problem, rows, column_of, function, result.z);
  Block block;
  for (const Block& local : form.blocks) {
    ++result.blocks;
    block.equations.clear();
    block.variables.clear();
    for (const int r : local.equations) block.equations.push_back(part.rows[static_cast<std::size_t>(r)]);
    for (const int j : local.variables) block.variables.push_back(part.columns[static_cast<std::size_t>(j)]);
    bool solved = false;
    if (block.equations.size() <= consistent::largest_block)
      solved = solve_block(problem, block, function, guesses, result.z);
    if (!solved) ++result.unsolved_blocks;
  }
  return result;
}

}  // namespace daedalus
