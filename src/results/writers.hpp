// Trajectories to files. One row a format; the ending of the file's name chooses.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/diagnostic.hpp"
#include "record/trajectory.hpp"
#include "results/output_file.hpp"

namespace daedalus {

struct WriterRow {
  std::string_view extension;  // with the dot
  std::string_view summary;
  // What cannot be written in this format is an error; errors of the disk come from OutputFile::close().
  Result<void> (*write)(const Trajectory& trajectory, OutputFile& file);
};

[[nodiscard]] std::span<const WriterRow> trajectory_writers();

// The row for a file name; "-" (standard output) is CSV. An unknown ending is an error that lists the known.
[[nodiscard]] Result<const WriterRow*> find_writer(const std::string& path);

[[nodiscard]] Result<void> write_trajectory(const Trajectory& trajectory, const std::string& path);

// The rows' functions.
[[nodiscard]] Result<void> write_csv(const Trajectory& trajectory, OutputFile& file);
[[nodiscard]] Result<void> write_json(const Trajectory& trajectory, OutputFile& file);
[[nodiscard]] Result<void> write_mat4(const Trajectory& trajectory, OutputFile& file);

}  // namespace daedalus
