// The search for aliases and constants, to a fixed point.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/alias_classes.hpp"
#include "model/dae_system.hpp"
#include "model/linear_form.hpp"

namespace daedalus {

// What is known of each variable before the search.
struct VariableUse {
  bool differentiated = false;  // der(x) is in the model
  bool reinitialised = false;   // reinit(x, ...)
  bool has_pre = false;         // pre(x)
  bool set_initially = false;   // target of an initial assignment
};
[[nodiscard]] std::vector<VariableUse> variable_uses(const DaeSystem& system);

// Equations, relations and discrete assignments are looked at again whenever something in them has become an
// alias or a number. Each is looked at a few times, so the whole is near-linear.
class AliasSearch {
 public:
  AliasSearch(const DaeSystem& system, std::vector<VariableUse> uses, bool keep_constraints = false);

  // Errors: an equation that has become 0 = 1.
  [[nodiscard]] std::optional<Diagnostic> run();

  [[nodiscard]] AliasClasses& classes() { return classes_; }
  [[nodiscard]] const std::vector<bool>& used_equations() const { return used_equation_; }
  // Aliases and constants that stay equations, because constraints are kept.
  [[nodiscard]] const std::vector<bool>& kept_constraints() const { return kept_constraint_; }
  [[nodiscard]] const std::vector<bool>& used_initial_equations() const { return used_initial_; }
  [[nodiscard]] const std::vector<bool>& used_steps() const { return used_step_; }

 private:
  enum class Kind : std::uint8_t { Equation, Initial, Relation, Step };
  struct Item {
    Kind kind = Kind::Equation;
    bool queued = true;
    bool done = false;
    std::int32_t index = -1;
    NodeId expression;         // as far as it is simplified
    std::int32_t cost = 0;     // nodes visited the last time
    std::int32_t changes = 0;  // since then
  };

  void collect_items();
  void add_item(Kind kind, std::size_t index, NodeId expression);
  void examine(std::int32_t item);
  void examine_equation(Item& item);
  void examine_initial(Item& item);
  void examine_relation(Item& item);
  void examine_step(Item& item);
  bool use_single(const LinearTerm& term, double constant);
  bool use_pair(const LinearForm& form);
  bool use_derivative(std::int32_t root, NodeId derivative, bool negative);
  [[nodiscard]] bool may_follow(std::int32_t root, NodeId leaf) const;

  void resolve(std::int32_t root, NodeId value);
  void join(std::int32_t child, std::int32_t root, bool negative);
  void join_larger(std::int32_t a, std::int32_t b, bool negative);
  void touch(std::size_t entity);
  void settle();

  NodeId simplified(NodeId root, std::int32_t& cost);
  NodeId leaf_now(const Node& node, NodeId id);
  NodeId applied(const Node& node);
  NodeId derivative_of(NodeId value, int order);
  NodeId signed_node(NodeId node, bool negative, VariableKind kind);
  [[nodiscard]] Diagnostic contradiction(const Item& item) const;

  const DaeSystem& system_;
  ExprGraph& graph_;
  std::vector<VariableUse> uses_;
  bool keep_constraints_ = false;      // of differentiated variables
  std::vector<bool> kept_constraint_;  // by equation
  bool held_back_ = false;             // the equation that is looked at is one of them
  AliasClasses classes_;
  std::vector<NodeId> relation_;  // what a relation has become; invalid: itself
  std::vector<Item> items_;
  std::vector<std::vector<std::int32_t>> items_of_;  // by root variable, then by relation
  std::deque<std::int32_t> queue_;
  std::vector<std::int32_t> waiting_;  // large items with few changes
  std::vector<bool> used_equation_;
  std::vector<bool> used_initial_;
  std::vector<bool> used_step_;
  // der(x) → a variable that an equation sets to it: a second one must be its alias.
  std::unordered_map<NodeId, Signed> derivative_;
  std::vector<std::int32_t> resolved_by_;  // by variable: the item that made it a number
  std::int32_t current_ = -1;
  std::optional<Diagnostic> error_;
  std::vector<NodeId> memo_;  // by node, valid where stamp_ is the present one
  std::vector<std::uint32_t> stamp_;
  std::uint32_t now_ = 0;
};

}  // namespace daedalus
