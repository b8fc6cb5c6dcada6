#include "advise/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "advise/advice.hpp"
#include "drive/input_course.hpp"
#include "systems/explicit_levels.hpp"
#include "systems/mechanical_form.hpp"

namespace daedalus {
namespace {

// Up to this many unknowns radau's real and complex matrices cost less than the extra steps and restarts of
// bdf.
constexpr int radau_limit = 2000;
// The same where nothing happens on the way that bdf would have to begin anew for; at sharper tolerances
// radau's higher orders take so few steps that it stays ahead.
constexpr int radau_limit_without_events = 100;
constexpr double sharp = 1e-7;
// In larger models the rank monitor would take a noticeable part of the time of the steps.
constexpr std::size_t watched_levels = 5000;
// In larger mechanisms the measurements of the advice cost more than to begin and find out.
constexpr std::size_t measured_variables = 80;
// Of the table: a step of size -h leads back to where the step of size h began.
constexpr std::array<std::string_view, 2> symmetric_methods{"implicit-midpoint", "rattle"};

template <class Row>
Result<Selection> look_up(const Selection& given, std::span<const Row> rows, const Row* row,
                          std::string_view family) {
  if (row == nullptr) {
    std::vector<std::string_view> known{"auto"};
    for (const Row& r : rows) known.push_back(r.name);
    return fail(unknown_name_message(family, given.name(), known));
  }
  return resolve(given, row->options, fmt::format("{} {}", family, row->name));
}

// Whether the constraints are nothing but lengths of quaternions, Σ q² = const, each with variables of its
// own. They are never redundant, lose no rank, and turn no faster than the bodies, so nothing is to be
// measured.
bool only_lengths(const ConstrainedForm& form) {
  ExprGraph& graph = form.graph();
  std::vector<bool> used(form.positions.size(), false);
  for (const SymbolicEntry& entry : form.constraint.entries) {
    const auto column = static_cast<std::size_t>(entry.column);
    const NodeId x = form.x(entry.column, 0);
    const bool twice = entry.value == graph.add(x, x) || entry.value == graph.mul(graph.constant(2), x);
    if (used[column] || !twice) return false;
    used[column] = true;
  }
  return std::ranges::all_of(form.constraints, [](const FormConstraint& c) { return c.level == 0; });
}

// Formulations that choose coordinates by the constraints, or project onto them within the step. What the
// others do with none is nothing.
bool needs_constraints(const FormulationRow& row) {
  return row.rewrite == rewrite_coordinate_partitioning || row.rewrite == rewrite_tangent_plane ||
         row.symmetric;
}

class Chooser {
 public:
  Chooser(const DaeSystem& system, const RunOptions& options, double rtol)
      : system_(system), options_(options), rtol_(rtol) {}

  Result<RunPlan> run() {
    // Names and options before any work on the model.
    if (auto ok = look_up_formulation(options_.formulation); !ok) return std::unexpected(ok.error());
    if (options_.integrator.name() != "auto") {
      if (auto ok = look_up_integrator(options_.integrator); !ok) return std::unexpected(ok.error());
    }
    if (auto ok = make_system(); !ok) return std::unexpected(ok.error());
    if (options_.integrator.name() == "auto") {
      if (auto ok = choose_integrator(); !ok) return std::unexpected(ok.error());
    }
    if (auto ok = check_integrator(); !ok) return std::unexpected(ok.error());
    return std::move(choice_);
  }

 private:
  void because(const std::string& reason) {
    if (!choice_.why.empty()) choice_.why += "; ";
    choice_.why += reason;
  }

  Result<void> look_up_formulation(const Selection& given) {
    if (given.name() == "auto") {
      for (const OptionValue& option : given.values()) {
        if (option.name != "explore" || (option.text != "yes" && option.text != "no"))
          return fail(
              "formulation auto has the option explore=yes or explore=no alone; name the formulation that "
              "others are for");
        explore_ = option.text == "yes" ? Explore::Yes : Explore::No;
      }
      return {};
    }
    choice_.row = find_formulation(given.name());
    auto resolved = look_up(given, formulations(), choice_.row, "formulation");
    if (!resolved) return std::unexpected(resolved.error());
    choice_.formulation = *resolved;
    choice_.row_options = *std::move(resolved);
    if (!choice_.row->wrapper) return {};
    return look_up_wrapped();
  }

