// The kernels of panel_algebra.hpp, for all small sizes.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "numerics/panel_algebra.hpp"

namespace daedalus {

// The sizes are constants in most instances, and then nothing is left of the loops.
#define DAEDALUS_UNROLL _Pragma("GCC unroll 16")
// Of a lambda: where it is called twice, it would be a function otherwise.
#define DAEDALUS_INLINE __attribute__((always_inline))

// Width 0: not known before run time. `processor`: the same code, compiled for another one.
template <class Algebra, int Width, int Below, int processor>
struct SizedPanel {
  using Entry = typename Algebra::Entry;
  using Scalar = typename Algebra::Scalar;
  using Sum = typename Algebra::Sum;
  using Run = PanelRun<Algebra>;
  static constexpr bool fixed = Width > 0;
  static constexpr int width(const Run& run) { return fixed ? Width : run.width; }
  static constexpr int below(const Run& run) { return fixed ? Below : run.below; }
  static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }
  // Written before it is read.
  using Own = std::array<Scalar, fixed ? Width : widest_panel>;

  // So small that a call would be felt, and what is done between panels.
  static constexpr bool small = fixed && Width * (Width + Below) <= 12;

  // What belongs to one panel.
  struct One {
    Entry* panel;
    Scalar* own;
    Scalar* rhs;
    const int* rows;
    Entry* values;
    const int* target;
  };

  // Each panel, from the first to the last.
  [[gnu::always_inline]] static void ascend(const Run& run, auto&& see) {
    const int w = width(run);
    const int m = below(run);
    One one{.panel = run.panel,
            .own = run.own,
            .rhs = run.rhs,
            .rows = run.rows,
            .values = run.values,
            .target = run.target};
    if (small && run.period == 1) {
      for (int left = run.count; left > 0; --left) {
        see(one);
        one.panel += run.panel_step;
        one.own += w;
        one.rhs += run.row_step;
        one.values += run.target_step;
      }
      return;
    }
    for (int left = run.count; left > 0; left -= run.period) {
      for (int k = run.period; k > 0; --k) {
        see(one);
        one.panel += run.panel_step;
        one.own += w;
        one.rows += m;
        one.target += m * (m + 1) / 2;
      }
      one.rows = run.rows;
      one.target = run.target;
      one.rhs += run.row_step;
      one.values += run.target_step;
    }
  }

  // From the last to the first, without targets.
  [[gnu::always_inline]] static void descend(const Run& run, auto&& see) {
    const int w = width(run);
    const int m = below(run);
    One one{.panel = run.panel + (static_cast<std::ptrdiff_t>(run.count) * run.panel_step),
            .own = run.own + (static_cast<std::ptrdiff_t>(run.count) * w),
            .rhs = run.rhs + (static_cast<std::ptrdiff_t>(run.count / run.period) * run.row_step),
            .rows = nullptr,
            .values = nullptr,
            .target = nullptr};
    if (small && run.period == 1) {
      one.rows = run.rows;
      for (int left = run.count; left > 0; --left) {
        one.panel -= run.panel_step;
        one.own -= w;
        one.rhs -= run.row_step;
        see(one);
      }
      return;
    }
    for (int left = run.count; left > 0; left -= run.period) {
      one.rhs -= run.row_step;
      one.rows = run.rows + (static_cast<std::ptrdiff_t>(run.period) * m);
      for (int k = run.period; k > 0; --k) {
        one.panel -= run.panel_step;
        one.own -= w;
        one.rows -= m;
        see(one);
      }
    }
  }

  static void factor(const Run& run, Entry* scratch) {
    ascend(run, [&](const One& one)
                    DAEDALUS_INLINE { factor_one(run, one.panel, one.values, one.target, scratch); });
  }
  static void eliminate(const Run& run, Entry* scratch) {
    ascend(run, [&](const One& one) DAEDALUS_INLINE {
      if constexpr (small) {
        factor_here(run, one.panel, one.values, one.target, scratch);
      } else {
        factor_one(run, one.panel, one.values, one.target, scratch);
      }
      forward_one(run, one);
    });
  }
  static void forward(const Run& run, Entry* /*scratch*/) {
    ascend(run, [&](const One& one) DAEDALUS_INLINE { forward_one(run, one); });
  }
  static void backward(const Run& run, Entry* /*scratch*/) {
    descend(run, [&](const One& one) DAEDALUS_INLINE { backward_one(run, one); });
  }

