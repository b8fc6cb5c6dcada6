// What the readers of mechanism files share: errors are collected, so that a file is told all that is wrong
// with it; values are read with their units; what is not simulated is refused by name or left out with a
// warning.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "mechanics/mechanism.hpp"
#include "readers/read_options.hpp"
#include "readers/xml.hpp"

namespace daedalus {

class FileReader {
 public:
  FileReader(std::shared_ptr<SourceMap> sources, const ReadOptions& options);

  void complain(std::string message, SourceSpan span);
  void warn(std::string message, SourceSpan span);
  // The file asks for something that is not simulated. True: it is left out, since the user said so.
  bool refuse(std::string_view feature, const std::string& what, SourceSpan span);

  // Something that the file asks for is left out: one warning for each kind with how often, an error if the
  // user wants it strict. What --ignore names is not mentioned.
  void omit(const std::string& what, SourceSpan span, const std::string& feature = {});
  void tell_omitted();
  void note(std::string message);

  // Numbers of an attribute's text; complains unless there are between `least` and `most`, all finite.
  std::vector<double> numbers(const xml::Attribute& attribute, std::size_t least, std::size_t most);
  std::optional<double> number(const xml::Attribute& attribute);
  // An attribute that no element of that kind has is an error that lists the known ones.
  void check_attributes(const xml::Element& element, std::string_view known);
  void unknown_element(const xml::Element& element, std::span<const std::string_view> known);

  // The name itself, or with a number where it is taken.
  std::string unique(const std::string& name);
  // The value that --set gives to this name.
  std::optional<double> setting(const std::string& name);
  // Settings that nothing asked for.
  void check_settings();

  [[nodiscard]] const std::vector<std::string>& settable() const { return asked_; }

  [[nodiscard]] bool failed() const { return !errors_.empty(); }
  [[nodiscard]] Diagnostics take_errors() { return std::move(errors_); }
  [[nodiscard]] Diagnostics take_warnings() { return std::move(warnings_); }
  [[nodiscard]] const std::shared_ptr<SourceMap>& sources() const { return sources_; }
  [[nodiscard]] const ReadOptions& options() const { return options_; }

 private:
  std::shared_ptr<SourceMap> sources_;
  const ReadOptions& options_;
  Diagnostics errors_;
  Diagnostics warnings_;
  std::unordered_set<std::string> names_;
  std::unordered_set<std::string> warned_;
  struct Omitted {
    std::string what;
    int count = 0;
    SourceSpan first;
  };
  std::vector<Omitted> omitted_;
  std::vector<std::string> asked_;  // names that could be set
};

// Mass, centre and inertia of bodies put together.
struct MassPart {
  double mass = 0;
  Vec3 centre;
  Mat3 inertia;  // about the centre, along the same axes
};
[[nodiscard]] MassPart combined(const std::vector<MassPart>& parts);
// The part given in a frame, in the coordinates that the frame is given in.
[[nodiscard]] MassPart placed(const Frame& frame, const MassPart& part);

}  // namespace daedalus
