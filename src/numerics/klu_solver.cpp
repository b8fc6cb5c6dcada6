// Sparse LU by KLU (Davis and Palamadai Natarajan, ACM TOMS 37, 2010, algorithm 907).
//
// The ordering is found once for a pattern. Later factorisations keep the pivots of the last full one
// (klu_refactor), which is several times cheaper, as long as the pivot growth stays near what it was then;
// otherwise the pivots are chosen anew (klu_factor). Judging by growth and not by condition lets
// matrices that are ill conditioned by nature (small h, high index) keep their cheap factorisation.
#include <klu.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "numerics/linear_solver.hpp"
#include "numerics/vectors.hpp"
#include "structure/matching.hpp"

namespace daedalus {
namespace {

// KLU's functions for each scalar; klu_z_* take complex numbers as pairs.
template <class Scalar>
struct Klu;

template <>
struct Klu<double> {
  static constexpr auto factor = klu_factor;
  static constexpr auto refactor = klu_refactor;
  static constexpr auto solve = klu_solve;
  static constexpr auto growth = klu_rgrowth;
  static constexpr auto free_numeric = klu_free_numeric;
};

template <>
struct Klu<std::complex<double>> {
  static constexpr auto factor = klu_z_factor;
  static constexpr auto refactor = klu_z_refactor;
  static constexpr auto solve = klu_z_solve;
  static constexpr auto growth = klu_z_rgrowth;
  static constexpr auto free_numeric = klu_z_free_numeric;
};

struct Ordering {
  int btf = 1;       // block triangular form first
  int ordering = 0;  // 0: AMD, 1: COLAMD
  friend bool operator==(const Ordering&, const Ordering&) = default;
};
// Block triangular form with AMD suits most DAEs. Saddle matrices with loops fill badly under it, so if
// the fill is large the others are tried once and the one with the fewest entries stays.
constexpr std::array<Ordering, 3> kOrderings{{{1, 0}, {0, 0}, {1, 1}}};
// KLU's search for a zero-free diagonal (btf_maxtrans) is quadratic on chains: 9 of 13 seconds of a run with
// 140,000 unknowns. Large matrices get their rows matched to columns by our own search, and no search by KLU.
constexpr int kLargeMatrix = 1000;
constexpr std::array<Ordering, 2> kLargeOrderings{{{0, 0}, {0, 1}}};
// Entries on the diagonal shall be at least this part of the largest in their column, if possible.
constexpr std::array<double, 5> kDiagonalParts{0.5, 0.1, 1e-3, 1e-9, 0};
constexpr double kLargeFill = 4;  // entries of L + U for each entry of A

// A pivot may be smaller than its column's largest entry by this factor if it keeps the ordering. KLU's
// default, the first, suits circuits; on matrices without a natural diagonal it can lose half of the digits,
// so the next one is taken when the pivot growth says so, and stays.
constexpr std::array<double, 3> kPivotTolerances{1e-3, 0.1, 1};
constexpr double kAcceptedGrowth = 1e-3;  // reciprocal: three of sixteen digits may go

template <class Scalar>
class KluSolver final : public LinearSolver<Scalar> {
 public:
  explicit KluSolver(const SparsePattern& pattern) : LinearSolver<Scalar>(pattern) { klu_defaults(&common_); }
  ~KluSolver() override { release_numeric(); }

  bool factor(std::span<const Scalar> values) override;
  void solve(std::span<Scalar> b) override;
  Pivot weakest_pivot() const override;
  std::string_view name() const override { return "klu"; }
  void state(Archive& archive) override;
  std::unique_ptr<LinearSolver<Scalar>> sibling() const override;

 private:
  void match_rows(std::span<const Scalar> values);
  bool match_entries(const std::vector<double>& smallest, std::span<const Scalar> values);
  std::span<const Ordering> orderings() const;
  bool choose_ordering(double* values);
  bool analyze(const Ordering& ordering);
  bool full_factor(double* values);
  bool factor_with(double pivot_tolerance, double* values);
  bool cheap_factor(double* values);
  double pivot_growth(double* values);
  void release_numeric();
  void number_rows(std::vector<int> place);
  // What state() is about, but for the values.
  struct Memory {
    bool analyzed = false;
    Ordering ordering;
    std::vector<int> place;
    std::size_t strictness = 0;
    bool factored = false;
    bool refactored = false;
    int singular_column = 0;
    void state(Archive& archive) {
      archive(analyzed, ordering.btf, ordering.ordering, place, strictness, factored, refactored,
              singular_column);
    }
  };
  [[nodiscard]] Memory memory() const;
  [[nodiscard]] bool is_possible(const Memory& memory) const;
  [[nodiscard]] bool restore(const Memory& memory);
  [[nodiscard]] double* numbers(std::vector<Scalar>& values) {
    return reinterpret_cast<double*>(values.data());
  }
  int* columns() { return pattern_.column_start.data(); }
  int* rows() { return place_.empty() ? pattern_.row.data() : rows_.data(); }

