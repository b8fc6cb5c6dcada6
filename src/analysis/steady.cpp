// F(x) = 0, the equations as the model has them with all derivatives zero. Newton steps of least norm, so
// that redundant constraints and directions in which the model rests anywhere do no harm, damped by the
// natural monotonicity test. Where that does not converge from the start x⁰, continuation along H(x, s) =
// F(x) - (1 - s) F(x⁰) = 0, which x⁰ fulfils at s = 0 (Deuflhard, Newton Methods for Nonlinear Problems,
// 2004, §5.1).
#include "analysis/steady.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "numerics/newton.hpp"

namespace daedalus {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Everything is dense.
constexpr int most_unknowns = 3000;
// Of a Newton step relative to x and its nominal values: rounding.
constexpr double step_tolerance = 1e-13;
// After a step this small the next one is below rounding, as the iteration converges quadratically.
constexpr double last_step = 1e-7;
// Of the residual relative to the derivatives' size: what a least-squares solution may leave is no
// equilibrium.
constexpr double residual_tolerance = 1e-9;
constexpr double rank_tolerance = 1e-10;
constexpr double smallest_part = 1e-6;  // of the continuation, below which it has failed
constexpr int most_switches = 20;       // of relations on the way to an equilibrium
constexpr int most_attempts = 20;       // from points around the start
constexpr double largest_move = 0.5;    // of them, in parts of an unknown's size
// Signals that measure constraints that are left out begin with this (constraints/independent.cpp).
constexpr std::string_view redundant_mark = "redundant ";
constexpr double free_part = 1e-3;  // of a free direction that names an unknown

class SteadySearch {
 public:
  SteadySearch(const CompiledModel& model, std::vector<double>& environment)
      : model_(model), environment_(environment) {
    const LevelSystem& levels = model.levels();
    const auto first = static_cast<std::size_t>(model.layout().levels);
    for (std::size_t l = 0; l < levels.levels.size(); ++l) {
      if (levels.levels[l].order == 0) {
        columns_.push_back(static_cast<int>(l));
      } else {
        environment_[first + l] = 0;
      }
    }
    for (std::size_t e = 0; e < levels.equations.size(); ++e) {
      if (levels.equations[e].level == 0) rows_.push_back(static_cast<int>(e));
    }
    const auto n = static_cast<Eigen::Index>(columns_.size());
    x_.resize(n);
    size_.resize(n);
    for (Eigen::Index c = 0; c < n; ++c) {
      const int level = columns_[static_cast<std::size_t>(c)];
      x_(c) = environment_[first + static_cast<std::size_t>(level)];
      size_(c) =
          levels.system().variables[levels.levels[static_cast<std::size_t>(level)].variable.at()].nominal;
    }
    target_ = VectorXd::Zero(static_cast<Eigen::Index>(rows_.size()));
  }

  // NewtonProblem
  bool linearise() {
    put(x_);
    const SparseJacobianProgram& program = model_.jacobian();
    values_.resize(program.row.size());
    program.evaluate(environment_, values_, workspace_);
    std::vector<int> row_of(static_cast<std::size_t>(model_.equation_count()), -1);
    for (std::size_t r = 0; r < rows_.size(); ++r)
      row_of[static_cast<std::size_t>(rows_[r])] = static_cast<int>(r);
    MatrixXd jacobian = MatrixXd::Zero(target_.size(), x_.size());
    for (Eigen::Index c = 0; c < x_.size(); ++c) {
      const auto level = static_cast<std::size_t>(columns_[static_cast<std::size_t>(c)]);
      for (int e = program.column_start[level]; e < program.column_start[level + 1]; ++e) {
        const int r = row_of[static_cast<std::size_t>(program.row[static_cast<std::size_t>(e)])];
        if (r >= 0) jacobian(r, c) = values_[static_cast<std::size_t>(e)] * size_(c);
      }
    }
    if (!jacobian.allFinite()) return false;
    row_size_ =
        jacobian.rowwise().lpNorm<Eigen::Infinity>().unaryExpr([](double v) { return v > 0 ? v : 1; });
    factors_.setThreshold(rank_tolerance);
    factors_.compute(row_size_.cwiseInverse().asDiagonal() * jacobian);
    residual_ = residual_at(x_);
    return residual_.allFinite();
  }
  double step() {
    step_ = -factors_.solve(VectorXd(residual_.cwiseQuotient(row_size_)));
    return norm(step_);
  }
  [[nodiscard]] static NewtonStep judge(double size) {
    if (size < step_tolerance) return NewtonStep::None;
    return size < last_step ? NewtonStep::Last : NewtonStep::Tested;
  }
  bool evaluate(double lambda) {
    trial_ = x_ + lambda * size_.cwiseProduct(step_);
    trial_residual_ = residual_at(trial_);
    return trial_residual_.allFinite();
  }
  bool descends(double lambda, double size) {
    const VectorXd simplified = -factors_.solve(VectorXd(trial_residual_.cwiseQuotient(row_size_)));
    return naturally_monotone(norm(simplified), size, lambda);
  }
  void accept() { x_ = trial_; }

