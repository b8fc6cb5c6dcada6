// A compiled model against the graph's interpreter and against differences; where things are in its
// environment; what it reports; what it refuses.
#include "systems/compiled_model.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "reform/constrained_form.hpp"
#include "support/equations.hpp"
#include "support/model_families.hpp"
#include "support/model_text.hpp"
#include "values.hpp"

namespace daedalus::testing {
namespace {

using Entries = std::map<std::pair<int, int>, double>;  // by row and column

Entries entries_of(const SparseJacobianProgram& jacobian, std::span<const double> environment) {
  std::vector<double> values(jacobian.row.size());
  std::vector<double> workspace;
  jacobian.evaluate(environment, values, workspace);
  Entries entries;
  for (std::size_t c = 0; c + 1 < jacobian.column_start.size(); ++c) {
    for (int k = jacobian.column_start[c]; k < jacobian.column_start[c + 1]; ++k)
      entries[{jacobian.row[static_cast<std::size_t>(k)], static_cast<int>(c)}] =
          values[static_cast<std::size_t>(k)];
  }
  return entries;
}

std::vector<double> results(const Program& program, std::span<const double> environment) {
  std::vector<double> values(static_cast<std::size_t>(program.results()));
  std::vector<double> workspace;
  program.evaluate(environment, values, workspace);
  return values;
}

std::unique_ptr<CompiledModel> compiled(const DaeSystem& system, const std::vector<std::string>& vars = {}) {
  auto levels = make_level_system(system);
  EXPECT_TRUE(levels.has_value());
  auto model = CompiledModel::compile(*std::move(levels), {}, vars);
  EXPECT_TRUE(model.has_value());
  return *std::move(model);
}

// Of everything that a model can have.
const char* const hybrid = R"(model Hybrid
  parameter Real p = 2;
  parameter Real unknown(fixed = false, start = 3);
  Real x(start = 1, fixed = true, unit = "m"), v "speed", same, z(start = 0.5);
  discrete Real d(start = 4, fixed = true);
  Integer n(start = 7, fixed = true);
  Boolean up(start = true, fixed = true);
  output Real twice = 2*x "double";
initial equation
  z = unknown - 2;
equation
  der(x) = v;
  v = -p*x + d;
  same = x;
  der(z) = -z*unknown;
  up = x > 0.5;
  when {x < 0.25, sample(0.5, 1)} then
    d = pre(d) + pre(x);
    n = pre(n) + 1;
  end when;
  annotation(experiment(StartTime = 0.125));
end Hybrid;)";

// Time, levels, discrete values, what pre() needs, relations and samples: each has a place of its own.
TEST(CompiledModel, EverythingHasAPlaceOfItsOwn) {
  const auto model = compiled(from_text(hybrid));
  const Layout& layout = model->layout();
  std::set<int> taken{layout.time, layout.initial};
  std::size_t count = 2;
  const auto take = [&](int slot) {
    EXPECT_GE(slot, 0);
    EXPECT_LT(slot, layout.size);
    taken.insert(slot);
    ++count;
  };
  for (int k = 0; k < model->level_count(); ++k) take(layout.levels + k);
  for (const int slot : layout.discrete_slot) {
    if (slot >= 0) take(slot);
  }
  for (const int slot : layout.pre_slot) {
    if (slot >= 0) take(slot);
  }
  for (std::size_t k = 0; k < model->dae().relations.size(); ++k)
    take(layout.relations + static_cast<int>(k));
  for (std::size_t k = 0; k < model->dae().samples.size(); ++k) take(layout.samples + static_cast<int>(k));
  EXPECT_EQ(taken.size(), count) << "no place is taken twice";
  EXPECT_EQ(count, static_cast<std::size_t>(layout.size)) << "and none is idle";
}

TEST(CompiledModel, SlotsAreThoseOfTheLayout) {
  const auto model = compiled(from_text(hybrid));
  const DaeSystem& dae = model->dae();
  ExprGraph& graph = *dae.graph;
  EXPECT_EQ(model->slot(graph.time()), model->layout().time);
  EXPECT_EQ(model->slot(graph.initial()), model->layout().initial);
  EXPECT_EQ(model->slot(graph.constant(3)), -1) << "a constant has none";
  for (std::size_t v = 0; v < dae.variables.size(); ++v) {
    const bool continuous = dae.variables[v].kind == VariableKind::Continuous;
    const NodeId leaf = continuous ? graph.variable(VariableId(v)) : graph.discrete(VariableId(v));
    if (continuous) {
      EXPECT_EQ(model->slot(graph.variable(VariableId(v), 9)), -1) << "no such derivative";
    } else {
      EXPECT_EQ(model->slot(leaf), model->layout().discrete_slot[v]);
      EXPECT_EQ(model->slot(graph.pre(VariableId(v))), model->layout().pre_slot[v]);
    }
  }
  for (std::size_t k = 0; k < dae.relations.size(); ++k)
    EXPECT_EQ(model->slot(graph.relation(RelationId(k))), model->layout().relations + static_cast<int>(k));
}

// At the start: the experiment's time, discrete values and their pasts at their start, all else zero.
TEST(CompiledModel, AFreshEnvironmentHoldsTheStarts) {
  const auto model = compiled(from_text(hybrid));
  std::vector<double> environment = model->fresh_environment();
  const auto take = [&](int slot) { return std::exchange(environment[static_cast<std::size_t>(slot)], 0); };
  EXPECT_EQ(take(model->layout().time), 0.125);
  for (std::size_t v = 0; v < model->dae().variables.size(); ++v) {
    const Variable& variable = model->dae().variables[v];
    if (const int slot = model->layout().discrete_slot[v]; slot >= 0) {
      EXPECT_EQ(take(slot), variable.start) << variable.name;
    }
    if (const int slot = model->layout().pre_slot[v]; slot >= 0) {
      EXPECT_EQ(take(slot), variable.start) << variable.name;
    }
  }
  EXPECT_EQ(environment, std::vector<double>(environment.size(), 0.0));
}

std::vector<DaeSystem> families() {
  return {from_text(hybrid),           from_text(bead_text()),
          from_text(chain_text(4)),    from_text(moving_pivot),
          problem("slider_crank.mo"),  problem("transistor_amplifier.mo"),
          problem("chemical_akzo.mo"), problem("mattsson_soderlind_1.mo")};
}

// At positive values: roots and logarithms.
std::vector<double> some_point(const CompiledModel& model) {
  std::vector<double> environment(static_cast<std::size_t>(model.layout().size));
  scatter_numbers(environment, 3);
  for (double& value : environment) value = 0.5 + (0.4 * value);
  return environment;
}

// Compiled programs and the graph's interpreter are two ways to the same values.
TEST(CompiledModel, ProgramsGiveWhatTheInterpreterGives) {
  for (const DaeSystem& system : families()) {
    const auto model = compiled(system);
    const std::vector<double> environment = some_point(*model);
    const auto compare = [&](const Program& program, const std::vector<NodeId>& nodes, const char* what) {
      const std::vector<double> values = results(program, environment);
      ASSERT_EQ(values.size(), nodes.size()) << what;
      for (std::size_t k = 0; k < nodes.size(); ++k) {
        const double expected = value_of(*model, nodes[k], environment);
        EXPECT_NEAR(values[k], expected, 1e-13 * (1 + std::abs(expected))) << system.name << " " << what << k;
      }
    };
    std::vector<NodeId> equations;
    for (const LevelEquation& equation : model->levels().equations) equations.push_back(equation.residual);
    compare(model->residuals, equations, "equation ");
    std::vector<NodeId> relations;
    for (const Relation& relation : model->dae().relations) relations.push_back(relation.difference);
    compare(model->relations, relations, "relation ");
    compare(model->selection_values, model->selection.expressions, "selection ");
  }
}

// Every entry by differences, and what is no entry has none. `columns`: slots of the environment.
void expect_jacobian(const SparseJacobianProgram& jacobian, const Program& program,
                     std::vector<double> environment, const std::vector<int>& columns,
                     const std::string& what) {
  const Entries entries = entries_of(jacobian, environment);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    double& value = environment[static_cast<std::size_t>(columns[c])];
    const double before = value;
    constexpr double h = 1e-5;
    value = before - h;
    const std::vector<double> low = results(program, environment);
    value = before + h;
    const std::vector<double> high = results(program, environment);
    value = before;
    for (std::size_t r = 0; r < low.size(); ++r) {
      const double slope = (high[r] - low[r]) / (2 * h);
      const auto entry = entries.find({static_cast<int>(r), static_cast<int>(c)});
      // 1e-10 times third derivatives, which exponentials of diodes have in plenty.
      EXPECT_NEAR(entry == entries.end() ? 0 : entry->second, slope, 1e-6 * (1 + std::abs(slope)))
          << what << ": row " << r << ", column " << c;
    }
  }
}

