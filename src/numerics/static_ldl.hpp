// A = L D Lᵀ of a symmetric matrix whose pattern stays, in an order that is found once, without pivoting: for
// quasi-definite matrices [M Gᵀ; G -δ], M positive definite, whose factors exist in any order, and in the
// order taken here (each row of G after the rows of M that it joins) are those of M and of the Schur
// complement -(G M⁻¹ Gᵀ + δ).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "numerics/panel_structure.hpp"
#include "numerics/sparse_pattern.hpp"

namespace daedalus {

// The order of elimination for a symmetric saddle pattern: `first` rows first, as they come, then the others
// by minimum degree (AMD) of what is left; where the first rows would fill in (the mass matrix of a tree of
// joints, which is to be eliminated from its ends), that of interleaved_saddle_order. Of the orders that
// amount to the same, one in which neighbours are together.
[[nodiscard]] std::vector<int> saddle_order(const SparsePattern& pattern, int first);

class StaticLdl {
 public:
  StaticLdl() = default;
  StaticLdl(const StaticLdl& other);
  StaticLdl& operator=(const StaticLdl& other) {
    if (this != &other) *this = StaticLdl(other);
    return *this;
  }
  StaticLdl(StaticLdl&&) = default;
  StaticLdl& operator=(StaticLdl&&) = default;
  ~StaticLdl() = default;
  // The pattern is that of the whole matrix; of two symmetric entries the one in the later column of the
  // order is read. `varying`: by entry, whether it is another from one elimination to the next (none given:
  // all are). Columns that nothing varying reaches are eliminated once.
  // `room`: so many more values() after the right-hand side.
  StaticLdl(const SparsePattern& pattern, std::span<const int> order, std::span<const char> varying = {},
            std::size_t room = 0);

  // By entry of the pattern; those that vary do not matter.
  void set_constants(std::span<const double> values);

  // A new matrix: reset(), then the varying entries and a right-hand side are put where they belong, then
  // eliminate().
  void reset();
  [[nodiscard]] std::span<double> values() { return values_; }
  [[nodiscard]] std::span<const double> values() const { return values_; }
  // Where in values() an entry of the pattern belongs; -1: it is not read.
  [[nodiscard]] int place(int entry) const { return places_[static_cast<std::size_t>(entry)]; }
  // Where in values() row i of the right-hand side belongs, and after finish() the solution is.
  [[nodiscard]] int rhs_place(int i) const { return first_rhs_ + position(i); }
  // All of them, by position.
  [[nodiscard]] std::span<double> rhs() {
    return std::span(values_).subspan(static_cast<std::size_t>(first_rhs_), structure_->order.size());
  }
  // What lies behind them.
  [[nodiscard]] int room_place() const { return first_rhs_ + size(); }
  [[nodiscard]] int position(int i) const { return structure_->position[static_cast<std::size_t>(i)]; }
  // L and D, and what has to be done with the right-hand side from the first row to the last. Nothing is
  // allocated.
  void eliminate();
  // reset() and eliminate() in stages, for values that are put in piece by piece: all of stage s are put in
  // between reset(s) and eliminate(s). `stage`: by place in values(), less than `count`, -1 for those not put
  // in.
  void plan_stages(std::span<const int> stage, std::size_t count);
  void reset(std::size_t stage);
  void eliminate(std::size_t stage);

  // No pivot was zero or not finite. (A solution with one that is zero or no number is not finite itself.)
  [[nodiscard]] bool regular() const;
  // rhs() becomes the solution.
  void finish();
  // The same for another right-hand side in rhs(), and for one by rows.
  void solve();
  void solve(std::span<double> b);

  [[nodiscard]] int size() const { return static_cast<int>(structure_->order.size()); }
  [[nodiscard]] std::size_t nonzeros() const { return structure_->nonzeros; }  // of L, below the diagonal
  // Of the multiplications of an elimination: those for the columns of the first rows of the matrix.
  [[nodiscard]] double share(int first) const;
  // D at row i of the matrix.
  [[nodiscard]] double pivot(int i) const {
    return 1 / values_[static_cast<std::size_t>(structure_->diagonal[static_cast<std::size_t>(i)])];
  }

 private:
  [[nodiscard]] double* right_side() { return values_.data() + first_rhs_; }
  void list_renewals();
  struct Renewal;
  void renew(const Renewal& group);
  void share_constants(PanelPart<SymmetricAlgebra>& run);
  void eliminate(const PanelPart<SymmetricAlgebra>& run, const PanelRun<SymmetricAlgebra>& panels);
  [[nodiscard]] std::vector<int> list_slices(std::span<const int> stage);

  std::shared_ptr<const PanelStructure> structure_;  // copies share it
  std::vector<PanelPart<SymmetricAlgebra>> runs_;
  std::vector<int> places_;        // by entry of the pattern
  std::vector<double> constants_;  // the panels as each elimination begins
  struct Renewal {
    int from = 0;  // in constants_: the first ones that are like these
    int to = 0;
    int count = 0;
  };
  std::vector<Renewal> renewals_;  // by reset()
  // Panels of a run.
  struct Slice {
    int run = 0;
    int begin = 0;
    int end = 0;
  };
  struct Stage {
    std::vector<int> renewals;  // by number
    std::vector<Slice> slices;
  };
  std::vector<Stage> stages_;
  std::vector<double> values_;  // panels, then the right-hand side by position
  int first_rhs_ = 0;
  std::vector<double> scratch_;
};

}  // namespace daedalus
