// The dense work of StaticLdl on one panel: `width` columns of L and the `below` rows that they have in
// common, column by column, `width + below` high. Panels of mechanisms are small and there are thousands of
// them, so that loops of a few turns, each ending in a wrong guess of the processor, would be most of the
// time: the small sizes have code without loops.
#pragma once

namespace daedalus {

struct PanelSize {
  int width;
  int below;
};
struct PanelPivots {
  double* d;
  double* inverse;
  double* scaled;  // scratch space for a panel
};

struct PanelKernels {
  // L and D of the panel's own columns; then the products of the rows below are subtracted from
  // values[target[k]], row by row of the lower triangle's columns. False: a pivot is zero or not finite.
  bool (*eliminate)(PanelSize size, double* values, double* panel, PanelPivots pivots, const int* target);
  // own := L⁻¹ own, and what follows from it for the rows below.
  void (*forward)(PanelSize size, const double* panel, double* own, const int* rows, double* x);
  // own := L⁻ᵀ (D⁻¹ own), with what is known of the rows below.
  void (*backward)(PanelSize size, const double* panel, const double* inverse, double* own, const int* rows,
                   const double* x);
};

// Those for a size; they do not depend on anything else.
[[nodiscard]] const PanelKernels& panel_kernels(int width, int below);

}  // namespace daedalus
