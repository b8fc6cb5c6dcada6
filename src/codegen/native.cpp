#include "codegen/native.hpp"

#include <asmjit/x86.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

#include "codegen/code_memory.hpp"
#include "codegen/native_evaluators.hpp"
#include "codegen/native_operations.hpp"
#include "codegen/native_order.hpp"
#include "codegen/native_registers.hpp"
#include "codegen/tiles.hpp"
#include "codegen/vector_loops.hpp"

namespace daedalus {
namespace {

using namespace native;
using asmjit::x86::Gp;

// The sines and cosines of a row of angles, for the code to call.
void compute_row(double* registers, const VectorInstruction* row) {
  row->loop({.registers = registers, .environment = nullptr, .lists = nullptr, .results = nullptr}, *row);
}
// Those of one, written so that the compiler sees the pair and calls the library's sincos.
void sine_and_cosine_of(double x, double* sine, double* cosine) {
  const double s = std::sin(x);
  const double c = std::cos(x);
  *sine = s;
  *cosine = c;
}

// An operation on four values a argument, for the code of lanes to call. Arguments stand one after the other.
void compute_lanes(const double* arguments, const VectorLoop* loop, double* out) {
  constexpr std::int32_t n = lane_count;
  std::array<double, 4 * lane_count> row;
  std::copy_n(arguments, 3 * lane_count, row.begin());
  (*loop)({.registers = row.data(), .environment = nullptr, .lists = nullptr, .results = nullptr},
          {.n = lane_count, .out = 3 * n, .a = 0, .b = n, .c = 2 * n});
  std::copy_n(row.begin() + 3 * n, lane_count, out);
}
void sine_and_cosine_of_lanes(const double* arguments, double* sines, double* cosines) {
  constexpr std::int32_t n = lane_count;
  std::array<double, 3 * lane_count> row;
  std::copy_n(arguments, lane_count, row.begin());
  vector_loops().sine_cosine(
      {.registers = row.data(), .environment = nullptr, .lists = nullptr, .results = nullptr},
      {.n = lane_count, .out = n, .a = 0, .c = 2 * n});
  std::copy_n(row.begin() + n, lane_count, sines);
  std::copy_n(row.begin() + 2 * n, lane_count, cosines);
}

class FirstError final : public asmjit::ErrorHandler {
 public:
  void handleError(asmjit::Error error, const char* /*message*/, asmjit::BaseEmitter* /*origin*/) override {
    if (error_ == asmjit::kErrorOk) error_ = error;
  }
  [[nodiscard]] bool none() const { return error_ == asmjit::kErrorOk; }

 private:
  asmjit::Error error_ = asmjit::kErrorOk;
};

// Straight code that names others by their addresses: it is the same wherever it stands.
std::span<const std::byte> bytes_of(const asmjit::CodeHolder& holder) {
  assert(holder.sectionCount() == 1 && !holder.hasUnresolvedLinks() && holder.relocEntries().empty());
  return std::as_bytes(std::span(holder.textSection()->data(), holder.textSection()->bufferSize()));
}

class NativeCompiler {
 public:
  enum class Width : std::uint8_t { One, Lanes };
  // With tiles: the code of one, whose tape it is.
  explicit NativeCompiler(const Tape& tape, const Tiles* tiles = nullptr, Width width = Width::One)
      : tape_(tape),
        tiles_(tiles),
        lanes_(width == Width::Lanes),
        order_(calls_first(tape, !lanes_)),
        next_uses_(tape, order_.operations),
        file_(tape.values(), next_uses_),
        slot_(tape.values(), nowhere),
        root_of_(tape.values(), nowhere),
        trigonometry_(tape.values(), {-1, -1}) {}