  // then=NAME or then=[NAME:key=value,…]
  Result<void> look_up_wrapped() {
    std::string text(choice_.row_options.text("then"));
    if (text.size() > 1 && text.front() == '[' && text.back() == ']') text = text.substr(1, text.size() - 2);
    auto within = parse_selection(text);
    if (!within) return std::unexpected(within.error());
    wrapper_ = choice_.row_options;
    choice_.row = find_formulation(within->name());
    auto resolved = look_up(*within, formulations(), choice_.row, "formulation");
    if (!resolved) return std::unexpected(resolved.error());
    if (choice_.row->wrapper || choice_.row->any_dae)
      return fail(fmt::format("formulation {} cannot stand behind singular-mass", choice_.row->name));
    choice_.row_options = *std::move(resolved);
    return {};
  }

  Result<void> look_up_integrator(const Selection& given) {
    choice_.integrator_row = find_integrator(given.name());
    auto resolved = look_up(given, integrators(), choice_.integrator_row, "integrator");
    if (!resolved) return std::unexpected(resolved.error());
    choice_.integrator = *std::move(resolved);
    return {};
  }

  Result<void> make_system() {
    const bool automatic = choice_.row == nullptr;
    if (automatic && choice_.integrator_row != nullptr && choice_.integrator_row->make == nullptr)
      return make_ode();
    const bool large = system_.variables.size() > measured_variables;
    const bool mechanism = std::ranges::any_of(system_.equations, &Equation::keep);
    if (automatic && may_project() && (large || mechanism)) {
      // A tree of joints has no constraints, or the lengths of its quaternions, and is not measured either.
      auto form = recognise_constrained_form(system_, mechanism || !large);
      if (form && form->order == 2 && (large || only_lengths(*form))) {
        if (leave_out(unmeasured(*form))) return {};
        return use_unmeasured(*std::move(form));
      }
    }
    if (automatic || choice_.row->any_dae) {
      if (!automatic && leave_out_by_name()) return {};
      auto levels = make_level_system(system_);
      if (levels) {
        choice_.levels = std::make_shared<const LevelSystem>(*std::move(levels));
        if (automatic) return follow_advice();
        watch();
        return {};
      }
      if (!automatic) return std::unexpected(levels.error());
      // Redundant constraints have no regular derivative array, but they have the constrained form.
      auto form = recognise_constrained_form(system_);
      if (!form) return std::unexpected(levels.error());
      const Advice advice = advise(system_, options_, explore_);
      if (leave_out(advice.measures.taken ? advice : unmeasured(*form))) return {};
      // Implicit methods solve for accelerations and multipliers as they stand, explicit ones by least
      // squares.
      const bool implicit = choice_.integrator_row != nullptr && choice_.integrator_row->make != nullptr;
      if (advice.formulation.name() == "orthogonal-projection" && may_project() && !implicit) {
        because(advice.why);
        if (auto ok = take("orthogonal-projection"); !ok) return ok;
        fall_back_on(*form);
        return use(*std::move(form));
      }
      because("trust-region: the constraints are redundant, and it takes them as they are");
      if (auto ok = take("trust-region"); !ok) return ok;
      return use(*std::move(form));
    }
    if (leave_out_by_name()) return {};
    // A tree of joints has no constraints, and every formulation is its equations of motion.
    const bool as_ode = choice_.row->rewrite == rewrite_index1 || mechanism;
    auto form = recognise_constrained_form(system_, as_ode);
    if (!form) {
      for (Diagnostic& diagnostic : form.error()) {
        diagnostic.message = fmt::format("formulation {} does not apply: {}; dummy-derivatives takes any DAE",
                                         choice_.row->name, diagnostic.message);
      }
      return std::unexpected(form.error());
    }
    if (form->constraints.empty() && needs_constraints(*choice_.row)) {
      because(fmt::format("index1: without constraints there is nothing for {} to choose or to project",
                          choice_.row->name));
      symmetric_ = choice_.row->symmetric;
      if (auto ok = take("index1"); !ok) return ok;
    }
    return use(*std::move(form));
  }

