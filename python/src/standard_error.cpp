// Debian's libasmjit.a is compiled for programs, not for shared libraries: it reaches for the variable
// `stderr` of the C library as only a program may. The linker (--wrap=stderr, in CMakeLists.txt) gives it
// this one instead.
#include <cstdio>

extern "C" {
extern FILE* __real_stderr;  // NOLINT: the linker's name for what `stderr` was
__attribute__((visibility("hidden"))) FILE* __wrap_stderr = __real_stderr;  // NOLINT: likewise
}