  // From the present x to F = 0; false: neither Newton nor continuation gets there, nor from points around
  // it. A mechanism may be where no small motion answers a force, as a pendulum that is held level.
  bool solve(SteadyState& out) {
    const VectorXd start = x_;
    if (reach(out)) return true;
    std::mt19937 random;  // the same numbers in every run
    std::uniform_real_distribution<double> part(-1, 1);
    for (int attempt = 1; attempt <= most_attempts; ++attempt) {
      const double amplitude = largest_move * attempt / most_attempts;
      for (Eigen::Index c = 0; c < start.size(); ++c)
        x_(c) = start(c) + (amplitude * part(random) * std::max(size_(c), std::abs(start(c))));
      if (reach(out)) {
        out.moved = true;
        return true;
      }
    }
    x_ = start;
    (void)linearise();
    return false;
  }

  // Relations as they are at x. False: none has changed.
  bool switch_relations() {
    put(x_);
    std::vector<double> differences(model_.dae().relations.size());
    model_.relations.evaluate(environment_, differences, workspace_);
    bool changed = false;
    for (std::size_t k = 0; k < differences.size(); ++k) {
      const bool strict = model_.dae().relations[k].strict;
      const double truth = (strict ? differences[k] > 0 : differences[k] >= 0) ? 1 : 0;
      double& slot = environment_[static_cast<std::size_t>(model_.layout().relations) + k];
      changed = changed || slot != truth;
      slot = truth;
    }
    return changed;
  }

  void finish(SteadyState& out) {
    put(x_);
    out.residual = relative_residual();
    const Eigen::Index null = x_.size() - factors_.rank();
    out.free_directions = static_cast<int>(null);
    if (null == 0) return;
    MatrixXd basis = MatrixXd::Zero(x_.size(), null);
    basis.bottomRows(null).setIdentity();
    basis.applyOnTheLeft(factors_.matrixZ().adjoint());
    basis = factors_.colsPermutation() * basis;
    for (Eigen::Index c = 0; c < x_.size(); ++c) {
      if (basis.row(c).lpNorm<Eigen::Infinity>() > free_part)
        out.free_names.push_back(model_.levels().level_name(columns_[static_cast<std::size_t>(c)]));
    }
  }

  // The equation that is fulfilled least.
  [[nodiscard]] std::string worst_equation() {
    const VectorXd residual = residual_at(x_).cwiseQuotient(row_size_);
    Eigen::Index worst = 0;
    if (residual.size() == 0) return "";
    for (Eigen::Index r = 0; r < residual.size(); ++r) {
      if (!(std::abs(residual(r)) <= std::abs(residual(worst)))) worst = r;
    }
    const auto row = static_cast<std::size_t>(rows_[static_cast<std::size_t>(worst)]);
    return model_.levels().equation_name(model_.levels().equations[row]);
  }

