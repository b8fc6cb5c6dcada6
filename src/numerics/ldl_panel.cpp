#include "numerics/ldl_panel.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

// The sizes are constants in most instances, and then nothing is left of the loops.
#define DAEDALUS_UNROLL _Pragma("GCC unroll 16")

namespace daedalus {
namespace {

constexpr int most_columns = 6;
constexpr int most_rows = 8;

// 0: not known before run time.
template <int Width, int Below>
struct Panel {
  static constexpr bool fixed = Width > 0;
  static constexpr int width(PanelSize size) { return fixed ? Width : size.width; }
  static constexpr int below(PanelSize size) { return fixed ? Below : size.below; }

  static bool eliminate(PanelSize size, double* values, double* panel, PanelPivots pivots,
                        const int* target) {
    const int w = width(size);
    const int h = w + below(size);
    // Written before it is read. NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
    std::array<double, fixed ? std::size_t{Width} * (Width + Below) : 1> small;
    double* scaled = fixed ? small.data() : pivots.scaled;
    DAEDALUS_UNROLL
    for (int j = 0; j < w; ++j) {
      const double pivot = panel[(j * h) + j];
      const double inverse = 1 / pivot;
      if (pivot == 0 || !std::isfinite(pivot)) return false;
      pivots.d[j] = pivot;
      pivots.inverse[j] = inverse;
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
    DAEDALUS_UNROLL
    for (int s = w; s < h; ++s) {
      DAEDALUS_UNROLL
      for (int r = s; r < h; ++r) {
        double product = 0;
        DAEDALUS_UNROLL
        for (int j = 0; j < w; ++j) product += panel[(j * h) + s] * scaled[(j * h) + r];
        values[*target++] -= product;
      }
    }
    return true;
  }

  static void forward(PanelSize size, const double* panel, double* own, const int* rows, double* x) {
    const int w = width(size);
    const int m = below(size);
    const int h = w + m;
    DAEDALUS_UNROLL
    for (int j = 0; j < w; ++j) {
      DAEDALUS_UNROLL
      for (int r = j + 1; r < w; ++r) own[r] -= panel[(j * h) + r] * own[j];
    }
    DAEDALUS_UNROLL
    for (int r = 0; r < m; ++r) {
      double product = 0;
      DAEDALUS_UNROLL
      for (int j = 0; j < w; ++j) product += panel[(j * h) + w + r] * own[j];
      x[rows[r]] -= product;
    }
  }

  static void backward(PanelSize size, const double* panel, const double* inverse, double* own,
                       const int* rows, const double* x) {
    const int w = width(size);
    const int m = below(size);
    const int h = w + m;
    DAEDALUS_UNROLL
    for (int j = 0; j < w; ++j) own[j] *= inverse[j];
    DAEDALUS_UNROLL
    for (int r = 0; r < m; ++r) {
      const double known = x[rows[r]];
      DAEDALUS_UNROLL
      for (int j = 0; j < w; ++j) own[j] -= panel[(j * h) + w + r] * known;
    }
    DAEDALUS_UNROLL
    for (int j = w - 1; j >= 0; --j) {
      DAEDALUS_UNROLL
      for (int r = j + 1; r < w; ++r) own[j] -= panel[(j * h) + r] * own[r];
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
