// CSV by RFC 4180: a field that holds a comma, a quote or a line break is quoted, quotes inside doubled.
#include <string>

#include "results/writers.hpp"

namespace daedalus {
namespace {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char ch : text) {
    if (ch == '"') quoted += '"';
    quoted += ch;
  }
  return quoted + '"';
}

}  // namespace

Result<void> write_csv(const Trajectory& trajectory, OutputFile& file) {
  file.write("time");
  for (const Signal& signal : trajectory.signals) {
    file.write(",");
    file.write(csv_field(signal.name));
  }
  file.write("\n");
  for (std::size_t row = 0; row < trajectory.rows() && file.ok(); ++row) {
    file.write_number(trajectory.times[row]);
    for (std::size_t column = 0; column < trajectory.signals.size(); ++column) {
      file.write(",");
      file.write_number(trajectory.at(row, column));
    }
    file.write("\n");
  }
  return {};
}

}  // namespace daedalus
