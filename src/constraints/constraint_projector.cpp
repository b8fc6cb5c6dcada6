#include "constraints/constraint_projector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "numerics/dense_algebra.hpp"
#include "numerics/newton.hpp"
#include "numerics/rank_policy.hpp"
#include "numerics/vectors.hpp"
#include "numerics/wide.hpp"

namespace daedalus {
namespace {

// Linear convergence to the nearest point, by the curvature times the way: eight steps reach rounding from
// where integrators end. From far away Newton's own steps, which converge quadratically, then end it.
constexpr int iteration_limit = 20;
constexpr int least_norm_limit = 8;
constexpr int dense_limit = 32;         // constraints
constexpr int many_constraints = 6000;  // whose code no longer fits the caches: worth a search for tiles
// Relative to the positions: a displacement above which its direction is iterated upon, too. Below, the
// difference is its square times the curvature, and below the root of the rounding Newton's next step is
// rounding.
constexpr double small_step = 1e-4;
constexpr double last_step = 1e-8;
constexpr int fast_limit = 4;
constexpr int copied_constraints = 1000;  // beyond, a second copy of the system is memory better spent
// Of a norm that is given, in numbers of eight digits, or M.
constexpr double symmetric_enough = 1e-8;
// Near a singular point δ is this part of G W⁻¹ Gᵀ: what the constraints see by less stays as it is, and
// three steps leave (1e-4)³ of what they see fully.
constexpr double gentle_part = 1e-4;
constexpr int gentle_steps = 3;

// Steps of several points at once.
struct LaneMove {
  std::span<const int> slots;
  bool linear = false;
  double* environments = nullptr;
  std::array<std::int64_t, lane_count> arrived{};  // -1: this one has
};
enum class LaneOutcome : std::uint8_t { Arrived, OnTheWay, TooFar };

// Moves those that have not arrived, unless one of them would go too far to be sure of the way.
DAEDALUS_WIDE LaneOutcome move_lanes(LaneMove& move, const double* steps) {
  using Truths = std::int64_t __attribute__((vector_size(lane_count * sizeof(std::int64_t))));
  Four size{};
  Four finite{};
  Truths arrived;
  __builtin_memcpy(&arrived, move.arrived.data(), sizeof arrived);
  for (std::size_t i = 0; i < move.slots.size(); ++i) {
    Four x;
    Four step;
    load_four(move.environments + (lane_count * static_cast<std::size_t>(move.slots[i])), x);
    load_four(steps + (lane_count * i), step);
    const Four relative = (step < 0 ? -step : step) / (1 + (x < 0 ? -x : x));
    size = relative > size ? relative : size;
    finite += step * 0.0;
  }
  if (move.linear) size = Four{};
  const Truths fine = (arrived | ((size <= small_step) & (finite == 0))) == -1;
  for (std::size_t l = 0; l < lane_count; ++l) {
    if (fine[l] == 0) return LaneOutcome::TooFar;
  }
  for (std::size_t i = 0; i < move.slots.size(); ++i) {
    double* const at = move.environments + (lane_count * static_cast<std::size_t>(move.slots[i]));
    Four x;
    Four step;
    load_four(at, x);
    load_four(steps + (lane_count * i), step);
    store_four(arrived != 0 ? x : x - step, at);
  }
  arrived |= size < last_step;
  __builtin_memcpy(move.arrived.data(), &arrived, sizeof arrived);
  std::int64_t all = -1;
  for (std::size_t l = 0; l < lane_count; ++l) all &= arrived[l];
  return all != 0 ? LaneOutcome::Arrived : LaneOutcome::OnTheWay;
}

}  // namespace

ConstraintProjector::ConstraintProjector(const CompiledModel& model, const ConstraintMatrices& matrices,
                                         const std::vector<KeptConstraint>& kept)
    : model_(model), form_(matrices.form()), matrices_(matrices) {
  const ConstrainedForm& form = form_;
  for (int level = 0; level < form.order; ++level) {
    LevelRows rows;
    rows.level = level;
    std::vector<NodeId> roots;
    for (const KeptConstraint& one : kept) {
      const FormConstraint& constraint = form.constraints[static_cast<std::size_t>(one.constraint)];
      if (constraint.level + one.times != level) continue;
      rows.constraints.push_back(one.constraint);
      roots.push_back(constraint.derivatives[static_cast<std::size_t>(one.times)]);
    }
    if (rows.constraints.empty()) continue;
    rows.row_of.assign(static_cast<std::size_t>(form.ny()), -1);
    for (std::size_t r = 0; r < rows.constraints.size(); ++r)
      rows.row_of[static_cast<std::size_t>(rows.constraints[r])] = static_cast<int>(r);
    ProgramSetting setting = model.setting();
    setting.codegen.often = form.ny() > many_constraints;
    rows.residuals = Program::compile(form.graph(), roots, setting);
    rows.all =
        static_cast<int>(rows.constraints.size()) == form.ny() && std::ranges::is_sorted(rows.constraints);
    rows.constraint_nodes = std::move(roots);
    rows.linear = std::ranges::all_of(
        rows.constraints, [&](int i) { return form.constraints[static_cast<std::size_t>(i)].level < level; });
    for (int i = 0; i < form.n(); ++i) rows.slots.push_back(model.slot(form.x(i, level)));
    levels_.push_back(std::move(rows));
  }
  residuals_.resize(static_cast<std::size_t>(form.ny()));
}

void ConstraintProjector::use_norm(Norm norm, Eigen::MatrixXd given) {
  norm_ = norm;
  given_ = std::move(given);
}

void ConstraintProjector::use_directions(int level, Eigen::MatrixXd directions) {
  const auto rows = std::ranges::find(levels_, level, &LevelRows::level);
  if (rows != levels_.end()) rows->directions = std::move(directions);
}

bool ConstraintProjector::project(std::span<double> environment) {
  for (LevelRows& rows : levels_) {
    if (rows.directions.size() > 0) {
      if (!project_level(rows, environment)) return false;
      continue;
    }
    if (rows.fast != nullptr && project_fast(rows, environment)) continue;
    if (!project_level(rows, environment)) return false;
    if (rows.fast == nullptr && !rows.fast_tried) prepare_fast(rows, environment);
  }
  return true;
}

// W, entry by entry.
std::vector<SymbolicEntry> ConstraintProjector::norm_entries() const {
  if (norm_ == Norm::Mass) return form_.mass.entries;
  ExprGraph& graph = form_.graph();
  std::vector<SymbolicEntry> entries;
  for (int i = 0; i < form_.n() && norm_ == Norm::Identity; ++i)
    entries.push_back({.row = i, .column = i, .value = graph.constant(1)});
  for (Eigen::Index i = 0; i < given_.rows() && norm_ == Norm::Given; ++i) {
    for (Eigen::Index j = 0; j < given_.cols(); ++j) {
      if (given_(i, j) != 0)
        entries.push_back({.row = static_cast<int>(i),
                           .column = static_cast<int>(j),
                           .value = graph.constant(given_(i, j))});
    }
  }
  return entries;
}

// [W Gᵀ; G 0] [Δ; ν] = [0; c], once the slow way has found W to be a norm.
std::unique_ptr<RegularisedSystem> ConstraintProjector::make_fast(const LevelRows& rows) const {
  ExprGraph& graph = form_.graph();
  const int n = form_.n();
  SymbolicMatrix matrix{.rows = 0, .columns = 0, .entries = norm_entries()};
  for (const SymbolicEntry& entry : form_.constraint.entries) {
    const int r = rows.row_of[static_cast<std::size_t>(entry.row)];
    if (r < 0) continue;
    matrix.entries.push_back({.row = n + r, .column = entry.column, .value = entry.value});
    matrix.entries.push_back({.row = entry.column, .column = n + r, .value = entry.value});
  }
  matrix.rows = matrix.columns = n + static_cast<int>(rows.constraints.size());
  std::vector<NodeId> rhs(static_cast<std::size_t>(n), graph.constant(0));
  rhs.insert(rhs.end(), rows.constraint_nodes.begin(), rows.constraint_nodes.end());
  return make_saddle_system({.graph = graph, .matrix = matrix, .rhs = rhs, .first = n}, model_.setting());
}

void ConstraintProjector::take_fast(LevelRows& rows) {
  rows.fast_tried = true;
  if (rows.made->fast != nullptr) {
    rows.fast = std::make_unique<RegularisedSystem>(*rows.made->fast);
  } else {
    rows.fast = make_fast(rows);
    if (!form_.graph().frozen() && form_.ny() <= copied_constraints)
      rows.made->fast = std::make_unique<const RegularisedSystem>(*rows.fast);
  }
}

void ConstraintProjector::prepare_fast(LevelRows& rows, std::span<const double> environment) {
  take_fast(rows);
  if (!rows.fast->prepare(environment)) rows.fast.reset();
}

void ConstraintProjector::state(Archive& archive) {
  archive.section("projector", 1);
  for (LevelRows& rows : levels_) {
    bool fast = rows.fast != nullptr;
    archive(fast, rows.fast_tried);
    if (!archive.ok()) return;
    if (archive.reading()) {
      const bool tried = rows.fast_tried;
      rows.fast.reset();
      if (fast) take_fast(rows);
      rows.fast_tried = tried;
    }
    if (fast) rows.fast->state(archive);
  }
  bool saddle = saddle_ != nullptr;
  archive(saddle);
  if (archive.ok() && archive.reading() && saddle) make_saddle();
  if (archive.ok() && saddle) saddle_->state(archive);
}

std::vector<ProgramSize> ConstraintProjector::programs() const {
  std::vector<ProgramSize> list;
  for (const LevelRows& rows : levels_)
    list.push_back(size_of(fmt::format("projection of level {}", rows.level), rows.residuals));
  return list;
}

void ConstraintProjector::move_by(std::span<const double> step, const LevelRows& rows,
                                  std::span<double> environment) {
  for (std::size_t i = 0; i < rows.slots.size(); ++i)
    environment[static_cast<std::size_t>(rows.slots[i])] -= step[i];
}

// Newton's method with the G of each point.
struct ConstraintProjector::WithEachMatrix {
  LevelRows& rows;
  std::span<double> environment;
  std::span<const double> delta = {};

