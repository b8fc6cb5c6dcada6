// The models of problems/ that the studies run, as text.
#pragma once

#include <span>
#include <string_view>

namespace daedalus {

struct EmbeddedModel {
  std::string_view name;  // of its file, without .mo
  std::string_view text;
};

[[nodiscard]] std::span<const EmbeddedModel> embedded_models();

}  // namespace daedalus
