#include "consistent/initialise.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "consistent/block_wise.hpp"
#include "consistent/consistent_start.hpp"
#include "consistent/explicit_part.hpp"
#include "consistent/tolerances.hpp"

namespace daedalus {
namespace {

constexpr int discrete_rounds = 60;

// Weights of nearness. A start value of something that can be a state means a wish; of an algebraic
// unknown it is a guess for Newton. The steps between the classes are wide, so that a lower class does not
// pull at a higher one (by more than their ratio squared, which the snap below removes).
constexpr double wish = 1;
constexpr double default_state = 1e-3;
constexpr double guess = 1e-6;
constexpr double nothing = 1e-7;
// What came out this near to a value, in units of its scale, was meant to be it, if the equations allow it:
// the weights of the lower classes pull by 1e-6 at most at one that was given, and defaults at each other.
constexpr double near_given = 1e-4;
constexpr double near_default = 1e-2;
// Of values that are held: relative residuals that Newton leaves where they contradict nothing.
constexpr double held_residual = 1e-10;
// Values that moved by more than this part of their scale are in the explanation.
constexpr double moved = 1e-9;
// And those by more than this are a warning: less is the rounding of start values written with six digits.
constexpr double told = 1e-5;

class Initialiser {
 public:
  Initialiser(const CompiledModel& model, std::span<double> environment, EventHandler& events,
              const StartValues* starts)
      : model_(model), environment_(environment), events_(events), system_(model.levels()), starts_(starts) {}

  Initialisation run() {
    out_.degrees_of_freedom = system_.plan.degrees_of_freedom;
    out_.starts = level_starts(system_, out_.diagnostics, starts_);
    if (!out_.diagnostics.empty()) return finish(Initialisation::Status::WrongInput);
    collect_unknowns();
    pose();
    put(problem_.guess);
    // Continuous and discrete parts in turn, until the discrete one stays as it is.
    for (int round = 0; round < discrete_rounds; ++round) {
      const bool changed = events_.initial_pass();
      if (round > 0 && !changed) return iterate_past();
      if (!solve()) return out_;
    }
    out_.reason = "the discrete variables do not settle during initialisation";
    return finish(Initialisation::Status::Failed);
  }

 private:
  // The event iteration that follows initialisation: pre() of everything is its value, until nothing changes.
  // What can be a state stays where initialisation has put it.
  Initialisation iterate_past() {
    const std::vector<bool> held = problem_.held;
    for (int round = 0; round < discrete_rounds; ++round) {
      if (!events_.restart_pass()) {
        problem_.held = held;
        return explain();
      }
      for (std::size_t k = 0; k < problem_.held.size(); ++k) {
        if (problem_.weight[k] < default_state) continue;
        problem_.held[k] = true;
        problem_.guess[k] = last_[k];
      }
      if (!solve()) return out_;
    }
    out_.reason = "the discrete variables do not settle after initialisation";
    return finish(Initialisation::Status::Failed);
  }

  Initialisation finish(Initialisation::Status status) {
    out_.status = status;
    return out_;
  }

  void collect_unknowns() { parameters_ = model_.start_conditions().parameters; }

  [[nodiscard]] int slot_of_unknown(std::size_t k) const {
    const auto levels = static_cast<std::size_t>(model_.level_count());
    if (k < levels) return model_.layout().levels + static_cast<int>(k);
    return model_.layout().discrete_slot[parameters_[k - levels].at()];
  }

  void put(std::span<const double> z) {
    for (std::size_t k = 0; k < z.size(); ++k)
      environment_[static_cast<std::size_t>(slot_of_unknown(k))] = z[k];
  }

  [[nodiscard]] bool as_compiled() const { return model_.start_conditions().as_compiled; }
  void compile_constraints() {
    if (jacobian_ != nullptr) return;
    const StartConditions& conditions = model_.start_conditions();
    jacobian_ = as_compiled() ? &model_.jacobian() : &conditions.jacobian;
    constraints_ = constraints_by(as_compiled() ? model_.residuals : conditions.residuals, *jacobian_);
  }
  ConstraintFunction constraints_by(const Program& residuals, const SparseJacobianProgram& jacobian) {
    return {.rows = static_cast<int>(residuals.roots()),
            .columns = model_.level_count() + static_cast<int>(parameters_.size()),
            .column_start = jacobian.column_start,
            .row = jacobian.row,
            .residual =
                [this, &residuals](std::span<const double> z, std::span<double> c) {
                  put(z);
                  residuals.evaluate(environment_, c, workspace_);
                },
            .jacobian =
                [this, &jacobian](std::span<const double> z, std::span<double> values) {
                  put(z);
                  jacobian.evaluate(environment_, values, jacobian_workspace_);
                }};
  }

