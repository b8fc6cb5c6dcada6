// Writes the instructions of the class kernels: where rows of values lie, and how rows of scattered values
// are brought together. Registers are [constants | leaves | results that last | results of one piece, used
// again by the next].
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codegen/tape.hpp"
#include "codegen/vector_loops.hpp"

namespace daedalus {

class KernelWriter {
 public:
  // Registers from first_free on are its own; those before hold the constants, and perhaps others' results.
  KernelWriter(const Tape& tape, const VectorLoops& loops, std::size_t first_free);

  // Puts leaves side by side in this order, until the end of the piece.
  void load_leaves(std::span<const std::int32_t> leaves);

  // Where a value is. A result has a register only once it was given one.
  [[nodiscard]] std::int32_t slot(std::int32_t value) const { return slot_[static_cast<std::size_t>(value)]; }
  void set_slot(std::int32_t value, std::int32_t slot) { slot_[static_cast<std::size_t>(value)] = slot; }

  std::int32_t lasting(std::size_t count);
  std::int32_t passing(std::size_t count);  // until the end of the piece
  void end_piece() { passing_ = 0; }
  [[nodiscard]] std::size_t mark() const { return passing_; }
  void release(std::size_t mark) { passing_ = mark; }  // what was passing() since

  // An argument of an instruction: a row, or one value for the whole row.
  struct Row {
    std::int32_t slot = 0;
    bool is_one = false;
  };
  // The values in these registers as a row: where they lie if they lie side by side, else brought together.
  Row row_of(std::span<const std::int32_t> slots);
  void write(Op op, std::span<const Row> arguments, std::int32_t out, std::size_t n);
  void write_pair(Row argument, std::int32_t sines, std::int32_t cosines, std::size_t n);
  // One after another, with lists of arguments: the interpreter's loop.
  void write_serial(Op op, std::span<const std::int32_t> arguments, std::int32_t out, std::size_t n);
  void write_gather(std::span<const std::int32_t> slots, std::int32_t out);
  // A register and its destination among the results.
  struct Stored {
    std::int32_t slot = 0;
    std::int32_t destination = 0;
  };
  void store(std::vector<Stored> values);

  struct Written {
    std::vector<VectorInstruction> instructions;
    std::vector<std::int32_t> lists;
    std::size_t registers = 0;  // the first that is not used
    double cost = 0;            // estimated nanoseconds of a run
  };
  [[nodiscard]] Written finish();

 private:
  void load(std::span<const std::int32_t> slots, std::int32_t out);
  void push(VectorLoop loop, std::size_t n, std::int32_t out, std::int32_t a, std::int32_t b = 0,
            std::int32_t c = 0);
  static std::size_t reserve(std::size_t& next, std::size_t count);
  std::int32_t push_list(std::span<const std::int32_t> list);
  Row as_row(Row row, std::size_t n);
  [[nodiscard]] bool write_power(std::span<const Row> arguments, std::int32_t out, std::size_t n);

  const Tape& tape_;
  const VectorLoops& loops_;
  std::vector<std::int32_t> slot_;  // by value; -1: none yet
  std::size_t lasting_ = 0;
  std::size_t passing_ = 0;
  std::size_t most_passing_ = 0;
  Written made_;
};

}  // namespace daedalus
