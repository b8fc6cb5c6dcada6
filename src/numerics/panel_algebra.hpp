// The dense work of an elimination on panels: `width` columns of L and the `below` rows that they have in
// common, column by column, each from its diagonal on. Panels of mechanisms are small and there are thousands
// of them, so that loops of a few turns, each ending in a wrong guess of the processor, would be most of the
// time: the small sizes have code without loops, and what is called works on a run of panels of one size.
//
// What an entry is, an Algebra says: one number of a symmetric matrix, A = L D Lᵀ, or the two that mirror
// each other, A = L D W. Both are eliminated alike.
#pragma once

#include <cassert>
#include <cstddef>

#include "numerics/vectors.hpp"

namespace daedalus {

constexpr int widest_panel = 32;  // columns; such a panel stays in the nearest cache

// A column of a panel of a given height begins at its diagonal: where row r of column j lies, and how much
// all columns take.
constexpr int packed(int j, int r, int height) {
  return (j * height) - (j * (j + 1) / 2) + r;
}
constexpr int packed_panel(int width, int height) {
  return (width * height) - (width * (width - 1) / 2);
}

// Panels of one size, one after the other. In mechanisms the lists of rows and targets repeat themselves from
// body to body: those of `period` panels are kept, and from then on they are the same, moved on by steps.
// (All panels are one period where nothing repeats itself; there are always whole periods.)
template <class Algebra>
struct PanelRun {
  int count = 0;
  int width = 0;
  int below = 0;
  int period = 0;
  int panel_step = 0;   // from a panel to the next; 0: they are equal, and one is kept
  int row_step = 0;     // from a period to the next: of rows
  int target_step = 0;  // and of targets
  typename Algebra::Entry* panel = nullptr;
  typename Algebra::Scalar* own = nullptr;    // of the right-hand side: the rows of the columns
  typename Algebra::Scalar* rhs = nullptr;    // what rows are counted from
  typename Algebra::Entry* values = nullptr;  // what targets are counted from
  const int* rows = nullptr;                  // below, by position
  const int* target = nullptr;  // from what their products are subtracted, lower triangle by columns
};

// The panels from `begin` to `end` of a run; where it has several periods, both are whole ones.
template <class Algebra>
[[nodiscard]] PanelRun<Algebra> slice(PanelRun<Algebra> run, int begin, int end) {
  const int products = run.below * (run.below + 1) / 2;
  run.panel += static_cast<std::ptrdiff_t>(begin) * run.panel_step;
  run.own += static_cast<std::ptrdiff_t>(begin) * run.width;
  if (run.period == run.count) {
    run.period = end - begin;
    run.rows += static_cast<std::ptrdiff_t>(begin) * run.below;
    run.target += static_cast<std::ptrdiff_t>(begin) * products;
  } else {
    assert(begin % run.period == 0 && end % run.period == 0);
    run.rhs += static_cast<std::ptrdiff_t>(begin / run.period) * run.row_step;
    run.values += static_cast<std::ptrdiff_t>(begin / run.period) * run.target_step;
  }
  run.count = end - begin;
  return run;
}

template <class Algebra>
struct PanelKernels {
  // `scratch`: as large as the largest panel.
  using Part = void (*)(const PanelRun<Algebra>& run, typename Algebra::Entry* scratch);
  // L (and W) of each panel's own columns, 1/D on its diagonal; the products of the rows below are subtracted
  // from their targets.
  Part factor;
  // The same, and forward().
  Part eliminate;
  // own := L⁻¹ own, with what follows from it for the rows below.
  Part forward;
  // own := W⁻¹ (D⁻¹ own), with what is known of the rows below; from the last panel to the first.
  Part backward;
};

// Those for a size; they do not depend on anything else.
template <class Algebra>
[[nodiscard]] const PanelKernels<Algebra>& panel_kernels(int width, int below);

// Sums of products, one after the other.
class RealSum {
 public:
  explicit RealSum(double first) : value_(first) {}
  RealSum(double a, double b) : value_(a * b) {}
  void add(double a, double b) { value_ += a * b; }
  void subtract(double a, double b) { value_ -= a * b; }
  [[nodiscard]] double value() const { return value_; }

