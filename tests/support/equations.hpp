// A few operators for writing DaeSystems in tests as one writes them on paper.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "model/dae_system.hpp"

namespace daedalus::testing {

struct Term {
  ExprGraph* graph = nullptr;
  NodeId node;
};

class Equations {
 public:
  Equations() {
    system.graph = std::make_shared<ExprGraph>();
    system.sources = std::make_shared<SourceMap>();
    system.name = "test";
  }
  Term variable(std::string name, double start = 0, bool fixed = false) {
    Variable v;
    v.name = std::move(name);
    v.start = start;
    v.has_start = start != 0 || fixed;
    v.fixed = fixed;
    system.variables.push_back(std::move(v));
    return {system.graph.get(), system.graph->variable(VariableId(system.variables.size() - 1))};
  }
  Term time() { return {system.graph.get(), system.graph->time()}; }
  Term number(double value) { return {system.graph.get(), system.graph->constant(value)}; }
  // residual = 0
  void equation(Term residual, std::string label) {
    system.equations.push_back({.residual = residual.node, .span = {}, .label = std::move(label)});
  }
  VariableId id(Term t) const { return system.graph->variable_of(t.node); }

  DaeSystem system;
};

inline Term make(Op op, Term a) {
  return {a.graph, a.graph->apply(op, a.node)};
}
inline Term make(Op op, Term a, Term b) {
  return {a.graph, a.graph->apply(op, a.node, b.node)};
}
inline Term lift(Term like, double value) {
  return {like.graph, like.graph->constant(value)};
}
inline Term operator+(Term a, Term b) {
  return make(Op::Add, a, b);
}
inline Term operator-(Term a, Term b) {
  return make(Op::Sub, a, b);
}
inline Term operator*(Term a, Term b) {
  return make(Op::Mul, a, b);
}
inline Term operator/(Term a, Term b) {
  return make(Op::Div, a, b);
}
inline Term operator-(Term a) {
  return make(Op::Neg, a);
}
inline Term operator+(Term a, double b) {
  return a + lift(a, b);
}
inline Term operator-(Term a, double b) {
  return a - lift(a, b);
}
inline Term operator*(double a, Term b) {
  return lift(b, a) * b;
}
inline Term sin(Term a) {
  return make(Op::Sin, a);
}
inline Term cos(Term a) {
  return make(Op::Cos, a);
}
inline Term exp(Term a) {
  return make(Op::Exp, a);
}
inline Term tanh(Term a) {
  return make(Op::Tanh, a);
}
inline Term sqrt(Term a) {
  return make(Op::Sqrt, a);
}
inline Term square(Term a) {
  return a * a;
}
inline Term der(Term a, int times = 1) {
  return {a.graph, a.graph->variable(a.graph->variable_of(a.node), a.graph->order_of(a.node) + times)};
}

// The pendulum of unit mass and length in first-order form, as in design documents and papers.
struct Pendulum : Equations {
  Term x, y, u, v, lambda;
  Pendulum(double x0, double y0, double u0, double v0, double g = 1) {
    x = variable("x", x0);
    y = variable("y", y0);
    u = variable("u", u0);
    v = variable("v", v0);
    lambda = variable("lambda");
    equation(der(x) - u, "der(x) = u");
    equation(der(y) - v, "der(y) = v");
    equation(der(u) + lambda * x, "der(u) + lambda*x = 0");
    equation(der(v) + lambda * y + g, "der(v) + lambda*y + g = 0");
    equation(square(x) + square(y) - 1, "x^2 + y^2 = 1");
  }
  void fix(Term t) { system.variables[id(t).at()].fixed = true; }
};

}  // namespace daedalus::testing
