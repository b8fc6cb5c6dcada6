// The schemes of Ascher and Petzold once more, written down by hand as linear systems with the examples' own
// matrices, for other ν, h and γ than the paper's. The engine, which only knows the models, must find the
// same numbers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "study/experiment.hpp"

namespace daedalus {
namespace {

using Vec = std::array<double, 2>;
using Mat = std::array<Vec, 2>;

Vec operator+(const Vec& a, const Vec& b) {
  return {a[0] + b[0], a[1] + b[1]};
}
Vec operator*(double s, const Vec& a) {
  return {s * a[0], s * a[1]};
}
double dot(const Vec& a, const Vec& b) {
  return (a[0] * b[0]) + (a[1] * b[1]);
}
Vec times(const Mat& m, const Vec& a) {
  return {dot(m[0], a), dot(m[1], a)};
}

// An affine map of the unknowns of a step, as the rows of one linear system.
class Rows {
 public:
  explicit Rows(std::size_t n) : n_(n) {}
  void add(const std::vector<double>& coefficients, double right) {
    std::vector<double> row = coefficients;
    row.resize(n_, 0.0);
    row.push_back(right);
    rows_.push_back(row);
  }
  // Gaussian elimination with row exchanges.
  std::vector<double> solve() {
    for (std::size_t k = 0; k < n_; ++k) {
      std::size_t best = k;
      for (std::size_t i = k; i < n_; ++i) {
        if (std::abs(rows_[i][k]) > std::abs(rows_[best][k])) best = i;
      }
      std::swap(rows_[k], rows_[best]);
      for (std::size_t i = 0; i < n_; ++i) {
        if (i == k) continue;
        const double factor = rows_[i][k] / rows_[k][k];
        for (std::size_t j = k; j <= n_; ++j) rows_[i][j] -= factor * rows_[k][j];
      }
    }
    std::vector<double> x(n_);
    for (std::size_t i = 0; i < n_; ++i) x[i] = rows_[i][n_] / rows_[i][i];
    return x;
  }

 private:
  std::size_t n_;
  std::vector<std::vector<double>> rows_;
};

// The matrices of an example at a time. For m = 1 only c, c1, b, e (its A), and the two right hand sides are
// used.
struct Data {
  Vec c, c1, c2;     // C, C', C''
  Mat inverse_mass;  // M⁻¹
  Mat e;             // f = E v + q
  Vec q;
  double r, r1, r2;
};

Data with_solution(Vec c, Vec c1, Vec c2, Mat mass, Mat e, double t) {
  const double exp_t = std::exp(t);
  const Vec one{exp_t, exp_t};
  const double lambda = exp_t / (2 - t);
  const double det = (mass[0][0] * mass[1][1]) - (mass[0][1] * mass[1][0]);
  const Mat inverse{Vec{mass[1][1] / det, -mass[0][1] / det}, Vec{-mass[1][0] / det, mass[0][0] / det}};
  const Vec q = times(mass, one) + (-1.0 * times(e, one)) + (lambda * c);
  return {.c = c,
          .c1 = c1,
          .c2 = c2,
          .inverse_mass = inverse,
          .e = e,
          .q = q,
          .r = -dot(c, one),
          .r1 = -dot(c + c1, one),
          .r2 = -dot(c + (2.0 * c1) + c2, one)};
}

Data example_3(double t, double nu, double c) {
  const double scale = 1 / ((2 + t) * nu * nu);
  const double off = -nu * ((2 * nu) - 1) * scale;
  const Mat mass{Vec{scale * ((2 * nu * nu) - (2 * nu) + 1) / (2 - t), off},
                 Vec{off, scale * 2 * nu * nu * (2 - t)}};
  return with_solution({1, t - 2}, {0, 1}, {0, 0}, mass, {Vec{0, 0}, Vec{0, c / ((2 + t) * nu)}}, t);
}

Data example_4(double t, double nu, double /*c*/) {
  const double s = std::sin(nu * t);
  const double k = std::cos(nu * t);
  return with_solution({s, k}, {nu * k, -nu * s}, {-nu * nu * s, -nu * nu * k}, {Vec{1, 0}, Vec{0, 1}},
                       {Vec{-nu * nu, 0}, Vec{0, -nu * nu}}, t);
}

struct Scheme {
  std::string formulation;
  enum class Kind { Pa, D2, Stabilised, Pb, Pc } kind;
  char projection = 'C';  // C: Cᵀ, B: M⁻¹Cᵀ, u: (0, 1)
};

// a(p, v) = H M⁻¹ (E v + q) - F (2 C' v + C'' p + r'') as coefficients of p, v and a constant.
struct Acceleration {
  Mat p, v;
  Vec constant;

