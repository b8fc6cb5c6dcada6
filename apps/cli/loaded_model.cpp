#include "cli/loaded_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "advise/plan.hpp"
#include "cli/model_file.hpp"
#include "cli/standard_output.hpp"
#include "mechanics/equations.hpp"
#include "model/load.hpp"
#include "readers/read_mechanism.hpp"
#include "reform/level_system.hpp"
#include "results/input_series.hpp"

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

bool is_mechanism(const ModelText& text) {
  const SourceFile& file = text.sources->file(text.file);
  const std::string extension = std::filesystem::path(file.name).extension().string();
  return extension == ".xml" || extension == ".urdf" || looks_like_xml(file.text);
}

Result<Mechanism> mechanism_of(const ModelText& text, const ModelArguments& arguments) {
  const auto folder = std::filesystem::path(arguments.path).parent_path();
  ReadOptions options{.ignore = arguments.ignore,
                      .settings = arguments.settings,
                      .keyframe = arguments.keyframe,
                      .strict = arguments.strict,
                      .floating = arguments.floating,
                      .read_file = {}};
  const bool outside = arguments.outside;
  options.read_file = [folder, outside, included = text.included](const std::string& path) {
    auto file = file_named_by_model(folder, path, outside);
    if (!file) return file;
    included->push_back(*file);
    return read_model_file(*file);
  };
  options.read_mesh = [folder, outside](const std::string& path) {
    auto file = file_named_by_model(folder, path, outside);
    return file ? read_mesh_file(*file) : file;
  };
  return read_mechanism(text.sources, text.file, options);
}

namespace {

std::vector<std::string> names_of_inputs(const DaeSystem& system) {
  std::vector<std::string> names;
  for (const VariableId v : variables_of_kind(system, VariableKind::Input))
    names.push_back(system.variables[v.at()].name);
  return names;
}

// The model is loaded first without the tables, to know its inputs: an input that --set gives a value or a
// function is none any more, so without those settings.
Result<std::vector<InputTable>> input_tables(const ModelText& text, const ModelArguments& arguments) {
  if (arguments.input.empty()) return std::vector<InputTable>{};
  const auto bare = load_model(text.sources, text.file, {.model = arguments.model});
  if (!bare) return std::unexpected(bare.error());
  const std::vector<std::string> inputs = names_of_inputs(*bare);
  std::vector<ParameterSetting> settings = arguments.settings;
  std::vector<std::string> set;
  std::erase_if(settings, [&](const ParameterSetting& one) {
    const bool is_input = std::ranges::find(inputs, one.name) != inputs.end();
    if (is_input) set.push_back(one.name);
    return is_input;
  });
  const auto plain =
      load_model(text.sources, text.file, {.settings = std::move(settings), .model = arguments.model});
  if (!plain) return std::unexpected(plain.error());
  auto file = read_model_file(arguments.input);
  if (!file) return std::unexpected(file.error());
  auto series = read_inputs(arguments.input, *file, names_of_inputs(*plain), arguments.input_held, set);
  if (!series) return std::unexpected(series.error());
  std::vector<InputTable> tables;
  for (InputSeries& one : *series)
    tables.push_back({.name = std::move(one.name),
                      .times = std::move(one.times),
                      .values = std::move(one.values),
                      .held = one.held});
  return tables;
}

}  // namespace

Result<DaeSystem> system_of(const ModelText& text, const ModelArguments& arguments, bool remove_aliases,
                            bool keep_constraints) {
  if (!is_mechanism(text)) {
    auto tables = input_tables(text, arguments);
    if (!tables) return std::unexpected(tables.error());
    return load_model(text.sources, text.file,
                      {.settings = arguments.settings,
                       .remove_aliases = remove_aliases,
                       .keep_constraints = keep_constraints,
                       .free = arguments.free,
                       .input_tables = *std::move(tables),
                       .model = arguments.model});
  }
  if (!arguments.input.empty())
    return fail("--input is for models with top-level inputs, and a mechanism file has none");
  const auto mechanism = mechanism_of(text, arguments);
  if (!mechanism) return std::unexpected(mechanism.error());
  return equations_of(*mechanism, {.coordinates = *coordinates_named(arguments.coordinates)});
}

std::optional<DaeSystem> load(const ModelText& text, const ModelArguments& arguments,
                              const LoadSettings& settings) {
  auto system = load_for(settings.formulation, [&](bool keep_constraints) {
    return system_of(text, arguments, settings.remove_aliases, keep_constraints);
  });
  if (!system) {
    (void)refuse(text, arguments, system.error());
    return std::nullopt;
  }
  if (!settings.quiet) {
    Diagnostics warnings = system->warnings;
    for (Diagnostic& warning : input_warnings(*system)) warnings.push_back(std::move(warning));
    std::fputs(render(warnings, *text.sources).c_str(), stderr);
  }
  return *std::move(system);
}

int refuse(const ModelText& text, const ModelArguments& arguments, const Diagnostics& errors) {
  if (is_mechanism(text)) return complain(errors, *text.sources);
  const auto written = system_of(text, arguments, false);
  if (!written) return complain(errors, *text.sources);
  const Diagnostics unbalanced = structural_errors(*written);
  return complain(unbalanced.empty() ? errors : unbalanced, *text.sources);
}

}  // namespace daedalus::cli
