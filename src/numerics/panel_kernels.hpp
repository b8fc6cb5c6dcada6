// The kernels of panel_algebra.hpp, for all small sizes.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "numerics/panel_algebra.hpp"

namespace daedalus {

// The sizes are constants in most instances, and then nothing is left of the loops.
#define DAEDALUS_UNROLL _Pragma("GCC unroll 16")

// Width 0: not known before run time. `processor`: the same code, compiled for another one.
template <class Algebra, int Width, int Below, int processor>
struct SizedPanel {
  using Entry = typename Algebra::Entry;
  using Scalar = typename Algebra::Scalar;
  using Sum = typename Algebra::Sum;
  using Run = PanelRun<Algebra>;
  using Space = PanelSpace<Algebra>;
  static constexpr bool fixed = Width > 0;
  static constexpr int width(const Run& run) { return fixed ? Width : run.width; }
  static constexpr int below(const Run& run) { return fixed ? Below : run.below; }
  static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }
  // Written before it is read.
  using Own = std::array<Scalar, fixed ? Width : widest_panel>;

  // From a panel to the next one, or to the one before it.
  static void move(Run& run, int by) {
    const int w = width(run);
    const int m = below(run);
    run.panel += by * packed_panel(w, w + m);
    run.inverse += by * w;
    run.own += by * w;
    run.rows += by * m;
    run.target += by * (m * (m + 1) / 2);
  }

  // So small that a call would be felt.
  static constexpr bool small = fixed && Width * (Width + Below) <= 12;

  static void factor(Run run, const Space& space) {
    for (int k = 0; k < run.count; ++k) {
      factor_one(run, space);
      move(run, 1);
    }
  }
  static void eliminate(Run run, const Space& space) {
    for (int k = 0; k < run.count; ++k) {
      if constexpr (small) {
        factor_here(run, space);
      } else {
        factor_one(run, space);
      }
      forward_one(run, space.rhs);
      move(run, 1);
    }
  }
  static void forward(Run run, const Space& space) {
    for (int k = 0; k < run.count; ++k) {
      forward_one(run, space.rhs);
      move(run, 1);
    }
  }
  static void backward(Run run, const Space& space) {
    move(run, run.count);
    for (int k = 0; k < run.count; ++k) {
      move(run, -1);
      backward_one(run, space.rhs);
    }
  }

  static void factor_one(const Run& run, const Space& space) { factor_here(run, space); }

  [[gnu::always_inline]] static void factor_here(const Run& run, const Space& space) {
    const int w = width(run);
    const int h = w + below(run);
    Entry* const panel = run.panel;
    // Written before it is read. NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
    std::array<Entry, fixed ? std::size_t{Width} * (Width + Below) : 1> copies;  // not packed
    Entry* const scaled = fixed ? copies.data() : space.scratch;
    DAEDALUS_UNROLL
    for (int j = 0; j < w; ++j) {
      const Scalar inverse = Algebra::inverse(Algebra::lower(panel[packed(j, j, h)]));
      run.inverse[j] = inverse;
      DAEDALUS_UNROLL
      for (int r = j + 1; r < h; ++r) {
        scaled[(j * h) + r] = panel[packed(j, r, h)];
        panel[packed(j, r, h)] = Algebra::scale(panel[packed(j, r, h)], inverse);
      }
      DAEDALUS_UNROLL
      for (int k = j + 1; k < w; ++k) {
        const Entry factor = Algebra::mirror(panel[packed(j, k, h)]);
        DAEDALUS_UNROLL
        for (int r = k; r < h; ++r)
          Algebra::subtract(panel[packed(k, r, h)], Algebra::times(factor, scaled[(j * h) + r]));
      }
    }
    const int* target = run.target;
    DAEDALUS_UNROLL
    for (int s = w; s < h; ++s) {
      // Row s, written before it is read. NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
      std::array<Entry, fixed ? Width : widest_panel> line;
      DAEDALUS_UNROLL
      for (int j = 0; j < w; ++j) line[at(j)] = Algebra::mirror(panel[packed(j, s, h)]);
      DAEDALUS_UNROLL
      for (int r = s; r < h; ++r) {
        Entry product = Algebra::times(line[0], scaled[r]);
        DAEDALUS_UNROLL
        for (int j = 1; j < w; ++j) Algebra::add(product, Algebra::times(line[at(j)], scaled[(j * h) + r]));
        Algebra::subtract(space.values[*target++], product);
      }
    }
  }

  static void forward_one(const Run& run, Scalar* x) {
    const int w = width(run);
    const int m = below(run);
    const int h = w + m;
    const Entry* const panel = run.panel;
    Own own;
    DAEDALUS_UNROLL
    for (int j = 0; j < w; ++j) own[at(j)] = run.own[j];
    DAEDALUS_UNROLL
    for (int r = 1; r < w; ++r) {
      Sum sum(own[at(r)]);
      DAEDALUS_UNROLL
      for (int j = 0; j < r; ++j) sum.subtract(Algebra::lower(panel[packed(j, r, h)]), own[at(j)]);
      own[at(r)] = sum.value();
    }
    DAEDALUS_UNROLL
    for (int j = 1; j < w; ++j) run.own[j] = own[at(j)];
    DAEDALUS_UNROLL
    for (int r = 0; r < m; ++r) {
      const Entry* entry = panel + w + r;
      Sum sum(Algebra::lower(*entry), own[0]);
      DAEDALUS_UNROLL
      for (int j = 1; j < w; ++j) {
        entry += h - j;  // packed(j, …) - packed(j - 1, …)
        sum.add(Algebra::lower(*entry), own[at(j)]);
      }
      x[run.rows[r]] -= sum.value();
    }
  }

  static void backward_one(const Run& run, const Scalar* x) {
    const int w = width(run);
    const int m = below(run);
    const int h = w + m;
    const Entry* const panel = run.panel;
    Own own;
    DAEDALUS_UNROLL
    for (int j = w - 1; j >= 0; --j) {
      Sum sum(run.own[j] * run.inverse[j]);
      DAEDALUS_UNROLL
      for (int r = 0; r < m; ++r) sum.subtract(Algebra::upper(panel[packed(j, w + r, h)]), x[run.rows[r]]);
      DAEDALUS_UNROLL
      for (int r = j + 1; r < w; ++r) sum.subtract(Algebra::upper(panel[packed(j, r, h)]), own[at(r)]);
      own[at(j)] = sum.value();
      run.own[j] = own[at(j)];
    }
  }

  static constexpr PanelKernels<Algebra> kernels{
      .factor = factor, .eliminate = eliminate, .forward = forward, .backward = backward};
};

#undef DAEDALUS_UNROLL

// All sizes up to `columns` by `rows`.
template <class Algebra, int columns, int rows, int processor = 0>
class PanelTable {
 public:
  [[nodiscard]] static const PanelKernels<Algebra>& kernels(int width, int below) {
    if (width > columns || below > rows) return SizedPanel<Algebra, 0, 0, processor>::kernels;
    return *table[static_cast<std::size_t>((below * columns) + width - 1)];
  }

 private:
  static constexpr int sizes = columns * (rows + 1);
  using Table = std::array<const PanelKernels<Algebra>*, sizes>;
  template <int... Size>
  static constexpr Table table_of(std::integer_sequence<int, Size...> /*sizes*/) {
    return {&SizedPanel<Algebra, (Size % columns) + 1, Size / columns, processor>::kernels...};
  }
  static constexpr Table table = table_of(std::make_integer_sequence<int, sizes>{});
};

}  // namespace daedalus
