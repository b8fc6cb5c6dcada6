// Counts every malloc of a test program, those of shared libraries, too. To be included by one source of it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>

namespace {
std::atomic<long> allocations{0};
}  // namespace

#if defined(__SANITIZE_ADDRESS__)
// The sanitizer brings its own malloc and tells of every call.
extern "C" int __sanitizer_install_malloc_and_free_hooks(  // NOLINT(bugprone-reserved-identifier)
    void (*on_malloc)(const volatile void*, std::size_t), void (*on_free)(const volatile void*));
namespace {
const int installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { ++allocations; }, [](const volatile void*) {});
}  // namespace
#else
// Ours stands before glibc's, for shared libraries too.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): glibc's names for what we replace
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  ++allocations;
  return __libc_realloc(old, size);
}
// NOLINTEND(bugprone-reserved-identifier)
}
#endif
