#include "systems/linear_rates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <unordered_set>

#include "core/decimal.hpp"
#include "numerics/vectors.hpp"
#include "systems/random_point.hpp"

namespace daedalus {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

constexpr int points_needed = 3;
constexpr int points_tried = 60;
constexpr double equal = 1e-10;  // of two values that shall be the same expression
// Against the largest of its row: what is left where terms cancel each other.
constexpr double rounding = 1e-11;
constexpr double few_roundings = 64 * std::numeric_limits<double>::epsilon();

// Between one direct() and the next, about: the stages of a step.
constexpr std::uint64_t direct_evaluations = 12;

// An entry at all points.
bool zero_at(const std::vector<std::vector<double>>& points, std::size_t k) {
  return std::ranges::all_of(points, [k](const std::vector<double>& values) { return values[k] == 0; });
}

bool alike(double a, double b, double size) {
  return std::abs(a - b) <= (equal * (std::abs(a) + std::abs(b))) + (rounding * size);
}

}  // namespace

void LinearRates::Assignments::add(const LinearCore::Assignment& assignment, const LinearRates& owner,
                                   std::vector<NodeId>& roots) {
  const int to = owner.slots_->map->slot(assignment.leaf);
  const Op op = owner.graph_.node(assignment.value).op;
  if (op == Op::Variable) {
    sources[to] = owner.slots_->map->slot(assignment.value);
    return;
  }
  roots.push_back(assignment.value);
  slots.push_back(to);
}

void LinearRates::Assignments::finish(const LinearRates& owner, std::span<const NodeId> roots) {
  std::vector<int> from;
  std::vector<int> to;
  for (const auto& [slot, source] : sources) {
    from.push_back(source);
    to.push_back(slot);
  }
  copy = IndexedCopy(from, to);
  program = Program::compile(owner.graph_, roots, owner.setting(), slots);
}

void LinearRates::Assignments::compute(std::span<double> environment, std::vector<double>& workspace) const {
  if (!slots.empty()) program.evaluate(environment, environment, workspace);
}

std::unique_ptr<LinearRates> LinearRates::make(const ConstrainedForm& form, const ReformedResidual& residual,
                                               const States& states) {
  auto core = find_linear_core(form, residual.system());
  if (!core) return nullptr;
  return std::unique_ptr<LinearRates>(new LinearRates(form, residual, *std::move(core), states));
}

LinearRates::LinearRates(const ConstrainedForm& form, const ReformedResidual& residual, LinearCore core,
                         const States& states)
    : system_of_(residual.shared_system()),
      graph_(form.graph()),
      core_(std::move(core)),
      slot_count_(residual.slots()),
      codegen_(residual.codegen()) {
  const auto slots = std::make_shared<Slots>();
  slots->map = residual.slot_map();
  for (std::size_t k = 0; k < states.numbers.size(); ++k) {
    const NodeId leaf = residual.system().unknowns[at(states.numbers[k])].leaf;
    slots->state[leaf.value] = states.first + static_cast<int>(k);
  }
  slots_ = slots;
  for (const NodeId leaf : core_.unknowns) slot_.push_back(residual.slot(leaf));
  const Assigned assigned = compile_assignments(residual.system());
  const std::vector<NodeId> rates = rate_nodes(states, assigned);
  find_positions(states, rates);
  z_.resize(slot_.size());
  if (slot_.empty()) return;
  if (make_symmetric()) {
    symmetric_ = std::make_unique<SymmetricSystem>(
        graph_, core_.matrix, core_.rhs, first_, setting(), slot_,
        SymmetricSystem::Sequel{.unknowns = core_.unknowns,
                                .nodes = std::span(rates).subspan(at(positions_))});
  } else {
    compile_general();
  }
}

ProgramSetting LinearRates::setting() const {
  return {.slots = slot_count_,
          .slot_of = [slots = slots_](NodeId leaf) { return slots->slot(leaf); },
          .codegen = codegen_};
}

// An assignment may use those before it, so a program must not hold two of which one uses the other: what
// assignments use is written out.
LinearRates::Assigned LinearRates::compile_assignments(const ReformulatedSystem& system) {
  Assigned known;
  std::unordered_set<NodeId> rates;
  for (const ReformUnknown& unknown : system.unknowns) {
    if (unknown.rate.valid()) rates.insert(unknown.rate);
  }
  std::vector<NodeId> rate_roots;
  std::vector<NodeId> watched_roots;
  for (const LinearCore::Assignment& assignment : core_.assignments) {
    const NodeId value = substitute(graph_, std::span(&assignment.value, 1), known).front();
    known[assignment.leaf] = value;
    const bool rate = rates.contains(assignment.leaf);
    (rate ? rates_ : watched_)
        .add({.leaf = assignment.leaf, .value = value, .equation = assignment.equation}, *this,
             rate ? rate_roots : watched_roots);
  }
  rates_.finish(*this, rate_roots);
  watched_.finish(*this, watched_roots);
  return known;
}

