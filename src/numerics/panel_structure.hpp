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
    int panel = 0;         // the first entry
    bool constant = true;  // nothing that varies reaches them
    int period = 0;        // so many panels have lists; those of the others are the same, moved on (PanelRun)
    int row_step = 0;
    int target_step = 0;
    int rows = 0;     // the first list, in `rows`
    int targets = 0;  // and in `targets`
  };
  struct Stretch {
    int begin = 0;
    int end = 0;
  };

  std::vector<int> order;     // row of the matrix by position
  std::vector<int> position;  // and back
  std::vector<Run> runs;
  std::vector<int> rows;         // below a panel, by position
  std::vector<int> targets;      // entries from which products of these rows are subtracted
  std::vector<int> diagonal;     // by row of the matrix: its entry
  std::vector<Stretch> used_up;  // of panels that an elimination changes: what is not put in anew
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
    int rows = 0;     // in rows_
    int targets = 0;  // in targets_
    int panel = 0;
    bool leaf = true;         // no elimination before it reaches it
    bool constant = true;     // nor does anything that varies
    int anew = 0;             // entries that are put in for each elimination
    bool pivot_anew = false;  // the first of them all is
    [[nodiscard]] int height() const { return width + below; }
    [[nodiscard]] int space() const { return packed_panel(width, height()); }
    [[nodiscard]] int products() const { return below * (below + 1) / 2; }
    // How many of the first entries an elimination changes and nobody puts in anew.
    [[nodiscard]] int used_up() const {
      if (constant || anew == space()) return 0;
      return !pivot_anew && anew + 1 == space() ? 1 : space();
    }
    [[nodiscard]] bool is_like(const Block& other) const {
      return width == other.width && below == other.below && constant == other.constant;
    }
  };
  // How the lists of some blocks repeat themselves.
  struct Repetition {
    int period = 0;
    int count = 0;  // of blocks, in whole periods; 0: they do not
    int row_step = 0;
    int target_step = 0;
  };
  void find_blocks(const FilledPattern& l);
  void find_kinds(const std::vector<LowerEntry>* varying);
  void rearrange();
  void find_owners();
  void list_targets();
  void list_runs();
  void add_run(std::size_t begin, const Repetition& repetition);
  [[nodiscard]] Repetition find_repetition(std::size_t begin, std::size_t end) const;
  [[nodiscard]] Repetition repetition(std::size_t begin, std::size_t end, int period) const;
  [[nodiscard]] bool follows(const Block& block, const Block& before, const Repetition& steps) const;

  PanelStructure& structure_;
  std::vector<Block> blocks_;
  std::vector<int> rows_, targets_;  // of all blocks
  std::vector<int> owner_;           // by position: the block
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
                                                          typename Algebra::Scalar* rhs) {
  std::vector<PanelPart<Algebra>> parts;
  for (const PanelStructure::Run& run : structure.runs) {
    parts.push_back({.kernels = &panel_kernels<Algebra>(run.width, run.below),
                     .panels = {.count = run.count,
                                .width = run.width,
                                .below = run.below,
                                .period = run.period,
                                .panel_step = packed_panel(run.width, run.width + run.below),
                                .row_step = run.row_step,
                                .target_step = run.target_step,
                                .panel = values + run.panel,
                                .own = rhs + run.first,
                                .rhs = rhs,
                                .values = values,
                                .rows = structure.rows.data() + run.rows,
                                .target = structure.targets.data() + run.targets},
                     .constant = run.constant});
  }
  return parts;
}

}  // namespace daedalus