  using LinearSolver<Scalar>::pattern_;
  klu_common common_{};
  std::shared_ptr<klu_symbolic> symbolic_;  // does not change once it is made
  klu_numeric* numeric_ = nullptr;
  std::size_t strictness_ = 0;   // which of the pivot tolerances
  double reference_growth_ = 0;  // reciprocal growth at the last full factorisation
  bool factored_ = false;        // the numeric values are complete
  std::vector<int> place_;       // by row: its row in KLU's matrix; empty: the same
  std::vector<int> rows_;        // the rows of the entries there
  std::vector<Scalar> permuted_;
  // The pivots are those of a full factorisation and the factors those of a later one: to make both anew, the
  // values of both matrices are kept.
  std::vector<Scalar> full_values_, last_values_;
  bool refactored_ = false;  // last_values_ are those of the factors; false: full_values_ are
};

template <class Scalar>
void KluSolver<Scalar>::release_numeric() {
  if (numeric_ != nullptr) Klu<Scalar>::free_numeric(&numeric_, &common_);
  factored_ = false;
}

template <class Scalar>
bool KluSolver<Scalar>::analyze(const Ordering& ordering) {
  release_numeric();
  strictness_ = 0;
  common_.btf = ordering.btf;
  common_.ordering = ordering.ordering;
  const auto free_symbolic = [](klu_symbolic* symbolic) {
    klu_common common;
    klu_defaults(&common);
    if (symbolic != nullptr) klu_free_symbolic(&symbolic, &common);
  };
  symbolic_.reset(klu_analyze(pattern_.size, columns(), rows(), &common_), free_symbolic);
  return symbolic_ != nullptr;
}

template <class Scalar>
double KluSolver<Scalar>::pivot_growth(double* values) {
  const auto compute = Klu<Scalar>::growth;
  return compute(columns(), rows(), values, symbolic_.get(), numeric_, &common_) == 1 ? common_.rgrowth : 0;
}

template <class Scalar>
bool KluSolver<Scalar>::full_factor(double* values) {
  for (;;) {
    const bool regular = factor_with(kPivotTolerances[strictness_], values);
    if (regular && reference_growth_ >= kAcceptedGrowth) return true;
    if (strictness_ + 1 == kPivotTolerances.size()) return regular;
    ++strictness_;
  }
}

template <class Scalar>
bool KluSolver<Scalar>::factor_with(double pivot_tolerance, double* values) {
  release_numeric();
  common_.tol = pivot_tolerance;
  numeric_ = Klu<Scalar>::factor(columns(), rows(), values, symbolic_.get(), &common_);
  if (numeric_ == nullptr || common_.status != KLU_OK) {
    release_numeric();
    return false;
  }
  reference_growth_ = pivot_growth(values);
  const auto* const first = reinterpret_cast<const Scalar*>(values);
  full_values_.assign(first, first + pattern_.row.size());
  last_values_.resize(full_values_.size());
  factored_ = true;
  refactored_ = false;
  return true;
}

template <class Scalar>
bool KluSolver<Scalar>::cheap_factor(double* values) {
  factored_ = false;
  if (Klu<Scalar>::refactor(columns(), rows(), values, symbolic_.get(), numeric_, &common_) != 1)
    return false;
  if (common_.status != KLU_OK) return false;
  std::copy_n(reinterpret_cast<const Scalar*>(values), last_values_.size(), last_values_.begin());
  refactored_ = true;
  factored_ = pivot_growth(values) >= kAcceptedGrowth * reference_growth_;
  return factored_;
}

// Matches rows with columns by entries that are not smaller than `smallest` of their column, and numbers the
// rows anew so that these come to the diagonal. False: there is no such matching.
template <class Scalar>
bool KluSolver<Scalar>::match_entries(const std::vector<double>& smallest, std::span<const Scalar> values) {
  const auto n = static_cast<std::size_t>(pattern_.size);
  Signature signature;  // columns are matched with rows
  signature.variables = pattern_.size;
  std::vector<SignatureEntry> entries;
  for (std::size_t j = 0; j < n; ++j) {
    entries.clear();
    for (int k = pattern_.column_start[j]; k < pattern_.column_start[j + 1]; ++k) {
      if (std::abs(values[static_cast<std::size_t>(k)]) >= smallest[j])
        entries.push_back({.variable = pattern_.row[static_cast<std::size_t>(k)], .order = 0});
    }
    signature.add_row(entries);
  }
  const Matching matching = maximum_matching(signature).matching;
  if (!matching.perfect()) return false;
  std::vector<int> place(n, -1);
  for (std::size_t j = 0; j < n; ++j)
    place[static_cast<std::size_t>(matching.variable_of_equation[j])] = static_cast<int>(j);
  number_rows(std::move(place));
  return true;
}

template <class Scalar>
void KluSolver<Scalar>::number_rows(std::vector<int> place) {
  place_ = std::move(place);
  rows_.clear();
  permuted_.resize(place_.size());
  if (place_.empty()) return;
  for (const int row : pattern_.row) rows_.push_back(place_[static_cast<std::size_t>(row)]);
}

// A diagonal of large entries, if there is one: what is zero in numbers but not by structure (a quaternion at
// rest has many such) would be refused as a pivot, and the ordering would be lost.
template <class Scalar>
void KluSolver<Scalar>::match_rows(std::span<const Scalar> values) {
  std::vector<double> largest(static_cast<std::size_t>(pattern_.size), 0);
  for (std::size_t j = 0; j < largest.size(); ++j) {
    for (int k = pattern_.column_start[j]; k < pattern_.column_start[j + 1]; ++k)
      largest[j] = std::max(largest[j], std::abs(values[static_cast<std::size_t>(k)]));
  }
  for (const double part : kDiagonalParts) {
    std::vector<double> smallest = largest;
    for (double& value : smallest) value *= part;
    if (match_entries(smallest, values)) return;
  }
}

template <class Scalar>
std::span<const Ordering> KluSolver<Scalar>::orderings() const {
  if (!place_.empty()) return kLargeOrderings;
  return kOrderings;
}

template <class Scalar>
bool KluSolver<Scalar>::choose_ordering(double* values) {
  const std::span<const Ordering> candidates = orderings();
  std::size_t best = candidates.size();
  int fewest = 0;
  std::size_t current = candidates.size();
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    current = k;
    if (!analyze(candidates[k]) || !full_factor(values)) continue;
    const int entries = numeric_->lnz + numeric_->unz + numeric_->nzoff;
    if (best == candidates.size() || entries < fewest) {
      best = k;
      fewest = entries;
    }
    if (fewest <= kLargeFill * pattern_.nonzeros()) break;
  }
  if (best == candidates.size()) {
    // Singular whatever the ordering; keep the last analysis so that later values are tried on it.
    if (symbolic_ == nullptr) return analyze(candidates[0]) && full_factor(values);
    return false;
  }
  return best == current || (analyze(candidates[best]) && full_factor(values));
}

template <class Scalar>
bool KluSolver<Scalar>::factor(std::span<const Scalar> values) {
  assert(static_cast<int>(values.size()) == pattern_.nonzeros());
  // KLU takes pointers to non-const but does not write to the matrix. It would carry a NaN along unnoticed.
  auto* entries = reinterpret_cast<double*>(const_cast<Scalar*>(values.data()));
  if (!all_finite({entries, values.size() * sizeof(Scalar) / sizeof(double)})) {
    release_numeric();
    return false;
  }
  if (numeric_ != nullptr && cheap_factor(entries)) return true;
  if (symbolic_ == nullptr) {
    if (pattern_.size > kLargeMatrix && place_.empty()) match_rows(values);
    return choose_ordering(entries);
  }
  return full_factor(entries);
}

template <class Scalar>
void KluSolver<Scalar>::solve(std::span<Scalar> b) {
  assert(factored_);
  assert(static_cast<int>(b.size()) == pattern_.size);
  if (!place_.empty()) {
    for (std::size_t i = 0; i < b.size(); ++i) permuted_[static_cast<std::size_t>(place_[i])] = b[i];
    std::ranges::copy(permuted_, b.begin());
  }
  Klu<Scalar>::solve(symbolic_.get(), numeric_, pattern_.size, 1, reinterpret_cast<double*>(b.data()),
                     &common_);
}

template <class Scalar>
Pivot KluSolver<Scalar>::weakest_pivot() const {
  if (!factored_) {
    const bool known = common_.singular_col >= 0 && common_.singular_col < pattern_.size;
    return {.row = -1, .column = known ? common_.singular_col : -1, .relative = 0};
  }
  const auto* diagonal = static_cast<const Scalar*>(numeric_->Udiag);
  int weakest = 0;
  double largest = 0;
  for (int k = 0; k < pattern_.size; ++k) {
    if (std::abs(diagonal[k]) < std::abs(diagonal[weakest])) weakest = k;
    largest = std::max(largest, std::abs(diagonal[k]));
  }
  int row = numeric_->Pnum[weakest];
  if (!place_.empty()) row = static_cast<int>(std::ranges::find(place_, row) - place_.begin());
  return {.row = row,
          .column = symbolic_->Q[weakest],
          .relative = largest > 0 ? std::abs(diagonal[weakest]) / largest : 0};
}

template <class Scalar>
typename KluSolver<Scalar>::Memory KluSolver<Scalar>::memory() const {
  return {.analyzed = symbolic_ != nullptr,
          .ordering = {.btf = common_.btf, .ordering = common_.ordering},
          .place = place_,
          .strictness = strictness_,
          .factored = factored_,
          .refactored = factored_ && refactored_,
          .singular_column = common_.singular_col};
}

template <class Scalar>
bool KluSolver<Scalar>::is_possible(const Memory& memory) const {
  const auto& all = kOrderings;
  const bool known = std::ranges::find(all, memory.ordering) != all.end() ||
                     std::ranges::find(kLargeOrderings, memory.ordering) != kLargeOrderings.end();
  std::vector<char> taken(static_cast<std::size_t>(pattern_.size), 0);
  for (const int row : memory.place) {
    if (row < 0 || row >= pattern_.size || taken[static_cast<std::size_t>(row)] != 0) return false;
    taken[static_cast<std::size_t>(row)] = 1;
  }
  const bool whole = memory.place.empty() || memory.place.size() == taken.size();
  return known && whole && memory.strictness < kPivotTolerances.size() &&
         (memory.analyzed || !memory.factored) && (memory.factored || !memory.refactored);
}

// The analysis and both factorisations as they were. False: they do not come out.
template <class Scalar>
bool KluSolver<Scalar>::restore(const Memory& memory) {
  release_numeric();
  const bool same =
      symbolic_ != nullptr && memory.place == place_ && memory.ordering == this->memory().ordering;
  if (!memory.analyzed || !same) {
    symbolic_.reset();
    number_rows(memory.place);
  }
  if (memory.analyzed && !same && !analyze(memory.ordering)) return false;
  strictness_ = memory.strictness;
  common_.singular_col = memory.singular_column;
  if (!memory.factored) return true;
  // Both change under the factorisations.
  std::vector<Scalar> full = full_values_;
  std::vector<Scalar> last = last_values_;
  const std::size_t doubles = full.size() * sizeof(Scalar) / sizeof(double);
  if (!all_finite({numbers(full), doubles})) return false;
  if (!factor_with(kPivotTolerances[strictness_], numbers(full))) return false;
  if (!memory.refactored) return true;
  return all_finite({numbers(last), doubles}) && cheap_factor(numbers(last));
}

template <class Scalar>
void KluSolver<Scalar>::state(Archive& archive) {
  archive.section("klu", 1);
  Memory memory = this->memory();
  archive(memory);
  archive.require(is_possible(memory), "a factorisation that there is not");
  const auto entries = static_cast<std::size_t>(pattern_.nonzeros());
  if (archive.ok() && memory.factored) archive.sized(entries, full_values_);
  if (archive.ok() && memory.refactored) archive.sized(entries, last_values_);
  if (!archive.reading()) return;
  if (!archive.ok()) return release_numeric();
  archive.require(restore(memory), "a matrix that cannot be factorised as it was");
}

template <class Scalar>
std::unique_ptr<LinearSolver<Scalar>> KluSolver<Scalar>::sibling() const {
  auto other = std::make_unique<KluSolver<Scalar>>(pattern_);
  other->number_rows(place_);
  other->symbolic_ = symbolic_;
  other->common_.btf = common_.btf;
  other->common_.ordering = common_.ordering;
  return other;
}

}  // namespace

template <class Scalar>
std::unique_ptr<LinearSolver<Scalar>> make_klu_solver(const SparsePattern& pattern) {
  return std::make_unique<KluSolver<Scalar>>(pattern);
}

template std::unique_ptr<RealSolver> make_klu_solver<double>(const SparsePattern&);
template std::unique_ptr<ComplexSolver> make_klu_solver<std::complex<double>>(const SparsePattern&);

}  // namespace daedalus