TEST(CompiledModel, JacobiansAreDerivatives) {
  for (const DaeSystem& system : families()) {
    if (system.name == "TransistorAmplifier") continue;  // e^(38 u): differences see nothing of it
    const auto model = compiled(system);
    std::vector<int> columns;
    for (int k = 0; k < model->level_count(); ++k) columns.push_back(model->layout().levels + k);
    expect_jacobian(model->jacobian(), model->residuals, some_point(*model), columns, system.name);
  }
}

// Initial equations and unknown parameters add rows and columns; without either nothing is added.
TEST(CompiledModel, StartConditionsHaveTheParametersAsColumns) {
  const auto model = compiled(from_text(hybrid));
  const StartConditions& start = model->start_conditions();
  ASSERT_FALSE(start.as_compiled);
  ASSERT_EQ(start.parameters.size(), 1U);
  EXPECT_EQ(model->dae().variables[start.parameters[0].at()].name, "unknown");
  EXPECT_EQ(start.residuals.results(), static_cast<std::size_t>(model->equation_count() + 1));
  std::vector<int> columns;
  for (int k = 0; k < model->level_count(); ++k) columns.push_back(model->layout().levels + k);
  columns.push_back(model->layout().discrete_slot[start.parameters[0].at()]);
  expect_jacobian(start.jacobian, start.residuals, some_point(*model), columns, "start");
  EXPECT_EQ(&model->start_conditions(), &start) << "compiled once";
  EXPECT_TRUE(compiled(from_text(bead_text()))->start_conditions().as_compiled);
}

