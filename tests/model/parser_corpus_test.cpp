// Whole models: those of tests/model/corpus must be read completely, and those of fuzz/corpus, most of them
// wrong on purpose, must do what the fuzzer asks of any bytes.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "../fuzz/parse_property.hpp"
#include "model/parser_support.hpp"

namespace daedalus::testing {
namespace {

const std::filesystem::path root = DAEDALUS_SOURCE_DIR;

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Counted by hand in the files.
struct Counts {
  const char* file;
  const char* model;
  std::size_t components;
  std::size_t equations;
  std::size_t initial_equations;
  std::size_t algorithms;
};

constexpr Counts models[] = {
    {"bouncing_ball.mo", "BouncingBall", 8, 6, 0, 0},
    {"double_pendulum.mo", "DoublePendulum", 9, 7, 0, 0},
    {"exported.mo", "Spring.Example", 9, 6, 1, 0},
    {"heat_rod.mo", "HeatRod", 9, 5, 0, 0},
    {"oscillator.mo", "Oscillator", 6, 2, 2, 0},
    {"pendulum.mo", "Pendulum", 8, 5, 0, 0},
    {"reactor.mo", "Reactor", 3, 3, 0, 0},
    {"rectifier.mo", "Rectifier", 10, 6, 0, 0},
    {"rod_chain.mo", "RodChain", 12, 6, 0, 0},
    {"slider_crank.mo", "SliderCrank", 7, 6, 0, 0},
    {"tank.mo", "Tank", 9, 4, 2, 1},
};

class Models : public ::testing::TestWithParam<Counts> {};

TEST_P(Models, AreReadCompletely) {
  const std::string text = contents(root / "tests/model/corpus" / GetParam().file);
  const ast::Ast tree = tree_of(text);
  ASSERT_FALSE(tree.classes.empty());
  const ast::Class& last = tree.classes.back();
  const ast::Class& model = last.kind == ast::ClassKind::Package ? last.classes.back() : last;
  EXPECT_EQ(model.name, GetParam().model);
  EXPECT_EQ(model.components.size(), GetParam().components);
  EXPECT_EQ(model.sections.equations.size(), GetParam().equations);
  EXPECT_EQ(model.sections.initial_equations.size(), GetParam().initial_equations);
  EXPECT_EQ(model.sections.algorithms.size(), GetParam().algorithms);
  EXPECT_EQ(fuzz::parse_violation(text), "");
}

INSTANTIATE_TEST_SUITE_P(Corpus, Models, ::testing::ValuesIn(models), [](const auto& tested) {
  std::string name = tested.param.file;
  return name.substr(0, name.find('.'));
});

TEST(Models, AllFilesAreTested) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(root / "tests/model/corpus")) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  EXPECT_EQ(files, std::size(models));
}

TEST(FuzzCorpus, HoldsWhatTheFuzzerAsks) {
  std::size_t files = 0;
  std::size_t right = 0;
  for (const auto& entry : std::filesystem::directory_iterator(root / "fuzz/corpus")) {
    const std::string text = contents(entry.path());
    EXPECT_EQ(fuzz::parse_violation(text), "") << entry.path();
    right += errors_of(text).empty() ? 1 : 0;
    ++files;
  }
  EXPECT_GE(files, 20U);
  EXPECT_GE(right, 8U);  // whole trees are among the seeds, not only errors
}

}  // namespace
}  // namespace daedalus::testing
