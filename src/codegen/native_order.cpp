#include "codegen/native_order.hpp"

#include <algorithm>

#include "codegen/angles.hpp"

namespace daedalus::native {
namespace {

enum class Part : std::uint8_t { Angles, Calls, Rest };

std::size_t at(std::int32_t i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

Form form_of(const Tape& tape, const Tape::Operation& operation) {
  Form form{.arithmetic = arithmetic(operation.op), .write = writer(operation.op)};
  if (operation.op == Op::Pow && tape.is_constant(operation.args[1]))
    form.write = power_writer(tape.constants[at(operation.args[1])]);
  return form;
}

Order calls_first(const Tape& tape, bool angles_in_rows) {
  Order order;
  if (angles_in_rows) order.angles = angles_in_a_row(tape);
  const std::size_t n = tape.operations.size();
  std::vector<Part> part(n, Part::Rest);
  const auto move = [&](std::int32_t value, Part to) {
    if (!tape.is_result(value)) return;
    Part& current = part[at(tape.operation_of(value))];
    current = std::min(current, to);
  };
  for (const std::int32_t angle : order.angles) move(angle, Part::Angles);
  for (std::size_t k = n; k-- > 0;) {
    const Tape::Operation& operation = tape.operations[k];
    if (form_of(tape, operation).is_call()) {
      part[k] = std::min(part[k], Part::Calls);
      order.calls = true;
    }
    for (const std::int32_t value : operation.arguments()) move(value, part[k]);
  }
  order.operations.reserve(n);
  for (const Part one : {Part::Angles, Part::Calls, Part::Rest}) {
    for (std::size_t k = 0; k < n; ++k) {
      if (part[k] == one) order.operations.push_back(static_cast<std::int32_t>(k));
    }
    if (one == Part::Angles) order.before_angles = order.operations.size();
  }
  return order;
}

}  // namespace daedalus::native
