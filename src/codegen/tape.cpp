#include "codegen/tape.hpp"

#include <cassert>
#include <cstdlib>
#include <limits>
#include <map>

#include "expr/traverse.hpp"
#include "expr/whole_power.hpp"

namespace daedalus {
namespace {

// Up to the fourth, back ends have a form for a power, as fast as its products.
constexpr double largest_formed_power = 4;

// A whole power that is written out as products; 0: none.
int power_to_write(const ExprGraph& graph, const Node& node) {
  if (node.op != Op::Pow) return 0;
  const NodeId exponent(node.args[1]);
  if (!graph.is_constant(exponent)) return 0;
  const double n = graph.node(exponent).value;
  const bool formed = n == -1 || (n >= 0 && n <= largest_formed_power);
  return is_written_power(n) && !formed ? static_cast<int>(n) : 0;
}

// The products of whole_power(), each written once for all powers of a base.
class Powers {
 public:
  Powers(Tape& tape, std::int32_t& next) : tape_(tape), next_(next) {}

  std::int32_t write(std::int32_t base, int exponent, std::int32_t one) {
    std::int32_t square = base;
    std::int32_t product = -1;
    for (int left = std::abs(exponent); left > 0; left /= 2) {
      if (left % 2 == 1) product = product < 0 ? square : apply(Op::Mul, product, square);
      if (left > 1) square = apply(Op::Mul, square, square);
    }
    return exponent < 0 ? apply(Op::Div, one, product) : product;
  }

 private:
  std::int32_t apply(Op op, std::int32_t a, std::int32_t b) {
    const auto [place, is_new] = written_.try_emplace(std::pair(a, b), next_);
    if (is_new) {
      tape_.operations.push_back({.op = op, .arity = 2, .args = {a, b, -1}});
      ++next_;
    }
    return place->second;
  }

  Tape& tape_;
  std::int32_t& next_;
  // By factors; a quotient's first is a constant, which no product has.
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> written_;
};

}  // namespace

Tape Tape::write(const ExprGraph& graph, std::span<const NodeId> roots, int slots, const LeafSlot& slot_of) {
  Traversal traversal;
  traversal.run(graph, roots);
  const std::vector<NodeId>& order = traversal.order();
  assert(order.size() < static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()));
  Tape tape;
  tape.slots = static_cast<std::size_t>(slots);
  // Numbers within their kind first; a kind's place among the values is known when all are counted.
  std::vector<std::int32_t> number(order.size());
  std::int32_t one = -1;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Node& node = graph.node(order[k]);
    if (one < 0 && power_to_write(graph, node) < 0) {
      one = static_cast<std::int32_t>(tape.constants.size());
      tape.constants.push_back(1);
    }
    if (node.op == Op::Constant) {
      number[k] = static_cast<std::int32_t>(tape.constants.size());
      tape.constants.push_back(node.value);
    } else if (node.arity == 0) {
      const int slot = slot_of(order[k]);
      assert(slot >= 0 && slot < slots);
      number[k] = static_cast<std::int32_t>(tape.leaf_slots.size());
      tape.leaf_slots.push_back(slot);
    }
  }
  const auto first_leaf = static_cast<std::int32_t>(tape.first_leaf());
  auto next_result = static_cast<std::int32_t>(tape.first_result());
  Powers powers(tape, next_result);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Node& node = graph.node(order[k]);
    if (node.op == Op::Constant) continue;
    if (node.arity == 0) {
      number[k] += first_leaf;
      continue;
    }
    if (const int exponent = power_to_write(graph, node); exponent != 0) {
      number[k] = powers.write(number[traversal.position(NodeId(node.args[0]))], exponent, one);
      continue;
    }
    Operation operation{.op = node.op, .arity = node.arity};
    for (std::size_t i = 0; i < node.arity; ++i)
      operation.args[i] = number[traversal.position(NodeId(node.args[i]))];
    number[k] = next_result++;
    tape.operations.push_back(operation);
  }
  for (const NodeId root : roots) {
    tape.destinations.push_back(static_cast<std::int32_t>(tape.roots.size()));
    tape.roots.push_back(number[traversal.position(root)]);
  }
  return tape;
}

Tape Tape::part(std::size_t begin, std::size_t end) const {
  std::vector<std::int32_t> number(values(), -1);  // in the part; 0: needed, while numbers are not given yet
  for (std::size_t k = begin; k < end; ++k) number[static_cast<std::size_t>(roots[k])] = 0;
  for (std::size_t k = operations.size(); k-- > 0;) {
    if (number[first_result() + k] < 0) continue;
    for (const std::int32_t value : operations[k].arguments()) number[static_cast<std::size_t>(value)] = 0;
  }
  Tape made;
  made.constants = constants;
  made.slots = slots;
  std::int32_t next = 0;
  for (std::size_t v = 0; v < first_result(); ++v) {
    const bool is_leaf = v >= first_leaf();
    if (is_leaf && number[v] < 0) continue;
    number[v] = next++;
    if (is_leaf) made.leaf_slots.push_back(leaf_slots[v - first_leaf()]);
  }
  for (std::size_t k = 0; k < operations.size(); ++k) {
    if (number[first_result() + k] < 0) continue;
    Operation operation = operations[k];
    for (std::size_t i = 0; i < operation.arity; ++i)
      operation.args[i] = number[static_cast<std::size_t>(operation.args[i])];
    number[first_result() + k] = next++;
    made.operations.push_back(operation);
  }
  for (std::size_t k = begin; k < end; ++k) {
    made.roots.push_back(number[static_cast<std::size_t>(roots[k])]);
    made.destinations.push_back(destinations[k]);
  }
  return made;
}

void Tape::compute(std::span<const double> environment, std::vector<double>& all) const {
  all.resize(values());
  std::ranges::copy(constants, all.begin());
  for (std::size_t l = 0; l < leaf_slots.size(); ++l)
    all[first_leaf() + l] = environment[static_cast<std::size_t>(leaf_slots[l])];
  std::size_t out = first_result();
  for (const Operation& operation : operations) {
    const auto value = [&](std::size_t i) {
      return i < operation.arity ? all[static_cast<std::size_t>(operation.args[i])] : 0.0;
    };
    all[out++] = info(operation.op).evaluate(value(0), value(1), value(2));
  }
}

}  // namespace daedalus
