// Values below what the absolute tolerance tells apart are as accurate as others, whether anybody said how
// small they are or not.
#include "simulate/small_values.hpp"

#include <fmt/format.h>

#include <array>

#include "simulate/formulation_support.hpp"

namespace daedalus::testing {
namespace {

Result<RunResult> run_of(const DaeSystem& system, double rtol, std::optional<double> atol = {}) {
  RunOptions options;
  options.until = 3;
  options.rtol = rtol;
  options.atol = atol;
  options.points = 61;
  return simulate(system, options);
}

// The largest error against the course, in units of rtol times its size.
double error_of(const RunResult& result, const std::string& name, double rtol,
                const std::function<double(double)>& course) {
  const std::size_t column = column_of(result.trajectory, name);
  double size = 0;
  double error = 0;
  for (std::size_t row = 0; row < result.trajectory.rows(); ++row) {
    const double t = result.trajectory.times[row];
    size = std::max(size, std::abs(course(t)));
    error = std::max(error, std::abs(result.trajectory.at(row, column) - course(t)));
  }
  return error / (rtol * size);
}

bool tells(const RunResult& result) {
  return std::ranges::any_of(result.summary.warnings, [](const std::string& warning) {
    return warning.find("values stay so small") != std::string::npos;
  });
}

// x = k sin 5t: from a velocity, from a force, behind a constraint, and as an algebraic unknown.
struct Small {
  const char* what;
  std::string text;
};

std::vector<Small> models(double k) {
  return {
      {"oscillator",
       fmt::format(
           "model M Real x(start = 0, fixed = true), v(start = {}, fixed = true); equation der(x) = v; "
           "der(v) = -25*x; end M;",
           5 * k)},
      {"driven", fmt::format("model M Real x(start = 0); equation der(x) = -3*(x - {0}*sin(5*time)) + "
                             "{1}*cos(5*time); end M;",
                             k, 5 * k)},
      {"beside others",
       fmt::format("model M Real z(start = 1), x(start = 0); equation der(z) = -z; der(x) = -3*(x - "
                   "{0}*sin(5*time)) + {1}*cos(5*time) + {0}*(z - exp(-time)); end M;",
                   k, 5 * k)},
      {"of index 2", fmt::format("model M Real x(start = 0), y, l; equation der(x) = {0}*cos(5*time) + l; "
                                 "der(y) = {0}*cos(5*time) - y + x - 2*l; x + y = {1}*sin(5*time); end M;",
                                 5 * k, 2 * k)},
      {"algebraic",
       fmt::format("model M Real z(start = 0, fixed = true), x; equation der(z) = 5*cos(5*time); "
                   "x/{0} + (x/{0})^3 = z + z^3; end M;",
                   k)},
  };
}

TEST(SmallValues, AreAsAccurateAsOthers) {
  for (const double k : {1.0, 1e-4, 1e-7, 1e-10, 1e-12}) {
    for (const Small& model : models(k)) {
      const DaeSystem system = from_text(model.text);
      for (const double rtol : {1e-4, 1e-6, 1e-8}) {
        const auto result = run_of(system, rtol);
        ASSERT_TRUE(result.has_value() && result->ok()) << model.text;
        const double error = error_of(*result, "x", rtol, [k](double t) { return k * std::sin(5 * t); });
        EXPECT_LE(error, 100) << model.what << ", k = " << k << ", rtol = " << rtol;
        EXPECT_FALSE(tells(*result));
      }
    }
  }
}

// An absolute tolerance that was given is meant.
TEST(SmallValues, AnAbsoluteToleranceThatWasGivenIsMeant) {
  const DaeSystem system = from_text(models(1e-12).front().text);
  const auto result = run_of(system, 1e-6, 1e-9);
  ASSERT_TRUE(result.has_value() && result->ok());
  EXPECT_EQ(result->summary.why.find("without a nominal value"), std::string::npos);
}

// Who follows the run sees the better one from its beginning.
TEST(SmallValues, ObserversSeeTheRunThatCounts) {
  struct Rows final : RunObserver {
    void begin(std::span<const Signal> /*columns*/, std::span<const ParameterValue> /*parameters*/) override {
      rows.clear();
    }
    void row(double t, std::span<const double> values) override { rows.emplace_back(t, values[0]); }
    std::vector<std::pair<double, double>> rows;
  };
  const auto seen = std::make_shared<Rows>();
  RunOptions options;
  options.until = 3;
  options.points = 11;
  options.observers = {seen};
  const auto result = simulate(from_text(models(1e-12).front().text), options);
  ASSERT_TRUE(result.has_value() && result->ok());
  ASSERT_EQ(seen->rows.size(), result->trajectory.rows());
  for (std::size_t row = 0; row < seen->rows.size(); ++row)
    EXPECT_EQ(seen->rows[row].second, result->trajectory.at(row, 0));
}

// Rounding is not taken for small values: a mechanism in space that moves in a plane runs once.
TEST(SmallValues, RoundingIsNoValue) {
  const DaeSystem system = from_text(
      "model M Real x(start = 1), y(start = 0), z(start = 6e-17), u, v(start = 0), w, l; equation der(x) = "
      "u; "
      "der(y) = v; der(z) = w; der(u) = -x*l; der(v) = -y*l - 9.81; der(w) = -z*l; x^2 + y^2 + z^2 = 1; end "
      "M;");
  const auto result = run_of(system, 1e-6);
  ASSERT_TRUE(result.has_value() && result->ok());
  EXPECT_EQ(result->summary.why.find("without a nominal value"), std::string::npos) << result->summary.why;
}

TEST(SmallValues, NominalValuesAreGivenByName) {
  const DaeSystem system = from_text("model M Real x(start = 1e-9), y; equation der(x) = -x; y = x; end M;");
  const std::array small{SmallUnknown{.name = "x", .size = 1e-9, .given = true}};
  const DaeSystem changed = with_nominal_values(system, small);
  const auto x = std::ranges::find(changed.variables, "x", &Variable::name);
  ASSERT_NE(x, changed.variables.end());
  EXPECT_TRUE(x->has_nominal);
  EXPECT_EQ(x->nominal, 1e-9);
  EXPECT_FALSE(system.variables.front().has_nominal);
}

}  // namespace
}  // namespace daedalus::testing
