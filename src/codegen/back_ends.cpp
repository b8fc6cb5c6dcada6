#include "codegen/back_end.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/clusters.hpp"
#include "codegen/interpreter.hpp"
#include "codegen/kernels.hpp"
#include "codegen/native.hpp"

namespace daedalus {
namespace {

constexpr std::array back_ends{
    BackEnd{CodegenChoice::Interpreter, "interpreter",
            "loops over index lists, one a kind of operation; the oracle of the others", [] { return true; },
            compile_for_interpreter},
    BackEnd{CodegenChoice::Kernels, "kernels",
            "expressions of one shape side by side, by vectorised loops; for large regular models",
            [] { return true; }, compile_to_kernels},
    BackEnd{CodegenChoice::Native, "native",
            "x86-64 machine code; for models of up to some thousands of operations", native_available,
            compile_to_native},
};

struct Chosen {
  CodegenChoice by = CodegenChoice::Auto;
  CompiledTape tape;  // null evaluator: not compiled yet
};

// What an operation costs in nanoseconds, measured (docs/codegen.md): arithmetic, and elementary functions on
// average.
struct Costs {
  double arithmetic;
  double function;
  [[nodiscard]] double of(std::size_t operations, std::size_t functions) const {
    return arithmetic * static_cast<double>(operations - functions) +
           function * static_cast<double>(functions);
  }
};
constexpr Costs native_costs{0.2, 4.5}, interpreter_costs{0.9, 5.5};
constexpr Costs least_kernel_costs{0.2, 1.5};  // when everything is regular

// What kernels must be able to save at best before they are looked for, which takes longer than to write
// machine code: where one operation in a hundred is a function, as in the equations of a robot, there is
// nothing to be won.
constexpr double worth_kernels = 0.75;

// Fewer are never many of one shape.
constexpr std::size_t least_for_kernels = 2000;

// The cheapest to run, where it may take as long again to compile.
Chosen choose(const Tape& tape, const CodegenOptions& options) {
  const std::size_t n = tape.operations.size();
  const auto functions = static_cast<std::size_t>(
      std::ranges::count_if(tape.operations, is_elementary_function, &Tape::Operation::op));
  const bool native = back_end(CodegenChoice::Native).available() && n <= native_worthwhile;
  if (!native && options.often) {
    if (CompiledTape tiled = compile_tiled(tape); tiled.evaluator)
      return {.by = CodegenChoice::Native, .tape = std::move(tiled)};
  }
  const double cost = (native ? native_costs : interpreter_costs).of(n, functions);
  if (n >= least_for_kernels && least_kernel_costs.of(n, functions) < worth_kernels * cost) {
    CompiledTape kernels = compile_to_kernels(tape, options);
    if (kernels.cost < cost) return {.by = CodegenChoice::Kernels, .tape = std::move(kernels)};
  }
  return {.by = native ? CodegenChoice::Native : CodegenChoice::Interpreter, .tape = {}};
}

}  // namespace

std::span<const BackEnd> all_back_ends() {
  return back_ends;
}

const BackEnd& back_end(CodegenChoice choice) {
  const auto* const row = std::ranges::find(back_ends, choice, &BackEnd::choice);
  assert(row != back_ends.end());
  return *row;
}

std::string_view to_text(CodegenChoice choice) {
  return choice == CodegenChoice::Auto ? "auto" : back_end(choice).name;
}

Result<CodegenChoice> codegen_choice(std::string_view text) {
  if (text == "auto") return CodegenChoice::Auto;
  const auto* const row = std::ranges::find(back_ends, text, &BackEnd::name);
  if (row == back_ends.end()) {
    std::vector<std::string_view> names{"auto"};
    for (const BackEnd& known : back_ends) names.push_back(known.name);
    return fail(fmt::format("unknown codegen '{}' (known: {})", text, fmt::join(names, ", ")));
  }
  if (!row->available())
    return fail(fmt::format("codegen '{}' is not available in this build or on this processor", text));
  return row->choice;
}

CompiledTape compile_tape(const Tape& tape, const CodegenOptions& options, const BackEnd*& used) {
  Chosen chosen{.by = options.choice, .tape = {}};
  if (options.choice == CodegenChoice::Auto) chosen = choose(tape, options);
  used = &back_end(chosen.by);
  if (!chosen.tape.evaluator && used->available()) chosen.tape = used->compile(tape, options);
  if (chosen.tape.evaluator) return std::move(chosen.tape);
  used = &back_end(CodegenChoice::Interpreter);
  return used->compile(tape, options);
}

}  // namespace daedalus
