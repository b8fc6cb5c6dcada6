#include "drive/reform_driver.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "constraints/mass_check.hpp"
#include "numerics/dense_algebra.hpp"

namespace daedalus {
namespace {

// Of the run: the smallest h in γ = 1/h when the step size is adaptive.
constexpr double smallest_coupled_step = 1e-4;

// Positions at zero count as this part of their nominal values: all terms of a constraint may be zero in a
// plane.
constexpr double least_size = 1e-3;
// Times rtol: a larger violation of a regularised constraint is none of accuracy. At tight tolerances what ε
// lets them be violated by counts, at loose ones what no mechanism closes with.
constexpr double violation_limit = 3e3;
constexpr double least_violation = 1e-5;
constexpr double most_violation = 1e-2;
// Of this limit: the constraints were fulfilled until then.
constexpr double fulfilled_part = 0.01;
// Where a step size is needed before there is one.
constexpr double first_step = 1e-3;
// Times rtol: a larger violation of a constraint on the way is said. Where second derivatives are left out or
// ε is given, little of it is by tolerance; an ε that follows the tolerance allows more near singular points.
constexpr double said_bias = 5;
constexpr double tolerated_bias = 100;
// Explicit runs that come near a point where rank is lost: δ of the multipliers against the tolerance, how
// much smaller local errors are kept from then on, what of σ counts as such a point, and how many steps may
// end there.
constexpr double softness = 1e-3;
constexpr double least_softness = 1e-11;  // narrower, and steps would creep up to the point
constexpr double tightness = 0.02;     // so that the error of a passage is no larger than that of other steps
constexpr double branch_point = 1e-3;  // of σ: a step that ends within it ends at the point
constexpr int longest_stay = 60;       // a passage takes ten to thirty
// What a failure is blamed on. Formulations that add multiples of Gᵀ solve with G Gᵀ, whose singular values
// are the squares: 1e-3 there.
constexpr double nearly_singular = 0.03;
// Distance to singularity from which on G changes little over a projection.
constexpr double far_from_singular = 0.05;

double tolerated_violation(const Tolerances& tolerances) {
  return std::clamp(violation_limit * tolerances.relative, least_violation, most_violation);
}

// What a coordinate amplifies, it amplifies once in each x^(k): of higher orders the threshold is that for
// mechanics once in all.
double threshold_of(const Selection& options, int order) {
  const double threshold = options.has("threshold") ? options.number("threshold") : 2;
  return std::pow(threshold, 2.0 / std::max(2, order));
}
bool updates_each_step(const Selection& options) {
  return !options.has("update") || options.text("update") == "step";
}

// The first of many.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 3;  // the summary has all
  if (names.size() <= shown + 1) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + shown, ", "),
                     names.size() - shown);
}

}  // namespace

ReformDriver::ReformDriver(const DriverSetting& setting, ReformulatedSystem system)
    : setting_(setting),
      integrator_row_(setting.plan.integrator_row),
      residual_(setting.model, std::move(system)),
      matrices_(setting.model, *setting.plan.form),
      monitor_(setting.model, matrices_, setting.tolerances.relative),
      projector_(setting.model, matrices_, residual_.system().kept) {
  if (!residual_.system().held.empty()) bases_ = make_bases();
  constraints_ = model().compile(constraint_roots());
  violations_.resize(form().constraints.size());
  typical_sizes_.assign(violations_.size(), 0.0);
  if (setting.plan.row->ode || is_explicit()) ode_ = std::make_unique<ExplicitForm>(form(), residual_);
  for (const ReformUnknown& unknown : residual_.system().unknowns) {
    if (unknown.rate.valid()) states_.push_back(setting.model.levels().level_of(unknown.leaf));
  }
  std::ranges::sort(states_);
  const bool regularised = setting.plan.row_options.has("curvature");
  const Selection& options = setting.plan.row_options;
  const bool given =
      regularised && (options.text("curvature") == "no" || options.has("eps") || options.has("delta"));
  is_biased_ = setting.plan.row->name == "baumgarte-h" || regularised;
  bias_limit_ = regularised && !given ? tolerated_bias : said_bias;
  if (!regularised || setting.plan.row_options.text("curvature") == "no") return;
  // A given ε or δ is itself the violation that is allowed; only an ε that follows the tolerances tells of an
  // impasse.
  if (!setting.plan.row_options.has("eps") && !setting.plan.row_options.has("delta")) watches_impasse_ = true;
}