  struct Compiled {
    CompiledTape tape;
    std::shared_ptr<const NativeEvaluator> evaluator;  // the same as the tape's; null: it failed
  };
  Compiled compile() {
    asmjit::CodeHolder holder;
    FirstError errors;
    holder.init(asmjit::Environment::host());
    holder.setErrorHandler(&errors);
    holder.attach(&code_);
    keep_arguments();
    prepare();
    begin();
    for (std::size_t p = 0; p < order_.operations.size(); ++p) {
      if (p == order_.before_angles) write_angles();
      write(static_cast<std::int32_t>(p));
    }
    copy_other_roots();
    end();
    if (!errors.none()) return {};
    std::optional<CodeMemory::Piece> code = CodeMemory::of_process().add(bytes_of(holder));
    if (!code) return {};
    result_.registers = static_cast<std::size_t>(next_slot_) * numbers();
    auto evaluator = std::make_shared<const NativeEvaluator>(std::move(*code), std::move(angles_));
    result_.evaluator = evaluator;
    return {.tape = std::move(result_), .evaluator = std::move(evaluator)};
  }

 private:
  // Registers in memory: [constants | masks, two wide each | angles, a row that is a whole number of vectors,
  // the last ones zero, their sines and cosines | results that had to be put away]. Those that are roots are
  // put where they are wanted, and read again from there. Of lanes, each is four numbers.
  void prepare() {
    auto& constants = result_.constants;
    for (std::size_t k = 0; k < tape_.constants.size(); ++k) {
      slot_[k] = static_cast<std::int32_t>(k);
      constants.insert(constants.end(), numbers(), tape_.constants[k]);
    }
    for (std::size_t m = 0; m < mask_bits.size(); ++m) {
      masks_[m] = memory(registers_, constants.size() / numbers());
      constants.insert(constants.end(), std::max<std::size_t>(2, numbers()),
                       std::bit_cast<double>(mask_bits[m]));
    }
    prepare_angles();
    if (lanes_ && order_.calls) arguments_ = std::exchange(next_slot_, next_slot_ + 3);
    for (std::size_t k = 0; k < tape_.roots.size(); ++k) {
      if (tape_.is_result(tape_.roots[k]))
        root_of_[static_cast<std::size_t>(tape_.roots[k])] = static_cast<std::int32_t>(k);
    }
    for (std::size_t k = 0; k < tape_.operations.size(); ++k) {
      const Tape::Operation& operation = tape_.operations[k];
      if (operation.op != Op::Sin && operation.op != Op::Cos) continue;
      trigonometry_[static_cast<std::size_t>(operation.args[0])][operation.op == Op::Sin ? 0 : 1] =
          static_cast<std::int32_t>(tape_.first_result() + k);
    }
  }

  void prepare_angles() {
    const VectorLoops& loops = vector_loops();
    const std::size_t row = (order_.angles.size() + loops.width - 1) / loops.width * loops.width;
    const auto first = static_cast<std::int32_t>(result_.constants.size() / numbers());
    const auto length = static_cast<std::int32_t>(row);
    *angles_ = {.loop = loops.sine_cosine,
                .n = static_cast<std::uint32_t>(row),
                .out = first + length,
                .a = first,
                .c = first + 2 * length};
    next_slot_ = first + 3 * length;
  }

  // Code that calls nobody has its arguments where they come in.
  void keep_arguments() {
    calls_ = tiles_ != nullptr || !order_.angles.empty() || order_.calls;
    if (calls_) return;
    environment_ = asmjit::x86::rdi;
    registers_ = asmjit::x86::rsi;
    results_ = asmjit::x86::rdx;
  }
  void begin() {
    if (!calls_) return;
    code_.push(registers_);
    code_.push(environment_);
    code_.push(results_);  // the third: calls want the stack aligned to 16
    if (tiles_ != nullptr) {
      code_.push(starts_);
      code_.push(starts_);
    }
    code_.mov(environment_, asmjit::x86::rdi);
    code_.mov(registers_, asmjit::x86::rsi);
    code_.mov(results_, asmjit::x86::rdx);
    if (tiles_ != nullptr) code_.mov(starts_, asmjit::x86::rcx);
  }
  void end() {
    if (lanes_) code_.vzeroupper();
    if (!calls_) {
      code_.ret();
      return;
    }
    if (tiles_ != nullptr) {
      code_.pop(starts_);
      code_.pop(starts_);
    }
    code_.pop(results_);
    code_.pop(environment_);
    code_.pop(registers_);
    code_.ret();
  }

