// Models that stand at their start.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "model/load.hpp"
#include "simulate/engine.hpp"

namespace daedalus::testing {

struct Standing {
  std::shared_ptr<const Engine> engine;
  Simulation simulation;
};

inline Standing stand(std::string_view text, const RunOptions& options = {},
                      std::vector<std::string> free = {}) {
  auto sources = std::make_shared<SourceMap>();
  const auto file = sources->add("m.mo", std::string(text));
  auto system = load_model(sources, file, {.free = std::move(free)});
  EXPECT_TRUE(system.has_value()) << (system ? "" : render(system.error(), *sources));
  auto planned = plan(*system, options);
  EXPECT_TRUE(planned.has_value()) << (planned ? "" : render(planned.error(), *sources));
  auto engine = compile(*std::move(planned));
  EXPECT_TRUE(engine.has_value());
  auto simulation = (*engine)->start();
  EXPECT_TRUE(simulation.has_value());
  return {.engine = *engine, .simulation = *std::move(simulation)};
}

}  // namespace daedalus::testing
