#include "codegen/kernel_writer.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "codegen/clusters.hpp"
#include "codegen/loops.hpp"

namespace daedalus {
namespace {

// Passing registers get their final slot when the number of the lasting ones is known.
constexpr std::int32_t passing_tag = 1 << 30;

constexpr std::size_t line = 64 / sizeof(double);  // of the cache

// A row in so many stretches or fewer, on average this long, is copied stretch by stretch.
constexpr std::size_t worthwhile_stretch = 8;

// Nanoseconds, measured (bench/codegen): an instruction, and a value of its row by what is done to it.
constexpr double instruction_cost = 4, value_cost = 0.12, listed_cost = 0.5, serial_cost = 1.0,
                 function_cost = 3, call_cost = 10;

void serial(const VectorContext& context, const VectorInstruction& i) {
  loop(static_cast<Op>(i.b))(context.registers, context.lists + i.a, context.registers + i.out, i.n);
}

// Calls f(begin, end) for the longest stretches in which values rise by `step`.
template <class F>
void for_stretches(std::span<const std::int32_t> values, std::int32_t step, const F& f) {
  for (std::size_t begin = 0; begin < values.size();) {
    std::size_t end = begin + 1;
    while (end < values.size() && values[end] == values[end - 1] + step) ++end;
    f(begin, end);
    begin = end;
  }
}

std::size_t count_stretches(std::span<const std::int32_t> values) {
  std::size_t count = 0;
  for_stretches(values, 1, [&](std::size_t, std::size_t) { ++count; });
  return count;
}

}  // namespace

KernelWriter::KernelWriter(const Tape& tape, const VectorLoops& loops, std::size_t first_free)
    : tape_(tape), loops_(loops), slot_(tape.values(), -1), lasting_(first_free) {
  std::iota(slot_.begin(), slot_.begin() + static_cast<std::ptrdiff_t>(tape.first_leaf()), 0);
}

void KernelWriter::load_leaves(std::span<const std::int32_t> leaves) {
  const std::int32_t first = passing(leaves.size());
  std::vector<std::int32_t> slots;
  for (const std::int32_t leaf : leaves) {
    set_slot(leaf, first + static_cast<std::int32_t>(slots.size()));
    slots.push_back(tape_.slot_of(leaf));
  }
  load(slots, first);
}

// Stretches of equal steps; what is left between them by lists.
void KernelWriter::load(std::span<const std::int32_t> slots, std::int32_t out) {
  std::size_t listed = 0;  // first slot not loaded yet
  const auto load_list = [&](std::size_t end) {
    if (listed == end) return;
    const auto part = slots.subspan(listed, end - listed);
    push(loops_.load_listed, part.size(), out + static_cast<std::int32_t>(listed), push_list(part));
    made_.cost += listed_cost * static_cast<double>(part.size());
  };
  for (std::size_t begin = 0; begin + 1 < slots.size();) {
    const std::int32_t step = slots[begin + 1] - slots[begin];
    std::size_t end = begin + 2;
    while (end < slots.size() && slots[end] == slots[end - 1] + step) ++end;
    if (end - begin < worthwhile_stretch) {
      begin = end - 1;
      continue;
    }
    load_list(begin);
    push(loops_.load, end - begin, out + static_cast<std::int32_t>(begin), slots[begin], step);
    made_.cost += value_cost * 2 * static_cast<double>(end - begin);
    begin = listed = end;
  }
  load_list(slots.size());
}

// Rows begin with a cache line (Program::run aligns the first register): a vector that lies across two costs
// twice.
std::size_t KernelWriter::reserve(std::size_t& next, std::size_t count) {
  if (count >= line) next = (next + line - 1) / line * line;
  next += count;
  assert(next < static_cast<std::size_t>(passing_tag));
  return next - count;
}

std::int32_t KernelWriter::lasting(std::size_t count) {
  return static_cast<std::int32_t>(reserve(lasting_, count));
}

std::int32_t KernelWriter::passing(std::size_t count) {
  const std::size_t first = reserve(passing_, count);
  most_passing_ = std::max(most_passing_, passing_);
  return passing_tag + static_cast<std::int32_t>(first);
}

void KernelWriter::push(VectorLoop loop, std::size_t n, std::int32_t out, std::int32_t a, std::int32_t b,
                        std::int32_t c) {
  made_.instructions.push_back(
      {.loop = loop, .n = static_cast<std::uint32_t>(n), .out = out, .a = a, .b = b, .c = c});
  made_.cost += instruction_cost;
}

std::int32_t KernelWriter::push_list(std::span<const std::int32_t> list) {
  const std::size_t begin = made_.lists.size();
  assert(begin + list.size() < static_cast<std::size_t>(passing_tag));
  made_.lists.insert(made_.lists.end(), list.begin(), list.end());
  return static_cast<std::int32_t>(begin);
}

KernelWriter::Row KernelWriter::row_of(std::span<const std::int32_t> slots) {
  if (slots.size() == 1) return {.slot = slots.front()};
  if (std::ranges::all_of(slots, [&](std::int32_t slot) { return slot == slots.front(); }))
    return {.slot = slots.front(), .is_one = true};
  const std::size_t stretches = count_stretches(slots);
  if (stretches == 1) return {.slot = slots.front()};
  const std::int32_t out = passing(slots.size());
  if (stretches * worthwhile_stretch > slots.size()) {
    write_gather(slots, out);
    return {.slot = out};
  }
  for_stretches(slots, 1, [&](std::size_t begin, std::size_t end) {
    push(loops_.copy, end - begin, out + static_cast<std::int32_t>(begin), slots[begin]);
  });
  made_.cost += value_cost * static_cast<double>(slots.size());
  return {.slot = out};
}

KernelWriter::Row KernelWriter::as_row(Row row, std::size_t n) {
  if (!row.is_one) return row;
  const std::int32_t out = passing(n);
  push(loops_.fill, n, out, row.slot);
  return {.slot = out};
}

void KernelWriter::write(Op op, std::span<const Row> arguments, std::int32_t out, std::size_t n) {
  if (op == Op::Pow && write_power(arguments, out, n)) return;
  const std::array<VectorLoop, 3>& forms = loops_.operations[static_cast<std::size_t>(op)];
  made_.cost += static_cast<double>(n) * (has_own_arithmetic(op)       ? function_cost
                                          : is_elementary_function(op) ? call_cost
                                                                       : value_cost);
  auto form = VectorForm::Rows;
  if (arguments.size() == 2 && arguments[0].is_one != arguments[1].is_one)
    form = arguments[0].is_one ? VectorForm::FirstIsOne : VectorForm::SecondIsOne;
  if (const VectorLoop loop = forms[static_cast<std::size_t>(form)];
      loop != nullptr && form != VectorForm::Rows) {
    push(loop, n, out, arguments[0].slot, arguments[1].slot);
    return;
  }
  std::array<std::int32_t, 3> slots{};
  for (std::size_t i = 0; i < arguments.size(); ++i) slots[i] = as_row(arguments[i], n).slot;
  push(forms[static_cast<std::size_t>(VectorForm::Rows)], n, out, slots[0], slots[1], slots[2]);
}

// The third and the fourth power, which the oracle computes without std::pow; simplification has left no
// others.
bool KernelWriter::write_power(std::span<const Row> arguments, std::int32_t out, std::size_t n) {
  if (!arguments[1].is_one || !tape_.is_constant(arguments[1].slot)) return false;
  const double exponent = tape_.constants[static_cast<std::size_t>(arguments[1].slot)];
  if (exponent != 3 && exponent != 4) return false;
  push(exponent == 3 ? loops_.cube : loops_.fourth, n, out, as_row(arguments[0], n).slot);
  return true;
}

void KernelWriter::write_pair(Row argument, std::int32_t sines, std::int32_t cosines, std::size_t n) {
  made_.cost += function_cost * static_cast<double>(n);
  push(loops_.sine_cosine, n, sines, as_row(argument, n).slot, 0, cosines);
}

void KernelWriter::write_serial(Op op, std::span<const std::int32_t> arguments, std::int32_t out,
                                std::size_t n) {
  push(serial, n, out, push_list(arguments), static_cast<std::int32_t>(op));
  made_.cost += serial_cost * static_cast<double>(n);
}

void KernelWriter::write_gather(std::span<const std::int32_t> slots, std::int32_t out) {
  push(loops_.gather, slots.size(), out, push_list(slots));
  made_.cost += listed_cost * static_cast<double>(slots.size());
}

// Rows whose destinations are equally far from each other; what is left between them by lists.
void KernelWriter::store(std::vector<Stored> values) {
  std::ranges::sort(values, {}, &Stored::slot);
  std::vector<std::int32_t> slots;
  std::vector<std::int32_t> destinations;
  for (std::size_t begin = 0; begin < values.size();) {
    const Stored& first = values[begin];
    const std::int32_t step =
        begin + 1 < values.size() ? values[begin + 1].destination - first.destination : 0;
    std::size_t end = begin + 1;
    while (end < values.size() && values[end].slot == values[end - 1].slot + 1 &&
           values[end].destination == values[end - 1].destination + step)
      ++end;
    if (end - begin >= worthwhile_stretch) {
      push(loops_.store, end - begin, first.destination, first.slot, step);
      made_.cost += value_cost * 2 * static_cast<double>(end - begin);
    } else {
      // The last of them may be the first of a row.
      end = std::max(begin + 1, end - 1);
      for (std::size_t k = begin; k < end; ++k) {
        slots.push_back(values[k].slot);
        destinations.push_back(values[k].destination);
      }
    }
    begin = end;
  }
  if (slots.empty()) return;
  const std::int32_t from = push_list(slots);
  push(loops_.store_listed, slots.size(), 0, from, push_list(destinations));
  made_.cost += listed_cost * static_cast<double>(slots.size());
}

KernelWriter::Written KernelWriter::finish() {
  lasting_ = (lasting_ + line - 1) / line * line;
  const auto settle = [&](std::int32_t& slot) {
    if (slot >= passing_tag) slot = slot - passing_tag + static_cast<std::int32_t>(lasting_);
  };
  for (VectorInstruction& i : made_.instructions) {
    for (std::int32_t* const field : {&i.out, &i.a, &i.b, &i.c}) settle(*field);
  }
  for (std::int32_t& entry : made_.lists) settle(entry);
  made_.registers = lasting_ + most_passing_;
  return std::move(made_);
}

}  // namespace daedalus
