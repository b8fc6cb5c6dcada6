// A list of expressions compiled to a program that evaluates them all at once, by one of the back ends
// (codegen/back_end.hpp).
#pragma once

#include <bit>
#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "codegen/back_end.hpp"
#include "expr/graph.hpp"

namespace daedalus {

// What expressions are compiled against: an environment of so many values, and every leaf's slot in it.
struct ProgramSetting {
  int slots = 0;
  LeafSlot slot_of;
  CodegenOptions codegen;
};

class Program {
 public:
  Program() = default;

  // Compiles the roots. `slots` is the size of the environment; slot_of gives every leaf's slot in it;
  // `destinations`, where the value of each root is wanted (none given: one after the other).
  static Program compile(const ExprGraph& graph, std::span<const NodeId> roots, int slots,
                         const LeafSlot& slot_of, const CodegenOptions& options = {},
                         std::span<const int> destinations = {});
  static Program compile(const ExprGraph& graph, std::span<const NodeId> roots, const ProgramSetting& setting,
                         std::span<const int> destinations = {}) {
    return compile(graph, roots, setting.slots, setting.slot_of, setting.codegen, destinations);
  }

  // The same for lane_count environments at once, as machine code: environments and results lie as in
  // core/lanes.hpp. Nothing where there is no machine code.
  static std::optional<Program> compile_lanes(const ExprGraph& graph, std::span<const NodeId> roots,
                                              const ProgramSetting& setting,
                                              std::span<const int> destinations = {});

  // results[destinations[k]] = value of roots[k]. `environment` has `slots` values; the results may lie in
  // it, at slots that the expressions do not contain. `workspace` is resized on first use and holds nothing
  // between calls that matters; one a thread. It may serve several programs in turn, at the cost of laying
  // out the constants again whenever the program changes; do not write to it.
  void evaluate(std::span<const double> environment, std::span<double> results,
                std::vector<double>& workspace) const {
    assert(results.size() >= results_);
    if (compiled_.evaluator) bind(environment, workspace)(results.data());
  }
  // An evaluation bound to its arguments: for the same environment and workspace again and again. The
  // program must not be empty.
  struct Bound {
    const Evaluator* evaluator = nullptr;
    const double* environment = nullptr;
    double* registers = nullptr;
    void operator()(double* results) const { evaluator->run(environment, registers, results); }
  };
  [[nodiscard]] Bound bind(std::span<const double> environment, std::vector<double>& workspace) const {
    assert(environment.size() >= slots_);
    return {.evaluator = compiled_.evaluator.get(),
            .environment = environment.data(),
            .registers = registers_in(workspace)};
  }

  // The same in parts, all of them in their order, and by root the part that writes it (none: there is one).
  [[nodiscard]] std::size_t parts() const { return compiled_.evaluator ? compiled_.evaluator->parts() : 1; }
  [[nodiscard]] std::span<const int> root_parts() const { return compiled_.evaluator->root_parts(); }
  void evaluate_part(std::size_t part, std::span<const double> environment, std::span<double> results,
                     std::vector<double>& workspace) const;

  [[nodiscard]] std::size_t operations() const { return operations_; }  // without leaves and constants
  [[nodiscard]] std::size_t groups() const { return compiled_.evaluator ? compiled_.evaluator->groups() : 0; }
  [[nodiscard]] std::size_t roots() const { return roots_; }
  [[nodiscard]] std::size_t results() const { return results_; }         // the least size of these
  [[nodiscard]] std::string_view back_end() const { return back_end_; }  // its name in the table

 private:
  void describe(const Tape& tape);

  static constexpr std::size_t line = 64 / sizeof(double);  // of the cache

  // Where in the workspace the registers are, with this program's constants. They begin with a line of the
  // cache. The workspace's first value tells whose constants are there and how far from its begin: a copied
  // or grown workspace lies elsewhere in its lines, and what it holds is not where it is looked for.
  [[nodiscard]] double* registers_in(std::vector<double>& workspace) const {
    if (workspace.size() < line + compiled_.registers) workspace.resize(line + compiled_.registers);
    const std::size_t offset = reinterpret_cast<std::uintptr_t>(workspace.data()) / sizeof(double) % line;
    const std::uint64_t mark = (id_ * line) + offset;
    double* const registers = workspace.data() + (line - offset);
    if (std::bit_cast<std::uint64_t>(workspace.front()) != mark) {
      lay_out(registers);
      workspace.front() = std::bit_cast<double>(mark);
    }
    return registers;
  }
  void lay_out(double* registers) const;

  std::uint64_t id_ = 0;  // of this program among all, so that a workspace can tell whose constants it holds
  std::size_t slots_ = 0;
  std::size_t operations_ = 0;
  std::size_t roots_ = 0;
  std::size_t results_ = 0;  // the least size
  std::string_view back_end_ = "interpreter";
  CompiledTape compiled_;
};

// What a reader is told of a program.
struct ProgramSize {
  std::string name;
  std::size_t results = 0;
  std::size_t operations = 0;
  std::string back_end;
};

[[nodiscard]] inline ProgramSize size_of(std::string name, const Program& program) {
  return {.name = std::move(name),
          .results = program.roots(),
          .operations = program.operations(),
          .back_end = std::string(program.back_end())};
}

}  // namespace daedalus
