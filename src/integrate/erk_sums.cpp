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

// Velocities and their positions, `count` vectors at once, through all stages: nothing is written in between.
template <class Vector, int count>
[[gnu::always_inline]] inline void both(const Work& work, std::size_t i) {
  std::array<Vector, count> rest{};
  std::array<Vector, count> position{};
  for (const ErkTerm& term : work.terms) {
    for (std::size_t c = 0; c < count; ++c) {
      Vector k;
      load(work.k + term.at + i + c * width_of<Vector>, k);
      rest[c] += term.rest * k;
      position[c] += term.position * k;
    }
  }
  for (std::size_t c = 0; c < count; ++c, i += width_of<Vector>) {
    Vector v;
    Vector x;
    load(work.y + i, v);
    load(work.x + i, x);
    store<Vector>(work.share * v + work.h * rest[c], work.out + i);
    store<Vector>(work.share * x + work.h * (work.velocity * v + work.h * position[c]),
                  work.position_out + i);
  }
}

template <class Vector, int count>
[[gnu::always_inline]] inline void single(const Work& work, std::size_t i) {
  std::array<Vector, count> rest{};
  for (const ErkTerm& term : work.terms) {
    for (std::size_t c = 0; c < count; ++c) {
      Vector k;
      load(work.k + term.at + i + c * width_of<Vector>, k);
      rest[c] += term.rest * k;
    }
  }
  for (std::size_t c = 0; c < count; ++c, i += width_of<Vector>) {
    Vector y;
    load(work.y + i, y);
    store<Vector>(work.share * y + work.h * rest[c], work.out + i);
  }
}

// m positions and their velocities, and what else there is of n states.
DAEDALUS_WIDE void sum_up(const Work& work, std::size_t m, std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= m; i += 8) both<Four, 2>(work, i);
  for (; i + 4 <= m; i += 4) both<Four, 1>(work, i);
  for (; i + 2 <= m; i += 2) both<Two, 1>(work, i);
  for (; i < m; ++i) both<double, 1>(work, i);
  for (; i + 8 <= n; i += 8) single<Four, 2>(work, i);
  for (; i + 4 <= n; i += 4) single<Four, 1>(work, i);
  for (; i < n; ++i) single<double, 1>(work, i);
}

}  // namespace

// (r A) with the stages that the tableau has; the slope at the end has the row b.
ErkSum::ErkSum(const ErkRow& row, const ErkTableau& tableau, const ErkSizes& sizes) : sizes_(sizes) {
  std::vector<double> rest(tableau.a.size(), 0);
  std::vector<double> position(tableau.a.size(), 0);
  for (const ErkWeight& weight : row) {
    const auto j = static_cast<std::size_t>(weight.stage);
    velocity_ += weight.value;
    rest[j] += weight.value;
    for (const ErkWeight& inner : tableau.a[j])
      position[static_cast<std::size_t>(inner.stage)] += weight.value * inner.value;
  }
  for (std::size_t j = 0; j < rest.size(); ++j) {
    const bool used = rest[j] != 0 || (sizes.positions > 0 && position[j] != 0);
    if (used) terms_.push_back({.rest = rest[j], .position = position[j], .at = j * sizes.slopes()});
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
