#include "codegen/kernel_plan.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace daedalus {
namespace {

constexpr std::size_t least_row = 8;  // shapes that are fewer in a piece are left to the interpreter's loops
constexpr std::size_t most_kinds =
    256;  // likewise those beyond the most frequent; bounds the time of scheduling
constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

}  // namespace

KernelPlanner::KernelPlanner(const Tape& tape, const Clusters& clusters)
    : tape_(tape),
      clusters_(clusters),
      kind_of_shape_(clusters.shapes.size(), 0),
      unit_of_(tape.operations.size(), 0),
      piece_of_(tape.operations.size(), 0),
      asked_(tape.values(), 0) {}

KernelPlan KernelPlanner::plan(std::size_t begin, std::size_t end) {
  ++piece_;
  piece_began_ = clock_;
  choose_kinds(begin, end);
  list_units(begin, end);
  WaveProblem problem = dependences();
  std::vector<Wave> waves = schedule_waves(problem);
  // Clusters that wait for one another are not side by side, however many there are. What is taken apart may
  // free others, or bind them, so there is no end to be sure of; the second plan is kept as it is.
  if (take_short_apart(waves)) {
    list_units(begin, end);
    problem = dependences();
    waves = schedule_waves(problem);
  }
  KernelPlan plan;
  plan.steps.resize(waves.size());
  // From the last to the first: who uses values has its order before those who make them, and they follow it.
  for (std::size_t w = waves.size(); w-- > 0;) {
    KernelPlan::Step& step = plan.steps[w];
    step.is_serial = problem.serial[waves[w].kind] != 0;
    if (step.is_serial) {
      for (const std::uint32_t u : waves[w].units)
        step.members.push_back(static_cast<std::uint32_t>(units_[u].operation));
    } else {
      step.members = in_order(waves[w].units);
      ask_for_inputs(step.members, plan);
    }
  }
  for (const Unit& unit : units_) {
    if (unit.operation < 0) continue;
    for (const std::int32_t value : inputs_of(unit)) ask_for(value, plan);
  }
  return plan;
}

std::span<const std::int32_t> KernelPlanner::inputs_of(const Unit& unit) const {
  return unit.operation >= 0 ? operation(unit.operation).arguments()
                             : clusters_.inputs_of(cluster(unit.cluster));
}

bool KernelPlanner::is_function(std::uint32_t shape) const {
  return is_elementary_function(static_cast<Op>(clusters_.code_of(clusters_.shapes[shape]).front()));
}

// Kinds: [operations, serial | shapes]. A shape without a kind of its own is taken apart, a function never.
void KernelPlanner::choose_kinds(std::size_t begin, std::size_t end) {
  std::vector<std::uint32_t> shapes;  // of this piece
  std::vector<std::size_t> count;     // by index in `shapes`, which kind_of_shape_ holds for a while
  for (std::size_t c = begin; c < end; ++c) {
    const std::uint32_t shape = clusters_.list[c].shape;
    std::uint32_t& index = kind_of_shape_[shape];
    if (index >= shapes.size() || shapes[index] != shape) {
      index = static_cast<std::uint32_t>(shapes.size());
      shapes.push_back(shape);
      count.push_back(0);
    }
    ++count[index];
  }
  std::vector<std::uint32_t> order(shapes.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t k) { return std::pair(end - count[k], k); });
  kinds_ = op_count;
  for (const std::uint32_t k : order) {
    const bool worthwhile = count[k] >= least_row && kinds_ < most_kinds;
    kind_of_shape_[shapes[k]] = worthwhile || is_function(shapes[k]) ? kinds_++ : 0;
  }
}

bool KernelPlanner::take_short_apart(std::span<const Wave> waves) {
  std::vector<std::size_t> count(kinds_, 0), members(kinds_, 0);
  for (const Wave& wave : waves) {
    ++count[wave.kind];
    members[wave.kind] += wave.units.size();
  }
  bool any = false;
  for (const Wave& wave : waves) {
    if (wave.kind < op_count || members[wave.kind] >= least_row * count[wave.kind]) continue;
    const std::uint32_t shape = cluster(units_[wave.units.front()].cluster).shape;
    if (is_function(shape)) continue;
    kind_of_shape_[shape] = 0;
    any = true;
  }
  return any;
}

