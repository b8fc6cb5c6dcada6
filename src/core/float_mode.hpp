// Numbers below 2.2e-308 as zero. Motions that die away along a chain end in such numbers, with which
// processors calculate many times more slowly; nothing that a simulation has to say is as small as that.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace daedalus {

// How the thread calculates, from here to the end of the scope.
class FloatMode {
 public:
#if defined(__x86_64__)
  using Word = unsigned;
  static Word current() {
    return _mm_getcsr();
  }
  static Word tiny_is_zero() {
    constexpr Word flush_to_zero = 0x8000;
    constexpr Word denormals_are_zero = 0x0040;
    return current() | flush_to_zero | denormals_are_zero;
  }
  explicit FloatMode(Word mode) : before_(current()) {
    _mm_setcsr(mode);
  }
  ~FloatMode() {
    _mm_setcsr(before_);
  }
#else
  using Word = unsigned;
  static Word current() {
    return 0;
  }
  static Word tiny_is_zero() {
    return 0;
  }
  explicit FloatMode(Word /*mode*/) {}
  ~FloatMode() = default;
#endif
  FloatMode(const FloatMode&) = delete;
  FloatMode& operator=(const FloatMode&) = delete;

 private:
  [[maybe_unused]] Word before_ = 0;
};

}  // namespace daedalus
