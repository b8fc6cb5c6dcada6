#include "reform/constrained_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "expr/derivative.hpp"
#include "expr/traverse.hpp"
#include "reform/explicit_definitions.hpp"
#include "reform/form_structure.hpp"

namespace daedalus {
namespace {

template <class T>
typename std::vector<T>::const_reference at(const std::vector<T>& v, int k) {
  return v[static_cast<std::size_t>(k)];
}

class Recogniser {
 public:
  Recogniser(const DaeSystem& system, Raise raise)
      : leaves_(*system.graph), unknowns_(*system.graph, [this](NodeId leaf) { return is_unknown(leaf); }) {
    form_.raised = raise_order(system, raise);
    write_out_definitions(form_.raised);
    incidence_ = incidence_of(form_.raised.system, form_.raised.eliminated, PartialsOfMotion::Highest);
  }

  // `unconstrained`: an ODE or index-1 model will do, too.
  Result<ConstrainedForm> run(bool unconstrained) {
    const int unknowns = static_cast<int>(incidence_.unknowns.size());
    if (incidence_.signature.equations() != unknowns) {
      return fail(fmt::format("the model has {} equations for {} unknowns", incidence_.signature.equations(),
                              unknowns));
    }
    find_orders();
    for (const LevelAlias& alias : form_.raised.aliases) {
      if (alias.order > at(highest_, at(incidence_.column, alias.target.value)))
        return fail(
            fmt::format("the model has not the constrained form M x^(m) = f - B y, 0 = g: no equation "
                        "holds the derivative that {} is",
                        form_.system().variables[alias.variable.at()].name));
    }
    if (auto ok = find_constraints(unconstrained); !ok) return std::unexpected(ok.error());
    if (auto ok = find_dynamics(); !ok) return std::unexpected(ok.error());
    if (auto ok = find_multipliers(); !ok) return std::unexpected(ok.error());
    if (auto ok = build_matrices(); !ok) return std::unexpected(ok.error());
    if (auto ok = check_structure(); !ok) return std::unexpected(ok.error());
    return std::move(form_);
  }

 private:
  [[nodiscard]] std::string text(int equation) const {
    return equation_text(form_.system(), at(form_.system().equations, equation));
  }
  [[nodiscard]] std::string name(int j) const {
    return form_.system().variables[at(incidence_.unknowns, j).at()].name;
  }
  [[nodiscard]] std::unexpected<Diagnostics> broken(int equation, const std::string& why) const {
    return fail("the model has not the constrained form M x^(m) = f - B y, 0 = g: " + why,
                at(form_.system().equations, equation).span);
  }

  void find_orders() {
    highest_.assign(incidence_.unknowns.size(), 0);
    for (int i = 0; i < incidence_.signature.equations(); ++i) {
      for (const SignatureEntry& entry : incidence_.signature.row(i)) {
        int& highest = highest_[static_cast<std::size_t>(entry.variable)];
        highest = std::max(highest, entry.order);
      }
    }
  }

  [[nodiscard]] bool is_constraint(int i) const {
    return std::ranges::all_of(incidence_.signature.row(i), [&](const SignatureEntry& entry) {
      return entry.order < at(highest_, entry.variable);
    });
  }

  Result<void> find_constraints(bool unconstrained) {
    constraint_.assign(static_cast<std::size_t>(incidence_.signature.equations()), false);
    for (int i = 0; i < incidence_.signature.equations(); ++i) {
      if (!is_constraint(i)) continue;
      if (incidence_.signature.row(i).empty()) return broken(i, text(i) + " holds no unknown");
      constraint_[static_cast<std::size_t>(i)] = true;
      FormConstraint found;
      found.equation = i;
      for (const SignatureEntry& entry : incidence_.signature.row(i)) {
        form_.order = std::max(form_.order, at(highest_, entry.variable));
        found.level = std::max(found.level, entry.order);
      }
      form_.constraints.push_back(found);
    }
    if (form_.constraints.empty() && unconstrained) {
      for (const int highest : highest_) form_.order = std::max(form_.order, highest);
      if (form_.order == 0) return fail("the model has no differential equations");
      return {};
    }
    if (form_.constraints.empty()) {
      return fail(
          "the model has no constraints: it is an ODE or of index 1, and needs no formulation but "
          "dummy-derivatives");
    }
    for (const FormConstraint& constraint : form_.constraints) {
      for (const SignatureEntry& entry : incidence_.signature.row(constraint.equation)) {
        if (at(highest_, entry.variable) == form_.order) continue;
        return broken(constraint.equation,
                      fmt::format("the constraint {} holds {}, whose highest derivative is of order {}, and "
                                  "others of order {}",
                                  text(constraint.equation), name(entry.variable),
                                  at(highest_, entry.variable), form_.order));
      }
    }
    return {};
  }