  // The recommendation of Ascher, Petzold 1993, or what Petzold, Ren, Maly 1997 says of constraints that lose
  // rank.
  Result<void> follow_advice() {
    Advice advice = advise(system_, options_, explore_);
    if (advice.formulation.name() == "orthogonal-projection" && !may_project()) {
      advice.formulation = Selection("dummy-derivatives");
      advice.why = "dummy-derivatives: it suits any integrator at any step";
    }
    if (leave_out(advice)) return {};
    because(advice.why);
    if (auto ok = look_up_formulation(advice.formulation); !ok) return ok;
    if (!choice_.row->any_dae && advice.form != nullptr) {
      if (projects_only()) fall_back_on(*advice.form);
      return use_measured(advice);
    }
    watch();
    if (choice_.form != nullptr && passes_singular_points(*choice_.form)) choice_.fallback = "trust-region";
    return {};
  }

  // Where an explicit run meets a singular point. Constraints of position are passed by trust-region; others
  // do not say which way the motion goes on, and dummy derivatives hold them on both sides.
  void fall_back_on(const ConstrainedForm& form) {
    const bool passes = passes_singular_points(form);
    choice_.fallback = passes ? "trust-region" : "dummy-derivatives";
    if (!passes) choice_.soft = false;
  }

  // Restarts where a projection moves the ends of steps far are cheap for one-step methods; and a fixed step
  // is for a method that is stable at any.
  [[nodiscard]] bool may_project() const {
    return !options_.step && (choice_.integrator_row == nullptr || choice_.integrator_row->one_step);
  }

  // A large mechanism is not measured: it begins as if nothing were stiff, and finds out on the way.
  Result<void> use_unmeasured(ConstrainedForm form) {
    because(
        fmt::format("orthogonal-projection: for {} unknowns an explicit method costs least as long as "
                    "nothing is stiff, and the projection keeps every constraint",
                    system_.variables.size()));
    if (auto ok = take("orthogonal-projection"); !ok) return ok;
    fall_back_on(form);
    return use(std::move(form));
  }

  // Of a mechanism that is too large to be measured: what is redundant in it at the start.
  static Advice unmeasured(const ConstrainedForm& form) {
    Advice advice;
    if (std::ranges::none_of(form.system().equations, &Equation::keep)) return advice;
    advice.form = std::make_shared<const ConstrainedForm>(form);
    advice.measures.redundant = redundant_at_start(form);
    advice.suits_explicit = form.order == 2;
    return advice;
  }

  bool not_taken() {
    choice_.row = nullptr;
    return false;
  }

  // Redundant constraints of a mechanism are left out; the rest is regular, or loses rank only at times.
  // False: that is not so here.
  bool leave_out(const Advice& advice) {
    if (advice.form == nullptr || advice.measures.redundant.empty()) return false;
    auto independent = independent_system(system_, *advice.form, advice.measures.redundant);
    if (!independent) return false;
    const std::string left_out =
        fmt::format("{} of {} constraints {} redundant and left out", independent->names.size(),
                    advice.form->ny(), independent->names.size() == 1 ? "is" : "are");
    auto form = recognise_constrained_form(independent->system);
    if (!form) return false;
    if (advice.measures.singular) {
      if (!take("trust-region") || !use(*std::move(form))) return not_taken();
      because(fmt::format(
          "trust-region: {}; of the others some lose rank near t = {:.4g}, and it passes singular points",
          left_out, advice.measures.singular->t));
    } else if (advice.suits_explicit && may_project()) {
      if (!take("orthogonal-projection") || !use(*std::move(form))) return not_taken();
      because(fmt::format(
          "orthogonal-projection: {}; an explicit method costs least as long as nothing is stiff, "
          "and the projection keeps every constraint",
          left_out));
    } else {
      auto levels = make_level_system(independent->system);
      if (!levels || !take("dummy-derivatives")) return not_taken();
      because(fmt::format("dummy-derivatives: {}, which leaves a regular system", left_out));
      choice_.levels = std::make_shared<const LevelSystem>(*std::move(levels));
      if (choice_.levels->levels.size() <= watched_levels)
        choice_.form = std::make_shared<const ConstrainedForm>(*std::move(form));
    }
    choice_.independent = std::make_shared<const IndependentSystem>(*std::move(independent));
    choice_.full_form = advice.form;
    choice_.fallback = "trust-region";
    return true;
  }