// The start's Jacobian is the whole one without the entries that it is said to do without: in the equations
// of the highest level, those of levels that are not the highest.
TEST(CompiledModel, TheStartsJacobianIsAPartOfTheWhole) {
  const Pendulum e(0.6, -0.8, 0.4, 0.3);
  const auto form = recognise_constrained_form(e.system);
  ASSERT_TRUE(form.has_value());
  const auto model = CompiledModel::compile(level_system_of(*form));
  ASSERT_TRUE(model.has_value());
  std::vector<double> environment = (*model)->fresh_environment();
  for (std::size_t k = 0; k < environment.size(); ++k) environment[k] += 1 / (2.0 + static_cast<double>(k));
  const Entries whole = entries_of((*model)->jacobian(), environment);
  Entries start = entries_of((*model)->compile_start_jacobian(), environment);
  const LevelSystem& levels = (*model)->levels();
  std::size_t left_out = 0;
  for (const auto& [place, value] : whole) {
    const auto [row, column] = place;
    const LevelEquation& equation = levels.equations[static_cast<std::size_t>(row)];
    const Level& level = levels.levels[static_cast<std::size_t>(column)];
    const auto j = static_cast<std::size_t>(levels.incidence.column[level.variable.at()]);
    const bool top = equation.level == levels.plan.c[static_cast<std::size_t>(equation.equation)];
    if (top && level.order < levels.plan.d[j]) {
      EXPECT_FALSE(start.contains(place));
      ++left_out;
    } else {
      ASSERT_TRUE(start.contains(place));
      EXPECT_EQ(start[place], value);
    }
  }
  EXPECT_EQ(start.size() + left_out, whole.size());
  EXPECT_GT(left_out, 0U);
}