  Result<void> find_dynamics() {
    position_.assign(highest_.size(), -1);
    for (std::size_t j = 0; j < highest_.size(); ++j) {
      if (highest_[j] != form_.order) continue;
      position_[j] = form_.n();
      form_.positions.push_back(incidence_.unknowns[j]);
    }
    for (int i = 0; i < incidence_.signature.equations(); ++i) {
      if (at(constraint_, i)) continue;
      const bool moves = std::ranges::any_of(incidence_.signature.row(i), [&](const SignatureEntry& entry) {
        return at(position_, entry.variable) >= 0 && entry.order == form_.order;
      });
      if (moves)
        form_.dynamics.push_back(i);
      else
        form_.companion_equations.push_back(i);
    }
    set_outputs_apart();
    if (static_cast<int>(form_.dynamics.size()) == form_.n()) return {};
    const int shown = form_.dynamics.empty() ? 0 : form_.dynamics.back();
    return broken(shown, fmt::format("{} equations hold the highest derivatives of {} unknowns of order {}",
                                     form_.dynamics.size(), form_.n(), form_.order));
  }

  // Equations that hold accelerations but are not those of motion: power = v*der(v), a sensor's
  // T*der(s) = der(v) - s. Each has an unknown of its own, an output or the sensor's state, that no other
  // equation determines. As many as are too many; those written last first, as outputs mostly are.
  void set_outputs_apart() {
    apart_.assign(static_cast<std::size_t>(incidence_.signature.equations()), -1);
    std::vector<int> determined_by(highest_.size(), 0);  // how many equations could determine an unknown
    const auto count = [&](int i, int change) {
      for (const SignatureEntry& entry : incidence_.signature.row(i)) {
        if (entry.order == at(highest_, entry.variable))
          determined_by[static_cast<std::size_t>(entry.variable)] += change;
      }
    };
    for (int i = 0; i < incidence_.signature.equations(); ++i) count(i, 1);
    bool found = true;
    while (found) {
      found = false;
      for (std::size_t k = form_.dynamics.size(); k-- > 0;) {
        if (static_cast<int>(form_.dynamics.size()) <= form_.n()) return;
        const int i = form_.dynamics[k];
        const int own = own_unknown(i, determined_by);
        if (own < 0) continue;
        found = true;
        apart_[static_cast<std::size_t>(i)] = own;
        count(i, -1);
        form_.companion_equations.push_back(i);
        form_.dynamics.erase(form_.dynamics.begin() + static_cast<std::ptrdiff_t>(k));
      }
    }
  }

  // An unknown other than the positions that only this equation can determine, or -1.
  [[nodiscard]] int own_unknown(int equation, const std::vector<int>& determined_by) const {
    for (const SignatureEntry& entry : incidence_.signature.row(equation)) {
      if (at(position_, entry.variable) < 0 && entry.order == at(highest_, entry.variable) &&
          at(determined_by, entry.variable) == 1)
        return entry.variable;
    }
    return -1;
  }

