#include "codegen/native_registers.hpp"

#include <algorithm>
#include <cassert>

namespace daedalus {

NextUses::NextUses(const Tape& tape, std::span<const std::int32_t> order)
    : after_(order.size()), next_(tape.values(), never) {
  for (std::size_t position = order.size(); position-- > 0;) {
    const Tape::Operation& operation = tape.operations[static_cast<std::size_t>(order[position])];
    for (std::size_t i = 0; i < operation.arity; ++i)
      after_[position][i] = next_[static_cast<std::size_t>(operation.args[i])];
    for (const std::int32_t value : operation.arguments())
      next_[static_cast<std::size_t>(value)] = static_cast<std::int32_t>(position);
  }
}

void NextUses::pass(std::int32_t position, const Tape::Operation& operation) {
  for (std::size_t i = 0; i < operation.arity; ++i)
    next_[static_cast<std::size_t>(operation.args[i])] = after_[static_cast<std::size_t>(position)][i];
}

int RegisterFile::best_slot(std::span<const std::int32_t> pinned) const {
  int best = -1;
  std::int32_t farthest = -1;
  for (int slot = 0; slot < size; ++slot) {
    const std::int32_t value = value_in(slot);
    if (value < 0) return slot;
    if (std::ranges::find(pinned, value) != pinned.end()) continue;
    if (next_uses_.of(value) > farthest) {
      farthest = next_uses_.of(value);
      best = slot;
    }
  }
  assert(best >= 0);
  return best;
}

void RegisterFile::put(std::int32_t value, int slot) {
  assert(value_in(slot) < 0);
  value_[static_cast<std::size_t>(slot)] = value;
  register_[static_cast<std::size_t>(value)] = static_cast<std::int8_t>(slot);
}

void RegisterFile::drop(std::int32_t value) {
  const int slot = of(value);
  if (slot < 0) return;
  value_[static_cast<std::size_t>(slot)] = -1;
  register_[static_cast<std::size_t>(value)] = -1;
}

void RegisterFile::drop_all() {
  for (int slot = 0; slot < size; ++slot) {
    if (value_in(slot) >= 0) drop(value_in(slot));
  }
}

}  // namespace daedalus
