#include "core/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>

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

// A name may be as long as its file. Of a word longer than this only the beginning is told.
constexpr std::size_t longest_word = 300;

std::string with_short_words(std::string_view message) {
  std::string out;
  while (!message.empty()) {
    const std::size_t end = std::min(message.find_first_of(" \n"), message.size());
    if (end > longest_word) {
      std::size_t kept = longest_word;
      while (kept > 0 && (static_cast<unsigned char>(message[kept]) & 0xc0) == 0x80)
        --kept;  // whole characters
      out += fmt::format("{}... ({} bytes)", message.substr(0, kept), end);
    } else {
      out += message.substr(0, end);
    }
    message.remove_prefix(end);
    const std::size_t word = std::min(message.find_first_not_of(" \n"), message.size());
    out += message.substr(0, word);
    message.remove_prefix(word);
  }
  return out;
}

}  // namespace

std::string render(const Diagnostic& diagnostic, const SourceMap& sources) {
  std::string out;
  if (diagnostic.span.valid()) {
    out = fmt::format("{}: {}: {}\n{}\n", sources.place(diagnostic.span), word(diagnostic.severity),
                      with_short_words(diagnostic.message), sources.line_with_caret(diagnostic.span));
  } else {
    out = fmt::format("{}: {}\n", word(diagnostic.severity), with_short_words(diagnostic.message));
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
