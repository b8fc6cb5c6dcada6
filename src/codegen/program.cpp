#include "codegen/program.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>

namespace daedalus {
namespace {

std::uint64_t next_program_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

Program Program::compile(const ExprGraph& graph, std::span<const NodeId> roots, int slots,
                         const LeafSlot& slot_of, const CodegenOptions& options,
                         std::span<const int> destinations) {
  assert(destinations.empty() || destinations.size() == roots.size());
  Tape tape = Tape::write(graph, roots, slots, slot_of);
  if (!destinations.empty()) tape.destinations.assign(destinations.begin(), destinations.end());
  Program program;
  program.id_ = next_program_id();
  program.slots_ = tape.slots;
  program.operations_ = tape.operations.size();
  program.roots_ = roots.size();
  for (const std::int32_t place : tape.destinations)
    program.results_ = std::max(program.results_, static_cast<std::size_t>(place) + 1);
  const BackEnd* used = nullptr;
  program.compiled_ = compile_tape(tape, options, used);
  program.back_end_ = used->name;
  return program;
}

void Program::lay_out(double* registers) const {
  std::ranges::copy(compiled_.constants, registers);
}

void Program::evaluate_part(std::size_t part, std::span<const double> environment, std::span<double> results,
                            std::vector<double>& workspace) const {
  assert(environment.size() >= slots_ && results.size() >= results_ && part < parts());
  if (!compiled_.evaluator) return;
  compiled_.evaluator->run_part(part, environment.data(), registers_in(workspace), results.data());
}

}  // namespace daedalus
