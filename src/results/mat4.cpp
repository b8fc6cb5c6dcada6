// MATLAB 4 in the layout of Modelica tools ("Atrajectory", version 1.1, "binTrans"), so that OMPython,
// DyMat, buildingspy, scipy.io.loadmat and OpenModelica's own plotting read our results. Six matrices:
//   Aclass       4 × 11 text: Atrajectory / 1.1 / (empty) / binTrans
//   name         (longest name) × n text, one column a name; the first is time
//   description  likewise, "text [unit]"
//   dataInfo     4 × n integers, a column each: {matrix, row, 0 = linear interpolation, 0 or -1 = constant or
//                not defined outside}; time is {0, 1, 0, -1} because both data matrices begin with it
//   data_1       (1 + parameters) × 2: values at the first and the last time
//   data_2       (1 + signals) × points
// A matrix is a header of five 32-bit integers (type, rows, columns, imaginary, length of the name with its
// final zero), the name, and the values column by column. Type 0: double, 20: 32-bit integer, 51: text;
// all little-endian, which OpenModelica's reader requires.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "results/writers.hpp"

namespace daedalus {
namespace {

static_assert(std::endian::native == std::endian::little, "the values are written as they lie in memory");

enum class Mat4Type : std::int32_t { Double = 0, Integer = 20, Text = 51 };

template <class T>
void write_values(OutputFile& file, std::span<const T> values) {
  file.write({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}

struct Mat4Header {
  std::string_view name;
  Mat4Type type = Mat4Type::Double;
  std::size_t rows = 0;
  std::size_t columns = 0;
};

void write_header(OutputFile& file, const Mat4Header& header) {
  const std::array<std::int32_t, 5> numbers{
      static_cast<std::int32_t>(header.type), static_cast<std::int32_t>(header.rows),
      static_cast<std::int32_t>(header.columns), 0, static_cast<std::int32_t>(header.name.size() + 1)};
  write_values(file, std::span<const std::int32_t>(numbers));
  file.write(header.name);
  file.write(std::string_view("\0", 1));
}

std::size_t longest(std::span<const std::string> texts) {
  std::size_t length = 1;
  for (const std::string& text : texts) length = std::max(length, text.size());
  return length;
}

// One column a text, padded with spaces.
void write_texts(OutputFile& file, std::string_view name, std::span<const std::string> texts) {
  const std::size_t length = longest(texts);
  write_header(file, {.name = name, .type = Mat4Type::Text, .rows = length, .columns = texts.size()});
  for (const std::string& text : texts) file.write(text + std::string(length - text.size(), ' '));
}

void write_class(OutputFile& file) {
  constexpr std::array<std::string_view, 4> lines{"Atrajectory", "1.1", "", "binTrans"};
  constexpr std::size_t length = 11;
  write_header(file, {.name = "Aclass", .type = Mat4Type::Text, .rows = lines.size(), .columns = length});
  for (std::size_t column = 0; column < length; ++column) {
    for (const std::string_view line : lines) file.write(column < line.size() ? line.substr(column, 1) : " ");
  }
}

std::string description_of(const Signal& signal) {
  if (signal.unit.empty()) return signal.description;
  return fmt::format("{}{}[{}]", signal.description, signal.description.empty() ? "" : " ", signal.unit);
}

struct Contents {
  std::vector<std::string> names{"time"};
  std::vector<std::string> descriptions{"Simulation time [s]"};
  std::vector<std::array<std::int32_t, 4>> info{{0, 1, 0, -1}};

  void add(const Signal& signal, std::int32_t matrix, std::int32_t row) {
    names.push_back(signal.name);
    descriptions.push_back(description_of(signal));
    info.push_back({matrix, row, 0, matrix == 1 ? 0 : -1});
  }
};

Contents contents_of(const Trajectory& trajectory) {
  Contents contents;
  std::int32_t row = 1;
  for (const Signal& signal : trajectory.signals) contents.add(signal, 2, ++row);
  row = 1;
  for (const ParameterValue& parameter : trajectory.parameters) contents.add(parameter.signal, 1, ++row);
  return contents;
}

void write_parameters(const Trajectory& trajectory, OutputFile& file) {
  write_header(file, {.name = "data_1", .rows = trajectory.parameters.size() + 1, .columns = 2});
  const double first = trajectory.times.empty() ? 0 : trajectory.times.front();
  const double last = trajectory.times.empty() ? 0 : trajectory.times.back();
  for (const double t : {first, last}) {
    std::vector<double> column{t};
    for (const ParameterValue& parameter : trajectory.parameters) column.push_back(parameter.value);
    write_values(file, std::span<const double>(column));
  }
}

}  // namespace

Result<void> write_mat4(const Trajectory& trajectory, OutputFile& file) {
  const Contents contents = contents_of(trajectory);
  // Readers count the elements of a matrix in 32 bits.
  constexpr std::size_t limit = std::numeric_limits<std::int32_t>::max();
  if (longest(contents.names) * contents.names.size() > limit ||
      longest(contents.descriptions) * contents.names.size() > limit ||
      (trajectory.signals.size() + 1) * trajectory.rows() > limit) {
    return fail("the result is too large for a .mat file of version 4; write .csv, or fewer --points");
  }
  write_class(file);
  write_texts(file, "name", contents.names);
  write_texts(file, "description", contents.descriptions);
  write_header(file,
               {.name = "dataInfo", .type = Mat4Type::Integer, .rows = 4, .columns = contents.info.size()});
  for (const auto& column : contents.info) write_values(file, std::span<const std::int32_t>(column));
  write_parameters(trajectory, file);
  write_header(file, {.name = "data_2", .rows = trajectory.signals.size() + 1, .columns = trajectory.rows()});
  const std::span<const double> values = trajectory.values;
  for (std::size_t row = 0; row < trajectory.rows() && file.ok(); ++row) {
    write_values(file, std::span<const double>(&trajectory.times[row], 1));
    write_values(file, values.subspan(row * trajectory.signals.size(), trajectory.signals.size()));
  }
  return {};
}

}  // namespace daedalus
