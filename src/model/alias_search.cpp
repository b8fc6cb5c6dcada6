#include "model/alias_search.hpp"

#include <fmt/format.h>

#include <cassert>
#include <cmath>
#include <set>

namespace daedalus {
namespace {

// Everything of the system that holds expressions.
std::vector<NodeId> all_roots(const DaeSystem& system) {
  std::vector<NodeId> roots;
  for (const Equation& e : system.equations) roots.push_back(e.residual);
  for (const Equation& e : system.initial_equations) roots.push_back(e.residual);
  for (const Assignment& a : system.initial_assignments) roots.push_back(a.value);
  for (const Relation& r : system.relations) roots.push_back(r.difference);
  for (const Assertion& a : system.assertions) roots.push_back(a.condition);
  for (const DiscreteStep& step : system.discrete_steps) {
    if (const auto* a = std::get_if<Assignment>(&step)) {
      roots.push_back(a->value);
      continue;
    }
    for (const WhenBranch& branch : std::get<WhenClause>(step).branches) {
      roots.insert(roots.end(), branch.conditions.begin(), branch.conditions.end());
      for (const Assignment& a : branch.assignments) roots.push_back(a.value);
      for (const Assignment& a : branch.reinits) roots.push_back(a.value);
      for (const Termination& t : branch.terminations) {
        if (t.unless.valid()) roots.push_back(t.unless);
      }
    }
  }
  return roots;
}

bool is_variable(const Node& node) {
  return node.op == Op::Variable && node.args[1] == 0;
}

}  // namespace

std::vector<VariableUse> variable_uses(const DaeSystem& system) {
  std::vector<VariableUse> uses(system.variables.size());
  for (const NodeId id : topological_order(*system.graph, all_roots(system))) {
    const Node& node = system.graph->node(id);
    if (node.op == Op::Variable && node.args[1] > 0)
      uses[static_cast<std::size_t>(node.args[0])].differentiated = true;
    if (node.op == Op::Pre) uses[static_cast<std::size_t>(node.args[0])].has_pre = true;
  }
  for (const DiscreteStep& step : system.discrete_steps) {
    const auto* clause = std::get_if<WhenClause>(&step);
    if (clause == nullptr) continue;
    for (const WhenBranch& branch : clause->branches) {
      for (const Assignment& a : branch.reinits) uses[a.target.at()].reinitialised = true;
    }
  }
  for (const Assignment& a : system.initial_assignments) uses[a.target.at()].set_initially = true;
  return uses;
}

AliasSearch::AliasSearch(const DaeSystem& system, std::vector<VariableUse> uses, bool keep_constraints)
    : system_(system),
      graph_(*system.graph),
      uses_(std::move(uses)),
      keep_constraints_(keep_constraints),
      kept_constraint_(system.equations.size(), false),
      classes_(system.variables.size()),
      relation_(system.relations.size()),
      items_of_(system.variables.size() + system.relations.size()),
      used_equation_(system.equations.size(), false),
      used_initial_(system.initial_equations.size(), false),
      used_step_(system.discrete_steps.size(), false),
      resolved_by_(system.variables.size(), -1) {
  collect_items();
}

void AliasSearch::collect_items() {
  for (std::size_t i = 0; i < system_.equations.size(); ++i)
    add_item(Kind::Equation, i, system_.equations[i].residual);
  for (std::size_t i = 0; i < system_.initial_equations.size(); ++i)
    add_item(Kind::Initial, i, system_.initial_equations[i].residual);
  for (std::size_t i = 0; i < system_.relations.size(); ++i)
    add_item(Kind::Relation, i, system_.relations[i].difference);
  for (std::size_t i = 0; i < system_.discrete_steps.size(); ++i) {
    if (const auto* a = std::get_if<Assignment>(&system_.discrete_steps[i]))
      add_item(Kind::Step, i, a->value);
  }
}

void AliasSearch::add_item(Kind kind, std::size_t index, NodeId expression) {
  const auto item = static_cast<std::int32_t>(items_.size());
  items_.push_back({.kind = kind, .index = static_cast<std::int32_t>(index), .expression = expression});
  queue_.push_back(item);
  // leaves_of gives x and der(x) as two leaves of one variable.
  std::int32_t last = -1;
  for (const NodeId leaf : leaves_of(graph_, expression)) {
    const Node& node = graph_.node(leaf);
    std::size_t entity = 0;
    if (node.op == Op::Variable || node.op == Op::Discrete || node.op == Op::Pre) {
      entity = static_cast<std::size_t>(node.args[0]);
    } else if (node.op == Op::Relation) {
      entity = system_.variables.size() + static_cast<std::size_t>(node.args[0]);
    } else {
      continue;
    }
    if (static_cast<std::int32_t>(entity) == last) continue;
    last = static_cast<std::int32_t>(entity);
    items_of_[entity].push_back(item);
  }
}

std::optional<Diagnostic> AliasSearch::run() {
  while (!error_) {
    if (queue_.empty()) settle();
    if (queue_.empty()) break;
    const std::int32_t item = queue_.front();
    queue_.pop_front();
    examine(item);
  }
  return error_;
}

// Items that waited for more changes get their turn when nothing else is left.
void AliasSearch::settle() {
  for (const std::int32_t item : waiting_) {
    Item& i = items_[static_cast<std::size_t>(item)];
    if (i.done || i.queued || i.changes == 0) continue;
    i.queued = true;
    queue_.push_back(item);
  }
  waiting_.clear();
}

void AliasSearch::touch(std::size_t entity) {
  constexpr std::int32_t large = 256;
  for (const std::int32_t index : items_of_[entity]) {
    Item& item = items_[static_cast<std::size_t>(index)];
    if (item.done || item.queued) continue;
    ++item.changes;
    // A sum over thousands of variables is not looked at for each of them.
    if (item.cost > large && item.changes * 8 < item.cost) {
      if (item.changes == 1) waiting_.push_back(index);
      continue;
    }
    item.queued = true;
    queue_.push_back(index);
  }
}

void AliasSearch::examine(std::int32_t index) {
  Item& item = items_[static_cast<std::size_t>(index)];
  item.queued = false;
  item.changes = 0;
  if (item.done) return;
  current_ = index;
  item.expression = simplified(item.expression, item.cost);
  if (item.kind == Kind::Equation) return examine_equation(item);
  if (item.kind == Kind::Initial) return examine_initial(item);
  if (item.kind == Kind::Relation) return examine_relation(item);
  examine_step(item);
}

void AliasSearch::examine_equation(Item& item) {
  const std::optional<LinearForm> form = linear_form(graph_, item.expression);
  if (!form) return;
  if (form->terms.empty()) {
    item.done = true;
    // 0 = 0 stays, for structure to name: the model has an equation too many.
    if (form->constant != 0) error_ = contradiction(item);
    return;
  }
  bool used = false;
  if (form->terms.size() == 1) {
    used = use_single(form->terms[0], form->constant);
  } else if (form->constant == 0) {
    used = use_pair(*form);
  }
  if (held_back_) kept_constraint_[static_cast<std::size_t>(item.index)] = true;
  held_back_ = false;
  if (!used) return;
  item.done = true;
  used_equation_[static_cast<std::size_t>(item.index)] = true;
}

// factor * x + constant = 0.
bool AliasSearch::use_single(const LinearTerm& term, double constant) {
  const Node& node = graph_.node(term.leaf);
  if (!is_variable(node) || uses_[static_cast<std::size_t>(node.args[0])].reinitialised) return false;
  held_back_ = keep_constraints_ && uses_[static_cast<std::size_t>(node.args[0])].differentiated;
  if (held_back_) return false;
  const double value = constant == 0 ? 0.0 : -constant / term.factor;
  if (!std::isfinite(value)) return false;
  const auto root = classes_.find(node.args[0]);
  assert(root.root == node.args[0] && !root.negative);
  resolve(root.root, graph_.constant(value));
  return true;
}

// factor * x ± factor * y = 0, where y may also be time or a discrete value.
bool AliasSearch::use_pair(const LinearForm& form) {
  const LinearTerm& a = form.terms[0];
  const LinearTerm& b = form.terms[1];
  if (std::fabs(a.factor) != std::fabs(b.factor)) return false;
  const bool negative = a.factor == b.factor;
  const Node& first = graph_.node(a.leaf);
  const Node& second = graph_.node(b.leaf);
  if (is_variable(first) && is_variable(second)) {
    const bool moving = uses_[static_cast<std::size_t>(first.args[0])].differentiated &&
                        uses_[static_cast<std::size_t>(second.args[0])].differentiated;
    held_back_ = keep_constraints_ && moving;
    if (held_back_) return false;
    join_larger(second.args[0], first.args[0], negative);
    return true;
  }
  if (!is_variable(first) && !is_variable(second)) return false;
  const std::int32_t root = is_variable(first) ? first.args[0] : second.args[0];
  const NodeId leaf = is_variable(first) ? b.leaf : a.leaf;
  if (graph_.node(leaf).op == Op::Variable) return use_derivative(root, leaf, negative);
  if (!may_follow(root, leaf)) return false;
  resolve(root, negative ? graph_.neg(leaf) : leaf);
  return true;
}

// Whether a continuous variable may be replaced by time or a discrete value. Not where it has a life of its
// own at events or a start value that must hold.
bool AliasSearch::may_follow(std::int32_t root, NodeId leaf) const {
  const VariableUse& use = uses_[static_cast<std::size_t>(root)];
  const Node& node = graph_.node(leaf);
  const bool free =
      node.op == Op::Discrete &&
      system_.variables[static_cast<std::size_t>(node.args[0])].kind == VariableKind::FreeParameter;
  // A free parameter never changes, as a number does not.
  if (free) return !use.reinitialised && !system_.variables[static_cast<std::size_t>(root)].fixed;
  return !use.reinitialised && !use.has_pre && !use.differentiated &&
         !system_.variables[static_cast<std::size_t>(root)].fixed;
}

// x = ± der(y). The first such equation stays; a second x2 = ± der(y) says x2 = ± x.
bool AliasSearch::use_derivative(std::int32_t root, NodeId derivative, bool negative) {
  const auto [known, fresh] = derivative_.try_emplace(derivative, Signed{root, negative});
  if (fresh) return false;
  const Signed first = classes_.find(known->second.root);
  // The equation that is written down looks at itself again, or its variable is known otherwise by now.
  if (first.root == root || classes_.value(first.root).valid()) return false;
  join_larger(root, first.root, (negative != known->second.negative) != first.negative);
  return true;
}

// A parameter that the initialisation determines, p = number.
void AliasSearch::examine_initial(Item& item) {
  const std::optional<LinearForm> form = linear_form(graph_, item.expression);
  if (!form || form->terms.size() != 1) return;
  const Node& node = graph_.node(form->terms[0].leaf);
  if (node.op != Op::Discrete) return;
  if (system_.variables[static_cast<std::size_t>(node.args[0])].kind != VariableKind::Parameter) return;
  const double value = form->constant == 0 ? 0.0 : -form->constant / form->terms[0].factor;
  if (!std::isfinite(value)) return;
  resolve(node.args[0], graph_.constant(value));
  item.done = true;
  used_initial_[static_cast<std::size_t>(item.index)] = true;
}

void AliasSearch::examine_relation(Item& item) {
  if (!graph_.is_constant(item.expression)) return;
  const Relation& relation = system_.relations[static_cast<std::size_t>(item.index)];
  const double value = graph_.node(item.expression).value;
  relation_[static_cast<std::size_t>(item.index)] =
      graph_.constant((relation.strict ? value > 0 : value >= 0) ? 1 : 0);
  item.done = true;
  touch(system_.variables.size() + static_cast<std::size_t>(item.index));
}

// v := number, v := w, v := not w, v := -w.
void AliasSearch::examine_step(Item& item) {
  const Assignment& step = std::get<Assignment>(system_.discrete_steps[static_cast<std::size_t>(item.index)]);
  const Variable& target = system_.variables[step.target.at()];
  const VariableUse& use = uses_[step.target.at()];
  if (use.set_initially || classes_.find(step.target.value).root != step.target.value) return;
  const Node node = graph_.node(item.expression);
  if (node.op == Op::Constant) {
    // pre(v) is the start value until the first event iteration has ended.
    if ((use.has_pre || target.fixed) && target.start != node.value) return;
    resolve(step.target.value, item.expression);
  } else {
    const bool negative = node.op == Op::Not || node.op == Op::Neg;
    const Node inner = negative ? graph_.node(NodeId(node.args[0])) : node;
    if (inner.op != Op::Discrete || inner.args[0] == step.target.value) return;
    const Variable& source = system_.variables[static_cast<std::size_t>(inner.args[0])];
    if (source.kind == VariableKind::Parameter || source.kind != target.kind) return;
    const bool starts_apart =
        target.has_start != source.has_start || target.start != source.start || negative;
    if (starts_apart && (use.has_pre || target.fixed)) return;
    join(step.target.value, inner.args[0], negative);
  }
  item.done = true;
  used_step_[static_cast<std::size_t>(item.index)] = true;
}

void AliasSearch::resolve(std::int32_t root, NodeId value) {
  classes_.set_value(root, value);
  resolved_by_[static_cast<std::size_t>(root)] = current_;
  touch(static_cast<std::size_t>(root));
}

// Continuous variables may go either way: the one that stands in more places becomes the root, so that fewer
// expressions change.
void AliasSearch::join_larger(std::int32_t a, std::int32_t b, bool negative) {
  const bool swap =
      items_of_[static_cast<std::size_t>(a)].size() > items_of_[static_cast<std::size_t>(b)].size();
  join(swap ? b : a, swap ? a : b, negative);
}

void AliasSearch::join(std::int32_t child, std::int32_t root, bool negative) {
  assert(classes_.find(child).root == child && classes_.find(root).root == root);
  classes_.join(child, root, negative);
  resolved_by_[static_cast<std::size_t>(child)] = current_;
  VariableUse& into = uses_[static_cast<std::size_t>(root)];
  const VariableUse& from = uses_[static_cast<std::size_t>(child)];
  into.differentiated = into.differentiated || from.differentiated;
  into.reinitialised = into.reinitialised || from.reinitialised;
  into.has_pre = into.has_pre || from.has_pre;
  // Only items with both can have become simpler; they are in the shorter list as well.
  auto& a = items_of_[static_cast<std::size_t>(root)];
  auto& b = items_of_[static_cast<std::size_t>(child)];
  if (a.size() < b.size()) a.swap(b);
  touch(static_cast<std::size_t>(child));
  a.insert(a.end(), b.begin(), b.end());
  b.clear();
  b.shrink_to_fit();
}

Diagnostic AliasSearch::contradiction(const Item& item) const {
  const Equation& equation = system_.equations[static_cast<std::size_t>(item.index)];
  const double value = linear_form(graph_, item.expression)->constant;
  Diagnostic error{
      .severity = Severity::Error,
      .message = fmt::format("this equation contradicts others: with what they say it reads 0 = {}: {}",
                             value, equation_text(system_, equation)),
      .span = equation.span,
      .related = {}};
  constexpr std::size_t most = 4;
  std::set<std::int32_t> told;  // x and der(x) are two leaves of one variable
  for (const NodeId leaf : leaves_of(graph_, equation.residual)) {
    const Node& node = graph_.node(leaf);
    if (node.op != Op::Variable || error.related.size() >= most || !told.insert(node.args[0]).second)
      continue;
    const std::int32_t by = resolved_by_[static_cast<std::size_t>(node.args[0])];
    if (by < 0 || items_[static_cast<std::size_t>(by)].kind != Kind::Equation) continue;
    const Equation& other =
        system_.equations[static_cast<std::size_t>(items_[static_cast<std::size_t>(by)].index)];
    error.related.push_back(
        {.severity = Severity::Note,
         .message = fmt::format("'{}' is determined by: {}",
                                system_.variables[static_cast<std::size_t>(node.args[0])].name,
                                equation_text(system_, other)),
         .span = other.span,
         .related = {}});
  }
  return error;
}

}  // namespace daedalus
