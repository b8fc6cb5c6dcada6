#include "results/stage_text.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "model/load.hpp"

namespace daedalus {
namespace {

DaeSystem load(const std::string& text) {
  const auto sources = std::make_shared<SourceMap>();
  auto system = load_model(sources, sources->add("m.mo", text));
  if (!system) throw std::runtime_error(render(system.error(), *sources));
  return *std::move(system);
}

void expect_words(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << word << "\n" << text;
}

TEST(StageText, ModelHasVariablesEquationsAndEvents) {
  const DaeSystem system = load(R"(model Ball
  parameter Real e = 0.5;
  Real h(start = 1, fixed = true, unit = "m", nominal = 2);
  Real v(start = 0, fixed = true);
  discrete Integer bounces(start = 0, fixed = true);
  Boolean tick;
equation
  der(h) = v;
  der(v) = -9.81;
  tick = sample(0.1, 0.2);
  assert(h > -1, "too deep");
  when h < 0 then
    reinit(v, -e*pre(v));
    bounces = pre(bounces) + 1;
  end when;
end Ball;
)");
  expect_words(system_text(system),
               {"model Ball", "Real h(start = 1, fixed = true, nominal = 2, unit = \"m\")", "Integer bounces",
                "0 = der(h) - v", "der(h) = v (m.mo:8:3)", "sample(0.1, 0.2)", "when {", "reinit(v, ",
                "bounces := ", "assert(", "\"too deep\"", "parameter e = 0.5"});
}

TEST(StageText, StructureAndLevelsOfTheIndexTwoLoop) {
  // u is given, so that i = 2 u' needs u = sin(time) differentiated once: index 2, no freedom.
  const auto levels =
      make_level_system(load("model L Real u, i; equation 2*der(u) = i; u = sin(time); end L;"));
  ASSERT_TRUE(levels);
  expect_words(structure_text(*levels), {"structural index 2, degrees of freedom 0", "1  u = sin(time)",
                                         "0  2*der(u) = i", "1  u\n", "0  i\n", "u ← [u = sin(time)"});
  expect_words(level_system_text(*levels),
               {"levels (3)", "der(u)", "equations (3)", "first derivative of u = sin(time)"});
}

TEST(StageText, ProgramsAreListedWithTheirWork) {
  const std::vector<ProgramSize> programs{
      {.name = "equations", .results = 3, .operations = 12, .back_end = "native"},
      {.name = "their Jacobian", .results = 7, .operations = 2, .back_end = ""}};
  EXPECT_EQ(compiled_text(programs),
            "equations: 3 results, 12 operations (native)\ntheir Jacobian: 7 results, 2 operations\n");
}

}  // namespace
}  // namespace daedalus
