// Mechanism files: MuJoCo's MJCF and URDF. docs/mechanics.md says what is read, what is refused and what is
// left out.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "mechanics/mechanism.hpp"
#include "readers/read_options.hpp"

namespace daedalus {

// By the root element: <mujoco> or <robot>. Sources grow by included files.
[[nodiscard]] Result<Mechanism> read_mechanism(const std::shared_ptr<SourceMap>& sources, std::int32_t file,
                                               const ReadOptions& options);

// Whether a text is meant as a mechanism file: its first sign is '<'.
[[nodiscard]] bool looks_like_xml(std::string_view text);

}  // namespace daedalus
