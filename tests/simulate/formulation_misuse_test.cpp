// Wrong use is explained: each message says what is wrong and what to do.
#include "simulate/formulation_support.hpp"

namespace daedalus {
namespace {

using testing::from_text;
using testing::refusal;
using testing::Setting;

constexpr const char* pendulum = R"(model Pendulum
  Real x(start = 1, fixed = true), y, u, v(fixed = true), lambda;
equation
  der(x) = u; der(y) = v; der(u) = -lambda*x; der(v) = -lambda*y - 9.81;
  x^2 + y^2 = 1;
end Pendulum;)";
constexpr const char* circuit = R"(model Circuit
  Real u1, u2(fixed = true), i;
equation
  der(u1) = i + 3*u2; 2*der(u2) = i;
  u1 + u2 = sin(time);
end Circuit;)";
constexpr const char* third = R"(model Third
  Real x(start = 1, fixed = true), y, x1, y1(start = 1, fixed = true), x2, y2(fixed = true), lambda;
equation
  der(x) = x1; der(x1) = x2; der(x2) = -lambda*x;
  der(y) = y1; der(y1) = y2; der(y2) = -lambda*y - 1;
  x^2 + y^2 = 1;
end Third;)";
constexpr const char* free_fall =
    "model Free Real x(start = 1), v; equation der(x) = v; der(v) = -1; end Free;";
constexpr const char* twice = R"(model Twice
  Real x(start = 1, fixed = true), y, u, v(fixed = true), l1, l2;
equation
  der(x) = u; der(y) = v; der(u) = -(l1 + 2*l2)*x; der(v) = -(l1 + 2*l2)*y - 9.81;
  x^2 + y^2 = 1;
  2*x^2 + 2*y^2 = 2;
end Twice;)";
constexpr const char* knife = R"(model Knife
  Real x(fixed = true), y(fixed = true), phi(fixed = true), vx, vy, w(start = 1, fixed = true), lambda;
equation
  der(x) = vx; der(y) = vy; der(phi) = w;
  der(vx) = 1 - lambda*sin(phi); der(vy) = lambda*cos(phi); der(w) = 0;
  vx*sin(phi) - vy*cos(phi) = 0;
initial equation
  vx = 0;
end Knife;)";

struct Misuse {
  const char* model;
  const char* formulation;
  std::vector<const char*> says;
  const char* integrator = "auto";
};

