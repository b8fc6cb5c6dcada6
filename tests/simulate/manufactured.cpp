#include "simulate/manufactured.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>
#include <random>

namespace daedalus::testing {
namespace {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  double between(double low, double high) {
    return low + (high - low) * (static_cast<double>(random_() >> 11) * 0x1p-53);
  }
  int whole(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(double part) { return between(0, 1) < part; }
  // A multiple of 1/4 that is not 0, so that sums of products are exact.
  double quarter() { return (chance(0.5) ? -0.25 : 0.25) * whole(1, 6); }

 private:
  std::mt19937_64 random_;
};

std::string number(double value) {
  return value < 0 ? fmt::format("({:.17g})", value) : fmt::format("{:.17g}", value);
}

// a + b sin(ω t + φ) + c exp(-d t), and its derivatives.
struct Course {
  double a = 0, b = 0, omega = 1, phase = 0, c = 0, d = 0;

  [[nodiscard]] double at(double t, int order = 0) const {
    const double wave = b * std::pow(omega, order) * std::sin(omega * t + phase + order * std::acos(0.0));
    return (order == 0 ? a : 0) + wave + c * std::pow(-d, order) * std::exp(-d * t);
  }
  [[nodiscard]] std::string text(int order = 0) const {
    static constexpr std::array<const char*, 4> functions{"sin", "cos", "sin", "cos"};
    const double sign = order % 4 < 2 ? 1 : -1;
    std::string result =
        fmt::format("({}*{}({}*time + {})", number(sign * b * std::pow(omega, order)),
                    functions[static_cast<std::size_t>(order % 4)], number(omega), number(phase));
    if (order == 0) result += " + " + number(a);
    if (c != 0) result += fmt::format(" + {}*exp({}*time)", number(c * std::pow(-d, order)), number(-d));
    return result + ")";
  }
};

Course some_course(Dice& dice) {
  Course course{.a = dice.between(-1, 1),
                .b = dice.between(0.3, 1),
                .omega = dice.between(0.5, 4),
                .phase = dice.between(0, 6)};
  if (dice.chance(0.3)) {
    course.c = dice.between(-1, 1);
    course.d = dice.between(0.3, 3);
  }
  return course;
}

// Variables, each times its scale, and equations, each times another one.
class Writer {
 public:
  Writer(Dice& dice, std::string kind) : dice_(dice) {
    model_.kind = std::move(kind);
    model_.until = dice.between(1, 4);
    scaled_ = dice.chance(0.4);
  }

  double some_scale() { return scaled_ && dice_.chance(0.6) ? std::pow(10, dice_.whole(-12, 12)) : 1; }

  // `start`: not given, a guess, or fixed.
  enum class Start { None, Guess, Fixed };
  std::size_t add(const std::function<double(double)>& course, Start start, double guess) {
    const double scale = some_scale();
    const std::string name = fmt::format("x{}", model_.variables.size() + 1);
    std::string attributes;
    if (start != Start::None) attributes = fmt::format("start = {:.17g}", guess * scale);
    if (start == Start::Fixed) attributes += ", fixed = true";
    if (scale != 1) attributes += fmt::format("{}nominal = {:.3g}", attributes.empty() ? "" : ", ", scale);
    declarations_ += "  Real " + name + (attributes.empty() ? "" : "(" + attributes + ")") + ";\n";
    model_.variables.push_back({.name = name, .scale = scale, .course = course});
    return model_.variables.size() - 1;
  }
  std::size_t add(const Course& course, Start start) {
    // A guess is near, what is fixed is right.
    const double value = course.at(0);
    const double guess = start == Start::Fixed ? value : value * dice_.between(0.95, 1.05);
    return add([course](double t) { return course.at(t); }, start, guess);
  }
  // The variable, or its derivative, in the units of its course.
  [[nodiscard]] std::string of(std::size_t v) const { return times_scale(v, model_.variables[v].name); }
  [[nodiscard]] std::string rate(std::size_t v) const {
    return times_scale(v, "der(" + model_.variables[v].name + ")");
  }
  void declare(const std::string& text) { declarations_ += text; }
  // left = right, on any side, in any units.
  void equation(const std::string& left, const std::string& right) {
    const double scale = some_scale();
    const std::string factor = scale == 1 ? "" : fmt::format("{:.17g}*", scale);
    const bool swap = dice_.chance(0.3);
    equations_.push_back(
        fmt::format("  {0}({1}) = {0}({2});\n", factor, swap ? right : left, swap ? left : right));
  }
  void statement(const std::string& text) { equations_.push_back(text); }
  void until(double t) { model_.until = t; }

