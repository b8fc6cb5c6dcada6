#include "fmu/recipe.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace daedalus {
namespace {

using Json = nlohmann::ordered_json;

// One list of the members, for writing and for reading.
template <class Recipe, class F>
void each_member(Recipe& r, F&& f) {
  f("model", r.model);
  f("settings", r.settings);
  f("free", r.free);
  f("outputs", r.outputs);
  f("model_name", r.model_name);
  f("keyframe", r.keyframe);
  f("coordinates", r.coordinates);
  f("floating", r.floating);
  f("formulation", r.formulation);
  f("integrator", r.integrator);
  f("stop", r.stop);
  f("rtol", r.rtol);
  f("atol", r.atol);
  f("token", r.token);
}

}  // namespace

std::string recipe_text(const FmuRecipe& recipe) {
  Json object = Json::object();
  each_member(recipe, [&object](const char* name, const auto& member) { object[name] = member; });
  return object.dump(2) + "\n";
}

Result<FmuRecipe> parse_recipe(std::string_view text) {
  FmuRecipe recipe;
  try {
    const Json object = Json::parse(text);
    each_member(recipe, [&object](const char* name, auto& member) { object.at(name).get_to(member); });
  } catch (const nlohmann::json::exception& error) {
    return fail(fmt::format("{} of the FMU cannot be read: {}", recipe_file, error.what()));
  }
  return recipe;
}

}  // namespace daedalus