  // Redundant joints under a formulation that was asked for by name; those that regularise take them as they
  // are.
  bool leave_out_by_name() {
    if (choice_.row->redundant || std::ranges::none_of(system_.equations, &Equation::keep)) return false;
    auto form = recognise_constrained_form(system_);
    if (!form) return false;
    Advice advice = unmeasured(*form);
    if (advice.measures.redundant.empty()) return false;
    // Are they redundant, or is it the start that is singular?
    if (system_.variables.size() <= measured_variables) {
      Advice measured = advise(system_, options_, Explore::No);
      if (measured.measures.taken && measured.form != nullptr) advice = std::move(measured);
    }
    auto independent = independent_system(system_, *advice.form, advice.measures.redundant);
    if (!independent) return false;
    if (choice_.row->any_dae) {
      auto levels = make_level_system(independent->system);
      if (!levels) return false;
      choice_.levels = std::make_shared<const LevelSystem>(*std::move(levels));
      watch(independent->system);
    } else {
      auto rest = recognise_constrained_form(independent->system);
      if (!rest || !use(*std::move(rest))) return false;
    }
    choice_.independent = std::make_shared<const IndependentSystem>(*std::move(independent));
    choice_.full_form = advice.form;
    return true;
  }

  // Dummy derivatives need no constrained form, but where there is one its rank is monitored.
  void watch() { watch(system_); }
  void watch(const DaeSystem& system) {
    if (choice_.levels->levels.size() > watched_levels) return;
    auto form = recognise_constrained_form(system);
    if (form) choice_.form = std::make_shared<const ConstrainedForm>(*std::move(form));
  }

  // An explicit integrator was asked for, and the formulation left to us.
  Result<void> make_ode() {
    auto form = recognise_constrained_form(system_, true);
    if (!form) {
      for (Diagnostic& diagnostic : form.error()) {
        diagnostic.message =
            fmt::format("integrator {} is explicit, and the model cannot be written as an ODE: {}",
                        choice_.integrator_row->name, diagnostic.message);
      }
      return std::unexpected(form.error());
    }
    const bool free = form->constraints.empty();
    const auto go_on = [&]() -> Result<void> {
      return leave_out_by_name() ? Result<void>() : use(*std::move(form));
    };
    if (choice_.integrator_row->make_mechanical != nullptr) {
      because(fmt::format(
          "orthogonal-projection: {} works on the constrained form itself, and output points keep every "
          "constraint",
          choice_.integrator_row->name));
      if (auto ok = take("orthogonal-projection"); !ok) return ok;
      return go_on();
    }
    because(free ? "index1: the model is an ODE, which the explicit integrator takes as it is"
                 : "orthogonal-projection: it makes an ODE of the model for the explicit integrator, and "
                   "keeps every "
                   "constraint");
    if (auto ok = take(free ? "index1" : "orthogonal-projection"); !ok) return ok;
    return go_on();
  }

  Result<void> take(const std::string& name) { return look_up_formulation(Selection(name)); }

  // The form and the model compiled from it are those of the measuring.
  Result<void> use_measured(const Advice& advice) {
    if (wrapper_ || advice.model == nullptr) return use(*advice.form);
    choice_.form = advice.form;
    choice_.levels = advice.model->shared_levels();
    choice_.model = advice.model;
    return {};
  }