ReformDriver::ReformDriver(const ReformDriver& other)
    : RunDriver(other),
      setting_(other.setting_),
      integrator_row_(other.integrator_row_),
      residual_(other.residual_),
      matrices_(other.matrices_),
      monitor_(other.monitor_),
      projector_(other.projector_),
      bases_(other.bases_),
      states_(other.states_),
      typical_multiplier_(other.typical_multiplier_),
      constraints_(other.constraints_),
      violations_(other.violations_),
      typical_sizes_(other.typical_sizes_),
      watches_impasse_(other.watches_impasse_),
      violated_since_(other.violated_since_),
      basis_changes_(other.basis_changes_),
      lingering_(other.lingering_),
      softened_(other.softened_),
      longest_ahead_(other.longest_ahead_),
      coupled_step_(other.coupled_step_),
      is_biased_(other.is_biased_),
      bias_limit_(other.bias_limit_),
      worst_(other.worst_) {
  if (other.ode_ != nullptr) ode_ = std::make_unique<ExplicitForm>(*other.ode_, residual_);
  if (other.mechanical_ != nullptr)
    mechanical_ = std::make_unique<MechanicalForm>(*other.mechanical_, residual_, *ode_);
  if (other.series_ != nullptr) series_ = std::make_unique<SeriesForm>(*other.series_, residual_, *ode_);
}

std::vector<Basis> ReformDriver::make_bases() const {
  const Parametrisation& parametrisation = residual_.system().parametrisation;
  const Selection& options = setting_.plan.row_options;
  std::vector<Basis> bases;
  for (std::size_t which = 0; which < parametrisation.bases.size(); ++which)
    bases.emplace_back(form(), parametrisation, which, threshold_of(options, form().order),
                       updates_each_step(options));
  return bases;
}

bool ReformDriver::chooses_bases() const {
  return std::ranges::any_of(bases_, [](const Basis& basis) { return basis.used(); });
}

void ReformDriver::bind(std::span<double> environment) {
  environment_ = environment;
  residual_.bind(environment);
}

std::vector<NodeId> ReformDriver::constraint_roots() const {
  std::vector<NodeId> roots;
  for (const FormConstraint& constraint : form().constraints) roots.push_back(constraint.derivatives.front());
  return roots;
}

double ReformDriver::now() const {
  return environment_[static_cast<std::size_t>(setting_.model.layout().time)];
}

int ReformDriver::size() const {
  return is_explicit() ? ode_->size() : residual_.size();
}

std::unique_ptr<Integrator> ReformDriver::make_integrator(const IntegratorRow& row,
                                                          const IntegratorSettings& settings) {
  integrator_row_ = &row;
  if (!is_explicit()) {
    residual_.compile();
    // In small systems a dense matrix is as good.
    if (ode_ != nullptr && ode_->linear() != nullptr &&
        choose_linear_solver(residual_.pattern()) != LinearSolverKind::Dense)
      residual_.set_elimination(ode_->linear()->elimination());
    return row.make(residual_, settings);
  }
  if (row.make_explicit != nullptr) return row.make_explicit(*ode_, settings);
  if (row.make_series != nullptr) {
    series_ = std::make_unique<SeriesForm>(form(), residual_, *ode_);
    return row.make_series(*series_, settings);
  }
  mechanical_ = std::make_unique<MechanicalForm>(form(), residual_, *ode_);
  return row.make_mechanical(*mechanical_, settings);
}

SystemReference ReformDriver::system() {
  if (!is_explicit()) return residual_;
  if (series_ != nullptr) return *series_;
  if (mechanical_ != nullptr) return *mechanical_;
  return *ode_;
}

void ReformDriver::set_held(HeldValue::Role role, double value) {
  for (const HeldValue& held : residual_.system().held) {
    if (held.role == role) environment()[static_cast<std::size_t>(residual_.slot(held.leaf))] = value;
  }
}

