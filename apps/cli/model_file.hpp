// Reading the model that the user named.
#pragma once

#include <string>

#include "core/diagnostic.hpp"

namespace daedalus::cli {

// The bytes of a file, or of standard input for "-". A folder, a missing or unreadable file, or one that is
// larger than a model may be is an error.
[[nodiscard]] Result<std::string> read_model_file(const std::string& path);

// The bytes of a mesh, which may be larger than a model.
[[nodiscard]] Result<std::string> read_mesh_file(const std::string& path);

}  // namespace daedalus::cli
