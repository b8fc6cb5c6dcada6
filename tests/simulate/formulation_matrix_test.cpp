// Variants of formulations × integrators × models with exact solutions: every cell is right, or refused, or
// failed with a reason, or says in a warning what is wrong. None is wrong in silence.
//
// A sample by default; all cells with DAEDALUS_MATRIX=all in the environment.
#include <cstdlib>
#include <ctime>
#include <functional>

#include <fmt/format.h>

#include "simulate/formulation_support.hpp"

namespace daedalus {
namespace {

using testing::from_text;
using testing::signal;

using Exact = std::function<double(double)>;

struct Model {
  const char* name;
  const char* text;
  std::vector<std::pair<std::string, Exact>> solution;
};

const Exact cosine = [](double t) { return std::cos(t); };
const Exact sine = [](double t) { return std::sin(t); };

// All solutions are of size 1 over [0, 2].
std::vector<Model> models() {
  return {
      {"m = 1, circle",
       "model M Real x1(start = 1), x2(start = 0, fixed = true), y; equation "
       "der(x1) = -sin(time) + 2*cos(time) - 2*x1*y; der(x2) = cos(time) + 2*sin(time) - 2*x2*y; "
       "x1^2 + x2^2 = 1; end M;",
       {{"x1", cosine}, {"x2", sine}}},
      {"m = 2, circle",
       "model M Real x1(start = 1), x2(start = 0, fixed = true), v1, v2(start = 1, fixed = true), y; "
       "equation "
       "der(x1) = v1; der(x2) = v2; der(v1) = -cos(time) + 2*cos(time) - 2*x1*y; "
       "der(v2) = -sin(time) + 2*sin(time) - 2*x2*y; x1^2 + x2^2 = 1; end M;",
       {{"x1", cosine}, {"x2", sine}, {"v2", cosine}}},
      {"m = 3, circle",
       "model M Real x1(start = 1), x2(start = 0, fixed = true), v1, v2(start = 1, fixed = true), a1(start = "
       "-1), "
       "a2(start = 0, fixed = true), y; equation der(x1) = v1; der(x2) = v2; der(v1) = a1; der(v2) = a2; "
       "der(a1) = sin(time) + 2*cos(time) - 2*x1*y; der(a2) = -cos(time) + 2*sin(time) - 2*x2*y; "
       "x1^2 + x2^2 = 1; end M;",
       {{"x1", cosine}, {"x2", sine}}},
      {"rheonomic",
       "model M Real x1(start = 1), x2(start = 0, fixed = true), v1, v2(start = 1, fixed = true), y; "
       "equation "
       "der(x1) = v1; der(x2) = v2; der(v1) = -x1 + (1 - y)*cos(time); der(v2) = -x2 + (1 - y)*sin(time); "
       "x1*cos(time) + x2*sin(time) = 1; end M;",
       {{"x1", cosine}, {"x2", sine}, {"v2", cosine}}},
      {"redundant, m = 2",
       "model M Real x1(start = 1), x2(start = 0, fixed = true), v1, v2(start = 1, fixed = true), y, w; "
       "equation "
       "der(x1) = v1; der(x2) = v2; der(v1) = cos(time) - 2*x1*(y + w); der(v2) = sin(time) - 2*x2*(y + w); "
       "x1^2 + x2^2 = 1; 2*x1^2 + 2*x2^2 = 2; end M;",
       {{"x1", cosine}, {"x2", sine}, {"v2", cosine}}},
      {"redundant, m = 1",
       "model M Real x1(start = 1), x2(start = 0, fixed = true), y, w; equation "
       "der(x1) = -sin(time) + 2*cos(time) - 2*x1*(y + w); der(x2) = cos(time) + 2*sin(time) - 2*x2*(y + w); "
       "x1^2 + x2^2 = 1; 3*x1^2 + 3*x2^2 = 3; end M;",
       {{"x1", cosine}, {"x2", sine}}},
      {"nonholonomic",
       "model M Real x(fixed = true), y(fixed = true), phi(fixed = true), vx(start = 0, fixed = true), vy, "
       "omega(start = 2, fixed = true), lambda; equation der(x) = vx; der(y) = vy; der(phi) = omega; "
       "der(vx) = 3 - lambda*sin(phi); der(vy) = lambda*cos(phi); der(omega) = 0; "
       "vx*sin(phi) - vy*cos(phi) = 0; end M;",
       {{"x", [](double t) { return 3.0 / 8 * std::pow(std::sin(2 * t), 2); }},
        {"y", [](double t) { return 3.0 / 8 * (2 * t - std::sin(4 * t) / 2); }}}},
      {"singular mass",
       "model M Real x1(start = 2), x2(start = 1, fixed = true), v1, v2(start = 0, fixed = true), y; "
       "equation "
       "der(x1) = v1; der(x2) = v2; der(v1) + der(v2) = -3*cos(time) + sin(time) - y; "
       "der(v1) + der(v2) = -3*cos(time) - 2*sin(time) + 2*y; x1 - 2*x2 = 0; end M;",
       {{"x2", cosine}, {"v2", [](double t) { return -std::sin(t); }}}},
      {"masses 1 and 1000",
       "model M Real x1(start = 0), x2(start = 1, fixed = true), v1, v2(start = 0, fixed = true), y; "
       "equation "
       "der(x1) = v1; der(x2) = v2; der(v1) = -x1 + 1 - y; 1000*der(v2) = -1000*x2 + 1 - y; "
       "x1 + x2 = sin(time) + cos(time); end M;",
       {{"x1", sine}, {"x2", cosine}}},
      {"B is not Gᵀ",
       "model M Real x1(start = 1), x2(start = 0, fixed = true), v1, v2(start = 1, fixed = true), y; "
       "equation "
       "der(x1) = v1; der(x2) = v2; der(v1) = -x1 + x1*(1 - y); der(v2) = -x2 + 2*x2*(1 - y); "
       "x1^2 + x2^2 = 1; end M;",
       {{"x1", cosine}, {"x2", sine}, {"v2", cosine}}},
      {"two constraints",
       "model M Real x1(start = 1), x2(start = 0, fixed = true), x3, v1, v2(start = 1, fixed = true), v3, y, "
       "w; equation "
       "der(x1) = v1; der(x2) = v2; der(v3) = w - 1; der(x3) = v3; der(v1) = cos(time) - 2*x1*y + w - 1; "
       "der(v2) = sin(time) - 2*x2*y; x1^2 + x2^2 = 1; x1 + x3 = cos(time); end M;",
       {{"x1", cosine}, {"x2", sine}, {"x3", [](double) { return 0.0; }}}},
      {"singular at t = 1",
       "model M Real x(start = 0), y(start = 1); equation der(x) = 2 + (time - 1)*y; "
       "0 = (time - 1)*x - (time - 1)*time; end M;",
       {{"x", [](double t) { return t; }}}},
  };
}

const std::vector<const char*> variants{
    "dummy-derivatives",
    "dummy-derivatives:superfluous=remove",
    "index3",
    "index2",
    "index2:gamma=5",
    "index1",
    "baumgarte",
    "baumgarte:gamma=1/h",
    "baumgarte:alpha=3,beta=4",
    "baumgarte:errortest=positions",
    "baumgarte:form=eliminated",
    "baumgarte-h",
    "baumgarte-h:gamma=100",
    "trust-region",
    "trust-region:curvature=no",
    "trust-region:eps=1e-8",
    "trust-region:convert=ggl",
    "direct-regularization",
    "direct-regularization:eps=1e-8",
    "direct-regularization:convert=ggl",
    "ggl",
    "ggl:D=B",
    "projected-invariants:variant=pa",
    "projected-invariants:variant=pb",
    "projected-invariants:variant=pc",
    "projected-invariants:variant=pa,velocity=projected",
    "extended",
    "extended:variant=differentiated",
    "odae",
    "odae:A=tangent",
    "coordinate-partitioning",
    "coordinate-partitioning:threshold=5",
    "tangent-plane",
    "tangent-plane:update=condition",
    "orthogonal-projection",
    "orthogonal-projection:W=M",
    "orthogonal-projection:levels=position",
    "symmetric-projection",
    "singular-mass",
};

constexpr double tolerance = 1e-6;
constexpr double until = 2;
constexpr int steps = 512;  // of methods that need a fixed step

// Of solutions of size 1. Adaptive methods: two thousand tolerances, for what errors of single steps add up
// to. At a fixed step h = 1/256 backward Euler, of order 1, errs by h t/2 times each of the m derivatives
// that it adds up: a few h.
double allowed(const IntegratorRow& row) {
  return row.adaptive ? 2000 * tolerance : 10 * until / steps;
}

double error_of(const Model& model, const RunResult& result) {
  double worst = 0;
  for (const auto& [name, exact] : model.solution) {
    const std::vector<double> values = signal(result, name);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double error = std::abs(values[k] - exact(result.trajectory.times[k]));
      worst = std::isfinite(error) ? std::max(worst, error) : INFINITY;
    }
  }
  return worst;
}

struct Tally {
  int right = 0;
  int said = 0;
  int failed = 0;
  int refused = 0;
};

void run_cell(const Model& model, const DaeSystem& system, const char* variant, const IntegratorRow& row,
              Tally& tally) {
  RunOptions options;
  options.until = until;
  options.rtol = options.atol = tolerance;
  options.points = 41;
  options.formulation = parse_selection(variant).value();
  options.integrator = Selection(std::string(row.name));
  if (!row.adaptive) options.step = until / steps;
  // What takes longer than this is no answer.
  const std::clock_t begin = std::clock();
  options.progress = [begin](const Progress&) { return std::clock() - begin < 2 * CLOCKS_PER_SEC; };
  const auto result = simulate(system, options);
  const std::string cell = std::string(model.name) + " | " + variant + " | " + std::string(row.name);
  if (!result) {
    ++tally.refused;
    EXPECT_FALSE(result.error().empty()) << cell;
  } else if (!result->ok()) {
    ++tally.failed;
    EXPECT_FALSE(result->summary.reason.empty()) << cell;
  } else if (const double error = error_of(model, *result); error <= allowed(row)) {
    ++tally.right;
  } else if (!result->summary.warnings.empty()) {
    ++tally.said;
  } else {
    ADD_FAILURE() << "wrong in silence: " << cell << ": error " << error;
  }
}

TEST(Matrix, NoCellIsWrongInSilence) {
  const char* asked = std::getenv("DAEDALUS_MATRIX");
  const bool all = asked != nullptr && std::string(asked) == "all";
  Tally tally;
  int cell = 0;
  for (const Model& model : models()) {
    const DaeSystem system = from_text(model.text);
    for (const char* variant : variants) {
      for (const IntegratorRow& row : integrators()) {
        // 9 is prime to the numbers of integrators and variants: the sample changes from row to row.
        if (!all && ++cell % 9 != 0) continue;
        run_cell(model, system, variant, row, tally);
      }
    }
  }
  RecordProperty("right", tally.right);
  RecordProperty("said", tally.said);
  RecordProperty("failed", tally.failed);
  RecordProperty("refused", tally.refused);
  // The matrix must not pass by refusing: most cells that apply are right.
  EXPECT_GT(tally.right, 2 * (tally.said + tally.failed));
  if (all)
    fmt::print("right {}, said {}, failed {}, refused {}\n", tally.right, tally.said, tally.failed,
               tally.refused);
}

}  // namespace
}  // namespace daedalus
