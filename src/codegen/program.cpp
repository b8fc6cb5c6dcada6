#include "codegen/program.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>

#include "codegen/native.hpp"

namespace daedalus {
namespace {

std::uint64_t next_program_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

void Program::describe(const Tape& tape) {
  id_ = next_program_id();
  slots_ = tape.slots;
  operations_ = tape.operations.size();
  roots_ = tape.roots.size();
  for (const std::int32_t index : tape.destinations)
    results_ = std::max(results_, static_cast<std::size_t>(index) + 1);
}

Program Program::compile(const ExprGraph& graph, std::span<const NodeId> roots, int slots,
                         const LeafSlot& slot_of, const CodegenOptions& options,
                         std::span<const int> destinations) {
  assert(destinations.empty() || destinations.size() == roots.size());
  Tape tape = Tape::write(graph, roots, slots, slot_of);
  if (!destinations.empty()) tape.destinations.assign(destinations.begin(), destinations.end());
  Program program;
  program.describe(tape);
  const BackEnd* used = nullptr;
  program.compiled_ = compile_tape(tape, options, used);
  program.back_end_ = used->name;
  return program;
}

std::optional<Program> Program::compile_lanes(const ExprGraph& graph, std::span<const NodeId> roots,
                                              const ProgramSetting& setting,
                                              std::span<const int> destinations) {
  const CodegenChoice choice = setting.codegen.choice;
  if (choice != CodegenChoice::Auto && choice != CodegenChoice::Native) return std::nullopt;
  Tape tape = Tape::write(graph, roots, setting.slots, setting.slot_of);
  if (!destinations.empty()) tape.destinations.assign(destinations.begin(), destinations.end());
  Program program;
  program.describe(tape);
  program.slots_ *= lane_count;
  program.results_ *= lane_count;
  program.compiled_ = daedalus::compile_lanes(tape);
  if (!program.compiled_.evaluator) return std::nullopt;
  program.back_end_ = "lanes";
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
