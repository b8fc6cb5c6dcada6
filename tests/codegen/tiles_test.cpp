#include "codegen/tiles.hpp"

#include <gtest/gtest.h>

#include <random>

#include "codegen/native.hpp"
#include "codegen/program.hpp"

namespace daedalus {
namespace {

// n bodies with four leaves each; what each asks for contains its neighbour's leaves and a value that both
// share. One in the middle is of another shape. Leaves, constants and values that are wanted twice are roots,
// too. Destinations jump, as those in panels do.
struct Chain {
  Chain(int n, unsigned seed) : slots(4 * n + 1) {
    std::mt19937 random(seed);
    const auto leaf = [&](int body, int k) { return g.variable(VariableId(4 * std::min(body, n - 1) + k)); };
    const NodeId time = g.variable(VariableId(4 * n));
    const auto length = [&](int i) {
      return g.apply(Op::Sqrt, g.add(g.mul(leaf(i, 0), leaf(i, 0)), g.mul(leaf(i, 1), leaf(i, 1))));
    };
    for (int i = 0; i < n; ++i) {
      const NodeId own = length(i);
      const NodeId next = length(i + 1);
      NodeId force = g.mul(g.sub(own, next), g.add(leaf(i, 2), g.constant(3)));
      if (i == n / 2) force = g.sub(g.constant(1), force);
      for (int k = 0; k < 8; ++k)
        force = g.add(g.mul(force, leaf(i, k % 4)), g.div(leaf(i + 1, k % 4), g.add(own, leaf(i, 2))));
      want(force, i, 0);
      want(g.mul(force, time), i, 1);
      want(g.sub(g.mul(own, leaf(i, 3)), g.mul(next, force)), i, 2);
      want(force, i, 3);
      want(leaf(i, 1), i, 4);
      want(g.constant(0.25), i, 5);
    }
    std::uniform_real_distribution<double> value(0.5, 2);
    for (int s = 0; s < slots; ++s) environment.push_back(value(random));
  }
  // In stretches of seven bodies: all first ones, then all second ones, and so on.
  void want(NodeId root, int body, int k) {
    roots.push_back(root);
    destinations.push_back((42 * (body / 7)) + (7 * k) + (body % 7));
  }
  [[nodiscard]] Program compile(const CodegenOptions& options) const {
    return Program::compile(
        g, roots, slots, [this](NodeId leaf) { return g.variable_of(leaf).value; }, options, destinations);
  }
  [[nodiscard]] Tape tape() const {
    Tape made = Tape::write(g, roots, slots, [this](NodeId leaf) { return g.variable_of(leaf).value; });
    made.destinations.assign(destinations.begin(), destinations.end());
    return made;
  }
  [[nodiscard]] std::vector<double> results(const Program& program) const {
    std::vector<double> values(program.results(), -1.0);
    std::vector<double> workspace;
    program.evaluate(environment, values, workspace);
    return values;
  }

  int slots;
  ExprGraph g;
  std::vector<NodeId> roots;
  std::vector<int> destinations;
  std::vector<double> environment;
};

// To the last bit, whatever is in the tiles and what is not.
TEST(Tiles, GiveWhatTheInterpreterGives) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    const Chain chain(1000 + static_cast<int>(seed), seed);
    const Program oracle = chain.compile({.choice = CodegenChoice::Interpreter});
    ASSERT_GE(oracle.operations(), tiles_worthwhile);
    const Program native = chain.compile({.choice = CodegenChoice::Native, .often = true});
    EXPECT_EQ(chain.results(native), chain.results(oracle));
    if (native_available()) {
      EXPECT_GT(native.groups(), 1U);  // code, and that of the tiles
    }
  }
}

