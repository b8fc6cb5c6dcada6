// From a tape to the interpreter's lists: leaves get registers, operations an order, and runs of one kind
// become groups.
#include "codegen/interpreter.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

#include "codegen/loops.hpp"
#include "codegen/schedule.hpp"

namespace daedalus {
namespace {

// Operations of a piece of the schedule, so many that their results stay in the second-level cache. Anything
// from 4096 to 65536 is as good within 10 % (bench/expr); 512 costs a fifth more.
constexpr std::size_t piece_size = 16384;

// A program that uses less than this part of the environment picks its leaves one by one; otherwise it copies
// the environment whole, which is faster a value.
constexpr std::size_t sparse_environment = 4;

// Sine and cosine are one kind to the schedule, because of one argument they are computed together.
std::uint8_t kind_of(Op op) {
  return static_cast<std::uint8_t>(op == Op::Cos ? Op::Sin : op);
}

class Interpreter final : public Evaluator {
 public:
  void run(const double* environment, double* registers, double* results) const override {
    double* out = registers + constants_;
    if (leaf_slots_.empty()) {
      std::copy_n(environment, leaves_, out);
    } else {
      for (std::size_t k = 0; k < leaves_; ++k) out[k] = environment[leaf_slots_[k]];
    }
    out += leaves_;
    const std::int32_t* arguments = arguments_.data();
    for (const Group& group : groups_) {
      group.loop(registers, arguments, out, group.count);
      out += static_cast<std::size_t>(group.count) * group.results;
      arguments += static_cast<std::size_t>(group.count) * group.arguments;
    }
    for (std::size_t k = 0; k < outputs_.size(); ++k) results[destinations_[k]] = registers[outputs_[k]];
  }
  [[nodiscard]] std::size_t groups() const override { return groups_.size(); }

 private:
  friend class InterpreterCompiler;

  struct Group {
    Loop loop = nullptr;
    std::uint32_t count = 0;
    std::uint16_t arguments = 0;  // of one call: how many registers it reads and writes
    std::uint16_t results = 0;
  };
  // Registers: [constants | leaves | results of operations], those of a group one after another.
  std::size_t constants_ = 0;
  std::size_t leaves_ = 0;
  std::vector<std::int32_t> leaf_slots_;  // slot of each leaf; empty: the leaves are the whole environment
  std::vector<Group> groups_;
  std::vector<std::int32_t> arguments_;  // for each group its first arguments, its second, its third
  std::vector<std::int32_t> outputs_;    // register of each root
  std::vector<std::int32_t> destinations_;
};

class InterpreterCompiler {
 public:
  explicit InterpreterCompiler(const Tape& tape) : tape_(tape), register_(tape.values(), -1) {}

  CompiledTape compile() {
    place_constants_and_leaves();
    emit(schedule(scheduled(), piece_size));
    CompiledTape result;
    result.constants = tape_.constants;
    result.registers = next_register_;
    for (const std::int32_t root : tape_.roots) made_->outputs_.push_back(register_of(root));
    made_->destinations_ = tape_.destinations;
    result.evaluator = std::move(made_);
    return result;
  }

 private:
  void place_constants_and_leaves() {
    const bool whole = tape_.leaf_slots.size() * sparse_environment >= tape_.slots;
    made_->constants_ = tape_.constants.size();
    made_->leaves_ = whole ? tape_.slots : tape_.leaf_slots.size();
    if (!whole) made_->leaf_slots_ = tape_.leaf_slots;
    for (std::size_t k = 0; k < tape_.first_leaf(); ++k) register_[k] = static_cast<std::int32_t>(k);
    for (std::size_t n = 0; n < tape_.leaf_slots.size(); ++n) {
      const std::size_t index = whole ? static_cast<std::size_t>(tape_.leaf_slots[n]) : n;
      register_[tape_.first_leaf() + n] = static_cast<std::int32_t>(made_->constants_ + index);
    }
    next_register_ = made_->constants_ + made_->leaves_;
    assert(next_register_ + tape_.operations.size() < std::numeric_limits<std::int32_t>::max());
  }

