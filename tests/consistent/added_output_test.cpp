// An output added to a model changes nothing of where it starts: over all models in problems/.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "consistent/support.hpp"
#include "model/load.hpp"

namespace daedalus {
namespace {

DaeSystem load(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  auto sources = std::make_shared<SourceMap>();
  auto system = load_model(sources, sources->add(path.filename().string(), text.str()), {});
  EXPECT_TRUE(system.has_value()) << path;
  return system.value_or(DaeSystem{});
}

// probe = x² of every unknown x, rate = d/dt of the sum of them, and root = sqrt(0), without a derivative.
void add_outputs(DaeSystem& system) {
  ExprGraph& graph = *system.graph;
  const auto unknowns = system.variables.size();
  const auto add = [&](const std::string& name, NodeId value) {
    Variable variable;
    variable.name = name;
    system.variables.push_back(variable);
    const VariableId id(system.variables.size() - 1);
    system.equations.push_back(
        {.residual = graph.apply(Op::Sub, graph.variable(id), value), .span = {}, .label = name});
    return id;
  };
  NodeId sum = graph.constant(0);
  for (std::size_t v = 0; v < unknowns; ++v) {
    if (system.variables[v].kind != VariableKind::Continuous) continue;
    const NodeId x = graph.variable(VariableId(v));
    sum = graph.apply(Op::Add, sum, graph.apply(Op::Mul, x, x));
  }
  const VariableId probe = add("probe", sum);
  add("twice", graph.apply(Op::Mul, graph.constant(2), graph.variable(probe)));
  const NodeId square = graph.apply(Op::Mul, graph.variable(VariableId(0)), graph.variable(VariableId(0)));
  add("length", graph.apply(Op::Sqrt, square));
}

// By name of the level.
std::optional<std::map<std::string, double>> start_of(DaeSystem system) {
  auto levels = make_level_system(system);
  if (!levels) return std::nullopt;
  auto model = CompiledModel::compile(*std::move(levels));
  if (!model) return std::nullopt;
  std::vector<double> environment = (*model)->fresh_environment();
  EventHandler events(**model, environment);
  if (initialise(**model, environment, events).status != Initialisation::Status::Ok) return std::nullopt;
  std::map<std::string, double> values;
  for (int k = 0; k < (*model)->level_count(); ++k)
    values[(*model)->levels().level_name(k)] =
        environment[static_cast<std::size_t>((*model)->layout().levels + k)];
  return values;
}

TEST(AddedOutput, ChangesNothingOfAnyProblem) {
  int compared = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(DAEDALUS_SOURCE_DIR) + "/problems")) {
    if (entry.path().extension() != ".mo") continue;
    SCOPED_TRACE(entry.path().filename().string());
    const DaeSystem plain = load(entry.path());
    const auto without = start_of(deep_copy(plain));
    if (!without) continue;  // a model with redundant constraints has no derivative array
    DaeSystem more = deep_copy(plain);
    add_outputs(more);
    const auto with = start_of(std::move(more));
    ASSERT_TRUE(with.has_value());
    ++compared;
    for (const auto& [name, value] : *without) {
      const auto found = with->find(name);
      ASSERT_NE(found, with->end()) << name;
      // The same Newton iteration to round-off, perhaps in another order of elimination: a few digits of
      // conditioning above rounding.
      EXPECT_NEAR(found->second, value, 1e-11 * (1 + std::abs(value))) << name;
    }
  }
  EXPECT_GE(compared, 20);
}

}  // namespace
}  // namespace daedalus
