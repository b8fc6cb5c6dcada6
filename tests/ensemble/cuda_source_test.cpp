// The source for GPUs, compiled as C++ for the host, against the engine.
#include "ensemble/cuda_source.hpp"

#include <array>
#include <random>

#include "ensemble/cuda_device.hpp"
#include "ensemble/stepping_settings.hpp"
#include "host_kernel.hpp"

namespace daedalus {
namespace {

using test::between;
using test::engine_of;
using test::HostKernel;
using test::problem;
using test::run_of;
using test::Table;

constexpr double agreed = 10;  // times rtol
constexpr double least_drift = 1e-10;

// All runs by the host's kernel, which takes start and parameters from the engine.
struct HostRuns {
  std::vector<double> values, drift, t_end;  // values: [time][output][run]
  std::vector<int> counters;
};

HostRuns run_on_host(const std::shared_ptr<const Engine>& engine, const EnsembleOptions& options,
                     const Table& table) {
  HostRuns out;
  const auto kernel = trajectory_kernel(*engine, options.outputs);
  if (!kernel) {
    ADD_FAILURE() << kernel.error().front().message;
    return out;
  }
  const HostKernel host(*kernel);
  if (!host.ok()) return out;
  const std::size_t runs = table.columns.front().size();
  std::vector<double> states(static_cast<std::size_t>(kernel->size()) * runs);
  std::vector<double> columns(kernel->given.size() * runs);
  std::vector<int> column;
  for (std::size_t g = 0; g < kernel->given.size(); ++g) column.push_back(static_cast<int>(g));
  const std::vector<double> given(kernel->given.size() + 1);
  for (std::size_t k = 0; k < runs; ++k) {
    RunRequest request;
    for (std::size_t p = 0; p < table.names.size(); ++p)
      request.set.push_back({.name = table.names[p], .value = table.columns[p][k]});
    auto simulation = engine->start(request);
    if (!simulation || simulation->failed()) {
      ADD_FAILURE() << "no start";
      return out;
    }
    const auto environment = simulation->environment();
    const auto slot = [&](NodeId leaf) { return static_cast<std::size_t>(engine->model().slot(leaf)); };
    for (std::size_t i = 0; i < kernel->states.size(); ++i)
      states[(i * runs) + k] = environment[slot(kernel->states[i])];
    for (std::size_t g = 0; g < kernel->given.size(); ++g)
      columns[(g * runs) + k] = environment[slot(kernel->given[g])];
  }
  out.values.assign(options.at.size() * options.outputs.size() * runs, std::nan(""));
  out.drift.assign(runs, 1);
  out.t_end.assign(runs, 0);
  out.counters.assign(4 * runs, -1);
  RunOptions asked = engine->plan().options;
  const auto settings = run_settings(engine->system(), asked);
  host(stepping_settings(*kernel, *settings), {.runs = static_cast<long long>(runs),
                                               .common_start = 0,
                                               .states = states.data(),
                                               .given = given.data(),
                                               .column = column.data(),
                                               .columns = columns.data(),
                                               .time_count = static_cast<int>(options.at.size()),
                                               .times = options.at.data(),
                                               .values = out.values.data(),
                                               .drift = out.drift.data(),
                                               .t_end = out.t_end.data(),
                                               .counters = out.counters.data()});
  return out;
}

void expect_as_the_engine(const std::shared_ptr<const Engine>& engine, const EnsembleOptions& options,
                          const Table& table, double rtol) {
  ASSERT_NE(engine, nullptr);
  EnsembleOptions scalar = options;
  scalar.backend = "scalar";
  const EnsembleResult expected = run_of(engine, scalar, table);
  const HostRuns host = run_on_host(engine, options, table);
  const std::size_t runs = expected.runs();
  ASSERT_EQ(host.values.size(), expected.values.size());
  EnsembleResult turned = expected;
  const std::size_t width = options.at.size() * options.outputs.size();
  for (std::size_t k = 0; k < runs; ++k) {
    for (std::size_t i = 0; i < width; ++i) turned.values[(k * width) + i] = host.values[(i * runs) + k];
    EXPECT_EQ(host.counters[k], kEnsembleOk);
    EXPECT_LE(host.drift[k], least_drift);
    EXPECT_NEAR(host.counters[runs + k], expected.steps[k], 2 + (expected.steps[k] / 20));
  }
  EXPECT_LE(test::distance(turned, expected), agreed * rtol);
}

TEST(CudaSource, PendulumsAreThoseOfTheEngine) {
  const Table table{.names = {"g", "L"}, .columns = {between(5, 15, 7), between(0.8, 1.4, 7)}};
  for (const char* const integrator : {"dopri5", "dop853"}) {
    const auto engine = engine_of(test::pendulum, {"g", "L"}, {.integrator = Selection(integrator)});
    expect_as_the_engine(engine, {.outputs = {"x", "y", "vx", "lambda"}, .at = {0, 0.3, 0.3, 1.1, 2}}, table,
                         1e-6);
  }
}

TEST(CudaSource, AndrewsMechanismIsThatOfTheEngine) {
  const auto engine = engine_of(problem("problems/andrews.mo"), {"mom"});
  expect_as_the_engine(engine, {.outputs = {"beta", "epsilon", "v1"}, .at = {0.01, 0.03}},
                       {.names = {"mom"}, .columns = {between(0.03, 0.036, 3)}}, 1e-8);
}

// A term that stays finite, of operations that the language has, in x, y, their rates, the time and p.
std::string random_term(std::mt19937& random, int depth) {
  const auto pick = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  static const std::array leaves{"x", "y", "u", "w", "time", "p", "0.7", "1.3"};
  if (depth == 0) return leaves[static_cast<std::size_t>(pick(static_cast<int>(leaves.size())))];
  const std::string a = random_term(random, depth - 1);
  const std::string b = random_term(random, depth - 1);
  switch (pick(16)) {
    case 0:
      return "(" + a + " + " + b + ")";
    case 1:
      return "(" + a + " - " + b + ")";
    case 2:
      return "(" + a + ")*tanh(" + b + ")";
    case 3:
      return "(" + a + ")/(1 + (" + b + ")^2)";
    case 4:
      return "sin(" + a + ")";
    case 5:
      return "(cos(" + a + ") + sin(" + a + "))";
    case 6:
      return "exp(-(" + a + ")^2)";
    case 7:
      return "log(1 + (" + a + ")^2)";
    case 8:
      return "sqrt(1 + (" + a + ")^2)";
    case 9:
      return "atan2(" + a + ", 2 + (" + b + ")^2)";
    case 10:
      return "atan(" + a + ")";
    case 11:
      return "tanh(" + a + ")^3";
    case 12:
      return "asin(0.9*sin(" + a + "))";
    case 13:
      return "cosh(tanh(" + a + "))";
    case 14:
      return "log10(2 + (" + a + ")^4)";
    default:
      return "(1 + (" + a + ")^2)^0.3";
  }
}

TEST(CudaSource, RandomModelsAreThoseOfTheEngine) {
  std::mt19937 random(7);
  for (int k = 0; k < 4; ++k) {
    // Forces of the constraint g(x, y) = 0 are its gradient times the multiplier.
    struct Curve {
      const char *constraint, *gx, *gy;
    };
    const std::array curves{
        Curve{"x^2 + y^2 = 1 + p", "2*x", "2*y"}, Curve{"y - sin(x) = 0.3*p", "-cos(x)", "1"},
        Curve{"x*y + x = 1.5 + 0.5*p", "y + 1", "x"}, Curve{"y + exp(0.2*x) = 2.2*p", "0.2*exp(0.2*x)", "1"}};
    const Curve& curve = curves[static_cast<std::size_t>(k) % curves.size()];
    const std::string model =
        "model R\n  parameter Real p = 1;\n  Real x(start = 1, fixed = true), y(start = 1), u(start = 0.2, "
        "fixed = true), w, f;\n"
        "equation\n  der(x) = u;\n  der(y) = w;\n  2*der(u) = " +
        random_term(random, 3) + " - 0.5*u - x - (" + curve.gx +
        ")*f;\n  der(w) = " + random_term(random, 3) + " - 0.5*w - (" + curve.gy + ")*f;\n  " +
        curve.constraint + ";\n  annotation(experiment(StopTime = 1, Tolerance = 1e-7));\nend R;\n";
    SCOPED_TRACE(model);
    const auto engine = engine_of(model, {"p"}, {.integrator = Selection(k % 2 == 0 ? "dop853" : "dopri5")});
    expect_as_the_engine(engine, {.outputs = {"x", "y", "u", "w", "f"}, .at = {0.25, 0.5, 1}},
                         {.names = {"p"}, .columns = {between(0.9, 1.1, 4)}}, 1e-7);
  }
}

TEST(CudaSource, WithoutAGpuThatIsSaid) {
  const auto device = CudaDevice::get();
  const auto ensemble = Ensemble::make(engine_of(test::pendulum, {"g"}), {.backend = "cuda"});
  EXPECT_EQ(ensemble.has_value(), device.has_value());
  if (device) return;
  EXPECT_NE(ensemble.error().front().message.find(device.error().front().message), std::string::npos);
}

}  // namespace
}  // namespace daedalus