std::string ReformDriver::begin() {
  if (integrator_row_->make_series != nullptr && ode_->linear() == nullptr)
    return fmt::format(
        "integrator {} needs equations that are linear in rates and multipliers, and these are not",
        integrator_row_->name);
  monitor_.begin(environment());
  double largest = 0;
  for (int i = 0; i < form().ny(); ++i)
    largest = std::max(largest, std::abs(environment()[static_cast<std::size_t>(model().slot(form().y(i)))]));
  typical_multiplier_ = std::max(largest, 1.0);
  set_held(HeldValue::Role::Step, first_step);
  set_epsilon(first_step);
  if (chooses_bases()) {
    if (std::string trouble = refresh_bases(nullptr, true); !trouble.empty()) return trouble;
  }
  if (!projector_.idle()) {
    // The first projection compiles its programs; there is nothing to move yet.
    const std::span<double> here = environment_;
    std::vector<double> there(here.begin(), here.end());
    bind(there);
    (void)project(1);
    bind(here);
  }
  return {};
}

// A regularised constraint is violated where it cannot be fulfilled: beyond what the tolerance explains, the
// motion has come to its end (an impasse or lock-up), and going on would be an answer to another question.
//
// A violation counts as a displacement of the positions beside their sizes, so that no unit matters.
std::string ReformDriver::find_impasse() {
  if (!watches_impasse_) return {};
  matrices_.evaluate(environment());
  constraints_.evaluate(environment(), violations_, workspace_);
  constraint_sizes_.assign(violations_.size(), 0.0);
  const auto derivatives = matrices_.constraint_values();
  for (std::size_t k = 0; k < derivatives.size(); ++k) {
    const SymbolicEntry& entry = form().constraint.entries[k];
    const auto row = static_cast<std::size_t>(entry.row);
    const int slot = model().slot(form().x(entry.column, form().constraints[row].level));
    const Variable& position =
        model().dae().variables[form().positions[static_cast<std::size_t>(entry.column)].at()];
    const double size =
        std::max(std::abs(environment()[static_cast<std::size_t>(slot)]), least_size * position.nominal);
    constraint_sizes_[row] += std::abs(derivatives[k]) * size;
  }
  const double limit = tolerated_violation(setting_.tolerances);
  double worst = 0;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < violations_.size(); ++i) {
    // At its singular points all derivatives of a constraint may vanish; then what they were counts.
    typical_sizes_[i] = std::max(typical_sizes_[i], constraint_sizes_[i]);
    if (violations_[i] == 0) continue;
    const double relative = std::abs(violations_[i]) / typical_sizes_[i];
    worst = std::max(worst, relative);
    if (relative > limit) names.push_back(form().constraint_name(static_cast<int>(i)));
  }
  if (worst < fulfilled_part * limit) violated_since_ = now();
  if (names.empty() && std::isfinite(worst)) return {};
  // Where the rank was lost on the way, that is where and by which constraints.
  if (!monitor_.changes().empty() && monitor_.changes().back().t >= violated_since_) {
    violated_since_ = monitor_.changes().back().t;
    names = monitor_.changes().back().constraints;
  }
  return fmt::format(
      "impasse at t = {:.6g}: beyond it the constraints cannot be fulfilled by a smooth motion (at t = "
      "{:.6g} "
      "they are violated by {:.2g} of their terms): {}; the mechanism locks, or the constraints contradict "
      "each other there",
      violated_since_, now(), worst, fmt::join(names, ", "));
}

std::string ReformDriver::refresh_bases(Integrator* integrator, bool first) {
  matrices_.evaluate(environment());
  const Eigen::MatrixXd constraint = matrices_.constraint();
  bool changed = false;
  std::string trouble;
  for (Basis& basis : bases_) {
    changed = basis.update(constraint) || changed;
    if (trouble.empty()) trouble = basis.trouble();
  }
  if (!changed) return trouble;
  for (const HeldValue& held : residual_.system().held) {
    if (held.role == HeldValue::Role::Basis)
      environment()[static_cast<std::size_t>(residual_.slot(held.leaf))] =
          bases_[static_cast<std::size_t>(held.basis)].matrix()(held.row, held.column);
  }
  if (!first) ++basis_changes_;
  if (integrator != nullptr) integrator->system_changed();
  return trouble;
}

