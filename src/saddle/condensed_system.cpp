#include "saddle/condensed_system.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "numerics/elimination.hpp"
#include "numerics/pattern_builder.hpp"

namespace daedalus {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Of an equation that is taken out: beyond, its products are as many as an elimination by panels does faster.
constexpr std::size_t widest = 8;
// Leaves of the second program stand for what the first has computed; no variable has derivatives of this
// order.
constexpr int unknown_order = std::numeric_limits<std::int32_t>::max();
constexpr int kept_order = unknown_order - 1;

// Of a program: in the order of elimination, so that what belongs to one body is evaluated together.
class Roots {
 public:
  struct Root {
    int turn;
    int destination;
    NodeId value;
  };
  void add(const Root& root) { all_.push_back(root); }
  [[nodiscard]] Program compile(const ExprGraph& graph, const ProgramSetting& setting) {
    std::ranges::sort(all_, {}, [](const Root& root) { return std::pair(root.turn, root.destination); });
    std::vector<NodeId> values;
    for (const Root& root : all_) {
      values.push_back(root.value);
      destinations_.push_back(root.destination);
    }
    return Program::compile(graph, values, setting, destinations_);
  }
  // In the order of the program.
  [[nodiscard]] std::span<const int> destinations() const { return destinations_; }

 private:
  std::vector<Root> all_;
  std::vector<int> destinations_;
};

}  // namespace

// Values of the first program that the second one uses; and when the first should compute each: with the row
// of what is left that it belongs to.
class CondensedSystem::Kept {
 public:
  struct Value {
    NodeId node;
    int turn;
  };
  explicit Kept(ExprGraph& graph) : graph_(graph) {}

  // What stands for the expression in the second program.
  NodeId operator()(NodeId node, int turn) {
    const Node known = graph_.node(node);
    if (known.op == Op::Constant) return node;
    if (known.op == Op::Neg) return graph_.neg(leaf(NodeId(known.args[0]), turn));
    return leaf(node, turn);
  }
  [[nodiscard]] const std::vector<Value>& values() const { return values_; }

 private:
  NodeId leaf(NodeId node, int turn) {
    const auto [place, fresh] = number_.try_emplace(node, static_cast<int>(values_.size()));
    if (fresh) values_.push_back({.node = node, .turn = turn});
    return graph_.variable(VariableId(place->second), kept_order);
  }

  ExprGraph& graph_;
  std::unordered_map<NodeId, int> number_;
  std::vector<Value> values_;
};

CondensedSystem::Laid CondensedSystem::lay_out(const Condensation& given) {
  PatternBuilder builder(static_cast<int>(given.left.size()));
  for (const EliminationEntry& one : given.lower) {
    builder.add(one.row, one.column);
    builder.add(one.column, one.row);
  }
  for (int i = 0; i < static_cast<int>(given.left.size()); ++i) builder.add(i, i);
  PatternBuilder::Built built = builder.build();
  Laid laid{.pattern = std::move(built.pattern), .places = {}};
  for (std::size_t k = 0; k < given.lower.size(); ++k)
    laid.places.emplace_back(built.position[2 * k], built.position[(2 * k) + 1]);
  return laid;
}

std::unique_ptr<CondensedSystem> CondensedSystem::make(const SaddleEquations& equations,
                                                       const ProgramSetting& given_setting,
                                                       PanelSystem& whole) {
  ExprGraph& graph = equations.graph;
  const int size = whole.size();
  const int first = whole.first();
  ProgramSetting setting = given_setting;
  setting.codegen.often = true;
  std::vector<int> as_given(at(size));
  std::iota(as_given.begin(), as_given.end(), 0);
  const auto found = condense(graph, size, lower_entries(equations.matrix, as_given), equations.rhs, first,
                              {.widest = widest, .saved = whole.share_of_mass()});
  if (!found) return nullptr;
  std::unique_ptr<CondensedSystem> result(new CondensedSystem(std::move(whole)));
  result->place_.assign(at(size), -1);
  for (std::size_t k = 0; k < found->left.size(); ++k)
    result->place_[at(found->left[k])] = static_cast<int>(k);
  const Laid laid = lay_out(*found);
  const std::vector<int> order = saddle_order(laid.pattern, first - static_cast<int>(found->taken.size()));
  const std::vector<int> turns = result->turns(*found, inverse_permutation(order));
  Kept kept(graph);
  for (const Condensation::Taken& one : found->taken) {
    const int turn = turns[at(one.unknown)];
    (void)kept(one.rhs, turn);
    for (const auto& factor : one.factors) (void)kept(factor.second, turn);
  }
  result->make_matrix(graph, *found, laid, order, kept.values().size());
  result->compile_system(graph, *found, kept, setting);
  result->compile_recovery(graph, *found, kept, turns, setting.codegen);
  const auto accelerations = result->left_of(0, first);
  const auto constraints = result->left_of(first, size);
  result->accelerations_ = IndexedCopy(accelerations.places, accelerations.unknowns);
  result->multipliers_ = IndexedCopy(constraints.places, constraints.unknowns);
  std::vector<int> numbers;
  for (const int unknown : constraints.unknowns) numbers.push_back(unknown - first);
  result->constraints_ = IndexedCopy(numbers, constraints.places);
  result->whole_.compile(true);
  return result;
}