  // Algebraic unknowns that companion equations determine are companions; those left are the multipliers.
  Result<void> find_multipliers() {
    std::vector<int> algebraic;
    for (std::size_t j = 0; j < highest_.size(); ++j) {
      if (highest_[j] == 0) algebraic.push_back(static_cast<int>(j));
    }
    match_companions();
    for (const int j : algebraic) {
      if (at(matched_, j) >= 0)
        form_.companions.push_back({.variable = at(incidence_.unknowns, j), .order = 0});
      else
        form_.multipliers.push_back(at(incidence_.unknowns, j));
    }
    for (std::size_t j = 0; j < highest_.size(); ++j) {
      if (highest_[j] > 0 && highest_[j] != form_.order)
        form_.companions.push_back({.variable = incidence_.unknowns[j], .order = highest_[j]});
    }
    if (static_cast<int>(form_.multipliers.size()) != form_.ny()) {
      return broken(form_.constraints.empty() ? 0 : form_.constraints.front().equation,
                    fmt::format("there are {} constraints, but {} unknowns that can be their multipliers",
                                form_.ny(), form_.multipliers.size()));
    }
    return {};
  }

  // A maximum matching of companion equations without derivatives of their own to algebraic unknowns; those
  // that do not enter the equations of motion are tried first, as they cannot be multipliers.
  void match_companions() {
    matched_.assign(highest_.size(), -1);
    for (const int i : form_.companion_equations) {
      const int own = at(apart_, i);
      if (own >= 0 && at(highest_, own) == 0) matched_[static_cast<std::size_t>(own)] = i;
    }
    std::vector<bool> in_motion(highest_.size(), false);
    for (const int i : form_.dynamics) {
      for (const SignatureEntry& entry : incidence_.signature.row(i))
        in_motion[static_cast<std::size_t>(entry.variable)] = true;
    }
    for (const bool also_motion : {false, true}) {
      for (const int i : form_.companion_equations) {
        if (std::ranges::find(matched_, i) != matched_.end() || has_own_derivative(i)) continue;
        std::vector<bool> seen(highest_.size(), false);
        augment(i, also_motion, in_motion, seen);
      }
    }
  }

  [[nodiscard]] bool has_own_derivative(int i) const {
    return std::ranges::any_of(incidence_.signature.row(i), [&](const SignatureEntry& entry) {
      const int highest = at(highest_, entry.variable);
      return highest > 0 && entry.order == highest;
    });
  }

  // Breadth first, so that nothing recurses.
  bool augment(int equation, bool also_motion, const std::vector<bool>& in_motion, std::vector<bool>& seen) {
    struct Visit {
      int equation;
      int variable;  // by which it was reached: matched to it before
      int from;      // number of the visit before
    };
    std::vector<Visit> visits{{equation, -1, -1}};
    for (std::size_t k = 0; k < visits.size(); ++k) {
      for (const SignatureEntry& entry : incidence_.signature.row(visits[k].equation)) {
        const auto j = static_cast<std::size_t>(entry.variable);
        if (highest_[j] != 0 || seen[j] || (in_motion[j] && !also_motion)) continue;
        seen[j] = true;
        if (matched_[j] >= 0) {
          visits.push_back({matched_[j], entry.variable, static_cast<int>(k)});
          continue;
        }
        int free = entry.variable;
        for (int v = static_cast<int>(k); v >= 0; v = at(visits, v).from) {
          matched_[static_cast<std::size_t>(free)] = at(visits, v).equation;
          free = at(visits, v).variable;
        }
        return true;
      }
    }
    return false;
  }

  Result<void> build_matrices() {
    number_multipliers();
    const int n = form_.n();
    form_.mass = {.rows = n, .columns = n, .entries = {}};
    form_.input = {.rows = n, .columns = form_.ny(), .entries = {}};
    for (int r = 0; r < n; ++r) {
      if (auto ok = add_dynamic_row(r); !ok) return ok;
    }
    for (const int i : form_.companion_equations) {
      if (auto ok = check_companion(i); !ok) return ok;
    }
    form_.constraint = {.rows = form_.ny(), .columns = n, .entries = {}};
    form_.curvature = form_.constraint;
    TimeDerivative derivative(form_.graph());
    for (int r = 0; r < form_.ny(); ++r) {
      if (auto ok = add_constraint_row(r, derivative); !ok) return ok;
    }
    form_.symmetric = is_transposed();
    return {};
  }