  Manufactured finish() {
    for (std::size_t k = equations_.size(); k > 1; --k)
      std::swap(equations_[k - 1],
                equations_[static_cast<std::size_t>(dice_.whole(0, static_cast<int>(k) - 1))]);
    model_.text = "model Manufactured\n" + declarations_ + "equation\n";
    for (const std::string& equation : equations_) model_.text += equation;
    model_.text += "end Manufactured;\n";
    return std::move(model_);
  }

 private:
  [[nodiscard]] std::string times_scale(std::size_t v, const std::string& what) const {
    const double scale = model_.variables[v].scale;
    return scale == 1 ? what : fmt::format("({}/{:.17g})", what, scale);
  }

  Dice& dice_;
  Manufactured model_;
  bool scaled_ = false;
  std::string declarations_;
  std::vector<std::string> equations_;
};

using Start = Writer::Start;

// Rates at which solutions come together: slow ones, and stiff ones up to 1e6.
double some_rate(Dice& dice) {
  return dice.chance(0.35) ? std::pow(10, dice.between(1, 6)) : dice.between(0.2, 3);
}

// Slow and stiff states, and chains of `length` algebraic unknowns: z_k + z_(k+1)' = …, of index `length`;
// all of it mixed by triangular matrices of quarters.
Manufactured linear(Dice& dice) {
  const int states = dice.whole(1, 4);
  const int length = dice.whole(0, 3);
  const int n = states + length;
  Writer writer(dice, fmt::format("linear, index {}", length));
  std::vector<Course> z;
  for (int i = 0; i < n; ++i) z.push_back(some_course(dice));
  // x = Q z with Q unit lower triangular; z = R x.
  std::vector<std::vector<double>> q(n, std::vector<double>(n, 0.0));
  const double mixing = dice.chance(0.5) ? 0.4 : 0;
  for (int i = 0; i < n; ++i) {
    q[i][i] = 1;
    for (int j = 0; j < i; ++j)
      if (dice.chance(mixing)) q[i][j] = dice.quarter();
  }
  auto r = q;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      r[i][j] = 0;
      for (int k = j; k < i; ++k) r[i][j] -= q[i][k] * r[k][j];
    }
  }
  for (int i = 0; i < n; ++i) {
    const auto course = [z, row = q[i]](double t) {
      double sum = 0;
      for (std::size_t j = 0; j < z.size(); ++j) sum += row[j] == 0 ? 0 : row[j] * z[j].at(t);
      return sum;
    };
    // All starts are given and fit: nothing is to be moved.
    writer.add(course, Start::Guess, course(0));
  }
  const auto sum = [&](int i, bool rate) {
    std::string text;
    for (int j = 0; j <= i; ++j) {
      if (r[i][j] == 0) continue;
      const auto v = static_cast<std::size_t>(j);
      text += fmt::format("{}{}*{}", text.empty() ? "" : " + ", number(r[i][j]),
                          rate ? writer.rate(v) : writer.of(v));
    }
    return "(" + text + ")";
  };
  std::vector<std::string> left(n), right(n);
  for (int i = 0; i < states; ++i) {
    const double rate = some_rate(dice);
    left[i] = fmt::format("{} + {}*{}", sum(i, true), number(rate), sum(i, false));
    right[i] = fmt::format("{} + {}*{}", z[i].text(1), number(rate), z[i].text());
    for (int j = 0; j < i; ++j) {  // of slow ones into others
      if (!dice.chance(0.4)) continue;
      const double c = dice.quarter();
      left[i] += fmt::format(" + {}*{}", number(c), sum(j, false));
      right[i] += fmt::format(" + {}*{}", number(c), z[j].text());
    }
  }
  for (int i = states; i < n; ++i) {
    left[i] = sum(i, false);
    right[i] = z[i].text();
    if (i + 1 < n) {
      left[i] += " + " + sum(i + 1, true);
      right[i] += " + " + z[i + 1].text(1);
    }
  }
  const double row_mixing = dice.chance(0.25) ? 0.3 : 0;
  for (int i = n - 1; i > 0; --i) {
    for (int k = 0; k < i; ++k) {
      if (!dice.chance(row_mixing)) continue;
      const std::string c = number(dice.quarter());
      left[i] += fmt::format(" + {}*({})", c, left[k]);
      right[i] += fmt::format(" + {}*({})", c, right[k]);
    }
  }
  for (int i = 0; i < n; ++i) writer.equation(left[i], right[i]);
  return writer.finish();
}

