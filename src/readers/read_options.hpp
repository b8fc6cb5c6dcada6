// How a mechanism file is to be read.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.hpp"
#include "model/load_options.hpp"

namespace daedalus {

struct ReadOptions {
  // What may be left out with a warning although the file asks for it: "contact", "tendon", …
  std::vector<std::string> ignore;
  // Controls of actuators and start values: name=value.
  std::vector<ParameterSetting> settings;
  // Name or number of a keyframe of an MJCF file to start from.
  std::string keyframe = {};
  // What is left out with a warning is an error.
  bool strict = false;
  // The root link of a URDF file moves freely.
  bool floating = false;
  // Gives the text of an included file; its path is relative to the folder of the file that was named.
  std::function<Result<std::string>(const std::string& path)> read_file;
  // Gives the bytes of a mesh, likewise. Nothing of them is ever shown.
  std::function<Result<std::string>(const std::string& path)> read_mesh = {};
};

// What `ignore` may name, with what it means.
struct IgnorableFeature {
  std::string_view name;
  std::string_view meaning;
};
[[nodiscard]] std::span<const IgnorableFeature> ignorable_features();

}  // namespace daedalus
