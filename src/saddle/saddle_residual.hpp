// b - A z of a symmetric saddle system in numbers, A without its regularisation: for steps of refinement, and
// to tell whether a solution is one.
#pragma once

#include <span>
#include <vector>

#include "saddle/panel_system.hpp"

namespace daedalus {

// All vectors are by position in the order of the panels.
class SaddleResidual {
 public:
  explicit SaddleResidual(const PanelSystem& panels);

  // The matrix and b that the panels have loaded.
  void fetch(const PanelSystem& panels) { panels.fetch(values_, b_); }
  // Another b for the same matrix.
  void set_right_side(std::span<const double> b);

  [[nodiscard]] bool finite() const;
  // By constraint: the diagonal of G M⁻¹ Gᵀ with that of M in its place; the size is what matters.
  [[nodiscard]] std::vector<double> schur_diagonal() const;
  // b - A z.
  [[nodiscard]] std::span<const double> operator()(std::span<const double> z);
  // The largest |b - A z| against |A| |z| + |b|, row by row (Oettli and Prager). Accelerations or multipliers
  // that are nothing beside the others count as a small part of the largest.
  [[nodiscard]] double backward_error(std::span<const double> z);

 private:
  struct Diagonal {
    int place;  // in the pattern
    int row;
  };
  struct Coupling {
    int place;
    int row;
    int column;
  };
  int first_;
  std::vector<int> unknown_;  // by position
  std::vector<Diagonal> mass_diagonal_;
  std::vector<Coupling> couplings_;  // below or above the diagonal, each once
  std::vector<double> values_;       // on the pattern
  std::vector<double> b_, r_, row_size_;
};

}  // namespace daedalus
