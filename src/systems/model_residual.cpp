#include "systems/model_residual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "numerics/pattern_builder.hpp"

namespace daedalus {
namespace {

// In Newton's norm, of an algebraic unknown: with 0.03 of a tolerance for states it is solved to 300.
constexpr double algebraic_weight = 1e-4;

// In the place of a component of y.
constexpr int rate_of_the_one_below = -1;
constexpr int computed = -2;

}  // namespace

ModelResidual::ModelResidual(const CompiledModel& model, const Options& options)
    : model_(model), output_rows_(model) {
  number_equations(options.leave_out_superfluous);
  if (options.compute_explicit) find_explicit();
  number_unknowns();
  if (explicit_ != nullptr) compile_explicit();
  jacobian_values_.resize(model.jacobian().row.size());
  all_residuals_.resize(static_cast<std::size_t>(model.equation_count()));
}

// Mattsson, Söderlind 1991 §3, "Removing superfluous differentiations": in a marked block the most
// differentiated equations are left out, and its highest derivatives are derivatives of the level below
// instead of dummies.
void ModelResidual::number_equations(bool leave_out_superfluous) {
  const LevelSystem& system = model_.levels();
  std::vector<bool> dropped(system.system().equations.size(), false);
  open_top_.assign(system.incidence.unknowns.size(), false);
  if (leave_out_superfluous) {
    const std::vector<bool> marked = superfluous_blocks(system.incidence.signature, system.plan);
    for (std::size_t b = 0; b < marked.size(); ++b) {
      if (!marked[b]) continue;
      for (const int i : system.plan.blocks[b].equations)
        dropped[static_cast<std::size_t>(i)] = system.plan.c[static_cast<std::size_t>(i)] > 0;
      for (const int j : system.plan.blocks[b].variables) open_top_[static_cast<std::size_t>(j)] = true;
    }
  }
  row_of_equation_.clear();
  for (const LevelEquation& equation : system.equations) {
    const auto i = static_cast<std::size_t>(equation.equation);
    const bool out = dropped[i] && equation.level == system.plan.c[i];
    row_of_equation_.push_back(out ? -1 : algebraic_rows_++);
  }
}

// Equations that define an unknown go, and those that are left close up.
void ModelResidual::find_explicit() {
  std::vector<bool> may_define(row_of_equation_.size());
  for (std::size_t e = 0; e < may_define.size(); ++e) may_define[e] = row_of_equation_[e] >= 0;
  auto found = std::make_shared<ExplicitLevels>(model_.levels(), may_define);
  if (found->empty()) return;
  algebraic_rows_ = 0;
  for (std::size_t e = 0; e < may_define.size(); ++e) {
    const bool left = may_define[e] && !found->has_equation(static_cast<int>(e));
    row_of_equation_[e] = left ? algebraic_rows_++ : -1;
  }
  explicit_ = std::move(found);
}

void ModelResidual::compile_explicit() {
  std::vector<ExplicitLevels::Place> places(y_of_level_.size());
  for (std::size_t level = 0; level < places.size(); ++level) {
    const int own = y_of_level_[level];
    places[level] = own == rate_of_the_one_below
                        ? ExplicitLevels::Place{.component = y_of_level_[level - 1], .rate = true}
                        : ExplicitLevels::Place{.component = own, .rate = false};
  }
  auto compiled = std::make_shared<ExplicitLevels>(*explicit_);
  compiled->compile(model_, row_of_equation_, places);
  explicit_ = std::move(compiled);
}

namespace {

std::vector<bool> read_by_relations(const DaeSystem& system) {
  std::vector<bool> read(system.variables.size(), false);
  for (const Relation& relation : system.relations) {
    for (const NodeId leaf : leaves_of(*system.graph, relation.difference)) {
      if (system.graph->node(leaf).op == Op::Variable) read[system.graph->variable_of(leaf).at()] = true;
    }
  }
  return read;
}

}  // namespace

void ModelResidual::number_unknowns() {
  const LevelSystem& system = model_.levels();
  std::vector<bool> can_pivot(system.incidence.unknowns.size(), false);
  for (const PivotBlock& block : model_.selection.blocks) {
    for (const int j : block.variables)
      can_pivot[static_cast<std::size_t>(j)] = !open_top_[static_cast<std::size_t>(j)];
  }
  y_of_level_.assign(system.levels.size(), rate_of_the_one_below);
  for (std::size_t j = 0; j < can_pivot.size(); ++j) {
    const int last = can_pivot[j] || system.plan.d[j] == 0 ? system.plan.d[j] : system.plan.d[j] - 1;
    for (int k = 0; k <= last; ++k) {
      const int level = system.level_start[j] + k;
      if (explicit_ != nullptr && explicit_->has_level(level)) {
        y_of_level_[static_cast<std::size_t>(level)] = computed;
        continue;
      }
      y_of_level_[static_cast<std::size_t>(level)] = static_cast<int>(level_of_y_.size());
      level_of_y_.push_back(level);
    }
  }
}

void ModelResidual::select(const std::vector<int>& taken) {
  const LevelSystem& system = model_.levels();
  states_ = state_levels(system, taken);
  rows_.clear();
  const std::vector<bool> idle = output_only(*model_.dae().graph, system.incidence);
  const std::vector<bool> watched = read_by_relations(model_.dae());
  components_.assign(level_of_y_.size(),
                     Component{.differential = false, .error_tested = false, .index = 1, .nominal = 1});
  for (std::size_t y = 0; y < level_of_y_.size(); ++y) {
    const Level& level = system.levels[static_cast<std::size_t>(level_of_y_[y])];
    const Variable& variable = model_.dae().variables[level.variable.at()];
    components_[y].nominal = variable.has_nominal && variable.nominal != 0 ? std::abs(variable.nominal) : 1;
    // Highest derivatives and algebraic unknowns act on the states only through h times themselves, so they
    // count h times in the norms (as an index-2 unknown does); algebraic ones follow from the states and are
    // not tested. (Leaving the highest derivatives out of the error test too costs the pendulum of Mattsson,
    // Söderlind 1991, case 2, a factor 3 in energy for 17 % fewer steps.) One that decides over an event is
    // tested: steps must not pass over it.
    const auto column = static_cast<std::size_t>(system.incidence.column[level.variable.at()]);
    const int highest = system.plan.d[column];
    components_[y].counts = highest > 0 || !idle[column] || watched[level.variable.at()];
    components_[y].error_tested = highest > 0 || watched[level.variable.at()];
    components_[y].index = level.order == highest ? 2 : 1;
    if (highest == 0 && components_[y].counts) components_[y].least_weight = algebraic_weight;
  }
  for (const int s : states_) {
    components_[static_cast<std::size_t>(y_of_level_[static_cast<std::size_t>(s)])].differential = true;
    if (y_of_level_[static_cast<std::size_t>(s) + 1] >= 0) rows_.push_back(s);
  }
  for (std::size_t level = 0; level < y_of_level_.size(); ++level) {
    if (y_of_level_[level] == rate_of_the_one_below)
      components_[static_cast<std::size_t>(y_of_level_[level - 1])].differential = true;
  }
  build_pattern();
}

void ModelResidual::build_pattern() {
  const int n = size();
  const int algebraic = algebraic_rows_;
  const auto& jacobian = model_.jacobian();
  // Every entry, in the order: the model's Jacobian, rates of rows, nexts of rows.
  PatternBuilder builder(n);
  targets_.clear();
  for (int level = 0; level < model_.level_count(); ++level) {
    const int own = y_of_level_[static_cast<std::size_t>(level)];
    if (own == computed) {  // no place in the pattern; what it stands for comes by elimination
      const int entries = jacobian.column_start[static_cast<std::size_t>(level) + 1] -
                          jacobian.column_start[static_cast<std::size_t>(level)];
      targets_.insert(targets_.end(), static_cast<std::size_t>(entries), {.position = -1, .rate = false});
      continue;
    }
    const int column = own >= 0 ? own : y_of_level_[static_cast<std::size_t>(level) - 1];
    for (int k = jacobian.column_start[static_cast<std::size_t>(level)];
         k < jacobian.column_start[static_cast<std::size_t>(level) + 1]; ++k) {
      const int row = row_of_equation_[static_cast<std::size_t>(jacobian.row[static_cast<std::size_t>(k)])];
      // An entry of an equation left out still needs a place in the lists; it is given none in the pattern.
      targets_.push_back({.position = row < 0 ? -1 : builder.add(row, column), .rate = own < 0});
    }
  }
  row_rate_position_.clear();
  row_next_position_.clear();
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const auto s = static_cast<std::size_t>(rows_[r]);
    row_rate_position_.push_back(builder.add(algebraic + static_cast<int>(r), y_of_level_[s]));
    row_next_position_.push_back(builder.add(algebraic + static_cast<int>(r), y_of_level_[s + 1]));
  }
  filled_.clear();
  if (explicit_ != nullptr) {
    for (const ExplicitLevels::Filled& f : explicit_->filled())
      filled_.push_back({.position = builder.add(f.row, f.place.component), .rate = f.place.rate});
  }
  PatternBuilder::Built built = builder.build();
  pattern_ = std::move(built.pattern);
  const auto place = [&](int& entry) {
    if (entry >= 0) entry = built.position[static_cast<std::size_t>(entry)];
  };
  for (auto& target : targets_) place(target.position);
  for (auto& target : filled_) place(target.position);
  std::ranges::for_each(row_rate_position_, place);
  std::ranges::for_each(row_next_position_, place);
}

