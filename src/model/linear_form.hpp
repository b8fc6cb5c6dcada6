// Small expressions as a sum of leaves with constant factors.
#pragma once

#include <optional>
#include <vector>

#include "expr/graph.hpp"

namespace daedalus {

struct LinearTerm {
  NodeId leaf;
  double factor = 0;
};

struct LinearForm {
  std::vector<LinearTerm> terms;  // no leaf twice, no factor zero; at most two
  double constant = 0;
};

// Nothing when the expression is not linear, or has more than two leaves, or is not small.
[[nodiscard]] std::optional<LinearForm> linear_form(const ExprGraph& graph, NodeId root);

}  // namespace daedalus
