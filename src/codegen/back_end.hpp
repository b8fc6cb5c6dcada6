// The ways to evaluate expressions: a table. The interpreter is the oracle of the others and serves
// wherever they cannot; `auto` chooses by the number of operations, by how much they have in common, and by
// the processor. docs/codegen.md has the figures.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "codegen/tape.hpp"
#include "core/diagnostic.hpp"
#include "core/lanes.hpp"

namespace daedalus {

enum class CodegenChoice : std::uint8_t { Auto, Interpreter, Kernels, Native };

struct CodegenOptions {
  CodegenChoice choice = CodegenChoice::Auto;
  std::size_t threads = 0;  // at most; 0: as many as there are processors. Results do not depend on it.
  bool often = false;       // evaluated so often that a search for what repeats itself pays (tiles.hpp)
};

// `starts` are those of the streams of a tile, for the code of tiles.
using MachineCode = void (*)(const double* environment, double* registers, double* results,
                             const std::int32_t* starts);

// What a back end makes of a tape. It does not change once made, so that threads may share it.
class Evaluator {
 public:
  Evaluator() = default;
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;
  virtual ~Evaluator() = default;

  // Writes every root to its slot among the results, which may lie in the environment where no leaf is read.
  // Registers hold what the last run left; their first ones are the constants.
  virtual void run(const double* environment, double* registers, double* results) const = 0;
  // What run() comes to, if it is one call (without starts); otherwise null.
  [[nodiscard]] virtual MachineCode machine_code() const { return nullptr; }
  // A run may be cut into parts, one after the other, so that what follows from some roots can be done while
  // they are in the cache. By root: the part that writes it; none: run() is one part.
  [[nodiscard]] virtual std::span<const int> root_parts() const { return {}; }
  [[nodiscard]] virtual std::size_t parts() const { return 1; }
  virtual void run_part(std::size_t /*part*/, const double* environment, double* registers,
                        double* results) const {
    run(environment, registers, results);
  }
  [[nodiscard]] virtual std::size_t groups()
      const = 0;  // loops or stretches of code that one run goes through
};

struct CompiledTape {
  std::shared_ptr<const Evaluator> evaluator;
  std::vector<double> constants;  // of the first registers
  std::size_t registers = 0;      // all, the constants included
  double cost = 0;                // estimated nanoseconds of a run; 0: not estimated
};

struct BackEnd {
  CodegenChoice choice;
  std::string_view name;
  std::string_view doc;
  bool (*available)();  // in this build and on this processor
  // Null evaluator: this tape cannot be had this way (no memory may be executed, say).
  CompiledTape (*compile)(const Tape& tape, const CodegenOptions& options);
};

[[nodiscard]] std::span<const BackEnd> all_back_ends();
[[nodiscard]] const BackEnd& back_end(CodegenChoice choice);  // Auto is no row
[[nodiscard]] std::string_view to_text(CodegenChoice choice);
// "auto" or the name of a row. An unknown name is an error that lists the known ones, and so is one that this
// build or processor does not have.
[[nodiscard]] Result<CodegenChoice> codegen_choice(std::string_view text);

// Compiles by the chosen back end; `used` is the one that serves.
[[nodiscard]] CompiledTape compile_tape(const Tape& tape, const CodegenOptions& options,
                                        const BackEnd*& used);

}  // namespace daedalus
