// Runs of hybrid models given as text.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "model/load.hpp"
#include "simulate/run.hpp"

namespace daedalus::testing {

struct HybridSetting {
  double until = 1;
  double rtol = 1e-8;
  std::string integrator = "auto";
  std::string formulation = "auto";
  double start = 0;
};

// `body`: declarations, equations and what else stands between `model M` and `end M`.
inline RunResult run_hybrid(const std::string& body, const HybridSetting& setting = {}) {
  auto sources = std::make_shared<SourceMap>();
  const std::int32_t file = sources->add("test.mo", "model M " + body + " end M;");
  const auto system = load_model(sources, file);
  EXPECT_TRUE(system.has_value()) << (system ? "" : render(system.error(), *sources));
  if (!system) return {};
  RunOptions options;
  options.until = setting.until;
  options.rtol = setting.rtol;
  options.points = 101;
  if (setting.integrator != "auto") options.integrator = parse_selection(setting.integrator).value();
  if (setting.formulation != "auto") options.formulation = parse_selection(setting.formulation).value();
  auto result = simulate(*system, options);
  EXPECT_TRUE(result.has_value()) << (result ? "" : render(result.error(), *sources));
  return result.value_or(RunResult{});
}

inline double at_end(const RunResult& result, const std::string& name) {
  for (const auto& [key, value] : result.summary.final_values) {
    if (key == name) return value;
  }
  ADD_FAILURE() << "no " << name;
  return 0;
}

}  // namespace daedalus::testing
