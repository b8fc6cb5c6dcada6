#include "saddle/symmetric_system.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "numerics/vectors.hpp"
#include "saddle/elimination.hpp"

namespace daedalus {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Written-out elimination: beyond this many operations a loop over the pattern is as good.
constexpr std::size_t straight_limit = 4000;
constexpr int straight_size = 40;
// Against the diagonal: the constraint follows from others. Very different masses make small pivots, too.
constexpr double redundant_pivot = 1e-11;
constexpr double delta_part = 1e-11;  // δ against the diagonal of G M⁻¹ Gᵀ
// While nothing is known of redundancies, δ only keeps the pivots from zero.
constexpr double first_delta = 1e-15;
constexpr double good = 1e-12;  // backward error of a solution at the first point
constexpr double negligible = 1e-4;
constexpr double good_enough = 1e-9;  // and later

}  // namespace

SymmetricSystem::SymmetricSystem(ExprGraph& graph, const SymbolicMatrix& matrix, std::span<const NodeId> rhs,
                                 int first, ProgramSetting setting, std::span<const int> places,
                                 const Sequel& sequel)
    : graph_(&graph), first_(first), setting_(std::move(setting)) {
  setting_.codegen.often = true;
  homogeneous_ = std::ranges::all_of(rhs, [&](NodeId node) { return graph.is_constant(node, 0); });
  build_pattern(matrix);
  const std::vector<int> order = saddle_order(pattern_, first_);
  std::vector<char> varying(pattern_.row.size(), 0);
  for (std::size_t k = 0; k < matrix.entries.size(); ++k) {
    if (!graph_->is_constant(matrix.entries[k].value)) varying[at(target_[k])] = 1;
  }
  const bool small = size() <= straight_size;
  ldl_ = StaticLdl(pattern_, order, varying);
  list_roots(matrix, rhs, order);
  if (small) write_out(matrix, rhs, order, sequel);
  if (straight_.roots() == 0) condense(matrix, rhs);
  provisional_ = condensed_ != nullptr;
  compile_entries();
  list_entries();
  solution_.resize(at(size()));
  b_.resize(at(size()));
  r_.resize(at(size()));
  z_.resize(at(size()));
  set_places(places.empty() ? natural_order() : std::vector<int>(places.begin(), places.end()));
}

void SymmetricSystem::build_pattern(const SymbolicMatrix& matrix) {
  struct Place {
    int column;
    int row;
    int entry;  // -1: the diagonal of a constraint
  };
  std::vector<Place> places;
  for (std::size_t k = 0; k < matrix.entries.size(); ++k) {
    const SymbolicEntry& entry = matrix.entries[k];
    places.push_back({.column = entry.column, .row = entry.row, .entry = static_cast<int>(k)});
  }
  for (int i = first_; i < matrix.rows; ++i) places.push_back({.column = i, .row = i, .entry = -1});
  std::ranges::sort(places, {}, [](const Place& p) { return std::pair(p.column, p.row); });
  pattern_ = {.size = matrix.rows, .column_start = std::vector<int>(at(matrix.rows) + 1, 0), .row = {}};
  target_.resize(matrix.entries.size());
  for (const Place& place : places) {
    const int position = static_cast<int>(pattern_.row.size());
    pattern_.row.push_back(place.row);
    ++pattern_.column_start[at(place.column) + 1];
    if (place.entry >= 0) {
      target_[at(place.entry)] = position;
    } else {
      diagonal_.push_back(position);
    }
  }
  for (std::size_t c = 0; c < at(matrix.rows); ++c) pattern_.column_start[c + 1] += pattern_.column_start[c];
  values_.assign(pattern_.row.size(), 0);
}

