#include "integrate/erk_sums.hpp"

#include <array>
#include <cstring>

#include "numerics/vectors.hpp"
#include "numerics/wide.hpp"

namespace daedalus {
namespace {

struct Work {
  std::span<const ErkTerm> terms;
  double h;
  double velocity;
  double share;     // of y
  const double* x;  // the positions
  const double* y;  // the states behind them, velocities first
  const double* k;
  double* out;           // of the states that belong to k
  double* position_out;  // and of their positions
};

template <class Vector>
constexpr std::size_t width_of = sizeof(Vector) / 8;  // in numbers

// By reference: how vectors are returned depends on the processor.
template <class Vector>
[[gnu::always_inline]] inline void load(const double* from, Vector& v) {
  std::memcpy(&v, from, sizeof v);
}

template <class Vector>
[[gnu::always_inline]] inline void store(const Vector& v, double* to) {
  std::memcpy(to, &v, sizeof v);
}

// States, `count` vectors at once, through all stages: nothing is written in between. With their positions
// if they are velocities.
template <class Vector, int count, bool velocities>
[[gnu::always_inline]] inline void sums(const Work& work, std::size_t i) {
  std::array<Vector, count> rest{};
  std::array<Vector, count> position{};
  for (const ErkTerm& term : work.terms) {
    for (std::size_t c = 0; c < count; ++c) {
      Vector k;
      load(work.k + term.at + i + c * width_of<Vector>, k);
      rest[c] += term.rest * k;
      if constexpr (velocities) position[c] += term.position * k;
    }
  }
  for (std::size_t c = 0; c < count; ++c, i += width_of<Vector>) {
    Vector y;
    load(work.y + i, y);
    store<Vector>(work.share * y + work.h * rest[c], work.out + i);
    if constexpr (velocities) {
      Vector x;
      load(work.x + i, x);
      store<Vector>(work.share * x + work.h * (work.velocity * y + work.h * position[c]),
                    work.position_out + i);
    }
  }
}

// m positions and their velocities, and what else there is of n states.
DAEDALUS_WIDE void sum_up(const Work& work, std::size_t m, std::size_t n) {
  std::size_t i = 0;
  for (; i + 16 <= m; i += 16) sums<Four, 4, true>(work, i);
  for (; i + 8 <= m; i += 8) sums<Four, 2, true>(work, i);
  for (; i + 4 <= m; i += 4) sums<Four, 1, true>(work, i);
  for (; i + 2 <= m; i += 2) sums<Two, 1, true>(work, i);
  for (; i < m; ++i) sums<double, 1, true>(work, i);
  for (; i + 16 <= n; i += 16) sums<Four, 4, false>(work, i);
  for (; i + 8 <= n; i += 8) sums<Four, 2, false>(work, i);
  for (; i + 4 <= n; i += 4) sums<Four, 1, false>(work, i);
  for (; i < n; ++i) sums<double, 1, false>(work, i);
}

}  // namespace

ErkSum::ErkSum(const ErkRow& row, const ErkTableau& tableau, const ErkSizes& sizes) : sizes_(sizes) {
  const ErkShares shares = shares_of(row, tableau);
  velocity_ = shares.velocity;
  for (std::size_t j = 0; j < tableau.a.size(); ++j) {
    const double position = sizes.positions > 0 ? shares.position[j] : 0;
    if (shares.rest[j] == 0 && position == 0) continue;
    terms_.push_back({.rest = shares.rest[j], .position = position, .at = j * sizes.stride()});
  }
}

void ErkSum::compute(const Point& point, double share, double* out) const {
  const std::size_t m = sizes_.positions;
  sum_up({.terms = terms_,
          .h = point.h,
          .velocity = velocity_,
          .share = share,
          .x = point.y,
          .y = point.y + m,
          .k = point.k,
          .out = out + m,
          .position_out = out},
         m, sizes_.slopes());
}

}  // namespace daedalus
