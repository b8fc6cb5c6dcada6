// Functions that the compiler writes twice, for processors with and without AVX2, and of which the program
// takes the right one when it starts. Without fused multiplications both give the same results.
#pragma once

// (The choice is made before a sanitizer is there to look at it.)
#if defined(__x86_64__) && defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(DAEDALUS_PORTABLE)
#define DAEDALUS_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define DAEDALUS_WIDE
#endif

namespace daedalus {

// Four numbers that the processor treats as one, or as two pairs.
using Four = double __attribute__((vector_size(4 * sizeof(double))));
// By reference: how vectors are returned depends on the processor.
[[gnu::always_inline]] inline void load_four(const double* from, Four& v) {
  __builtin_memcpy(&v, from, sizeof v);
}
[[gnu::always_inline]] inline void copy_four(const double* from, double* to) {
  __builtin_memcpy(to, from, sizeof(Four));
}
[[gnu::always_inline]] inline void store_four(const Four& v, double* to) {
  __builtin_memcpy(to, &v, sizeof v);
}

}  // namespace daedalus
