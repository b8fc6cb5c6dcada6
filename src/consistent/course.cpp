#include "consistent/course.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace daedalus {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Bounds everything{-infinity, infinity};
constexpr Course unknown{.value = everything, .slope = everything};

bool contains(Bounds a, double x) {
  return a.low <= x && x <= a.high;
}
bool is_point(Bounds a) {
  return a.low == a.high;
}
bool rests(const Course& a) {
  return is_point(a.value) && a.slope.low == 0 && a.slope.high == 0;
}
// NaN bounds nothing.
Bounds checked(double low, double high) {
  return low <= high ? Bounds{low, high} : everything;
}
Bounds hull(Bounds a, Bounds b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}
Bounds operator+(Bounds a, Bounds b) {
  return checked(a.low + b.low, a.high + b.high);
}
Bounds operator-(Bounds a) {
  return {-a.high, -a.low};
}
Bounds operator-(Bounds a, Bounds b) {
  return a + -b;
}
// A factor that is exactly zero makes zero of what is not bounded.
double times(double a, double b) {
  return a == 0 || b == 0 ? 0 : a * b;
}
Bounds operator*(Bounds a, Bounds b) {
  const double p = times(a.low, b.low);
  const double q = times(a.low, b.high);
  const double r = times(a.high, b.low);
  const double s = times(a.high, b.high);
  return checked(std::min({p, q, r, s}), std::max({p, q, r, s}));
}
Bounds inverse(Bounds a) {
  if ((a.low < 0 && a.high > 0) || (a.low == 0 && a.high == 0)) return everything;
  return {a.high == 0 ? -infinity : 1 / a.high, a.low == 0 ? infinity : 1 / a.low};
}
Bounds point(double x) {
  return checked(x, x);
}
Bounds magnitude(Bounds a) {
  const double low = std::abs(a.low);
  const double high = std::abs(a.high);
  return {contains(a, 0) ? 0 : std::min(low, high), std::max(low, high)};
}
Bounds square(Bounds a) {
  const Bounds m = magnitude(a);
  return {m.low * m.low, m.high * m.high};
}
template <class F>
Bounds rising(Bounds a, F&& f) {
  return checked(f(a.low), f(a.high));
}
template <class F>
Bounds falling(Bounds a, F&& f) {
  return checked(f(a.high), f(a.low));
}
// Outside the domain of sqrt and log there is no value; the bounds are those of the rest.
Bounds positive_part(Bounds a) {
  return {std::max(a.low, 0.0), std::max(a.high, 0.0)};
}

Bounds sine(Bounds a) {
  constexpr double turn = 2 * std::numbers::pi;  // the period
  if (!(a.high - a.low < turn)) return {-1, 1};
  const auto passes = [&a](double extreme) {
    return std::floor((a.high - extreme) / turn) >= std::ceil((a.low - extreme) / turn);
  };
  const double first = std::sin(a.low);
  const double last = std::sin(a.high);
  return {passes(-std::numbers::pi / 2) ? -1.0 : std::min(first, last),
          passes(std::numbers::pi / 2) ? 1.0 : std::max(first, last)};
}
Bounds cosine(Bounds a) {
  return sine(a + point(std::numbers::pi / 2));
}

Bounds to_power(Bounds a, double n) {
  const auto raise = [n](double x) { return std::pow(x, n); };
  if (n < 0) return inverse(to_power(a, -n));
  if (n != std::floor(n)) return rising(positive_part(a), raise);
  return std::fmod(n, 2) == 0 ? rising(magnitude(a), raise) : rising(a, raise);
}

Course power(const Course& a, const Course& b) {
  if (rests(b) || (is_point(b.value) && a.value.low <= 0)) {
    const double n = b.value.low;
    return {.value = to_power(a.value, n), .slope = point(n) * to_power(a.value, n - 1) * a.slope};
  }
  if (a.value.low <= 0) return unknown;
  const Bounds logarithm = rising(a.value, [](double x) { return std::log(x); });
  const Bounds value = rising(b.value * logarithm, [](double x) { return std::exp(x); });
  return {.value = value, .slope = value * (b.slope * logarithm + b.value * a.slope * inverse(a.value))};
}