  Result<void> check_structure() {
    if (!align_dynamics(form_)) return {};
    const int r = constraint_without_multiplier(form_);
    if (r < 0) return {};
    const FormConstraint& constraint = at(form_.constraints, r);
    return broken(constraint.equation,
                  fmt::format("no multiplier acts on the constraint {}: differentiated {} the accelerations "
                              "that it holds depend on none, so its index is higher than {}",
                              text(constraint.equation),
                              form_.order - constraint.level == 1
                                  ? std::string("once,")
                                  : fmt::format("{} times,", form_.order - constraint.level),
                              form_.order - constraint.level + 1));
  }

  void number_multipliers() {
    multiplier_.assign(highest_.size(), -1);
    for (std::size_t k = 0; k < form_.multipliers.size(); ++k)
      multiplier_[static_cast<std::size_t>(at(incidence_.column, form_.multipliers[k].value))] =
          static_cast<int>(k);
  }

  // What a leaf is: ≥ 0 the number of a multiplier, or of a highest derivative.
  [[nodiscard]] int multiplier_of(NodeId leaf) const {
    return at(multiplier_, at(incidence_.column, form_.graph().variable_of(leaf).value));
  }
  [[nodiscard]] int highest_of(NodeId leaf) const {
    if (form_.graph().order_of(leaf) != form_.order) return -1;
    return at(position_, at(incidence_.column, form_.graph().variable_of(leaf).value));
  }

  // The coefficient of a multiplier or highest derivative may hold neither.
  [[nodiscard]] bool linear(NodeId coefficient) { return !unknowns_(coefficient); }

  [[nodiscard]] bool is_unknown(NodeId leaf) const {
    if (form_.graph().node(leaf).op != Op::Variable) return false;
    const int j = at(incidence_.column, form_.graph().variable_of(leaf).value);
    return j >= 0 && (multiplier_of(leaf) >= 0 || highest_of(leaf) >= 0);
  }

  Result<void> add_dynamic_row(int r) {
    const int equation = at(form_.dynamics, r);
    for (const Partial& partial : at(incidence_.rows, equation)) {
      const int y = multiplier_of(partial.leaf);
      const int x = highest_of(partial.leaf);
      if (y < 0 && x < 0) continue;
      if (!linear(partial.value)) {
        return broken(equation, fmt::format("{} does not enter {} linearly",
                                            leaf_name(form_.system(), partial.leaf), text(equation)));
      }
      SymbolicMatrix& matrix = y >= 0 ? form_.input : form_.mass;
      matrix.entries.push_back({.row = r, .column = y >= 0 ? y : x, .value = partial.value});
    }
    return {};
  }

  // A multiplier may drive a companion's own derivative, or stand in an output; otherwise it would come back
  // into the equations of motion by a way that is not linear.
  Result<void> check_companion(int equation) const {
    if (at(apart_, equation) >= 0 || has_own_derivative(equation)) return {};
    for (const Partial& partial : at(incidence_.rows, equation)) {
      if (multiplier_of(partial.leaf) >= 0) {
        return broken(equation, fmt::format("the multiplier {} enters {}, which is not an equation of motion",
                                            leaf_name(form_.system(), partial.leaf), text(equation)));
      }
    }
    return {};
  }

  Result<void> add_constraint_row(int r, TimeDerivative& derivative) {
    FormConstraint& constraint = form_.constraints[static_cast<std::size_t>(r)];
    NodeId residual = at(form_.system().equations, constraint.equation).residual;
    for (const Partial& partial : at(incidence_.rows, constraint.equation)) {
      if (form_.graph().order_of(partial.leaf) != constraint.level) continue;
      if (constraint.level > 0 && holds_order(partial.value, constraint.level)) {
        return broken(constraint.equation,
                      fmt::format("the motion constraint {} is not linear in {}", text(constraint.equation),
                                  leaf_name(form_.system(), partial.leaf)));
      }
      const int j = at(incidence_.column, form_.graph().variable_of(partial.leaf).value);
      form_.constraint.entries.push_back({.row = r, .column = at(position_, j), .value = partial.value});
    }
    constraint.derivatives.push_back(residual);
    for (int k = constraint.level; k < form_.order; ++k) {
      residual = derivative(residual);
      constraint.derivatives.push_back(residual);
    }
    if (form_.order == 2 && constraint.level == 0) add_curvature_row(r, constraint.derivatives[1]);
    return {};
  }

