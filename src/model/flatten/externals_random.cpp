// The generators of Modelica.Math.Random (Marsaglia's and Vigna's xorshift families) as expressions: 64-bit
// words are bits and 16-bit digits, all of them whole numbers that double holds exactly. So the sequences are
// the library's, whether the state is known when the model is read or changes at every sample.
#include <array>
#include <cstdint>

#include "model/flatten/calls.hpp"

namespace daedalus::flatten {
namespace {

using Values = std::span<const Value>;
using Bits = std::array<NodeId, 64>;  // the lowest first

// Two halves of 32 bits as the library keeps them: signed Integers, the lower half first.
struct Halves {
  NodeId low;
  NodeId high;
};

class Words {
 public:
  explicit Words(ExprGraph& graph) : graph_(graph) {}

  Bits bits(const Halves& word) {
    Bits all;
    split(word.low, all.data());
    split(word.high, all.data() + 32);
    return all;
  }

  // Unsigned halves.
  Halves halves(const Bits& word) { return {joined(word.data()), joined(word.data() + 32)}; }

  // a xor a << n, n > 0; a xor a >> -n, n < 0.
  Bits xor_shifted(const Bits& a, int n) {
    Bits result = a;
    for (int i = 0; i < 64; ++i) {
      const int from = i - n;
      if (from >= 0 && from < 64) result[at(i)] = graph_.apply(Op::NotEqual, a[at(i)], a[at(from)]);
    }
    return result;
  }
  Bits xored(const Bits& a, const Bits& b) {
    Bits result;
    for (int i = 0; i < 64; ++i) result[at(i)] = graph_.apply(Op::NotEqual, a[at(i)], b[at(i)]);
    return result;
  }

  // a*factor modulo 2^64, by schoolbook multiplication of digits of 16 bits; unsigned halves.
  Halves times(const Bits& a, std::uint64_t factor) {
    const Halves parts = halves(a);
    std::array<NodeId, 4> digit;
    for (int k = 0; k < 2; ++k) {
      const NodeId half = k == 0 ? parts.low : parts.high;
      digit[at(2 * k + 1)] = quotient(half, 65536.0);
      digit[at(2 * k)] = remainder(half, 65536.0);
    }
    std::array<NodeId, 4> result;
    NodeId carry = graph_.constant(0);
    for (int k = 0; k < 4; ++k) {
      NodeId column = carry;
      for (int i = 0; i <= k; ++i) {
        const auto c = static_cast<double>((factor >> (16 * (k - i))) & 0xFFFFU);
        column = graph_.add(column, graph_.mul(graph_.constant(c), digit[at(i)]));
      }
      result[at(k)] = remainder(column, 65536.0);
      carry = quotient(column, 65536.0);
    }
    const auto half = [&](NodeId low, NodeId high) {
      return graph_.add(low, graph_.mul(graph_.constant(65536.0), high));
    };
    return {half(result[0], result[1]), half(result[2], result[3])};
  }

  // a + b modulo 2^64 of unsigned halves.
  Halves plus(const Halves& a, const Halves& b) {
    const NodeId low = graph_.add(a.low, b.low);
    const NodeId high = graph_.add(graph_.add(a.high, b.high), quotient(low, full));
    return {remainder(low, full), remainder(high, full)};
  }

  // The Integers that the library would give.
  NodeId as_signed(NodeId half) {
    return graph_.sub(half, graph_.mul(graph_.constant(full), quotient(half, full / 2)));
  }

  // A number in (0, 1] of an unsigned word: read as a signed one, times 2^-64, plus 1/2.
  NodeId uniform(const Halves& word) {
    const NodeId number = graph_.add(graph_.mul(as_signed(word.high), graph_.constant(full)), word.low);
    constexpr double scale = 1.0 / 18446744073709551616.0;
    return graph_.add(graph_.mul(number, graph_.constant(scale)), graph_.constant(0.5));
  }

  NodeId quotient(NodeId x, double divisor) {
    return graph_.apply(Op::Floor, graph_.mul(x, graph_.constant(1 / divisor)));
  }
  NodeId remainder(NodeId x, double divisor) {
    return graph_.sub(x, graph_.mul(graph_.constant(divisor), quotient(x, divisor)));
  }

 private:
  static constexpr double full = 4294967296.0;  // 2^32
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  void split(NodeId half, NodeId* bits) {
    NodeId rest = remainder(half, full);
    for (int i = 0; i < 32; ++i) {
      const NodeId next = quotient(rest, 2.0);
      bits[i] = graph_.sub(rest, graph_.mul(graph_.constant(2), next));
      rest = next;
    }
  }

