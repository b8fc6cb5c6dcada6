#include "numerics/static_lu.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace daedalus {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// The backward error of a solution, and how much smaller a pivot may become until it is measured again.
constexpr double accurate_enough = 1e-8;
constexpr double far = 1e6;

}  // namespace

LuStructure::LuStructure(const SparsePattern& pattern, std::span<const int> order,
                         std::span<const int> equation, std::size_t early_count, std::span<const int> next) {
  const std::size_t n = order.size();
  std::vector<int> unknown_of(n);  // by equation
  for (std::size_t k = 0; k < n; ++k)
    unknown_of[equation.empty() ? k : at(equation[k])] = static_cast<int>(k);
  const std::span<const int> core = order.subspan(early_count);
  std::vector<int> number(n, -1);  // by unknown: of the core, in the order that is given
  for (std::size_t k = 0; k < core.size(); ++k) number[at(core[k])] = static_cast<int>(k);
  // Where a column goes, and which early unknown it is.
  std::vector<int> root(n);
  std::iota(root.begin(), root.end(), 0);
  std::vector<int> early_of(n, -1);
  for (std::size_t k = early_count; k-- > 0;) {
    const int e = order[k];
    early_of[at(e)] = static_cast<int>(early.size());
    root[at(e)] = root[at(next[at(e)])];
    early.push_back({.unknown = e, .equation = equation[at(e)], .next = early_of[at(next[at(e)])]});
  }
  const auto for_each = [&](const auto& see) {
    for (std::size_t c = 0; c < n; ++c) {
      for (int p = pattern.column_start[c]; p < pattern.column_start[c + 1]; ++p)
        see(p, unknown_of[at(pattern.row[at(p)])], static_cast<int>(c));
    }
  };
  // The lower triangle of both the core and its transpose.
  std::vector<std::vector<int>> lines(core.size());
  for_each([&](int /*p*/, int row, int column) {
    if (number[at(row)] < 0) return;
    const auto [low, high] = std::minmax(number[at(row)], number[at(root[at(column)])]);
    lines[at(high)].push_back(low);
  });
  const SparsePattern united = pattern_of(lines);
  const LowerPattern lower{.start = united.column_start, .entry = united.row};
  std::vector<int> natural(core.size());
  std::iota(natural.begin(), natural.end(), 0);
  const PanelPlaces where(panels, natural, lower, nullptr);
  for_each([&](int p, int row, int column) {
    if (const int e = early_of[at(row)]; e >= 0) {
      int& place = row == column ? early[at(e)].diagonal : early[at(e)].other;
      assert(place < 0 && (row == column || column == next[at(row)]));  // it has these two unknowns
      place = p;
      return;
    }
    const int r = panels.position[at(number[at(row)])];
    const int c = panels.position[at(number[at(root[at(column)])])];
    const Load load{
        .from = p, .entry = where.of(r, c), .side = r < c ? 1 : 0, .early = early_of[at(column)], .row = r};
    (load.early < 0 ? plain : joined).push_back(load);
  });
  assert(std::ranges::all_of(early, [](const Early& one) { return one.diagonal >= 0 && one.other >= 0; }));
  for (Early& one : early) one.root = panels.position[at(number[at(root[at(one.unknown)])])];
  for (const int k : panels.order) {
    unknown_at.push_back(core[at(k)]);
    equation_at.push_back(equation.empty() ? core[at(k)] : equation[at(core[at(k)])]);
  }
}

SharedLu saddle_structure(const SparsePattern& pattern, int first) {
  return std::make_shared<const LuStructure>(pattern, interleaved_saddle_order(pattern, first));
}

SharedLu planned_structure(const SparsePattern& pattern, const EliminationPlan& plan) {
  return std::make_shared<const LuStructure>(pattern, planned_order(pattern, plan), plan.equation,
                                             plan.early.size(), plan.next);
}

namespace {

// Between the numbers of the interface and those of the panels.
double to_panel(double x) {
  return x;
}
Complex to_panel(const std::complex<double>& x) {
  return {Two{x.real(), x.imag()}};
}
void from_panel(double x, double& out) {
  out = x;
}
void from_panel(const Complex& x, std::complex<double>& out) {
  out = {x.value[0], x.value[1]};
}
void add(Two& entry, int side, double x) {
  entry[side] += x;
}
void add(ComplexPairAlgebra::Entry& entry, int side, const Complex& x) {
  entry.real[side] += x.value[0];
  entry.imaginary[side] += x.value[1];
}
double minus(double x) {
  return -x;
}
Complex minus(const Complex& x) {
  return {-x.value};
}
double square(double x) {
  return x * x;
}
double square(const Complex& x) {
  return x.value[0] * x.value[0] + x.value[1] * x.value[1];
}

}  // namespace

