#include "systems/linear_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "numerics/vectors.hpp"
#include "numerics/wide.hpp"
#include "saddle/symmetry.hpp"

namespace daedalus {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Between one direct() and the next, about: the stages of a step.
constexpr std::uint64_t direct_evaluations = 12;

}  // namespace

void LinearRates::Assignments::add(const LinearCore::Assignment& assignment, const LinearRates& owner) {
  const int to = owner.slots_->map->slot(assignment.leaf);
  const Op op = owner.graph_.node(assignment.value).op;
  if (op == Op::Variable) {
    sources[to] = owner.slots_->map->slot(assignment.value);
    return;
  }
  roots.push_back(assignment.value);
  slots.push_back(to);
}

void LinearRates::Assignments::finish(const LinearRates& owner) {
  std::vector<int> from;
  std::vector<int> to;
  for (const auto& [slot, source] : sources) {
    from.push_back(source);
    to.push_back(slot);
    copies.emplace_back(source, slot);
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
  if (slot_.empty()) return;
  if (const auto rows_of_mass = make_symmetric(graph_, core_, setting())) {
    first_ = *rows_of_mass;
    symmetric_ =
        make_saddle_system(equations(), setting(),
                           {.unknowns = core_.unknowns, .nodes = std::span(rates).subspan(at(positions_))});
  } else {
    compile_general();
  }
}

SaddleEquations LinearRates::equations() const {
  return {.graph = graph_, .matrix = core_.matrix, .rhs = core_.rhs, .first = first_};
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
  for (const LinearCore::Assignment& assignment : core_.assignments) {
    const NodeId value = substitute(graph_, std::span(&assignment.value, 1), known).front();
    known[assignment.leaf] = value;
    const bool rate = rates.contains(assignment.leaf);
    (rate ? rates_ : watched_)
        .add({.leaf = assignment.leaf, .value = value, .equation = assignment.equation}, *this);
  }
  rates_.finish(*this);
  watched_.finish(*this);
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

void LinearRates::compile_general() {
  general_ = std::make_unique<GeneralSystem>(equations(), setting());
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
  for (const int i : solved_unknowns_) from.push_back(symmetric_->index(i));
  from_solution_ = IndexedCopy(from, solved_rates_);
  std::vector<int> all;
  for (std::size_t i = 0; i < slot_.size(); ++i) all.push_back(symmetric_->index(static_cast<int>(i)));
  to_slots_ = IndexedCopy(all, slot_);
  direct_ = symmetric_->prepared() && !symmetric_->soft() && symmetric_->sequel() != nullptr;
}

bool LinearRates::factor(std::span<const double> environment) {
  if (slot_.empty()) return true;
  if (prepare(environment) && !pivoting_) return symmetric_->factor(environment);
  return general_->factor(environment);
}

void LinearRates::solve_factored(std::span<double> b) {
  if (slot_.empty()) return;
  if (symmetric_ != nullptr && !pivoting_) return symmetric_->solve(b);
  general_->solve(b);
}

bool LinearRates::solve_general(std::span<double> environment) {
  const bool solved = general_->solve_at(environment);
  const std::span<const double> z = general_->solution();
  for (std::size_t k = 0; k < z.size(); ++k) environment[at(slot_[k])] = z[k];
  return solved;
}

// Elimination without pivoting is looked after now and then; where it loses digits, pivoting takes over.
bool LinearRates::solve(std::span<double> environment, bool looked_after) {
  if (slot_.empty()) return true;
  if (!prepare(environment) || pivoting_) return solve_general(environment);
  if (!symmetric_->solve_at(environment)) return false;
  if (symmetric_->soft()) return true;
  if (!looked_after || symmetric_->holds(environment)) return true;
  // LU is no way out: that of a singular matrix has multipliers of any size.
  if (symmetric_->has_redundant()) return symmetric_->improve(environment);
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

void LinearRates::put_solution(std::span<double> environment) {
  symmetric_->complete();
  to_slots_(symmetric_->solution().data(), environment.data());
}

bool LinearRates::rates(std::span<double> environment) {
  if (!solve(environment, is_time_to_look())) return false;
  if (is_in_place()) put_solution(environment);
  rates_.copy(environment.data(), environment.data());
  rates_.compute(environment, rates_workspace_);
  return true;
}

bool LinearRates::derivative(std::span<double> environment, std::span<const double> y,
                             std::span<double> rates) {
  const bool looked_after = is_time_to_look();
  if (direct_ && !looked_after) {
    symmetric_->sequel()->evaluate(environment, rates);
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
  if (is_in_place()) put_solution(environment);
  rates_.compute(environment, rates_workspace_);
  from_others_(environment.data(), rates.data());
  return true;
}

Program::Bound LinearRates::direct(std::span<double> environment) {
  if (!direct_) return {};
  solved_ += direct_evaluations;
  return symmetric_->sequel()->bind(environment);
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

void LinearRates::Assignments::copy_lanes(std::span<double> environments) const {
  double* const values = environments.data();
  for (const auto& [from, to] : copies)
    copy_four(values + lane_count * at(from), values + lane_count * at(to));
}

bool LinearRates::prepare_lanes() {
  const bool none = slot_.empty();
  if (!none && !direct_) return false;
  std::call_once(lanes_->once, [&] {
    const auto compiled = [this](std::span<const NodeId> roots, std::span<const int> slots,
                                 std::optional<Program>& program) {
      if (!roots.empty()) program = Program::compile_lanes(graph_, roots, setting(), slots);
      return roots.empty() || program.has_value();
    };
    const std::span<const NodeId> solution = none ? std::span<const NodeId>() : symmetric_->expressions();
    lanes_->made = (none || !solution.empty()) && compiled(solution, slot_, lanes_->solution) &&
                   compiled(rates_.roots, rates_.slots, lanes_->rates) &&
                   compiled(watched_.roots, watched_.slots, lanes_->watched);
  });
  return lanes_->made;
}

bool LinearRates::complete_lanes(std::span<double> environments) {
  if (!lanes_->made || (!slot_.empty() && !direct_)) return false;
  const auto run = [&](const std::optional<Program>& program, std::size_t number) {
    if (program) program->evaluate(environments, environments, lane_workspaces_[number]);
  };
  run(lanes_->solution, 0);
  double sum = 0;
  for (const int slot : slot_) {
    for (std::size_t l = 0; l < lane_count; ++l) sum += environments[lane_count * at(slot) + l] * 0.0;
  }
  if (sum != 0) return false;
  rates_.copy_lanes(environments);
  run(lanes_->rates, 1);
  watched_.copy_lanes(environments);
  run(lanes_->watched, 2);
  return true;
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

std::vector<ProgramSize> LinearRates::programs() const {
  std::vector<ProgramSize> list;
  const auto unknowns = core_.unknowns.size();
  if (unknowns > 0) {
    const std::size_t operations = symmetric_ != nullptr ? symmetric_->operations()
                                   : general_ != nullptr ? general_->operations()
                                                         : 0;
    list.push_back({.name = fmt::format("accelerations and multipliers by {}", method()),
                    .results = unknowns,
                    .operations = operations,
                    .back_end = {}});
  }
  list.push_back(size_of("rates that follow", rates_.program));
  return list;
}

std::string_view LinearRates::method() const {
  if (slot_.empty()) return "none";
  return symmetric_ != nullptr && !pivoting_ ? symmetric_->name() : general_->name();
}

}  // namespace daedalus
