// Class kernels: clusters of one shape are computed side by side, a row of values an instruction, by loops
// that the compiler has vectorised. See clusters.hpp for what a cluster is.
//
// The tape is cut into pieces whose values stay in the cache. Within a piece clusters are ordered into waves
// of one shape, and the clusters of a wave so that the values that they need lie side by side, too: as one
// rod follows the other in one wave, so in all. Shapes that occur a few times only are computed by the
// interpreter's loops.
//
// Sines, cosines, exponentials and logarithms are those of vector_math.hpp, within one unit in the last
// place; all else is equal to the interpreter to the last bit.
#pragma once

#include "codegen/back_end.hpp"

namespace daedalus {

[[nodiscard]] CompiledTape compile_to_kernels(const Tape& tape, const CodegenOptions& options = {});

}  // namespace daedalus
