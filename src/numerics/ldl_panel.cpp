#include "numerics/ldl_panel.hpp"

#include <array>
#include <cstddef>
#include <utility>

// The sizes are constants in most instances, and then nothing is left of the loops.
#define DAEDALUS_UNROLL _Pragma("GCC unroll 16")

namespace daedalus {
namespace {

constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

constexpr int most_columns = 6;
constexpr int most_rows = 8;

// 0: not known before run time.
template <int Width, int Below>
struct Panel {
  static constexpr bool fixed = Width > 0;
  static constexpr int width(const PanelRun& run) { return fixed ? Width : run.width; }
  static constexpr int below(const PanelRun& run) { return fixed ? Below : run.below; }
  // Written before it is read.
  using Own = std::array<double, fixed ? Width : widest_panel>;

  // From a panel to the next one, or to the one before it.
  static void move(PanelRun& run, int by) {
    const int w = width(run);
    const int m = below(run);
    run.panel += by * w * (w + m);
    run.inverse += by * w;
    run.own += by * w;
    run.rows += by * m;
    run.target += by * (m * (m + 1) / 2);
  }

  static void eliminate(PanelRun run, const PanelSpace& space) {
    for (int k = 0; k < run.count; ++k) {
      eliminate_one(run, space);
      move(run, 1);
    }
  }
  static void forward(PanelRun run, const PanelSpace& space) {
    for (int k = 0; k < run.count; ++k) {
      forward_one(run, space.rhs);
      move(run, 1);
    }
  }
  static void backward(PanelRun run, const PanelSpace& space) {
    move(run, run.count);
    for (int k = 0; k < run.count; ++k) {
      move(run, -1);
      backward_one(run, space.rhs);
    }
  }

  static void eliminate_one(const PanelRun& run, const PanelSpace& space) {
    const int w = width(run);
    const int h = w + below(run);
    double* const panel = run.panel;
    // Written before it is read. NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
    std::array<double, fixed ? std::size_t{Width} * (Width + Below) : 1> small;
    double* const scaled = fixed ? small.data() : space.scratch;
    DAEDALUS_UNROLL
    for (int j = 0; j < w; ++j) {
      const double inverse = 1 / panel[(j * h) + j];
      run.inverse[j] = inverse;
      DAEDALUS_UNROLL
      for (int r = j + 1; r < h; ++r) {
        scaled[(j * h) + r] = panel[(j * h) + r];
        panel[(j * h) + r] *= inverse;
      }
      DAEDALUS_UNROLL
      for (int k = j + 1; k < w; ++k) {
        const double factor = panel[(j * h) + k];
        DAEDALUS_UNROLL
        for (int r = k; r < h; ++r) panel[(k * h) + r] -= factor * scaled[(j * h) + r];
      }
    }
    const int* target = run.target;
    DAEDALUS_UNROLL
    for (int s = w; s < h; ++s) {
      DAEDALUS_UNROLL
      for (int r = s; r < h; ++r) {
        double product = panel[s] * scaled[r];
        DAEDALUS_UNROLL
        for (int j = 1; j < w; ++j) product += panel[(j * h) + s] * scaled[(j * h) + r];
        space.values[*target++] -= product;
      }
    }
    forward_one(run, space.rhs);
  }

  static void forward_one(const PanelRun& run, double* x) {
    const int w = width(run);
    const int m = below(run);
    const int h = w + m;
    const double* const panel = run.panel;
    Own own;
    DAEDALUS_UNROLL
    for (int j = 0; j < w; ++j) own[at(j)] = run.own[j];
    DAEDALUS_UNROLL
    for (int j = 0; j < w; ++j) {
      DAEDALUS_UNROLL
      for (int r = j + 1; r < w; ++r) own[at(r)] -= panel[(j * h) + r] * own[at(j)];
    }
    DAEDALUS_UNROLL
    for (int j = 1; j < w; ++j) run.own[j] = own[at(j)];
    DAEDALUS_UNROLL
    for (int r = 0; r < m; ++r) {
      double product = panel[w + r] * own[0];
      DAEDALUS_UNROLL
      for (int j = 1; j < w; ++j) product += panel[(j * h) + w + r] * own[at(j)];
      x[run.rows[r]] -= product;
    }
  }

  static void backward_one(const PanelRun& run, const double* x) {
    const int w = width(run);
    const int m = below(run);
    const int h = w + m;
    const double* const panel = run.panel;
    Own own;
    DAEDALUS_UNROLL
    for (int j = 0; j < w; ++j) own[at(j)] = run.own[j] * run.inverse[j];
    DAEDALUS_UNROLL
    for (int r = 0; r < m; ++r) {
      const double known = x[run.rows[r]];
      DAEDALUS_UNROLL
      for (int j = 0; j < w; ++j) own[at(j)] -= panel[(j * h) + w + r] * known;
    }
    DAEDALUS_UNROLL
    for (int j = w - 1; j >= 0; --j) {
      DAEDALUS_UNROLL
      for (int r = j + 1; r < w; ++r) own[at(j)] -= panel[(j * h) + r] * own[at(r)];
      run.own[j] = own[at(j)];
    }
  }

  static constexpr PanelKernels kernels{.eliminate = eliminate, .forward = forward, .backward = backward};
};

constexpr int sizes = most_columns * (most_rows + 1);

template <int... Size>
constexpr std::array<const PanelKernels*, sizes> table_of(std::integer_sequence<int, Size...>) {
  return {&Panel<(Size % most_columns) + 1, Size / most_columns>::kernels...};
}
constexpr auto table = table_of(std::make_integer_sequence<int, sizes>{});

}  // namespace

const PanelKernels& panel_kernels(int width, int below) {
  if (width > most_columns || below > most_rows) return Panel<0, 0>::kernels;
  return *table[static_cast<std::size_t>((below * most_columns) + width - 1)];
}

}  // namespace daedalus
