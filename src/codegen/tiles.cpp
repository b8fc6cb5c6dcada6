#include "codegen/tiles.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace daedalus {
namespace {

constexpr std::size_t tile_operations = 2000;  // of machine code: stays in the nearest cache
constexpr std::size_t longest_period = 512;    // roots
constexpr std::size_t fewest_tiles = 8;
constexpr std::size_t least_operations = 8;       // of a period
constexpr double least_operations_of_root = 1.5;  // on average
constexpr std::size_t most_kinds = 32;
constexpr std::size_t most_streams = 4096;
constexpr double most_left = 0.2;  // of the operations, for roots that are in no tile

std::size_t at(std::int32_t i) {
  return static_cast<std::size_t>(i);
}

// What a range of roots needs, numbered by first use, so that equal shapes are equal lists.
class Extractor {
 public:
  explicit Extractor(const Tape& tape) : tape_(tape), number_(tape.values(), -1), stamp_(tape.values(), 0) {}

  Tape part(std::size_t begin, std::size_t end) {
    std::vector<std::size_t> roots(end - begin);
    std::iota(roots.begin(), roots.end(), begin);
    return part(roots);
  }
  Tape part(const std::vector<std::size_t>& roots) {
    ++now_;
    collect(roots);
    Tape made;
    made.constants = tape_.constants;
    made.slots = tape_.slots;
    auto leaf = static_cast<std::int32_t>(tape_.first_leaf());
    for (const std::int32_t k : operations_) {
      for (const std::int32_t value : tape_.operations[at(k)].arguments()) number_leaf(value, leaf, made);
    }
    for (const std::size_t r : roots) number_leaf(tape_.roots[r], leaf, made);
    std::int32_t next = leaf;
    for (const std::int32_t k : operations_) {
      Tape::Operation operation = tape_.operations[at(k)];
      for (std::size_t i = 0; i < operation.arity; ++i) operation.args[i] = number_of(operation.args[i]);
      // a + b is b + a to the last bit, and which of them a graph has is chance.
      const bool commutes = operation.op == Op::Add || operation.op == Op::Mul;
      if (commutes && operation.args[0] > operation.args[1]) std::swap(operation.args[0], operation.args[1]);
      made.operations.push_back(operation);
      number_[tape_.first_result() + at(k)] = next++;
    }
    for (const std::size_t r : roots) {
      made.roots.push_back(number_of(tape_.roots[r]));
      made.destinations.push_back(tape_.destinations[r]);
    }
    return made;
  }

 private:
  // The operations below the roots, in the order of the tape.
  void collect(const std::vector<std::size_t>& roots) {
    operations_.clear();
    std::vector<std::int32_t> open;
    for (const std::size_t r : roots) open.push_back(tape_.roots[r]);
    while (!open.empty()) {
      const std::int32_t value = open.back();
      open.pop_back();
      if (!tape_.is_result(value) || stamp_[at(value)] == now_) continue;
      stamp_[at(value)] = now_;
      operations_.push_back(tape_.operation_of(value));
      for (const std::int32_t argument : tape_.operations[at(operations_.back())].arguments())
        open.push_back(argument);
    }
    std::ranges::sort(operations_);
  }
  void number_leaf(std::int32_t value, std::int32_t& next, Tape& made) {
    if (!tape_.is_leaf(value) || stamp_[at(value)] == now_) return;
    stamp_[at(value)] = now_;
    number_[at(value)] = next++;
    made.leaf_slots.push_back(tape_.slot_of(value));
  }
  [[nodiscard]] std::int32_t number_of(std::int32_t value) const {
    return tape_.is_constant(value) ? value : number_[at(value)];
  }

  const Tape& tape_;
  std::vector<std::int32_t> number_;
  std::vector<std::uint32_t> stamp_;
  std::uint32_t now_ = 0;
  std::vector<std::int32_t> operations_;
};

bool alike(const Tape& a, const Tape& b) {
  const auto same = [](const Tape::Operation& x, const Tape::Operation& y) {
    return x.op == y.op && x.args == y.args;
  };
  return a.leaf_slots.size() == b.leaf_slots.size() && a.roots == b.roots &&
         std::ranges::equal(a.operations, b.operations, same);
}

// All that is left of a tile once it is known to be like the others.
Tape indices_of(Tape tile) {
  Tape indices;
  indices.leaf_slots = std::move(tile.leaf_slots);
  indices.destinations = std::move(tile.destinations);
  return indices;
}

// By root: how many operations it is the first to need. The tape has them in the order of the roots.
std::vector<std::int32_t> new_operations(const Tape& tape) {
  std::vector<std::int32_t> count;
  std::int32_t reached = -1;
  for (const std::int32_t root : tape.roots) {
    const std::int32_t last = std::max(reached, tape.operation_of(root));
    count.push_back(last - reached);
    reached = last;
  }
  return count;
}

// Which indices keep their distances from tile to tile.
class Streams {
 public:
  explicit Streams(std::size_t tiles) : tiles_(tiles) {}

  // places[t]: of one leaf or root in tile t.
  Tiles::Address add(const std::vector<std::int32_t>& indices) {
    std::vector<std::int32_t> moves(tiles_);
    for (std::size_t t = 0; t < tiles_; ++t) moves[t] = indices[t] - indices[0];
    const auto [found, is_new] =
        stream_.try_emplace(std::move(moves), static_cast<std::int32_t>(first_.size()));
    if (is_new) {
      first_.push_back(&found->first);
      origin_.push_back(indices[0]);
    }
    return {.stream = found->second, .offset = indices[0] - origin_[at(found->second)]};
  }
  [[nodiscard]] std::size_t size() const { return first_.size(); }
  [[nodiscard]] std::vector<std::int32_t> starts() const {
    std::vector<std::int32_t> all;
    all.reserve(tiles_ * size());
    for (std::size_t t = 0; t < tiles_; ++t) {
      for (std::size_t s = 0; s < size(); ++s) all.push_back(origin_[s] + (*first_[s])[t]);
    }
    return all;
  }