  static void factor_one(const Run& run, Entry* panel, Entry* values, const int* target, Entry* scratch) {
    factor_here(run, panel, values, target, scratch);
  }

  [[gnu::always_inline]] static void factor_here(const Run& run, Entry* const panel, Entry* const values,
                                                 const int* target, Entry* const scratch) {
    const int w = width(run);
    const int h = w + below(run);
    // Written before it is read. NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
    std::array<Entry, fixed ? std::size_t{Width} * (Width + Below) : 1> copies;  // not packed
    Entry* const scaled = fixed ? copies.data() : scratch;
    DAEDALUS_UNROLL
    for (int j = 0; j < w; ++j) {
      const Scalar inverse = Algebra::inverse(Algebra::lower(panel[packed(j, j, h)]));
      panel[packed(j, j, h)] = Algebra::diagonal(inverse);
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
        Algebra::subtract(values[*target++], product);
      }
    }
  }

  [[gnu::always_inline]] static void forward_one(const Run& run, const One& one) {
    const int w = width(run);
    const int m = below(run);
    const int h = w + m;
    const Entry* const panel = one.panel;
    Own own;
    DAEDALUS_UNROLL
    for (int j = 0; j < w; ++j) own[at(j)] = one.own[j];
    DAEDALUS_UNROLL
    for (int r = 1; r < w; ++r) {
      Sum sum(own[at(r)]);
      DAEDALUS_UNROLL
      for (int j = 0; j < r; ++j) sum.subtract(Algebra::lower(panel[packed(j, r, h)]), own[at(j)]);
      own[at(r)] = sum.value();
    }
    DAEDALUS_UNROLL
    for (int j = 1; j < w; ++j) one.own[j] = own[at(j)];
    DAEDALUS_UNROLL
    for (int r = 0; r < m; ++r) {
      const Entry* entry = panel + w + r;
      Sum sum(Algebra::lower(*entry), own[0]);
      DAEDALUS_UNROLL
      for (int j = 1; j < w; ++j) {
        entry += h - j;  // packed(j, …) - packed(j - 1, …)
        sum.add(Algebra::lower(*entry), own[at(j)]);
      }
      one.rhs[one.rows[r]] -= sum.value();
    }
  }

  [[gnu::always_inline]] static void backward_one(const Run& run, const One& one) {
    const int w = width(run);
    const int m = below(run);
    const int h = w + m;
    const Entry* const panel = one.panel;
    Own own;
    // Of the rows below. Written before it is read. NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
    std::array<Scalar, fixed ? Below : 0> known;
    DAEDALUS_UNROLL
    for (int r = 0; fixed && r < m; ++r) known[at(r)] = one.rhs[one.rows[r]];
    DAEDALUS_UNROLL
    for (int j = w - 1; j >= 0; --j) {
      Sum sum(one.own[j] * Algebra::lower(panel[packed(j, j, h)]));
      DAEDALUS_UNROLL
      for (int r = 0; r < m; ++r)
        sum.subtract(Algebra::upper(panel[packed(j, w + r, h)]), fixed ? known[at(r)] : one.rhs[one.rows[r]]);
      DAEDALUS_UNROLL
      for (int r = j + 1; r < w; ++r) sum.subtract(Algebra::upper(panel[packed(j, r, h)]), own[at(r)]);
      own[at(j)] = sum.value();
    }
    DAEDALUS_UNROLL
    for (int j = 0; j < w; ++j) one.own[j] = own[at(j)];
  }

  static constexpr PanelKernels<Algebra> kernels{
      .factor = factor, .eliminate = eliminate, .forward = forward, .backward = backward};
};

#undef DAEDALUS_INLINE
#undef DAEDALUS_UNROLL

// All sizes up to `columns` by `rows`, but for those with very many operations.
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
    return {&of<(Size % columns) + 1, Size / columns>()...};
  }
  template <int width, int below>
  static constexpr const PanelKernels<Algebra>& of() {
    constexpr bool small = width * (width + below) <= 150;
    return SizedPanel < Algebra, small ? width : 0, small ? below : 0, processor > ::kernels;
  }
  static constexpr Table table = table_of(std::make_integer_sequence<int, sizes>{});
};

// With the rotations of their bodies, ball joints have up to 6 columns and 8 rows below, hinges up to 10 and
// 12.
template <int processor>
using LdlTable = PanelTable<SymmetricAlgebra, 10, 12, processor>;

}  // namespace daedalus
