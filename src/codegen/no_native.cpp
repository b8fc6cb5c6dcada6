// In place of native.cpp where there is no asmjit or the processor is another.
#include "codegen/native.hpp"

namespace daedalus {

bool native_available() {
  return false;
}

CompiledTape compile_tiled(const Tape& /*tape*/) {
  return {};
}

CompiledTape compile_lanes(const Tape& /*tape*/) {
  return {};
}

CompiledTape compile_to_native(const Tape& /*tape*/, const CodegenOptions& /*options*/) {
  return {};
}

}  // namespace daedalus