 private:
  std::size_t tiles_;
  std::map<std::vector<std::int32_t>, std::int32_t> stream_;  // by moves
  std::vector<const std::vector<std::int32_t>*> first_;       // by stream: its moves
  std::vector<std::int32_t> origin_;                          // and where it is in the first tile
};

// Goes through the roots once and takes what is like a tile that it knows, or like what comes next.
class TileFinder {
 public:
  explicit TileFinder(const Tape& tape) : tape_(tape), extractor_(tape), introduced_(new_operations(tape)) {}

  std::optional<Tiling> find() {
    for (std::size_t k = 0; k < introduced_.size();) {
      if (take_known(k) || take_new(k)) continue;
      rest_.push_back(k++);
    }
    Tiling made;
    std::size_t left = 0;
    for (const Kind& kind : kinds_) {
      if (kind.begins.size() < fewest_tiles) {
        for (const std::size_t begin : kind.begins) {
          for (std::size_t k = begin; k < begin + kind.length; ++k) rest_.push_back(k);
        }
      } else {
        made.kinds.push_back(tiles_of(kind));
        if (made.kinds.back().streams > most_streams) return std::nullopt;
      }
    }
    if (made.kinds.empty()) return std::nullopt;
    std::ranges::sort(rest_);
    for (const std::size_t k : rest_) left += at(introduced_[k]);
    if (static_cast<double>(left) > most_left * static_cast<double>(tape_.operations.size()))
      return std::nullopt;
    made.rest = extractor_.part(rest_);
    return made;
  }

 private:
  struct Kind {
    Tape tape;
    std::size_t length = 0;  // roots
    std::size_t begin = 0;   // of the first
    std::vector<std::size_t> begins;
    std::vector<Tape> indices;
  };

  [[nodiscard]] bool same_counts(std::size_t a, std::size_t b, std::size_t length) const {
    const auto first = introduced_.begin();
    return std::equal(first + static_cast<std::ptrdiff_t>(a), first + static_cast<std::ptrdiff_t>(a + length),
                      first + static_cast<std::ptrdiff_t>(b));
  }

  bool take_known(std::size_t& k) {
    for (Kind& kind : kinds_) {
      if (k + kind.length > introduced_.size() || !same_counts(kind.begin, k, kind.length)) continue;
      Tape tile = extractor_.part(k, k + kind.length);
      if (!alike(tile, kind.tape)) continue;
      kind.begins.push_back(k);
      kind.indices.push_back(indices_of(std::move(tile)));
      k += kind.length;
      return true;
    }
    return false;
  }

  // Where the next roots repeat themselves: a tile of as many periods as make it large enough.
  bool take_new(std::size_t& k) {
    if (kinds_.size() >= most_kinds || patience_ == 0) return false;
    const std::size_t left = introduced_.size() - k;
    for (std::size_t p = 1; p <= longest_period && 4 * p <= left; ++p) {
      if (!same_counts(k, k + p, 3 * p)) continue;
      const auto each = at(std::accumulate(introduced_.begin() + static_cast<std::ptrdiff_t>(k),
                                           introduced_.begin() + static_cast<std::ptrdiff_t>(k + p), 0));
      const std::size_t length = p * std::max<std::size_t>(1, each == 0 ? 1 : tile_operations / each);
      if (each < least_operations || fewest_tiles * length > left || !same_counts(k, k + length, length))
        return false;
      Tape tile = extractor_.part(k, k + length);
      if (!alike(tile, extractor_.part(k + length, k + 2 * length))) {
        --patience_;
        for (std::size_t i = 0; i < p; ++i) rest_.push_back(k++);
        return true;
      }
      kinds_.push_back({.tape = std::move(tile), .length = length, .begin = k});
      return take_known(k);
    }
    return false;
  }

  static Tiles tiles_of(const Kind& kind) {
    Tiles made;
    made.tape = kind.tape;
    Streams streams(kind.indices.size());
    std::vector<std::int32_t> indices(kind.indices.size());
    for (std::size_t k = 0; k < made.tape.leaf_slots.size(); ++k) {
      for (std::size_t t = 0; t < indices.size(); ++t) indices[t] = kind.indices[t].leaf_slots[k];
      made.leaves.push_back(streams.add(indices));
    }
    for (std::size_t k = 0; k < made.tape.destinations.size(); ++k) {
      for (std::size_t t = 0; t < indices.size(); ++t) indices[t] = kind.indices[t].destinations[k];
      made.destinations.push_back(streams.add(indices));
    }
    made.streams = streams.size();
    made.starts = streams.starts();
    made.begins = kind.begins;
    return made;
  }

  const Tape& tape_;
  Extractor extractor_;
  std::vector<std::int32_t> introduced_;
  std::vector<Kind> kinds_;
  std::vector<std::size_t> rest_;  // roots
  int patience_ = 100;             // what looks alike and is not costs time
};

}  // namespace

std::optional<Tiling> find_tiling(const Tape& tape) {
  // Many roots with next to no operations: nothing is won by tiles.
  if (static_cast<double>(tape.operations.size()) <
      least_operations_of_root * static_cast<double>(tape.roots.size()))
    return std::nullopt;
  return TileFinder(tape).find();
}

}  // namespace daedalus
