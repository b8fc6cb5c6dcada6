#include "codegen/native.hpp"

#include <asmjit/x86.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "codegen/native_operations.hpp"
#include "codegen/native_registers.hpp"

namespace daedalus {
namespace {

using namespace native;
using asmjit::x86::Gp;
using Code = void (*)(const double* environment, double* registers, double* results);

// One for the process: it parcels out pages that may be executed. Held by all code that lives in it.
std::shared_ptr<asmjit::JitRuntime> shared_runtime() {
  static const auto runtime = std::make_shared<asmjit::JitRuntime>();
  return runtime;
}

class NativeEvaluator final : public Evaluator {
 public:
  NativeEvaluator(std::shared_ptr<asmjit::JitRuntime> runtime, Code code)
      : runtime_(std::move(runtime)), code_(code) {}
  NativeEvaluator(const NativeEvaluator&) = delete;
  NativeEvaluator& operator=(const NativeEvaluator&) = delete;
  ~NativeEvaluator() override { runtime_->release(code_); }
  void run(const double* environment, double* registers, double* results) const override {
    code_(environment, registers, results);
  }
  [[nodiscard]] std::size_t groups() const override { return 1; }

 private:
  std::shared_ptr<asmjit::JitRuntime> runtime_;
  Code code_;
};

// Written so that the compiler sees the pair and calls the library's sincos.
void sine_and_cosine_of(double x, double* sine, double* cosine) {
  const double s = std::sin(x);
  const double c = std::cos(x);
  *sine = s;
  *cosine = c;
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

// How one operation is to be written; neither arithmetic nor write: by a call.
struct Form {
  std::optional<Arithmetic> arithmetic;
  Write write = nullptr;
  [[nodiscard]] bool is_call() const { return !arithmetic && write == nullptr; }
};

Form form_of(const Tape& tape, const Tape::Operation& operation) {
  Form form{.arithmetic = arithmetic(operation.op), .write = writer(operation.op)};
  if (operation.op == Op::Pow && tape.is_constant(operation.args[1]))
    form.write = power_writer(tape.constants[static_cast<std::size_t>(operation.args[1])]);
  return form;
}

// A call loses all registers. So calls come first, with what they need, and the rest follows undisturbed.
std::vector<std::int32_t> calls_first(const Tape& tape) {
  const std::size_t n = tape.operations.size();
  std::vector<char> early(n, 0);
  for (std::size_t k = n; k-- > 0;) {
    const Tape::Operation& operation = tape.operations[k];
    if (early[k] == 0 && !form_of(tape, operation).is_call()) continue;
    early[k] = 1;
    for (const std::int32_t value : operation.arguments()) {
      if (tape.is_result(value)) early[static_cast<std::size_t>(tape.operation_of(value))] = 1;
    }
  }
  std::vector<std::int32_t> order;
  order.reserve(n);
  for (const char part : {char{1}, char{0}}) {
    for (std::size_t k = 0; k < n; ++k) {
      if (early[k] == part) order.push_back(static_cast<std::int32_t>(k));
    }
  }
  return order;
}

class NativeCompiler {
 public:
  explicit NativeCompiler(const Tape& tape)
      : tape_(tape),
        order_(calls_first(tape)),
        next_uses_(tape, order_),
        file_(tape.values(), next_uses_),
        place_(tape.values(), nowhere),
        destination_(tape.values(), nowhere),
        trigonometry_(tape.values(), {-1, -1}) {}

  CompiledTape compile() {
    const std::shared_ptr<asmjit::JitRuntime> runtime = shared_runtime();
    asmjit::CodeHolder holder;
    FirstError errors;
    holder.init(runtime->environment());
    holder.setErrorHandler(&errors);
    holder.attach(&code_);
    prepare();
    begin();
    for (std::size_t p = 0; p < order_.size(); ++p) write(static_cast<std::int32_t>(p));
    copy_other_roots();
    end();
    Code code = nullptr;
    if (!errors.none() || runtime->add(&code, &holder) != asmjit::kErrorOk) return {};
    result_.registers = static_cast<std::size_t>(next_place_);
    result_.evaluator = std::make_shared<NativeEvaluator>(runtime, code);
    return std::move(result_);
  }

 private:
  // Registers in memory: [constants | masks, two wide each | results that had to be put away]. Those that are
  // roots are put where they are wanted, and read again from there.
  void prepare() {
    result_.constants = tape_.constants;
    for (std::size_t k = 0; k < tape_.constants.size(); ++k) place_[k] = static_cast<std::int32_t>(k);
    for (std::size_t m = 0; m < mask_bits.size(); ++m) {
      masks_[m] = memory(registers_, result_.constants.size());
      result_.constants.insert(result_.constants.end(), 2, std::bit_cast<double>(mask_bits[m]));
    }
    next_place_ = static_cast<std::int32_t>(result_.constants.size());
    for (std::size_t k = 0; k < tape_.roots.size(); ++k) {
      if (tape_.is_result(tape_.roots[k]))
        destination_[static_cast<std::size_t>(tape_.roots[k])] = tape_.destinations[k];
    }
    for (std::size_t k = 0; k < tape_.operations.size(); ++k) {
      const Tape::Operation& operation = tape_.operations[k];
      if (operation.op != Op::Sin && operation.op != Op::Cos) continue;
      trigonometry_[static_cast<std::size_t>(operation.args[0])][operation.op == Op::Sin ? 0 : 1] =
          static_cast<std::int32_t>(tape_.first_result() + k);
    }
  }

  void begin() {
    code_.push(registers_);
    code_.push(environment_);
    code_.push(results_);  // the third: calls want the stack aligned to 16
    code_.mov(environment_, asmjit::x86::rdi);
    code_.mov(registers_, asmjit::x86::rsi);
    code_.mov(results_, asmjit::x86::rdx);
  }
  void end() {
    code_.pop(results_);
    code_.pop(environment_);
    code_.pop(registers_);
    code_.ret();
  }

  void write(std::int32_t position) {
    const auto number = static_cast<std::size_t>(order_[static_cast<std::size_t>(position)]);
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
      write_call(position, operation, result);
    }
    if (destination_of(result) >= 0) store(result);
    if (next_uses_.of(result) == NextUses::never) file_.drop(result);
  }

  void write_arithmetic(std::int32_t position, const Tape::Operation& operation, const Arithmetic& form,
                        std::int32_t result) {
    std::int32_t a = operation.args[0];
    std::int32_t b = operation.args[1];
    if (form.commutative && file_.of(a) < 0 && file_.of(b) >= 0) std::swap(a, b);
    const Xmm left = load(a, operation.arguments());
    const int right = file_.of(b);
    pass(position, operation);
    const Xmm out = result_register(result);
    if (right >= 0) {
      code_.emit(form.instruction, out, left, xmm(right));
    } else {
      code_.emit(form.instruction, out, left, memory_of(b));
    }
  }

  void write_sequence(std::int32_t position, const Tape::Operation& operation, Write sequence,
                      std::int32_t result) {
    Operands x;
    std::array<Xmm, 3> arguments;
    for (std::size_t i = 0; i < operation.arity; ++i) {
      if (operation.op == Op::Pow && i == 1) continue;  // the exponent is in the form
      arguments[i] = load(operation.args[i], operation.arguments());
    }
    pass(position, operation);
    x.out = result_register(result);
    x.a = arguments[0];
    x.b = arguments[1];
    x.c = arguments[2];
    x.first = xmm(RegisterFile::size);
    x.second = xmm(RegisterFile::size + 1);
    x.masks = masks_;
    sequence(code_, x);
  }

  void write_call(std::int32_t position, const Tape::Operation& operation, std::int32_t result) {
    // By way of the intermediate registers, because an argument may stand where another is to go.
    for (std::size_t i = 0; i < operation.arity; ++i) {
      const int from = file_.of(operation.args[i]);
      const Xmm to = xmm(RegisterFile::size + static_cast<int>(i));
      if (from >= 0) {
        code_.vmovapd(to, xmm(from));
      } else {
        code_.vmovsd(to, memory_of(operation.args[i]));
      }
    }
    pass(position, operation);
    for (int place = 0; place < RegisterFile::size; ++place) {
      if (file_.value_in(place) >= 0) store(file_.value_in(place));
    }
    file_.drop_all();
    for (int i = 0; i < operation.arity; ++i) code_.vmovapd(xmm(i), xmm(RegisterFile::size + i));
    const auto pair = trigonometry_[static_cast<std::size_t>(operation.args[0])];
    const bool is_trigonometric = operation.op == Op::Sin || operation.op == Op::Cos;
    if (is_trigonometric && pair[0] >= 0 && pair[1] >= 0) {
      code_.lea(asmjit::x86::rdi, new_place(pair[0]));
      code_.lea(asmjit::x86::rsi, new_place(pair[1]));
      call(reinterpret_cast<std::uint64_t>(&sine_and_cosine_of));
    } else {
      call(reinterpret_cast<std::uint64_t>(info(operation.op).evaluate));
      file_.put(result, 0);
    }
  }
  void call(std::uint64_t address) {
    code_.mov(asmjit::x86::rax, address);
    code_.call(asmjit::x86::rax);
  }

  // Arguments are read: those that nobody needs any more leave their registers.
  void pass(std::int32_t position, const Tape::Operation& operation) {
    next_uses_.pass(position, operation);
    for (const std::int32_t value : operation.arguments()) {
      if (next_uses_.of(value) == NextUses::never) file_.drop(value);
    }
  }

  Xmm load(std::int32_t value, std::span<const std::int32_t> pinned) {
    if (const int place = file_.of(value); place >= 0) return xmm(place);
    const int place = free_place(pinned);
    code_.vmovsd(xmm(place), memory_of(value));
    file_.put(value, place);
    return xmm(place);
  }
  Xmm result_register(std::int32_t value) {
    const int place = free_place({});
    file_.put(value, place);
    return xmm(place);
  }
  int free_place(std::span<const std::int32_t> pinned) {
    const int place = file_.best_place(pinned);
    if (const std::int32_t evicted = file_.value_in(place); evicted >= 0) {
      store(evicted);
      file_.drop(evicted);
    }
    return place;
  }

  void store(std::int32_t value) {
    if (in_memory(value)) return;
    const int from = file_.of(value);
    code_.vmovsd(new_place(value), xmm(from));
  }
  Mem new_place(std::int32_t value) {
    place_[static_cast<std::size_t>(value)] = destination_of(value) >= 0 ? among_results : next_place_++;
    return memory_of(value);
  }
  [[nodiscard]] bool in_memory(std::int32_t value) const {
    return tape_.is_leaf(value) || place_of(value) != nowhere;
  }
  [[nodiscard]] std::int32_t place_of(std::int32_t value) const {
    return place_[static_cast<std::size_t>(value)];
  }
  [[nodiscard]] std::int32_t destination_of(std::int32_t value) const {
    return destination_[static_cast<std::size_t>(value)];
  }
  [[nodiscard]] Mem memory_of(std::int32_t value) const {
    if (tape_.is_leaf(value)) return memory(environment_, static_cast<std::size_t>(tape_.slot_of(value)));
    if (place_of(value) == among_results)
      return memory(results_, static_cast<std::size_t>(destination_of(value)));
    return memory(registers_, static_cast<std::size_t>(place_of(value)));
  }
  [[nodiscard]] static Mem memory(const Gp& base, std::size_t place) {
    return asmjit::x86::ptr(base, static_cast<std::int32_t>(8 * place));
  }
  [[nodiscard]] static Xmm xmm(int number) { return asmjit::x86::xmm(static_cast<std::uint32_t>(number)); }

  // Constants, leaves, and results that are wanted in several places.
  void copy_other_roots() {
    for (std::size_t k = 0; k < tape_.roots.size(); ++k) {
      const std::int32_t root = tape_.roots[k];
      if (destination_of(root) == tape_.destinations[k]) continue;
      code_.vmovsd(xmm(0), memory_of(root));
      code_.vmovsd(memory(results_, static_cast<std::size_t>(tape_.destinations[k])), xmm(0));
    }
  }

  // Instead of the place of a value in memory.
  static constexpr std::int32_t nowhere = -1;
  static constexpr std::int32_t among_results = -2;

  const Tape& tape_;
  std::vector<std::int32_t> order_;
  NextUses next_uses_;
  RegisterFile file_;
  std::vector<std::int32_t> place_;        // in memory, of each value. Leaves are in the environment.
  std::vector<std::int32_t> destination_;  // of results that are roots; negative: of no root
  std::vector<std::array<std::int32_t, 2>>
      trigonometry_;  // by argument: the values of its sine and its cosine
  std::int32_t next_place_ = 0;
  std::array<Mem, 3> masks_;
  Assembler code_;
  Gp registers_ = asmjit::x86::rbx;
  Gp environment_ = asmjit::x86::r12;
  Gp results_ = asmjit::x86::r13;
  CompiledTape result_;
};

}  // namespace

bool native_available() {
  return asmjit::CpuInfo::host().hasFeature(asmjit::CpuFeatures::X86::kAVX);
}

CompiledTape compile_to_native(const Tape& tape, const CodegenOptions& /*options*/) {
  if (tape.slots + tape.values() >= (std::size_t{1} << 27)) return {};  // offsets of 31 bits
  return NativeCompiler(tape).compile();
}

}  // namespace daedalus
