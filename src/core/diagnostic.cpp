#include "core/diagnostic.hpp"

#include <fmt/format.h>

namespace daedalus {
namespace {

std::string_view word(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Note:
      return "note";
  }
  return "";
}

}  // namespace

std::string render(const Diagnostic& diagnostic, const SourceMap& sources) {
  std::string out;
  if (diagnostic.span.valid()) {
    out = fmt::format("{}: {}: {}\n{}\n", sources.place(diagnostic.span), word(diagnostic.severity),
                      diagnostic.message, sources.line_with_caret(diagnostic.span));
  } else {
    out = fmt::format("{}: {}\n", word(diagnostic.severity), diagnostic.message);
  }
  for (const Diagnostic& related : diagnostic.related) out += render(related, sources);
  return out;
}

std::string render(const Diagnostics& diagnostics, const SourceMap& sources) {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics) out += render(diagnostic, sources);
  return out;
}

}  // namespace daedalus
