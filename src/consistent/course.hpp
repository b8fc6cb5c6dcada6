// What expressions can be within a span of time: bounds of their values and of their slopes, by interval
// arithmetic. Where the bounds keep away from a threshold nothing crosses it there; where those of the slope
// keep away from zero it is crossed once at most.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "expr/graph.hpp"

namespace daedalus {

struct Bounds {
  double low = 0;
  double high = 0;
};

// A quantity within a span of time.
struct Course {
  Bounds value;
  Bounds slope;
};

[[nodiscard]] inline Course resting(double value) {
  return {.value = {value, value}, .slope = {0, 0}};
}

// Expressions as a list of steps, each of which makes a register from those before it. The last one is what
// the program is of.
class CourseProgram {
 public:
  int constant(double value);
  // `place`: where its course stands among those given to bounds().
  int leaf(int place);
  int apply(Op op, int a, int b = -1, int c = -1);
  // Which register holds which expression.
  using Registers = std::unordered_map<NodeId, int>;
  // The register of an expression, all of whose leaves have one already.
  int expression(const ExprGraph& graph, NodeId root, Registers& made);

  // What one register needs, as a program of its own.
  [[nodiscard]] CourseProgram only(int root) const;
  // The places that are read.
  [[nodiscard]] std::vector<int> places() const;
  [[nodiscard]] std::size_t size() const { return steps_.size(); }

  // The registers of an evaluation; who evaluates brings his own.
  struct Scratch {
    std::vector<Course> courses;
    std::vector<double> values;
  };
  [[nodiscard]] Course bounds(std::span<const Course> leaves, Scratch& scratch) const;
  // Where each leaf has one value, `values` by place.
  [[nodiscard]] double value(std::span<const double> values, Scratch& scratch) const;
  // How far the value may be moved by rounding there: each leaf and each constant by one unit in the last
  // place.
  [[nodiscard]] double rounding(std::span<const double> values, Scratch& scratch) const;

 private:
  struct Step {
    Op op = Op::Constant;
    int a = -1, b = -1, c = -1;  // registers; of a leaf (Op::Variable): its place
    double number = 0;
  };
  template <class Source>
  Course run(Source&& source, Scratch& scratch) const;

  std::vector<Step> steps_;
};

}  // namespace daedalus
