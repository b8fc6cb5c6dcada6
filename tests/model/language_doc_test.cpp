// docs/modelica.md names everything that the tables of the language have.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "model/flatten/calls.hpp"
#include "model/flatten/library.hpp"

namespace daedalus::test {
namespace {

TEST(LanguageDocumentation, NamesEveryFunction) {
  std::ifstream in(std::string(DAEDALUS_SOURCE_DIR) + "/docs/modelica.md");
  std::stringstream content;
  content << in.rdbuf();
  const std::string text = content.str();
  const auto expect_named = [&](std::string_view name) {
    EXPECT_NE(text.find("`" + std::string(name) + "`"), std::string::npos) << name;
  };
  for (const auto table : {flatten::event_builtins(), flatten::array_builtins(), flatten::math_builtins()}) {
    for (const flatten::Builtin& row : table) expect_named(row.name);
  }
  for (const std::string_view name : flatten::library_names()) {
    if (!name.starts_with("Modelica.SIunits.")) expect_named(name);
  }
}

}  // namespace
}  // namespace daedalus::test
