// How flattening stops: a ModelError is thrown where a mistake of the user's model is found and caught
// where the next equation or declaration can still be looked at. None leaves the model stage.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/diagnostic.hpp"

namespace daedalus::flatten {

struct ModelError {
  Diagnostic diagnostic;
};

template <class... Args>
[[noreturn]] void raise(SourceSpan span, fmt::format_string<Args...> text, Args&&... args) {
  throw ModelError{{.severity = Severity::Error,
                    .message = fmt::format(text, std::forward<Args>(args)...),
                    .span = span,
                    .related = {}}};
}

// "; did you mean 'a' or 'b'?", or nothing when no candidate is near.
[[nodiscard]] std::string did_you_mean(std::string_view given, std::span<const std::string_view> candidates);

}  // namespace daedalus::flatten
