#include "mechanism_property.hpp"

#include <memory>

#include "mechanics/equations.hpp"
#include "readers/read_mechanism.hpp"

namespace daedalus::fuzz {
namespace {

std::string violation_of(const Diagnostics& errors, const SourceMap& sources) {
  if (errors.empty()) return "refused without an error";
  for (const Diagnostic& error : errors) {
    if (error.message.empty()) return "an error without a message";
    if (error.span.valid() && error.span.end > sources.file(error.span.file).text.size())
      return "an error outside the text: " + error.message;
  }
  return render(errors, sources).empty() ? "errors without a text" : "";
}

}  // namespace

std::string mechanism_violation(const std::string& text) {
  const auto sources = std::make_shared<SourceMap>();
  const std::int32_t file = sources->add("fuzz.xml", text);
  ReadOptions options;
  // A file that includes itself, and one that is not there.
  options.read_file = [&text](const std::string& path) -> Result<std::string> {
    if (path == "self.xml") return text;
    return fail("no such file");
  };
  const auto mechanism = read_mechanism(sources, file, options);
  if (!mechanism) return violation_of(mechanism.error(), *sources);
  const auto system = equations_of(*mechanism);
  if (!system) return violation_of(system.error(), *sources);
  if (system->equations.empty()) return "a mechanism without equations";
  return "";
}

}  // namespace daedalus::fuzz
