// Nothing that a model says may end the process: models with singular points, factors of 1e200, values that
// are no numbers, nothing to solve, under every formulation and integrator. Whatever comes back is an answer
// with finite values, a failure with a reason, or an error that says what is wrong.
//
// A seeded sample; DAEDALUS_STRESS=all takes all combinations.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

#include "advise/check.hpp"
#include "integrate/integrator.hpp"
#include "reform/formulation.hpp"
#include "simulate/engine.hpp"
#include "simulate/run.hpp"
#include "support/model_text.hpp"

namespace daedalus {
namespace {

struct Weird {
  const char* name;
  const char* text;
};

constexpr const char* pendulum_begin = "der(x)=u; der(y)=v; der(u)=-l*x; der(v)=-l*y-9.81;";

const std::array weird_models{
    Weird{"MultiplierOfACompanion",
          "Real x1, x2, l, y; equation der(x1)=-x1-l+0.1*sin(y); der(x2)=-x2+l; x1-x2=0.3+sin(time); "
          "2*y+0.1*sin(y)=x1+1;"},
    Weird{"Origin", "Real x, y, u, v, l; equation PENDULUM x^2+y^2=0;"},
    Weird{"Factor1e200", "Real x(start=1), y, u, v, l; equation PENDULUM 1e200*(x^2+y^2)=1e200;"},
    Weird{"Factor1e306", "Real x(start=1), y, u, v, l; equation PENDULUM 1e306*(x^2+y^2)=1e306;"},
    Weird{"Factor1e_200", "Real x(start=1), y, u, v, l; equation PENDULUM 1e-200*(x^2+y^2)=1e-200;"},
    Weird{"FactorsInAllEquations",
          "Real x(start=1), y, u, v, l; equation 1e200*der(x)=1e200*u; 1e-200*der(y)=1e-200*v; "
          "1e150*der(u)=-1e150*l*x; 1e-150*der(v)=-1e-150*(l*y+9.81); x^2+y^2=1;"},
    Weird{"NoNumberInAConstraint", "Real x(start=1), y, u, v, l; equation PENDULUM x^2+y^2=1+log(-1-x^2);"},
    Weird{"NoNumberInAForce", "Real x(start=1), v; equation der(x)=v; der(v)=sqrt(-1-x^2);"},
    Weird{"PoleAtTheStart", "Real x; equation der(x)=1/time;"},
    Weird{"HugeStart", "Real x(start=1e200,fixed=true), y, u, v, l; equation PENDULUM x^2+y^2=1;"},
    Weird{"InfiniteGrowth", "Real x(start=1e300,fixed=true); equation der(x)=x^2;"},
    Weird{"Empty", ""},
    Weird{"OnlyParameters", "parameter Real p=1;"},
    Weird{"OnlyAlgebraic", "Real x; equation x=sin(time);"},
    Weird{"OnlyDiscrete",
          "Integer n(start=0,fixed=true); equation when sample(0,0.1) then n=pre(n)+1; end when;"},
    Weird{"NothingFree", "Real x, v, l; equation der(x)=v; der(v)=l; x=sin(time);"},
    Weird{"MasslessBody",
          "Real x(start=1), y, u, v, l; equation der(x)=u; der(y)=v; 0*der(u)=-l*x; der(v)=-l*y-9.81; "
          "x^2+y^2=1;"},
    Weird{
        "TwiceTheSame",
        "Real x(start=1), y, u, v, l, m; equation der(x)=u; der(y)=v; der(u)=-(l+m)*x; der(v)=-(l+m)*y-9.81; "
        "x^2+y^2=1; 3*(x^2+y^2)=3;"},
    Weird{
        "Contradiction",
        "Real x(start=1), y, u, v, l, m; equation der(x)=u; der(y)=v; der(u)=-(l+m)*x; der(v)=-(l+m)*y-9.81; "
        "x^2+y^2=1; x^2+y^2=2;"},
    Weird{"ConstraintOfTime", "Real x, v, l; equation der(x)=v; der(v)=l; 0*x+time=0.05;"},
    Weird{"EventAtTheStart",
          "Real x(start=0,fixed=true), v(start=1,fixed=true); equation der(x)=v; der(v)=if x>0 then -1e9 "
          "else 1e9;"},
    Weird{"LostColumns",
          "Real x(start=0), y; equation der(x)=max(y-10,0)+abs(x)+y; sqrt(abs(x))+abs(y)*y=time;"},
};

DaeSystem model_of(const Weird& weird) {
  std::string text = weird.text;
  const std::string mark = "PENDULUM";
  if (const auto at = text.find(mark); at != std::string::npos) text.replace(at, mark.size(), pendulum_begin);
  auto sources = std::make_shared<SourceMap>();
  auto system = load_model(sources, sources->add("model.mo", "model M " + text + " end M;"));
  return system ? *system : DaeSystem{};
}

void expect_sound(const Result<RunResult>& result, const std::string& how) {
  if (!result) {
    EXPECT_FALSE(result.error().empty()) << how;
    for (const Diagnostic& d : result.error()) EXPECT_FALSE(d.message.empty()) << how;
    return;
  }
  if (!result->ok()) {
    EXPECT_FALSE(result->summary.reason.empty()) << how;
    return;
  }
  for (const auto& [name, value] : result->summary.final_values)
    EXPECT_TRUE(std::isfinite(value)) << how << ": " << name;
}

class Stress : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Stress, EndsWithAnAnswer) {
  const Weird& weird = weird_models[GetParam()];
  const DaeSystem system = model_of(weird);
  if (system.graph == nullptr) return;  // refused as text
  const bool all = std::getenv("DAEDALUS_STRESS") != nullptr;
  std::mt19937 engine(static_cast<unsigned>(GetParam()));
  (void)check(system, system);
  std::vector<std::string> methods{"auto"};
  for (const FormulationRow& row : formulations()) methods.emplace_back(row.name);
  for (const std::string& formulation : methods) {
    std::vector<std::string> integrators_of_row{"auto"};
    for (const IntegratorRow& row : integrators()) integrators_of_row.emplace_back(row.name);
    for (const std::string& integrator : integrators_of_row) {
      if (!all && integrator != "auto" && engine() % 4 != 0) continue;
      RunOptions options;
      options.until = 0.1;
      options.points = 3;
      options.formulation = Selection(formulation);
      options.integrator = Selection(integrator);
      const IntegratorRow* row = find_integrator(integrator);
      if (row != nullptr && !row->adaptive) options.step = 0.01;
      long steps = 0;
      options.progress = [&](const Progress&) { return ++steps < 300; };
      expect_sound(simulate(system, options), std::string(weird.name) + " " + formulation + " " + integrator);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(WeirdModels, Stress, ::testing::Range(std::size_t{0}, weird_models.size()),
                         [](const auto& number) { return weird_models[number.param].name; });

// The same for engines, which rehearse and freeze what they have.
TEST(StressEngine, CompilesAndRuns) {
  for (const Weird& weird : weird_models) {
    const DaeSystem system = model_of(weird);
    if (system.graph == nullptr) continue;
    for (const char* formulation : {"auto", "dummy-derivatives", "index1", "tangent-plane", "trust-region"}) {
      RunOptions options;
      options.until = 0.1;
      options.points = 3;
      options.formulation = Selection(formulation);
      auto made = plan(system, options);
      if (!made) continue;
      const auto engine = compile(*std::move(made));
      if (!engine) continue;
      long steps = 0;
      expect_sound((*engine)->run({.progress = [&](const Progress&) { return ++steps < 300; }}),
                   std::string(weird.name) + " " + formulation);
    }
  }
}

}  // namespace
}  // namespace daedalus