  explicit Acceleration(const Data& d) {
    const Vec b = times(d.inverse_mass, d.c);
    const Vec f = (1 / dot(d.c, b)) * b;
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 2; ++j) {
        const Vec column = times(d.inverse_mass, {d.e[0][j], d.e[1][j]});
        v[i][j] = column[i] - (f[i] * dot(d.c, column)) - (f[i] * 2 * d.c1[j]);
        p[i][j] = -f[i] * d.c2[j];
      }
      const Vec rest = times(d.inverse_mass, d.q);
      constant[i] = rest[i] - (f[i] * dot(d.c, rest)) - (f[i] * d.r2);
    }
  }
};

// One backward Euler step of p and v; unknowns p1, p2, v1, v2 and one or two multipliers.
void step(const Scheme& scheme, const Data& d, double h, Vec& p, Vec& v) {
  using Kind = Scheme::Kind;
  const Kind kind = scheme.kind;
  const bool two = kind == Kind::Stabilised || kind == Kind::Pb || kind == Kind::Pc;
  const Vec b = times(d.inverse_mass, d.c);
  const Vec chosen = scheme.projection == 'B' ? b : (scheme.projection == 'u' ? Vec{0, 1} : d.c);
  const Acceleration a(d);
  Rows rows(two ? 6 : 5);
  for (std::size_t i = 0; i < 2; ++i) {
    std::vector<double> row(6, 0.0);
    row[i] = 1;
    row[2 + i] = -h;
    if (kind != Kind::D2) row[4] = -h * chosen[i];
    if (kind == Kind::Pc) row[5] = -h * d.c1[i];
    rows.add(two ? row : std::vector<double>(row.begin(), row.begin() + 5), p[i]);
  }
  const bool direct = kind == Kind::D2 || kind == Kind::Stabilised;
  const Vec force = times(d.inverse_mass, d.q);
  for (std::size_t i = 0; i < 2; ++i) {
    std::vector<double> row(6, 0.0);
    row[2 + i] = 1;
    for (std::size_t j = 0; j < 2; ++j) {
      const Vec column = times(d.inverse_mass, {d.e[0][j], d.e[1][j]});
      row[2 + j] -= h * (direct ? column[i] : a.v[i][j]);
      if (!direct) row[j] -= h * a.p[i][j];
    }
    const std::size_t multiplier = two ? 5 : 4;
    if (direct) row[multiplier] += h * b[i];
    if (kind == Kind::Pb || kind == Kind::Pc) row[multiplier] -= h * d.c[i];
    rows.add(two ? row : std::vector<double>(row.begin(), row.begin() + 5),
             v[i] + (h * (direct ? force[i] : a.constant[i])));
  }
  if (kind != Kind::D2) rows.add({d.c[0], d.c[1]}, -d.r);
  if (kind != Kind::Pa) rows.add({d.c1[0], d.c1[1], d.c[0], d.c[1]}, -d.r1);
  const auto x = rows.solve();
  p = {x[0], x[1]};
  v = {x[2], x[3]};
}

struct Problem {
  std::string model;
  Data (*data)(double t, double nu, double c);
  double nu = 1;
  double c = 0;
  int steps = 40;
};

// Errors of 1e-3 and more are to agree in six digits.
void expect_same(const Problem& problem, const Scheme& scheme) {
  Vec p{1, 1};
  Vec v{1, 1};
  const double h = 1.0 / problem.steps;
  for (int n = 1; n <= problem.steps; ++n) step(scheme, problem.data(n * h, problem.nu, problem.c), h, p, v);

  RunSetup setup{.model = problem.model, .settings = {{"nu", fmt::format("{}", problem.nu)}}};
  if (problem.model == "ascher_petzold_3") setup.settings.push_back({"c", fmt::format("{}", problem.c)});
  setup.formulation = scheme.formulation;
  setup.integrator = "backward-euler";
  setup.step = h;
  setup.rtol = 1e-8;
  setup.points = 2;
  const auto result = perform(setup);
  ASSERT_TRUE(result) << result.error();
  ASSERT_TRUE(result->ok()) << result->summary.reason;
  const auto error = [](double x) { return std::abs(x - std::exp(1.0)); };
  const std::array<double, 4> expected{p[0], p[1], v[0], v[1]};
  const std::array<std::string, 4> names{"p1", "p2", "v1", "v2"};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(last_value(result->trajectory, names[i]), expected[i],
                1e-6 * std::max(1e-3, error(expected[i])))
        << problem.model << " " << scheme.formulation << " " << names[i];
  }
}