template <class Scalar>
StaticLu<Scalar>::StaticLu(SharedLu structure) : structure_(std::move(structure)) {
  const PanelStructure& panels = structure_->panels;
  values_.resize(at(panels.entries));
  scratch_.resize(at(panels.largest));
  rhs_.resize(panels.order.size());
  for (std::vector<Number>* list : {&early_inverse_, &other_, &ratio_, &part_})
    list->resize(structure_->early.size());
  coupling_.resize(structure_->joined.size());
  runs_ = panel_parts<Algebra>(panels, values_.data(), rhs_.data());
}

// R of each early unknown, and their columns where they go.
template <class Scalar>
bool StaticLu<Scalar>::factor_early(std::span<const Scalar> values) {
  const std::vector<LuStructure::Early>& early = structure_->early;
  double check = 0;
  for (std::size_t k = 0; k < early.size(); ++k) {
    early_inverse_[k] = Algebra::inverse(to_panel(values[at(early[k].diagonal)]));
    other_[k] = to_panel(values[at(early[k].other)]) * early_inverse_[k];
    const Number factor = early[k].next < 0 ? to_panel(Scalar(-1)) : minus(ratio_[at(early[k].next)]);
    ratio_[k] = other_[k] * factor;
    check += 0 * square(early_inverse_[k]);
  }
  for (std::size_t k = 0; k < coupling_.size(); ++k) {
    const LuStructure::Load& load = structure_->joined[k];
    coupling_[k] = to_panel(values[at(load.from)]);
    add(values_[at(load.entry)], load.side, coupling_[k] * ratio_[at(load.early)]);
  }
  return check == 0;
}

template <class Scalar>
bool StaticLu<Scalar>::factor(std::span<const Scalar> values) {
  std::ranges::fill(values_, typename Algebra::Entry{});
  for (const LuStructure::Load& load : structure_->plain)
    add(values_[at(load.entry)], load.side, to_panel(values[at(load.from)]));
  if (!factor_early(values)) return false;
  for (const PanelPart<Algebra>& run : runs_) run.kernels->factor(run.panels, scratch_.data());
  // 1 over zero is infinite, or no number.
  double check = 0;
  for (const int place : structure_->panels.diagonal) check += 0 * square(inverse(place));
  return check == 0;
}

template <class Scalar>
void StaticLu<Scalar>::solve(std::span<Scalar> b) {
  const std::vector<LuStructure::Early>& early = structure_->early;
  for (std::size_t k = 0; k < rhs_.size(); ++k) rhs_[k] = to_panel(b[at(structure_->equation_at[k])]);
  for (std::size_t k = 0; k < early.size(); ++k) {
    part_[k] = to_panel(b[at(early[k].equation)]) * early_inverse_[k];
    if (early[k].next >= 0) part_[k] -= other_[k] * part_[at(early[k].next)];
  }
  for (std::size_t k = 0; k < coupling_.size(); ++k) {
    const LuStructure::Load& load = structure_->joined[k];
    rhs_[at(load.row)] -= coupling_[k] * part_[at(load.early)];
  }
  for (const PanelPart<Algebra>& run : runs_) run.kernels->forward(run.panels, scratch_.data());
  for (std::size_t k = runs_.size(); k-- > 0;) runs_[k].kernels->backward(runs_[k].panels, scratch_.data());
  for (std::size_t k = 0; k < rhs_.size(); ++k) from_panel(rhs_[k], b[at(structure_->unknown_at[k])]);
  for (std::size_t k = 0; k < early.size(); ++k) {
    Number x = part_[k];
    x -= minus(ratio_[k]) * rhs_[at(early[k].root)];
    from_panel(x, b[at(early[k].unknown)]);
  }
}

template <class Scalar>
double StaticLu<Scalar>::inverse_pivot_square(int k) const {
  const auto first = early_inverse_.size();
  return square(at(k) < first ? early_inverse_[at(k)] : inverse(structure_->panels.diagonal[at(k) - first]));
}

