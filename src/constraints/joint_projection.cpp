#include "constraints/joint_projection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "expr/derivative.hpp"
#include "numerics/dense_algebra.hpp"
#include "numerics/newton.hpp"
#include "numerics/rank_policy.hpp"

namespace daedalus {
namespace {

// As in constraint_projector.cpp.
constexpr int iteration_limit = 20;
constexpr int least_norm_limit = 8;
// Relative to the levels: where Newton's steps have come to rounding.
constexpr double last_step = 1e-10;

// What a name stands for, in leaves that remain.
std::optional<NodeId> meaning(const ConstrainedForm& form, const std::string& name) {
  const DaeSystem& dae = form.system();
  const auto reported = std::ranges::find_if(
      dae.reported, [&](const ReportedValue& value) { return value.attributes.name == name; });
  if (reported != dae.reported.end() && !reported->parameter) return reported->value;
  const auto variable = std::ranges::find(dae.variables, name, &Variable::name);
  if (variable == dae.variables.end() || variable->kind != VariableKind::Continuous) return std::nullopt;
  const VariableId id(static_cast<std::int32_t>(variable - dae.variables.begin()));
  ExprGraph& graph = form.graph();
  for (const LevelAlias& alias : form.raised.aliases) {
    if (alias.variable == id)
      return graph.mul(graph.constant(alias.factor), graph.variable(alias.target, alias.order));
  }
  return graph.variable(id);
}

std::vector<std::string> names_of(const ConstrainedForm& form) {
  std::vector<std::string> names;
  for (const ReportedValue& value : form.system().reported) {
    if (!value.parameter && !value.attributes.internal) names.push_back(value.attributes.name);
  }
  constexpr std::size_t shown = 12;  // names that fit three lines
  if (names.size() > shown) names.resize(shown);
  return names;
}

}  // namespace

Result<JointProjection> JointProjection::make(const CompiledModel& model, const ConstrainedForm& form,
                                              const std::vector<KeptConstraint>& kept,
                                              const std::vector<std::string>& names, Weights weights) {
  JointProjection result;
  result.weights_ = weights;
  ExprGraph& graph = form.graph();
  std::unordered_map<std::int32_t, int> column;  // by leaf
  for (int k = 0; k < form.order; ++k) {
    for (int i = 0; i < form.n(); ++i) {
      column[form.x(i, k).value] = static_cast<int>(result.columns_.size());
      result.columns_.push_back({.slot = model.slot(form.x(i, k)), .level = k});
    }
  }
  std::vector<NodeId> roots;
  for (const KeptConstraint& one : kept)
    roots.push_back(form.constraints[static_cast<std::size_t>(one.constraint)]
                        .derivatives[static_cast<std::size_t>(one.times)]);
  std::vector<NodeId> rates;
  TimeDerivative rate(graph);
  for (const std::string& name : names) {
    const auto value = meaning(form, name);
    if (!value)
      return fail(fmt::format("option invariants: the model has no variable '{}'; it has {}", name,
                              fmt::join(names_of(form), ", ")));
    for (const Partial& partial : gradient(graph, *value)) {
      if (column.contains(partial.leaf.value)) continue;
      return fail(
          fmt::format("option invariants: '{}' depends on {}, and not on positions and velocities alone: a "
                      "projection cannot "
                      "keep it",
                      name, leaf_name(form.system(), partial.leaf)));
    }
    roots.push_back(*value);
    rates.push_back(rate(*value));
  }
  std::vector<NodeId> derivatives;
  for (std::size_t r = 0; r < roots.size(); ++r) {
    for (const Partial& partial : gradient(graph, roots[r])) {
      const auto found = column.find(partial.leaf.value);
      if (found == column.end()) continue;
      result.entries_.push_back({.row = static_cast<int>(r), .column = found->second});
      derivatives.push_back(partial.value);
    }
  }
  result.names_ = names;
  result.residuals_ = model.compile(roots);
  result.jacobian_ = model.compile(derivatives);
  result.rates_ = model.compile(rates);
  result.values_.resize(roots.size());
  result.entry_values_.resize(derivatives.size());
  result.slopes_.resize(names.size());
  result.kept_.resize(names.size());
  result.reach_.resize(names.size());
  result.sums_.resize(names.size());
  result.sizes_.resize(static_cast<std::size_t>(form.order));
  return result;
}

void JointProjection::begin(std::span<const double> environment) {
  residuals_.evaluate(environment, values_, workspace_);
  std::ranges::copy(std::span(values_).last(names_.size()), kept_.begin());
  measure(environment);
}

void JointProjection::measure(std::span<const double> environment) {
  for (const Column& column : columns_) {
    double& size = sizes_[static_cast<std::size_t>(column.level)];
    size = std::max(size, std::abs(environment[static_cast<std::size_t>(column.slot)]));
  }
  jacobian_.evaluate(environment, entry_values_, workspace_);
  const auto first = values_.size() - names_.size();
  std::vector<double> reach(names_.size(), 0.0);
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    const auto row = static_cast<std::size_t>(entries_[k].row);
    if (row < first) continue;
    const Column& column = columns_[static_cast<std::size_t>(entries_[k].column)];
    reach[row - first] += std::abs(entry_values_[k] * environment[static_cast<std::size_t>(column.slot)]);
  }
  for (std::size_t i = 0; i < reach.size(); ++i) reach_[i] = std::max(reach_[i], reach[i]);
}

