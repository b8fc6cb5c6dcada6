#include "readers/file_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/options.hpp"

namespace daedalus {
namespace {

constexpr std::array<IgnorableFeature, 13> features{{
    {"contact", "bodies that touch"},
    {"limit", "the range of a joint"},
    {"friction", "dry friction in joints"},
    {"tendon", "tendons"},
    {"muscle", "muscles"},
    {"actuator", "actuators with dynamics of their own, or that act on something else than a joint"},
    {"flex", "deformable bodies, skins and composites"},
    {"fluid", "forces of the medium"},
    {"gravcomp", "gravity compensation"},
    {"plugin", "plugins"},
    {"plasticity", "springs that yield"},
    {"sensor", "sensors"},
    {"transmission", "transmissions of URDF"},
}};

constexpr std::size_t most_errors = 20;

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  std::size_t at = 0;
  const std::string_view space = " \t\r\n";
  while ((at = text.find_first_not_of(space, at)) != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(space, at), text.size());
    found.push_back(text.substr(at, end - at));
    at = end;
  }
  return found;
}

std::optional<double> parse_number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

std::span<const IgnorableFeature> ignorable_features() {
  return features;
}

FileReader::FileReader(std::shared_ptr<SourceMap> sources, const ReadOptions& options)
    : sources_(std::move(sources)), options_(options) {
  std::vector<std::string_view> known;
  for (const IgnorableFeature& feature : features) known.push_back(feature.name);
  for (const std::string& name : options.ignore) {
    if (std::ranges::find(known, std::string_view(name)) == known.end())
      complain(unknown_name_message("feature to ignore", name, known), {});
  }
}

void FileReader::complain(std::string message, SourceSpan span) {
  if (errors_.size() >= most_errors) return;
  errors_.push_back(
      {.severity = Severity::Error, .message = std::move(message), .span = span, .related = {}});
}

void FileReader::warn(std::string message, SourceSpan span) {
  if (!warned_.insert(message).second) return;
  warnings_.push_back(
      {.severity = Severity::Warning, .message = std::move(message), .span = span, .related = {}});
}

bool FileReader::refuse(std::string_view feature, const std::string& what, SourceSpan span) {
  if (std::ranges::find(options_.ignore, std::string(feature)) != options_.ignore.end()) {
    warn(fmt::format("{} left out, as --ignore {} says", what, feature), span);
    return true;
  }
  complain(fmt::format("{} not simulated; --ignore {} leaves {} out", what, feature, "it"), span);
  return false;
}

void FileReader::omit(const std::string& what, SourceSpan span, const std::string& feature) {
  if (!feature.empty() && std::ranges::find(options_.ignore, feature) != options_.ignore.end()) return;
  const auto found = std::ranges::find(omitted_, what, &Omitted::what);
  if (found != omitted_.end()) {
    ++found->count;
    return;
  }
  omitted_.push_back({.what = what, .count = 1, .first = span});
}

void FileReader::note(std::string message) {
  warnings_.push_back({.severity = Severity::Note, .message = std::move(message), .span = {}, .related = {}});
}

void FileReader::tell_omitted() {
  for (const Omitted& one : omitted_) {
    const std::string message = fmt::format("{} are not simulated ({} of them{})", one.what, one.count,
                                            options_.strict ? "; --strict makes this an error" : "");
    if (options_.strict)
      complain(message, one.first);
    else
      warn(message, one.first);
  }
}

std::vector<double> FileReader::numbers(const xml::Attribute& attribute, std::size_t least,
                                        std::size_t most) {
  std::vector<double> values;
  for (const std::string_view word : words(attribute.value)) {
    const auto value = parse_number(word);
    if (!value) {
      complain(fmt::format("'{}' in the attribute '{}' is not a number", word.substr(0, 40), attribute.name),
               attribute.span);
      return {};
    }
    values.push_back(*value);
  }
  if (values.size() < least || values.size() > most) {
    complain(fmt::format("the attribute '{}' has {} numbers, but needs {}", attribute.name, values.size(),
                         least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most)),
             attribute.span);
    return {};
  }
  return values;
}

std::optional<double> FileReader::number(const xml::Attribute& attribute) {
  const auto values = numbers(attribute, 1, 1);
  return values.empty() ? std::nullopt : std::optional(values[0]);
}

void FileReader::check_attributes(const xml::Element& element, std::string_view known) {
  const auto names = words(known);
  for (const xml::Attribute& attribute : element.attributes) {
    if (std::ranges::find(names, std::string_view(attribute.name)) != names.end()) continue;
    complain(fmt::format("<{}>: {}", element.name, unknown_name_message("attribute", attribute.name, names)),
             attribute.span);
  }
}

void FileReader::unknown_element(const xml::Element& element, std::span<const std::string_view> known) {
  complain(unknown_name_message("element", element.name, known), element.span);
}

std::string FileReader::unique(const std::string& name) {
  std::string candidate = name;
  for (int k = 2; !names_.insert(candidate).second; ++k) candidate = fmt::format("{} {}", name, k);
  return candidate;
}

std::optional<double> FileReader::setting(const std::string& name) {
  asked_.push_back(name);
  for (const ParameterSetting& setting : options_.settings) {
    if (setting.name != name) continue;
    const auto value = parse_number(setting.value);
    if (!value) complain(fmt::format("--set {}={}: the value is not a number", name, setting.value), {});
    return value;
  }
  return std::nullopt;
}

void FileReader::check_settings() {
  for (const ParameterSetting& setting : options_.settings) {
    if (std::ranges::find(asked_, setting.name) != asked_.end()) continue;
    if (asked_.empty()) {
      complain(fmt::format("--set {}: the file has nothing that can be set (controls of actuators can)",
                           setting.name),
               {});
    } else {
      complain(unknown_name_message("name to set", setting.name,
                                    std::vector<std::string_view>(asked_.begin(), asked_.end())),
               {});
    }
  }
}

namespace {

// m (|d|² 1 - d dᵀ)
Mat3 of_point(double mass, const Vec3& d) {
  const double s = dot(d, d);
  return {{mass * (s - d.x * d.x), -mass * d.x * d.y, -mass * d.x * d.z},
          {-mass * d.x * d.y, mass * (s - d.y * d.y), -mass * d.y * d.z},
          {-mass * d.x * d.z, -mass * d.y * d.z, mass * (s - d.z * d.z)}};
}

Mat3 sum(const Mat3& a, const Mat3& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

}  // namespace

MassPart combined(const std::vector<MassPart>& parts) {
  MassPart all;
  all.inertia = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  for (const MassPart& part : parts) {
    all.mass += part.mass;
    all.centre = all.centre + part.mass * part.centre;
  }
  if (all.mass > 0) all.centre = (1 / all.mass) * all.centre;
  for (const MassPart& part : parts)
    all.inertia = sum(all.inertia, sum(part.inertia, of_point(part.mass, part.centre - all.centre)));
  return all;
}

MassPart placed(const Frame& frame, const MassPart& part) {
  return {.mass = part.mass,
          .centre = frame.origin + frame.axes * part.centre,
          .inertia = frame.axes * part.inertia * transposed(frame.axes)};
}

}  // namespace daedalus