// y', in states and unknowns.
std::vector<NodeId> LinearRates::rate_nodes(const States& states, const Assigned& assigned) const {
  std::vector<NodeId> nodes;
  for (const int k : states.numbers) {
    const NodeId rate = system_of_->unknowns[at(k)].rate;
    const auto found = assigned.find(rate);
    nodes.push_back(found == assigned.end() ? rate : found->second);
  }
  return nodes;
}

void LinearRates::find_positions(const States& states, std::span<const NodeId> rates) {
  std::vector<NodeId> leaves;
  for (const int k : states.numbers) leaves.push_back(system_of_->unknowns[at(k)].leaf);
  if (rates.empty()) return;
  const auto count = std::ranges::find(leaves, rates.front()) - leaves.begin();
  if (2 * count > std::ssize(leaves)) return;
  const std::span<const NodeId> next = std::span(leaves).subspan(static_cast<std::size_t>(count));
  if (std::equal(rates.begin(), rates.begin() + count, next.begin())) positions_ = static_cast<int>(count);
}

// Values of all entries at random points.
bool LinearRates::make_symmetric() {
  std::vector<bool> diagonal(slot_.size(), false);
  std::vector<NodeId> roots;
  for (const SymbolicEntry& entry : core_.matrix.entries) {
    roots.push_back(entry.value);
    if (entry.row == entry.column) diagonal[at(entry.row)] = true;
  }
  first_ = static_cast<int>(std::ranges::find(diagonal, false) - diagonal.begin());
  // Rows of M first, then constraints, whose diagonal is zero.
  if (std::ranges::find(diagonal.begin() + first_, diagonal.end(), true) != diagonal.end()) return false;
  const Tape tape =
      Tape::write(graph_, roots, slot_count_, [this](NodeId leaf) { return slots_->slot(leaf); });
  std::vector<double> all;
  std::vector<double> environment(at(slot_count_));
  std::vector<std::vector<double>> points;
  std::mt19937 random(1);
  for (int k = 0; k < points_tried && points.size() < points_needed; ++k) {
    fill_at_random(random, environment);
    std::vector<double> results(roots.size());
    tape.compute(environment, all);
    for (std::size_t r = 0; r < roots.size(); ++r) results[r] = all[at(tape.roots[r])];
    if (all_finite(results)) points.push_back(std::move(results));
  }
  std::vector<double> scale(slot_.size(), 1);
  if (points.size() < points_needed) return false;
  std::vector<Place> noise = drop_rounding(points);
  pair_constraints(points.front(), noise);
  drop_mirrored(points, noise);
  if (!scale_rows(points, scale)) return false;
  for (SymbolicEntry& entry : core_.matrix.entries)
    entry.value = graph_.mul(graph_.constant(scale[at(entry.row)]), entry.value);
  for (std::size_t k = 0; k < core_.rhs.size(); ++k)
    core_.rhs[k] = graph_.mul(graph_.constant(scale[k]), core_.rhs[k]);
  return true;
}

// Entries that are nothing but rounding at every point are none, and are returned. What is zero exactly may
// be something elsewhere.
std::vector<LinearRates::Place> LinearRates::drop_rounding(std::vector<std::vector<double>>& points) {
  std::vector<bool> kept(core_.matrix.entries.size(), false);
  for (const std::vector<double>& values : points) {
    std::vector<double> row(slot_.size(), 0);
    std::vector<double> column(slot_.size(), 0);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const SymbolicEntry& entry = core_.matrix.entries[k];
      row[at(entry.row)] = std::max(row[at(entry.row)], std::abs(values[k]));
      column[at(entry.column)] = std::max(column[at(entry.column)], std::abs(values[k]));
    }
    for (std::size_t k = 0; k < values.size(); ++k) {
      const SymbolicEntry& entry = core_.matrix.entries[k];
      const double size = std::min(row[at(entry.row)], column[at(entry.column)]);
      kept[k] = kept[k] || std::abs(values[k]) > rounding * size;
    }
  }
  std::vector<Place> noise;
  for (std::size_t k = 0; k < kept.size(); ++k) {
    kept[k] = kept[k] || zero_at(points, k);
    const SymbolicEntry& entry = core_.matrix.entries[k];
    if (!kept[k]) noise.push_back({.row = entry.row, .column = entry.column});
  }
  keep_entries(kept, points);
  return noise;
}

