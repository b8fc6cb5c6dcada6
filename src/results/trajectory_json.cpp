// {"time": […], "signals": {name: […]}, "parameters": {name: value}, "units": {name: unit}}, written as it
// goes, for a trajectory may be large. JSON has no NaN or infinity: they are null.
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "results/writers.hpp"

namespace daedalus {
namespace {

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void write_value(OutputFile& file, double value) {
  if (std::isfinite(value)) {
    file.write_number(value);
  } else {
    file.write("null");
  }
}

// The separator before every member but the first.
class Separator {
 public:
  explicit Separator(std::string_view text) : text_(text) {}
  void write(OutputFile& file) {
    if (!first_) file.write(text_);
    first_ = false;
  }

 private:
  std::string_view text_;
  bool first_ = true;
};

void write_signals(const Trajectory& trajectory, OutputFile& file) {
  Separator members(",\n    ");
  for (std::size_t column = 0; column < trajectory.signals.size() && file.ok(); ++column) {
    members.write(file);
    file.write(json_string(trajectory.signals[column].name) + ": [");
    Separator values(", ");
    for (std::size_t row = 0; row < trajectory.rows(); ++row) {
      values.write(file);
      write_value(file, trajectory.at(row, column));
    }
    file.write("]");
  }
}

void write_units(const Trajectory& trajectory, OutputFile& file) {
  Separator members(",\n    ");
  const auto write_unit = [&](const Signal& signal) {
    if (signal.unit.empty()) return;
    members.write(file);
    file.write(json_string(signal.name) + ": " + json_string(signal.unit));
  };
  for (const Signal& signal : trajectory.signals) write_unit(signal);
  for (const ParameterValue& parameter : trajectory.parameters) write_unit(parameter.signal);
}

}  // namespace

Result<void> write_json(const Trajectory& trajectory, OutputFile& file) {
  file.write("{\n  \"time\": [");
  Separator times(", ");
  for (const double t : trajectory.times) {
    times.write(file);
    write_value(file, t);
  }
  file.write("],\n  \"signals\": {\n    ");
  write_signals(trajectory, file);
  file.write("\n  },\n  \"parameters\": {\n    ");
  Separator parameters(",\n    ");
  for (const ParameterValue& parameter : trajectory.parameters) {
    parameters.write(file);
    file.write(json_string(parameter.signal.name) + ": ");
    write_value(file, parameter.value);
  }
  file.write("\n  },\n  \"units\": {\n    ");
  write_units(trajectory, file);
  file.write("\n  }\n}\n");
  return {};
}

}  // namespace daedalus
