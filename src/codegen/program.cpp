#include "codegen/program.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cassert>
#include <limits>

#include "codegen/schedule.hpp"
#include "expr/traverse.hpp"

namespace daedalus {
namespace {

// Operations of a piece of the schedule: their results and indices fit the first-level cache and most of
// their arguments are there still. Measured in bench/expr.
constexpr std::size_t piece_size = 4096;

std::uint64_t next_program_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

// A node's place while compiling: a register, or the number n of an operation as -1 - n.
struct Place {
  std::int32_t value = 0;
  static Place operation(std::size_t n) { return {-1 - static_cast<std::int32_t>(n)}; }
  [[nodiscard]] bool is_operation() const { return value < 0; }
  [[nodiscard]] std::int32_t number() const { return -1 - value; }
};

struct Lowered {
  std::vector<Place> places;                           // by position in the traversal
  std::vector<ScheduledOperation> operations;          // args: operations only
  std::vector<std::array<std::int32_t, 3>> registers;  // of the other args
  std::vector<double> constants;
};

Lowered lower(const ExprGraph& graph, const Traversal& traversal, int slots, const LeafSlot& slot_of) {
  Lowered result;
  result.places.reserve(traversal.order().size());
  for (const NodeId id : traversal.order()) {
    const Node& node = graph.node(id);
    if (node.op == Op::Constant) {
      result.places.push_back({slots + static_cast<std::int32_t>(result.constants.size())});
      result.constants.push_back(node.value);
    } else if (node.arity == 0) {
      result.places.push_back({slot_of(id)});
      assert(result.places.back().value >= 0 && result.places.back().value < slots);
    } else {
      ScheduledOperation operation{
          .kind = static_cast<std::uint8_t>(node.op), .arity = node.arity, .args = {-1, -1, -1}};
      std::array<std::int32_t, 3> registers{};
      for (std::size_t i = 0; i < node.arity; ++i) {
        const Place place = result.places[traversal.position(NodeId(node.args[i]))];
        (place.is_operation() ? operation.args[i] : registers[i]) =
            place.is_operation() ? place.number() : place.value;
      }
      result.places.push_back(Place::operation(result.operations.size()));
      result.operations.push_back(operation);
      result.registers.push_back(registers);
    }
  }
  return result;
}

}  // namespace

Program Program::compile(const ExprGraph& graph, std::span<const NodeId> roots, int slots,
                         const LeafSlot& slot_of) {
  Traversal traversal;
  traversal.run(graph, roots);
  Lowered lowered = lower(graph, traversal, slots, slot_of);
  const Schedule plan = schedule(lowered.operations, piece_size);

  Program program;
  program.id_ = next_program_id();
  program.slots_ = static_cast<std::size_t>(slots);
  program.constants_ = std::move(lowered.constants);
  program.operations_ = lowered.operations.size();
  const std::size_t first = program.slots_ + program.constants_.size();
  assert(first + program.operations_ < static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()));
  std::vector<std::int32_t> result_register(program.operations_);
  for (std::size_t k = 0; k < plan.order.size(); ++k) {
    result_register[plan.order[k]] = static_cast<std::int32_t>(first + k);
  }
  for (const Schedule::Run& run : plan.runs) {
    const Op op = static_cast<Op>(run.kind);
    const auto arity = static_cast<std::uint32_t>(info(op).arity);
    program.groups_.push_back({kernel(op), run.end - run.begin, arity});
    for (std::size_t i = 0; i < arity; ++i) {
      for (std::uint32_t k = run.begin; k < run.end; ++k) {
        const std::int32_t arg = lowered.operations[plan.order[k]].args[i];
        program.arguments_.push_back(arg >= 0 ? result_register[static_cast<std::size_t>(arg)]
                                              : lowered.registers[plan.order[k]][i]);
      }
    }
  }
  for (const NodeId root : roots) {
    const Place place = lowered.places[traversal.position(root)];
    program.outputs_.push_back(
        place.is_operation() ? result_register[static_cast<std::size_t>(place.number())] : place.value);
  }
  return program;
}

const double* Program::run(std::span<const double> environment, std::vector<double>& workspace) const {
  assert(environment.size() >= slots_);
  // One value before the registers tells whose constants are there.
  const std::size_t first = slots_ + constants_.size();
  if (workspace.size() < 1 + first + operations_) workspace.resize(1 + first + operations_);
  double* const registers = workspace.data() + 1;
  if (std::bit_cast<std::uint64_t>(workspace[0]) != id_) {
    std::ranges::copy(constants_, registers + slots_);
    workspace[0] = std::bit_cast<double>(id_);
  }
  std::copy_n(environment.data(), slots_, registers);
  double* out = registers + first;
  const std::int32_t* arguments = arguments_.data();
  for (const Group& group : groups_) {
    group.kernel(registers, arguments, out, group.count);
    out += group.count;
    arguments += static_cast<std::size_t>(group.count) * group.arity;
  }
  return registers;
}

void Program::evaluate(std::span<const double> environment, std::span<double> results,
                       std::vector<double>& workspace) const {
  assert(results.size() >= outputs_.size());
  const double* const registers = run(environment, workspace);
  for (std::size_t k = 0; k < outputs_.size(); ++k) results[k] = registers[outputs_[k]];
}

}  // namespace daedalus
