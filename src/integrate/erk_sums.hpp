// The sums of an explicit Runge–Kutta step, y + h Σ r_j k_j for the rows r of a tableau, for states of which
// the first m are positions: x' = v, the velocities being the next m. The slope of x at stage j is the
// velocity there, v + h Σ_l a_jl k_l with the slopes k of v, so
//
//     x + h Σ_j r_j (slope of x) = x + h (Σ_j r_j) v + h² Σ_l (r A)_l k_l
//
// and the slopes of x are neither computed nor kept: k has those of the other states only.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "integrate/erk_tableau.hpp"

namespace daedalus {

struct ErkSizes {
  static constexpr std::size_t small = 8;  // so many slopes, or fewer: always as far from stage to stage

  std::size_t states = 0;
  std::size_t positions = 0;
  [[nodiscard]] constexpr std::size_t slopes() const { return states - positions; }  // kept of each stage
  [[nodiscard]] constexpr std::size_t stride() const { return slopes() <= small ? small : slopes(); }
};

// What the stages have in a sum: Σ r_j, r_l and (r A)_l.
struct ErkShares {
  static constexpr std::size_t most = 16;  // stages

  double velocity = 0;
  std::array<double, most> rest{};
  std::array<double, most> position{};
};

// With the stages that the tableau has; the slope at the end has the row b.
[[nodiscard]] constexpr ErkShares shares_of(const ErkRow& row, const ErkTableau& tableau) {
  ErkShares shares;
  for (const ErkWeight& weight : row) {
    const auto j = static_cast<std::size_t>(weight.stage);
    shares.velocity += weight.value;
    shares.rest[j] += weight.value;
    for (const ErkWeight& inner : tableau.a[j])
      shares.position[static_cast<std::size_t>(inner.stage)] += weight.value * inner.value;
  }
  return shares;
}

// What a stage has in a sum.
struct ErkTerm {
  double rest;      // r_l
  double position;  // (r A)_l
  std::size_t at;   // of the stage in k
};

// A row of the tableau, for vectors of given sizes.
class ErkSum {
 public:
  ErkSum() = default;
  ErkSum(const ErkRow& row, const ErkTableau& tableau, const ErkSizes& sizes);

  struct Point {
    double h = 0;
    const double* y = nullptr;  // where the step begins
    const double* k = nullptr;  // the slopes, stage after stage
  };
  // out = y + h Σ r_j k_j
  void add(const Point& point, double* out) const { compute(point, 1, out); }
  // out = h Σ r_j k_j
  void combine(const Point& point, double* out) const { compute(point, 0, out); }

 private:
  void compute(const Point& point, double share, double* out) const;

  ErkSizes sizes_;
  double velocity_ = 0;  // Σ r_j
  std::vector<ErkTerm> terms_;
};

}  // namespace daedalus
