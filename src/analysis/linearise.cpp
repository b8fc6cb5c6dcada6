#include "analysis/linearise.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace daedalus {
namespace {

// Everything is dense here, and the work grows with the third power: some ten seconds.
constexpr int most_levels = 3000;

// What an output is: a level, or an expression of levels.
struct Output {
  std::string name;
  int level = -1;
  double factor = 1;  // the value is so many times the level
  NodeId value = {};
};

class Lineariser {
 public:
  Lineariser(const CompiledModel& model, std::span<const double> environment,
             const LinearisationOptions& options)
      : model_(model),
        levels_(model.levels()),
        system_(model.dae()),
        options_(options),
        environment_(environment) {
    out_.t = environment[static_cast<std::size_t>(model.layout().time)];
  }

  Result<Linearisation> run() {
    if (model_.level_count() > most_levels)
      return fail(fmt::format("the model has {} unknowns and derivatives, and is linearised up to {}",
                              model_.level_count(), most_levels));
    if (auto found = find_inputs(); !found) return std::unexpected(found.error());
    const Tangent tangent = tangent_of(problem());
    if (tangent.status != TangentStatus::Ok) return refuse(tangent);
    if (auto found = find_outputs(tangent); !found) return std::unexpected(found.error());
    name_states(tangent);
    if (auto filled = fill_rates(tangent); !filled) return std::unexpected(filled.error());
    fill_outputs(tangent);
    explain(tangent);
    out_.modes = modes_of(out_.a);
    return std::move(out_);
  }

 private:
  [[nodiscard]] static bool may_be_input(const Variable& variable) {
    return is_given(variable.kind) && variable.type == ValueType::Real;
  }

