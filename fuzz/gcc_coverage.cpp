// Coverage for libFuzzer from code that g++ compiled: g++ calls this function at every edge
// (-fsanitize-coverage=trace-pc; --wrap puts it in place of libFuzzer's, which does nothing), and libFuzzer
// reads any counters that lie in this section.
#include <cstddef>
#include <cstdint>

namespace {

constexpr std::size_t counter_count = 1U << 16U;

__attribute__((section("__libfuzzer_extra_counters"))) std::uint8_t counters[counter_count];

}  // namespace

extern "C" void __wrap___sanitizer_cov_trace_pc() {
  auto place = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  place ^= place >> 16U;
  std::uint8_t& counter = counters[place % counter_count];
  if (counter != 0xFF) ++counter;
}

// Comparisons of integers are libFuzzer's own; it does not look at those of floating-point numbers.
extern "C" void __sanitizer_cov_trace_cmpf(float, float) {}
extern "C" void __sanitizer_cov_trace_cmpd(double, double) {}

// So that libFuzzer sees undefined behaviour as a crash and keeps the input.
extern "C" const char* __ubsan_default_options() {
  return "abort_on_error=1:print_stacktrace=1";
}
