// The door of the model stage: text in, DaeSystem out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/dae_system.hpp"

namespace daedalus {

struct ParameterSetting {
  std::string name;   // a parameter, or a variable's start value
  std::string value;  // a Modelica expression of constants
};

// Limits that end in a message instead of in exhausted memory, stack or patience. A model of a million
// equations needs at most a quarter of each, half of the iterations.
struct LoadLimits {
  std::size_t elements = 2'000'000;          // of one array
  std::size_t variables = 5'000'000;         // scalar ones, parameters included
  std::size_t equations = 5'000'000;         // scalar ones
  std::size_t iterations = 2'000'000;        // of all loops and comprehensions together: 4 s and half a GB
  std::size_t while_iterations = 1'000'000;  // of one while loop
  std::size_t work = 200'000'000;            // expressions evaluated and array elements made, all together
  int depth = 1000;                        // of expressions, statements and function calls inside each other
  int calls = 200;                         // of functions inside each other
  std::size_t function_calls = 1'000'000;  // of all functions together
  std::size_t text = 1'000'000;            // characters of one String
  std::size_t errors = 20;                 // reported before giving up
};

// Values of a top-level input over time, instead of one that is set from outside. Before the first and after
// the last row the value is that of the row.
struct InputTable {
  std::string name;
  std::vector<double> times;   // not decreasing; two equal ones are a jump
  std::vector<double> values;  // as many
  bool held = false;           // each value holds until the next time; otherwise straight lines between them
};

struct LoadOptions {
  std::vector<ParameterSetting> settings;  // --set name=value
  bool remove_aliases = true;              // off: the system as it was written, for the structural report
  LoadLimits limits = {};
  // Scalar Real parameters that stay leaves (VariableKind::FreeParameter), by names as `settings` has them.
  std::vector<std::string> free = {};
  std::vector<InputTable> input_tables = {};
  std::string model = {};  // which model of the file; empty: the only one
};

// Errors come back with places in `sources`, which the caller owns so that it can print them.
[[nodiscard]] Result<DaeSystem> load_model(const std::shared_ptr<SourceMap>& sources, std::int32_t file,
                                           const LoadOptions& options = {});

// The same system without alias variables (a = b, a = -b, a + b = 0) and without variables that
// equations set to a number; they stay in `reported`. Attributes of aliases are merged into the variable
// that remains; two different fixed start values of one alias set are an error that names both.
[[nodiscard]] Result<DaeSystem> remove_aliases(const DaeSystem& system);

}  // namespace daedalus
