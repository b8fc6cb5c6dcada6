#include "saddle/panel_system.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "numerics/elimination.hpp"
#include "numerics/pattern_builder.hpp"

namespace daedalus {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

std::vector<EliminationEntry> lower_entries(const SymbolicMatrix& matrix, std::span<const int> position) {
  std::vector<EliminationEntry> lower;
  for (const SymbolicEntry& entry : matrix.entries) {
    const int row = position[at(entry.column)];
    const int column = position[at(entry.row)];
    if (row >= column) lower.push_back({.row = row, .column = column, .value = entry.value});
  }
  return lower;
}

PanelSystem::PanelSystem(const SaddleEquations& equations, const ProgramSetting& setting)
    : graph_(&equations.graph), first_(equations.first), setting_(setting) {
  setting_.codegen.often = true;
  homogeneous_ =
      std::ranges::all_of(equations.rhs, [&](NodeId node) { return graph_->is_constant(node, 0); });
  build_pattern(equations);
  order_ = saddle_order(pattern_, first_);
  std::vector<char> varying(pattern_.row.size(), 0);
  for (std::size_t k = 0; k < target_.size(); ++k) {
    if (!graph_->is_constant(equations.matrix.entries[k].value)) varying[at(target_[k])] = 1;
  }
  ldl_ = StaticLdl(pattern_, order_, varying);
  list_roots(equations);
  connect();
}

void PanelSystem::build_pattern(const SaddleEquations& equations) {
  PatternBuilder builder(equations.matrix.rows);
  for (const SymbolicEntry& entry : equations.matrix.entries) builder.add(entry.row, entry.column);
  for (int i = first_; i < equations.matrix.rows; ++i) builder.add(i, i);
  PatternBuilder::Built built = builder.build();
  pattern_ = std::move(built.pattern);
  const auto entries = static_cast<std::ptrdiff_t>(equations.matrix.entries.size());
  target_.assign(built.position.begin(), built.position.begin() + entries);
  diagonal_.assign(built.position.begin() + entries, built.position.end());
  constants_.assign(pattern_.row.size(), 0);
}

// Of each pair the entry that is read, and b, in the order in which they are eliminated: what belongs to one
// body is evaluated together.
void PanelSystem::list_roots(const SaddleEquations& equations) {
  const std::vector<int> position = inverse_permutation(order_);
  struct Root {
    int turn;  // position of the column
    int destination;
    NodeId value;
  };
  std::vector<Root> roots;
  for (std::size_t k = 0; k < target_.size(); ++k) {
    const SymbolicEntry& entry = equations.matrix.entries[k];
    const Varying one{.place = target_[k], .in_ldl = ldl_.place(target_[k])};
    if (graph_->is_constant(entry.value)) {
      constants_[at(one.place)] = graph_->node(entry.value).value;
    } else if (one.in_ldl >= 0) {
      varying_.push_back(one);
      roots.push_back({.turn = std::min(position[at(entry.row)], position[at(entry.column)]),
                       .destination = one.in_ldl,
                       .value = entry.value});
    }
  }
  for (std::size_t i = 0; i < equations.rhs.size(); ++i) {
    const int place = ldl_.rhs_place(static_cast<int>(i));
    roots.push_back({.turn = position[i], .destination = place, .value = equations.rhs[i]});
  }
  std::ranges::sort(roots, {}, [](const Root& root) { return std::pair(root.turn, root.destination); });
  for (const Root& root : roots) {
    roots_.push_back(root.value);
    destinations_.push_back(root.destination);
  }
}

void PanelSystem::connect() {
  std::vector<int> places(at(size()));
  for (int i = 0; i < size(); ++i) places[at(i)] = ldl_.rhs_place(i);
  std::vector<int> numbers(at(size()));
  std::iota(numbers.begin(), numbers.end(), 0);
  const std::span<const int> all = places;
  const std::span<const int> natural = numbers;
  to_accelerations_ = IndexedCopy(all.first(at(first_)), natural.first(at(first_)));
  from_constraints_ = IndexedCopy(natural.first(at(constraints())), all.subspan(at(first_)));
  accelerations_.resize(at(first_));
  ldl_.set_constants(constants_);
}

void PanelSystem::compile(bool for_few_points) {
  provisional_ = for_few_points;
  ProgramSetting setting = setting_;
  if (provisional_) setting.codegen.choice = CodegenChoice::Interpreter;
  system_ = Program::compile(*graph_, roots_, setting, destinations_);
  staged_.plan(ldl_, system_, destinations_);
}

void PanelSystem::expect_many_points() {
  if (provisional_) compile();
}

std::unique_ptr<SaddleSystem> PanelSystem::copy() const {
  return std::make_unique<PanelSystem>(*this);
}

void PanelSystem::set_delta(std::span<const double> delta) {
  for (std::size_t i = 0; i < delta.size(); ++i) constants_[at(diagonal_[i])] = -delta[i];
  ldl_.set_constants(constants_);
}

void PanelSystem::load(std::span<const double> environment) {
  ldl_.reset();
  system_.evaluate(environment, ldl_.values(), workspace_);
}

void PanelSystem::fetch(std::span<double> entries, std::span<double> b) const {
  const std::span<const double> loaded = ldl_.values();
  copy_values(loaded.subspan(at(ldl_.room_place() - size()), at(size())), b);
  for (const Varying& one : varying_) entries[at(one.place)] = loaded[at(one.in_ldl)];
}

bool PanelSystem::factor(std::span<const double> environment) {
  run(environment);
  return ldl_.regular();
}

void PanelSystem::solve(std::span<double> b) {
  ldl_.solve(b);
}

bool PanelSystem::solve_at(std::span<const double> environment) {
  run(environment);
  ldl_.finish();
  return all_finite(ldl_.rhs());
}

bool PanelSystem::pivots_at(std::span<const double> environment, std::span<double> pivots) {
  const bool regular = factor(environment);
  for (int i = 0; i < constraints(); ++i) pivots[at(i)] = std::abs(ldl_.pivot(first_ + i));
  return regular;
}

std::span<const double> PanelSystem::accelerations() {
  to_accelerations_(ldl_.values().data(), accelerations_.data());
  return accelerations_;
}

std::span<const double> PanelSystem::solve_constraints(std::span<const double> c) {
  std::ranges::fill(ldl_.rhs(), 0.0);
  from_constraints_(c.data(), ldl_.values().data());
  ldl_.solve();
  return accelerations();
}

void PanelSystem::state(Archive& archive) {
  archive.section("panels", 1);
  bool ready = !provisional_;
  std::vector<double> delta;
  for (const int place : diagonal_) delta.push_back(-constants_[at(place)]);
  archive(ready).sized(diagonal_.size(), delta);
  if (!archive.reading() || !archive.ok()) return;
  if (ready) expect_many_points();
  set_delta(delta);
}

}  // namespace daedalus
