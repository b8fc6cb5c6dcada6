#include "consistent/relation_courses.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace daedalus {
namespace {

// Longer ones cost more than what they save.
constexpr std::size_t longest_program = 2000;

// An unknown that the equations at hand determine: the highest derivative of a variable.
class Unknowns {
 public:
  explicit Unknowns(const LevelSystem& levels) : levels_(levels), graph_(*levels.system().graph) {}
  [[nodiscard]] bool contains(NodeId leaf) const {
    if (graph_.node(leaf).op != Op::Variable) return false;
    const int j = levels_.incidence.column[graph_.variable_of(leaf).at()];
    return j >= 0 && graph_.order_of(leaf) == levels_.plan.d[static_cast<std::size_t>(j)];
  }
  [[nodiscard]] std::vector<NodeId> in(NodeId expression) const {
    std::vector<NodeId> found;
    for (const NodeId leaf : leaves_of(graph_, expression)) {
      if (contains(leaf)) found.push_back(leaf);
    }
    return found;
  }

 private:
  const LevelSystem& levels_;
  const ExprGraph& graph_;
};

struct Definition {
  NodeId leaf;
  NodeId residual;
};

// A number other than zero, or a choice between such: a coefficient that may be divided by.
bool is_safe_divisor(const ExprGraph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (node.op == Op::Constant) return node.value != 0;
  if (node.op != Op::If) return false;
  return std::ranges::all_of(std::span(node.args).subspan(1), [&](std::int32_t arm) {
    return graph.node(NodeId(arm)).op == Op::Constant && graph.node(NodeId(arm)).value != 0;
  });
}

// The nodes from the residual down to the only occurrence of a leaf; empty: it occurs more than once, or
// below something that is not undone here.
std::vector<NodeId> way_to(const ExprGraph& graph, NodeId residual, NodeId leaf) {
  std::unordered_map<NodeId, int> occurrences;
  for (const NodeId id : topological_order(graph, std::span(&residual, 1))) {
    const Node& node = graph.node(id);
    int& count = occurrences[id];
    count = id == leaf ? 1 : 0;
    for (int k = 0; k < node.arity; ++k)
      count = std::min(2, count + occurrences[NodeId(node.args[static_cast<std::size_t>(k)])]);
  }
  if (occurrences[residual] != 1) return {};
  std::vector<NodeId> way{residual};
  while (way.back() != leaf) {
    const Node& node = graph.node(way.back());
    const NodeId a(node.args[0]);
    const bool in_first = occurrences[a] == 1;
    switch (node.op) {
      case Op::Neg:
      case Op::Add:
      case Op::Sub:
        break;
      case Op::Mul:
        if (!is_safe_divisor(graph, in_first ? NodeId(node.args[1]) : a)) return {};
        break;
      case Op::Div:
        if (!in_first) return {};
        break;
      default:
        return {};
    }
    way.push_back(in_first ? a : NodeId(node.args[1]));
  }
  return way;
}

// Unknowns one after the other, each from an equation in which all others are known by then.
std::vector<Definition> find_definitions(const LevelSystem& levels, const Unknowns& unknowns) {
  const ExprGraph& graph = *levels.system().graph;
  std::vector<std::vector<NodeId>> open;  // by equation
  std::unordered_map<NodeId, std::vector<int>> equations_of;
  std::vector<NodeId> residuals;
  for (const LevelEquation& e : levels.equations) {
    if (e.level != levels.plan.c[static_cast<std::size_t>(e.equation)]) continue;
    residuals.push_back(e.residual);
    open.push_back(unknowns.in(e.residual));
    for (const NodeId leaf : open.back()) equations_of[leaf].push_back(static_cast<int>(open.size()) - 1);
  }
  std::vector<Definition> definitions;
  std::unordered_set<NodeId> settled;
  std::vector<int> ready;
  for (std::size_t e = 0; e < open.size(); ++e) {
    if (open[e].size() == 1) ready.push_back(static_cast<int>(e));
  }
  while (!ready.empty()) {
    const auto e = static_cast<std::size_t>(ready.back());
    ready.pop_back();
    if (open[e].size() != 1) continue;
    const NodeId leaf = open[e].front();
    if (!settled.insert(leaf).second) continue;
    if (!way_to(graph, residuals[e], leaf).empty())
      definitions.push_back({.leaf = leaf, .residual = residuals[e]});
    for (const int other : equations_of[leaf]) {
      auto& rest = open[static_cast<std::size_t>(other)];
      std::erase(rest, leaf);
      if (rest.size() == 1) ready.push_back(other);
    }
  }
  return definitions;
}

class Builder {
 public:
  Builder(const CompiledModel& model, std::vector<int>& slots)
      : model_(model), graph_(*model.dae().graph), slots_(slots) {
    place_of_[model.layout().time] = 0;
  }

