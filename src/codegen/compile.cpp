// From expressions to a Program: leaves and constants get registers, operations an order, and runs of one
// kind become groups.
#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <limits>

#include "codegen/program.hpp"
#include "codegen/schedule.hpp"
#include "expr/traverse.hpp"

namespace daedalus {
namespace {

// Operations of a piece of the schedule, so many that their results stay in the second-level cache. Anything
// from 4096 to 65536 is as good within 10 % (bench/expr); 512 costs a fifth more.
constexpr std::size_t piece_size = 16384;

// A program that uses less than this part of the environment picks its leaves one by one; otherwise it copies
// the environment whole, which is faster a value.
constexpr std::size_t sparse_environment = 4;

std::uint64_t next_program_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

// Sine and cosine are one kind to the schedule, because of one argument they are computed together.
std::uint8_t kind_of(Op op) {
  return static_cast<std::uint8_t>(op == Op::Cos ? Op::Sin : op);
}

// Where a node's value comes from while registers are not all known: a register of a leaf or a constant, or
// an operation by number.
class Source {
 public:
  static Source from_register(std::size_t n) { return Source(static_cast<std::int32_t>(n)); }
  static Source from_operation(std::size_t n) { return Source(-1 - static_cast<std::int32_t>(n)); }
  Source() = default;
  [[nodiscard]] bool is_operation() const { return code_ < 0; }
  [[nodiscard]] std::int32_t operation() const { return is_operation() ? -1 - code_ : -1; }
  [[nodiscard]] std::int32_t register_number() const { return code_; }
  [[nodiscard]] std::int32_t code() const { return code_; }  // for comparison

 private:
  explicit Source(std::int32_t code) : code_(code) {}
  std::int32_t code_ = 0;
};

struct Operation {
  Op op;
  std::array<Source, 3> args;
};

}  // namespace

class ProgramCompiler {
 public:
  ProgramCompiler(const ExprGraph& graph, std::span<const NodeId> roots) : graph_(graph) {
    traversal_.run(graph, roots);
    sources_.resize(traversal_.order().size());
  }

  Program compile(std::span<const NodeId> roots, int slots, const LeafSlot& slot_of) {
    program_.id_ = next_program_id();
    place_leaves(static_cast<std::size_t>(slots), slot_of);
    place_constants();
    list_operations();
    emit(schedule(scheduled_, piece_size));
    for (const NodeId root : roots)
      program_.outputs_.push_back(register_of(sources_[traversal_.position(root)]));
    return std::move(program_);
  }

 private:
  void place_leaves(std::size_t slots, const LeafSlot& slot_of) {
    std::vector<std::size_t> leaves;  // positions
    for (std::size_t k = 0; k < sources_.size(); ++k) {
      const Node& node = graph_.node(traversal_.order()[k]);
      if (node.arity == 0 && node.op != Op::Constant) leaves.push_back(k);
    }
    const bool whole = leaves.size() * sparse_environment >= slots;
    program_.slots_ = slots;
    program_.leaves_ = whole ? slots : leaves.size();
    for (std::size_t n = 0; n < leaves.size(); ++n) {
      const int slot = slot_of(traversal_.order()[leaves[n]]);
      assert(slot >= 0 && static_cast<std::size_t>(slot) < slots);
      sources_[leaves[n]] = Source::from_register(whole ? static_cast<std::size_t>(slot) : n);
      if (!whole) program_.leaf_slots_.push_back(slot);
    }
  }

  void place_constants() {
    for (std::size_t k = 0; k < sources_.size(); ++k) {
      const Node& node = graph_.node(traversal_.order()[k]);
      if (node.op != Op::Constant) continue;
      sources_[k] = Source::from_register(program_.leaves_ + program_.constants_.size());
      program_.constants_.push_back(node.value);
    }
  }

