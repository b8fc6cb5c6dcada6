#include "cli/loaded_model.hpp"

#include <cstdio>
#include <utility>

#include "cli/model_file.hpp"
#include "cli/standard_output.hpp"
#include "model/load.hpp"
#include "reform/level_system.hpp"

namespace daedalus::cli {

std::optional<ModelText> read_model(const ModelArguments& arguments) {
  auto text = read_model_file(arguments.path);
  if (!text) {
    (void)complain(text.error());
    return std::nullopt;
  }
  ModelText model{.sources = std::make_shared<SourceMap>(), .file = 0};
  model.file = model.sources->add(arguments.path, *std::move(text));
  return model;
}

std::optional<DaeSystem> load(const ModelText& text, const ModelArguments& arguments,
                              const LoadSettings& settings) {
  auto system =
      load_model(text.sources, text.file,
                 {.settings = arguments.settings, .remove_aliases = settings.remove_aliases, .limits = {}});
  if (!system) {
    (void)refuse(text, arguments, system.error());
    return std::nullopt;
  }
  if (!settings.quiet) std::fputs(render(system->warnings, *text.sources).c_str(), stderr);
  return *std::move(system);
}

int refuse(const ModelText& text, const ModelArguments& arguments, const Diagnostics& errors) {
  const auto written = load_model(text.sources, text.file,
                                  {.settings = arguments.settings, .remove_aliases = false, .limits = {}});
  if (!written) return complain(errors, *text.sources);
  const Diagnostics unbalanced = structural_errors(*written);
  return complain(unbalanced.empty() ? errors : unbalanced, *text.sources);
}

}  // namespace daedalus::cli
