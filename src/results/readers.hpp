// Trajectories from files. One row a format; the ending of the file's name chooses.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/diagnostic.hpp"
#include "record/trajectory.hpp"

namespace daedalus {

struct ReaderRow {
  std::string_view extension;  // with the dot
  // `name` for messages.
  Result<Trajectory> (*read)(const std::string& name, std::string_view bytes);
};

[[nodiscard]] std::span<const ReaderRow> trajectory_readers();
[[nodiscard]] Result<const ReaderRow*> find_reader(const std::string& path);

// The file whole, and what is in it.
[[nodiscard]] Result<std::string> read_bytes(const std::string& path);
[[nodiscard]] Result<Trajectory> read_trajectory(const std::string& path);

// The rows' functions.
[[nodiscard]] Result<Trajectory> read_csv(const std::string& name, std::string_view bytes);
[[nodiscard]] Result<Trajectory> read_json(const std::string& name, std::string_view bytes);
// As Modelica tools lay it out ("binTrans", 1.1).
[[nodiscard]] Result<Trajectory> read_mat4(const std::string& name, std::string_view bytes);

}  // namespace daedalus