void ModelResidual::scatter_kept(double t, std::span<const double> y, std::span<const double> yp) {
  environment_[static_cast<std::size_t>(model_.layout().time)] = t;
  double* levels = environment_.data() + model_.layout().levels;
  for (std::size_t level = 0; level < y_of_level_.size(); ++level) {
    const int own = y_of_level_[level];
    if (own == computed) continue;
    levels[level] =
        own >= 0 ? y[static_cast<std::size_t>(own)] : yp[static_cast<std::size_t>(y_of_level_[level - 1])];
  }
}

void ModelResidual::scatter(double t, std::span<const double> y, std::span<const double> yp) {
  scatter_kept(t, y, yp);
  if (explicit_ != nullptr) explicit_->evaluate(environment_, explicit_workspace_);
}

void ModelResidual::gather(std::span<const double> levels, std::span<double> y) const {
  for (std::size_t k = 0; k < level_of_y_.size(); ++k)
    y[k] = levels[static_cast<std::size_t>(level_of_y_[k])];
}

bool ModelResidual::check_finite(std::span<const double> values) {
  // A sum is finite only if all terms are; one branch instead of one an entry.
  double sum = 0;
  for (const double value : values) sum += value * 0.0;
  if (sum == 0) return true;
  const auto bad = std::ranges::find_if(values, [](double v) { return !std::isfinite(v); });
  bad_equation_ = static_cast<int>(bad - values.begin());
  return false;
}