// Bodies that turn: two sines and two cosines of sums of leaves each, of which one is its neighbour's, too.
struct Turning {
  explicit Turning(int n) : slots(2 * (n + 1)) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> value(-3, 3);
    for (int s = 0; s < slots; ++s) environment.push_back(value(random));
    const auto angle = [&](int i) {
      return g.add(g.variable(VariableId(2 * i)), g.variable(VariableId((2 * i) + 1)));
    };
    for (int i = 0; i < n; ++i) {
      const NodeId s0 = g.apply(Op::Sin, angle(i));
      const NodeId c0 = g.apply(Op::Cos, angle(i));
      const NodeId s1 = g.apply(Op::Sin, angle(i + 1));
      const NodeId c1 = g.apply(Op::Cos, angle(i + 1));
      NodeId sum = g.sub(g.mul(s0, c1), g.mul(c0, s1));
      for (int k = 0; k < 6; ++k) sum = g.add(g.mul(sum, g.constant(0.5)), g.mul(s0, g.add(c1, s1)));
      roots.push_back(sum);
      roots.push_back(s0);
    }
  }
  [[nodiscard]] std::vector<double> results(const CodegenOptions& options, std::size_t* groups) const {
    const Program program = Program::compile(
        g, roots, slots, [this](NodeId leaf) { return g.variable_of(leaf).value; }, options);
    std::vector<double> values(roots.size());
    std::vector<double> workspace;
    program.evaluate(environment, values, workspace);
    if (groups != nullptr) *groups = program.groups();
    return values;
  }

  int slots;
  ExprGraph g;
  std::vector<NodeId> roots;
  std::vector<double> environment;
};

// Sines in rows differ from the library's in the last bit; sums of less than 4 make 1e-15 of that.
TEST(Tiles, ComputeSinesInRows) {
  const Turning bodies(1003);
  std::size_t groups = 0;
  const auto tiled = bodies.results({.choice = CodegenChoice::Native, .often = true}, &groups);
  const auto oracle = bodies.results({.choice = CodegenChoice::Interpreter}, nullptr);
  if (native_available()) {
    EXPECT_GT(groups, 1U);
  }
  for (std::size_t k = 0; k < oracle.size(); ++k) ASSERT_NEAR(tiled[k], oracle[k], 2e-15) << k;
}

// What a part is said to write is written after it, and not before.
TEST(Tiles, PartsWriteTheirOwnRoots) {
  const Chain chain(8000, 4);
  const Program program = chain.compile({.choice = CodegenChoice::Native, .often = true});
  if (native_available()) {
    ASSERT_GT(program.parts(), 1U);
  }
  const auto part_of = [&](std::size_t root) -> std::size_t {
    return program.parts() > 1 ? static_cast<std::size_t>(program.root_parts()[root]) : 0;
  };
  const std::vector<double> whole = chain.results(program);
  std::vector<double> values(program.results(), -1.0);
  std::vector<double> workspace;
  for (std::size_t part = 0; part < program.parts(); ++part) {
    program.evaluate_part(part, chain.environment, values, workspace);
    for (std::size_t r = 0; r < chain.roots.size(); ++r) {
      const auto place = static_cast<std::size_t>(chain.destinations[r]);
      const bool written = part_of(r) <= part;
      ASSERT_EQ(values[place], written ? whole[place] : -1.0) << r << " after part " << part;
    }
  }
}

TEST(Tiles, ContainMostOfWhatRepeatsItself) {
  const Chain chain(1000, 1);
  const Tape tape = chain.tape();
  const auto tiling = find_tiling(tape);
  ASSERT_TRUE(tiling.has_value());
  EXPECT_LT(tiling->rest.operations.size(), tape.operations.size() / 5);
  std::size_t roots = tiling->rest.roots.size();
  for (const Tiles& tiles : tiling->kinds) {
    ASSERT_GT(tiles.streams, 0U);
    ASSERT_EQ(tiles.starts.size() % tiles.streams, 0U);
    ASSERT_EQ(tiles.destinations.size(), tiles.tape.roots.size());
    roots += tiles.tape.roots.size() * (tiles.starts.size() / tiles.streams);
  }
  EXPECT_EQ(roots, tape.roots.size());  // each once
}

TEST(Tiles, AreNotFoundWhereNothingRepeatsItself) {
  ExprGraph g;
  std::mt19937 random(5);
  std::vector<NodeId> values;
  for (int s = 0; s < 50; ++s) values.push_back(g.variable(VariableId(s)));
  for (int k = 0; k < 20'000; ++k) {
    std::uniform_int_distribution<std::size_t> any(0, values.size() - 1);
    const NodeId a = values[any(random)];
    const NodeId b = values[any(random)];
    values.push_back(k % 2 == 0 ? g.add(a, b) : g.mul(a, b));
  }
  const std::vector<NodeId> roots(values.end() - 2000, values.end());
  EXPECT_FALSE(find_tiling(Tape::write(g, roots, 50, [&](NodeId leaf) {
                 return g.variable_of(leaf).value;
               })).has_value());
}

}  // namespace
}  // namespace daedalus