  bool linearise() { return rows.fast->solve_at(environment); }
  double step() {
    delta = rows.fast->accelerations();
    if (rows.linear) return 0;
    const double size = relative_size(delta, rows, environment);
    return size > small_step ? std::numeric_limits<double>::infinity() : size;
  }
  NewtonStep judge(double size) { return size < last_step ? NewtonStep::Last : NewtonStep::Untested; }
  bool evaluate(double /*lambda*/) { return true; }
  bool descends(double /*lambda*/, double /*size*/) { return true; }
  void accept() { move_by(delta, rows, environment); }
};

// False: nothing was moved, or the constraints do not hold yet.
bool ConstraintProjector::project_fast(LevelRows& rows, std::span<double> environment) {
  WithEachMatrix problem{.rows = rows, .environment = environment};
  return damped_newton(problem, {.iterations = fast_limit}).status == DampedStatus::Converged;
}

double ConstraintProjector::relative_size(std::span<const double> step, const LevelRows& rows,
                                          std::span<const double> environment) {
  double size = 0;
  for (std::size_t i = 0; i < step.size(); ++i) {
    const double x = environment[static_cast<std::size_t>(rows.slots[i])];
    size = std::max(size, std::abs(step[i]) / (1 + std::abs(x)));
  }
  return size;
}

bool ConstraintProjector::prepare_lanes() {
  return std::ranges::all_of(levels_, [&](LevelRows& rows) {
    if (rows.fast == nullptr) return false;
    const std::span<const NodeId> solution = rows.fast->expressions();
    if (solution.empty()) return false;
    std::call_once(rows.made->lanes_once, [&] {
      const std::span<const NodeId> steps = solution.first(rows.slots.size());
      rows.made->lanes = Program::compile_lanes(form_.graph(), steps, model_.setting());
    });
    rows.lane_steps.resize(lane_count * rows.slots.size());
    return rows.made->lanes.has_value();
  });
}

bool ConstraintProjector::project_lanes(std::span<double> environments) {
  return std::ranges::all_of(levels_, [&](LevelRows& rows) {
    return rows.fast != nullptr && !rows.fast->expressions().empty() && project_lanes(rows, environments);
  });
}

// Newton's method in every lane as project_fast() has it: those that are there already move no more.
bool ConstraintProjector::project_lanes(LevelRows& rows, std::span<double> environments) {
  LaneMove move{.slots = rows.slots, .linear = rows.linear, .environments = environments.data()};
  for (int k = 0; k < fast_limit; ++k) {
    rows.made->lanes->evaluate(environments, rows.lane_steps, rows.lane_workspace);
    switch (move_lanes(move, rows.lane_steps.data())) {
      case LaneOutcome::Arrived:
        return true;
      case LaneOutcome::TooFar:
        return false;
      case LaneOutcome::OnTheWay:
        break;
    }
  }
  return false;
}

bool ConstraintProjector::suits_system() const {
  return norm_ == Norm::Identity && !levels_.empty() &&
         std::ranges::all_of(levels_,
                             [](const LevelRows& rows) { return rows.all && rows.directions.size() == 0; });
}

bool ConstraintProjector::project_with(RegularisedSystem& system, std::span<double> environment) {
  double moved = 0;
  return std::ranges::all_of(
      levels_, [&](LevelRows& rows) { return project_with(rows, system, environment, &moved); });
}

// Newton's method with one G. It is wrong by as much as the positions have moved since, and what remains of
// the constraints is the product of that and the step.
struct ConstraintProjector::WithOneMatrix {
  ConstraintProjector& projector;
  LevelRows& rows;
  RegularisedSystem& system;
  std::span<double> environment;
  double& moved;  // of all levels so far
  std::span<const double> delta = {};