const std::vector<Misuse> misuses{
    // Regularisation: ε must be positive.
    {pendulum, "trust-region:eps=0", {"eps must be positive, but is 0", "singular"}},
    {pendulum, "trust-region:eps=-1e-3", {"eps must be positive, but is -0.001"}},
    {pendulum, "direct-regularization:eps=0", {"eps must be positive"}},
    {pendulum, "trust-region:delta=0", {"delta must be positive, but is 0"}},
    {pendulum, "trust-region:delta=1e-3,eps=1e-6", {"give eps or delta"}},
    {pendulum, "trust-region:gamma=-5", {"gamma must not be negative, but is -5", "grows"}},
    {pendulum, "trust-region:gamma0=1", {"give both gamma0 and gamma1"}},
    {pendulum, "trust-region:gamma0=-1,gamma1=2", {"gamma0", "'-1'", "must be at least 0"}},
    // Baumgarte: the sign with which violations decay.
    {pendulum,
     "baumgarte:gamma=-1",
     {"gamma must not be negative, but is -1", "the violation of a constraint grows"}},
    {pendulum, "baumgarte:gamma=2/h", {"gamma must be a number or 1/h, but is 2/h"}},
    {pendulum, "baumgarte:alpha=3", {"give both alpha and beta"}},
    {pendulum, "baumgarte:alpha=0,beta=2", {"alpha and beta must be positive", "does not decay"}},
    {pendulum, "baumgarte:alpha=-1,beta=2", {"alpha", "'-1'", "must be at least 0"}},
    {circuit, "baumgarte:alpha=1,beta=2", {"second-order", "gamma"}},
    {pendulum, "baumgarte-h:h=0", {"option h", "must be at least"}},
    // D: size and rank.
    {pendulum, "ggl:D=[0;0]", {"D has rank 0", "independent", "D=GT"}},
    {pendulum, "ggl:D=[0,1]", {"D must be 2 by 1", "is 1 by 2"}},
    {pendulum, "ggl:D=[1;2;3]", {"D must be 2 by 1", "is 3 by 1"}},
    {pendulum, "ggl:D=foo", {"D must be GT, B or a matrix", "but is foo"}},
    {pendulum, "ggl:D=[1;nan]", {"D must be GT, B or a matrix"}},
    {pendulum, "ggl:D=[1", {"D must be GT, B or a matrix", "quotes", "semicolon"}},
    {pendulum, "projected-invariants:D=[0;0]", {"D has rank 0"}},
    {circuit, "projected-invariants:D=[0;0]", {"D has rank 0"}},
    {pendulum, "projected-invariants:variant=pd", {"must be one of pa, pb, pc"}},
    // W: a norm.
    {pendulum, "orthogonal-projection:W=[1,2;2,1]", {"W is not symmetric positive definite", "or I or M"}},
    {pendulum, "orthogonal-projection:W=[1,2;3,1]", {"W is not symmetric positive definite"}},
    {pendulum, "orthogonal-projection:W=[0,0;0,0]", {"W is not symmetric positive definite"}},
    {pendulum, "orthogonal-projection:W=[1,2]", {"W must be 2 by 2", "is 1 by 2"}},
    {pendulum, "orthogonal-projection:W=N", {"W must be I, M or a matrix", "but is N"}},
    // A: a parametrisation.
    {pendulum, "coordinate-partitioning:A=[0;0]", {"A must be 2 by 1 of full rank", "rank 0"}},
    {pendulum, "coordinate-partitioning:A=[1,0;0,1]", {"A must be 2 by 1", "is 2 by 2"}},
    {pendulum, "coordinate-partitioning:A=tangent", {"A must be auto or a matrix"}},
    {pendulum, "odae:A=unit", {"A must be identity, tangent or a matrix"}},
    {knife, "coordinate-partitioning:A=[1,0;0,1;0,0]", {"motion constraints", "A=auto"}},
    {twice, "tangent-plane", {"2 constraints for 2 unknowns", "redundant", "trust-region"}},
    // Orders.
    {circuit,
     "ggl",
     {"ggl is defined for systems of order 2", "the model has order 1", "defined for it are", "index2"}},
    {circuit, "index3", {"order 2 and higher", "the model has order 1"}},
    {third, "extended", {"of order 2,", "the model has order 3", "trust-region"}},
    {third, "odae", {"of order 2,", "baumgarte"}},
    // Integrators.
    {pendulum, "ggl", {"dopri5 is explicit", "orthogonal-projection or index1"}, "dopri5"},
    {pendulum, "dummy-derivatives", {"dop853 is explicit"}, "dop853"},
    {pendulum, "orthogonal-projection", {"moves the end of each step", "ida does not take", "radau"}, "ida"},
    {pendulum,
     "symmetric-projection",
     {"symmetric method, implicit-midpoint or rattle", "is radau"},
     "radau"},
    {pendulum, "symmetric-projection", {"symmetric method", "is generalized-alpha"}, "generalized-alpha"},
    {pendulum, "symmetric-projection", {"--step", "steps=reversible"}, "implicit-midpoint"},
    // The wrapper.
    {pendulum, "singular-mass:then=dummy-derivatives", {"dummy-derivatives", "singular-mass"}},
    {pendulum, "singular-mass:then=singular-mass", {"cannot stand behind singular-mass"}},
    {pendulum, "singular-mass:gamma=0", {"gamma", "must be at least"}},
    {pendulum, "singular-mass:then=[ggl:D=[0;0]]", {"D has rank 0"}},
    {pendulum, "singular-mass:then=glg", {"unknown formulation 'glg'", "ggl"}},
    // Models and names.
    {free_fall, "ggl", {"no constraints", "dummy-derivatives"}},
    {free_fall, "orthogonal-projection", {"no constraints"}},
    {pendulum, "glg", {"unknown formulation 'glg'", "ggl"}},
    {pendulum, "ggl:E=3", {"'E'", "D"}},
    {pendulum, "auto:eps=3", {"formulation auto has the option explore"}},
};

class Misused : public ::testing::TestWithParam<Misuse> {};
INSTANTIATE_TEST_SUITE_P(Formulations, Misused, ::testing::ValuesIn(misuses));

// gtest names the one that failed.
void PrintTo(const Misuse& misuse, std::ostream* out) {
  *out << misuse.formulation << " by " << misuse.integrator;
}

TEST_P(Misused, IsExplained) {
  const Misuse& misuse = GetParam();
  Setting setting;
  setting.integrator = misuse.integrator;
  const std::string text = refusal(from_text(misuse.model), misuse.formulation, setting);
  for (const char* part : misuse.says) {
    EXPECT_NE(text.find(part), std::string::npos)
        << misuse.formulation << ": " << text << "\nwithout: " << part;
  }
}

// What only shows on the way ends the run with a reason.
TEST(Misused, MassMatrixThatIsNoNorm) {
  const DaeSystem system = from_text(R"(model Skew
  Real x(start = 1, fixed = true), y, u, v(fixed = true), lambda;
equation
  der(x) = u; der(y) = v;
  der(u) + 2*der(v) = -lambda*x; der(v) = -lambda*y - 9.81;
  x^2 + y^2 = 1;
end Skew;)");
  const auto result = simulate(
      system, testing::options_of("orthogonal-projection:W=M", {.integrator = "dopri5", .until = 1}));
  ASSERT_TRUE(result.has_value());
  EXPECT_FALSE(result->ok());
  EXPECT_NE(result->summary.reason.find("not symmetric positive definite"), std::string::npos)
      << result->summary.reason;
  EXPECT_NE(result->summary.reason.find("W=I"), std::string::npos) << result->summary.reason;
}

}  // namespace
}  // namespace daedalus