// States, and algebraic unknowns of which nonlinear functions are given: index 1.
Manufactured nonlinear(Dice& dice) {
  Writer writer(dice, "nonlinear, index 1");
  const int states = dice.whole(1, 3);
  const int algebraic = dice.whole(1, 3);
  std::vector<Course> z, u;
  for (int i = 0; i < states; ++i) {
    z.push_back(some_course(dice));
    writer.add(z.back(), Start::Fixed);
  }
  for (int i = 0; i < algebraic; ++i) {
    u.push_back(some_course(dice));
    writer.add(u.back(), Start::Guess);
  }
  const auto algebraic_at = [&](int k) { return writer.of(static_cast<std::size_t>(states + k)); };
  for (int i = 0; i < states; ++i) {
    const auto v = static_cast<std::size_t>(i);
    const double rate = some_rate(dice);
    const int k = dice.whole(0, algebraic - 1);
    const std::string c = number(dice.between(-0.5, 0.5));
    writer.equation(writer.rate(v), fmt::format("{}*({} - {}) + {} + {}*({}^2 - {}^2)", number(-rate),
                                                writer.of(v), z[v].text(), z[v].text(1), c, algebraic_at(k),
                                                u[static_cast<std::size_t>(k)].text()));
  }
  static constexpr std::array<const char*, 5> functions{"{0} + 0.4*sin({0})", "{0}^3 + {0}", "exp({0}) + {0}",
                                                        "{0} + 0.3*tanh(3*{0})", "{0}*sqrt(1 + {0}^2)"};
  for (int k = 0; k < algebraic; ++k) {
    const std::string& form = functions[static_cast<std::size_t>(dice.whole(0, 4))];
    const int i = dice.whole(0, states - 1);
    const std::string c = number(dice.between(-0.5, 0.5));
    std::string left = fmt::format(fmt::runtime(form), algebraic_at(k)) +
                       fmt::format(" + {}*{}^2", c, writer.of(static_cast<std::size_t>(i)));
    std::string right = fmt::format(fmt::runtime(form), u[static_cast<std::size_t>(k)].text()) +
                        fmt::format(" + {}*{}^2", c, z[static_cast<std::size_t>(i)].text());
    if (k > 0) {  // a chain of blocks, or one block when the first one reads the last one
      left += fmt::format(" + 0.2*{}", algebraic_at(k - 1));
      right += " + 0.2*" + u[static_cast<std::size_t>(k - 1)].text();
    } else if (algebraic > 1 && dice.chance(0.5)) {
      left += fmt::format(" + 0.2*cos({})", algebraic_at(algebraic - 1));
      right += fmt::format(" + 0.2*cos({})", u.back().text());
    }
    writer.equation(left, right);
  }
  return writer.finish();
}

