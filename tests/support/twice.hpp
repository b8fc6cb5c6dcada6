// A mechanism with a redundant constraint, and what is known of it by hand.
#pragma once

#include "expr/derivative.hpp"
#include "support/equations.hpp"

namespace daedalus::testing {

// A particle of unit mass on a circle that is written twice, the second time threefold: g, 3 g. Multipliers
// l1, l2.
struct Twice : Equations {
  Term x, y, l1, l2;
  Twice() {
    x = variable("x", 0.6);
    y = variable("y", -0.8);
    l1 = variable("l1");
    l2 = variable("l2");
    const Term pin = square(x) + square(y) - 1;
    const Term second = 3.0 * pin;
    // Forces along the gradients, as mechanisms have them: the same expressions.
    equation(der(x, 2) + partial(pin, x) * l1 + partial(second, x) * l2, "m x'' = ...");
    equation(der(y, 2) + partial(pin, y) * l1 + partial(second, y) * l2 + 9.81, "m y'' = ...");
    equation(pin, "pin");
    equation(second, "second pin");
    for (std::size_t k : {2, 3}) system.equations[k].keep = true;
    for (const char* name : {"x", "y", "l1", "l2"}) system.report_order.emplace_back(name);
  }
  [[nodiscard]] Term partial(Term of, Term by) const {
    Gradient gradient(*system.graph, [&](NodeId leaf) { return leaf == by.node; });
    return {system.graph.get(), gradient(of.node).front().value};
  }
};

}  // namespace daedalus::testing
