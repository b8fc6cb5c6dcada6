// Taylor coefficients by recurrence against repeated symbolic differentiation with respect to time.
#include "codegen/series.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "expr/derivative.hpp"

namespace daedalus {
namespace {

constexpr double now = 0.4;
constexpr int order = 6;

// The environment holds time alone.
std::vector<double> coefficients_of(ExprGraph& graph, NodeId root) {
  SeriesProgram program(
      graph, std::array{root}, 1, [](NodeId) { return 0; }, [](int) { return true; });
  program.reserve(order);
  program.start(std::array{now});
  if (program.leaf(0) >= 0) program.set(program.leaf(0), 1, 1);
  for (int k = 1; k <= order; ++k) program.advance(k);
  return {program.root(0), program.root(0) + order + 1};
}

void expect_series(ExprGraph& graph, NodeId root, const std::string& what) {
  const std::vector<double> series = coefficients_of(graph, root);
  TimeDerivative rate(graph);
  double factorial = 1;
  for (int k = 0; k <= order; ++k) {
    const double exact = evaluate(graph, root, [](NodeId) { return now; }) / factorial;
    // Some hundred operations of rounding in the derivatives written out.
    EXPECT_NEAR(series[static_cast<std::size_t>(k)], exact, 1e-11 * (1 + std::abs(exact)))
        << what << " " << k;
    root = rate(root);
    factorial *= k + 1;
  }
}

// 0.3 + 0.2 t + 0.1 t² lies where every function is smooth; 1.4 - 0.5 t is another series.
struct Arguments {
  explicit Arguments(ExprGraph& graph) {
    const NodeId t = graph.time();
    u = graph.add(graph.constant(0.3), graph.add(graph.mul(graph.constant(0.2), t),
                                                 graph.mul(graph.constant(0.1), graph.mul(t, t))));
    w = graph.sub(graph.constant(1.4), graph.mul(graph.constant(0.5), t));
  }
  NodeId u, w;
};

TEST(Series, OfEveryOperation) {
  for (const OpInfo& row : all_ops()) {
    if (row.arity == 0) continue;
    ExprGraph graph;
    const Arguments x(graph);
    const NodeId root = row.arity == 1   ? graph.apply(row.op, x.u)
                        : row.arity == 2 ? graph.apply(row.op, x.u, x.w)
                                         : graph.apply(row.op, graph.apply(Op::Less, x.w, x.u), x.u, x.w);
    expect_series(graph, root, std::string(row.name));
  }
}

TEST(Series, OfPowers) {
  for (const double exponent : {-2.0, -1.0, 0.5, 2.0, 3.0, 5.0, 2.7}) {
    ExprGraph graph;
    const Arguments x(graph);
    expect_series(graph, graph.pow(x.u, graph.constant(exponent)), std::to_string(exponent));
  }
  // A whole power has its series at zero, too: (t - now)³.
  ExprGraph graph;
  const NodeId cube = graph.pow(graph.sub(graph.time(), graph.constant(now)), graph.constant(3));
  EXPECT_EQ(coefficients_of(graph, cube), (std::vector<double>{0, 0, 0, 1, 0, 0, 0}));
}

TEST(Series, OfNestedFunctions) {
  ExprGraph graph;
  const Arguments x(graph);
  const NodeId inner = graph.apply(Op::Sin, graph.mul(x.u, x.w));
  const NodeId root = graph.div(graph.apply(Op::Exp, graph.apply(Op::Tan, inner)),
                                graph.add(graph.constant(2), graph.apply(Op::Cos, graph.mul(inner, x.u))));
  expect_series(graph, root, "nested");
}

// Leaves that do not move are constants: their coefficients beyond the first are zero.
TEST(Series, OfConstants) {
  ExprGraph graph;
  const NodeId root = graph.apply(Op::Exp, graph.time());
  SeriesProgram program(
      graph, std::array{root}, 1, [](NodeId) { return 0; }, [](int) { return false; });
  program.reserve(2);
  program.start(std::array{now});
  program.advance(1);
  EXPECT_EQ(program.operations(), 0U);
  EXPECT_EQ(program.root(0)[0], std::exp(now));
  EXPECT_EQ(program.root(0)[1], 0);
}

}  // namespace
}  // namespace daedalus
