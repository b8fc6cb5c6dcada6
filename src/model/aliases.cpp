// remove_aliases: the search, then the attributes of the variables that remain, then the smaller system.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "model/alias_search.hpp"
#include "model/load.hpp"
#include "model/rebuild.hpp"

namespace daedalus {
namespace {

struct Member {
  std::int32_t variable;
  bool negative;  // against the class's root
};

class AliasRemoval {
 public:
  AliasRemoval(const DaeSystem& system, bool keep_constraints)
      : system_(system),
        uses_(variable_uses(system)),
        keep_constraints_(keep_constraints),
        replacements_(system.variables.size()) {}

  Result<DaeSystem> run() {
    AliasSearch search(system_, uses_, keep_constraints_);
    if (auto error = search.run()) return std::unexpected(Diagnostics{std::move(*error)});
    replacements_.drop_equation = search.used_equations();
    replacements_.drop_initial = search.used_initial_equations();
    replacements_.drop_step = search.used_steps();
    result_ = system_;
    for (std::size_t i = 0; i < result_.equations.size(); ++i) {
      if (search.kept_constraints()[i]) result_.equations[i].keep = true;
    }
    collect_classes(search.classes());
    for (auto& [root, members] : classes_) {
      const NodeId value = search.classes().value(root);
      if (value.valid()) {
        replace_by_value(members, value);
      } else {
        replace_by_representative(root, members);
      }
    }
    if (!errors_.empty()) return std::unexpected(std::move(errors_));
    // Known parameters are reported as such, not as signals.
    std::erase_if(result_.report_order,
                  [&](const std::string& name) { return solved_parameters_.contains(name); });
    retarget();
    return rebuilt(result_, replacements_);
  }

 private:
  using Class = std::pair<std::int32_t, std::vector<Member>>;

  void collect_classes(AliasClasses& classes) {
    std::vector<std::int32_t> position(system_.variables.size(), -1);
    for (std::size_t i = 0; i < system_.variables.size(); ++i) {
      const Signed alias = classes.find(static_cast<std::int32_t>(i));
      auto& at = position[static_cast<std::size_t>(alias.root)];
      if (at < 0) {
        at = static_cast<std::int32_t>(classes_.size());
        classes_.emplace_back(alias.root, std::vector<Member>{});
      }
      classes_[static_cast<std::size_t>(at)].second.push_back({static_cast<std::int32_t>(i), alias.negative});
    }
  }

  [[nodiscard]] const Variable& variable(const Member& member) const {
    return system_.variables[static_cast<std::size_t>(member.variable)];
  }

  NodeId with_sign(NodeId node, bool negative, VariableKind kind) {
    if (!negative) return node;
    return system_.graph->apply(kind == VariableKind::Boolean ? Op::Not : Op::Neg, node);
  }

  // For Booleans the other sign is the other truth.
  static double with_sign(double number, bool negative, VariableKind kind) {
    if (!negative) return number;
    return kind == VariableKind::Boolean ? 1 - number : -number;
  }

  [[nodiscard]] std::string start_text(const Variable& v) const {
    return v.start_value.valid() ? expression_text(system_, v.start_value) : fmt::format("{}", v.start);
  }

  void replace(const Member& member, NodeId value) {
    replacements_.value[static_cast<std::size_t>(member.variable)] = value;
    const bool parameter = variable(member).kind == VariableKind::Parameter;
    result_.reported.push_back({.attributes = variable(member), .value = value, .parameter = parameter});
    if (parameter) solved_parameters_.insert(variable(member).name);
  }

  void replace_by_value(const std::vector<Member>& members, NodeId value) {
    for (const Member& member : members) {
      const Variable& v = variable(member);
      const NodeId own = with_sign(value, member.negative, v.kind);
      const bool differs = system_.graph->is_constant(own) &&
                           (system_.graph->node(own).value != v.start || v.start_value.valid());
      if (v.fixed && differs && v.kind == VariableKind::Continuous) {
        errors_.push_back(
            {.severity = Severity::Error,
             .message = fmt::format("the start value of '{}' is fixed at {}, but the equations make it {} at "
                                    "all times; remove fixed = true or correct the value",
                                    v.name, start_text(v), system_.graph->node(own).value),
             .span = v.span,
             .related = {}});
      }
      replace(member, own);
    }
  }

  // The variable that stays should be one that the user wrote something about.
  [[nodiscard]] int rank(const Member& member) const {
    const Variable& v = variable(member);
    const VariableUse& use = uses_[static_cast<std::size_t>(member.variable)];
    int rank = 0;
    rank += use.reinitialised ? 64 : 0;
    rank += use.has_pre ? 32 : 0;
    rank += use.differentiated ? 16 : 0;
    rank += v.state_select > StateSelect::Default ? 8 : 0;
    rank += v.fixed ? 4 : 0;
    rank += v.has_start ? 2 : 0;
    return rank;
  }