// Of each pair the entry that is read, and b, in the order in which they are eliminated: what belongs to one
// body is evaluated together.
void SymmetricSystem::list_roots(const SymbolicMatrix& matrix, std::span<const NodeId> rhs,
                                 std::span<const int> order) {
  const std::vector<int> position = inverse_permutation(order);
  struct Root {
    int turn;  // position of the column
    int destination;
    NodeId value;
  };
  std::vector<Root> roots;
  for (std::size_t k = 0; k < matrix.entries.size(); ++k) {
    const SymbolicEntry& entry = matrix.entries[k];
    const Varying one{.place = target_[k], .in_ldl = ldl_.place(target_[k])};
    if (graph_->is_constant(entry.value)) {
      values_[at(one.place)] = graph_->node(entry.value).value;
    } else if (one.in_ldl >= 0) {
      varying_.push_back(one);
      roots.push_back({.turn = std::min(position[at(entry.row)], position[at(entry.column)]),
                       .destination = one.in_ldl,
                       .value = entry.value});
    }
  }
  for (std::size_t i = 0; i < rhs.size(); ++i) {
    const int place = ldl_.rhs_place(static_cast<int>(i));
    roots.push_back({.turn = position[i], .destination = place, .value = rhs[i]});
  }
  std::ranges::sort(roots, {}, [](const Root& root) { return std::pair(root.turn, root.destination); });
  for (const Root& root : roots) {
    roots_.push_back(root.value);
    destinations_.push_back(root.destination);
  }
}

// For a few points only the interpreter is ready soonest.
void SymmetricSystem::compile_entries() {
  ProgramSetting setting = setting_;
  if (provisional_) setting.codegen.choice = CodegenChoice::Interpreter;
  system_ = Program::compile(*graph_, roots_, setting, destinations_);
  staged_.plan(ldl_, system_, destinations_);
}

// Of each pair of entries the one that is read first, mirrored, unknowns being in the order of these
// positions.
std::vector<EliminationEntry> SymmetricSystem::lower_entries(const SymbolicMatrix& matrix,
                                                             std::span<const int> position) {
  std::vector<EliminationEntry> lower;
  for (const SymbolicEntry& entry : matrix.entries) {
    const int row = position[at(entry.column)];
    const int column = position[at(entry.row)];
    if (row >= column) lower.push_back({.row = row, .column = column, .value = entry.value});
  }
  return lower;
}

void SymmetricSystem::condense(const SymbolicMatrix& matrix, std::span<const NodeId> rhs) {
  const std::vector<EliminationEntry> lower = lower_entries(matrix, natural_order());
  condensed_ = CondensedSystem::make(
      *graph_, {.size = size(), .lower = lower, .rhs = rhs, .first = first_, .saved = ldl_.share(first_)},
      setting_);
}

std::vector<int> SymmetricSystem::natural_order() const {
  std::vector<int> natural(at(size()));
  std::iota(natural.begin(), natural.end(), 0);
  return natural;
}

// Of each pair of entries the one that is read.
void SymmetricSystem::list_entries() {
  row_at_.resize(at(size()));
  for (int i = 0; i < size(); ++i) row_at_[at(ldl_.position(i))] = i;
  for (int c = 0; c < size(); ++c) {
    for (int p = pattern_.column_start[at(c)]; p < pattern_.column_start[at(c) + 1]; ++p) {
      const int row = pattern_.row[at(p)];
      if (ldl_.place(p) < 0) continue;
      if (row != c) {
        couplings_.push_back({.place = p, .row = ldl_.position(row), .column = ldl_.position(c)});
      } else if (c < first_) {
        mass_diagonal_.push_back({.place = p, .row = ldl_.position(c)});
      }
    }
  }
}

// Where put() puts each unknown.
void SymmetricSystem::set_places(std::span<const int> places) {
  std::vector<int> from;
  for (int i = 0; i < size(); ++i) from.push_back(ldl_.rhs_place(i));
  to_out_ = IndexedCopy(from, places);
  solution_to_out_ = IndexedCopy(natural_order(), places);
  if (!homogeneous_) return;
  const std::span<const int> all = from;
  const std::vector<int> natural = natural_order();
  const std::span<const int> numbers = natural;
  accelerations_ = IndexedCopy(all.first(at(first_)), numbers.first(at(first_)));
  constraints_ = IndexedCopy(numbers.first(at(size() - first_)), all.subspan(at(first_)));
}