  void write(std::int32_t position) {
    const auto number = static_cast<std::size_t>(order_.operations[static_cast<std::size_t>(position)]);
    const Tape::Operation& operation = tape_.operations[number];
    const auto result = static_cast<std::int32_t>(tape_.first_result() + number);
    const Form form = form_of(tape_, operation);
    if (form.arithmetic) {
      write_arithmetic(position, operation, *form.arithmetic, result);
    } else if (!form.is_call()) {
      write_sequence(position, operation, form.write, result);
    } else if (in_memory(result)) {
      pass(position, operation);  // the other one of a sine and a cosine was met before
    } else {
      lanes_ ? write_call_of_lanes(position, operation, result) : write_call(position, operation, result);
    }
    if (root_at(result) >= 0) store(result);
    if (next_uses_.of(result) == NextUses::never) file_.drop(result);
  }

  void write_arithmetic(std::int32_t position, const Tape::Operation& operation, const Arithmetic& form,
                        std::int32_t result) {
    std::int32_t a = operation.args[0];
    std::int32_t b = operation.args[1];
    if (form.commutative && file_.of(a) < 0 && file_.of(b) >= 0) std::swap(a, b);
    const Vec left = load(a, operation.arguments());
    const int right = file_.of(b);
    pass(position, operation);
    const Vec out = result_register(result);
    const asmjit::InstId instruction = lanes_ ? form.lanes : form.one;
    if (right >= 0) {
      code_.emit(instruction, out, left, vec(right));
    } else {
      code_.emit(instruction, out, left, memory_of(b));
    }
  }

  void write_sequence(std::int32_t position, const Tape::Operation& operation, Write sequence,
                      std::int32_t result) {
    Operands x;
    std::array<Vec, 3> arguments;
    for (std::size_t i = 0; i < operation.arity; ++i) {
      if (operation.op == Op::Pow && i == 1) continue;  // the exponent is in the form
      arguments[i] = load(operation.args[i], operation.arguments());
    }
    pass(position, operation);
    x.out = result_register(result);
    x.a = arguments[0];
    x.b = arguments[1];
    x.c = arguments[2];
    x.first = vec(RegisterFile::size);
    x.second = vec(RegisterFile::size + 1);
    x.masks = masks_;
    x.lanes = lanes_;
    sequence(code_, x);
  }

