// The dense work of StaticLdl on panels: `width` columns of L and the `below` rows that they have in common,
// column by column, `width + below` high. Panels of mechanisms are small and there are thousands of them, so
// that loops of a few turns, each ending in a wrong guess of the processor, would be most of the time: the
// small sizes have code without loops, and what is called works on a run of panels of one size.
#pragma once

namespace daedalus {

constexpr int widest_panel = 32;  // columns; such a panel stays in the nearest cache

// Panels of one size, one after the other in all of these.
struct PanelRun {
  int count = 0;
  int width = 0;
  int below = 0;
  double* panel = nullptr;
  double* inverse = nullptr;  // 1/D of the columns
  double* own = nullptr;      // of the right-hand side: the rows of the columns
  const int* rows = nullptr;  // below, by position
  const int* target =
      nullptr;  // where in the values their products are subtracted, lower triangle by columns
};
struct PanelSpace {
  double* values;   // all panels
  double* rhs;      // the right-hand side, by position
  double* scratch;  // as large as the largest panel
};

struct PanelKernels {
  // L and 1/D of each panel's own columns (D stays on its diagonal); the products of the rows below are
  // subtracted from values[target]; and own := L⁻¹ own, with what follows from it for the rows below.
  void (*eliminate)(PanelRun run, const PanelSpace& space);
  // The last part alone.
  void (*forward)(PanelRun run, const PanelSpace& space);
  // own := L⁻ᵀ (D⁻¹ own), with what is known of the rows below; from the last panel to the first.
  void (*backward)(PanelRun run, const PanelSpace& space);
};

// Those for a size; they do not depend on anything else.
[[nodiscard]] const PanelKernels& panel_kernels(int width, int below);

}  // namespace daedalus