double JointProjection::size_of(Eigen::Index column) const {
  if (weights_ == Weights::One) return 1;
  const double size = sizes_[static_cast<std::size_t>(columns_[static_cast<std::size_t>(column)].level)];
  return size > 0 ? size : 1;
}

// ∂(c, I)/∂(x, …) in units of the sizes.
Eigen::MatrixXd JointProjection::matrix(std::span<const double> environment) {
  jacobian_.evaluate(environment, entry_values_, workspace_);
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(rows(), static_cast<Eigen::Index>(columns_.size()));
  for (std::size_t k = 0; k < entries_.size(); ++k)
    a(entries_[k].row, entries_[k].column) = entry_values_[k] * size_of(entries_[k].column);
  return a;
}

// The whole displacement is of least norm, as in ConstraintProjector::project_level.
struct JointProjection::Steps : WholeSteps {
  JointProjection& projection;
  std::span<double> environment;
  Eigen::VectorXd moved, change;
  int taken = 0;

  Steps(JointProjection& projection_, std::span<double> environment_)
      : projection(projection_),
        environment(environment_),
        moved(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(projection_.columns_.size()))) {}

  bool linearise() {
    const Eigen::MatrixXd a = projection.matrix(environment);
    Eigen::VectorXd b = projection.missing(environment);
    const bool whole = taken++ < least_norm_limit;
    if (whole) b += product(a, Eigen::MatrixXd(moved));
    const Eigen::VectorXd scale = row_scales(a);
    const LeastSquares solver(scale.asDiagonal() * a, RankPolicy::gradient);
    change = solver.solve(scale.cwiseProduct(b));
    if (whole) change -= moved;
    return change.allFinite();
  }
  [[nodiscard]] double step() const { return change.cwiseAbs().maxCoeff(); }
  void accept() {
    for (Eigen::Index j = 0; j < change.size(); ++j)
      environment[static_cast<std::size_t>(projection.columns_[static_cast<std::size_t>(j)].slot)] -=
          change[j] * projection.size_of(j);
    moved += change;
  }
};

bool JointProjection::project(std::span<double> environment) {
  Steps steps(*this, environment);
  return whole_newton(steps, iteration_limit, last_step);
}

// The constraints, and how far the named values are from what they were.
Eigen::VectorXd JointProjection::missing(std::span<const double> environment) {
  residuals_.evaluate(environment, values_, workspace_);
  Eigen::VectorXd values = Eigen::Map<const Eigen::VectorXd>(values_.data(), rows());
  values.tail(static_cast<Eigen::Index>(kept_.size())) -=
      Eigen::Map<const Eigen::VectorXd>(kept_.data(), static_cast<Eigen::Index>(kept_.size()));
  return values;
}

void JointProjection::watch(double h, std::span<const double> environment) {
  measure(environment);
  rates_.evaluate(environment, slopes_, workspace_);
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += h * slopes_[i];
}

std::vector<std::string> JointProjection::contradictions(double tolerance) const {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (std::abs(sums_[i]) <= tolerance * reach_[i]) continue;
    found.push_back(fmt::format(
        "option invariants keeps {} at {:.6g}, but the equations change it, by {:.2g} over the run, "
        "as friction and "
        "driving forces do: the result is not their solution",
        names_[i], kept_[i], sums_[i]));
  }
  return found;
}

std::string JointProjection::trouble() const {
  if (names_.empty()) return "no point near fulfils the constraints";
  return fmt::format("no point near fulfils the constraints and has the values that {} had at the start",
                     fmt::join(names_, ", "));
}

void JointProjection::state(Archive& archive) {
  archive.section("invariants", 1);
  archive.sized(names_.size(), kept_, reach_, sums_);
  archive.sized(sizes_.size(), sizes_);
}

}  // namespace daedalus