  void add_curvature_row(int r, NodeId velocity_constraint) {
    for (const Partial& partial : gradient(form_.graph(), velocity_constraint)) {
      if (form_.graph().order_of(partial.leaf) != 0) continue;
      const int j = at(incidence_.column, form_.graph().variable_of(partial.leaf).value);
      form_.curvature.entries.push_back({.row = r, .column = at(position_, j), .value = partial.value});
    }
  }

  [[nodiscard]] bool holds_order(NodeId expression, int order) {
    return std::ranges::any_of(leaves_(expression), [&](NodeId leaf) {
      return form_.graph().node(leaf).op == Op::Variable && form_.graph().order_of(leaf) >= order;
    });
  }

  // Entry by entry the same expression, multiplier k belonging to constraint k.
  [[nodiscard]] bool is_transposed() const {
    auto b = form_.input.entries;
    auto g = form_.constraint.entries;
    for (SymbolicEntry& entry : g) std::swap(entry.row, entry.column);
    const auto key = [](const SymbolicEntry& e) { return std::tuple(e.row, e.column, e.value.value); };
    std::ranges::sort(b, {}, key);
    std::ranges::sort(g, {}, key);
    return std::ranges::equal(b, g, {}, key, key);
  }

  ConstrainedForm form_;
  Leaves leaves_;
  Holds unknowns_;  // a multiplier or highest derivative; to be asked when all are known
  Incidence incidence_;
  std::vector<int> highest_;      // by unknown: order of its highest derivative
  std::vector<bool> constraint_;  // by equation
  std::vector<int> position_;     // by unknown: its number among the positions, or -1
  std::vector<int> multiplier_;   // by unknown: its number among the multipliers, or -1
  std::vector<int> matched_;      // by unknown: the companion equation that determines it, or -1
  std::vector<int> apart_;        // by equation: the own unknown of an output that holds accelerations, or -1
};

}  // namespace

std::string ConstrainedForm::constraint_name(int i) const {
  return equation_text(
      system(),
      system().equations[static_cast<std::size_t>(constraints[static_cast<std::size_t>(i)].equation)]);
}

Result<ConstrainedForm> recognise_constrained_form(const DaeSystem& system, bool unconstrained) {
  auto form = Recogniser(system, Raise::All).run(unconstrained);
  if (form) return form;
  // A force on a unit mass, der(v) = f, was perhaps taken for an acceleration. Where that is no help either,
  // what is said of the unknowns as they are written is easier to understand.
  auto again = Recogniser(system, Raise::Differentiated).run(unconstrained);
  if (again) return again;
  auto without = Recogniser(system, Raise::NoIntegrals).run(unconstrained);
  return without ? std::move(without) : std::move(again);
}

LevelSystem level_system_of(const ConstrainedForm& form) {
  LevelSystem result;
  result.raised = form.raised;
  result.incidence = incidence_of(form.raised.system, form.raised.eliminated, PartialsOfMotion::Highest);
  StructuralPlan& plan = result.plan;
  plan.c.assign(form.system().equations.size(), 0);
  plan.d.assign(result.incidence.unknowns.size(), 0);
  const auto column = [&](VariableId v) { return static_cast<std::size_t>(result.incidence.column[v.at()]); };
  for (const VariableId v : form.positions) plan.d[column(v)] = form.order;
  for (const Companion& companion : form.companions) plan.d[column(companion.variable)] = companion.order;
  for (const FormConstraint& constraint : form.constraints)
    plan.c[static_cast<std::size_t>(constraint.equation)] = form.order - constraint.level;
  for (const int d : plan.d) plan.degrees_of_freedom += d;
  for (const int c : plan.c) plan.degrees_of_freedom -= c;
  for (const int c : plan.c) plan.structural_index = std::max(plan.structural_index, c + 1);
  number_levels(result);
  differentiate_levels(result);
  return result;
}

}  // namespace daedalus