// An entry that is zero exactly, beside a mirrored one that is rounding, is none either: the two are the same
// expression, evaluated in another order.
void LinearRates::drop_mirrored(std::vector<std::vector<double>>& points, const std::vector<Place>& noise) {
  std::set<std::pair<int, int>> mirrored;
  for (const Place& place : noise) mirrored.emplace(place.column, place.row);
  std::vector<bool> kept(core_.matrix.entries.size(), true);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const SymbolicEntry& entry = core_.matrix.entries[k];
    kept[k] = !zero_at(points, k) || !mirrored.contains({entry.row, entry.column});
  }
  keep_entries(kept, points);
}

void LinearRates::keep_entries(const std::vector<bool>& kept, std::vector<std::vector<double>>& points) {
  const auto keep = [&kept](auto& list) {
    std::size_t n = 0;
    for (std::size_t k = 0; k < kept.size(); ++k) {
      if (kept[k]) list[n++] = list[k];
    }
    list.resize(n);
  };
  keep(core_.matrix.entries);
  for (std::vector<double>& values : points) keep(values);
}

// Puts the row of each constraint beside the column of its own multiplier: same pattern, same ratios.
void LinearRates::pair_constraints(const std::vector<double>& values, std::vector<Place>& noise) {
  using Line = std::vector<std::pair<int, double>>;  // by row of M, the largest value being 1
  const int size = static_cast<int>(slot_.size());
  std::vector<Line> rows(at(size - first_));
  std::vector<Line> columns(at(size - first_));
  for (std::size_t k = 0; k < values.size(); ++k) {
    const SymbolicEntry& entry = core_.matrix.entries[k];
    if (entry.row >= first_) rows[at(entry.row - first_)].emplace_back(entry.column, values[k]);
    if (entry.column >= first_) columns[at(entry.column - first_)].emplace_back(entry.row, values[k]);
  }
  std::map<std::vector<int>, std::vector<int>> by_pattern;  // constraints
  const auto normalise = [](Line& line) {
    std::ranges::sort(line);
    const auto largest = std::ranges::max_element(
        line, {}, [](const std::pair<int, double>& entry) { return std::abs(entry.second); });
    const double first = largest == line.end() ? 1 : largest->second;
    std::vector<int> pattern;
    for (auto& [index, value] : line) {
      value /= first;
      pattern.push_back(index);
    }
    return pattern;
  };
  for (std::size_t r = 0; r < rows.size(); ++r) by_pattern[normalise(rows[r])].push_back(static_cast<int>(r));
  std::vector<int> row_of(rows.size(), -1);  // by constraint: where it shall stand
  for (std::size_t c = 0; c < columns.size(); ++c) {
    std::vector<int>& candidates = by_pattern[normalise(columns[c])];
    const auto fits = [&](int r) {
      return std::ranges::equal(rows[at(r)], columns[c],
                                [](const auto& a, const auto& b) { return alike(a.second, b.second, 1); });
    };
    const auto found = std::ranges::find_if(candidates, fits);
    if (found == candidates.end()) return;  // not symmetric
    row_of[at(*found)] = first_ + static_cast<int>(c);
    candidates.erase(found);
  }
  std::vector<NodeId> rhs = core_.rhs;
  std::vector<int> equations = core_.equations;
  for (std::size_t r = 0; r < row_of.size(); ++r) {
    core_.rhs[at(row_of[r])] = rhs[at(first_) + r];
    core_.equations[at(row_of[r])] = equations[at(first_) + r];
  }
  const auto move = [&](int& row) {
    if (row >= first_) row = row_of[at(row - first_)];
  };
  for (SymbolicEntry& entry : core_.matrix.entries) move(entry.row);
  for (Place& place : noise) move(place.row);
}

