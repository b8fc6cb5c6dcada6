// The sums of an explicit Runge–Kutta step (erk_sums.hpp) for few states, written out by the compiler: the
// tableau is known to it, so that weights are constants, zeros are gone and nothing is looked up. For the
// same slopes the results are those of ErkSum, to the last bit.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include "integrate/erk_sums.hpp"
#include "integrate/erk_tableau.hpp"
#include "integrate/ode_system.hpp"
#include "numerics/vectors.hpp"
#include "numerics/wide.hpp"

namespace daedalus {

// A step from (t, y), y being n positions and their n velocities: k has the slope of the velocities there in
// its first stage, and those of the other stages are put behind it, each where ErkSizes::stride() says.
struct SmallStep {
  double t = 0;
  double h = 0;
  const double* y = nullptr;
  double* k = nullptr;
  std::size_t n = 0;
};

// One object a tableau.
struct ErkSmallCode {
  // The slopes of the stages before the end, the argument of the last of them, and the end. False: a slope is
  // not finite.
  bool (*stages)(const SmallStep& step, const DirectRates& rates, double* argument, double* y_end);
  // The tableau's error estimates; `coarse` only where it has one.
  void (*errors)(const SmallStep& step, double* error, double* coarse);
  // The argument of a stage for dense output alone, and once these are known r_4, …, one after the other;
  // null where the tableau has no such stages.
  void (*dense_argument)(const SmallStep& step, int stage, double* argument) = nullptr;
  void (*dense)(const SmallStep& step, double* r) = nullptr;
};

[[nodiscard]] constexpr ErkTableau with_small(ErkTableau tableau, const ErkSmallCode* code) {
  tableau.small = code;
  return tableau;
}

// Of n positions.
template <const ErkTableau& tableau, std::size_t n>
class ErkSmall {
 public:
  // The step by value: nobody else can change it then.
  [[gnu::always_inline]] static bool stages(SmallStep step, DirectRates rates, double* argument,
                                            double* y_end) {
    all_stages(step, rates, std::make_index_sequence<tableau.stages - 1>());
    copy_few(rates.y, n, argument);
    copy_few(rates.y + n, n, argument + n);
    sum<kEnd, true>(step, y_end);
    return finite(step);
  }

  [[gnu::always_inline]] static void errors(SmallStep step, double* error, double* coarse) {
    sum<kError, false>(step, error);
    if constexpr (!tableau.coarse_error.empty()) sum<kCoarseError, false>(step, coarse);
  }

  [[gnu::always_inline]] static void dense_argument(SmallStep step, int stage, double* argument) {
    dense_argument(step, static_cast<std::size_t>(stage), argument,
                   std::make_index_sequence<tableau.a.size() - tableau.stages - 1>());
  }
  [[gnu::always_inline]] static void dense(SmallStep step, double* r) {
    dense(step, r, std::make_index_sequence<tableau.dense.size()>());
  }

 private:
  template <std::size_t... extra>
  [[gnu::always_inline]] static void dense_argument(const SmallStep& step, std::size_t stage,
                                                    double* argument,
                                                    std::index_sequence<extra...> /*stages*/) {
    ((stage == tableau.stages + 1 + extra ? sum<kStage<tableau.stages + 1 + extra>, true>(step, argument)
                                          : void()),
     ...);
  }
  template <std::size_t... row>
  [[gnu::always_inline]] static void dense(const SmallStep& step, double* r,
                                           std::index_sequence<row...> /*rows*/) {
    (sum<kDense<row>, false>(step, r + 2 * n * row), ...);
  }

  template <std::size_t row>
  static constexpr ErkShares kDense = shares_of(tableau.dense[row], tableau);
  template <std::size_t stage>
  static constexpr ErkShares kStage = shares_of(tableau.a[stage], tableau);
  static constexpr ErkShares kEnd = shares_of(tableau.b, tableau);
  static constexpr ErkShares kError = shares_of(tableau.error, tableau);
  static constexpr ErkShares kCoarseError = shares_of(tableau.coarse_error, tableau);

  template <std::size_t... before>
  [[gnu::always_inline]] static void all_stages(const SmallStep& step, const DirectRates& rates,
                                                std::index_sequence<before...> /*stages*/) {
    (one_stage<before + 1>(step, rates), ...);
  }

  template <std::size_t stage>
  [[gnu::always_inline]] static void one_stage(const SmallStep& step, const DirectRates& rates) {
    sum<kStage<stage>, true>(step, rates.y);
    *rates.t = step.t + tableau.c[stage] * step.h;
    rates(step.k + stage * ErkSizes::small);
  }

  [[gnu::always_inline]] static bool finite(const SmallStep& step) {
    Two sum{};
    for (std::size_t stage = 1; stage < tableau.stages; ++stage) {
      for (std::size_t i = 0; i < n; i += 2) {  // what is behind the last one is zero
        Two slope;
        load(step.k + stage * ErkSizes::small + i, slope);
        sum += slope * 0.0;
      }
    }
    return sum[0] + sum[1] == 0;
  }

  // add: y + h Σ r_j k_j, otherwise h Σ r_j k_j.
  template <const ErkShares& shares, bool add>
  [[gnu::always_inline]] static void sum(const SmallStep& step, double* out) {
    for (std::size_t i = 0; i + 2 <= n; i += 2) sum_of<Two, Four, shares, add>(step, i, out);
    if constexpr (n % 2 == 1) sum_of<double, Two, shares, add>(step, n - 1, out);
  }