  void pose() {
    for (std::size_t k = 0; k < out_.starts.size(); ++k) {
      const LevelStart& start = out_.starts[k];
      const Level& level = system_.levels[k];
      const int j = system_.incidence.column[level.variable.at()];
      const bool can_be_state = level.order < system_.plan.d[static_cast<std::size_t>(j)];
      const double state_weight = start.given ? wish : default_state;
      const double other_weight = start.given ? guess : nothing;
      problem_.guess.push_back(start.value);
      problem_.scale.push_back(start.scale);
      problem_.weight.push_back(can_be_state ? state_weight : other_weight);
      problem_.held.push_back(start.fixed);
      if (start.fixed) ++out_.conditions;
    }
    for (const VariableId v : parameters_) {
      const Variable& variable = model_.dae().variables[v.at()];
      problem_.guess.push_back(variable.start);
      problem_.scale.push_back(
          std::max(variable.has_nominal ? std::abs(variable.nominal) : 1.0, std::abs(variable.start)));
      problem_.weight.push_back(default_state);
      problem_.held.push_back(false);
    }
    out_.conditions +=
        static_cast<int>(model_.dae().initial_equations.size()) - static_cast<int>(parameters_.size());
  }

  [[nodiscard]] bool given(std::size_t k) const { return k < out_.starts.size() && out_.starts[k].given; }
  // A value that was given for something that can be a state, or has been fixed.
  [[nodiscard]] bool is_wish(std::size_t k) const { return given(k) && problem_.weight[k] >= default_state; }
  // A value that was given for an algebraic unknown. It is a guess for Newton unless it can decide something
  // that nobody else has decided. That a highest derivative is zero is what libraries write everywhere; it
  // decides nothing.
  [[nodiscard]] bool is_guess(std::size_t k) const {
    return given(k) && problem_.weight[k] < default_state &&
           (system_.levels[k].order == 0 || problem_.guess[k] != 0);
  }
  [[nodiscard]] bool is_default(std::size_t k) const {
    return !given(k) && problem_.weight[k] >= default_state && k < out_.starts.size();
  }

  [[nodiscard]] Willingness willingness(std::size_t k) const {
    if (problem_.held[k]) return Willingness::Held;
    if (is_wish(k)) return Willingness::Given;
    if (is_guess(k)) return Willingness::Guess;
    return is_default(k) ? Willingness::Default : Willingness::Free;
  }

  [[nodiscard]] BlockWiseProblem block_problem() {
    BlockWiseProblem problem;
    // Derivatives are added to a copy: the model's own graph is shared.
    if (graph_ == nullptr) graph_ = std::make_unique<ExprGraph>(*model_.dae().graph);
    ExprGraph& graph = *graph_;
    problem.graph = &graph;
    for (const LevelEquation& e : system_.equations) problem.rows.push_back(e.residual);
    for (const Equation& e : model_.dae().initial_equations) problem.rows.push_back(e.residual);
    for (const Level& level : system_.levels)
      problem.columns.push_back(graph.variable(level.variable, level.order));
    for (const VariableId v : parameters_) problem.columns.push_back(graph.discrete(v));
    problem.scale = problem_.scale;
    problem.leaf = [this](NodeId leaf) { return environment_[static_cast<std::size_t>(model_.slot(leaf))]; };
    return problem;
  }

  // Block by block first, from the values in the environment.
  void first_guess() {
    BlockWiseProblem problem = block_problem();
    for (std::size_t k = 0; k < problem_.weight.size(); ++k) problem.willing.push_back(willingness(k));
    const BlockWiseResult result = solve_block_wise(problem, last_.empty() ? problem_.guess : last_);
    problem_.first = result.z;
    solved_for_ = result.solved_for;
    equilibrate();
  }

