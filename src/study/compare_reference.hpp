// What rows are compared with: a table that the user gives.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.hpp"
#include "record/trajectory.hpp"

namespace daedalus {

struct ReferenceTable {
  std::string name;       // of the file
  Trajectory trajectory;  // signals, times and values only
};

// CSV as `daedalus run --out` writes it: a header whose first name is time, then rows of numbers in the order
// of time. Names may be quoted. What is wrong is an error that names the line.
[[nodiscard]] Result<ReferenceTable> parse_reference(const std::string& name, std::string_view csv);

// How the reference came about.
struct ReferenceInfo {
  std::string source = "none";  // "file", "run", "none"
  std::string name;             // the file, or "dummy-derivatives, radau, rtol 1e-11"
  // An independent run of the same tolerance, and how far the two are apart: errors below that say nothing.
  std::string control;
  double uncertainty = std::numeric_limits<double>::quiet_NaN();
  double uncertain_at = std::numeric_limits<double>::quiet_NaN();  // the time at which they are
  double typical = std::numeric_limits<double>::quiet_NaN();       // not exceeded at half of the points
  int points = 0;  // output points at which there is a reference

  // A sentence: what the errors are measured against, and how far that can be trusted.
  [[nodiscard]] std::string text() const;
};

}  // namespace daedalus