  bool linearise() {
    const std::span<double> c = std::span(projector.residuals_).first(rows.constraints.size());
    rows.residuals.evaluate(environment, c, projector.workspace_);
    delta = system.solve_constraints(c);
    return all_finite(delta);
  }
  double step() {
    const double size = relative_size(delta, rows, environment);
    return !rows.linear && size > small_step ? std::numeric_limits<double>::infinity() : size;
  }
  NewtonStep judge(double size) {
    if (!rows.linear) moved += size;
    return moved * size < last_step * last_step ? NewtonStep::Last : NewtonStep::Untested;
  }
  bool evaluate(double /*lambda*/) { return true; }
  bool descends(double /*lambda*/, double /*size*/) { return true; }
  void accept() { move_by(delta, rows, environment); }
};

bool ConstraintProjector::project_with(LevelRows& rows, RegularisedSystem& system,
                                       std::span<double> environment, double* moved) {
  WithOneMatrix problem{
      .projector = *this, .rows = rows, .system = system, .environment = environment, .moved = *moved};
  return damped_newton(problem, {.iterations = fast_limit}).status == DampedStatus::Converged;
}

bool ConstraintProjector::project_gently(std::span<double> environment) {
  for (LevelRows& rows : levels_) {
    if (rows.directions.size() > 0) return false;
    if (rows.fast == nullptr && !rows.fast_tried) prepare_fast(rows, environment);
    if (rows.fast == nullptr || !project_gently(rows, environment)) return false;
  }
  return true;
}

// With δ; what is well determined converges at the rate δ/(σ + δ), squared.
bool ConstraintProjector::project_gently(LevelRows& rows, std::span<double> environment) {
  rows.fast->soften(gentle_part);
  bool done = true;
  for (int iteration = 0; iteration < gentle_steps && done; ++iteration) {
    done = rows.fast->solve_at(environment);
    if (done) move_by(rows.fast->accelerations(), rows, environment);
  }
  rows.fast->harden();
  return done;
}

void ConstraintProjector::make_saddle() {
  saddle_ = std::make_unique<ConstraintSaddle>(
      form_, norm_ == Norm::Mass ? ConstraintSaddle::Top::Mass : ConstraintSaddle::Top::Identity,
      ConstraintSaddle::Right::ConstraintTransposed);
}

// [W Gᵀ; G -δ] [Δ; ν] = [0; b]
bool ConstraintProjector::sparse_step(const Eigen::VectorXd& b, Eigen::VectorXd& step) {
  if (saddle_ == nullptr) make_saddle();
  if (!saddle_->factor(matrices_)) return false;
  std::vector<double> rhs(saddle_->size(), 0.0);
  std::ranges::copy(b, rhs.begin() + form_.n());
  saddle_->solve(rhs);
  step = Eigen::Map<const Eigen::VectorXd>(rhs.data(), form_.n());
  return step.allFinite();
}

namespace {

// The x of least norm with A x = b, whose rank does not depend on units.
Eigen::VectorXd least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
  const Eigen::VectorXd scale = row_scales(a);
  const LeastSquares solver(scale.asDiagonal() * a, RankPolicy::gradient);
  return solver.solve(scale.cwiseProduct(b));
}

}  // namespace