std::vector<std::string> names_of(const CompiledModel& model) {
  std::vector<std::string> names;
  for (const OutputSignal& signal : model.output_signals) names.push_back(signal.name);
  return names;
}

// All names in the order in which they are declared, with what the user said of them; no parameter is among
// them.
TEST(CompiledModel, ReportsInTheOrderOfDeclaration) {
  const auto model = compiled(from_text(hybrid));
  const std::vector<std::string> names = names_of(*model);
  EXPECT_EQ(names, (std::vector<std::string>{"unknown", "x", "v", "same", "z", "d", "n", "up", "twice"}));
  std::map<std::string, OutputSignal> signals;
  for (const OutputSignal& signal : model->output_signals) signals[signal.name] = signal;
  EXPECT_EQ(signals["x"].unit, "m");
  EXPECT_EQ(signals["v"].description, "speed");
  EXPECT_TRUE(signals["d"].discrete && signals["n"].discrete && signals["up"].discrete);
  EXPECT_FALSE(signals["x"].discrete || signals["twice"].discrete);
}

// Values of names that are no unknowns any more follow from those that are.
TEST(CompiledModel, ReportsWhatWasRemoved) {
  const auto model = compiled(from_text(hybrid));
  const std::vector<double> environment = some_point(*model);
  const std::vector<double> values = results(model->outputs, environment);
  const std::vector<std::string> names = names_of(*model);
  std::map<std::string, double> by_name;
  for (std::size_t k = 0; k < names.size(); ++k) by_name[names[k]] = values[k];
  EXPECT_EQ(by_name["same"], by_name["x"]);
  EXPECT_NE(by_name["x"], by_name["z"]);
}

// Some by name, derivatives among them: of an alias of another scale with its factor, and in its unit over a
// second.
TEST(CompiledModel, ReportsTheVariablesThatAreAskedFor) {
  const DaeSystem system = from_text(R"(model Slide
  Real x(start = 1, fixed = true, unit = "m"), v(start = 0, fixed = true, unit = "m/s");
equation
  der(x) = v;
  der(v) = -4*x;
end Slide;)");
  const auto model = compiled(system, {"der(x)", "der(v)", "x", "nobody"});
  EXPECT_EQ(names_of(*model), (std::vector<std::string>{"der(x)", "der(v)", "x"}));
  EXPECT_EQ(model->output_signals[0].unit, "m/s");
  EXPECT_EQ(model->output_signals[1].unit, "m/s/s");
  EXPECT_EQ(model->output_signals[0].description, "derivative of x");
  std::vector<double> environment = some_point(*model);
  ExprGraph& graph = *model->dae().graph;
  const auto put = [&](int order, double value) {
    environment[static_cast<std::size_t>(model->slot(graph.variable(VariableId(0), order)))] = value;
  };
  put(0, 5);
  put(1, 6);
  put(2, 7);
  EXPECT_EQ(results(model->outputs, environment), (std::vector<double>{6, 7, 5}));
}

// What pre() reads at an event is the value before it: of an alias by its factor, too.
TEST(CompiledModel, LeftLimitsAreThoseOfTheVariables) {
  const auto model = compiled(from_text(hybrid));
  const std::vector<double> environment = some_point(*model);
  const std::vector<double> values = results(model->pre_sources, environment);
  ASSERT_EQ(values.size(), model->pre_variables.size());
  bool continuous = false;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const VariableId v = model->pre_variables[k];
    const bool flows = model->dae().variables[v.at()].kind == VariableKind::Continuous;
    continuous = continuous || flows;
    ExprGraph& graph = *model->dae().graph;
    const int slot = model->slot(flows ? graph.variable(v) : graph.discrete(v));
    ASSERT_GE(slot, 0);
    EXPECT_EQ(values[k], environment[static_cast<std::size_t>(slot)]) << model->dae().variables[v.at()].name;
  }
  EXPECT_TRUE(continuous) << "pre(x) is asked for";
}