void SymmetricSystem::put(std::span<double> out) {
  if (!by_unknown()) return to_out_(ldl_.values().data(), out.data());
  if (condensed()) condensed_->put_multipliers(solution_);
  solution_to_out_(solution_.data(), out.data());
}

std::span<const double> SymmetricSystem::unknowns(std::span<double> room) {
  if (by_unknown()) return solution_;
  put(room);
  return room;
}

void SymmetricSystem::write_out(const SymbolicMatrix& matrix, std::span<const NodeId> rhs,
                                std::span<const int> order, const Sequel& sequel) {
  const std::vector<int> position = inverse_permutation(order);
  const std::vector<EliminationEntry> lower = lower_entries(matrix, position);
  const auto ldl = SymbolicLdl::factor(*graph_, size(), lower, straight_limit);
  if (!ldl) return;
  std::vector<NodeId> b;
  for (const int k : order) b.push_back(rhs[at(k)]);
  const std::vector<NodeId> solution = ldl->solve(*graph_, b);
  std::vector<NodeId> roots;
  for (const int k : position) roots.push_back(solution[at(k)]);
  for (int i = first_; i < size(); ++i) pivot_nodes_.push_back(ldl->pivots()[at(position[at(i)])]);
  std::unordered_map<NodeId, NodeId> known;
  for (std::size_t i = 0; i < sequel.unknowns.size(); ++i) known[sequel.unknowns[i]] = roots[i];
  if (!sequel.nodes.empty())
    sequel_ = Program::compile(*graph_, substitute(*graph_, sequel.nodes, known), setting_);
  straight_ = Program::compile(*graph_, roots, setting_);
}

// The program for more than a few points.
void SymmetricSystem::make_ready() {
  if (!provisional_) return;
  provisional_ = false;
  compile_entries();
}

void SymmetricSystem::load(std::span<const double> environment) {
  if (prepared_ && refined_) make_ready();
  ldl_.reset();
  system_.evaluate(environment, ldl_.values(), workspace_);
}

// The matrix at a point, L and D.
void SymmetricSystem::eliminate(std::span<const double> environment) {
  if (!refined_) return staged_.run(ldl_, system_, environment, workspace_);
  load(environment);
  fetch_values();
  ldl_.eliminate();
}

// The matrix and b, after load() and before the elimination.
void SymmetricSystem::fetch_values() {
  const std::span<const double> loaded = ldl_.values();
  copy_values(ldl_.rhs(), b_);
  for (const Varying& one : varying_) values_[at(one.place)] = loaded[at(one.in_ldl)];
}

void SymmetricSystem::set_delta(double part) {
  for (std::size_t i = 0; i < schur_.size(); ++i) values_[at(diagonal_[i])] = -part * schur_[i];
  ldl_.set_constants(values_);
}

// The diagonal of G M⁻¹ Gᵀ by that of M: the size is what matters.
void SymmetricSystem::estimate_schur() {
  std::vector<double> mass(at(size()), 0);
  for (const Diagonal& one : mass_diagonal_) mass[at(one.row)] = values_[at(one.place)];
  schur_.assign(diagonal_.size(), 0);
  for (const Coupling& one : couplings_) {
    // The later of the two is the constraint, if one of them is.
    const auto [row, column] = std::minmax(one.row, one.column);
    const int constraint = row_at_[at(column)] - first_;
    if (constraint >= 0 && mass[at(row)] > 0)
      schur_[at(constraint)] += values_[at(one.place)] * values_[at(one.place)] / mass[at(row)];
  }
}