  Result<void> use(ConstrainedForm form) {
    if (wrapper_) {
      const bool given = wrapper_->has("gamma");
      choice_.wrapped = std::make_shared<const ConstrainedForm>(form);
      form = with_regularised_mass(form, given ? std::optional(wrapper_->number("gamma")) : std::nullopt);
    }
    choice_.levels = std::make_shared<const LevelSystem>(level_system_of(form));
    choice_.form = std::make_shared<const ConstrainedForm>(std::move(form));
    return {};
  }

  Result<void> choose_integrator() {
    const int unknowns = static_cast<int>(choice_.levels->levels.size());
    const bool fixed = options_.step.has_value();
    std::string name;
    if (choice_.row->symmetric || symmetric_) {
      name = "implicit-midpoint";
      because("implicit-midpoint: a symmetric method for the symmetric projection");
      if (!fixed) return look_up_integrator(reversible(name));
    } else if (projects_only()) {
      name = "dop853";
      because("dop853: explicit and of order 8; radau takes over where the equations turn out to be stiff");
      choice_.stiff_row = find_integrator("radau");
    } else if (fixed) {
      name = "backward-euler";
      because("backward-euler: a fixed step was asked for");
    } else if (unknowns > radau_limit || suits_bdf(unknowns)) {
      name = "bdf";
      because(fmt::format("bdf: one real matrix a step suits {} unknowns{}", unknowns,
                          unknowns > radau_limit ? "" : ", and there are no events to begin anew after"));
    } else {
      name = "radau";
      // Its simplified Newton's method has one matrix for all stages, and does not converge to those on the
      // other side of a point where the sign of a singular value changes; that of bdf, at the end of a step,
      // does.
      const bool named = options_.formulation.name() != "auto";
      if (named && choice_.form != nullptr && choice_.form->ny() > 0)
        choice_.passing_row = find_integrator("bdf");
      // What stops one of them does not stop the other: stages at several times see more of a kink or of a
      // branch that ends than a formula at one.
      if (choice_.row->any_dae) choice_.other_row = find_integrator("bdf");
      because(fmt::format(
          "radau: for {} unknowns it is the most accurate for its cost, and restarts after events at "
          "full order",
          unknowns));
    }
    std::vector<OptionValue> values = options_.integrator.values();
    // Dummy derivatives are of index 1. Velocities and multipliers of higher index converge more slowly, and
    // the error estimate of higher orders does not know it: index3 would not get past 1.2 s of the pendulum.
    if (name == "radau" && choice_.row->any_dae && !options_.integrator.has("order") && !has_events()) {
      const Selection ordered = stiff_integrator(*find_integrator(name), rtol_);
      values.insert(values.end(), ordered.values().begin(), ordered.values().end());
    }
    return look_up_integrator(Selection(name, std::move(values)));
  }

  // Steps by the tolerances that are as symmetric as the method.
  [[nodiscard]] Selection reversible(const std::string& name) {
    because("steps are those at which a symmetric estimate of the error is the tolerance");
    auto values = options_.integrator.values();
    values.push_back({.name = "steps", .text = "reversible"});
    return {name, std::move(values)};
  }
  // Higher orders interpolate to a few tolerances only, where order 5 has its steps' own accuracy: that is
  // what crossings are located with, and what comes to rest is told from what goes on by. And between events
  // that follow each other soon there is no time to change orders.
  [[nodiscard]] bool has_events() const {
    const DaeSystem& system = choice_.levels->system();
    return !system.relations.empty() || !system.samples.empty();
  }
  // Each step of bdf costs one factorisation at most, and few of them; but after an event it begins at
  // order 1, and choices of states that change on the way ask for a method of one step.
  [[nodiscard]] bool suits_bdf(int unknowns) const {
    const LevelSystem& levels = *choice_.levels;
    if (unknowns <= radau_limit_without_events || rtol_ < sharp || has_events() ||
        std::ranges::any_of(levels.plan.c, [](int c) { return c != 0; }))
      return false;
    const int computed = ExplicitLevels(levels, std::vector<bool>(levels.equations.size(), true)).count();
    return unknowns - computed > radau_limit_without_events;
  }