TEST(IndependentSchemes, OfExample3GiveTheSameNumbers) {
  using Kind = Scheme::Kind;
  for (const double c : {0.0, 1.0, 2.0, 0.7}) {
    for (const double nu : {3.0, 17.0}) {
      const Problem problem{.model = "ascher_petzold_3", .data = example_3, .nu = nu, .c = c, .steps = 64};
      for (const auto& [name, letter] : {std::pair{"GT", 'C'}, {"B", 'B'}, {"[0;1]", 'u'}}) {
        expect_same(problem, {fmt::format("projected-invariants:variant=pa,D={}", name), Kind::Pa, letter});
        expect_same(problem, {fmt::format("ggl:D={}", name), Kind::Stabilised, letter});
      }
      expect_same(problem, {"index2", Kind::D2});
      expect_same(problem, {"projected-invariants:variant=pb", Kind::Pb});
    }
  }
}

TEST(IndependentSchemes, OfExample4GiveTheSameNumbers) {
  using Kind = Scheme::Kind;
  for (const double nu : {2.0, 11.0}) {
    const Problem problem{.model = "ascher_petzold_4", .data = example_4, .nu = nu, .steps = 80};
    expect_same(problem, {"projected-invariants:variant=pa", Kind::Pa});
    expect_same(problem, {"projected-invariants:variant=pb", Kind::Pb});
    expect_same(problem, {"projected-invariants:variant=pc", Kind::Pc});
    expect_same(problem, {"ggl", Kind::Stabilised});
    expect_same(problem, {"index2", Kind::D2});
  }
}

// x' = A x + B y + q, 0 = C x + r with y eliminated by g' + γ g = 0, then backward Euler (3.5).
struct FirstOrder {
  Vec b, c, c1, q;
  double a;  // A = a I
  double r, r1;
};

FirstOrder example_1(double t, double nu) {
  const Vec c{std::sin(nu * t), std::cos(nu * t)};
  const Vec c1{nu * c[1], -nu * c[0]};
  const double e = std::exp(t);
  const Vec x{e, e};
  return {.b = c,
          .c = c,
          .c1 = c1,
          .q = (2.0 * x) + ((e / (2 - t)) * c),
          .a = -1,
          .r = -dot(c, x),
          .r1 = -dot(c + c1, x)};
}

FirstOrder example_2(double t, double nu) {
  const Vec b{nu * (2 - t), nu - 1};
  const Vec c{t + 2, (t * t) - 4};
  const Vec c1{1, 2 * t};
  const double e = std::exp(t);
  const Vec x{e, e};
  return {
      .b = b, .c = c, .c1 = c1, .q = x + ((e / (2 - t)) * b), .a = 0, .r = -dot(c, x), .r1 = -dot(c + c1, x)};
}

Vec baumgarte_step(const FirstOrder& d, double h, double gamma, const Vec& x) {
  const Vec f = (1 / dot(d.c, d.b)) * d.b;
  Rows rows(2);
  for (std::size_t i = 0; i < 2; ++i) {
    std::vector<double> row(2, 0.0);
    row[i] = 1 - (h * d.a);
    for (std::size_t j = 0; j < 2; ++j) row[j] += h * f[i] * ((d.a * d.c[j]) + d.c1[j] + (gamma * d.c[j]));
    rows.add(row, x[i] + (h * (d.q[i] - (f[i] * (dot(d.c, d.q) + d.r1 + (gamma * d.r))))));
  }
  const auto found = rows.solve();
  return {found[0], found[1]};
}

struct BaumgarteCase {
  std::string model;
  FirstOrder (*data)(double t, double nu);
  double nu;
  double gamma;
};

void expect_same(const BaumgarteCase& which) {
  constexpr int steps = 50;
  constexpr double h = 1.0 / steps;
  Vec x{1, 1};
  for (int n = 1; n <= steps; ++n) x = baumgarte_step(which.data(n * h, which.nu), h, which.gamma, x);
  RunSetup setup{.model = which.model, .settings = {{"nu", fmt::format("{}", which.nu)}}};
  setup.formulation = fmt::format("baumgarte:gamma={}", which.gamma);
  setup.integrator = "backward-euler";
  setup.step = h;
  setup.rtol = 1e-8;
  setup.points = 2;
  const auto result = perform(setup);
  ASSERT_TRUE(result && result->ok()) << which.model;
  for (std::size_t i = 0; i < 2; ++i) {
    const double error = std::abs(x[i] - std::exp(1.0));
    EXPECT_NEAR(last_value(result->trajectory, fmt::format("x{}", i + 1)), x[i], 1e-6 * std::max(1e-3, error))
        << which.model << " gamma " << which.gamma << " nu " << which.nu;
  }
}

TEST(IndependentSchemes, OfBaumgarteGiveTheSameNumbers) {
  for (const double gamma : {0.0, 3.0, 50.0}) {
    for (const double nu : {5.0, 30.0}) {
      expect_same(BaumgarteCase{"ascher_petzold_1", example_1, nu, gamma});
      expect_same(BaumgarteCase{"ascher_petzold_2", example_2, nu, gamma});
    }
  }
}

}  // namespace
}  // namespace daedalus
