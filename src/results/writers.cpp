#include "results/writers.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <vector>

#include "core/options.hpp"

namespace daedalus {

std::span<const WriterRow> trajectory_writers() {
  static constexpr std::array<WriterRow, 3> rows{{
      {.extension = ".csv",
       .summary = "comma-separated, a header and one row an output point",
       .write = write_csv},
      {.extension = ".json",
       .summary = "one object: time, signals by name, parameters, units",
       .write = write_json},
      {.extension = ".mat",
       .summary = "MATLAB 4 as OpenModelica and Dymola write results",
       .write = write_mat4},
  }};
  return rows;
}

Result<const WriterRow*> find_writer(const std::string& path) {
  if (path == "-") return &trajectory_writers().front();
  const std::string extension = std::filesystem::path(path).extension().string();
  std::vector<std::string_view> known;
  for (const WriterRow& row : trajectory_writers()) {
    if (row.extension == extension) return &row;
    known.push_back(row.extension);
  }
  return fail(fmt::format("'{}': {}", path, unknown_name_message("result format", extension, known)));
}

Result<void> write_trajectory(const Trajectory& trajectory, const std::string& path) {
  const auto writer = find_writer(path);
  if (!writer) return std::unexpected(writer.error());
  auto file = OutputFile::open(path);
  if (!file) return std::unexpected(file.error());
  if (auto written = (*writer)->write(trajectory, *file); !written) return written;
  return file->close();
}

}  // namespace daedalus
