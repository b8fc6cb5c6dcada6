// Whole models: those of tests/model/corpus must load, balanced; those of fuzz/corpus, most of them wrong on
// purpose, must do what the fuzzer asks of any bytes.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "../fuzz/load_property.hpp"
#include "model/flatten_support.hpp"

namespace daedalus::test {
namespace {

const std::filesystem::path root = DAEDALUS_SOURCE_DIR;

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::filesystem::path> files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> all;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    // Written for the parser: every construct of the format, but it subscripts a scalar.
    if (entry.path().filename() != "exported.mo") all.push_back(entry.path());
  }
  std::ranges::sort(all);
  EXPECT_FALSE(all.empty()) << folder;
  return all;
}

// As many equations as unknowns, before and after the aliases are gone.
TEST(FlattenCorpus, SampleModelsAreBalanced) {
  for (const auto& path : files(root / "tests/model/corpus")) {
    for (const bool reduced : {false, true}) {
      const DaeSystem system = load(contents(path), {}, reduced);
      const auto unknowns = std::ranges::count(system.variables, VariableKind::Continuous, &Variable::kind);
      EXPECT_EQ(static_cast<std::size_t>(unknowns), system.equations.size()) << path;
    }
  }
}

// Every name of results is a variable or has a value in terms of variables.
TEST(FlattenCorpus, EveryNameIsReported) {
  for (const auto& path : files(root / "tests/model/corpus")) {
    const DaeSystem system = load(contents(path), {}, true);
    for (const std::string& name : system.report_order) {
      const bool alias = std::ranges::any_of(
          system.reported, [&](const ReportedValue& r) { return r.attributes.name == name; });
      EXPECT_TRUE(alias != has_variable(system, name)) << path << ": " << name;
    }
  }
}

TEST(FlattenCorpus, AnyBytesGiveASystemOrMessages) {
  for (const auto& path : files(root / "fuzz/corpus"))
    EXPECT_EQ(fuzz::load_violation(contents(path)), "") << path;
}

}  // namespace
}  // namespace daedalus::test