 private:
  double value_;
};

// A = L D Lᵀ.
struct SymmetricAlgebra {
  using Sum = RealSum;
  using Scalar = double;
  using Entry = double;
  static Scalar inverse(Scalar pivot) { return 1 / pivot; }
  static Entry diagonal(Scalar s) { return s; }
  static Scalar lower(Entry e) { return e; }
  static Scalar upper(Entry e) { return e; }
  static Entry mirror(Entry e) { return e; }
  static Entry scale(Entry e, Scalar s) { return e * s; }
  static Entry times(Entry a, Entry b) { return a * b; }
  static void add(Entry& to, Entry e) { to += e; }
  static void subtract(Entry& from, Entry e) { from -= e; }
};

// A = L D W: an entry of L (first) and the one of W at the mirrored place.
struct RealPairAlgebra {
  using Sum = RealSum;
  using Scalar = double;
  using Entry = Two;
  static Scalar inverse(Scalar pivot) { return 1 / pivot; }
  static Entry diagonal(Scalar s) { return Entry{s, s}; }
  static Scalar lower(const Entry& e) { return e[0]; }
  static Scalar upper(const Entry& e) { return e[1]; }
  static Entry mirror(const Entry& e) { return __builtin_shufflevector(e, e, 1, 0); }
  static Entry scale(const Entry& e, Scalar s) { return e * s; }
  static Entry times(const Entry& a, const Entry& b) { return a * b; }
  static void add(Entry& to, const Entry& e) { to += e; }
  static void subtract(Entry& from, const Entry& e) { from -= e; }
};

// Products and quotients of complex numbers as formulas have them; those of std::complex look for infinities
// first.
struct Complex {
  Two value;  // real, imaginary
  // Times i.
  [[nodiscard]] Complex turned() const { return {__builtin_shufflevector(value, value, 1, 0) * Two{-1, 1}}; }
  Complex& operator-=(const Complex& other) {
    value -= other.value;
    return *this;
  }
  friend Complex operator*(const Complex& a, const Complex& b) {
    return {a.value[0] * b.value + a.value[1] * b.turned().value};
  }
};

// The parts with real and with imaginary first factors are turned into one at the end.
class ComplexSum {
 public:
  explicit ComplexSum(const Complex& first) : real_(first.value), imaginary_{0, 0} {}
  ComplexSum(const Complex& a, const Complex& b)
      : real_(a.value[0] * b.value), imaginary_(a.value[1] * b.value) {}
  void add(const Complex& a, const Complex& b) {
    real_ += a.value[0] * b.value;
    imaginary_ += a.value[1] * b.value;
  }
  void subtract(const Complex& a, const Complex& b) {
    real_ -= a.value[0] * b.value;
    imaginary_ -= a.value[1] * b.value;
  }
  [[nodiscard]] Complex value() const { return {real_ + Complex{imaginary_}.turned().value}; }

 private:
  Two real_, imaginary_;
};

struct ComplexPairAlgebra {
  using Sum = ComplexSum;
  using Scalar = Complex;
  struct Entry {
    Two real;
    Two imaginary;
  };
  static Scalar inverse(const Scalar& pivot) {
    const double square = pivot.value[0] * pivot.value[0] + pivot.value[1] * pivot.value[1];
    return {Two{pivot.value[0], -pivot.value[1]} / square};
  }
  static Entry diagonal(const Scalar& s) {
    return {.real = Two{s.value[0], s.value[0]}, .imaginary = Two{s.value[1], s.value[1]}};
  }
  static Scalar lower(const Entry& e) { return {Two{e.real[0], e.imaginary[0]}}; }
  static Scalar upper(const Entry& e) { return {Two{e.real[1], e.imaginary[1]}}; }
  static Entry mirror(const Entry& e) {
    return {.real = __builtin_shufflevector(e.real, e.real, 1, 0),
            .imaginary = __builtin_shufflevector(e.imaginary, e.imaginary, 1, 0)};
  }
  static Entry scale(const Entry& e, const Scalar& s) {
    return {.real = e.real * s.value[0] - e.imaginary * s.value[1],
            .imaginary = e.real * s.value[1] + e.imaginary * s.value[0]};
  }
  static Entry times(const Entry& a, const Entry& b) {
    return {.real = a.real * b.real - a.imaginary * b.imaginary,
            .imaginary = a.real * b.imaginary + a.imaginary * b.real};
  }
  static void add(Entry& to, const Entry& e) {
    to.real += e.real;
    to.imaginary += e.imaginary;
  }
  static void subtract(Entry& from, const Entry& e) {
    from.real -= e.real;
    from.imaginary -= e.imaginary;
  }
};

// Those for processors with AVX2.
[[nodiscard]] const PanelKernels<SymmetricAlgebra>& wide_ldl_kernels(int width, int below);

// Each defined in a file of its own: they are large.
template <>
[[nodiscard]] const PanelKernels<SymmetricAlgebra>& panel_kernels<SymmetricAlgebra>(int width, int below);
template <>
[[nodiscard]] const PanelKernels<RealPairAlgebra>& panel_kernels<RealPairAlgebra>(int width, int below);
template <>
[[nodiscard]] const PanelKernels<ComplexPairAlgebra>& panel_kernels<ComplexPairAlgebra>(int width, int below);

}  // namespace daedalus