template <class Scalar>
void StaticLu<Scalar>::state(Archive& archive) {
  archive.section("static-lu", 1);
  archive.block(std::span(values_)).block(std::span(early_inverse_)).block(std::span(other_));
  archive.block(std::span(ratio_)).block(std::span(coupling_));
}

template class StaticLu<double>;
template class StaticLu<std::complex<double>>;

namespace {

template <class Scalar>
class StaticSolver final : public LinearSolver<Scalar> {
 public:
  StaticSolver(const SparsePattern& pattern, SharedLu structure)
      : LinearSolver<Scalar>(pattern), lu_(std::move(structure)) {}

  bool factor(std::span<const Scalar> values) override {
    if (general_ == nullptr) {
      if (lu_.factor(values) && (!suspicious() || accurate(values))) return true;
      general_ = make_linear_solver<Scalar>(this->pattern_);
    }
    return general_->factor(values);
  }
  void solve(std::span<Scalar> b) override { general_ != nullptr ? general_->solve(b) : lu_.solve(b); }
  Pivot weakest_pivot() const override { return general_ != nullptr ? general_->weakest_pivot() : Pivot{}; }
  std::string_view name() const override { return general_ != nullptr ? general_->name() : "static-lu"; }

  void state(Archive& archive) override {
    archive.section("static-solver", 1);
    bool general = general_ != nullptr;
    archive(general, tried_);
    archive.require(tried_.empty() || tried_.size() == at(lu_.pivots()), "a vector has another length");
    if (!archive.ok()) return tried_.clear();
    if (!general) {
      general_.reset();
      return lu_.state(archive);
    }
    if (general_ == nullptr) general_ = make_linear_solver<Scalar>(this->pattern_);
    general_->state(archive);
  }
  std::unique_ptr<LinearSolver<Scalar>> sibling() const override {
    auto other = std::make_unique<StaticSolver<Scalar>>(this->pattern_, lu_.structure());
    if (general_ != nullptr) other->general_ = general_->sibling();
    return other;
  }

 private:
  // A pivot is smaller by far than where solutions were last seen to be accurate.
  bool suspicious() {
    bool any = tried_.empty();
    for (int k = 0; k < static_cast<int>(tried_.size()) && !any; ++k)
      any = lu_.inverse_pivot_square(k) > far * far * tried_[at(k)];
    return any;
  }

  // Backward, not forward: long chains are ill-conditioned by any method.
  bool accurate(std::span<const Scalar> values) {
    const SparsePattern& pattern = this->pattern_;
    std::vector<Scalar> b(at(pattern.size));
    for (int r = 0; r < pattern.size; ++r) b[at(r)] = Scalar(1 + r % 3);
    std::vector<Scalar> x = b;
    lu_.solve(x);
    std::vector<double> size(b.size(), 1);
    for (int c = 0; c < pattern.size; ++c) {
      for (int p = pattern.column_start[at(c)]; p < pattern.column_start[at(c) + 1]; ++p) {
        const Scalar product = values[at(p)] * x[at(c)];
        b[at(pattern.row[at(p)])] -= product;
        size[at(pattern.row[at(p)])] += std::abs(product);
      }
    }
    double worst = 0;
    for (std::size_t r = 0; r < b.size(); ++r) worst = std::max(worst, std::abs(b[r]) / size[r]);
    tried_.resize(at(lu_.pivots()));
    for (int k = 0; k < lu_.pivots(); ++k) tried_[at(k)] = lu_.inverse_pivot_square(k);
    return worst <= accurate_enough;
  }

  StaticLu<Scalar> lu_;
  std::unique_ptr<LinearSolver<Scalar>> general_;
  std::vector<double> tried_;  // squares of the inverse pivots with which solutions were found to be accurate
};

}  // namespace

template <class Scalar>
std::unique_ptr<LinearSolver<Scalar>> make_static_solver(const SparsePattern& pattern, SharedLu structure) {
  return std::make_unique<StaticSolver<Scalar>>(pattern, std::move(structure));
}

template std::unique_ptr<RealSolver> make_static_solver<double>(const SparsePattern&, SharedLu);
template std::unique_ptr<ComplexSolver> make_static_solver<std::complex<double>>(const SparsePattern&,
                                                                                 SharedLu);

}  // namespace daedalus