Course quotient(const Course& a, const Course& b) {
  const Bounds by = inverse(b.value);
  const Bounds value = a.value * by;
  return {.value = value, .slope = (a.slope - value * b.slope) * by};
}

Course angle(const Course& y, const Course& x) {
  const Bounds slope = (x.value * y.slope - y.value * x.slope) * inverse(square(x.value) + square(y.value));
  // Away from the half line where it jumps, the extremes are in the corners.
  if (x.value.low <= 0 && contains(y.value, 0))
    return {.value = {-std::numbers::pi, std::numbers::pi}, .slope = everything};
  const double p = std::atan2(y.value.low, x.value.low);
  const double q = std::atan2(y.value.low, x.value.high);
  const double r = std::atan2(y.value.high, x.value.low);
  const double s = std::atan2(y.value.high, x.value.high);
  return {.value = checked(std::min({p, q, r, s}), std::max({p, q, r, s})), .slope = slope};
}

// What jumps between whole numbers.
Course whole(Bounds value) {
  return {.value = value, .slope = is_point(value) ? Bounds{0, 0} : everything};
}
Course decided(bool always, bool never) {
  if (always) return resting(1);
  return never ? resting(0) : Course{.value = {0, 1}, .slope = everything};
}

Course of_one(Op op, const Course& a) {
  const Bounds x = a.value;
  const Bounds one = point(1);
  switch (op) {
    case Op::Neg:
      return {.value = -x, .slope = -a.slope};
    case Op::Abs:
      return {.value = magnitude(x),
              .slope = x.low >= 0    ? a.slope
                       : x.high <= 0 ? -a.slope
                                     : hull(a.slope, -a.slope)};
    case Op::Sign:
      return whole({x.low > 0 ? 1.0 : x.low == 0 ? 0.0 : -1.0, x.high < 0 ? -1.0 : x.high == 0 ? 0.0 : 1.0});
    case Op::Sqrt: {
      const Bounds root = rising(positive_part(x), [](double v) { return std::sqrt(v); });
      return {.value = root, .slope = a.slope * inverse(point(2) * root)};
    }
    case Op::Exp: {
      const Bounds value = rising(x, [](double v) { return std::exp(v); });
      return {.value = value, .slope = value * a.slope};
    }
    case Op::Log:
      return {.value = rising(positive_part(x), [](double v) { return std::log(v); }),
              .slope = a.slope * inverse(positive_part(x))};
    case Op::Log10:
      return {.value = rising(positive_part(x), [](double v) { return std::log10(v); }),
              .slope = a.slope * inverse(positive_part(x)) * point(1 / std::numbers::ln10)};
    case Op::Sin:
      return {.value = sine(x), .slope = cosine(x) * a.slope};
    case Op::Cos:
      return {.value = cosine(x), .slope = -sine(x) * a.slope};
    case Op::Asin:
      return {.value = rising(x, [](double v) { return std::asin(std::clamp(v, -1.0, 1.0)); }),
              .slope = a.slope * inverse(to_power(one - square(x), 0.5))};
    case Op::Acos:
      return {.value = falling(x, [](double v) { return std::acos(std::clamp(v, -1.0, 1.0)); }),
              .slope = -a.slope * inverse(to_power(one - square(x), 0.5))};
    case Op::Atan:
      return {.value = rising(x, [](double v) { return std::atan(v); }),
              .slope = a.slope * inverse(one + square(x))};
    case Op::Sinh:
    case Op::Cosh: {
      const Bounds sinh = rising(x, [](double v) { return std::sinh(v); });
      const Bounds cosh = rising(magnitude(x), [](double v) { return std::cosh(v); });
      if (op == Op::Sinh) return {.value = sinh, .slope = cosh * a.slope};
      return {.value = cosh, .slope = sinh * a.slope};
    }
    case Op::Tanh: {
      const Bounds value = rising(x, [](double v) { return std::tanh(v); });
      return {.value = value, .slope = (one - square(value)) * a.slope};
    }
    case Op::Tan: {
      const Bounds cos = cosine(x);
      if (contains(cos, 0)) return unknown;
      return {.value = rising(x, [](double v) { return std::tan(v); }),
              .slope = a.slope * inverse(square(cos))};
    }
    case Op::Floor:
      return whole(rising(x, [](double v) { return std::floor(v); }));
    case Op::Ceil:
      return whole(rising(x, [](double v) { return std::ceil(v); }));
    case Op::Not:
      return decided(x.low == 0 && x.high == 0, !contains(x, 0));
    default:
      return unknown;
  }
}

