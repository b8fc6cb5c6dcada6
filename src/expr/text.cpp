#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "expr/graph.hpp"

namespace daedalus {
namespace {

// Text is put together with an explicit stack: a piece is either ready text or a node still to print.
struct Piece {
  std::string text;
  NodeId node;
  int precedence = 0;  // parentheses when the node's own precedence is lower
};

constexpr int if_precedence = 1;

int precedence_of(const ExprGraph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (node.op == Op::If) return if_precedence - 1;
  if (node.op == Op::Constant && std::signbit(node.value)) return info(Op::Neg).precedence;
  return info(node.op).precedence;
}

std::string number_text(double value) {
  return fmt::format("{}", value);
}

Piece text(std::string s) {
  return {.text = std::move(s), .node = {}, .precedence = 0};
}

// The pieces of one node, in reading order.
std::vector<Piece> pieces(const Node& node) {
  const OpInfo& row = info(node.op);
  const auto arg = [&](std::size_t i, int precedence) {
    return Piece{.text = {}, .node = NodeId(node.args[i]), .precedence = precedence};
  };
  if (node.op == Op::If) {
    return {text("if "),           arg(0, if_precedence), text(" then "),
            arg(1, if_precedence), text(" else "),        arg(2, 0)};
  }
  if (row.precedence == 0) {
    std::vector<Piece> out{text(std::string(row.name) + "(")};
    for (std::size_t i = 0; i < node.arity; ++i) {
      if (i > 0) out.push_back(text(", "));
      out.push_back(arg(i, 0));
    }
    out.push_back(text(")"));
    return out;
  }
  if (node.arity == 1) {
    const std::string sign = node.op == Op::Not ? "not " : "-";
    return {text(sign), arg(0, row.precedence + 1)};
  }
  // Left-associative, and ^ and relations do not chain at all.
  const bool chains = node.op != Op::Pow && row.precedence != info(Op::Less).precedence;
  const std::string space = node.op == Op::Pow ? "" : " ";
  return {arg(0, row.precedence + (chains ? 0 : 1)), text(space + std::string(row.name) + space),
          arg(1, row.precedence + 1)};
}

}  // namespace

std::string to_text(const ExprGraph& graph, NodeId root, const std::function<std::string(NodeId)>& leaf,
                    std::size_t limit) {
  std::string out;
  std::vector<Piece> stack{{.text = {}, .node = root, .precedence = 0}};
  while (!stack.empty()) {
    if (out.size() > limit) return out + "…";
    const Piece piece = std::move(stack.back());
    stack.pop_back();
    if (!piece.node.valid()) {
      out += piece.text;
      continue;
    }
    const Node& node = graph.node(piece.node);
    const int own = precedence_of(graph, piece.node);
    const bool leaf_or_call = node.op != Op::If && own == 0;
    const bool parentheses = !leaf_or_call && own < piece.precedence;
    if (parentheses) out += "(";
    if (node.op == Op::Constant) {
      out += number_text(node.value) + (parentheses ? ")" : "");
    } else if (node.arity == 0) {
      out += leaf(piece.node);
    } else {
      if (parentheses) stack.push_back(text(")"));
      std::vector<Piece> inner = pieces(node);
      stack.insert(stack.end(), std::make_move_iterator(inner.rbegin()),
                   std::make_move_iterator(inner.rend()));
    }
  }
  return out;
}

}  // namespace daedalus
