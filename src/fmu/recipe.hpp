// How a model was compiled, carried by an FMU beside its text, so that the same engine is made where it is
// loaded.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/diagnostic.hpp"

namespace daedalus {

struct FmuRecipe {
  std::string model;  // file name, beside the recipe
  std::vector<std::pair<std::string, std::string>> settings;
  std::vector<std::string> free;  // tunable parameters
  std::vector<std::string> outputs;
  std::string model_name, keyframe, coordinates;
  bool floating = false;
  std::string formulation = "auto";
  std::string integrator = "auto";
  double stop = 1;
  double rtol = 1e-6;
  double atol = 1e-9;
  std::string token;
};

inline constexpr std::string_view recipe_file = "daedalus.json";

[[nodiscard]] std::string recipe_text(const FmuRecipe& recipe);
[[nodiscard]] Result<FmuRecipe> parse_recipe(std::string_view text);

}  // namespace daedalus