  [[nodiscard]] std::vector<ScheduledOperation> scheduled() const {
    std::vector<ScheduledOperation> list;
    list.reserve(tape_.operations.size());
    for (const Tape::Operation& operation : tape_.operations) {
      ScheduledOperation entry{.kind = kind_of(operation.op), .arity = operation.arity, .args = {-1, -1, -1}};
      for (std::size_t i = 0; i < operation.arity; ++i)
        entry.args[i] = std::max(tape_.operation_of(operation.args[i]), -1);
      list.push_back(entry);
    }
    return list;
  }

  void emit(Schedule plan) {
    for (const Schedule::Run& run : plan.runs) {
      const std::span<std::uint32_t> members = std::span(plan.order).subspan(run.begin, run.end - run.begin);
      if (run.kind == kind_of(Op::Sin)) {
        emit_trigonometry(members);
      } else {
        emit_group(members);
      }
    }
  }

  // One group of operations of one kind.
  void emit_group(std::span<const std::uint32_t> members) {
    if (members.empty()) return;
    const Op op = tape_.operations[members.front()].op;
    const auto arity = static_cast<std::uint16_t>(info(op).arity);
    made_->groups_.push_back({loop(op), static_cast<std::uint32_t>(members.size()), arity, 1});
    give_registers(members);
    for (std::size_t i = 0; i < arity; ++i) push_arguments(members, i);
  }

  // Sines and cosines in the order [sin x_i | cos x_i | sines alone | cosines alone].
  void emit_trigonometry(std::span<std::uint32_t> members) {
    if (depend_on_each_other(members)) {
      for (std::uint32_t& member : members) emit_group(std::span(&member, 1));
      return;
    }
    const auto argument = [&](std::uint32_t n) { return tape_.operations[n].args[0]; };
    std::ranges::sort(members, {},
                      [&](std::uint32_t n) { return std::pair(argument(n), tape_.operations[n].op); });
    std::vector<std::uint32_t> sines, cosines, lone_sines, lone_cosines;
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (k + 1 < members.size() && argument(members[k]) == argument(members[k + 1])) {
        sines.push_back(members[k++]);
        cosines.push_back(members[k]);
      } else {
        (tape_.operations[members[k]].op == Op::Sin ? lone_sines : lone_cosines).push_back(members[k]);
      }
    }
    if (!sines.empty()) {
      made_->groups_.push_back({sine_and_cosine, static_cast<std::uint32_t>(sines.size()), 1, 2});
      give_registers(sines);
      give_registers(cosines);
      push_arguments(sines, 0);
    }
    emit_group(lone_sines);
    emit_group(lone_cosines);
  }

  // In a run of the schedule an operation may use the result of one before it; that one has no register yet.
  [[nodiscard]] bool depend_on_each_other(std::span<const std::uint32_t> members) const {
    return std::ranges::any_of(members,
                               [&](std::uint32_t n) { return register_of(tape_.operations[n].args[0]) < 0; });
  }

  void give_registers(std::span<const std::uint32_t> members) {
    for (const std::uint32_t n : members)
      register_[tape_.first_result() + n] = static_cast<std::int32_t>(next_register_++);
  }
  void push_arguments(std::span<const std::uint32_t> members, std::size_t i) {
    for (const std::uint32_t n : members)
      made_->arguments_.push_back(register_of(tape_.operations[n].args[i]));
  }
  [[nodiscard]] std::int32_t register_of(std::int32_t value) const {
    return register_[static_cast<std::size_t>(value)];
  }

  const Tape& tape_;
  std::vector<std::int32_t> register_;  // of each value; -1: none yet
  std::size_t next_register_ = 0;
  std::shared_ptr<Interpreter> made_ = std::make_shared<Interpreter>();
};

}  // namespace

CompiledTape compile_for_interpreter(const Tape& tape, const CodegenOptions& /*options*/) {
  return InterpreterCompiler(tape).compile();
}

}  // namespace daedalus
