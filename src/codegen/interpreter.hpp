// The interpreter: operations are ordered so that those of one kind stand together; one group is a tight loop
// over index lists: out[i] = a[i] op b[i]. No branch an operation, no allocation. Both branches of an
// if-expression are computed and one is chosen, so that a branch not taken may be NaN without harm.
#pragma once

#include "codegen/back_end.hpp"

namespace daedalus {

[[nodiscard]] CompiledTape compile_for_interpreter(const Tape& tape, const CodegenOptions& options = {});

}  // namespace daedalus