void ReformDriver::start_values(Integrator* integrator, std::span<double> y, std::span<double> yp) {
  if (chooses_bases() && integrator != nullptr) (void)refresh_bases(integrator, false);
  // x^(k)' = x^(k+1) at consistent values; μ, τ, … are zero there.
  const std::span<double> e = environment();
  for (const ReformUnknown& unknown : residual_.system().unknowns) {
    if (unknown.own) e[static_cast<std::size_t>(residual_.slot(unknown.leaf))] = 0;
    if (!unknown.rate.valid() || unknown.own) continue;
    const ExprGraph& graph = form().graph();
    const NodeId next =
        form().graph().variable(graph.variable_of(unknown.leaf), graph.order_of(unknown.leaf) + 1);
    e[static_cast<std::size_t>(residual_.slot(unknown.rate))] =
        e[static_cast<std::size_t>(residual_.slot(next))];
  }
  (void)complete();
  gather(y, yp);
}

bool ReformDriver::complete() {
  return ode_ == nullptr || ode_->complete_here();
}

void ReformDriver::scatter(double t, std::span<const double> y, std::span<const double> yp) {
  if (is_explicit()) {
    (void)ode_->complete(t, y);
    return;
  }
  residual_.scatter(t, y, yp);
}

void ReformDriver::place(double t, std::span<const double> y, std::span<const double> yp) {
  if (is_explicit()) {
    ode_->place(t, y);
    return;
  }
  residual_.scatter(t, y, yp);
}

void ReformDriver::gather(std::span<double> y, std::span<double> yp) const {
  if (is_explicit()) {
    ode_->gather(y);
    if (!yp.empty()) ode_->gather_rates(yp);
  } else {
    residual_.gather(y, yp);
  }
}

// Interpolation does not know the constraints; those that hold at the steps shall hold in between.
bool ReformDriver::project(double singularity_distance, bool at_end) {
  if (softened_ && singularity_distance < branch_point && projector_.project_gently(environment_))
    return true;
  const auto [system, factored] = monitor_.constraint_system();
  if (system != nullptr && singularity_distance > far_from_singular && projector_.suits_system()) {
    const bool here = (at_end && factored) || system->factor_constraints(environment_);
    if (here && projector_.project_with(*system, environment_)) return true;
  }
  return projector_.project(environment_);
}

std::vector<ProgramSize> ReformDriver::programs() const {
  std::vector<ProgramSize> list = is_explicit() ? ode_->programs() : residual_.programs();
  for (ProgramSize& one : projector_.programs()) list.push_back(std::move(one));
  list.push_back(size_of("constraints", constraints_));
  return list;
}

// What a projection cannot reach shows in the constraints, which are measured at every output point.
std::string ReformDriver::complete_output() {
  if (!projector_.idle()) (void)project(softened_ ? monitor_.singularity_distance(environment_) : 1);
  if (complete() || !is_explicit()) return {};
  return fmt::format("at t = {:.10g} accelerations and multipliers do not follow from the equations{}{}",
                     now(), ode_->trouble().empty() ? "" : ": ", ode_->trouble());
}

bool ReformDriver::prepare_lanes() {
  return is_explicit() && !softened_ && ode_->prepare_lanes() &&
         (projector_.idle() || projector_.prepare_lanes());
}

bool ReformDriver::complete_lanes(std::span<double> environments) {
  if (!is_explicit() || softened_) return false;
  ode_->place_lanes(environments);
  if (!projector_.idle() && !projector_.project_lanes(environments)) return false;
  return ode_->complete_lanes(environments);
}