bool ConstraintProjector::oblique_step(const Eigen::MatrixXd& g, const Eigen::MatrixXd& directions,
                                       const Eigen::VectorXd& b, Eigen::VectorXd& step) {
  const Eigen::VectorXd scale = row_scales(g);
  const Lu lu(product(Eigen::MatrixXd(scale.asDiagonal() * g), directions));
  if (lu.rcond() < RankPolicy::square) {
    trouble_ = "the coordinates that are integrated do not determine the others there";
    return false;
  }
  step = product(directions, lu.solve(scale.cwiseProduct(b)));
  return step.allFinite();
}

// The Δ of least norm with G Δ = b; W = L Lᵀ, the norm is that of Lᵀ Δ.
bool ConstraintProjector::least_step(const LevelRows& rows, const Eigen::VectorXd& b, Eigen::VectorXd& step) {
  const auto count = static_cast<Eigen::Index>(rows.constraints.size());
  const bool oblique = rows.directions.size() > 0;
  if (!oblique && count == form_.ny() && count > dense_limit && norm_ != Norm::Given)
    return sparse_step(b, step);
  Eigen::MatrixXd g(count, form_.n());
  const Eigen::MatrixXd all = matrices_.constraint();
  for (Eigen::Index r = 0; r < count; ++r) g.row(r) = all.row(rows.constraints[static_cast<std::size_t>(r)]);
  if (oblique) return oblique_step(g, rows.directions, b, step);
  if (norm_ == Norm::Identity) {
    step = least_squares(g, b);
    return true;
  }
  const Eigen::MatrixXd norm = norm_ == Norm::Mass ? matrices_.mass() : given_;
  const Cholesky w(norm);
  if (!w.positive_definite() || !norm.isApprox(norm.transpose(), symmetric_enough)) {
    trouble_ =
        "the mass matrix is not symmetric positive definite there and measures no distance: write the "
        "equations "
        "of motion as M*der(v) = forces, or use W=I";
    return false;
  }
  const Eigen::MatrixXd scaled = w.solve_lower(g.transpose()).transpose();
  step = w.solve_upper(least_squares(scaled, b));
  return true;
}

