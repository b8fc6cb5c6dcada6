// The same DaeSystem without text, for models made in C++:
//
//   ModelBuilder model("Pendulum");
//   const Expr x = model.variable("x", {.start = 1}), y = model.variable("y", {.start = 0, .fixed = true});
//   ...
//   model.equation(der(x), vx);
//   model.equation(x * x + y * y, L * L, "length of the rod");
//   Result<DaeSystem> system = model.build();
//
// An Expr belongs to the builder that made it and must not outlive it. Mixing expressions of two builders is
// a programming error (assert).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/dae_system.hpp"

namespace daedalus {

struct BuilderState;  // builder_state.hpp

// A number, or an expression of a builder's graph. Booleans are expressions too.
class Expr {
 public:
  Expr(double number) : number_(number) {}  // NOLINT(google-explicit-constructor): 2 * x must work
  Expr(BuilderState* state, NodeId node) : state_(state), node_(node) {}

  [[nodiscard]] bool is_number() const { return state_ == nullptr; }
  [[nodiscard]] double number() const { return number_; }
  [[nodiscard]] BuilderState* state() const { return state_; }
  // The node in the graph of `state`, made if this is a number.
  [[nodiscard]] NodeId node(BuilderState& state) const;

 private:
  BuilderState* state_ = nullptr;
  NodeId node_;
  double number_ = 0;
};

// Any operation of the expression table.
[[nodiscard]] Expr apply(Op op, const Expr& a);
[[nodiscard]] Expr apply(Op op, const Expr& a, const Expr& b);

[[nodiscard]] inline Expr operator+(const Expr& a, const Expr& b) {
  return apply(Op::Add, a, b);
}
[[nodiscard]] inline Expr operator-(const Expr& a, const Expr& b) {
  return apply(Op::Sub, a, b);
}
[[nodiscard]] inline Expr operator*(const Expr& a, const Expr& b) {
  return apply(Op::Mul, a, b);
}
[[nodiscard]] inline Expr operator/(const Expr& a, const Expr& b) {
  return apply(Op::Div, a, b);
}
[[nodiscard]] inline Expr operator-(const Expr& a) {
  return apply(Op::Neg, a);
}
[[nodiscard]] inline Expr operator&&(const Expr& a, const Expr& b) {
  return apply(Op::And, a, b);
}
[[nodiscard]] inline Expr operator||(const Expr& a, const Expr& b) {
  return apply(Op::Or, a, b);
}
[[nodiscard]] inline Expr operator!(const Expr& a) {
  return apply(Op::Not, a);
}
// Relations. Between values that change continuously they make events; see no_event.
[[nodiscard]] Expr operator<(const Expr& a, const Expr& b);
[[nodiscard]] Expr operator<=(const Expr& a, const Expr& b);
[[nodiscard]] Expr operator>(const Expr& a, const Expr& b);
[[nodiscard]] Expr operator>=(const Expr& a, const Expr& b);

[[nodiscard]] Expr pow(const Expr& a, const Expr& b);
[[nodiscard]] Expr abs(const Expr& a);
[[nodiscard]] Expr sign(const Expr& a);
[[nodiscard]] Expr sqrt(const Expr& a);
[[nodiscard]] Expr exp(const Expr& a);
[[nodiscard]] Expr log(const Expr& a);
[[nodiscard]] Expr log10(const Expr& a);
[[nodiscard]] Expr sin(const Expr& a);
[[nodiscard]] Expr cos(const Expr& a);
[[nodiscard]] Expr tan(const Expr& a);
[[nodiscard]] Expr asin(const Expr& a);
[[nodiscard]] Expr acos(const Expr& a);
[[nodiscard]] Expr atan(const Expr& a);
[[nodiscard]] Expr sinh(const Expr& a);
[[nodiscard]] Expr cosh(const Expr& a);
[[nodiscard]] Expr tanh(const Expr& a);
[[nodiscard]] Expr atan2(const Expr& y, const Expr& x);
[[nodiscard]] Expr min(const Expr& a, const Expr& b);
[[nodiscard]] Expr max(const Expr& a, const Expr& b);
[[nodiscard]] Expr if_else(const Expr& condition, const Expr& yes, const Expr& no);
// The total derivative of any expression with respect to time.
[[nodiscard]] Expr der(const Expr& a);
// The value of a variable before the event. The argument must be a variable.
[[nodiscard]] Expr pre(const Expr& variable);
// The same expression with its relations taken literally, without events.
[[nodiscard]] Expr no_event(const Expr& a);

// What can be said of a variable besides its name.
struct Attributes {
  VariableKind kind = VariableKind::Continuous;
  std::optional<double> start = {};
  bool fixed = false;
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::optional<double> nominal = {};
  StateSelect state_select = StateSelect::Default;
  std::string unit = {};
  std::string description = {};
};

class ModelBuilder;

// when (condition) { ... } else when ...
class WhenBuilder {
 public:
  WhenBuilder& set(const Expr& variable, const Expr& value);     // a discrete variable
  WhenBuilder& reinit(const Expr& variable, const Expr& value);  // a continuous state
  WhenBuilder& terminate(std::string message);
  WhenBuilder& else_when(const Expr& condition);

 private:
  friend class ModelBuilder;
  WhenBuilder(BuilderState& state, std::size_t clause) : state_(&state), clause_(clause) {}
  [[nodiscard]] WhenBranch& branch();

  BuilderState* state_;
  std::size_t clause_;
};

class ModelBuilder {
 public:
  explicit ModelBuilder(std::string name);
  ~ModelBuilder();
  ModelBuilder(ModelBuilder&&) noexcept;
  ModelBuilder& operator=(ModelBuilder&&) noexcept;

  [[nodiscard]] Expr variable(std::string name, const Attributes& attributes = {});
  // A known value: it is a number in expressions and a parameter in results.
  [[nodiscard]] Expr parameter(std::string name, double value, const Attributes& attributes = {});
  // A parameter that stays a leaf: `value` unless another is given before a run.
  [[nodiscard]] Expr free_parameter(std::string name, double value, const Attributes& attributes = {});
  // A value that is given from outside while the model runs; its start value until then.
  [[nodiscard]] Expr input(std::string name, const Attributes& attributes = {});
  // The start value of a variable as an expression of free parameters and inputs.
  void start(const Expr& variable, const Expr& value);
  [[nodiscard]] Expr time();
  [[nodiscard]] Expr initial();                              // true during initialisation
  [[nodiscard]] Expr sample(double start, double interval);  // true at the ticks

  // left = right. The label names the equation in messages.
  void equation(const Expr& left, const Expr& right, std::string label = {});
  void initial_equation(const Expr& left, const Expr& right, std::string label = {});
  // A discrete variable's value at all times: variable = value.
  void assign(const Expr& variable, const Expr& value);
  WhenBuilder when(const Expr& condition);
  void assertion(const Expr& condition, std::string message);
  void experiment(const Experiment& experiment);

  // Fails with what was wrong: a name used twice, a discrete variable without a value, ... The builder is
  // empty afterwards.
  [[nodiscard]] Result<DaeSystem> build();

 private:
  std::unique_ptr<BuilderState> state_;
};

}  // namespace daedalus