// Derivatives that the equations do not have are refused, with what to do.
TEST(CompiledModel, RefusesDerivativesThatNobodyDetermines) {
  Pendulum pendulum(0.6, -0.8, 0, 0);
  pendulum.system.relations.push_back({.difference = der(pendulum.lambda).node});
  auto levels = make_level_system(pendulum.system);
  ASSERT_TRUE(levels.has_value());
  const auto model = CompiledModel::compile(*std::move(levels));
  ASSERT_FALSE(model.has_value());
  const std::string& message = model.error().front().message;
  EXPECT_NE(message.find("der(lambda) is used here"), std::string::npos) << message;
  EXPECT_NE(message.find("introduce a variable for it"), std::string::npos) << message;
}

// A formulation with a Jacobian of its own: what the start needs is compiled, and gives the same.
TEST(CompiledModel, ASparedJacobianHasTheSameValues) {
  const auto usual = compiled(from_text(chain_text(3)));
  const auto spared = compiled(from_text(chain_text(3)));
  EXPECT_FALSE(spared->spares_jacobian());
  spared->spare_jacobian();
  EXPECT_TRUE(spared->spares_jacobian());
  usual->prepare_start();
  spared->prepare_start();
  const std::vector<double> environment = some_point(*usual);
  const Entries a = entries_of(usual->jacobian(), environment);
  const Entries b = entries_of(spared->jacobian(), environment);
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [place, value] : a) EXPECT_NEAR(b.at(place), value, 1e-14 * (1 + std::abs(value)));
}

// Further expressions write where they are told to.
TEST(CompiledModel, FurtherExpressionsGoToTheirDestinations) {
  const auto model = compiled(from_text(bead_text()));
  ExprGraph& graph = *model->dae().graph;
  const NodeId t = graph.time();
  const std::vector<NodeId> roots{graph.mul(t, t), graph.add(t, graph.constant(1))};
  const std::vector<int> places{4, 2};
  const Program program = model->compile(roots, places);
  std::vector<double> environment = model->fresh_environment();
  environment[static_cast<std::size_t>(model->layout().time)] = 3;
  std::vector<double> workspace;
  program.evaluate(environment, environment, workspace);
  EXPECT_EQ(environment[4], 9);
  EXPECT_EQ(environment[2], 4);
}

TEST(CompiledModel, DerivativesThatTheEquationsDoNotHoldAreRefusedWithThoseThatTheyDo) {
  auto system = from_text(
      "model M Real x(start = 1, fixed = true), y, r; equation der(x) = -y; y = 2*x; r = y + 1; end M;");
  auto levels = make_level_system(system);
  ASSERT_TRUE(levels.has_value());
  const auto shared = std::make_shared<const LevelSystem>(*std::move(levels));
  const std::vector<std::string> held{"x", "der(x)"};
  ASSERT_TRUE(CompiledModel::compile(shared, {}, held).has_value());
  const std::vector<std::string> asked{"der(y)"};
  const auto refused = CompiledModel::compile(shared, {}, asked);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().front().message,
            "'der(y)' cannot be a result: the equations do not hold this derivative. They hold der(x)");
}

// v is x' times 2, and so its derivative is x'' times 2, whichever of the two is a variable of the solver.
TEST(CompiledModel, DerivativesOfAliasesHaveTheirFactor) {
  auto levels =
      make_level_system(from_text("model M Real x(start = 1, fixed = true), v(start = 0, fixed = true); "
                                  "equation 2*der(x) = v; der(v) = -x; end M;"));
  ASSERT_TRUE(levels.has_value());
  const std::vector<std::string> asked{"der(v)", "der(x)", "v"};
  const auto model =
      CompiledModel::compile(std::make_shared<const LevelSystem>(*std::move(levels)), {}, asked);
  ASSERT_TRUE(model.has_value());
  std::vector<double> environment = (*model)->fresh_environment();
  const auto first = static_cast<std::size_t>((*model)->layout().levels);
  for (int k = 0; k < (*model)->level_count(); ++k) environment[first + static_cast<std::size_t>(k)] = 3 + k;
  const std::vector<double> values = results((*model)->outputs, environment);
  ASSERT_EQ(values.size(), 3U);
  EXPECT_EQ(values[2], 2 * values[1]);  // v = 2 der(x)
}

}  // namespace
}  // namespace daedalus::testing
