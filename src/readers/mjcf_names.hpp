// Which elements and attributes MJCF has, so that a misspelt one is told from one that means nothing to us.
#pragma once

#include <span>
#include <string_view>

namespace daedalus::mjcf {

// Known attributes of an element, separated by spaces; empty for an element that is not read.
[[nodiscard]] std::string_view attributes_of(std::string_view element);
// Elements that may stand in <default>.
[[nodiscard]] std::span<const std::string_view> default_elements();

// A section of the root: read, without effect on the motion, or refused by the name of a feature.
struct Section {
  std::string_view name;
  std::string_view feature;  // not empty: refused under this name
  std::string_view what;     // "tendons are"
};
[[nodiscard]] std::span<const Section> sections();

// An element within <worldbody> that is not simulated.
struct Refused {
  std::string_view name;
  std::string_view feature;
  std::string_view what;
};
[[nodiscard]] std::span<const Refused> refused_in_body();

}  // namespace daedalus::mjcf