  void replace_by_representative(std::int32_t root, std::vector<Member>& members) {
    if (members.size() == 1) return;
    const bool discrete = variable(members[0]).kind != VariableKind::Continuous;
    // A discrete class keeps the one that has an assignment left, which is its root.
    const auto best = discrete
                          ? std::ranges::find(members, root, &Member::variable)
                          : std::ranges::max_element(members, {}, [&](const Member& m) { return rank(m); });
    const Member chosen = *best;
    for (Member& member : members) member.negative = member.negative != chosen.negative;
    Variable& merged = result_.variables[static_cast<std::size_t>(chosen.variable)];
    merge_start(members, chosen, merged);
    const VariableId id(chosen.variable);
    const NodeId leaf = discrete ? system_.graph->discrete(id) : system_.graph->variable(id);
    for (const Member& member : members) {
      if (member.variable == chosen.variable) continue;
      merge_bounds(member, merged);
      replace(member, with_sign(leaf, member.negative, variable(member).kind));
    }
  }

  // The start value: of a fixed member if there is one, else the chosen one's own, else the first given.
  void merge_start(const std::vector<Member>& members, const Member& chosen, Variable& merged) {
    const Member* source = nullptr;
    const Member* held = nullptr;
    for (const Member& member : members) {
      const Variable& v = variable(member);
      if (v.fixed && held != nullptr) check_agreement(*held, member);
      if (v.fixed && held == nullptr) held = &member;
      if (v.has_start && source == nullptr) source = &member;
    }
    if (variable(chosen).has_start) source = &*std::ranges::find(members, chosen.variable, &Member::variable);
    if (held != nullptr) source = held;
    if (source == nullptr) return;
    const Variable& v = variable(*source);
    merged.start = with_sign(v.start, source->negative, v.kind);
    merged.start_value = v.start_value;
    if (v.start_value.valid()) merged.start_value = with_sign(v.start_value, source->negative, v.kind);
    merged.has_start = v.has_start || held != nullptr;
    merged.fixed = held != nullptr;
  }

  void check_agreement(const Member& a, const Member& b) {
    const Variable& x = variable(a);
    const Variable& y = variable(b);
    const bool opposite = a.negative != b.negative;
    const NodeId other = y.start_value.valid() ? with_sign(y.start_value, opposite, y.kind) : NodeId{};
    if (x.start == with_sign(y.start, opposite, y.kind) && x.start_value == other) return;
    Diagnostic error{.severity = Severity::Error,
                     .message = fmt::format(
                         "'{}' and '{}' are the same variable{}, but their start values are fixed at {} "
                         "and {}",
                         x.name, y.name, opposite ? " up to the sign" : "", start_text(x), start_text(y)),
                     .span = x.span,
                     .related = {}};
    error.related.push_back({.severity = Severity::Note,
                             .message = fmt::format("'{}' is declared here", y.name),
                             .span = y.span,
                             .related = {}});
    errors_.push_back(std::move(error));
  }

  void merge_bounds(const Member& member, Variable& merged) const {
    const Variable& v = variable(member);
    merged.state_select = std::max(merged.state_select, v.state_select);
    if (v.kind != VariableKind::Boolean) {
      merged.min = std::max(merged.min, member.negative ? -v.max : v.min);
      merged.max = std::min(merged.max, member.negative ? -v.min : v.max);
    }
    if (!merged.has_nominal && v.has_nominal) {
      merged.nominal = v.nominal;
      merged.has_nominal = true;
    }
    if (merged.unit.empty()) merged.unit = v.unit;
  }

  // reinit and initial assignments of a variable that is gone go to the one that stands for it.
  void retarget() {
    const auto move = [&](Assignment& a) {
      const NodeId value = replacements_.value[a.target.at()];
      if (!value.valid()) return;
      const Node node = system_.graph->node(value);
      const bool negative = node.op == Op::Neg || node.op == Op::Not;
      const Node leaf = negative ? system_.graph->node(NodeId(node.args[0])) : node;
      a.value = with_sign(a.value, negative, system_.variables[a.target.at()].kind);
      a.target = VariableId(leaf.args[0]);
    };
    for (Assignment& a : result_.initial_assignments) move(a);
    for (DiscreteStep& step : result_.discrete_steps) {
      auto* clause = std::get_if<WhenClause>(&step);
      if (clause == nullptr) continue;
      for (WhenBranch& branch : clause->branches) {
        for (Assignment& a : branch.reinits) move(a);
      }
    }
  }

  const DaeSystem& system_;
  std::vector<VariableUse> uses_;
  bool keep_constraints_ = false;
  Replacements replacements_;
  DaeSystem result_;
  std::vector<Class> classes_;
  std::unordered_set<std::string> solved_parameters_;
  Diagnostics errors_;
};

}  // namespace

Result<DaeSystem> remove_aliases(const DaeSystem& system, bool keep_constraints) {
  return AliasRemoval(system, keep_constraints).run();
}

}  // namespace daedalus
