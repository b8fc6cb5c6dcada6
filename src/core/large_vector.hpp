// A vector for tables that are looked up all over, as large as they get: in pages of two megabytes, where the
// system has them, the processor finds its way to an entry without a miss of its own.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace daedalus {

template <class T>
class LargeAllocator {
 public:
  using value_type = T;
  LargeAllocator() = default;
  template <class U>
  explicit LargeAllocator(const LargeAllocator<U>& /*other*/) {}

  [[nodiscard]] T* allocate(std::size_t n) {
    const std::size_t bytes = n * sizeof(T);
    if (n > static_cast<std::size_t>(-1) / sizeof(T) - page) throw std::bad_alloc();
    void* memory = nullptr;
    if (bytes < least) {
      memory = std::malloc(bytes);
    } else {
      const std::size_t whole = (bytes + page - 1) / page * page;
      memory = std::aligned_alloc(page, whole);
#ifdef __linux__
      if (memory != nullptr) (void)madvise(memory, whole, MADV_HUGEPAGE);  // a wish, not a need
#endif
    }
    if (memory == nullptr && n > 0) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t /*n*/) {
    std::free(memory);
  }
  friend bool operator==(const LargeAllocator& /*a*/, const LargeAllocator& /*b*/) {
    return true;
  }

 private:
  static constexpr std::size_t page = std::size_t{1} << 21U;
  static constexpr std::size_t least = 2 * page;
};

template <class T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

}  // namespace daedalus