  // The leaf's value is read.
  void read(NodeId leaf) {
    if (registers_.contains(leaf)) return;
    const int slot = model_.slot(leaf);
    const auto [found, fresh] = place_of_.try_emplace(slot, static_cast<int>(slots_.size()));
    if (fresh) slots_.push_back(slot);
    registers_[leaf] = program_.leaf(found->second);
  }
  void define(const Definition& definition) {
    if (registers_.contains(definition.leaf)) return;
    const std::vector<NodeId> way = way_to(graph_, definition.residual, definition.leaf);
    int target = program_.constant(0);
    for (std::size_t k = 0; k + 1 < way.size(); ++k) {
      const Node& node = graph_.node(way[k]);
      const bool in_first = NodeId(node.args[0]) == way[k + 1];
      const int other = node.op == Op::Neg ? -1 : expression(NodeId(node.args[in_first ? 1 : 0]));
      target = undo(node.op, in_first, target, other);
    }
    registers_[definition.leaf] = target;
  }
  int expression(NodeId root) {
    for (const NodeId leaf : leaves_of(graph_, root)) read(leaf);
    return program_.expression(graph_, root, registers_);
  }
  [[nodiscard]] CourseProgram program_of(int at) const { return program_.only(at); }

 private:
  int undo(Op op, bool in_first, int target, int other) {
    switch (op) {
      case Op::Neg:
        return program_.apply(Op::Neg, target);
      case Op::Add:
        return program_.apply(Op::Sub, target, other);
      case Op::Sub:
        return in_first ? program_.apply(Op::Add, target, other) : program_.apply(Op::Sub, other, target);
      case Op::Mul:
        return program_.apply(Op::Div, target, other);
      default:
        return program_.apply(Op::Mul, target, other);
    }
  }

  const CompiledModel& model_;
  const ExprGraph& graph_;
  std::vector<int>& slots_;
  std::unordered_map<int, int> place_of_;
  CourseProgram::Registers registers_;
  CourseProgram program_;
};

// Of the definitions those that the relations need, in their order.
std::vector<Definition> needed_by(const DaeSystem& dae, const Unknowns& unknowns,
                                  std::vector<Definition> definitions) {
  std::unordered_set<NodeId> needed;
  for (const Relation& relation : dae.relations) {
    for (const NodeId leaf : unknowns.in(relation.difference)) needed.insert(leaf);
  }
  for (auto d = definitions.rbegin(); d != definitions.rend(); ++d) {
    if (!needed.contains(d->leaf)) continue;
    for (const NodeId leaf : unknowns.in(d->residual)) needed.insert(leaf);
  }
  std::erase_if(definitions, [&](const Definition& d) { return !needed.contains(d.leaf); });
  return definitions;
}

}  // namespace

RelationCourses::RelationCourses(const CompiledModel& model) {
  const DaeSystem& dae = model.dae();
  if (dae.relations.empty()) return;
  slots_.push_back(model.layout().time);
  const Unknowns unknowns(model.levels());
  Builder builder(model, slots_);
  Builder plain(model, slots_);
  for (const Definition& definition : needed_by(dae, unknowns, find_definitions(model.levels(), unknowns)))
    builder.define(definition);
  for (const Relation& relation : dae.relations) {
    CourseProgram program = builder.program_of(builder.expression(relation.difference));
    if (program.size() > longest_program) program = plain.program_of(plain.expression(relation.difference));
    places_.push_back(program.places());
    programs_.push_back(std::move(program));
  }
  const Layout& layout = model.layout();
  std::vector<char> solved(slots_.size(), 0);
  moves_.assign(slots_.size(), 0);
  for (std::size_t p = 0; p < slots_.size(); ++p) {
    const int level = slots_[p] - layout.levels;
    const bool is_level = level >= 0 && level < model.level_count();
    moves_[p] = is_level || slots_[p] == layout.time ? 1 : 0;
    if (!is_level) continue;
    const Level& of = model.levels().levels[static_cast<std::size_t>(level)];
    const int j = model.levels().incidence.column[of.variable.at()];
    solved[p] = of.order == model.levels().plan.d[static_cast<std::size_t>(j)] ? 1 : 0;
  }
  for (const std::vector<int>& places : places_) {
    Kind kind = Kind::Time;
    bool reads_time = false;
    for (const int p : places) {
      const auto at = static_cast<std::size_t>(p);
      reads_time = reads_time || slots_[at] == layout.time;
      if (moves_[at] == 0 || slots_[at] == layout.time) continue;
      kind = solved[at] != 0 || kind == Kind::Solved ? Kind::Solved : Kind::States;
    }
    kinds_.push_back(kind == Kind::Time && !reads_time ? Kind::States : kind);
  }
}

bool RelationCourses::any(Kind kind) const {
  return std::ranges::find(kinds_, kind) != kinds_.end();
}

}  // namespace daedalus