 private:
  bool reach(SteadyState& out) {
    const VectorXd start = x_;
    if (newton(out) && fulfilled()) return true;
    x_ = start;
    const VectorXd at_start = residual_at(start);
    if (!at_start.allFinite()) return false;
    double s = 0;
    double part = 0.1;
    while (s < 1) {
      const VectorXd before = x_;
      const double next = std::min(1.0, s + part);
      target_ = (1 - next) * at_start;
      if (newton(out) && fulfilled()) {
        s = next;
        part *= 2;
        ++out.continuation_steps;
      } else {
        x_ = before;
        part /= 2;
        if (part < smallest_part) break;
      }
    }
    target_.setZero();
    return s >= 1;
  }

  void put(const VectorXd& x) {
    const auto first = static_cast<std::size_t>(model_.layout().levels);
    for (Eigen::Index c = 0; c < x.size(); ++c)
      environment_[first + static_cast<std::size_t>(columns_[static_cast<std::size_t>(c)])] = x(c);
  }
  VectorXd residual_at(const VectorXd& x) {
    put(x);
    all_residuals_.resize(static_cast<std::size_t>(model_.equation_count()));
    model_.residuals.evaluate(environment_, all_residuals_, workspace_);
    VectorXd residual(target_.size());
    for (Eigen::Index r = 0; r < residual.size(); ++r)
      residual(r) = all_residuals_[static_cast<std::size_t>(rows_[static_cast<std::size_t>(r)])] - target_(r);
    return residual;
  }
  // Relative to x where that is larger than its nominal value.
  [[nodiscard]] double norm(const VectorXd& step) const {
    double largest = 0;
    for (Eigen::Index c = 0; c < step.size(); ++c)
      largest = std::max(largest, std::abs(step(c)) / std::max(1.0, std::abs(x_(c)) / size_(c)));
    return step.allFinite() ? largest : std::numeric_limits<double>::infinity();
  }
  bool newton(SteadyState& out) {
    const DampedOutcome outcome = damped_newton(*this, {});
    out.iterations += outcome.iterations;
    return outcome.status == DampedStatus::Converged;
  }
  double relative_residual() {
    if (!linearise()) return std::numeric_limits<double>::infinity();
    double largest = 0;
    for (Eigen::Index r = 0; r < residual_.size(); ++r) {
      const double scale = row_size_(r) * std::max(1.0, x_.cwiseQuotient(size_).lpNorm<Eigen::Infinity>());
      largest = std::max(largest, std::abs(residual_(r)) / scale);
    }
    return largest;
  }
  bool fulfilled() { return relative_residual() < residual_tolerance; }

  const CompiledModel& model_;
  std::vector<double>& environment_;
  std::vector<int> columns_, rows_;  // levels of order 0, equations as they are
  VectorXd x_, size_, step_, trial_, residual_, trial_residual_, row_size_, target_;
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> factors_;
  std::vector<double> values_, workspace_, all_residuals_;
};

}  // namespace

SteadyState find_steady_state(const Engine& engine, Simulation& simulation) {
  SteadyState out;
  const CompiledModel& model = engine.model();
  out.t = simulation.time();
  if (model.level_count() > most_unknowns) {
    out.reason =
        fmt::format("the model has {} unknowns and derivatives; an equilibrium is looked for up to {}",
                    model.level_count(), most_unknowns);
    return out;
  }
  out.environment = simulation.environment();
  SteadySearch search(model, out.environment);
  for (int round = 0; round < most_switches; ++round) {
    if (!search.solve(out)) {
      out.reason =
          fmt::format("no equilibrium was found from these start values; furthest from being fulfilled is {}",
                      search.worst_equation());
      return out;
    }
    out.found = !search.switch_relations();
    if (out.found) break;
  }
  if (!out.found) {
    out.reason =
        "no equilibrium was found: wherever the equations are fulfilled, a condition of the model switches";
    return out;
  }
  search.finish(out);
  std::vector<double> workspace;
  std::vector<double> values(model.output_signals.size());
  model.outputs.evaluate(out.environment, values, workspace);
  for (std::size_t k = 0; k < model.output_signals.size(); ++k) {
    const std::string& name = model.output_signals[k].name;
    if (engine.plan().independent != nullptr && name.starts_with(redundant_mark)) continue;
    out.names.push_back(name);
    out.values.push_back(values[k]);
  }
  return out;
}

}  // namespace daedalus