void KernelPlanner::list_units(std::size_t begin, std::size_t end) {
  units_.clear();
  const auto note = [&](std::int32_t result) {
    unit_of_[static_cast<std::size_t>(result)] = static_cast<std::uint32_t>(units_.size());
    piece_of_[static_cast<std::size_t>(result)] = piece_;
  };
  for (auto c = static_cast<std::uint32_t>(begin); c < end; ++c) {
    if (kind_of_shape_[cluster(c).shape] != 0) {
      for (const std::int32_t k : clusters_.results_of(cluster(c))) note(k);
      units_.push_back({.cluster = c});
      continue;
    }
    for (const std::int32_t k : clusters_.operations_of(cluster(c))) {
      note(k);
      units_.push_back({.cluster = c, .operation = k});
    }
  }
}

WaveProblem KernelPlanner::dependences() const {
  WaveProblem problem;
  problem.serial.assign(kinds_, 0);
  std::fill_n(problem.serial.begin(), op_count, char{1});
  problem.arg_start.push_back(0);
  for (const Unit& unit : units_) {
    problem.kind.push_back(unit.operation >= 0 ? static_cast<std::uint32_t>(operation(unit.operation).op)
                                               : kind_of_shape_[cluster(unit.cluster).shape]);
    for (const std::int32_t value : inputs_of(unit)) {
      if (!tape_.is_result(value)) continue;
      const auto source = static_cast<std::size_t>(tape_.operation_of(value));
      if (piece_of_[source] == piece_) problem.args.push_back(unit_of_[source]);
    }
    problem.arg_start.push_back(static_cast<std::uint32_t>(problem.args.size()));
  }
  return problem;
}

// As their results were asked for. Those that nobody in this piece asks for follow, by role and in the order
// of the tape.
std::vector<std::uint32_t> KernelPlanner::in_order(std::span<const std::uint32_t> units) const {
  struct Entry {
    std::uint64_t asked;
    std::size_t rank;
    std::uint32_t cluster;
  };
  std::vector<std::uint32_t> members;
  for (const std::uint32_t u : units) members.push_back(units_[u].cluster);
  std::ranges::sort(members);
  std::unordered_map<std::uint64_t, std::size_t> ranks;  // of roles, by their first members
  std::vector<Entry> entries;
  for (const std::uint32_t c : members) {
    const std::uint64_t asked = asked_for_results(c);
    const std::size_t rank =
        asked != never ? 0 : ranks.try_emplace(cluster(c).role, ranks.size()).first->second;
    entries.push_back({.asked = asked, .rank = rank, .cluster = c});
  }
  std::ranges::sort(entries, {}, [](const Entry& e) { return std::tuple(e.asked, e.rank, e.cluster); });
  std::ranges::transform(entries, members.begin(), &Entry::cluster);
  return members;
}

std::uint64_t KernelPlanner::asked_for_results(std::uint32_t c) const {
  std::uint64_t first = never;
  for (const std::int32_t k : clusters_.results_of(cluster(c))) {
    const std::uint64_t when = asked(static_cast<std::int32_t>(tape_.first_result()) + k);
    if (when > piece_began_) first = std::min(first, when);
  }
  return first;
}

void KernelPlanner::ask_for_inputs(std::span<const std::uint32_t> members, KernelPlan& plan) {
  for (std::size_t i = 0; i < cluster(members.front()).inputs; ++i) {
    for (const std::uint32_t c : members) ask_for(clusters_.inputs_of(cluster(c))[i], plan);
  }
}

void KernelPlanner::ask_for(std::int32_t value, KernelPlan& plan) {
  if (tape_.is_constant(value) || asked(value) > piece_began_) return;
  asked_[static_cast<std::size_t>(value)] = ++clock_;
  if (tape_.is_leaf(value)) plan.leaves.push_back(value);
}

}  // namespace daedalus