// A stiff state that reads another variable and that nothing reads: what is amplified there comes back to
// nobody.
void follow(Dice& dice, Writer& writer, std::size_t leader, const Course& led) {
  const Course course = some_course(dice);
  const std::size_t v = writer.add(course, Start::Fixed);
  writer.equation(writer.rate(v), fmt::format("{} - {}*({} - {} + {}^2 - {}^2)", course.text(1),
                                              number(std::pow(10, dice.between(1, 6))), writer.of(v),
                                              course.text(), writer.of(leader), led.text()));
}

// x' = … + b λ, and a constraint of x alone: index 2.
Manufactured hessenberg(Dice& dice) {
  Writer writer(dice, "Hessenberg, index 2");
  const int n = dice.whole(2, 4);
  std::vector<Course> x;
  const bool fixed = dice.chance(0.5);
  for (int i = 0; i < n; ++i) {
    x.push_back(some_course(dice));
    // All are given and fit, or all but one are fixed, and it follows.
    if (fixed) writer.add(x.back(), i + 1 < n ? Start::Fixed : Start::Guess);
    if (!fixed)
      writer.add([course = x.back()](double t) { return course.at(t); }, Start::Guess, x.back().at(0));
  }
  const Course lambda = some_course(dice);
  const std::size_t multiplier = writer.add(lambda, Start::None);
  std::string left, right;
  for (int i = 0; i < n; ++i) {
    const auto v = static_cast<std::size_t>(i);
    const double b = dice.between(0.5, 1.5);  // and so are the constraint's coefficients: no cancellation
    const std::string curved = number(dice.between(0, 0.2));
    writer.equation(
        writer.rate(v),
        fmt::format("{}*({} - {}) + {} + {}*({} - {}) + 0.2*sin({}) - 0.2*sin({})",
                    number(-dice.between(0.2, 3)), writer.of(v), x[v].text(), x[v].text(1), number(b),
                    writer.of(multiplier), lambda.text(), writer.of(static_cast<std::size_t>((i + 1) % n)),
                    x[static_cast<std::size_t>((i + 1) % n)].text()));
    const std::string c = number(dice.between(0.5, 1.5));
    left += fmt::format("{}{}*({} + {}*sin({}))", i == 0 ? "" : " + ", c, writer.of(v), curved, writer.of(v));
    right += fmt::format("{}{}*({} + {}*sin({}))", i == 0 ? "" : " + ", c, x[v].text(), curved, x[v].text());
  }
  writer.equation(left, right);
  if (dice.chance(0.4)) follow(dice, writer, 0, x.front());
  return writer.finish();
}

// m q'' = … - Gᵀλ with a constraint of positions that may move in time: index 3.
Manufactured mechanical(Dice& dice) {
  Writer writer(dice, "mechanical, index 3");
  const int n = dice.whole(2, 3);
  std::vector<Course> q;
  std::vector<std::size_t> position, velocity;
  const bool fixed = dice.chance(0.5);
  for (int i = 0; i < n; ++i) {
    Course course = some_course(dice);
    course.a = (i == 0 ? 2.5 : 0.5) + course.a / 4;  // G does not vanish
    q.push_back(course);
    // All are given and fit, or all but one are fixed, and it follows.
    const bool follows = fixed && i == 0;
    position.push_back(writer.add([course](double t) { return course.at(t); },
                                  fixed && i > 0 ? Start::Fixed : Start::Guess,
                                  course.at(0) * (follows ? dice.between(0.95, 1.05) : 1)));
  }
  for (int i = 0; i < n; ++i) {
    const Course course = q[static_cast<std::size_t>(i)];
    const double start = course.at(0, 1);
    velocity.push_back(writer.add([course](double t) { return course.at(t, 1); },
                                  fixed && i > 0 ? Start::Fixed : Start::Guess,
                                  start * (fixed && i == 0 ? dice.between(0.95, 1.05) : 1)));
  }
  const Course lambda = some_course(dice);
  const std::size_t multiplier = writer.add(lambda, Start::None);
  std::string left, right;
  for (int i = 0; i < n; ++i) {
    const auto v = static_cast<std::size_t>(i);
    const double m = dice.between(0.5, 3);
    const double damping = dice.between(0, 2);
    const double stiffness = dice.between(0, 4);
    writer.equation(writer.rate(position[v]), writer.of(velocity[v]));
    writer.equation(fmt::format("{}*{}", number(m), writer.rate(velocity[v])),
                    fmt::format("{}*{} - {}*({} - {}) - {}*({} - {}) - 2*{}*{} + 2*{}*{}", number(m),
                                q[v].text(2), number(damping), writer.of(velocity[v]), q[v].text(1),
                                number(stiffness), writer.of(position[v]), q[v].text(),
                                writer.of(position[v]), writer.of(multiplier), q[v].text(), lambda.text()));
    left += fmt::format("{}{}^2", i == 0 ? "" : " + ", writer.of(position[v]));
    right += fmt::format("{}{}^2", i == 0 ? "" : " + ", q[v].text());
  }
  writer.equation(left, right);
  return writer.finish();
}