  // Unknowns of which nothing is known get a scale by their coefficients: 1e-10 * der(v) beside a current of
  // order 1 says that der(v) is of order 1e10.
  void equilibrate() {
    std::vector<double> values(jacobian_->row.size());
    constraints_.jacobian(problem_.first, values);
    for (const double value : values) {
      if (!std::isfinite(value)) return;
    }
    for (int pass = 0; pass < 3; ++pass) {
      std::vector<double> row_size(static_cast<std::size_t>(constraints_.rows), 0);
      for_entries([&](std::size_t k, std::size_t column, std::size_t row) {
        row_size[row] = std::max(row_size[row], std::abs(values[k]) * problem_.scale[column]);
      });
      std::vector<double> column_size(problem_.scale.size(), 0);
      for_entries([&](std::size_t k, std::size_t column, std::size_t row) {
        if (row_size[row] > 0)
          column_size[column] =
              std::max(column_size[column], std::abs(values[k]) * problem_.scale[column] / row_size[row]);
      });
      for (std::size_t k = 0; k < column_size.size(); ++k) {
        if (problem_.weight[k] <= guess && column_size[k] > 0) problem_.scale[k] /= column_size[k];
      }
    }
    for (std::size_t k = 0; k < problem_.scale.size(); ++k) {
      if (problem_.weight[k] <= guess)
        problem_.scale[k] = std::max(problem_.scale[k], std::abs(problem_.first[k]));
    }
  }

  template <class F>
  void for_entries(F&& visit) const {
    for (std::size_t column = 0; column < static_cast<std::size_t>(constraints_.columns); ++column) {
      for (int k = jacobian_->column_start[column]; k < jacobian_->column_start[column + 1]; ++k) {
        visit(static_cast<std::size_t>(k), column,
              static_cast<std::size_t>(jacobian_->row[static_cast<std::size_t>(k)]));
      }
    }
  }

  // Whether the start values fulfil what they must, so that accelerations and multipliers follow at once.
  bool solve_consistent() {
    if (!parameters_.empty()) return false;
    std::vector<bool> follows;
    for (const double weight : problem_.weight) follows.push_back(weight <= guess);
    std::optional<std::vector<double>> found;
    if (as_compiled() && model_.spares_jacobian()) {
      found = consistent_start(constraints_by(model_.residuals, model_.start_jacobian()), problem_, follows);
    } else {
      compile_constraints();
      found = consistent_start(constraints_, problem_, follows);
    }
    if (!found || overrules_guess(*found)) return false;
    last_ = *std::move(found);
    put(last_);
    return true;
  }

  // A value that somebody gave gives way to one that nobody gave.
  [[nodiscard]] bool overrules_guess(std::span<const double> z) const {
    bool defaults = false;
    bool moved_guess = false;
    for (std::size_t k = 0; k < out_.starts.size(); ++k) {
      defaults = defaults || (is_default(k) && !problem_.held[k]);
      moved_guess =
          moved_guess || (is_guess(k) && std::abs(z[k] - problem_.guess[k]) > moved * problem_.scale[k]);
    }
    return defaults && moved_guess;
  }

  // The values that were given win over those that nobody gave, exactly where they can: first all of them
  // are held, then those of states, last they may move.
  bool solve() {
    if (last_.empty() && solve_consistent()) return true;
    compile_constraints();
    first_guess();
    const ExplicitPart explicit_part(constraints_, [this](std::size_t k) { return willingness(k); });
    reduced_ = explicit_part.reduced(constraints_);
    NearestProblem posed = problem_;
    for (const int column : explicit_part.columns()) {
      posed.held[static_cast<std::size_t>(column)] = true;
      posed.guess[static_cast<std::size_t>(column)] = posed.first[static_cast<std::size_t>(column)];
    }
    for (const bool guesses_too : {true, false}) {
      if (auto found = hold_given(posed, guesses_too); found && assign_explicit(explicit_part, *found))
        return true;
    }
    if (std::vector<double> z = problem_.first; !moves_given(z) && !ran_away(z) && fulfils(z)) {
      put(z);
      last_ = std::move(z);
      return true;
    }
    NearestResult result = nearest_point(reduced_, posed);
    if (result.status == NearestStatus::NotFinite) result = retry_shaken(posed, result);
    if (result.status == NearestStatus::Ok && ran_away(result.z)) {
      // A contradiction "solved" at infinity: 0 * v = 1 with 0 taken as 1e-9. At the start values it shows.
      result.status = NearestStatus::NoConvergence;
      result.z = problem_.guess;
      result.bad_row = -1;
    }
    if (result.status == NearestStatus::Ok) {
      snap(posed, result);
      if (assign_explicit(explicit_part, result.z)) return true;
      result.status = NearestStatus::NoConvergence;
      result.bad_row = -1;
    } else if (std::vector<double> z = problem_.first; !ran_away(z) && fulfils(z)) {
      // The derivatives of some equation have no value there, but block by block all were fulfilled.
      put(z);
      last_ = std::move(z);
      return true;
    }
    complain(result);
    return false;
  }

