// delay(x, T) of a value that changes only at events, as a queue of discrete variables.
#pragma once

#include "model/flatten/frame.hpp"

namespace daedalus::flatten {

// x(time - T), x(start) before. Raises when x is continuous or T is not a known number.
[[nodiscard]] Value call_delay(Frame& frame, const ast::Expr& e, std::span<const ast::ExprRef> arguments);

// A Real that only an equation xr = (something discrete) determines, and that is delayed, is discrete itself.
// Must come before any equation is looked at.
void classify_delayed(Session& session, const ast::Class& model);

}  // namespace daedalus::flatten