void ReformDriver::before_step(const Integrator& integrator, double t_stop) {
  if (residual_.system().held.empty()) return;
  // γ = 1/h: a method that chooses its steps would be driven to ever smaller ones, since a change of γ moves
  // the solution, so there h has a floor.
  longest_ahead_ = std::max(longest_ahead_, t_stop - integrator.t());
  const double floor = is_adaptive() ? smallest_coupled_step * longest_ahead_ : 0;
  const double h = std::max(integrator.next_step(t_stop), floor);
  // Every change of γ is a change of the equations, which methods with a past take for an error of theirs: γ
  // follows the step where that has moved by more than a factor of two.
  const bool follow = !is_adaptive() || !(h >= coupled_step_ && h < 2 * coupled_step_);
  if (follow) coupled_step_ = h;
  set_held(HeldValue::Role::Step, coupled_step_);
  set_epsilon(h);
}

std::string ReformDriver::after_step(Integrator& integrator) {
  scratch_y_.resize(static_cast<std::size_t>(size()));
  scratch_yp_.resize(scratch_y_.size());
  const auto load = [&](double t) {
    integrator.interpolate(t, scratch_y_, scratch_yp_);
    place(t, scratch_y_, scratch_yp_);
  };
  // The rank follows from positions and, of implicit methods, from other values; slopes do not matter.
  const auto cheap_interpolation = [&](double t) {
    integrator.cheap_interpolation(t, scratch_y_);
    place(t, scratch_y_, scratch_yp_);
  };
  const std::size_t before = monitor_.changes().size();
  monitor_.watch({.t0 = integrator.t_previous(),
                  .t1 = integrator.t(),
                  .load = std::ref(load),
                  .cheap_interpolation = std::ref(cheap_interpolation)},
                 environment());
  if (monitor_.changes().size() > before || monitor_.came_close()) {
    if (!softened_ && setting_.plan.soft && is_explicit() &&
        ode_->soften(std::max(softness * setting_.tolerances.relative, least_softness))) {
      softened_ = true;
      integrator.tighten(tightness);
    }
    if (!softened_ && !setting_.plan.fallback.empty()) return std::string(rank_loss_reason);
  }
  // A motion that passes such a point leaves it at once; one that does not has come to an impasse.
  lingering_ = softened_ && monitor_.sigma() < branch_point ? lingering_ + 1 : 0;
  if (lingering_ > longest_stay) return std::string(rank_loss_reason);
  if (chooses_bases()) (void)refresh_bases(&integrator, false);
  if (is_biased_) {
    const Violation here = worst_violation();
    if (here.relative > worst_.relative) worst_ = here;
  }
  return find_impasse();
}

std::string ReformDriver::component_name(int component) const {
  const int k = is_explicit() ? ode_->states()[static_cast<std::size_t>(component)] : component;
  return residual_.system().unknowns[static_cast<std::size_t>(k)].name;
}

std::string ReformDriver::explain_failure() {
  if (form().ny() == 0 || monitor_.sigma() > nearly_singular) return {};
  return fmt::format("the constraints are nearly singular here (relative singular value {:.2g}): {}",
                     monitor_.sigma(), listed(monitor_.weakest_constraints()));
}

// A displacement of the positions by as much as a constraint is violated, beside the positions themselves.
ReformDriver::Violation ReformDriver::worst_violation() {
  matrices_.evaluate(environment());
  constraints_.evaluate(environment(), violations_, workspace_);
  slopes_.assign(violations_.size(), 0.0);
  sizes_.assign(violations_.size(), 0.0);
  const auto values = matrices_.constraint_values();
  for (std::size_t k = 0; k < values.size(); ++k) {
    const SymbolicEntry& entry = form().constraint.entries[k];
    const auto row = static_cast<std::size_t>(entry.row);
    const int slot = model().slot(form().x(entry.column, form().constraints[row].level));
    slopes_[row] += std::abs(values[k]);
    sizes_[row] = std::max(sizes_[row], std::abs(environment()[static_cast<std::size_t>(slot)]));
  }
  Violation worst;
  for (std::size_t i = 0; i < violations_.size(); ++i) {
    const double relative = std::abs(violations_[i]) / (slopes_[i] * sizes_[i]);
    // Near the origin sizes are round-off, and so is their ratio.
    if (!(relative > worst.relative) || std::abs(violations_[i]) <= setting_.tolerances.absolute) continue;
    worst = {.constraint = static_cast<int>(i), .relative = relative, .value = violations_[i], .t = now()};
  }
  return worst;
}