  void write_call(std::int32_t position, const Tape::Operation& operation, std::int32_t result) {
    // By way of the intermediate registers, because an argument may stand where another is to go.
    for (std::size_t i = 0; i < operation.arity; ++i) {
      const int from = file_.of(operation.args[i]);
      const Vec to = vec(RegisterFile::size + static_cast<int>(i));
      if (from >= 0) {
        code_.vmovapd(to, vec(from));
      } else {
        move(to, memory_of(operation.args[i]));
      }
    }
    pass(position, operation);
    put_all_away();
    for (int i = 0; i < operation.arity; ++i) code_.vmovapd(vec(i), vec(RegisterFile::size + i));
    if (const auto pair = pair_of(operation)) {
      code_.lea(asmjit::x86::rdi, new_slot((*pair)[0]));
      code_.lea(asmjit::x86::rsi, new_slot((*pair)[1]));
      call(reinterpret_cast<std::uint64_t>(&sine_and_cosine_of));
    } else {
      call(reinterpret_cast<std::uint64_t>(info(operation.op).evaluate));
      file_.put(result, 0);
    }
  }
  // The values of the sine and the cosine of its argument, if both are wanted and this is one of them.
  [[nodiscard]] std::optional<std::array<std::int32_t, 2>> pair_of(const Tape::Operation& operation) const {
    if (operation.op != Op::Sin && operation.op != Op::Cos) return std::nullopt;
    const auto pair = trigonometry_[static_cast<std::size_t>(operation.args[0])];
    return pair[0] >= 0 && pair[1] >= 0 ? std::optional(pair) : std::nullopt;
  }
  void write_call_of_lanes(std::int32_t position, const Tape::Operation& operation, std::int32_t result) {
    for (std::size_t i = 0; i < operation.arity; ++i) {
      const Vec argument = load(operation.args[i], operation.arguments());
      move(memory(registers_, static_cast<std::size_t>(arguments_) + i), argument);
    }
    pass(position, operation);
    put_all_away();
    code_.lea(asmjit::x86::rdi, memory(registers_, static_cast<std::size_t>(arguments_)));
    if (const auto pair = pair_of(operation)) {
      code_.lea(asmjit::x86::rsi, new_slot((*pair)[0]));
      code_.lea(asmjit::x86::rdx, new_slot((*pair)[1]));
      call(reinterpret_cast<std::uint64_t>(&sine_and_cosine_of_lanes));
    } else {
      const VectorLoop* const loop = vector_loops().operations[static_cast<std::size_t>(operation.op)].data();
      code_.mov(asmjit::x86::rsi, reinterpret_cast<std::uint64_t>(loop));
      code_.lea(asmjit::x86::rdx, new_slot(result));
      call(reinterpret_cast<std::uint64_t>(&compute_lanes));
    }
  }
  // Those that are known before any call.
  void write_angles() {
    if (order_.angles.empty()) return;
    const VectorInstruction& row = *angles_;
    for (std::size_t k = 0; k < order_.angles.size(); ++k) {
      const int from = file_.of(order_.angles[k]);
      const Vec angle = vec(from >= 0 ? from : RegisterFile::size);
      if (from < 0) move(angle, memory_of(order_.angles[k]));
      move(memory(registers_, static_cast<std::size_t>(row.a) + k), angle);
    }
    const Vec zero = vec(RegisterFile::size);
    code_.vxorpd(zero, zero, zero);
    for (std::size_t k = order_.angles.size(); k < row.n; ++k)
      move(memory(registers_, static_cast<std::size_t>(row.a) + k), zero);
    put_all_away();
    code_.mov(asmjit::x86::rdi, registers_);
    code_.mov(asmjit::x86::rsi, reinterpret_cast<std::uint64_t>(angles_.get()));
    call(reinterpret_cast<std::uint64_t>(&compute_row));
    for (std::size_t k = 0; k < order_.angles.size(); ++k) {
      const auto& [sine, cosine] = trigonometry_[static_cast<std::size_t>(order_.angles[k])];
      set_slot(sine, row.out + static_cast<std::int32_t>(k));
      set_slot(cosine, row.c + static_cast<std::int32_t>(k));
    }
  }
  // If it is a root, it is copied at the end.
  void set_slot(std::int32_t value, std::int32_t slot) {
    if (value < 0) return;
    slot_[static_cast<std::size_t>(value)] = slot;
    root_of_[static_cast<std::size_t>(value)] = nowhere;
  }
  void put_all_away() {
    for (int slot = 0; slot < RegisterFile::size; ++slot) {
      if (file_.value_in(slot) >= 0) store(file_.value_in(slot));
    }
    file_.drop_all();
  }
  void call(std::uint64_t address) {
    if (lanes_) code_.vzeroupper();
    code_.mov(asmjit::x86::rax, address);
    code_.call(asmjit::x86::rax);
    for (Held& held : held_) held.stream = -1;  // callees may use these registers
  }

  // Arguments are read: those that nobody needs any more leave their registers.
  void pass(std::int32_t position, const Tape::Operation& operation) {
    next_uses_.pass(position, operation);
    for (const std::int32_t value : operation.arguments()) {
      if (next_uses_.of(value) == NextUses::never) file_.drop(value);
    }
  }