void ConstraintProjector::add_constraint_times(const LevelRows& rows, const Eigen::VectorXd& v,
                                               Eigen::VectorXd& sum) const {
  const auto values = matrices_.constraint_values();
  for (std::size_t k = 0; k < values.size(); ++k) {
    const SymbolicEntry& entry = form_.constraint.entries[k];
    const int r = rows.row_of[static_cast<std::size_t>(entry.row)];
    if (r >= 0) sum[r] += values[k] * v[entry.column];
  }
}

// The whole displacement Δ from where the level began is of least norm, not only each step: G Δ' = c + G Δ,
// whose fixed point has c = 0 and W Δ in range Gᵀ at the end. It converges linearly, at a rate that is the
// curvature times Δ, so after some iterations Newton's method makes the rest. (Velocity constraints are
// linear: the second step is rounding.)
struct ConstraintProjector::OfLeastNorm : WholeSteps {
  ConstraintProjector& projector;
  LevelRows& rows;
  std::span<double> environment;
  Eigen::VectorXd moved, change;
  int taken = 0;

  OfLeastNorm(ConstraintProjector& projector_, LevelRows& rows_, std::span<double> environment_)
      : projector(projector_),
        rows(rows_),
        environment(environment_),
        moved(Eigen::VectorXd::Zero(projector_.form_.n())) {}

  bool linearise() {
    const auto count = static_cast<Eigen::Index>(rows.constraints.size());
    rows.residuals.evaluate(environment, std::span(projector.residuals_).first(rows.constraints.size()),
                            projector.workspace_);
    Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(projector.residuals_.data(), count);
    if (!b.allFinite()) return false;
    change.setZero(moved.size());
    if (b.isZero(0)) return true;  // they hold exactly
    projector.matrices_.evaluate(environment);
    const bool whole = taken++ < least_norm_limit;
    if (whole) projector.add_constraint_times(rows, moved, b);
    if (!projector.least_step(rows, b, change)) return false;
    if (whole) change -= moved;
    return true;
  }
  [[nodiscard]] double step() const {
    double size = 0;
    for (Eigen::Index i = 0; i < change.size(); ++i) {
      const double x = environment[slot(i)] - change[i];
      const double part = std::abs(change[i]) / (1 + std::abs(x));
      if (!(part <= size)) size = part;  // what is not a number stays
    }
    return size;
  }
  void accept() {
    for (Eigen::Index i = 0; i < change.size(); ++i) environment[slot(i)] -= change[i];
    moved += change;
  }
  [[nodiscard]] std::size_t slot(Eigen::Index i) const {
    return static_cast<std::size_t>(
        projector.model_.slot(projector.form_.x(static_cast<int>(i), rows.level)));
  }
};

bool ConstraintProjector::project_level(LevelRows& rows, std::span<double> environment) {
  OfLeastNorm problem(*this, rows, environment);
  return whole_newton(problem, iteration_limit, last_step);
}

}  // namespace daedalus
