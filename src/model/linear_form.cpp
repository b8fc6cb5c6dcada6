#include "model/linear_form.hpp"

#include <algorithm>

namespace daedalus {
namespace {

struct Pending {
  NodeId node;
  double factor;
};

}  // namespace

std::optional<LinearForm> linear_form(const ExprGraph& graph, NodeId root) {
  constexpr int largest = 24;  // nodes looked at; aliases are far smaller
  LinearForm form;
  std::vector<Pending> stack{{root, 1.0}};
  for (int steps = 0; !stack.empty(); ++steps) {
    if (steps > largest) return std::nullopt;
    const auto [id, factor] = stack.back();
    stack.pop_back();
    const Node& node = graph.node(id);
    const NodeId a(node.args[0]);
    const NodeId b(node.args[1]);
    switch (node.op) {
      case Op::Constant:
        form.constant += factor * node.value;
        break;
      case Op::Add:
        stack.push_back({b, factor});
        stack.push_back({a, factor});
        break;
      case Op::Sub:
        stack.push_back({b, -factor});
        stack.push_back({a, factor});
        break;
      case Op::Neg:
        stack.push_back({a, -factor});
        break;
      case Op::Mul:
        if (graph.is_constant(a)) {
          stack.push_back({b, factor * graph.node(a).value});
        } else if (graph.is_constant(b)) {
          stack.push_back({a, factor * graph.node(b).value});
        } else {
          return std::nullopt;
        }
        break;
      case Op::Div:
        if (!graph.is_constant(b) || graph.node(b).value == 0) return std::nullopt;
        stack.push_back({a, factor / graph.node(b).value});
        break;
      case Op::Variable:
      case Op::Discrete:
      case Op::Pre:
      case Op::Time: {
        const auto known = std::ranges::find(form.terms, id, &LinearTerm::leaf);
        if (known != form.terms.end()) {
          known->factor += factor;
        } else if (form.terms.size() == 2) {
          return std::nullopt;
        } else {
          form.terms.push_back({id, factor});
        }
        break;
      }
      default:
        return std::nullopt;
    }
  }
  std::erase_if(form.terms, [](const LinearTerm& term) { return term.factor == 0; });
  return form;
}

}  // namespace daedalus