  void list_operations() {
    for (std::size_t k = 0; k < sources_.size(); ++k) {
      const Node& node = graph_.node(traversal_.order()[k]);
      if (node.arity == 0) continue;
      Operation operation{.op = node.op, .args = {}};
      ScheduledOperation scheduled{.kind = kind_of(node.op), .arity = node.arity, .args = {-1, -1, -1}};
      for (std::size_t i = 0; i < node.arity; ++i) {
        operation.args[i] = sources_[traversal_.position(NodeId(node.args[i]))];
        scheduled.args[i] = operation.args[i].operation();
      }
      sources_[k] = Source::from_operation(operations_.size());
      operations_.push_back(operation);
      scheduled_.push_back(scheduled);
    }
    result_.assign(operations_.size(), -1);
    program_.operations_ = operations_.size();
    next_register_ = program_.leaves_ + program_.constants_.size();
    assert(next_register_ + operations_.size() < std::numeric_limits<std::int32_t>::max());
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
    const Op op = operations_[members.front()].op;
    const auto arity = static_cast<std::uint16_t>(info(op).arity);
    program_.groups_.push_back({kernel(op), static_cast<std::uint32_t>(members.size()), arity, 1});
    give_registers(members);
    for (std::size_t i = 0; i < arity; ++i) push_arguments(members, i);
  }

  // Sines and cosines in the order [sin x_i | cos x_i | sines alone | cosines alone].
  void emit_trigonometry(std::span<std::uint32_t> members) {
    if (depend_on_each_other(members)) {
      for (std::uint32_t& member : members) emit_group(std::span(&member, 1));
      return;
    }
    const auto argument = [&](std::uint32_t n) { return operations_[n].args[0].code(); };
    std::ranges::sort(members, {},
                      [&](std::uint32_t n) { return std::pair(argument(n), operations_[n].op); });
    std::vector<std::uint32_t> sines, cosines, lone_sines, lone_cosines;
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (k + 1 < members.size() && argument(members[k]) == argument(members[k + 1])) {
        sines.push_back(members[k++]);
        cosines.push_back(members[k]);
      } else {
        (operations_[members[k]].op == Op::Sin ? lone_sines : lone_cosines).push_back(members[k]);
      }
    }
    if (!sines.empty()) {
      program_.groups_.push_back({sine_and_cosine, static_cast<std::uint32_t>(sines.size()), 1, 2});
      give_registers(sines);
      give_registers(cosines);
      push_arguments(sines, 0);
    }
    emit_group(lone_sines);
    emit_group(lone_cosines);
  }

  // In a run of the schedule an operation may use the result of one before it; that one has no register yet.
  [[nodiscard]] bool depend_on_each_other(std::span<const std::uint32_t> members) const {
    return std::ranges::any_of(members, [&](std::uint32_t n) {
      const Source& source = operations_[n].args[0];
      return source.is_operation() && result_[static_cast<std::size_t>(source.operation())] < 0;
    });
  }

  void give_registers(std::span<const std::uint32_t> members) {
    for (const std::uint32_t n : members) result_[n] = static_cast<std::int32_t>(next_register_++);
  }
  void push_arguments(std::span<const std::uint32_t> members, std::size_t i) {
    for (const std::uint32_t n : members) program_.arguments_.push_back(register_of(operations_[n].args[i]));
  }
  [[nodiscard]] std::int32_t register_of(Source source) const {
    return source.is_operation() ? result_[static_cast<std::size_t>(source.operation())]
                                 : source.register_number();
  }

  const ExprGraph& graph_;
  Traversal traversal_;
  std::vector<Source> sources_;  // by position in the traversal
  std::vector<Operation> operations_;
  std::vector<ScheduledOperation> scheduled_;
  std::vector<std::int32_t> result_;  // register of each operation; -1: none yet
  std::size_t next_register_ = 0;
  Program program_;
};

Program Program::compile(const ExprGraph& graph, std::span<const NodeId> roots, int slots,
                         const LeafSlot& slot_of) {
  return ProgramCompiler(graph, roots).compile(roots, slots, slot_of);
}

}  // namespace daedalus