  // All values that were given held, if the equations allow it. `guesses_too`: also those of algebraic
  // unknowns that no equation needs to be solved for.
  std::optional<std::vector<double>> hold_given(const NearestProblem& posed, bool guesses_too) {
    NearestProblem exact = posed;
    bool any = false;
    for (std::size_t k = 0; k < exact.guess.size(); ++k) {
      if (exact.held[k] || !(is_wish(k) || (guesses_too && is_guess(k) && !solved_for_[k]))) continue;
      exact.held[k] = true;
      exact.first[k] = exact.guess[k];
      any = true;
    }
    if (!any) return std::nullopt;
    NearestResult result = nearest_point(reduced_, exact);
    if (result.status != NearestStatus::Ok || result.residual > held_residual || ran_away(result.z))
      return std::nullopt;
    return std::move(result.z);
  }

  // The equations that were taken out are assigned, and all are checked.
  bool assign_explicit(const ExplicitPart& explicit_part, std::vector<double> z) {
    if (!explicit_part.columns().empty()) {
      BlockWiseProblem problem = block_problem();
      std::vector<NodeId> rows;
      for (const int row : explicit_part.rows()) rows.push_back(problem.rows[static_cast<std::size_t>(row)]);
      problem.rows = std::move(rows);
      problem.willing.assign(z.size(), Willingness::Held);
      for (const int column : explicit_part.columns())
        problem.willing[static_cast<std::size_t>(column)] = Willingness::Free;
      put(z);
      z = solve_block_wise(problem, z).z;
    }
    if (!fulfils(z)) return false;
    put(z);
    last_ = std::move(z);
    return true;
  }

  [[nodiscard]] bool moves_given(std::span<const double> z) const {
    for (std::size_t k = 0; k < out_.starts.size(); ++k) {
      if (is_wish(k) && z[k] != problem_.guess[k]) return true;
    }
    return false;
  }

  // Whether all conditions hold at z, each relative to its terms. Where a derivative has no value (sqrt(x) at
  // 0) the term counts by the scale of its unknown.
  [[nodiscard]] bool fulfils(std::span<const double> z) {
    std::vector<double> c(static_cast<std::size_t>(constraints_.rows));
    std::vector<double> values(jacobian_->row.size());
    std::vector<double> terms(c.size(), 0);
    constraints_.residual(z, c);
    constraints_.jacobian(z, values);
    for_entries([&](std::size_t k, std::size_t column, std::size_t row) {
      const double term = std::abs(values[k]) * std::max(problem_.scale[column], std::abs(z[column]));
      if (std::isfinite(term)) terms[row] = std::max(terms[row], term);
    });
    for (std::size_t r = 0; r < c.size(); ++r) {
      if (!(std::abs(c[r]) <= consistent::fulfilled * (terms[r] > 0 ? terms[r] : 1))) return false;
    }
    return true;
  }

  [[nodiscard]] bool ran_away(std::span<const double> z) const {
    constexpr double far = 1e6;
    for (std::size_t k = 0; k < out_.starts.size(); ++k) {
      if (problem_.weight[k] >= default_state && std::abs(z[k] - problem_.guess[k]) > far * problem_.scale[k])
        return true;
    }
    return false;
  }

  // Unknowns without a start value begin at 0, where 1/x or log(x) has no value: try elsewhere.
  NearestResult retry_shaken(const NearestProblem& posed, const NearestResult& first) {
    for (const double shift : consistent::elsewhere) {
      NearestProblem shaken = posed;
      for (std::size_t k = 0; k < shaken.guess.size(); ++k) {
        const bool free = !shaken.held[k] && (k >= out_.starts.size() || !out_.starts[k].given);
        if (free) shaken.first[k] += shift * shaken.scale[k] * (1 + (0.1 * static_cast<double>(k % 7)));
      }
      NearestResult result = nearest_point(reduced_, shaken);
      if (result.status == NearestStatus::Ok) return result;
    }
    return first;
  }

