// Which processor register holds which value while straight-line code is written. Code without jumps is the
// easy case of register allocation: the value to evict is the one whose next use is farthest (Belady, "A
// study of replacement algorithms", IBM Systems Journal 5, 1966), and the next uses are known.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "codegen/tape.hpp"

namespace daedalus {

// Positions in the order of emission.
class NextUses {
 public:
  static constexpr std::int32_t never = std::numeric_limits<std::int32_t>::max();

  NextUses(const Tape& tape, std::span<const std::int32_t> order);

  [[nodiscard]] std::int32_t of(std::int32_t value) const { return next_[static_cast<std::size_t>(value)]; }
  // To be told of every operation in order, after its arguments were read.
  void pass(std::int32_t position, const Tape::Operation& operation);

 private:
  std::vector<std::array<std::int32_t, 3>> after_;  // by position: next use of each argument
  std::vector<std::int32_t> next_;                  // by value
};

class RegisterFile {
 public:
  static constexpr int size = 14;  // of 16; the last two are for intermediate results of one operation

  RegisterFile(std::size_t values, const NextUses& next_uses) : next_uses_(next_uses), register_(values, -1) {
    value_.fill(-1);
  }

  [[nodiscard]] int of(std::int32_t value) const { return register_[static_cast<std::size_t>(value)]; }
  [[nodiscard]] std::int32_t value_in(int slot) const { return value_[static_cast<std::size_t>(slot)]; }

  // A free register, or else the one to be freed: that whose value is used last, pinned values apart.
  [[nodiscard]] int best_slot(std::span<const std::int32_t> pinned) const;
  void put(std::int32_t value, int slot);
  void drop(std::int32_t value);
  void drop_all();

 private:
  const NextUses& next_uses_;
  std::array<std::int32_t, size> value_{};  // by register; -1: free
  std::vector<std::int8_t> register_;       // by value; -1: none
};

}  // namespace daedalus
