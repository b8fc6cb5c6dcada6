// modelDescription.xml of FMI 2.0.3 and 3.0, for Co-Simulation and Model Exchange.
#pragma once

#include <string>
#include <vector>

#include "fmu/fmu_variables.hpp"

namespace daedalus {

enum class FmiVersion { Two, Three };

struct FmuHeader {
  std::string model_name;
  std::string identifier;  // of the binary: a C identifier
  std::string token;       // changes with the model, its settings and the program
  std::string tool;        // "Daedalus 1.2.3"
  double start = 0;
  double stop = 1;
  double tolerance = 1e-6;
  double step = 1e-3;
};

[[nodiscard]] std::string model_description(FmiVersion version, const FmuHeader& header,
                                            const FmuVariables& variables);

}  // namespace daedalus
