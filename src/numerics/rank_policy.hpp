// clang-format off
// When constraints count as dependent: the one place for its tolerances.
//
// What is asked is the sine s of the angle between a gradient g and the span of others: 1 where it is at
// right angles to them, 0 where it follows from them. It is known by two kinds of numbers.
//
//   s   from the gradients themselves, orthogonalised: the rest of g against g (dependent_rows, Gram-Schmidt),
//       or the singular values of G with rows of length 1
//   s²  from S = G M⁻¹ Gᵀ, or G Gᵀ: a pivot of its elimination against the diagonal entry,
//
//           S_ii - Σ_k l_ik² d_k = s² S_ii       (s measured in the norm of M⁻¹),
//
//       or an eigenvalue of S with its diagonal scaled to 1
//
// All are relative to the row's own size, so that no unit matters. Rounding, ε = 2.2e-16, limits each:
//
//   s   An entry of G is a derivative as the model has it: some 100 operations, whose terms may cancel down to
//       a part in some thousands (levers of a metre at places kilometres away). What is left of a dependent
//       gradient is then up to 100 · 5000 ε = 1e-10 of it.                                       → `gradient`
//   s²  That noise squared is nothing. But each pivot is a difference, and what should be zero is the rounding
//       of the terms of S_ii: each of the two passes (S, its elimination) adds up some thousand terms, whose
//       roundings, not all alike, come to 5e4 ε = 1e-11 of S_ii.                                   → `square`
//
// So s² sees angles down to s = 3e-6 only. Between that and 1e-10 a gradient is independent by the first kind
// and dependent by the second: its multiplier is determined by the model, but not by an elimination in double
// precision, which must regularise it. Whoever decides which equations to leave out uses the first kind;
// whoever decides how to solve a system uses the second.
// clang-format on
#pragma once

namespace daedalus {

struct RankPolicy {
  static constexpr double gradient = 1e-10;  // s
  static constexpr double square = 1e-11;    // s²

  // δ against the diagonal of S where it only keeps a pivot from being zero: hundreds of roundings, and far
  // below `square`, so that it makes no dependent constraint look independent.
  static constexpr double not_zero = 1e-13;

  // s at a point of a run, of gradients that depend on each other where the constraints hold: there they hold
  // to the accuracy of a projection (the square root of ε) only.
  static constexpr double gradient_on_the_way = 1e-8;

  // s² along a run, against the largest that it has been: below, the rank is lost (a passage through a
  // singular point is a root of s, |t - t*| being 1e-3 of its width); above `regular` it has clearly come
  // back.
  static constexpr double lost = 1e-6;
  static constexpr double regular = 1e-4;

  // Of the matrix M itself, its smallest singular value or pivot against its largest: below, what is solved
  // with it has no more than three digits.
  static constexpr double mass = 1e-13;
};

}  // namespace daedalus