  Result<void> check_integrator() {
    const IntegratorRow& row = *choice_.integrator_row;
    if (choice_.row->symmetric && std::ranges::find(symmetric_methods, row.name) == symmetric_methods.end())
      return fail(fmt::format("symmetric-projection needs a symmetric method, {}, but the integrator is {}",
                              fmt::join(symmetric_methods, " or "), row.name));
    if (row.make == nullptr && !choice_.row->ode && choice_.row->state_space == nullptr &&
        !choice_.row->symmetric) {
      return fail(
          fmt::format("integrator {} is explicit and needs a formulation that is an ODE, such as "
                      "orthogonal-projection or index1, but the formulation is {}",
                      row.name, choice_.row->name));
    }
    if (row.make_mechanical != nullptr) {
      if (!choice_.row->projects && choice_.row->name != "index1")
        return fail(
            fmt::format("integrator {} works on the constrained form itself, with orthogonal-projection or "
                        "index1, but the "
                        "formulation is {}",
                        row.name, choice_.row->name));
      if (const std::string why = mechanical_obstacle(*choice_.form, row.holonomic_only); !why.empty())
        return fail(fmt::format("integrator {} does not apply: {}", row.name, why));
    }
    const bool moves =
        choice_.row_options.has("velocity") && choice_.row_options.text("velocity") == "projected";
    if ((choice_.row->projects || moves) && !row.moves_end()) {
      return fail(
          fmt::format("formulation {} moves the end of each step, which integrator {} does not take; take "
                      "another one, such "
                      "as dop853, radau or bdf",
                      choice_.row->name, row.name));
    }
    if (choice_.row->name == "index3" && row.name == "implicit-midpoint")
      return fail(
          "implicit-midpoint does not damp errors of velocities in formulation index3, which grow from step "
          "to step; "
          "take radau, bdf or backward-euler, or formulation index2 or ggl");
    if (chooses_reversible_steps()) {
      if (!options_.step) return {};
      return fail(
          "give a step size, --step, or implicit-midpoint:steps=reversible, which finds its own, not both");
    }
    if (!row.adaptive && !options_.step)
      return fail(fmt::format("integrator {} works at a fixed step size: give it with --step H{}", row.name,
                              row.name == "implicit-midpoint"
                                  ? ", or let it find its own by implicit-midpoint:steps=reversible"
                                  : ""));
    return {};
  }

  [[nodiscard]] bool chooses_reversible_steps() const {
    const Selection& chosen = choice_.integrator;
    return chosen.has("steps") && chosen.text("steps") == "reversible";
  }

  // The underlying ODE, projected after each step.
  [[nodiscard]] bool projects_only() const { return choice_.row->projects && !choice_.row->symmetric; }

  const DaeSystem& system_;
  const RunOptions& options_;
  double rtol_;
  RunPlan choice_;
  bool symmetric_ = false;            // a symmetric method was asked for, by its formulation
  Explore explore_ = Explore::No;     // auto:explore=yes
  std::optional<Selection> wrapper_;  // singular-mass
};

}  // namespace

Result<RunPlan> plan(const DaeSystem& system, const RunOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  auto settings = run_settings(system, options);
  if (!settings) return std::unexpected(settings.error());
  std::vector<std::string> functions;
  for (const InputFunction& input : options.inputs) functions.push_back(input.name);
  auto with_functions = with_input_courses(system, functions);  // a copy
  if (!with_functions) return std::unexpected(with_functions.error());
  const auto own = std::make_shared<DaeSystem>(*std::move(with_functions));
  auto made = Chooser(*own, options, settings->tolerances.relative).run();
  if (!made) return made;
  made->system = own;
  made->options = options;
  made->settings = *settings;
  made->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return made;
}

}  // namespace daedalus