// scale_i A_ij = A_ji for the rows i of constraints, and M symmetric as it is.
bool LinearRates::scale_rows(const std::vector<std::vector<double>>& points, std::vector<double>& scale) {
  const auto& entries = core_.matrix.entries;
  std::unordered_map<std::int64_t, std::size_t> place;
  const auto key = [this](int row, int column) {
    return (static_cast<std::int64_t>(row) * static_cast<std::int64_t>(slot_.size())) + column;
  };
  for (std::size_t k = 0; k < entries.size(); ++k) place[key(entries[k].row, entries[k].column)] = k;
  std::vector<std::size_t> widest(slot_.size(), entries.size());  // by row: its largest entry left of it
  for (std::size_t k = 0; k < entries.size(); ++k) {
    std::size_t& best = widest[at(entries[k].row)];
    if (entries[k].column > entries[k].row) continue;
    if (best == entries.size() || std::abs(points[0][k]) > std::abs(points[0][best])) best = k;
  }
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const int i = entries[k].row;
    if (entries[k].column > i) continue;
    const auto other = place.find(key(entries[k].column, i));
    if (other == place.end()) return false;
    const std::size_t best = widest[at(i)];
    if (i < first_ || k != best) continue;
    const double ratio = points[0][other->second] / points[0][k];
    scale[at(i)] = without_noise(ratio, few_roundings * std::abs(ratio));  // equal for joints that are alike
  }
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const int i = entries[k].row;
    if (entries[k].column > i) continue;
    const std::size_t other = place.at(key(entries[k].column, i));
    for (const std::vector<double>& values : points) {
      const double size = scale[at(i)] * std::abs(values[widest[at(i)]]);
      if (!alike(scale[at(i)] * values[k], values[other], std::abs(size))) return false;
    }
  }
  // Every entry above the diagonal has a partner below it.
  const auto lower = std::ranges::count_if(entries, [](const SymbolicEntry& e) { return e.column < e.row; });
  const auto upper = std::ranges::count_if(entries, [](const SymbolicEntry& e) { return e.column > e.row; });
  return lower == upper && std::ranges::all_of(scale, [](double s) { return s != 0 && std::isfinite(s); });
}

void LinearRates::compile_general() {
  const auto& entries = core_.matrix.entries;
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t k) { return std::pair(entries[k].column, entries[k].row); });
  SparsePattern pattern{.size = core_.matrix.rows, .column_start = {}, .row = {}};
  pattern.column_start.assign(slot_.size() + 1, 0);
  std::vector<NodeId> roots;
  for (const std::size_t k : order) {
    roots.push_back(entries[k].value);
    pattern.row.push_back(entries[k].row);
    ++pattern.column_start[at(entries[k].column) + 1];
  }
  for (std::size_t c = 0; c < slot_.size(); ++c) pattern.column_start[c + 1] += pattern.column_start[c];
  general_ = make_linear_solver<double>(pattern);
  roots.insert(roots.end(), core_.rhs.begin(), core_.rhs.end());
  values_.resize(roots.size());
  system_ = Program::compile(graph_, roots, setting());
}

bool LinearRates::factor_general(std::span<const double> environment) {
  system_.evaluate(environment, values_, workspace_);
  const std::span<const double> entries = std::span(values_).first(core_.matrix.entries.size());
  copy_values(std::span(values_).subspan(entries.size()), z_);
  return all_finite(entries) && general_->factor(entries);
}

bool LinearRates::solve_general(std::span<double> environment) {
  if (!factor_general(environment)) return false;
  general_->solve(z_);
  for (std::size_t k = 0; k < z_.size(); ++k) environment[at(slot_[k])] = z_[k];
  return all_finite(z_);
}

// Symmetric or not, once and for all.
bool LinearRates::prepare(std::span<const double> environment) {
  if (symmetric_ == nullptr) return false;
  if (symmetric_->prepared()) return true;
  if (symmetric_->prepare(environment)) {
    connect_solution();
    return true;
  }
  symmetric_.reset();
  compile_general();
  return false;
}

void LinearRates::connect_solution() {
  std::vector<int> from;
  for (const int i : solved_unknowns_) from.push_back(symmetric_->solution_place(i));
  from_solution_ = IndexedCopy(from, solved_rates_);
  direct_ = symmetric_->prepared() && !symmetric_->soft() && symmetric_->has_sequel();
}

bool LinearRates::factor(std::span<const double> environment) {
  if (slot_.empty()) return true;
  return prepare(environment) && !pivoting_ ? symmetric_->factor(environment) : factor_general(environment);
}

void LinearRates::solve_factored(std::span<double> b) {
  if (slot_.empty()) return;
  if (symmetric_ != nullptr && !pivoting_) return symmetric_->solve_factored(b);
  general_->solve(b);
}

// Elimination without pivoting is looked after now and then; where it loses digits, pivoting takes over.
bool LinearRates::solve(std::span<double> environment, bool looked_after) {
  if (slot_.empty()) return true;
  if (!prepare(environment) || pivoting_) return solve_general(environment);
  if (!symmetric_->solve(environment)) return false;
  if (symmetric_->soft()) return true;
  if (!looked_after || symmetric_->holds(environment)) return true;
  pivoting_ = true;
  direct_ = false;
  compile_general();
  return solve_general(environment);
}