// By unknown: its position; of one that is taken out, the first of those that it is joined to.
std::vector<int> CondensedSystem::turns(const Condensation& condensation,
                                        std::span<const int> position) const {
  std::vector<int> turn(place_.size(), 0);
  for (std::size_t k = 0; k < place_.size(); ++k) {
    if (place_[k] >= 0) turn[k] = position[at(place_[k])];
  }
  for (std::size_t k = condensation.taken.size(); k-- > 0;) {
    const Condensation::Taken& one = condensation.taken[k];
    int& mine = turn[at(one.unknown)];
    mine = one.factors.empty() ? 0 : turn[at(one.factors.front().first)];
    for (const auto& factor : one.factors) mine = std::min(mine, turn[at(factor.first)]);
  }
  return turn;
}

void CondensedSystem::make_matrix(const ExprGraph& graph, const Condensation& condensation, const Laid& laid,
                                  std::span<const int> order, std::size_t room) {
  std::vector<char> varying(laid.pattern.row.size(), 0);
  std::vector<double> constants(laid.pattern.row.size(), 0);
  for (std::size_t k = 0; k < laid.places.size(); ++k) {
    const auto [below, above] = laid.places[k];
    const Node& value = graph.node(condensation.lower[k].value);
    varying[at(below)] = varying[at(above)] = value.op == Op::Constant ? 0 : 1;
    constants[at(below)] = constants[at(above)] = value.value;
  }
  ldl_ = StaticLdl(laid.pattern, order, varying, room);
  ldl_.set_constants(constants);
  for (const auto& [below, above] : laid.places)
    entry_.push_back(std::max(ldl_.place(below), ldl_.place(above)));
}

void CondensedSystem::compile_system(const ExprGraph& graph, const Condensation& condensation,
                                     const Kept& kept, const ProgramSetting& setting) {
  Roots roots;
  for (std::size_t k = 0; k < condensation.lower.size(); ++k) {
    const EliminationEntry& one = condensation.lower[k];
    const int turn = std::min(ldl_.position(one.row), ldl_.position(one.column));
    if (!graph.is_constant(one.value))
      roots.add({.turn = turn, .destination = entry_[k], .value = one.value});
  }
  for (std::size_t i = 0; i < condensation.rhs.size(); ++i) {
    const int row = static_cast<int>(i);
    roots.add({.turn = ldl_.position(row), .destination = ldl_.rhs_place(row), .value = condensation.rhs[i]});
  }
  int room = ldl_.room_place();
  for (const Kept::Value& one : kept.values())
    roots.add({.turn = one.turn, .destination = room++, .value = one.node});
  system_ = roots.compile(graph, setting);
  staged_.plan(ldl_, system_, roots.destinations());
}

void CondensedSystem::compile_recovery(ExprGraph& graph, const Condensation& condensation, Kept& kept,
                                       std::span<const int> turns, const CodegenOptions& codegen) {
  std::vector<NodeId> solution(place_.size());  // by unknown
  for (std::size_t k = 0; k < place_.size(); ++k) {
    if (place_[k] >= 0) solution[k] = graph.variable(VariableId(place_[k]), unknown_order);
  }
  Roots roots;
  for (std::size_t k = condensation.taken.size(); k-- > 0;) {
    const Condensation::Taken& one = condensation.taken[k];
    const int turn = turns[at(one.unknown)];
    NodeId sum = kept(one.rhs, turn);
    for (const auto& [other, factor] : one.factors)
      sum = graph.sub(sum, graph.mul(kept(factor, turn), solution[at(other)]));
    solution[at(one.unknown)] = graph.mul(graph.constant(one.inverse), sum);
    roots.add({.turn = turn, .destination = one.unknown, .value = solution[at(one.unknown)]});
  }
  const auto slot_of = [&](NodeId leaf) {
    const int number = graph.variable_of(leaf).value;
    return graph.order_of(leaf) == unknown_order ? ldl_.rhs_place(number) : ldl_.room_place() + number;
  };
  recovery_ = roots.compile(
      graph, {.slots = static_cast<int>(ldl_.values().size()), .slot_of = slot_of, .codegen = codegen});
}

CondensedSystem::Left CondensedSystem::left_of(int begin, int end) const {
  Left left;
  for (int k = begin; k < end; ++k) {
    if (place_[at(k)] < 0) continue;
    left.unknowns.push_back(k);
    left.places.push_back(ldl_.rhs_place(place_[at(k)]));
  }
  return left;
}

std::unique_ptr<SaddleSystem> CondensedSystem::copy() const {
  return std::unique_ptr<SaddleSystem>(new CondensedSystem(*this));
}

bool CondensedSystem::solve_at(std::span<const double> environment) {
  staged_.run(ldl_, system_, environment, workspace_);
  ldl_.finish();
  recover();
  return all_finite(accelerations());
}

bool CondensedSystem::pivots_at(std::span<const double> environment, std::span<double> pivots) {
  staged_.run(ldl_, system_, environment, workspace_);
  const std::span<const int> rows = std::span<const int>(place_).subspan(at(whole_.first()));
  for (std::size_t i = 0; i < rows.size(); ++i) pivots[i] = std::abs(ldl_.pivot(rows[i]));
  return ldl_.regular();
}

std::span<const double> CondensedSystem::solve_constraints(std::span<const double> c) {
  std::ranges::fill(ldl_.rhs(), 0.0);
  constraints_(c.data(), ldl_.values().data());
  ldl_.solve();
  recover();
  return accelerations();
}

void CondensedSystem::recover() {
  accelerations_(ldl_.values().data(), solution_.data());
  recovery_.evaluate(ldl_.values(), solution_, recovery_workspace_);
}

}  // namespace daedalus
