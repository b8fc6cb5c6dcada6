// In which order the operations of a tape are written as machine code.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/native_operations.hpp"
#include "codegen/tape.hpp"

namespace daedalus::native {

// How one operation is to be written; neither arithmetic nor write: by a call.
struct Form {
  std::optional<Arithmetic> arithmetic;
  Write write = nullptr;
  [[nodiscard]] bool is_call() const { return !arithmetic && write == nullptr; }
};
[[nodiscard]] Form form_of(const Tape& tape, const Tape::Operation& operation);

// A call loses all registers. So calls come first, with what they need, and the rest follows undisturbed. And
// of the calls, the sines and cosines that are computed several at once (angles.hpp).
struct Order {
  std::vector<std::int32_t> operations;
  std::vector<std::int32_t> angles;  // values, whose sines and cosines are computed together
  std::size_t before_angles = 0;     // operations, after which these are known
  bool calls = false;                // something is computed by a call
};
[[nodiscard]] Order calls_first(const Tape& tape, bool angles_in_rows = true);

}  // namespace daedalus::native
