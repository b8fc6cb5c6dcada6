// Reproductions as text for a terminal, as JSON for programs, and as Markdown with pictures for docs/.
#pragma once

#include <string>
#include <vector>

#include "core/diagnostic.hpp"
#include "study/reproduction.hpp"

namespace daedalus {

// One target: its table, the reasons of what differs, and a line of counts.
[[nodiscard]] std::string reproduction_text(const Reproduction& reproduction);
// "290 cells: 284 agree, …".
[[nodiscard]] std::string count_text(const Count& count);

[[nodiscard]] std::string reproduction_json(const std::vector<Reproduction>& reproductions);

// The whole page. Pictures are linked as `figures`/NAME.svg.
[[nodiscard]] std::string reproduction_markdown(const std::vector<Reproduction>& reproductions,
                                                const std::string& figures);

// One picture as a self-contained SVG.
[[nodiscard]] std::string figure_svg(const Figure& figure);

// Writes `folder`/reproduction.md and `folder`/figures/NAME.svg; makes the folders if they are not there.
[[nodiscard]] Result<void> write_reproduction_docs(const std::vector<Reproduction>& reproductions,
                                                   const std::string& folder);

}  // namespace daedalus