bool ModelResidual::residual(double t, std::span<const double> y, std::span<const double> yp,
                             std::span<double> r) {
  scatter_kept(t, y, yp);
  const auto algebraic = static_cast<std::size_t>(algebraic_rows_);
  if (explicit_ != nullptr) {
    explicit_->residuals().evaluate(environment_, r.first(algebraic), workspace_);
  } else if (algebraic_rows_ == model_.equation_count()) {
    model_.residuals.evaluate(environment_, r.first(algebraic), workspace_);
  } else {
    model_.residuals.evaluate(environment_, all_residuals_, workspace_);
    for (std::size_t e = 0; e < row_of_equation_.size(); ++e) {
      if (row_of_equation_[e] >= 0) r[static_cast<std::size_t>(row_of_equation_[e])] = all_residuals_[e];
    }
  }
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const auto s = static_cast<std::size_t>(rows_[k]);
    r[algebraic + k] =
        yp[static_cast<std::size_t>(y_of_level_[s])] - y[static_cast<std::size_t>(y_of_level_[s + 1])];
  }
  if (check_finite(r)) return true;
  find_bad_equation();
  return false;
}

// Rows are equations in their order, without those left out. Where an unknown that is computed has no value,
// it is for its own equation.
void ModelResidual::find_bad_equation() {
  const auto found = std::ranges::find(row_of_equation_, bad_equation_);
  bad_equation_ = found == row_of_equation_.end() ? -1 : static_cast<int>(found - row_of_equation_.begin());
  if (explicit_ == nullptr) return;
  explicit_->evaluate(environment_, explicit_workspace_);
  if (const int equation = explicit_->not_finite(environment_); equation >= 0) bad_equation_ = equation;
}

bool ModelResidual::jacobian(double t, std::span<const double> y, std::span<const double> yp,
                             std::span<double> dy, std::span<double> dyp) {
  scatter(t, y, yp);
  model_.jacobian().evaluate(environment_, jacobian_values_, jacobian_workspace_);
  const bool finite = output_rows_.mend(jacobian_values_);
  std::ranges::fill(dy, 0.0);
  std::ranges::fill(dyp, 0.0);
  for (std::size_t k = 0; k < targets_.size(); ++k) {
    if (targets_[k].position < 0) continue;
    auto& into = targets_[k].rate ? dyp : dy;
    into[static_cast<std::size_t>(targets_[k].position)] = jacobian_values_[k];
  }
  if (explicit_ != nullptr) {
    explicit_->differentiate(jacobian_values_, derivatives_);
    const auto& filled = explicit_->filled();
    for (std::size_t k = 0; k < filled_.size(); ++k) {
      auto& into = filled_[k].rate ? dyp : dy;
      const auto& product = filled[k].product;
      into[static_cast<std::size_t>(filled_[k].position)] +=
          jacobian_values_[static_cast<std::size_t>(product.entry)] *
          derivatives_[static_cast<std::size_t>(product.from)];
    }
  }
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    dyp[static_cast<std::size_t>(row_rate_position_[r])] = 1;
    dy[static_cast<std::size_t>(row_next_position_[r])] = -1;
  }
  if (!finite && !check_finite(jacobian_values_)) {
    bad_equation_ = model_.jacobian().row[static_cast<std::size_t>(bad_equation_)];
    return false;
  }
  return true;
}

std::string ModelResidual::trouble() const {
  if (bad_equation_ < 0 || bad_equation_ >= model_.equation_count()) return {};
  const LevelSystem& system = model_.levels();
  return system.equation_name(system.equations[static_cast<std::size_t>(bad_equation_)]);
}

}  // namespace daedalus
