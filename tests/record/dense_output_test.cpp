#include "record/dense_output.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "record/trajectory.hpp"

namespace daedalus {
namespace {

// A polynomial of this degree, and a counter that is discrete.
double polynomial(double t, int degree) {
  double value = 0;
  for (int k = degree; k >= 0; --k) value = (value * t) + (k % 2 == 0 ? 0.5 : -0.75);
  return value;
}

DenseOutput recorded(int order, int degree) {
  DenseOutput dense;
  dense.begin({{.name = "p"}, {.name = "count", .discrete = true}});
  for (int step = 0; step < 3; ++step) {
    const double from = 0.7 * step;
    const auto nodes = DenseOutput::nodes(from, from + 0.7, order);
    std::vector<double> rows;
    for (const double t : nodes) rows.insert(rows.end(), {polynomial(t, degree) + (10.0 * step), 1.0 * step});
    dense.add(nodes, rows);
  }
  return dense;
}

TEST(DenseOutput, NodesRiseFromEndToEnd) {
  for (const int order : {1, 3, 5, 14, 40}) {
    const auto nodes = DenseOutput::nodes(-1, 2, order);
    EXPECT_EQ(nodes.front(), -1);
    EXPECT_EQ(nodes.back(), 2);
    EXPECT_TRUE(std::ranges::is_sorted(nodes));
    EXPECT_EQ(nodes.size(), static_cast<std::size_t>(std::clamp(order, 3, 14)) + 1);
  }
}

// As many nodes as the order asks for give polynomials of that degree back, to rounding.
TEST(DenseOutput, PolynomialsOfTheOrderAreExact) {
  for (const int order : {3, 5, 8, 13}) {
    const DenseOutput dense = recorded(order, order);
    ASSERT_EQ(dense.segments(), 3U);
    EXPECT_EQ(dense.t_begin(), 0);
    EXPECT_EQ(dense.t_end(), dense.ends().back());
    std::vector<double> row(2);
    for (double t = 0; t < 2.1; t += 0.013) {
      dense.evaluate(t, row);
      const double step = t < dense.starts()[1] ? 0 : t < dense.starts()[2] ? 1 : 2;
      EXPECT_NEAR(row[0], polynomial(t, order) + (10 * step), 1e-12 * (1 + std::abs(polynomial(t, order))))
          << t;
      EXPECT_EQ(row[1], step);
    }
  }
}

// One degree more is not.
TEST(DenseOutput, ADegreeMoreIsNotExact) {
  const DenseOutput dense = recorded(3, 4);
  std::vector<double> row(2);
  dense.evaluate(0.1, row);
  EXPECT_GT(std::abs(row[0] - polynomial(0.1, 4)), 1e-5);
}

// Where steps meet: after it, unless the step before is asked for.
TEST(DenseOutput, AtAnEventItIsTheValueAfterIt) {
  const DenseOutput dense = recorded(5, 2);
  const double event = dense.starts()[1];
  std::vector<double> after(2);
  std::vector<double> before(2);
  dense.evaluate(event, after);
  dense.evaluate_in(0, dense.ends()[0], before);
  EXPECT_NEAR(after[0] - before[0], 10, 1e-13);
  EXPECT_EQ(after[1] - before[1], 1);
}

// At the nodes it is what was recorded, to rounding (the values are of size 1 to 20), at ends to the bit.
TEST(DenseOutput, RecordedValuesComeBack) {
  const DenseOutput dense = recorded(7, 12);
  const Trajectory rows = dense.rows();
  std::vector<double> row(2);
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const std::size_t segment = r / (rows.rows() / dense.segments());
    dense.evaluate_in(segment, rows.times[r], row);
    EXPECT_NEAR(row[0], rows.at(r, 0), 1e-13) << r;
    EXPECT_EQ(row[1], rows.at(r, 1)) << r;
  }
  dense.evaluate_in(1, dense.ends()[1], row);
  EXPECT_EQ(row[0], rows.at(15, 0));
}

// Half the step, and the error of a smooth signal goes down by 2^(order + 1): interpolation in order + 1
// nodes. Round one middle the terms after the leading one are smaller by h², a twentieth.
TEST(DenseOutput, ConvergesWithTheOrderOfItsNodes) {
  for (const int order : {3, 4, 6}) {
    const auto error = [&](double h) {
      DenseOutput dense;
      dense.begin({{.name = "sine"}});
      const double begin = 0.8 - (h / 2);
      const auto nodes = DenseOutput::nodes(begin, begin + h, order);
      std::vector<double> rows;
      for (const double t : nodes) rows.push_back(std::sin(t));
      dense.add(nodes, rows);
      double largest = 0;
      std::vector<double> value(1);
      for (int k = 0; k <= 100; ++k) {
        const double t = std::min(begin + (h * k / 100), dense.t_end());
        dense.evaluate(t, value);
        largest = std::max(largest, std::abs(value[0] - std::sin(t)));
      }
      return largest;
    };
    EXPECT_NEAR(std::log2(error(0.25) / error(0.125)), order + 1, 0.05) << order;
  }
}

// Steps of a method that changes its order have different numbers of nodes; a step of no length is its end.
TEST(DenseOutput, StepsMayDifferInOrderAndLength) {
  DenseOutput dense;
  dense.begin({{.name = "square"}});
  double from = 1;
  for (const auto& [order, length] :
       std::initializer_list<std::pair<int, double>>{{3, 0.5}, {12, 1e-9}, {5, 2}}) {
    const auto nodes = DenseOutput::nodes(from, from + length, order);
    std::vector<double> rows;
    for (const double t : nodes) rows.push_back(t * t);
    dense.add(nodes, rows);
    from = nodes.back();
  }
  dense.add(std::vector<double>(4, from), std::vector<double>{7, 7, 7, 8});
  EXPECT_EQ(dense.segments(), 4U);
  std::vector<double> value(1);
  for (const double t : {1.0, 1.3, 1.5, 1.5 + 3e-10, 1.7, 3.2}) {
    dense.evaluate(t, value);
    EXPECT_NEAR(value[0], t * t, 1e-14 * t * t) << t;
  }
  dense.evaluate(dense.t_end(), value);
  EXPECT_EQ(value[0], 8);
  dense.evaluate_in(2, dense.t_end(), value);
  EXPECT_EQ(value[0], dense.t_end() * dense.t_end());
}

// Rows out, one signal left out and the other rewritten, and back in.
TEST(DenseOutput, RowsCanBeReplaced) {
  DenseOutput dense = recorded(5, 3);
  Trajectory rows = dense.rows();
  ASSERT_EQ(rows.rows(), 18U);
  EXPECT_EQ(rows.at(7, 1), rows.values[15]);
  Trajectory fewer;
  fewer.signals = {{.name = "twice"}};
  fewer.times = rows.times;
  for (std::size_t r = 0; r < rows.rows(); ++r) fewer.values.push_back(2 * rows.at(r, 0));
  dense.replace(fewer);
  std::vector<double> value(1);
  dense.evaluate(0.4, value);
  EXPECT_NEAR(value[0], 2 * polynomial(0.4, 3), 1e-13);
  dense.begin({});
  EXPECT_TRUE(dense.empty());
}

}  // namespace
}  // namespace daedalus
