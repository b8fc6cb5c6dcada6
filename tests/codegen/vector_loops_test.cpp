#include "codegen/vector_loops.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <vector>

#include "expr/random_graph.hpp"

namespace daedalus {
namespace {

using test::Random;

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

std::vector<const VectorLoops*> versions() {
  std::vector<const VectorLoops*> list;
  for (const VectorLoops* version : all_vector_loops()) {
    if (version != nullptr) list.push_back(version);
  }
  return list;
}

std::vector<double> odd_values() {
  std::vector<double> values = test::odd_constants();
  for (const double x :
       {-2.0, -0.5, 1e-310, -1e-310, 1e10, -1e300, 709.5, -745.0, 700.0, 823549.0, 823548.9, 0x1p-1022})
    values.push_back(x);
  return values;
}

// Rows of registers: a, b, c, out, each `n` long.
std::vector<double> run(VectorLoop loop, const std::vector<double>& a, const std::vector<double>& b,
                        const std::vector<double>& c) {
  const auto n = static_cast<std::int32_t>(a.size());
  std::vector<double> registers(a);
  registers.insert(registers.end(), b.begin(), b.end());
  registers.insert(registers.end(), c.begin(), c.end());
  registers.resize(4 * a.size() + 1, 42.0);
  const VectorInstruction instruction{
      .loop = loop, .n = static_cast<std::uint32_t>(n), .out = 3 * n, .a = 0, .b = n, .c = 2 * n};
  loop({.registers = registers.data(), .environment = nullptr, .lists = nullptr}, instruction);
  EXPECT_EQ(registers.back(), 42.0);  // nothing is written beyond the row
  return {registers.end() - 1 - n, registers.end() - 1};
}

// All pairs of odd values, and rows of every length up to three vectors.
TEST(VectorLoops, OperationsAreThoseOfTheTable) {
  const std::vector<double> odd = odd_values();
  std::vector<double> a, b, c;
  for (const double x : odd) {
    for (const double y : odd) {
      a.push_back(x);
      b.push_back(y);
      c.push_back(x - 1);
    }
  }
  for (const VectorLoops* loops : versions()) {
    for (const OpInfo& row : all_ops()) {
      if (row.arity == 0 || has_own_arithmetic(row.op)) continue;
      SCOPED_TRACE(std::string(loops->name) + " " + std::string(row.name));
      const auto& forms = loops->operations[static_cast<std::size_t>(row.op)];
      ASSERT_NE(forms[0], nullptr);
      for (std::size_t n = 1; n <= a.size(); n = n < 25 ? n + 1 : n * 3) {
        const std::vector<double> x(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(n)),
            y(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(n)),
            z(c.begin(), c.begin() + static_cast<std::ptrdiff_t>(n));
        const std::vector<double> rows = run(forms[0], x, y, z);
        for (std::size_t k = 0; k < n; ++k)
          ASSERT_TRUE(same(rows[k], row.evaluate(x[k], y[k], z[k]))) << x[k] << ", " << y[k];
        if (forms[1] == nullptr) continue;
        const std::vector<double> second = run(forms[1], x, y, z), first = run(forms[2], x, y, z);
        for (std::size_t k = 0; k < n; ++k) {
          ASSERT_TRUE(same(second[k], row.evaluate(x[k], y[0], 0)));
          ASSERT_TRUE(same(first[k], row.evaluate(x[0], y[k], 0)));
        }
      }
    }
  }
}

TEST(VectorLoops, PowersAreThoseOfTheTable) {
  const std::vector<double> x = odd_values();
  for (const VectorLoops* loops : versions()) {
    const std::vector<double> cube = run(loops->cube, x, x, x), fourth = run(loops->fourth, x, x, x);
    for (std::size_t k = 0; k < x.size(); ++k) {
      EXPECT_TRUE(same(cube[k], info(Op::Pow).evaluate(x[k], 3, 0)));
      EXPECT_TRUE(same(fourth[k], info(Op::Pow).evaluate(x[k], 4, 0)));
    }
  }
}

struct Function {
  Op op;
  long double (*precise)(long double);
  std::function<double(Random&)> argument;
};

double either_sign(Random& random, double x) {
  return random.below(2) == 0 ? x : -x;
}

std::vector<Function> functions() {
  // Angles of all sizes up to the largest that is reduced, many of them near multiples of π/2, where digits
  // cancel.
  const auto angle = [](Random& random) {
    if (random.below(3) == 0) return either_sign(random, std::exp(random.between(-40, 13.6)));
    if (random.below(2) == 0) return random.between(-7, 7);
    return static_cast<double>(static_cast<int>(random.below(500'000)) - 250'000) * 1.5707963267948966 *
           (1 + random.between(-1, 1) * 1e-12);
  };
  const auto exponent = [](Random& random) {
    return random.below(2) == 0 ? random.between(-700, 700)
                                : either_sign(random, std::exp(random.between(-40, 2)));
  };
  const auto positive = [](Random& random) {
    return random.below(2) == 0 ? std::exp(random.between(-700, 700)) : 1 + random.between(-0.3, 0.45);
  };
  return {{Op::Sin, std::sin, angle},
          {Op::Cos, std::cos, angle},
          {Op::Exp, std::exp, exponent},
          {Op::Log, std::log, positive}};
}

// The distance from the true value in units of the last place of the double next to it. Extended precision
// has 11 more bits, of which the library may lose one: 1e-3 units.
double error(double value, long double precise) {
  const double next = static_cast<double>(precise);
  const double unit = std::nextafter(std::fabs(next), INFINITY) - std::fabs(next);
  return static_cast<double>(std::fabs(static_cast<long double>(value) - precise) /
                             static_cast<long double>(unit));
}

TEST(VectorLoops, FunctionsAreWithinOneUnitInTheLastPlace) {
  static_assert(std::numeric_limits<long double>::digits > 60);
  for (const Function& f : functions()) {
    SCOPED_TRACE(std::string(info(f.op).name));
    Random random(7);
    std::vector<double> x(200'000);
    for (double& value : x) value = f.argument(random);
    const std::vector<double> y = run(vector_loops().operations[static_cast<std::size_t>(f.op)][0], x, x, x);
    double worst = 0;
    for (std::size_t k = 0; k < x.size(); ++k) worst = std::max(worst, error(y[k], f.precise(x[k])));
    EXPECT_LT(worst, 1.0);
    EXPECT_GT(worst, 0.5);  // as it must be for any but the correctly rounded; so errors are measured
  }
}

// Outside the range of the formulas, and for whatever is no number, the library's answer.
TEST(VectorLoops, OddArgumentsOfFunctions) {
  const std::vector<double> odd = odd_values();
  for (const VectorLoops* loops : versions()) {
    for (const Function& f : functions()) {
      SCOPED_TRACE(std::string(loops->name) + " " + std::string(info(f.op).name));
      const std::vector<double> y = run(loops->operations[static_cast<std::size_t>(f.op)][0], odd, odd, odd);
      for (std::size_t k = 0; k < odd.size(); ++k) {
        const double expected = info(f.op).evaluate(odd[k], 0, 0);
        if (std::isfinite(expected) && expected != 0) {
          EXPECT_LE(std::fabs(y[k] - expected), 2.3e-16 * std::fabs(expected)) << odd[k];
        } else {
          EXPECT_TRUE(same(y[k], expected)) << odd[k];
        }
      }
    }
  }
}

// A number's sine does not depend on the processor, on its place in the row, nor on its neighbours.
TEST(VectorLoops, VersionsAndPlacesAgree) {
  for (const Function& f : functions()) {
    SCOPED_TRACE(std::string(info(f.op).name));
    Random random(8);
    std::vector<double> x(1003);
    for (double& value : x)
      value = random.below(50) == 0 ? odd_values()[random.below(24)] : f.argument(random);
    const std::vector<double> expected =
        run(vector_baseline::loops.operations[static_cast<std::size_t>(f.op)][0], x, x, x);
    for (const VectorLoops* loops : versions()) {
      const VectorLoop loop = loops->operations[static_cast<std::size_t>(f.op)][0];
      const std::vector<double> y = run(loop, x, x, x);
      for (std::size_t k = 0; k < x.size(); ++k) {
        ASSERT_TRUE(same(y[k], expected[k])) << loops->name << " " << x[k];
        ASSERT_TRUE(same(run(loop, {x[k]}, {0.0}, {0.0})[0], expected[k]));
      }
    }
  }
}

TEST(VectorLoops, SineAndCosineTogetherAreThoseAlone) {
  Random random(9);
  std::vector<double> x = odd_values();
  for (int k = 0; k < 100; ++k) x.push_back(random.between(-10, 10));
  const auto n = static_cast<std::int32_t>(x.size());
  for (const VectorLoops* loops : versions()) {
    std::vector<double> registers(x);
    registers.resize(3 * x.size());
    loops->sine_cosine({.registers = registers.data(), .environment = nullptr, .lists = nullptr},
                       {.n = static_cast<std::uint32_t>(n), .out = n, .a = 0, .b = 0, .c = 2 * n});
    const std::vector<double> sines = run(loops->operations[static_cast<std::size_t>(Op::Sin)][0], x, x, x);
    const std::vector<double> cosines = run(loops->operations[static_cast<std::size_t>(Op::Cos)][0], x, x, x);
    for (std::size_t k = 0; k < x.size(); ++k) {
      EXPECT_TRUE(same(registers[x.size() + k], sines[k]));
      EXPECT_TRUE(same(registers[2 * x.size() + k], cosines[k]));
    }
  }
}

TEST(VectorLoops, MovesValues) {
  const std::vector<std::int32_t> lists{0, 5, 3, 3, 1, 4, 2};
  const std::vector<double> environment{10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
  for (const VectorLoops* loops : versions()) {
    std::vector<double> r{0, 1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 0};
    const VectorContext context{
        .registers = r.data(), .environment = environment.data(), .lists = lists.data()};
    const auto got = [&] { return std::vector<double>(r.begin() + 6, r.end()); };
    loops->gather(context, {.n = 6, .out = 6, .a = 1});
    EXPECT_EQ(got(), (std::vector<double>{5, 3, 3, 1, 4, 2}));
    loops->load_listed(context, {.n = 5, .out = 6, .a = 0});
    EXPECT_EQ(got(), (std::vector<double>{10, 15, 13, 13, 11, 2}));
    loops->load(context, {.n = 6, .out = 6, .a = 9, .b = -1});
    EXPECT_EQ(got(), (std::vector<double>{19, 18, 17, 16, 15, 14}));
    loops->copy(context, {.n = 3, .out = 7, .a = 2});
    EXPECT_EQ(got(), (std::vector<double>{19, 2, 3, 4, 15, 14}));
    loops->fill(context, {.n = 5, .out = 6, .a = 1});
    EXPECT_EQ(got(), (std::vector<double>{1, 1, 1, 1, 1, 14}));
    std::vector<double> results(6, 0.0);
    const VectorContext storing{.registers = r.data(),
                                .environment = environment.data(),
                                .lists = lists.data(),
                                .results = results.data()};
    loops->store(storing, {.n = 3, .out = 5, .a = 1, .b = -2});
    EXPECT_EQ(results, (std::vector<double>{0, 3, 0, 2, 0, 1}));
    loops->store_listed(storing, {.n = 2, .out = 0, .a = 1, .b = 5});  // registers 5 and 3 to 4 and 2
    EXPECT_EQ(results, (std::vector<double>{0, 3, 3, 2, 5, 1}));
  }
}

}  // namespace
}  // namespace daedalus
