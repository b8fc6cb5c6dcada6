// Models and ensembles of them, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "ensemble/ensemble.hpp"
#include "model/load.hpp"

namespace daedalus::test {

inline std::shared_ptr<const Engine> engine_of(const std::string& text, const std::vector<std::string>& free,
                                               const RunOptions& options = {}) {
  const auto sources = std::make_shared<SourceMap>();
  LoadOptions load;
  load.free = free;
  const auto system = load_model(sources, sources->add("m.mo", text), load);
  if (!system) {
    ADD_FAILURE() << system.error().front().message;
    return nullptr;
  }
  auto planned = plan(*system, options);
  if (!planned) {
    ADD_FAILURE() << planned.error().front().message;
    return nullptr;
  }
  auto engine = compile(*std::move(planned));
  return engine ? *engine : nullptr;
}

inline std::string problem(const std::string& name) {
  std::ifstream stream(std::string(DAEDALUS_SOURCE_DIR) + "/" + name);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Columns of numbers, and inputs that refer to them.
struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;

  [[nodiscard]] EnsembleInputs inputs() const {
    EnsembleInputs given{.names = names, .columns = {}, .runs = columns.empty() ? 0 : columns.front().size()};
    for (const auto& column : columns) given.columns.emplace_back(column);
    return given;
  }
};

inline std::vector<double> between(double low, double high, std::size_t count) {
  std::vector<double> values;
  for (std::size_t k = 0; k < count; ++k)
    values.push_back(low + (high - low) * static_cast<double>(k) / static_cast<double>(count));
  return values;
}

inline EnsembleResult run_of(const std::shared_ptr<const Engine>& engine, const EnsembleOptions& options,
                             const Table& table) {
  const auto ensemble = Ensemble::make(engine, options);
  if (!ensemble) {
    ADD_FAILURE() << ensemble.error().front().message;
    return {};
  }
  auto result = (*ensemble)->run(table.inputs());
  if (!result) {
    ADD_FAILURE() << result.error().front().message;
    return {};
  }
  return *std::move(result);
}

// The largest difference of values, relative to 1 + the largest value of the same output.
inline double distance(const EnsembleResult& a, const EnsembleResult& b) {
  const std::size_t outputs = a.outputs.size();
  std::vector<double> size(outputs, 1.0);
  for (std::size_t k = 0; k < b.values.size(); ++k)
    size[k % outputs] = std::max(size[k % outputs], std::abs(b.values[k]));
  double worst = 0;
  for (std::size_t k = 0; k < b.values.size(); ++k) {
    const double off = std::abs(a.values[k] - b.values[k]) / size[k % outputs];
    worst = off <= worst ? worst : off;
  }
  return worst;
}

inline constexpr const char* pendulum = R"(
model P
  parameter Real m = 1, L = 1, g = 9.81;
  Real x(start = 1), y(start = 0, fixed = true), lambda;
  Real vx, vy(start = 0, fixed = true);
equation
  der(x) = vx;  der(y) = vy;
  m*der(vx) = -lambda*x;
  m*der(vy) = -lambda*y - m*g;
  x^2 + y^2 = L^2;
  annotation(experiment(StopTime = 2, Tolerance = 1e-6));
end P;
)";

}  // namespace daedalus::test
