// Reading the model that the user named.
#pragma once

#include <filesystem>
#include <string>

#include "core/diagnostic.hpp"

namespace daedalus::cli {

// The bytes of a file, or of standard input for "-". A folder, a missing or unreadable file, or one that is
// larger than a model may be is an error.
[[nodiscard]] Result<std::string> read_model_file(const std::string& path);

// The bytes of a mesh, which may be larger than a model.
[[nodiscard]] Result<std::string> read_mesh_file(const std::string& path);

// Where a file lies that a model in `folder` names. A model may come from elsewhere, and what it names is
// shown in messages: outside of its folder, links followed, is an error unless `outside` allows it.
[[nodiscard]] Result<std::string> file_named_by_model(const std::filesystem::path& folder,
                                                      const std::string& path, bool outside);

}  // namespace daedalus::cli
