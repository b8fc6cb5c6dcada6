// Sine, cosine, exponential and logarithm of several numbers at once, within one unit in the last place, by
// the arithmetic of fdlibm (Sun Microsystems, 1993; k_sin.c, k_cos.c, e_rem_pio2.c, e_exp.c, e_log.c) without
// its branches. The operations are the same whatever the width, so that results do not depend on it nor on a
// number's neighbours. Arguments outside the range of a formula, NaN among them, are left to the standard
// library one by one.
//
// Included by vector_loops.cpp only, which is compiled once a kind of processor: nothing here may have a name
// outside that file, or the linker would choose one version for all.
#pragma once

#include <cstdint>

namespace {

constexpr int width = DAEDALUS_VECTOR_WIDTH;
using Vector [[gnu::vector_size(width * sizeof(double))]] = double;
using Bits [[gnu::vector_size(width * sizeof(double))]] = std::int64_t;  // of a comparison: all or none
using Unsigned [[gnu::vector_size(width * sizeof(double))]] = std::uint64_t;

inline Unsigned bits_of(Vector x) {
  return reinterpret_cast<Unsigned>(x);
}
inline Vector vector_of(Unsigned x) {
  return reinterpret_cast<Vector>(x);
}
inline Vector choose(Unsigned condition, Vector yes, Vector no) {
  return vector_of((condition & bits_of(yes)) | (~condition & bits_of(no)));
}
inline Vector magnitude(Vector x) {
  return vector_of(bits_of(x) & std::uint64_t{0x7fff'ffff'ffff'ffff});
}

// Adding it rounds to an integer and leaves that integer in the low bits.
constexpr double rounder = 0x1.8p52;

struct SineCosine {
  Vector sine, cosine;
};

// Beyond this k * pio2_1 is no longer exact (e_rem_pio2.c).
constexpr double largest_angle = 823549.0;

// x - k π/2 as a sum of two, k the nearest integer. The second iteration of e_rem_pio2.c, which is good to
// 118 bits; no double of this range comes so near to a multiple of π/2 that the third would be needed for
// less than one ulp.
struct Reduced {
  Vector high, low;
  Unsigned quarter;
};
inline Reduced reduce(Vector x) {
  constexpr double two_over_pi = 6.36619772367581382433e-01;
  constexpr double pio2_1 = 1.57079632673412561417e+00, pio2_2 = 6.07710050630396597660e-11,
                   pio2_2t = 2.02226624879595063154e-21;
  const Vector rounded = x * two_over_pi + rounder;
  const Vector k = rounded - rounder;
  const Vector first = x - k * pio2_1;
  const Vector second = k * pio2_2;
  const Vector rest = first - second;
  const Vector tail = k * pio2_2t - ((first - rest) - second);
  const Vector high = rest - tail;
  return {high, (rest - high) - tail, bits_of(rounded)};
}

inline Vector sine_kernel(Vector x, Vector y, Vector z) {
  constexpr double s1 = -1.66666666666666324348e-01, s2 = 8.33333333332248946124e-03,
                   s3 = -1.98412698298579493134e-04, s4 = 2.75573137070700676789e-06,
                   s5 = -2.50507602534068634195e-08, s6 = 1.58969099521155010221e-10;
  const Vector v = z * x;
  const Vector r = s2 + z * (s3 + z * (s4 + z * (s5 + z * s6)));
  return x - ((z * (0.5 * y - v * r) - y) - v * s1);
}

inline Vector cosine_kernel(Vector x, Vector y, Vector z) {
  constexpr double c1 = 4.16666666666666019037e-02, c2 = -1.38888888888741095749e-03,
                   c3 = 2.48015872894767294178e-05, c4 = -2.75573143513906633035e-07,
                   c5 = 2.08757232129817482790e-09, c6 = -1.13596475577881948265e-11;
  const Vector r = z * (c1 + z * (c2 + z * (c3 + z * (c4 + z * (c5 + z * c6)))));
  const Vector half = 0.5 * z;
  const Vector w = 1.0 - half;
  return w + (((1.0 - w) - half) + (z * r - x * y));
}

inline SineCosine sine_cosine(Vector x) {
  const Reduced reduced = reduce(x);
  const Vector z = reduced.high * reduced.high;
  const Vector s = sine_kernel(reduced.high, reduced.low, z);
  const Vector c = cosine_kernel(reduced.high, reduced.low, z);
  const Unsigned odd = -(reduced.quarter & 1);
  const Unsigned sine_sign = (reduced.quarter & 2) << 62;
  const Unsigned cosine_sign = ((reduced.quarter + 1) & 2) << 62;
  return {vector_of(bits_of(choose(odd, c, s)) ^ sine_sign),
          vector_of(bits_of(choose(odd, s, c)) ^ cosine_sign)};
}

// Within it neither the argument nor the value needs care (e_exp.c treats the rest apart).
constexpr double largest_exponent = 700.0;

inline Vector exponential(Vector x) {
  constexpr double one_over_ln2 = 1.44269504088896338700e+00, ln2_high = 6.93147180369123816490e-01,
                   ln2_low = 1.90821492927058770002e-10;
  constexpr double p1 = 1.66666666666666019037e-01, p2 = -2.77777777770155933842e-03,
                   p3 = 6.61375632143793436117e-05, p4 = -1.65339022054652515390e-06,
                   p5 = 4.13813679705723846039e-08;
  const Vector rounded = x * one_over_ln2 + rounder;
  const Vector k = rounded - rounder;
  const Vector high = x - k * ln2_high;
  const Vector low = k * ln2_low;
  const Vector r = high - low;
  const Vector t = r * r;
  const Vector c = r - t * (p1 + t * (p2 + t * (p3 + t * (p4 + t * p5))));
  const Vector y = 1.0 - ((low - (r * c) / (2.0 - c)) - high);
  return vector_of(bits_of(y) + (bits_of(rounded) << 52));
}

inline Vector logarithm(Vector x) {
  constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
  constexpr double l1 = 6.666666666666735130e-01, l2 = 3.999999999940941908e-01,
                   l3 = 2.857142874366239149e-01, l4 = 2.222219843214978396e-01,
                   l5 = 1.818357216161805012e-01, l6 = 1.531383769920937332e-01,
                   l7 = 1.479819860511658591e-01;
  // x = 2^k (1 + f) with √2/2 < 1 + f < √2.
  constexpr std::uint64_t root_half = 0x3fe6'a09e'667f'3bcd;
  // With an offset that keeps it positive, because many processors cannot shift negative numbers of 64 bits.
  const Unsigned exponent =
      ((bits_of(x) - root_half + (std::uint64_t{1} << 62)) >> 52) - (std::uint64_t{1} << 10);
  const Vector k = vector_of(exponent + std::uint64_t{0x4338'0000'0000'0000}) - rounder;
  const Vector f = vector_of(bits_of(x) - (exponent << 52)) - 1.0;
  const Vector half_square = 0.5 * f * f;
  const Vector s = f / (2.0 + f);
  const Vector z = s * s;
  const Vector w = z * z;
  const Vector even = w * (l2 + w * (l4 + w * l6));
  const Vector odd = z * (l1 + w * (l3 + w * (l5 + w * l7)));
  return s * (half_square + (even + odd)) + k * ln2_low - half_square + f + k * ln2_high;
}

}  // namespace