  NodeId joined(const NodeId* bits) {
    NodeId sum = bits[31];
    for (int i = 30; i >= 0; --i) sum = graph_.add(graph_.mul(graph_.constant(2), sum), bits[i]);
    return sum;
  }

  ExprGraph& graph_;
};

std::vector<Halves> words_of(const Value& state, std::size_t count, SourceSpan span) {
  const auto nodes = is_array(state) && is_numeric(state.type) ? nodes_of(state) : std::span<const NodeId>{};
  if (nodes.size() < 2 * count) {
    raise(span, "the state of this random number generator has {} Integers, but here are {}", 2 * count,
          nodes.size());
  }
  std::vector<Halves> words;
  for (std::size_t i = 0; i < count; ++i) words.push_back({nodes[2 * i], nodes[2 * i + 1]});
  return words;
}

Value state_value(std::vector<NodeId> nodes) {
  Shape shape{static_cast<std::int32_t>(nodes.size())};
  return array({BaseType::Integer}, std::move(shape), std::move(nodes));
}

std::vector<Value> xorshift_64_star(Frame& frame, Values a, SourceSpan span) {
  Words words(frame.graph());
  Bits x = words.bits(words_of(a[0], 1, span)[0]);
  for (const int shift : {-12, 25, -27}) x = words.xor_shifted(x, shift);
  const Halves next = words.times(x, 2685821657736338717ULL);
  return {state_value({words.as_signed(next.low), words.as_signed(next.high)}), real(words.uniform(next))};
}

std::vector<Value> xorshift_128_plus(Frame& frame, Values a, SourceSpan span) {
  Words words(frame.graph());
  const std::vector<Halves> state = words_of(a[0], 2, span);
  const Bits s0 = words.bits(state[1]);
  const Bits s1 = words.xor_shifted(words.bits(state[0]), 23);
  const Bits mixed = words.xored(words.xor_shifted(s1, -17), words.xor_shifted(s0, -26));
  const Halves next = words.plus(words.halves(mixed), words.halves(s0));
  return {state_value({state[1].low, state[1].high, words.as_signed(next.low), words.as_signed(next.high)}),
          real(words.uniform(next))};
}

std::vector<Value> xorshift_1024_star(Frame& frame, Values a, SourceSpan span) {
  ExprGraph& graph = frame.graph();
  Words words(graph);
  std::vector<Halves> state = words_of(a[0], 16, span);
  const auto nodes = nodes_of(a[0]);
  if (nodes.size() != 33)
    raise(span, "the state of xorshift1024* has 33 Integers, but here are {}", nodes.size());
  const NodeId p = words.remainder(nodes[32], 16.0);
  const NodeId q = words.remainder(graph.add(p, graph.constant(1)), 16.0);
  const auto is = [&](NodeId index, std::size_t i) {
    return graph.apply(Op::Equal, index, graph.constant(static_cast<double>(i)));
  };
  const auto pick = [&](NodeId index) {
    Halves chosen = state[15];
    for (std::size_t i = 15; i-- > 0;) {
      chosen = {graph.if_else(is(index, i), state[i].low, chosen.low),
                graph.if_else(is(index, i), state[i].high, chosen.high)};
    }
    return chosen;
  };
  const Bits s0 = words.xor_shifted(words.bits(pick(p)), -30);
  const Bits s1 = words.xor_shifted(words.xor_shifted(words.bits(pick(q)), 31), -11);
  const Bits mixed = words.xored(s0, s1);
  const Halves next = words.halves(mixed);
  std::vector<NodeId> out;
  for (std::size_t i = 0; i < 16; ++i) {
    out.push_back(graph.if_else(is(q, i), words.as_signed(next.low), state[i].low));
    out.push_back(graph.if_else(is(q, i), words.as_signed(next.high), state[i].high));
  }
  out.push_back(q);
  return {state_value(std::move(out)), real(words.uniform(words.times(mixed, 1181783497276652981ULL)))};
}

constexpr External rows[] = {
    {"ModelicaRandom_xorshift64star", 1, xorshift_64_star},
    {"ModelicaRandom_xorshift128plus", 1, xorshift_128_plus},
    {"ModelicaRandom_xorshift1024star", 1, xorshift_1024_star},
};

}  // namespace

std::span<const External> random_externals() {
  return rows;
}

}  // namespace daedalus::flatten