Course of_two(Op op, const Course& a, const Course& b) {
  const Bounds difference = a.value - b.value;
  switch (op) {
    case Op::Add:
      return {.value = a.value + b.value, .slope = a.slope + b.slope};
    case Op::Sub:
      return {.value = difference, .slope = a.slope - b.slope};
    case Op::Mul:
      return {.value = a.value * b.value, .slope = a.slope * b.value + a.value * b.slope};
    case Op::Div:
      return quotient(a, b);
    case Op::Pow:
      return power(a, b);
    case Op::Atan2:
      return angle(a, b);
    case Op::Min:
      if (difference.high <= 0 || difference.low >= 0) return difference.high <= 0 ? a : b;
      return {.value = {std::min(a.value.low, b.value.low), std::min(a.value.high, b.value.high)},
              .slope = hull(a.slope, b.slope)};
    case Op::Max:
      if (difference.high <= 0 || difference.low >= 0) return difference.high <= 0 ? b : a;
      return {.value = {std::max(a.value.low, b.value.low), std::max(a.value.high, b.value.high)},
              .slope = hull(a.slope, b.slope)};
    case Op::Less:
      return decided(difference.high < 0, difference.low >= 0);
    case Op::LessEqual:
      return decided(difference.high <= 0, difference.low > 0);
    case Op::Equal:
      return decided(is_point(difference) && difference.low == 0, !contains(difference, 0));
    case Op::NotEqual:
      return decided(!contains(difference, 0), is_point(difference) && difference.low == 0);
    case Op::And:
    case Op::Or: {
      const bool both = op == Op::And;
      const auto is = [](const Course& x, bool truth) {
        return truth ? !contains(x.value, 0) : x.value.low == 0 && x.value.high == 0;
      };
      return decided(both ? is(a, true) && is(b, true) : is(a, true) || is(b, true),
                     both ? is(a, false) || is(b, false) : is(a, false) && is(b, false));
    }
    default:
      return unknown;
  }
}

Course chosen(const Course& condition, const Course& yes, const Course& no) {
  if (!contains(condition.value, 0)) return yes;
  if (condition.value.low == 0 && condition.value.high == 0) return no;
  return {.value = hull(yes.value, no.value), .slope = everything};
}

}  // namespace

int CourseProgram::constant(double value) {
  steps_.push_back({.op = Op::Constant, .number = value});
  return static_cast<int>(steps_.size()) - 1;
}

int CourseProgram::leaf(int place) {
  steps_.push_back({.op = Op::Variable, .a = place});
  return static_cast<int>(steps_.size()) - 1;
}

int CourseProgram::apply(Op op, int a, int b, int c) {
  steps_.push_back({.op = op, .a = a, .b = b, .c = c});
  return static_cast<int>(steps_.size()) - 1;
}

int CourseProgram::expression(const ExprGraph& graph, NodeId root, Registers& made) {
  for (const NodeId id : topological_order(graph, std::span(&root, 1))) {
    if (made.contains(id)) continue;
    const Node& node = graph.node(id);
    if (node.op == Op::Constant) {
      made[id] = constant(node.value);
      continue;
    }
    const auto argument = [&](int k) {
      return k < node.arity ? made.at(NodeId(node.args[static_cast<std::size_t>(k)])) : -1;
    };
    made[id] = apply(node.op, argument(0), argument(1), argument(2));
  }
  return made.at(root);
}

