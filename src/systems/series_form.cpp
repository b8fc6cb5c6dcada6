#include "systems/series_form.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <unordered_map>

#include "numerics/vectors.hpp"

namespace daedalus {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Σ_(i=1..k) a_i z_(k-i)
double convolution(const double* a, const double* z, int k) {
  double even = 0;
  double odd = 0;
  int i = 1;
  for (; i + 1 <= k; i += 2) {
    odd += a[i] * z[k - i];
    even += a[i + 1] * z[k - i - 1];
  }
  if (i <= k) odd += a[i] * z[k - i];
  return odd + even;
}

}  // namespace

SeriesForm::SeriesForm(const ConstrainedForm& form, ReformedResidual& residual, ExplicitForm& ode)
    : residual_(residual), ode_(ode), linear_(*ode.linear()) {
  moves_.assign(at(residual.slots()), false);
  moves_[at(residual.time_slot())] = true;
  for (const int k : ode.states()) {
    state_slot_.push_back(residual.value_slot(k));
    moves_[at(state_slot_.back())] = true;
  }
  for (const NodeId leaf : linear_.core().unknowns) solved_slot_.push_back(residual.slot(leaf));
  // The linear system may still turn out not to be symmetric, which reorders nothing but is to be known
  // before anything is compiled from it.
  compile_system(form);
  compile_rates(form);
  system_states_ = leaves_of(system_, state_slot_);
  rates_states_ = leaves_of(rates_, state_slot_);
  rates_solved_ = leaves_of(rates_, solved_slot_);
}

SeriesForm::SeriesForm(const SeriesForm& other, ReformedResidual& residual, ExplicitForm& ode)
    : residual_(residual),
      ode_(ode),
      linear_(*ode.linear()),
      state_slot_(other.state_slot_),
      solved_slot_(other.solved_slot_),
      moves_(other.moves_),
      factors_(other.factors_),
      rate_of_(other.rate_of_),
      system_(other.system_),
      rates_(other.rates_),
      system_states_(other.system_states_),
      rates_states_(other.rates_states_),
      rates_solved_(other.rates_solved_),
      order_(other.order_),
      z_(other.z_),
      rhs_(other.rhs_),
      trouble_(other.trouble_) {}

std::vector<SeriesForm::Leaf> SeriesForm::leaves_of(const SeriesProgram& program,
                                                    std::span<const int> slots) {
  std::vector<Leaf> leaves;
  for (std::size_t k = 0; k < slots.size(); ++k) {
    const std::int32_t leaf = program.leaf(slots[k]);
    if (leaf >= 0) leaves.push_back({.from = k, .leaf = leaf});
  }
  return leaves;
}

void SeriesForm::compile_system(const ConstrainedForm& form) {
  const LinearCore& core = linear_.core();
  std::vector<NodeId> roots = core.rhs;
  for (const SymbolicEntry& entry : core.matrix.entries) {
    if (form.graph().is_constant(entry.value)) continue;
    factors_.push_back({.row = at(entry.row), .column = at(entry.column), .root = roots.size()});
    roots.push_back(entry.value);
  }
  system_ = SeriesProgram(
      form.graph(), roots, residual_.slots(), [this](NodeId leaf) { return residual_.slot(leaf); },
      [this](int slot) { return moves_[at(slot)]; });
}