  // By reference: how vectors are returned depends on the processor.
  template <class Vector>
  [[gnu::always_inline]] static void load(const double* from, Vector& v) {
    std::memcpy(&v, from, sizeof v);
  }
  template <class Vector>
  [[gnu::always_inline]] static void store(const Vector& v, double* to) {
    std::memcpy(to, &v, sizeof v);
  }
  [[gnu::always_inline]] static void twice(const double& k, Two& both) { both = Two{k, k}; }
  [[gnu::always_inline]] static void twice(const Two& k, Four& both) {
    both = __builtin_shufflevector(k, k, 0, 1, 0, 1);
  }
  [[gnu::always_inline]] static void weigh(double rest, double position, Two& both) {
    both = Two{rest, position};
  }
  [[gnu::always_inline]] static void weigh(double rest, double position, Four& both) {
    both = Four{rest, rest, position, position};
  }
  [[gnu::always_inline]] static void halves(const Two& both, double& rest, double& position) {
    rest = both[0];
    position = both[1];
  }
  [[gnu::always_inline]] static void halves(const Four& both, Two& rest, Two& position) {
    rest = __builtin_shufflevector(both, both, 0, 1);
    position = __builtin_shufflevector(both, both, 2, 3);
  }

  // Velocities and positions side by side: the term of a stage, if there is one.
  template <const ErkShares& shares, std::size_t stage, class Vector, class Both>
  [[gnu::always_inline]] static void add_stage(const double* k, Both& sum, bool& first) {
    if constexpr (shares.rest[stage] != 0 || shares.position[stage] != 0) {
      Vector slope;
      Both both;
      Both weight;
      load(k + stage * ErkSizes::small, slope);
      twice(slope, both);
      weigh(shares.rest[stage], shares.position[stage], weight);
      sum = first ? weight * both : sum + weight * both;
      first = false;
    }
  }
  template <const ErkShares& shares, class Vector, class Both, std::size_t... stage>
  [[gnu::always_inline]] static void add_all(const double* k, Both& sum,
                                             std::index_sequence<stage...> /*stages*/) {
    bool first = true;
    (add_stage<shares, stage, Vector, Both>(k, sum, first), ...);
  }

  template <class Vector, class Both, const ErkShares& shares, bool add>
  [[gnu::always_inline]] static void sum_of(const SmallStep& step, std::size_t i, double* out) {
    Both sum{};
    add_all<shares, Vector>(step.k + i, sum, std::make_index_sequence<tableau.a.size()>());
    Vector rest;
    Vector position;
    halves(sum, rest, position);
    Vector v;
    load(step.y + n + i, v);
    rest = step.h * rest;
    position = step.h * (shares.velocity * v + step.h * position);
    if constexpr (add) {
      Vector x;
      load(step.y + i, x);
      rest = v + rest;
      position = x + position;
    }
    store<Vector>(position, out + i);
    store<Vector>(rest, out + n + i);
  }
};

// The code for all sizes; instances are functions compiled for the processor (DAEDALUS_WIDE) that call these.
template <const ErkTableau& tableau>
class ErkSmallSizes {
 public:
  [[gnu::always_inline]] static bool stages(const SmallStep& step, const DirectRates& rates, double* argument,
                                            double* y_end) {
    return stages(step, rates, argument, y_end, std::make_index_sequence<ErkSizes::small>());
  }
  [[gnu::always_inline]] static void errors(const SmallStep& step, double* error, double* coarse) {
    errors(step, error, coarse, std::make_index_sequence<ErkSizes::small>());
  }
  [[gnu::always_inline]] static void dense_argument(const SmallStep& step, int stage, double* argument) {
    dense_argument(step, stage, argument, std::make_index_sequence<ErkSizes::small>());
  }
  [[gnu::always_inline]] static void dense(const SmallStep& step, double* r) {
    dense(step, r, std::make_index_sequence<ErkSizes::small>());
  }

 private:
  template <std::size_t... k>
  [[gnu::always_inline]] static bool stages(const SmallStep& step, const DirectRates& rates, double* argument,
                                            double* y_end, std::index_sequence<k...> /*sizes*/) {
    bool finite = false;
    (void)((step.n == k + 1 &&
            (finite = ErkSmall<tableau, k + 1>::stages(step, rates, argument, y_end), true)) ||
           ...);
    return finite;
  }
  template <std::size_t... k>
  [[gnu::always_inline]] static void dense_argument(const SmallStep& step, int stage, double* argument,
                                                    std::index_sequence<k...> /*sizes*/) {
    (void)((step.n == k + 1 && (ErkSmall<tableau, k + 1>::dense_argument(step, stage, argument), true)) ||
           ...);
  }
  template <std::size_t... k>
  [[gnu::always_inline]] static void dense(const SmallStep& step, double* r,
                                           std::index_sequence<k...> /*sizes*/) {
    (void)((step.n == k + 1 && (ErkSmall<tableau, k + 1>::dense(step, r), true)) || ...);
  }
  template <std::size_t... k>
  [[gnu::always_inline]] static void errors(const SmallStep& step, double* error, double* coarse,
                                            std::index_sequence<k...> /*sizes*/) {
    (void)((step.n == k + 1 && (ErkSmall<tableau, k + 1>::errors(step, error, coarse), true)) || ...);
  }
};

}  // namespace daedalus
