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
  ReadOptions options{.ignore = ignore_, .settings = settings, .read_file = {}};
  options.read_file = [folder](const std::string& path) {
    auto file = cli::file_named_by_model(folder, path, false);
    return file ? cli::read_model_file(*file) : file;
  };
  return read_mechanism(sources, 0, options);
}

Diagnostics no_parameters(const std::string& name) {
  return {{.severity = Severity::Error,
           .message = fmt::format("'{}' cannot be free: a mechanism has no parameters, but its start values "
                                  "can be set when a run starts",
                                  name),
           .span = {},
           .related = {}}};
}

Made TextSource::make_system(const Settings& settings, bool remove_aliases, const Names& free) const {
  const auto sources = fresh_sources();
  if (!is_mechanism()) {
    return {sources,
            load_model(sources, 0, {.settings = settings, .remove_aliases = remove_aliases, .free = free})};
  }
  if (!free.empty()) return {sources, std::unexpected(no_parameters(free.front()))};
  const auto found = mechanism(sources, settings);
  if (!found) return {sources, std::unexpected(found.error())};
  return {sources, equations_of(*found)};
}

std::optional<Mobility> TextSource::mobility() const {
  if (!is_mechanism()) return std::nullopt;
  const auto found = mechanism(fresh_sources(), {});
  return found ? std::optional(mobility_of(*found)) : std::nullopt;
}

Explained explained(const SystemSource& source, const Settings& settings, Explained found) {
  if (source.mobility()) return found;
  const Made written = source.make(settings, false);
  if (!written.system) return found;
  Diagnostics unbalanced = structural_errors(*written.system);
  if (unbalanced.empty()) return found;
  return {written.sources, std::move(unbalanced)};
}

}  // namespace daedalus::python