// Rates of the states, with what assignments use of each other written out.
void SeriesForm::compile_rates(const ConstrainedForm& form) {
  ExprGraph& graph = form.graph();
  std::unordered_map<NodeId, NodeId> known;
  for (const LinearCore::Assignment& assignment : linear_.core().assignments)
    known[assignment.leaf] = substitute(graph, std::span(&assignment.value, 1), known).front();
  std::unordered_map<int, Rate> by_slot;
  for (std::size_t k = 0; k < state_slot_.size(); ++k)
    by_slot[state_slot_[k]] = {.kind = Rate::Kind::State, .index = k};
  for (std::size_t k = 0; k < solved_slot_.size(); ++k)
    by_slot[solved_slot_[k]] = {.kind = Rate::Kind::Solved, .index = k};
  std::vector<NodeId> roots;
  for (const int k : ode_.states()) {
    const NodeId rate = residual_.system().unknowns[at(k)].rate;
    const auto assigned = known.find(rate);
    const NodeId value = assigned == known.end() ? rate : assigned->second;
    const bool leaf = graph.node(value).op == Op::Variable;
    const auto source = leaf ? by_slot.find(residual_.slot(value)) : by_slot.end();
    if (source != by_slot.end()) {
      rate_of_.push_back(source->second);
    } else {
      rate_of_.push_back({.kind = Rate::Kind::Root, .index = roots.size()});
      roots.push_back(value);
    }
  }
  std::vector<bool> moves = moves_;
  for (const int slot : solved_slot_) moves[at(slot)] = true;
  rates_ = SeriesProgram(
      graph, roots, residual_.slots(), [this](NodeId leaf) { return residual_.slot(leaf); },
      [&moves](int slot) { return moves[at(slot)]; });
}

void SeriesForm::reserve(int order) {
  if (order <= order_) return;
  order_ = order;
  system_.reserve(order);
  rates_.reserve(order);
  z_.assign(solved_slot_.size() * (at(order) + 1), 0);
  rhs_.resize(solved_slot_.size());
}

// z_k, when the coefficients of A and b up to k are there.
bool SeriesForm::solve(int k) {
  const std::size_t stride = at(order_) + 1;
  for (std::size_t r = 0; r < rhs_.size(); ++r) rhs_[r] = system_.root(r)[k];
  for (const Factor& factor : factors_)
    rhs_[factor.row] -= convolution(system_.root(factor.root), z_.data() + factor.column * stride, k);
  linear_.solve_factored(rhs_);
  double sum = 0;
  for (std::size_t c = 0; c < rhs_.size(); ++c) {
    z_[c * stride + at(k)] = rhs_[c];
    sum += 0.0 * rhs_[c];
  }
  for (const Leaf& leaf : rates_solved_) rates_.set(leaf.leaf, k, rhs_[leaf.from]);
  return sum == 0;
}

bool SeriesForm::expand(double t, std::span<const double> y, int order, std::span<double> coefficients) {
  reserve(order);
  const std::size_t n = state_slot_.size();
  const std::span<double> environment = residual_.environment();
  ode_.place(t, y);
  trouble_ = "the equations for accelerations and multipliers are singular";
  if (!linear_.factor(environment)) return false;
  copy_values(y, coefficients);
  system_.start(environment);
  const std::array<std::pair<SeriesProgram*, std::int32_t>, 2> times{
      {{&system_, system_.leaf(residual_.time_slot())}, {&rates_, rates_.leaf(residual_.time_slot())}}};
  for (const auto& [program, leaf] : times) {
    if (leaf >= 0) program->set(leaf, 1, 1);
  }
  for (int k = 0; k < order; ++k) {
    if (k > 0) system_.advance(k);
    if (!solve(k)) return false;
    if (k == 0) {
      for (std::size_t c = 0; c < solved_slot_.size(); ++c) environment[at(solved_slot_[c])] = rhs_[c];
      rates_.start(environment);
    } else {
      rates_.advance(k);
    }
    const double* now = coefficients.data() + at(k) * n;
    double* next = coefficients.data() + at(k + 1) * n;
    const std::size_t stride = at(order_) + 1;
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Rate& rate = rate_of_[i];
      const double value = rate.kind == Rate::Kind::State    ? now[rate.index]
                           : rate.kind == Rate::Kind::Solved ? z_[rate.index * stride + at(k)]
                                                             : rates_.root(rate.index)[k];
      next[i] = value / (k + 1);
      sum += 0.0 * next[i];
    }
    for (const Leaf& leaf : system_states_) system_.set(leaf.leaf, k + 1, next[leaf.from]);
    for (const Leaf& leaf : rates_states_) rates_.set(leaf.leaf, k + 1, next[leaf.from]);
    if (sum != 0) {
      trouble_ = "the equations of motion";
      return false;
    }
  }
  return true;
}

}  // namespace daedalus