  Result<void> find_inputs() {
    std::vector<std::string> known;
    for (const Variable& variable : system_.variables) {
      if (may_be_input(variable)) known.push_back(variable.name);
    }
    for (const std::string& name : options_.inputs) {
      if (std::ranges::find(known, name) == known.end())
        return fail(fmt::format("'{}' is no input of the model and no free parameter (known: {})", name,
                                known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
    }
    for (std::size_t v = 0; v < system_.variables.size(); ++v) {
      const Variable& variable = system_.variables[v];
      const bool wanted = options_.inputs.empty()
                              ? variable.kind == VariableKind::Input && may_be_input(variable)
                              : std::ranges::find(options_.inputs, variable.name) != options_.inputs.end();
      if (wanted) inputs_.push_back(VariableId(v));
    }
    if (!options_.inputs.empty()) {  // in the order in which they were asked for
      std::ranges::sort(inputs_, {}, [this](VariableId v) {
        return std::ranges::find(options_.inputs, system_.variables[v.at()].name) - options_.inputs.begin();
      });
    }
    for (const VariableId v : inputs_) {
      out_.inputs.push_back(system_.variables[v.at()].name);
      out_.input_values.push_back(
          environment_[static_cast<std::size_t>(model_.layout().discrete_slot[v.at()])]);
    }
    return {};
  }

  // Rows: `roots`; columns: levels, then inputs.
  [[nodiscard]] DenseMatrix derivatives(const std::vector<NodeId>& roots) const {
    const SparseJacobianProgram program = model_.compile_jacobian(roots, inputs_);
    std::vector<double> values(program.row.size()), workspace;
    program.evaluate(environment_, values, workspace);
    DenseMatrix dense(static_cast<int>(roots.size()),
                      model_.level_count() + static_cast<int>(inputs_.size()));
    for (int c = 0; c < dense.columns; ++c) {
      const auto column = static_cast<std::size_t>(c);
      for (int e = program.column_start[column]; e < program.column_start[column + 1]; ++e)
        dense.at(program.row[static_cast<std::size_t>(e)], c) = values[static_cast<std::size_t>(e)];
    }
    return dense;
  }

  [[nodiscard]] static DenseMatrix columns_of(const DenseMatrix& from, int begin, int count) {
    DenseMatrix part(from.rows, count);
    std::copy_n(from.values.begin() + (static_cast<std::ptrdiff_t>(begin) * from.rows),
                static_cast<std::ptrdiff_t>(count) * from.rows, part.values.begin());
    return part;
  }

  TangentProblem problem() {
    std::vector<NodeId> residuals;
    for (const LevelEquation& equation : levels_.equations) residuals.push_back(equation.residual);
    const DenseMatrix all = derivatives(residuals);
    TangentProblem problem{
        .jacobian = columns_of(all, 0, model_.level_count()),
        .input_jacobian = columns_of(all, model_.level_count(), static_cast<int>(inputs_.size())),
        .highest = std::vector<bool>(levels_.levels.size(), true),
        .order = std::vector<int>(levels_.levels.size()),
        .size = std::vector<double>(levels_.levels.size(), 1)};
    for (std::size_t l = 0; l < levels_.levels.size(); ++l) {
      if (l + 1 < levels_.levels.size()) problem.highest[l] = levels_.levels[l + 1].order == 0;
      problem.order[l] = levels_.levels[l].order;
      problem.size[l] = system_.variables[levels_.levels[l].variable.at()].nominal;
    }
    return problem;
  }

  [[nodiscard]] std::unexpected<Diagnostics> refuse(const Tangent& tangent) const {
    const LevelEquation& equation = levels_.equations[static_cast<std::size_t>(tangent.row)];
    const std::string name = levels_.equation_name(equation);
    const SourceSpan span = system_.equations[static_cast<std::size_t>(equation.equation)].span;
    if (tangent.status == TangentStatus::NotFinite)
      return fail(
          fmt::format(
              "{} has no finite derivatives at t = {:.10g}, so that the model cannot be linearised there",
              name, out_.t),
          span);
    return fail(
        fmt::format(
            "the constraints leave the inputs no freedom ({}): they cannot all vary; choose with --inputs",
            name),
        span);
  }

  [[nodiscard]] Output output_named(const std::string& name) const {
    Output found{.name = name};
    std::string_view inner = name;
    int order = 0;
    while (inner.starts_with("der(") && inner.ends_with(")")) {
      inner = inner.substr(4, inner.size() - 5);
      ++order;
    }
    const auto variable = std::ranges::find(system_.variables, inner, &Variable::name);
    if (variable != system_.variables.end()) {
      VariableId v(static_cast<std::size_t>(variable - system_.variables.begin()));
      const auto alias = std::ranges::find(levels_.raised.aliases, v, &LevelAlias::variable);
      if (alias != levels_.raised.aliases.end()) {
        v = alias->target;
        order += alias->order;
        found.factor = alias->factor;
      }
      const int j = levels_.incidence.column[v.at()];
      if (j >= 0 && order <= levels_.plan.d[static_cast<std::size_t>(j)])
        found.level = levels_.level_start[static_cast<std::size_t>(j)] + order;
      return found;
    }
    for (const ReportedValue& reported : system_.reported) {
      if (reported.attributes.name == name) found.value = reported.value;
    }
    return found;
  }

  Result<void> find_outputs(const Tangent& tangent) {
    if (options_.outputs.empty()) {
      for (const int level : tangent.states)
        outputs_.push_back({.name = levels_.level_name(level), .level = level});
    }
    for (const std::string& name : options_.outputs) {
      const Output output = output_named(name);
      if (output.level < 0 && !output.value.valid())
        return fail(
            fmt::format("'{}' cannot be an output: the model has no continuous variable of that name", name));
      outputs_.push_back(output);
    }
    for (const Output& output : outputs_) out_.outputs.push_back(output.name);
    return {};
  }

  [[nodiscard]] double level_value(int level) const {
    return environment_[static_cast<std::size_t>(model_.layout().levels + level)];
  }

  void name_states(const Tangent& tangent) {
    for (const int level : tangent.states) {
      out_.states.push_back(levels_.level_name(level));
      out_.state_values.push_back(level_value(level));
    }
  }

  Result<void> fill_rates(const Tangent& tangent) {
    const int n = static_cast<int>(tangent.states.size());
    const int m = static_cast<int>(inputs_.size());
    out_.a = DenseMatrix(n, n);
    out_.b = DenseMatrix(n, m);
    for (int s = 0; s < n; ++s) {
      const int rate =
          tangent.states[static_cast<std::size_t>(s)] + 1;  // the next level of the same variable
      if (tangent.open[static_cast<std::size_t>(rate)])
        return fail(
            fmt::format("{} is not determined by the equations at t = {:.10g}, so that the model cannot be "
                        "linearised there",
                        levels_.level_name(rate), out_.t));
      for (int k = 0; k < n; ++k) out_.a.at(s, k) = tangent.directions.at(rate, k);
      for (int k = 0; k < m; ++k) out_.b.at(s, k) = tangent.directions.at(rate, n + k);
    }
    return {};
  }

  void fill_outputs(const Tangent& tangent) {
    const int n = static_cast<int>(tangent.states.size());
    const int m = static_cast<int>(inputs_.size());
    const int p = static_cast<int>(outputs_.size());
    out_.c = DenseMatrix(p, n);
    out_.d = DenseMatrix(p, m);
    std::vector<NodeId> roots;
    for (const Output& output : outputs_) {
      if (output.value.valid()) roots.push_back(output.value);
    }
    const DenseMatrix slopes = derivatives(roots);
    std::vector<double> values(roots.size()), workspace;
    model_.compile(roots).evaluate(environment_, values, workspace);
    int root = 0;
    for (int r = 0; r < p; ++r) {
      const Output& output = outputs_[static_cast<std::size_t>(r)];
      bool open = false;
      std::vector<double> row(static_cast<std::size_t>(n + m));
      const auto add = [&](int level, double factor) {
        if (factor == 0) return;
        open = open || tangent.open[static_cast<std::size_t>(level)];
        for (int k = 0; k < n + m; ++k)
          row[static_cast<std::size_t>(k)] += factor * tangent.directions.at(level, k);
      };
      if (output.level >= 0) {
        add(output.level, output.factor);
        out_.output_values.push_back(output.factor * level_value(output.level));
      } else {
        for (int l = 0; l < model_.level_count(); ++l) add(l, slopes.at(root, l));
        for (int k = 0; k < m; ++k)
          row[static_cast<std::size_t>(n + k)] += slopes.at(root, model_.level_count() + k);
        out_.output_values.push_back(values[static_cast<std::size_t>(root++)]);
      }
      for (int k = 0; k < n; ++k) out_.c.at(r, k) = row[static_cast<std::size_t>(k)];
      for (int k = 0; k < m; ++k) out_.d.at(r, k) = row[static_cast<std::size_t>(n + k)];
      if (open)
        out_.notes.push_back(
            fmt::format("'{}' is not determined where constraints are redundant; its row of C and D is that "
                        "of least norm",
                        output.name));
    }
  }

  void explain(const Tangent& tangent) {
    out_.redundant = tangent.redundant;
    if (tangent.constrains_inputs)
      out_.notes.emplace_back(
          "a constraint depends on an input: B and D hold for inputs that are constant between jumps, at "
          "which states "
          "jump, too");
  }

  const CompiledModel& model_;
  const LevelSystem& levels_;
  const DaeSystem& system_;
  const LinearisationOptions& options_;
  std::span<const double> environment_;
  std::vector<VariableId> inputs_;
  std::vector<Output> outputs_;
  Linearisation out_;
};

}  // namespace

Result<Linearisation> linearise_at(const CompiledModel& model, std::span<const double> environment,
                                   const LinearisationOptions& options) {
  return Lineariser(model, environment, options).run();
}

Result<Linearisation> linearise(const Engine& engine, Simulation& simulation,
                                const LinearisationOptions& options) {
  return linearise_at(engine.model(), simulation.environment(), options);
}

}  // namespace daedalus