  // What came out within a hair of its start value shall be it exactly.
  void snap(const NearestProblem& posed, NearestResult& result) {
    for (const bool also_defaults : {true, false}) {
      NearestProblem exact = posed;
      bool any = false;
      for (std::size_t k = 0; k < out_.starts.size(); ++k) {
        if (exact.held[k] || problem_.weight[k] < default_state) continue;
        const double off = std::abs(result.z[k] - problem_.guess[k]) / problem_.scale[k];
        const bool near = out_.starts[k].given ? off < near_given : also_defaults && off < near_default;
        if (!near) continue;
        exact.held[k] = true;
        any = any || result.z[k] != problem_.guess[k];
      }
      if (!any) return;
      exact.first = result.z;
      for (std::size_t k = 0; k < exact.guess.size(); ++k) {
        if (exact.held[k]) exact.first[k] = exact.guess[k];
      }
      NearestResult snapped = nearest_point(reduced_, exact);
      if (snapped.status == NearestStatus::Ok && snapped.residual < held_residual) {
        result = std::move(snapped);
        return;
      }
    }
  }

  [[nodiscard]] std::string row_text(int row) const {
    const auto equations = static_cast<int>(system_.equations.size());
    if (row < equations) return system_.equation_name(system_.equations[static_cast<std::size_t>(row)]);
    return "initial equation " +
           equation_text(model_.dae(),
                         model_.dae().initial_equations[static_cast<std::size_t>(row - equations)]);
  }

  [[nodiscard]] SourceSpan row_span(int row) const {
    const auto equations = static_cast<int>(system_.equations.size());
    if (row < equations)
      return model_.dae()
          .equations[static_cast<std::size_t>(system_.equations[static_cast<std::size_t>(row)].equation)]
          .span;
    return model_.dae().initial_equations[static_cast<std::size_t>(row - equations)].span;
  }

  [[nodiscard]] std::string value_text(int unknown, std::span<const double> z) const {
    const auto k = static_cast<std::size_t>(unknown);
    const std::string name =
        unknown < model_.level_count()
            ? system_.level_name(unknown)
            : model_.dae()
                  .variables[parameters_[k - static_cast<std::size_t>(model_.level_count())].at()]
                  .name;
    return fmt::format("{} = {:.8g}", name, z[k]);
  }

