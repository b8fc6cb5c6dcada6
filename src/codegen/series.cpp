#include "codegen/series.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <unordered_map>

#include "expr/derivative.hpp"

namespace daedalus {
namespace {

constexpr double largest_written_power = 64;

bool is_arithmetic(Op op) {
  return op == Op::Add || op == Op::Sub || op == Op::Mul || op == Op::Div || op == Op::Neg;
}

std::array<NodeId, 3> arguments(const Node& node) {
  return {NodeId(node.args[0]), NodeId(node.args[1]), NodeId(node.args[2])};
}

// Whole powers as products, which have a recurrence at zero, too; powers with a variable exponent by exp and
// log.
NodeId written_power(ExprGraph& graph, NodeId base, NodeId exponent) {
  if (!graph.is_constant(exponent))
    return graph.apply(Op::Exp, graph.mul(exponent, graph.apply(Op::Log, base)));
  const double n = graph.node(exponent).value;
  if (n != std::floor(n) || std::abs(n) > largest_written_power) return graph.pow(base, exponent);
  NodeId result = graph.constant(1);
  NodeId square = base;
  for (auto left = static_cast<int>(std::abs(n)); left > 0; left /= 2) {
    if (left % 2 == 1) result = graph.mul(result, square);
    if (left > 1) square = graph.mul(square, square);
  }
  return n < 0 ? graph.div(graph.constant(1), result) : result;
}

std::vector<NodeId> without_whole_powers(ExprGraph& graph, std::span<const NodeId> roots) {
  std::unordered_map<NodeId, NodeId> made;
  for (const NodeId id : topological_order(graph, roots)) {
    const Node node = graph.node(id);
    std::array<NodeId, 3> args = arguments(node);
    for (std::size_t i = 0; i < node.arity; ++i) args[i] = made.at(args[i]);
    NodeId result = id;
    if (node.op == Op::Pow) {
      result = written_power(graph, args[0], args[1]);
    } else if (node.arity == 1) {
      result = graph.apply(node.op, args[0]);
    } else if (node.arity == 2) {
      result = graph.apply(node.op, args[0], args[1]);
    } else if (node.arity == 3) {
      result = graph.apply(node.op, args[0], args[1], args[2]);
    }
    made[id] = result;
  }
  std::vector<NodeId> written;
  for (const NodeId root : roots) written.push_back(made.at(root));
  return written;
}

// Σ_(i=0..k) a_i b_(k-i), in four sums that do not wait for each other.
double convolution(const double* a, const double* b, int k) {
  double s0 = 0;
  double s1 = 0;
  double s2 = 0;
  double s3 = 0;
  int i = 0;
  for (; i + 3 <= k; i += 4) {
    s0 += a[i] * b[k - i];
    s1 += a[i + 1] * b[k - i - 1];
    s2 += a[i + 2] * b[k - i - 2];
    s3 += a[i + 3] * b[k - i - 3];
  }
  for (; i <= k; ++i) s0 += a[i] * b[k - i];
  return (s0 + s1) + (s2 + s3);
}

// Σ_(i=1..k) i u_i g_(k-i)
double chain_sum(const double* u, const double* g, int k) {
  double even = 0;
  double odd = 0;
  int i = 1;
  for (; i + 1 <= k; i += 2) {
    odd += i * u[i] * g[k - i];
    even += (i + 1) * u[i + 1] * g[k - i - 1];
  }
  if (i <= k) odd += i * u[i] * g[k - i];
  return odd + even;
}

}  // namespace

// Derivatives of functions join the expressions until nothing is missing, then all is written as one tape.
class SeriesProgram::Writer {
 public:
  Writer(ExprGraph& graph, std::span<const NodeId> roots)
      : graph_(graph), all_(without_whole_powers(graph, roots)) {
    given_ = all_.size();
    for (std::size_t before = 0; before != all_.size();) {
      before = all_.size();
      for (const NodeId id : topological_order(graph_, all_)) complete(id);
    }
  }

  [[nodiscard]] const std::vector<NodeId>& all() const { return all_; }
  [[nodiscard]] std::size_t given() const { return given_; }
  // Where in all() the derivatives, or the condition, of a node stand.
  [[nodiscard]] const std::array<int, 2>& extra(NodeId id) const { return extra_.at(id); }

 private:
  void complete(NodeId id) {
    const Node node = graph_.node(id);
    const OpInfo& row = info(node.op);
    if (node.arity == 0 || is_arithmetic(node.op) || extra_.contains(id)) return;
    const std::array<NodeId, 3> args = arguments(node);
    const std::span<const NodeId> own(args.data(), node.arity);
    std::array<int, 2> indices{-1, -1};
    if (row.choice != nullptr) {
      indices[0] = add(row.choice(graph_, own));
    } else if (node.op == Op::Pow) {  // y' = b y/a, which is a power no more
      indices[0] = add(graph_.div(graph_.mul(args[1], id), args[0]));
    } else if (row.partial != nullptr) {
      for (int i = 0; i < node.arity; ++i)
        indices[static_cast<std::size_t>(i)] = add(row.partial(graph_, id, own, i));
    }
    extra_[id] = indices;
  }
  int add(NodeId id) {
    all_.push_back(id);
    return static_cast<int>(all_.size()) - 1;
  }