  Vec load(std::int32_t value, std::span<const std::int32_t> pinned) {
    if (const int slot = file_.of(value); slot >= 0) return vec(slot);
    const int slot = free_slot(pinned);
    move(vec(slot), memory_of(value));
    file_.put(value, slot);
    return vec(slot);
  }
  Vec result_register(std::int32_t value) {
    const int slot = free_slot({});
    file_.put(value, slot);
    return vec(slot);
  }
  int free_slot(std::span<const std::int32_t> pinned) {
    const int slot = file_.best_slot(pinned);
    if (const std::int32_t evicted = file_.value_in(slot); evicted >= 0) {
      store(evicted);
      file_.drop(evicted);
    }
    return slot;
  }

  void store(std::int32_t value) {
    if (in_memory(value)) return;
    const int from = file_.of(value);
    move(new_slot(value), vec(from));
  }
  Mem new_slot(std::int32_t value) {
    slot_[static_cast<std::size_t>(value)] = root_at(value) >= 0 ? among_results : next_slot_++;
    return memory_of(value);
  }
  [[nodiscard]] bool in_memory(std::int32_t value) const {
    return tape_.is_leaf(value) || slot_of(value) != nowhere;
  }
  [[nodiscard]] std::int32_t slot_of(std::int32_t value) const {
    return slot_[static_cast<std::size_t>(value)];
  }
  [[nodiscard]] std::int32_t root_at(std::int32_t value) const {
    return root_of_[static_cast<std::size_t>(value)];
  }
  [[nodiscard]] Mem memory_of(std::int32_t value) {
    if (tape_.is_leaf(value)) {
      const std::size_t leaf = static_cast<std::size_t>(value) - tape_.first_leaf();
      if (tiles_ != nullptr) return in_stream(environment_, tiles_->leaves[leaf]);
      return memory(environment_, static_cast<std::size_t>(tape_.leaf_slots[leaf]));
    }
    if (slot_of(value) == among_results) return destination(static_cast<std::size_t>(root_at(value)));
    return memory(registers_, static_cast<std::size_t>(slot_of(value)));
  }
  [[nodiscard]] Mem destination(std::size_t root) {
    if (tiles_ != nullptr) return in_stream(results_, tiles_->destinations[root]);
    return memory(results_, static_cast<std::size_t>(tape_.destinations[root]));
  }
  // The start of a stream stays in a register until others need it more.
  [[nodiscard]] Mem in_stream(const Gp& base, const Tiles::Address& address) {
    Held* held = std::ranges::find(held_, address.stream, &Held::stream);
    if (held == held_.end()) {
      held = std::ranges::min_element(held_, {}, &Held::used);
      held->stream = address.stream;
      code_.movsxd(held->start, asmjit::x86::dword_ptr(starts_, 4 * address.stream));
    }
    held->used = ++clock_;
    return asmjit::x86::ptr(base, held->start, 3, 8 * address.offset);
  }
  [[nodiscard]] Mem memory(const Gp& base, std::size_t slot) const {
    return asmjit::x86::ptr(base, static_cast<std::int32_t>(8 * numbers() * slot));
  }
  [[nodiscard]] Vec vec(int number) const {
    const auto n = static_cast<std::uint32_t>(number);
    return lanes_ ? Vec(asmjit::x86::ymm(n)) : Vec(asmjit::x86::xmm(n));
  }
  void move(const asmjit::Operand_& to, const asmjit::Operand_& from) {
    code_.emit(lanes_ ? asmjit::x86::Inst::kIdVmovupd : asmjit::x86::Inst::kIdVmovsd, to, from);
  }
  // Of one value.
  [[nodiscard]] std::size_t numbers() const { return lanes_ ? lane_count : 1; }

  // Constants, leaves, and results that are wanted in several places.
  void copy_other_roots() {
    for (std::size_t k = 0; k < tape_.roots.size(); ++k) {
      const std::int32_t root = tape_.roots[k];
      if (root_at(root) == static_cast<std::int32_t>(k)) continue;
      move(vec(0), memory_of(root));
      move(destination(k), vec(0));
    }
  }

  // Instead of the slot of a value in memory.
  static constexpr std::int32_t nowhere = -1;
  static constexpr std::int32_t among_results = -2;

