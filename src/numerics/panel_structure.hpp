// An elimination without pivoting, in panels: which columns of L share their rows and are eliminated together
// (supernodes), where each entry lies, and what is subtracted where. Made once for a pattern; numbers are
// those of StaticLdl and StaticLu.
#pragma once

#include <span>
#include <vector>

#include "numerics/elimination.hpp"
#include "numerics/panel_algebra.hpp"

namespace daedalus {

struct PanelStructure {
  // Panels of one size in succession. A panel: the columns of L with the same rows below them, dense, column
  // by column, first the triangle of the columns themselves.
  struct Run {
    int count = 0;
    int width = 0;         // columns of each
    int below = 0;         // rows below them
    int first = 0;         // position of the first column
    int rows = 0;          // below the first panel, in `rows`
    int panel = 0;         // its first entry
    int products = 0;      // in `targets`
    bool constant = true;  // nothing that varies reaches them
  };
  struct Stretch {
    int begin = 0;
    int end = 0;
  };

  std::vector<int> order;     // row of the matrix by position
  std::vector<int> position;  // and back
  std::vector<Run> runs;
  std::vector<int> rows;         // by position, panel after panel
  std::vector<int> targets;      // entries from which products of the rows below are subtracted
  std::vector<int> diagonal;     // by row of the matrix: its entry
  std::vector<Stretch> used_up;  // panels that an elimination changes and that are not put in anew
  int entries = 0;               // of all panels
  int largest = 0;               // panel, not packed
  std::size_t nonzeros = 0;      // of L, below the diagonal
};

// An entry of the lower triangle, by positions.
struct LowerEntry {
  int row = 0;
  int column = 0;
};

// Where entries lie, for those who fill them in: asked while the structure is at hand, and not kept.
class PanelPlaces {
 public:
  // Fills in the structure for a lower triangle in an order. `varying`: which entries are another from one
  // elimination to the next; null: all. Within stretches panels change places, so that few runs are left.
  PanelPlaces(PanelStructure& structure, std::span<const int> order, const LowerPattern& lower,
              const std::vector<LowerEntry>* varying);
  // By the positions of the structure; which of the two is the row does not matter.
  [[nodiscard]] int of(int position, int other) const;

 private:
  struct Block {
    int first = 0;  // position
    int width = 0;
    int below = 0;
    int rows = 0;
    int panel = 0;
    bool leaf = true;         // no elimination before it reaches it
    bool constant = true;     // nor does anything that varies
    int anew = 0;             // entries that are put in for each elimination
    bool pivot_anew = false;  // the first of them all, which an elimination leaves as it is
    [[nodiscard]] int height() const { return width + below; }
    [[nodiscard]] int space() const { return packed_panel(width, height()); }
    // Each elimination finds in it what the first one did, once all is put in that is put in anew.
    [[nodiscard]] bool is_renewed() const {
      return anew == space() || (leaf && !pivot_anew && anew + 1 == space());
    }
  };
  void find_blocks(const FilledPattern& l);
  void find_kinds(const std::vector<LowerEntry>* varying);
  void rearrange();
  void find_owners();
  void list_runs();

  PanelStructure& structure_;
  std::vector<Block> blocks_;
  std::vector<int> owner_;  // by position: the block
};

// The panels of a structure in the memory of a factorisation, run by run.
template <class Algebra>
struct PanelPart {
  const PanelKernels<Algebra>* kernels = nullptr;
  PanelRun<Algebra> panels;
  bool constant = false;
};
template <class Algebra>
[[nodiscard]] std::vector<PanelPart<Algebra>> panel_parts(const PanelStructure& structure,
                                                          typename Algebra::Entry* values,
                                                          typename Algebra::Scalar* inverse,
                                                          typename Algebra::Scalar* rhs) {
  std::vector<PanelPart<Algebra>> parts;
  for (const PanelStructure::Run& run : structure.runs) {
    parts.push_back({.kernels = &panel_kernels<Algebra>(run.width, run.below),
                     .panels = {.count = run.count,
                                .width = run.width,
                                .below = run.below,
                                .panel = values + run.panel,
                                .inverse = inverse + run.first,
                                .own = rhs + run.first,
                                .rows = structure.rows.data() + run.rows,
                                .target = structure.targets.data() + run.products},
                     .constant = run.constant});
  }
  return parts;
}

}  // namespace daedalus