// What formulations let drift shall not go unsaid when it is no matter of the tolerance any more.
std::string ReformDriver::find_drift() {
  const double limit = tolerated_violation(setting_.tolerances);
  const double bias = std::min(bias_limit_ * setting_.tolerances.relative, limit);
  if (!is_biased_ || !(worst_.relative > bias)) return {};
  return fmt::format(
      "at t = {:.6g} {} is violated by {:.2g}, more than the tolerance explains: formulation {} allows that, "
      "by ε or "
      "by second derivatives that it leaves out",
      worst_.t, form().constraint_name(worst_.constraint), worst_.value, setting_.plan.formulation.to_text());
}

void ReformDriver::state(Archive& archive) {
  archive.section("rewritten form", 2);
  archive(typical_multiplier_, violated_since_, basis_changes_, lingering_, softened_, longest_ahead_,
          coupled_step_, worst_.constraint, worst_.relative, worst_.value, worst_.t);
  archive.require(worst_.constraint < form().ny(), "a constraint that there is not");
  archive.sized(violations_.size(), typical_sizes_);
  if (ode_ != nullptr) ode_->state(archive);
  monitor_.state(archive);
  projector_.state(archive);
  for (Basis& basis : bases_) basis.state(archive);
}

// The trust region is made for such points, with a γ that stays, and explicit steps over them followed by a
// projection onto all levels come out on the branch on which they went in. The others come out on some branch
// or other.
bool ReformDriver::treats_singular_points() const {
  const Selection& options = setting_.plan.row_options;
  if (setting_.plan.row->name == "trust-region")
    return options.text("curvature") == "yes" && !(is_adaptive() && options.text("gamma") == "1/h");
  return softened_ && setting_.plan.row->projects && options.has("levels") &&
         options.text("levels") != "position";
}

void ReformDriver::finish(Summary& summary) {
  if (const std::string drift = find_drift(); !drift.empty()) summary.warnings.push_back(drift);
  const Selection& asked = setting_.plan.row_options;
  const auto follows_step = [](const HeldValue& held) { return held.role == HeldValue::Role::Step; };
  if (setting_.plan.row->name == "baumgarte-h" && is_adaptive() &&
      std::ranges::any_of(residual_.system().held, follows_step))
    summary.warnings.emplace_back(
        "formulation baumgarte-h leaves second derivatives out, and with γ = 1/h under error control what "
        "that costs moves "
        "with the step: the error does not follow the tolerance; give gamma as a number, or a fixed step");
  if (asked.has("errortest") && asked.text("errortest") == "positions")
    summary.warnings.emplace_back(
        "velocities took no part in the error test (errortest=positions): their error, and what becomes of "
        "positions by "
        "it, is not controlled");
  if (is_explicit())  // of accelerations and multipliers
    summary.linear_solver = mechanical_ != nullptr ? mechanical_->solver() : ode_->method();
  summary.rank_changes = monitor_.changes();
  summary.pivot_count = basis_changes_;
  for (const std::string& combination : monitor_.redundancies())
    summary.warnings.push_back("redundant constraints: " + combination + " = 0 holds by itself");
  if (!monitor_.changes().empty() && !treats_singular_points())
    summary.warnings.push_back(passed_untreated(monitor_.changes().front().t, setting_.plan.row->name));
  if (setting_.plan.wrapped != nullptr) {
    const std::string warning =
        MassCheck(model(), *setting_.plan.wrapped).warning(environment(), setting_.tolerances.relative);
    if (!warning.empty()) summary.warnings.push_back(warning);
  }
  // A constraint of level l takes m - l freedoms; the redundant ones are like the others.
  int level = form().order;
  for (const FormConstraint& constraint : form().constraints) level = std::min(level, constraint.level);
  summary.dof += (form().order - level) * (form().ny() - monitor_.rank());
  for (const ReformUnknown& unknown : residual_.system().unknowns) {
    if (!unknown.own) continue;
    summary.formulation_values.emplace_back(
        unknown.name, environment()[static_cast<std::size_t>(residual_.slot(unknown.leaf))]);
  }
}

}  // namespace daedalus
