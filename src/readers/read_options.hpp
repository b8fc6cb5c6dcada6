// How a mechanism file is to be read.
#pragma once

#include <functional>
#include <string>
#include <vector>

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

}  // namespace daedalus