bool LinearRates::soften(double part) {
  if (symmetric_ == nullptr || !symmetric_->prepared()) return false;
  symmetric_->soften(part);
  connect_solution();
  pivoting_ = false;
  return true;
}

bool LinearRates::rates(std::span<double> environment) {
  if (!solve(environment, is_time_to_look())) return false;
  if (is_in_place()) symmetric_->put(environment);
  rates_.copy(environment.data(), environment.data());
  rates_.compute(environment, rates_workspace_);
  return true;
}

bool LinearRates::derivative(std::span<double> environment, std::span<const double> y,
                             std::span<double> rates) {
  const bool looked_after = is_time_to_look();
  if (direct_ && !looked_after) {
    symmetric_->sequel(environment, rates);
    return all_finite(rates);
  }
  if (!solve(environment, looked_after)) return false;
  from_states_(y.data(), rates.data());
  if (is_in_place()) {
    from_solution_(symmetric_->solution().data(), rates.data());
  } else {
    from_unknowns_(environment.data(), rates.data());
  }
  if (rates_.slots.empty()) return true;
  if (is_in_place()) symmetric_->put(environment);
  rates_.compute(environment, rates_workspace_);
  from_others_(environment.data(), rates.data());
  return true;
}

Program::Bound LinearRates::direct(std::span<double> environment) {
  if (!direct_) return {};
  solved_ += direct_evaluations;
  return symmetric_->bound_sequel(environment);
}

void LinearRates::set_states(std::span<const int> state_slots, std::span<const int> rate_slots) {
  struct Lists {
    std::vector<int> from, to;
    void add(int source, int k) {
      from.push_back(source);
      to.push_back(k);
    }
    [[nodiscard]] IndexedCopy copy() const { return {from, to}; }
  };
  std::unordered_map<int, int> state;    // by slot
  std::unordered_map<int, int> unknown;  // of z, by slot
  for (std::size_t k = 0; k < state_slots.size(); ++k) state[state_slots[k]] = static_cast<int>(k);
  for (std::size_t i = 0; i < slot_.size(); ++i) unknown[slot_[i]] = static_cast<int>(i);
  Lists states;
  Lists unknowns;
  Lists others;
  for (std::size_t r = at(positions_); r < rate_slots.size(); ++r) {
    const int k = static_cast<int>(r) - positions_;
    const auto source = rates_.sources.find(rate_slots[r]);
    const int slot = source == rates_.sources.end() ? rate_slots[r] : source->second;
    if (const auto y = state.find(slot); y != state.end()) {
      states.add(y->second, k);
    } else if (const auto z = unknown.find(slot); z != unknown.end()) {
      unknowns.add(slot, k);
      solved_unknowns_.push_back(z->second);
      solved_rates_.push_back(k);
    } else {
      others.add(slot, k);
    }
  }
  from_states_ = states.copy();
  if (symmetric_ != nullptr) connect_solution();
  from_unknowns_ = unknowns.copy();
  from_others_ = others.copy();
}

void LinearRates::watched(std::span<double> environment) {
  watched_.copy(environment.data(), environment.data());
  watched_.compute(environment, watched_workspace_);
}

double LinearRates::regularity(std::span<const double> environment) {
  if (slot_.empty()) return 1;
  return symmetric_ != nullptr && symmetric_->prepared() ? symmetric_->regularity(environment) : 0;
}

void LinearRates::state(Archive& archive) {
  archive.section("linear rates", 1);
  bool symmetric = symmetric_ != nullptr;
  bool general = general_ != nullptr;
  archive(symmetric, general, pivoting_, solved_, look_at_);
  archive.require(!symmetric || symmetric_ != nullptr, "another kind of linear system");
  if (!archive.ok()) return;
  if (archive.reading()) {
    if (!symmetric) symmetric_.reset();
    if (general && general_ == nullptr) compile_general();
  }
  if (symmetric) symmetric_->state(archive);
  if (general) general_->state(archive);
  if (!archive.reading() || !archive.ok() || !symmetric) return;
  connect_solution();
  if (pivoting_) direct_ = false;
}

std::string_view LinearRates::method() const {
  if (slot_.empty()) return "none";
  return symmetric_ != nullptr && !pivoting_ ? symmetric_->method() : general_->name();
}

}  // namespace daedalus
