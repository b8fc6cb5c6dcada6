// How fast violations of the constraints and the error of the energy grow: none, linearly, quadratically in
// time, for every row of the table, on a pendulum that goes round and round, at a constant step.
//
// index1 makes g̈ = 0 hold in each step, so local errors add up once in ġ and twice in g; index2 makes ġ = 0
// hold, and they add up once in g. Where ġ grows linearly the power -λ ġ of the constraint force adds up to a
// quadratic error of the energy; otherwise the local errors of the energy add up linearly. pa keeps g and
// lets ġ go, Ascher, Petzold 1993 (4.14). Baumgarte's equation damps violations with a time constant 1/γ:
// they are bounded. A symmetric method has no error of the energy that adds up (Pöll, Hafner 2015 §6.2;
// Hairer, Lubich, Wanner, XI.1).
//
// index1 and its kin are run by dopri5: for linear multistep methods and Radau IIA the leading part of the
// error in the quadratic invariant ġ = 2 p·v is a total derivative, and averages to zero over a revolution.
#include <cctype>

#include "simulate/formulation_support.hpp"

namespace daedalus {
namespace {

using testing::from_text;
using testing::run;
using testing::Setting;
using testing::signal;

// Driven by a torque, slowed down by friction; `work` is what they have done, so that the balance of the
// energy stays constant. Friction matters: in a motion that looks the same backwards in time, ġ averages to
// zero by symmetry.
constexpr const char* rotor = R"(model Rotor
  Real x(start = 0), y(start = -1), u(start = 4, fixed = true), v, lambda, work(fixed = true), balance;
equation
  der(x) = u; der(y) = v;
  der(u) = -lambda*x - 2*y - 0.5*u;
  der(v) = -lambda*y + 2*x - 0.5*v - 1;
  x^2 + y^2 = 1;
  der(work) = 2*(x*v - y*u) - 0.5*(u^2 + v^2);
  balance = (u^2 + v^2)/2 + y - work;
initial equation
  x = 0;
end Rotor;)";

// AtMostLinear: the linear part is small beside a constant one.
enum class Growth { None, Bounded, AtMostLinear, Linear, Quadratic };

struct Row {
  const char* formulation;
  Growth position;
  Growth velocity;
  Growth energy;
  const char* integrator = "radau";
};

const std::vector<Row> rows{
    {"index1", Growth::Quadratic, Growth::Linear, Growth::Quadratic, "dopri5"},
    {"index2", Growth::Linear, Growth::None, Growth::Linear},
    {"index3", Growth::None, Growth::Bounded, Growth::Linear},
    {"baumgarte:gamma=10", Growth::Bounded, Growth::Bounded, Growth::Linear, "dopri5"},
    {"baumgarte-h:h=0.02", Growth::Bounded, Growth::Bounded, Growth::AtMostLinear},
    {"trust-region:eps=1e-12,gamma=10", Growth::Bounded, Growth::Bounded, Growth::Linear, "dopri5"},
    {"direct-regularization:eps=1e-12,gamma=10", Growth::Bounded, Growth::Bounded, Growth::Linear, "dopri5"},
    {"ggl", Growth::None, Growth::None, Growth::Linear},
    {"projected-invariants:variant=pa", Growth::None, Growth::Linear, Growth::Quadratic},
    {"projected-invariants:variant=pb", Growth::None, Growth::None, Growth::Linear},
    {"projected-invariants:variant=pc", Growth::None, Growth::None, Growth::Linear},
    {"extended", Growth::None, Growth::None, Growth::Linear},
    {"odae", Growth::None, Growth::None, Growth::Linear},
    {"coordinate-partitioning", Growth::None, Growth::None, Growth::Linear},
    {"tangent-plane", Growth::None, Growth::None, Growth::Linear},
    {"orthogonal-projection", Growth::None, Growth::None, Growth::Linear, "dopri5"},
    {"symmetric-projection", Growth::None, Growth::None, Growth::Bounded, "implicit-midpoint"},
    {"singular-mass:gamma=1e-12,then=ggl", Growth::None, Growth::None, Growth::Linear},
    {"dummy-derivatives", Growth::None, Growth::None, Growth::Linear},
};

// gtest names the row that failed.
void PrintTo(const Row& row, std::ostream* out) {
  *out << row.formulation;
}

// Largest values over the run.
struct Largest {
  double position = 0;
  double velocity = 0;
  double energy = 0;
};

Largest measure(const DaeSystem& system, const Row& row, int factor) {
  const RunResult result = run(
      system, row.formulation,
      {.integrator = row.integrator, .until = 128.0 * factor, .steps = 2048 * factor, .tolerance = 1e-12});
  Largest largest;
  if (result.summary.drift.levels.size() < 2) return largest;
  largest.position = result.summary.drift.levels[0];
  largest.velocity = result.summary.drift.levels[1];
  for (const double e : signal(result, "balance")) largest.energy = std::max(largest.energy, std::abs(e - 7));
  return largest;
}

void expect(Growth growth, double once, double twice, const std::string& what) {
  // Exponents 0, 1, 2 of the time, to 0.3 of each: the linear part of a quadratic growth is still there.
  const double exponent = std::log2(twice / once);
  switch (growth) {
    case Growth::None:
      EXPECT_LE(twice, 1e-13) << what;
      break;
    case Growth::Bounded:
      EXPECT_GE(once, 1e-9) << what;
      EXPECT_NEAR(exponent, 0, 0.3) << what;
      break;
    case Growth::AtMostLinear:
      EXPECT_GE(once, 1e-9) << what;
      EXPECT_GE(exponent, -0.3) << what;
      EXPECT_LE(exponent, 1.3) << what;
      break;
    case Growth::Linear:
      EXPECT_GE(once, 1e-9) << what;
      EXPECT_NEAR(exponent, 1, 0.3) << what;
      break;
    case Growth::Quadratic:
      EXPECT_GE(once, 1e-9) << what;
      EXPECT_NEAR(exponent, 2, 0.3) << what;
      break;
  }
}

class Drift : public ::testing::TestWithParam<Row> {};
INSTANTIATE_TEST_SUITE_P(Formulations, Drift, ::testing::ValuesIn(rows), [](const auto& row) {
  std::string name = row.param.formulation;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
});

TEST_P(Drift, GrowsAsThePapersSay) {
  const Row& row = GetParam();
  const DaeSystem system = from_text(rotor);
  const Largest once = measure(system, row, 1);
  const Largest twice = measure(system, row, 2);
  expect(row.position, once.position, twice.position, "position");
  expect(row.velocity, once.velocity, twice.velocity, "velocity");
  expect(row.energy, once.energy, twice.energy, "energy");
}

TEST(DriftTable, HasEveryFormulation) {
  for (const FormulationRow& formulation : formulations()) {
    const auto named = [&](const Row& row) {
      const std::string_view text(row.formulation);
      return text.substr(0, text.find(':')) == formulation.name;
    };
    EXPECT_TRUE(std::ranges::any_of(rows, named)) << formulation.name;
  }
}

}  // namespace
}  // namespace daedalus
