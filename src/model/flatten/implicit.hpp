// f(u) = 0 solved for u: a number where all is known, else an unknown of the model with this equation.
#pragma once

#include <functional>
#include <string>

#include "model/flatten/frame.hpp"

namespace daedalus::flatten {

struct ImplicitEquation {
  std::function<NodeId(NodeId u)> value;  // f(u)
  std::string name;                       // of f, for messages
  std::string key;                        // equal for equal equations; empty: not known
  NodeId low;                             // u lies between these
  NodeId high;
};
[[nodiscard]] NodeId solve_equation(Frame& frame, const ImplicitEquation& equation, SourceSpan span);

}  // namespace daedalus::flatten