  struct Held {
    Gp start;
    std::int32_t stream = -1;
    int used = 0;
  };

  const Tape& tape_;
  const Tiles* tiles_;
  bool lanes_;
  Order order_;
  std::unique_ptr<VectorInstruction> angles_ = std::make_unique<VectorInstruction>();
  NextUses next_uses_;
  RegisterFile file_;
  std::vector<std::int32_t> slot_;     // in memory, of each value. Leaves are in the environment.
  std::vector<std::int32_t> root_of_;  // by value: a result's root; negative: none
  std::vector<std::array<std::int32_t, 2>>
      trigonometry_;  // by argument: the values of its sine and its cosine
  std::int32_t next_slot_ = 0;
  std::int32_t arguments_ = 0;  // of calls of lanes
  std::array<Mem, 3> masks_;
  Assembler code_;
  bool calls_ = true;  // others: then what is kept is in registers that they leave alone
  Gp registers_ = asmjit::x86::rbx;
  Gp environment_ = asmjit::x86::r12;
  Gp results_ = asmjit::x86::r13;
  Gp starts_ = asmjit::x86::r14;
  // Not those by which calls are given addresses.
  std::array<Held, 6> held_{{{asmjit::x86::rcx},
                             {asmjit::x86::rdx},
                             {asmjit::x86::r8},
                             {asmjit::x86::r9},
                             {asmjit::x86::r10},
                             {asmjit::x86::r11}}};
  int clock_ = 0;
  CompiledTape result_;
};

// Offsets have 31 bits.
bool is_addressable(const Tape& tape) {
  constexpr std::size_t most = (std::size_t{1} << 27) / lane_count;
  const auto last = std::ranges::max_element(tape.destinations);
  return tape.slots + tape.values() < most &&
         (last == tape.destinations.end() || static_cast<std::size_t>(*last) < most);
}

}  // namespace

// Asked once: asmjit looks at the processor without a lock.
bool native_available() {
  static const bool available = asmjit::CpuInfo::host().hasFeature(asmjit::CpuFeatures::X86::kAVX);
  return available;
}

CompiledTape compile_tiled(const Tape& tape) {
  // Sines and cosines are computed in rows; other functions are left to the kernels.
  const bool has_calls = std::ranges::any_of(tape.operations, [&](const Tape::Operation& operation) {
    return operation.op != Op::Sin && operation.op != Op::Cos && form_of(tape, operation).is_call();
  });
  if (has_calls || !native_available() || !is_addressable(tape)) return {};
  const std::optional<Tiling> tiling = find_tiling(tape);
  if (!tiling) return {};
  // One after the other: their registers may be the same. Their constants are.
  CompiledTape result = NativeCompiler(tiling->rest).compile().tape;
  std::vector<TiledEvaluator::Kind> kinds;
  for (const Tiles& tiles : tiling->kinds) {
    const auto made = NativeCompiler(tiles.tape, &tiles).compile();
    if (!made.evaluator || !result.evaluator) return {};
    result.registers = std::max(result.registers, made.tape.registers);
    kinds.push_back({.code = made.evaluator,
                     .starts = tiles.starts,
                     .streams = tiles.streams,
                     .begins = tiles.begins,
                     .length = tiles.tape.roots.size()});
  }
  result.evaluator = std::make_shared<TiledEvaluator>(result.evaluator, std::move(kinds), tape.roots.size());
  return result;
}

CompiledTape compile_lanes(const Tape& tape) {
  if (!native_available() || !is_addressable(tape)) return {};
  return NativeCompiler(tape, nullptr, NativeCompiler::Width::Lanes).compile().tape;
}

CompiledTape compile_to_native(const Tape& tape, const CodegenOptions& options) {
  if (!is_addressable(tape)) return {};
  if (options.often && tape.operations.size() >= tiles_worthwhile) {
    if (CompiledTape tiled = compile_tiled(tape); tiled.evaluator) return tiled;
  }
  return NativeCompiler(tape).compile().tape;
}

}  // namespace daedalus
