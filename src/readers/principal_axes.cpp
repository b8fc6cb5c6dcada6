#include "readers/principal_axes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace daedalus {
namespace {

// Against the largest moment: off the diagonal this is rounding.
constexpr double rounding = 1e-12;
constexpr int most_sweeps = 50;  // of Jacobi's method, which needs five or six

using Matrix = std::array<std::array<double, 3>, 3>;  // by rows

Matrix rows_of(const Mat3& a) {
  return {{{a.x.x, a.y.x, a.z.x}, {a.x.y, a.y.y, a.z.y}, {a.x.z, a.y.z, a.z.z}}};
}

double off_diagonal(const Matrix& a) {
  return std::max({std::abs(a[0][1]), std::abs(a[0][2]), std::abs(a[1][2])});
}

}  // namespace

Principal principal_axes(const Mat3& inertia) {
  Matrix a = rows_of(inertia);
  Matrix v{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const double size = std::max({a[0][0], a[1][1], a[2][2]});
  for (int sweep = 0; sweep < most_sweeps && off_diagonal(a) > rounding * size; ++sweep) {
    for (std::size_t p = 0; p < 2; ++p) {
      for (std::size_t q = p + 1; q < 3; ++q) {
        if (a[p][q] == 0) continue;
        const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (std::size_t k = 0; k < 3; ++k) {
          const double x = a[k][p], y = a[k][q];
          a[k][p] = c * x - s * y;
          a[k][q] = s * x + c * y;
        }
        for (std::size_t k = 0; k < 3; ++k) {
          const double x = a[p][k], y = a[q][k];
          a[p][k] = c * x - s * y;
          a[q][k] = s * x + c * y;
        }
        for (auto& row : v) {
          const double x = row[p], y = row[q];
          row[p] = c * x - s * y;
          row[q] = s * x + c * y;
        }
      }
    }
  }
  return {.axes = orthonormal(
              {{v[0][0], v[1][0], v[2][0]}, {v[0][1], v[1][1], v[2][1]}, {v[0][2], v[1][2], v[2][2]}}),
          .moments = {a[0][0], a[1][1], a[2][2]}};
}

}  // namespace daedalus
