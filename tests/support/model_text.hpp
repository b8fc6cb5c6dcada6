// Models in tests as a user writes them.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "model/load.hpp"

namespace daedalus::testing {

// The system of a Modelica text; `settings` as by --set.
inline DaeSystem from_text(const std::string& text, std::vector<ParameterSetting> settings = {}) {
  auto sources = std::make_shared<SourceMap>();
  LoadOptions options;
  options.settings = std::move(settings);
  auto system = load_model(sources, sources->add("model.mo", text), options);
  EXPECT_TRUE(system.has_value()) << (system ? "" : render(system.error(), *sources));
  return system.value_or(DaeSystem{});
}

// A file of problems/.
inline DaeSystem problem(const std::string& file, std::vector<ParameterSetting> settings = {}) {
  std::ifstream in(std::string(DAEDALUS_SOURCE_DIR) + "/problems/" + file);
  std::stringstream text;
  text << in.rdbuf();
  return from_text(text.str(), std::move(settings));
}

}  // namespace daedalus::testing
