// Machine code of a tape through asmjit, for x86-64 with AVX. Values stay in registers as long as there is
// room; operations are those of the interpreter, one by one, so that results are equal to the last bit.
// no_native.cpp stands in where the build has no asmjit.
#pragma once

#include "codegen/back_end.hpp"

namespace daedalus {

// From so many operations on it is worth looking for tiles.
inline constexpr std::size_t tiles_worthwhile = 10'000;
// Without them, beyond so many operations the code no longer fits the caches and loses to loops
// (bench/codegen).
inline constexpr std::size_t native_worthwhile = 400'000;

[[nodiscard]] bool native_available();
// A null evaluator where there are no tiles.
[[nodiscard]] CompiledTape compile_tiled(const Tape& tape);
// For four environments at once: each value is four numbers, one a lane (Program::compile_lanes).
[[nodiscard]] CompiledTape compile_lanes(const Tape& tape);
[[nodiscard]] CompiledTape compile_to_native(const Tape& tape, const CodegenOptions& options = {});

}  // namespace daedalus