  // The values that a row depends on, for messages.
  [[nodiscard]] std::string values_in_row(int row, std::span<const double> z) const {
    std::vector<std::string> parts;
    for (int column = 0; column < constraints_.columns; ++column) {
      for (int k = jacobian_->column_start[static_cast<std::size_t>(column)];
           k < jacobian_->column_start[static_cast<std::size_t>(column) + 1]; ++k) {
        if (jacobian_->row[static_cast<std::size_t>(k)] == row && parts.size() < 8)
          parts.push_back(value_text(column, z));
      }
    }
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  void complain(NearestResult result) {
    if (result.bad_row < 0) {
      // Of all equations, those that were to be assigned as well.
      std::vector<double> c(static_cast<std::size_t>(constraints_.rows));
      constraints_.residual(result.z, c);
      const auto bad = std::ranges::find_if(c, [](double v) { return !std::isfinite(v); });
      if (bad != c.end()) {
        result.status = NearestStatus::NotFinite;
        result.bad_row = static_cast<int>(bad - c.begin());
      }
    }
    if (result.status == NearestStatus::NotFinite) {
      out_.diagnostics.push_back(
          {.severity = Severity::Error,
           .message = fmt::format(
               "{} has no finite value at the start values ({}): a division by zero, or a function outside "
               "its domain; give start values at which it can be evaluated",
               row_text(result.bad_row), values_in_row(result.bad_row, problem_.guess)),
           .span = row_span(result.bad_row),
           .related = {}});
      out_.status = Initialisation::Status::WrongInput;
      return;
    }
    if (complain_of_gaps(result)) return;
    for (const Dependency& dependency : find_dependencies(constraints_, problem_, result.z)) {
      if (std::abs(dependency.defect) < 1e-8) continue;
      add_contradiction(dependency, result.z);
    }
    if (!out_.diagnostics.empty()) {
      out_.status = Initialisation::Status::WrongInput;
      return;
    }
    out_.status = Initialisation::Status::Failed;
    out_.reason =
        result.bad_row >= 0
            ? fmt::format(
                  "no consistent initial values were found from the start values; {} could not be fulfilled "
                  "(with {}); "
                  "give start values nearer to a solution",
                  row_text(result.bad_row), values_in_row(result.bad_row, result.z))
            : std::string(
                  "no consistent initial values were found: the equations are singular at the start values");
  }

  void add_contradiction(const Dependency& dependency, std::span<const double> z) {
    std::vector<std::string> given;
    for (const int k : dependency.held) given.push_back(value_text(k, z));
    std::vector<std::string> rows;
    for (const int row : dependency.rows) {
      if (rows.size() < 6) rows.push_back(row_text(row));
    }
    Diagnostic diagnostic;
    diagnostic.span = row_span(dependency.rows.front());
    const std::string what =
        given.empty() ? "these conditions contradict each other"
                      : fmt::format("the fixed start values {} contradict", fmt::join(given, " and "));
    diagnostic.message = fmt::format(
        "{}{} {} (off by {:.6g}); free one of them (fixed = false), change a value, or remove an initial "
        "equation",
        what, given.empty() ? ":" : "", fmt::join(rows, "; "), std::abs(dependency.defect));
    for (const int k : dependency.held) {
      const VariableId v = out_.starts[static_cast<std::size_t>(k)].source;
      const Variable& variable = model_.dae().variables[v.at()];
      diagnostic.related.push_back({.severity = Severity::Note,
                                    .message = fmt::format("{} is fixed here", variable.name),
                                    .span = variable.span,
                                    .related = {}});
    }
    out_.diagnostics.push_back(std::move(diagnostic));
  }

  // Values that were given for states and could not be kept: one warning with both values of each.
  void warn_of_moved() {
    constexpr std::size_t shown = 4;
    std::vector<std::string> texts;
    std::size_t count = 0;
    for (std::size_t k = 0; k < out_.starts.size(); ++k) {
      const LevelStart& start = out_.starts[k];
      if (!is_wish(k) || start.fixed || std::abs(last_[k] - start.value) <= told * start.scale) continue;
      if (++count > shown) continue;
      texts.push_back(
          fmt::format("{} instead of {:.8g}", value_text(static_cast<int>(k), last_), start.value));
    }
    if (count == 0) return;
    out_.warnings.push_back(
        fmt::format("start values that do not fit the equations were changed: {}{}", fmt::join(texts, ", "),
                    count > shown ? fmt::format(" and {} more", count - shown) : std::string()));
  }

  // How far the nearest fitting values are from those that were given.
  void name_largest_change() {
    double largest = moved;
    std::size_t most = out_.starts.size();
    for (std::size_t k = 0; k < out_.starts.size(); ++k) {
      const LevelStart& start = out_.starts[k];
      if (!start.given || start.fixed || problem_.weight[k] < wish) continue;
      const double change = std::abs(last_[k] - start.value) / start.scale;
      if (change <= largest) continue;
      largest = change;
      most = k;
    }
    if (most == out_.starts.size()) return;
    out_.lines.push_back(fmt::format("largest change of a start value: {} from {:.8g} to {:.8g}",
                                     system_.level_name(static_cast<int>(most)), out_.starts[most].value,
                                     last_[most]));
  }

  // A mechanism that does not close: which of its constraints are how far open where the search ended.
  bool complain_of_gaps(const NearestResult& result) {
    std::vector<double> residual(static_cast<std::size_t>(constraints_.rows));
    constraints_.residual(result.z, residual);
    std::vector<std::pair<double, int>> gaps;
    for (std::size_t r = 0; r < system_.equations.size(); ++r) {
      const LevelEquation& e = system_.equations[r];
      const bool constraint = system_.plan.c[static_cast<std::size_t>(e.equation)] > 0 && e.level == 0;
      const Equation& equation = model_.dae().equations[static_cast<std::size_t>(e.equation)];
      if (constraint && equation.keep && std::abs(residual[r]) > 1e-6)
        gaps.emplace_back(std::abs(residual[r]), static_cast<int>(r));
    }
    if (gaps.empty()) return false;
    std::ranges::sort(gaps, std::greater<>());
    std::vector<std::string> texts;
    for (std::size_t k = 0; k < std::min<std::size_t>(gaps.size(), 4); ++k)
      texts.push_back(fmt::format("{} is off by {:.4g}", row_text(gaps[k].second), gaps[k].first));
    out_.diagnostics.push_back(
        {.severity = Severity::Error,
         .message =
             fmt::format("the mechanism cannot be closed from its start: {}{}; check lengths and places, or "
                         "start nearer to a position in which it fits",
                         fmt::join(texts, ", "),
                         gaps.size() > 4 ? fmt::format(" and {} more", gaps.size() - 4) : std::string()),
         .span = row_span(gaps.front().second),
         .related = {}});
    out_.status = Initialisation::Status::WrongInput;
    return true;
  }

  Initialisation explain() {
    std::vector<std::string> fixed;
    std::vector<std::string> moved_texts;
    constexpr std::size_t shown = 20;
    for (std::size_t k = 0; k < out_.starts.size(); ++k) {
      const LevelStart& start = out_.starts[k];
      if (start.fixed && fixed.size() < shown) fixed.push_back(value_text(static_cast<int>(k), last_));
      if (start.given && !start.fixed && std::abs(last_[k] - start.value) > moved * start.scale &&
          moved_texts.size() < shown) {
        moved_texts.push_back(
            fmt::format("{} (start {:.8g})", value_text(static_cast<int>(k), last_), start.value));
      }
    }
    name_largest_change();
    warn_of_moved();
    const int free = out_.degrees_of_freedom - out_.conditions;
    out_.lines.push_back(
        fmt::format("{} degrees of freedom, {} conditions given{}", out_.degrees_of_freedom, out_.conditions,
                    free > 0   ? fmt::format("; {} left free, chosen nearest to the start values", free)
                    : free < 0 ? fmt::format("; {} more than needed, but they agree", -free)
                               : std::string()));
    if (!fixed.empty()) out_.lines.push_back(fmt::format("fixed: {}", fmt::join(fixed, ", ")));
    if (!moved_texts.empty())
      out_.lines.push_back(fmt::format("moved from their start values to fit the equations: {}",
                                       fmt::join(moved_texts, ", ")));
    std::size_t hidden = 0;
    for (const LevelEquation& e : system_.equations) {
      if (e.level == 0) continue;
      if (++hidden <= shown) out_.lines.push_back("hidden constraint fulfilled: " + system_.equation_name(e));
    }
    if (hidden > shown) out_.lines.push_back(fmt::format("and {} more hidden constraints", hidden - shown));
    return finish(Initialisation::Status::Ok);
  }

  const CompiledModel& model_;
  std::span<double> environment_;
  EventHandler& events_;
  const LevelSystem& system_;
  const StartValues* starts_;  // null: the model's own
  Initialisation out_;
  std::vector<VariableId> parameters_;
  std::unique_ptr<ExprGraph> graph_;
  const SparseJacobianProgram* jacobian_ = nullptr;
  ConstraintFunction constraints_;
  ConstraintFunction reduced_;  // without what is assigned afterwards
  std::vector<bool> solved_for_;
  NearestProblem problem_;
  std::vector<double> workspace_, jacobian_workspace_;
  std::vector<double> last_;
};

}  // namespace

Initialisation initialise(const CompiledModel& model, std::span<double> environment, EventHandler& events,
                          const StartValues* starts) {
  return Initialiser(model, environment, events, starts).run();
}

ConstraintFunction level_constraints(const CompiledModel& model, std::span<double> environment) {
  const auto put = [&model, &environment](std::span<const double> z) {
    std::ranges::copy(z, environment.begin() + model.layout().levels);
  };
  return {.rows = model.equation_count(),
          .columns = model.level_count(),
          .column_start = model.jacobian().column_start,
          .row = model.jacobian().row,
          .residual =
              [&model, &environment, put](std::span<const double> z, std::span<double> c) {
                put(z);
                std::vector<double> workspace;
                model.residuals.evaluate(environment, c, workspace);
              },
          .jacobian =
              [&model, &environment, put](std::span<const double> z, std::span<double> values) {
                put(z);
                std::vector<double> workspace;
                model.jacobian().evaluate(environment, values, workspace);
              }};
}

}  // namespace daedalus
