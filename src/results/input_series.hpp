// Values of a model's inputs over time, from a CSV file.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.hpp"

namespace daedalus {

struct InputSeries {
  std::string name;
  std::vector<double> times;   // not decreasing; two equal ones are a jump
  std::vector<double> values;  // as many
  bool held = false;           // each value holds until the next time; otherwise straight lines between them
};

// One a column of "time,u1,u2,…". `inputs`: what the model has; every column must be one of them, and every
// one of them must have a column, unless it is told `elsewhere`, where it must have none. What is wrong is an
// error that names the file, the line and the column.
[[nodiscard]] Result<std::vector<InputSeries>> read_inputs(const std::string& file, std::string_view text,
                                                           std::span<const std::string> inputs, bool held,
                                                           std::span<const std::string> elsewhere = {});

}  // namespace daedalus