bool SymmetricSystem::prepare(std::span<const double> environment) {
  load(environment);
  fetch_values();
  if (!all_finite(values_)) return false;
  estimate_schur();
  set_delta(first_delta);
  load(environment);
  ldl_.eliminate();
  if (!ldl_.regular()) return false;
  for (int j = 0; j < first_; ++j) {
    if (!(ldl_.pivot(j) > 0)) return false;
  }
  live_.assign(schur_.size(), 1);
  for (std::size_t i = 0; i < schur_.size(); ++i) {
    const bool live = -ldl_.pivot(first_ + static_cast<int>(i)) > redundant_pivot * schur_[i];
    live_[i] = live ? 1 : 0;
    redundant_ = redundant_ || !live;
  }
  peak_.assign(schur_.size(), 0);
  set_delta(redundant_ ? delta_part : 0);
  prepared_ = accurate(environment);
  return prepared_;
}

// Whether solutions are those of a system that differs by rounding only; refined, if need be.
bool SymmetricSystem::accurate(std::span<const double> environment) {
  for (const bool refined : {false, true}) {
    refined_ = refined || redundant_;
    if (!solve(environment)) return false;
    if (backward_error(environment) <= good) return true;
  }
  return false;
}

void SymmetricSystem::soften(double part) {
  set_delta(part);
  refined_ = true;
  soft_ = true;
}

void SymmetricSystem::harden() {
  set_delta(redundant_ ? delta_part : 0);
  refined_ = redundant_;
  soft_ = false;
}

void SymmetricSystem::state(Archive& archive) {
  archive.section("symmetric system", 1);
  bool ready = !provisional_;
  archive(prepared_, redundant_, soft_, refined_, ready, schur_, peak_, live_);
  archive.sized(values_.size(), values_).sized(solution_.size(), solution_);
  const auto fits = [this](std::size_t n) { return n == 0 || n == diagonal_.size(); };
  archive.require(fits(schur_.size()) && fits(peak_.size()) && fits(live_.size()),
                  "another number of constraints");
  if (!archive.reading() || !archive.ok()) return;
  if (ready) make_ready();
  if (prepared_) ldl_.set_constants(values_);
}

bool SymmetricSystem::holds(std::span<const double> environment) {
  return backward_error(environment) <= good_enough;
}

// The largest |b - A z| against |A| |z| + |b|, row by row (Oettli and Prager). Accelerations or multipliers
// that are nothing beside the others count as a small part of the largest.
double SymmetricSystem::backward_error(std::span<const double> environment) {
  if (by_unknown()) {
    if (condensed()) condensed_->put_multipliers(solution_);
    for (int i = 0; i < size(); ++i) z_[at(ldl_.position(i))] = solution_[at(i)];
  } else {
    copy_values(ldl_.rhs(), z_);
  }
  load(environment);
  fetch_values();
  copy_values(z_, ldl_.rhs());
  residual();
  double floors[2] = {0, 0};
  const auto kind = [&](int position) { return row_at_[at(position)] < first_ ? 0 : 1; };
  for (int k = 0; k < size(); ++k)
    floors[kind(k)] = std::max(floors[kind(k)], negligible * std::abs(z_[at(k)]));
  const auto size_of = [&](int k) { return std::max(std::abs(z_[at(k)]), floors[kind(k)]); };
  row_size_.resize(b_.size());
  for (std::size_t k = 0; k < b_.size(); ++k) row_size_[k] = std::abs(b_[k]);
  for (const Diagonal& one : mass_diagonal_)
    row_size_[at(one.row)] += std::abs(values_[at(one.place)]) * size_of(one.row);
  for (const Coupling& one : couplings_) {
    const double value = std::abs(values_[at(one.place)]);
    row_size_[at(one.row)] += value * size_of(one.column);
    row_size_[at(one.column)] += value * size_of(one.row);
  }
  double worst = 0;
  for (std::size_t k = 0; k < b_.size(); ++k) {
    if (row_size_[k] > 0) worst = std::max(worst, std::abs(r_[k]) / row_size_[k]);
  }
  return worst;
}

