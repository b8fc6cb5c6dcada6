// What an Ensemble is made of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ensemble/ensemble_data.hpp"
#include "ensemble/ensemble_settings.hpp"
#include "ensemble/trajectory_kernel.hpp"

namespace daedalus {

struct EnsembleParts {
  std::shared_ptr<const Engine> engine;
  EnsembleOptions options;
  RunSettings settings;
  std::vector<std::string> outputs;
  std::vector<double> times;
  std::size_t threads = 1;
  std::string backend;  // "lanes", "cuda", "scalar"
  std::string why;
  std::optional<TrajectoryKernel> kernel;  // of the first two
  EnsembleSettings stepping{};

  [[nodiscard]] std::size_t width() const { return times.size() * outputs.size(); }
};

}  // namespace daedalus
