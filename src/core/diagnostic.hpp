// What goes wrong with the user's input is a Diagnostic: a sentence that names their equation or
// variable, the place that it came from, and what to do. Numerical outcomes are not diagnostics but
// values of results; our own bugs are assertions.
#pragma once

#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "core/source.hpp"

namespace daedalus {

enum class Severity { Error, Warning, Note };

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string message;
  SourceSpan span;                  // where, if there is a place
  std::vector<Diagnostic> related;  // further places: "declared here", "also fixed here"
};

using Diagnostics = std::vector<Diagnostic>;

template <class T>
using Result = std::expected<T, Diagnostics>;

// An error to return from a function that gives a Result.
[[nodiscard]] inline std::unexpected<Diagnostics> fail(std::string message, SourceSpan span = {}) {
  return std::unexpected(
      Diagnostics{{.severity = Severity::Error, .message = std::move(message), .span = span, .related = {}}});
}

// "file:line:column: error: message", the line itself and a caret below it; related ones follow.
[[nodiscard]] std::string render(const Diagnostic& diagnostic, const SourceMap& sources);
[[nodiscard]] std::string render(const Diagnostics& diagnostics, const SourceMap& sources);

}  // namespace daedalus
