// Which versions of the vector loops the processor can run.
#include "codegen/vector_loops.hpp"

namespace daedalus {

#ifdef DAEDALUS_X86_VECTORS
std::array<const VectorLoops*, 3> all_vector_loops() {
  return {&vector_baseline::loops, __builtin_cpu_supports("avx2") != 0 ? &vector_avx2::loops : nullptr,
          __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0
              ? &vector_avx512::loops
              : nullptr};
}
#else
std::array<const VectorLoops*, 3> all_vector_loops() {
  return {&vector_baseline::loops, nullptr, nullptr};
}
#endif

const VectorLoops& vector_loops() {
  const VectorLoops* best = &vector_baseline::loops;
  for (const VectorLoops* version : all_vector_loops()) {
    if (version != nullptr) best = version;
  }
  return *best;
}

}  // namespace daedalus