CourseProgram CourseProgram::only(int root) const {
  std::vector<char> needed(steps_.size(), 0);
  needed[static_cast<std::size_t>(root)] = 1;
  for (int k = root; k >= 0; --k) {
    const Step& step = steps_[static_cast<std::size_t>(k)];
    if (needed[static_cast<std::size_t>(k)] == 0 || step.op == Op::Variable) continue;
    for (const int argument : {step.a, step.b, step.c}) {
      if (argument >= 0) needed[static_cast<std::size_t>(argument)] = 1;
    }
  }
  CourseProgram result;
  std::vector<int> moved(steps_.size(), -1);
  for (std::size_t k = 0; k <= static_cast<std::size_t>(root); ++k) {
    if (needed[k] == 0) continue;
    Step step = steps_[k];
    if (step.op != Op::Variable) {
      for (int* argument : {&step.a, &step.b, &step.c}) {
        if (*argument >= 0) *argument = moved[static_cast<std::size_t>(*argument)];
      }
    }
    moved[k] = static_cast<int>(result.steps_.size());
    result.steps_.push_back(step);
  }
  return result;
}

std::vector<int> CourseProgram::places() const {
  std::vector<int> places;
  for (const Step& step : steps_) {
    if (step.op == Op::Variable) places.push_back(step.a);
  }
  std::ranges::sort(places);
  const auto rest = std::ranges::unique(places);
  places.erase(rest.begin(), rest.end());
  return places;
}

template <class Source>
Course CourseProgram::run(Source&& source, Scratch& scratch) const {
  std::vector<Course>& courses = scratch.courses;
  courses.resize(steps_.size());
  const auto at = [&courses](int k) -> const Course& { return courses[static_cast<std::size_t>(k)]; };
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    const Step& s = steps_[k];
    if (s.op == Op::Constant || s.op == Op::Variable) {
      courses[k] = source(s);
    } else if (s.op == Op::If) {
      courses[k] = chosen(at(s.a), at(s.b), at(s.c));
    } else {
      courses[k] = s.b < 0 ? of_one(s.op, at(s.a)) : of_two(s.op, at(s.a), at(s.b));
    }
  }
  return courses.back();
}

Course CourseProgram::bounds(std::span<const Course> leaves, Scratch& scratch) const {
  return run(
      [&leaves](const Step& s) {
        return s.op == Op::Constant ? resting(s.number) : leaves[static_cast<std::size_t>(s.a)];
      },
      scratch);
}

double CourseProgram::rounding(std::span<const double> values, Scratch& scratch) const {
  const Bounds slope = run(
                           [&values](const Step& s) {
                             const double x =
                                 s.op == Op::Constant ? s.number : values[static_cast<std::size_t>(s.a)];
                             const double unit = std::numeric_limits<double>::epsilon() * std::abs(x);
                             return Course{.value = {x, x}, .slope = {-unit, unit}};
                           },
                           scratch)
                           .slope;
  return slope.high;
}

double CourseProgram::value(std::span<const double> values, Scratch& scratch) const {
  std::vector<double>& registers = scratch.values;
  registers.resize(steps_.size());
  const auto at = [&registers](int k) { return k < 0 ? 0.0 : registers[static_cast<std::size_t>(k)]; };
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    const Step& s = steps_[k];
    if (s.op == Op::Constant) {
      registers[k] = s.number;
    } else if (s.op == Op::Variable) {
      registers[k] = values[static_cast<std::size_t>(s.a)];
    } else {
      registers[k] = info(s.op).evaluate(at(s.a), at(s.b), at(s.c));
    }
  }
  return registers.back();
}

}  // namespace daedalus
