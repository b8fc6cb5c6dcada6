// Models whose solution is known because it was chosen first: every variable has a course in time, and the
// equations are made so that these courses fulfil them. Seeded: the same number is the same model.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace daedalus::testing {

struct ManufacturedVariable {
  std::string name;
  double scale = 1;  // of the variable in the model against its course: 1e-12 … 1e12
  std::function<double(double)> course;
};

struct Manufactured {
  std::string kind;  // which family of equations
  std::string text;  // of the model
  double until = 1;
  std::vector<ManufacturedVariable> variables;
};

[[nodiscard]] Manufactured manufacture(std::uint64_t seed);

}  // namespace daedalus::testing
