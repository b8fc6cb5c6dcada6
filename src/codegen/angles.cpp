#include "codegen/angles.hpp"

#include <algorithm>

namespace daedalus {
namespace {

// The library takes 12 ns for the sine and cosine of one, a row of eight 35 ns.
constexpr std::size_t fewest = 3;

bool is_simple(Op op) {
  return op == Op::Add || op == Op::Sub || op == Op::Mul || op == Op::Div || op == Op::Neg;
}

}  // namespace

std::vector<std::int32_t> angles_in_a_row(const Tape& tape) {
  std::vector<char> simple(tape.values(), 1);  // by value
  std::vector<char> is_angle(tape.values(), 0);
  std::vector<std::int32_t> angles;
  for (std::size_t k = 0; k < tape.operations.size(); ++k) {
    const Tape::Operation& operation = tape.operations[k];
    const bool from_simple = std::ranges::all_of(operation.arguments(), [&](std::int32_t value) {
      return simple[static_cast<std::size_t>(value)] != 0;
    });
    simple[tape.first_result() + k] = from_simple && is_simple(operation.op) ? 1 : 0;
    if (!from_simple || (operation.op != Op::Sin && operation.op != Op::Cos)) continue;
    char& known = is_angle[static_cast<std::size_t>(operation.args[0])];
    if (known == 0) angles.push_back(operation.args[0]);
    known = 1;
  }
  if (angles.size() < fewest) angles.clear();
  return angles;
}

}  // namespace daedalus