// r = b - A z, without δ
void SymmetricSystem::residual() {
  copy_values(b_, r_);
  for (const Diagonal& one : mass_diagonal_) r_[at(one.row)] -= values_[at(one.place)] * z_[at(one.row)];
  for (const Coupling& one : couplings_) {
    const double value = values_[at(one.place)];
    r_[at(one.row)] -= value * z_[at(one.column)];
    r_[at(one.column)] -= value * z_[at(one.row)];
  }
}

// z += (A with δ)⁻¹ (b - A z) for the solution in the factorisation.
void SymmetricSystem::refine() {
  const std::span<double> z = ldl_.rhs();
  copy_values(z, z_);
  residual();
  copy_values(r_, z);
  ldl_.solve();
  for (std::size_t k = 0; k < z.size(); ++k) z[k] += z_[k];
}

bool SymmetricSystem::solve(std::span<const double> environment) {
  if (straight()) {
    straight_.evaluate(environment, solution_, straight_workspace_);
    return all_finite(solution_);
  }
  if (condensed()) {
    condensed_->solve(environment, solution_);
    return all_finite(std::span(solution_).first(at(first_)));
  }
  eliminate(environment);
  ldl_.finish();
  if (refined_) refine();
  return all_finite(ldl_.rhs());
}

bool SymmetricSystem::factor(std::span<const double> environment) {
  make_ready();
  eliminate(environment);
  return ldl_.regular();
}

void SymmetricSystem::solve_factored(std::span<double> b) {
  const std::span<double> z = ldl_.rhs();
  for (int i = 0; i < size(); ++i) z[at(ldl_.position(i))] = b[at(i)];
  if (refined_) copy_values(z, b_);
  ldl_.solve();
  if (refined_) refine();
  for (int i = 0; i < size(); ++i) b[at(i)] = z[at(ldl_.position(i))];
}

std::span<const double> SymmetricSystem::solve_for(std::span<const double> c) {
  if (condensed()) {
    condensed_->solve_for(c, solution_);
  } else {
    std::ranges::fill(ldl_.rhs(), 0.0);
    constraints_(c.data(), ldl_.values().data());
    ldl_.solve();
    accelerations_(ldl_.values().data(), solution_.data());
  }
  return std::span(solution_).first(at(first_));
}

double SymmetricSystem::pivot(std::size_t constraint) const {
  if (has_pivots()) return pivots_[constraint];
  const int row = first_ + static_cast<int>(constraint);
  return condensed() ? condensed_->pivot(row) : ldl_.pivot(row);
}

void SymmetricSystem::prepare_regularity() {
  if (pivot_nodes_.empty()) return;
  pivot_program_ = Program::compile(*graph_, pivot_nodes_, setting_);
  pivots_.resize(pivot_nodes_.size());
}

// False: one is zero or not finite.
bool SymmetricSystem::find_pivots(std::span<const double> environment) {
  if (has_pivots()) {
    pivot_program_.evaluate(environment, pivots_, pivot_workspace_);
    return all_finite(pivots_);  // one that is zero is as near to losing rank as can be
  }
  if (condensed()) {
    condensed_->eliminate(environment);
    return condensed_->regular();
  }
  eliminate(environment);
  return ldl_.regular();
}

int SymmetricSystem::vanished(double part) const {
  int count = 0;
  for (std::size_t i = 0; i < peak_.size(); ++i) {
    if (live_[i] != 0 && std::abs(pivot(i)) < part * peak_[i]) ++count;
  }
  return count;
}

double SymmetricSystem::regularity(std::span<const double> environment) {
  if (!find_pivots(environment)) return 0;
  double smallest = 1;
  for (std::size_t i = 0; i < peak_.size(); ++i) {
    if (live_[i] == 0) continue;
    const double size = std::abs(pivot(i));
    peak_[i] = std::max(peak_[i], size);
    if (size < smallest * peak_[i]) smallest = size / peak_[i];
  }
  return smallest;
}

}  // namespace daedalus
