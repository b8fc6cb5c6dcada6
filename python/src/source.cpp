#include "source.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli/model_file.hpp"
#include "mechanics/equations.hpp"
#include "readers/read_mechanism.hpp"
#include "reform/level_system.hpp"

namespace daedalus::python {

Settings settings_of(const std::vector<std::pair<std::string, std::string>>& given) {
  Settings settings;
  for (const auto& [name, value] : given) settings.push_back({.name = name, .value = value});
  return settings;
}

bool TextSource::is_mechanism() const {
  const std::string extension = std::filesystem::path(name_).extension().string();
  return extension == ".xml" || extension == ".urdf" || looks_like_xml(text_);
}

std::shared_ptr<SourceMap> TextSource::fresh_sources() const {
  auto map = std::make_shared<SourceMap>();
  (void)map->add(name_, text_);
  return map;
}

Result<Mechanism> TextSource::mechanism(const std::shared_ptr<SourceMap>& sources,
                                        const Settings& settings) const {
  const auto folder = std::filesystem::path(name_).parent_path();
  ReadOptions options{.ignore = options_.ignore,
                      .settings = settings,
                      .keyframe = options_.keyframe,
                      .strict = options_.strict,
                      .floating = options_.floating,
                      .read_file = {}};
  options.read_file = [folder, outside = options_.outside](const std::string& path) {
    auto file = cli::file_named_by_model(folder, path, outside);
    return file ? cli::read_model_file(*file) : file;
  };
  options.read_mesh = [folder, outside = options_.outside](const std::string& path) {
    auto file = cli::file_named_by_model(folder, path, outside);
    return file ? cli::read_mesh_file(*file) : file;
  };
  return read_mechanism(sources, 0, options);
}

Diagnostics no_parameters(const std::string& name) {
  return {{.severity = Severity::Error,
           .message = fmt::format("'{}' cannot be free: lengths and masses are numbers in the equations of a "
                                  "mechanism; another value makes another model, and start values can be set "
                                  "when a run starts",
                                  name),
           .span = {},
           .related = {}}};
}

std::optional<Mechanism> TextSource::mechanism_with(const Settings& settings) const {
  if (!is_mechanism()) return std::nullopt;
  auto found = mechanism(fresh_sources(), settings);
  return found ? std::optional(*std::move(found)) : std::nullopt;
}

Names TextSource::settable() const {
  if (!is_mechanism()) return {};
  const auto found = mechanism(fresh_sources(), {});
  return found ? found->settable : Names{};
}

Made TextSource::make_system(const Settings& settings, const MakeOptions& options) const {
  const auto sources = fresh_sources();
  if (!is_mechanism()) {
    return {sources, load_model(sources, 0,
                                {.settings = settings,
                                 .remove_aliases = options.remove_aliases,
                                 .keep_constraints = options.keep_constraints,
                                 .free = options.free,
                                 .model = options_.model})};
  }
  if (!options.free.empty()) return {sources, std::unexpected(no_parameters(options.free.front()))};
  const auto found = mechanism(sources, settings);
  if (!found) return {sources, std::unexpected(found.error())};
  return {sources, equations_of(*found, {.coordinates = options_.coordinates})};
}

std::optional<Mobility> TextSource::mobility() const {
  if (!is_mechanism()) return std::nullopt;
  const auto found = mechanism(fresh_sources(), {});
  return found ? std::optional(mobility_of(*found)) : std::nullopt;
}

Explained explained(const SystemSource& source, const Settings& settings, Explained found) {
  if (source.mobility()) return found;
  const Made written = source.make(settings, {.remove_aliases = false});
  if (!written.system) return found;
  Diagnostics unbalanced = structural_errors(*written.system);
  if (unbalanced.empty()) return found;
  return {written.sources, std::move(unbalanced)};
}

}  // namespace daedalus::python