// Time events, state events of a known time, and a reinit at each of them.
Manufactured events(Dice& dice) {
  Writer writer(dice, "events");
  const double slope = dice.between(0.3, 2);
  const double begin = dice.between(-1, 0);
  const double end = dice.between(2, 4);
  writer.until(end);
  const std::size_t ramp = writer.add([=](double t) { return begin + slope * t; }, Start::Fixed, begin);
  writer.equation(writer.rate(ramp), number(slope));
  // x' = one rate before the ramp passes a level, another one after it.
  const int switches = dice.whole(1, 3);
  for (int k = 0; k < switches; ++k) {
    const double level = begin + slope * end * dice.between(0.1, 0.9);
    const bool by_time = dice.chance(0.3);
    const double at = (level - begin) / slope;
    const double before = dice.between(-1, 1);
    const double after = dice.between(-1, 1);
    const double start = dice.between(-1, 1);
    const auto course = [=](double t) {
      return start + before * std::min(t, at) + after * std::max(t - at, 0.0);
    };
    const std::size_t x = writer.add(course, Start::Fixed, start);
    writer.equation(writer.rate(x),
                    fmt::format("if {} then {} else {}",
                                by_time ? fmt::format("time > {:.17g}", at)
                                        : fmt::format("{} > {}", writer.of(ramp), number(level)),
                                number(after), number(before)));
  }
  // A saw tooth, and the count of its teeth.
  if (dice.chance(0.6)) {
    const double rise = dice.between(0.5, 3);
    const double top = dice.between(0.3, 1);
    const double period = top / rise;
    const std::size_t tooth =
        writer.add([=](double t) { return rise * std::fmod(t, period); }, Start::Fixed, 0);
    writer.equation(writer.rate(tooth), number(rise));
    writer.statement(fmt::format("  when {} > {} then reinit(x{}, 0); teeth = pre(teeth) + 1; end when;\n",
                                 writer.of(tooth), number(top), tooth + 1));
    writer.declare("  Integer teeth(start = 0, fixed = true);\n");
  }
  const Course course = some_course(dice);
  const std::size_t other = writer.add(course, Start::Fixed);
  const std::string rate = number(some_rate(dice));
  writer.equation(writer.rate(other),
                  fmt::format("{} - {}*({} - {})", course.text(1), rate, writer.of(other), course.text()));
  return writer.finish();
}

}  // namespace

Manufactured manufacture(std::uint64_t seed) {
  Dice dice(seed * 0x9E3779B97F4A7C15ULL + 1);
  switch (seed % 5) {
    case 0:
      return linear(dice);
    case 1:
      return nonlinear(dice);
    case 2:
      return hessenberg(dice);
    case 3:
      return mechanical(dice);
    default:
      return events(dice);
  }
}

}  // namespace daedalus::testing
