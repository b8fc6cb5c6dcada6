// libFuzzer on the reader of CSV. See CMakeLists.txt for how it is built and run.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "csv_property.hpp"

namespace {

void require(const std::string& violation) {
  if (violation.empty()) return;
  std::fprintf(stderr, "%s\n", violation.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  require(daedalus::fuzz::csv_violation(text));
  return 0;
}
