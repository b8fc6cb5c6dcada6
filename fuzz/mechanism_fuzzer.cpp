// libFuzzer on everything from a mechanism file to its equations. See CMakeLists.txt for how it is built and
// run.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "mechanism_property.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string violation = daedalus::fuzz::mechanism_violation(std::string(data, data + size));
  if (!violation.empty()) {
    std::fprintf(stderr, "%s\n", violation.c_str());
    std::abort();
  }
  return 0;
}