  ExprGraph& graph_;
  std::vector<NodeId> all_;
  std::size_t given_ = 0;
  std::unordered_map<NodeId, std::array<int, 2>> extra_;
};

SeriesProgram::SeriesProgram(ExprGraph& graph, std::span<const NodeId> roots, int slots,
                             const LeafSlot& slot_of, const std::function<bool(int slot)>& moves) {
  const Writer writer(graph, roots);
  tape_ = Tape::write(graph, writer.all(), slots, slot_of);
  roots_.assign(tape_.roots.begin(), tape_.roots.begin() + static_cast<std::ptrdiff_t>(writer.given()));
  std::vector<bool> moving(tape_.values(), false);
  leaf_of_slot_.assign(static_cast<std::size_t>(slots), -1);
  for (std::size_t l = 0; l < tape_.leaf_slots.size(); ++l) {
    const int slot = tape_.leaf_slots[l];
    if (!moves(slot)) continue;
    moving[tape_.first_leaf() + l] = true;
    leaf_of_slot_[static_cast<std::size_t>(slot)] = static_cast<std::int32_t>(tape_.first_leaf() + l);
  }
  // The tape has its operations in the order of the traversal that wrote it.
  std::vector<NodeId> results;
  for (const NodeId id : topological_order(graph, writer.all())) {
    if (graph.node(id).arity > 0) results.push_back(id);
  }
  assert(results.size() == tape_.operations.size());
  for (std::size_t k = 0; k < results.size(); ++k) {
    const Tape::Operation& operation = tape_.operations[k];
    const auto out = static_cast<std::int32_t>(tape_.first_result() + k);
    const auto moved = [&](std::size_t i) { return moving[static_cast<std::size_t>(operation.args[i])]; };
    Step step{.rule = Rule::Chain, .out = out, .u = {operation.args[0], operation.args[1]}, .g = {-1, -1}};
    const OpInfo& row = info(operation.op);
    bool moves_too = moved(0) || (operation.arity > 1 && moved(1));
    if (operation.op == Op::Add || operation.op == Op::Sub || operation.op == Op::Neg) {
      step.rule = operation.op == Op::Add ? Rule::Add : operation.op == Op::Sub ? Rule::Sub : Rule::Neg;
    } else if (operation.op == Op::Mul) {
      step.rule = moved(0) && moved(1) ? Rule::Mul : Rule::Scale;
      if (step.rule == Rule::Scale && moved(1)) std::swap(step.u[0], step.u[1]);
    } else if (operation.op == Op::Div) {
      step.rule = moved(1) ? Rule::Div : Rule::DivConstant;
    } else if (row.choice != nullptr) {
      const std::size_t last = operation.arity;
      step.rule = Rule::Choice;
      step.u = {operation.args[last - 2], operation.args[last - 1]};
      step.g[0] = tape_.roots[static_cast<std::size_t>(writer.extra(results[k])[0])];
      moves_too = moved(last - 2) || moved(last - 1);
    } else if (row.partial == nullptr) {
      moves_too = false;
    } else {
      const std::array<int, 2>& extra = writer.extra(results[k]);
      step.g[0] = tape_.roots[static_cast<std::size_t>(extra[0])];
      if (operation.arity == 2 && extra[1] >= 0) {
        step.rule = Rule::Chain2;
        step.g[1] = tape_.roots[static_cast<std::size_t>(extra[1])];
      }
    }
    moving[static_cast<std::size_t>(out)] = moves_too;
    if (moves_too) steps_.push_back(step);
  }
  first_.resize(tape_.values());
}

void SeriesProgram::reserve(int order) {
  stride_ = static_cast<std::size_t>(order) + 1;
  c_.assign(tape_.values() * stride_, 0);
}

void SeriesProgram::start(std::span<const double> environment) {
  tape_.compute(environment, first_);
  for (std::size_t v = 0; v < first_.size(); ++v) c_[v * stride_] = first_[v];
}

void SeriesProgram::advance(int k) {
  for (const Step& step : steps_) {
    double* y = at(step.out);
    const double* u = at(step.u[0]);
    switch (step.rule) {
      case Rule::Add:
        y[k] = u[k] + at(step.u[1])[k];
        break;
      case Rule::Sub:
        y[k] = u[k] - at(step.u[1])[k];
        break;
      case Rule::Neg:
        y[k] = -u[k];
        break;
      case Rule::Mul:
        y[k] = convolution(u, at(step.u[1]), k);
        break;
      case Rule::Scale:
        y[k] = u[k] * at(step.u[1])[0];
        break;
      case Rule::Div: {
        const double* b = at(step.u[1]);
        y[k] = (u[k] - convolution(b + 1, y, k - 1)) / b[0];
        break;
      }
      case Rule::DivConstant:
        y[k] = u[k] / at(step.u[1])[0];
        break;
      case Rule::Choice:
        y[k] = at(step.g[0])[0] != 0 ? u[k] : at(step.u[1])[k];
        break;
      case Rule::Chain:
        y[k] = chain_sum(u, at(step.g[0]), k) / k;
        break;
      case Rule::Chain2:
        y[k] = (chain_sum(u, at(step.g[0]), k) + chain_sum(at(step.u[1]), at(step.g[1]), k)) / k;
        break;
    }
  }
}

}  // namespace daedalus
