#include "codegen/clusters.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace daedalus {
namespace {

// More are cut, so that rows of intermediate results stay in the first-level cache and inputs are numbered in
// a byte.
constexpr std::uint32_t most_operations = 48;

// A step of MurmurHash3's finaliser (Appleby): every bit of the input reaches every bit of the output.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a * 0x9e37'79b9'7f4a'7c15 + b;
  x = (x ^ (x >> 33)) * 0xff51'afd7'ed55'8ccd;
  x = (x ^ (x >> 33)) * 0xc4ce'b9fe'1a85'ec53;
  return x ^ (x >> 33);
}

// Shapes by their code: open addressing, compared in full, so that a collision of hashes does no harm.
class ShapeTable {
 public:
  explicit ShapeTable(Clusters& clusters) : clusters_(clusters), slots_(64, -1) {}

  std::uint32_t number(std::span<const std::uint8_t> code, bool is_pair) {
    std::uint64_t hash = is_pair ? 1 : 0;
    for (const std::uint8_t byte : code) hash = mix(hash, byte);
    std::size_t index = hash % slots_.size();
    while (slots_[index] >= 0 &&
           !equals(clusters_.shapes[static_cast<std::size_t>(slots_[index])], code, is_pair))
      index = (index + 1) % slots_.size();
    if (slots_[index] >= 0) return static_cast<std::uint32_t>(slots_[index]);
    const auto made = static_cast<std::uint32_t>(clusters_.shapes.size());
    clusters_.shapes.push_back({.first_code = static_cast<std::uint32_t>(clusters_.codes.size()),
                                .code_size = static_cast<std::uint32_t>(code.size()),
                                .is_pair = is_pair});
    clusters_.codes.insert(clusters_.codes.end(), code.begin(), code.end());
    hashes_.push_back(hash);
    slots_[index] = static_cast<std::int32_t>(made);
    if (2 * clusters_.shapes.size() > slots_.size()) grow();
    return made;
  }

 private:
  [[nodiscard]] bool equals(const Shape& shape, std::span<const std::uint8_t> code, bool is_pair) const {
    return shape.is_pair == is_pair && std::ranges::equal(clusters_.code_of(shape), code);
  }
  void grow() {
    slots_.assign(2 * slots_.size(), -1);
    for (std::size_t k = 0; k < hashes_.size(); ++k) {
      std::size_t index = hashes_[k] % slots_.size();
      while (slots_[index] >= 0) index = (index + 1) % slots_.size();
      slots_[index] = static_cast<std::int32_t>(k);
    }
  }

  Clusters& clusters_;
  std::vector<std::int32_t> slots_;
  std::vector<std::uint64_t> hashes_;
};

class ClusterFinder {
 public:
  explicit ClusterFinder(const Tape& tape)
      : tape_(tape),
        heads_(tape.operations.size(), 0),
        partner_(tape.operations.size(), -1),
        table_(result_) {}

  Clusters find() {
    find_heads();
    find_pairs();
    result_.operations.reserve(tape_.operations.size());
    for (std::size_t k = 0; k < tape_.operations.size(); ++k) {
      if (heads_[k] != 0) collect(static_cast<std::int32_t>(k));
    }
    give_roles();
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::int32_t operation_of(std::int32_t value) const { return tape_.operation_of(value); }
  [[nodiscard]] const Tape::Operation& operation(std::int32_t k) const {
    return tape_.operations[static_cast<std::size_t>(k)];
  }
  [[nodiscard]] bool is_head(std::int32_t k) const { return heads_[static_cast<std::size_t>(k)] != 0; }

  // Heads are the operations whose results leave their cluster.
  void find_heads() {
    std::vector<std::uint8_t> uses(tape_.operations.size(), 0);  // 0, 1, 2: many
    for (const Tape::Operation& user : tape_.operations) {
      for (const std::int32_t value : user.arguments()) {
        if (!tape_.is_result(value)) continue;
        std::uint8_t& count = uses[static_cast<std::size_t>(operation_of(value))];
        count = static_cast<std::uint8_t>(std::min(count + 1, 2));
      }
    }
    for (const std::int32_t root : tape_.roots) {
      if (tape_.is_result(root)) uses[static_cast<std::size_t>(operation_of(root))] = 2;
    }
    std::vector<std::uint32_t> sizes(tape_.operations.size(), 1);
    for (std::size_t k = 0; k < tape_.operations.size(); ++k) {
      const Tape::Operation& made = tape_.operations[k];
      const bool function = is_elementary_function(made.op);
      if (function || uses[k] != 1) heads_[k] = 1;
      for (const std::int32_t value : made.arguments()) add_argument(value, function, sizes, k);
    }
  }
  void add_argument(std::int32_t value, bool to_function, std::vector<std::uint32_t>& sizes,
                    std::size_t user) {
    if (!tape_.is_result(value)) return;
    const auto argument = static_cast<std::size_t>(operation_of(value));
    if (to_function || sizes[user] + sizes[argument] > most_operations) heads_[argument] = 1;
    if (heads_[argument] == 0) sizes[user] += sizes[argument];
  }

  void find_pairs() {
    std::vector<std::int32_t> first(tape_.values(), -1);  // by argument
    for (std::size_t k = 0; k < tape_.operations.size(); ++k) {
      const Tape::Operation& made = tape_.operations[k];
      if (made.op != Op::Sin && made.op != Op::Cos) continue;
      std::int32_t& other = first[static_cast<std::size_t>(made.args[0])];
      if (other >= 0) {
        partner_[k] = other;
        partner_[static_cast<std::size_t>(other)] = static_cast<std::int32_t>(k);
      } else {
        other = static_cast<std::int32_t>(k);
      }
    }
  }

  void collect(std::int32_t head) {
    const std::int32_t partner = partner_[static_cast<std::size_t>(head)];
    if (partner >= 0 && partner < head) return;  // is in the cluster of the other
    Cluster made{.first_operation = static_cast<std::uint32_t>(result_.operations.size()),
                 .first_input = static_cast<std::uint32_t>(result_.inputs.size())};
    if (partner >= 0) {
      const bool sine_first = operation(head).op == Op::Sin;
      result_.operations.push_back(sine_first ? head : partner);
      result_.operations.push_back(sine_first ? partner : head);
    } else {
      push_tree(head);
    }
    made.operations = static_cast<std::uint32_t>(result_.operations.size()) - made.first_operation;
    code_.clear();
    for (const std::int32_t k : result_.operations_of(made)) write_code(k, made.first_input);
    made.inputs = static_cast<std::uint32_t>(result_.inputs.size()) - made.first_input;
    made.shape = table_.number(code_, partner >= 0);
    result_.list.push_back(made);
  }

  // Arguments before users: a walk from the head that takes the last argument first, turned round.
  void push_tree(std::int32_t head) {
    const std::size_t begin = result_.operations.size();
    stack_.assign(1, head);
    while (!stack_.empty()) {
      const std::int32_t k = stack_.back();
      stack_.pop_back();
      result_.operations.push_back(k);
      for (const std::int32_t value : operation(k).arguments()) {
        if (tape_.is_result(value) && !is_head(operation_of(value))) stack_.push_back(operation_of(value));
      }
    }
    std::reverse(result_.operations.begin() + static_cast<std::ptrdiff_t>(begin), result_.operations.end());
  }

  void write_code(std::int32_t k, std::uint32_t first_input) {
    code_.push_back(static_cast<std::uint8_t>(operation(k).op));
    for (const std::int32_t value : operation(k).arguments()) {
      if (tape_.is_result(value) && !is_head(operation_of(value))) {
        code_.push_back(Shape::inner);
        continue;
      }
      const auto begin = result_.inputs.begin() + first_input;
      const auto found = std::find(begin, result_.inputs.end(), value);
      code_.push_back(static_cast<std::uint8_t>(found - begin));
      assert(code_.back() != Shape::inner);
      if (found == result_.inputs.end()) result_.inputs.push_back(value);
    }
  }

  // Colour refinement, one round: a value's use is by which shapes, as which input; a cluster's role is how
  // its inputs and results are used. More rounds would tell every rod of a chain from every other by its
  // distance from the ends.
  void give_roles() {
    std::vector<std::uint64_t> use(tape_.values(), 0);
    for (const Cluster& c : result_.list) {
      const std::span<const std::int32_t> inputs = result_.inputs_of(c);
      // A sum, so that the order of users does not matter.
      for (std::size_t i = 0; i < inputs.size(); ++i)
        use[static_cast<std::size_t>(inputs[i])] += mix(c.shape, i);
    }
    for (Cluster& c : result_.list) {
      c.role = c.shape;
      for (const std::int32_t k : result_.results_of(c))
        c.role = mix(c.role, use[tape_.first_result() + static_cast<std::size_t>(k)]);
      for (const std::int32_t value : result_.inputs_of(c))
        c.role = mix(c.role, use[static_cast<std::size_t>(value)]);
    }
  }

  const Tape& tape_;
  std::vector<char> heads_;            // by operation
  std::vector<std::int32_t> partner_;  // of a sine its cosine, and the reverse; -1: none
  std::vector<std::int32_t> stack_;
  std::vector<std::uint8_t> code_;
  Clusters result_;
  ShapeTable table_;
};

constexpr std::array functions{Op::Pow,  Op::Exp,  Op::Log,  Op::Log10, Op::Sin,  Op::Cos,  Op::Tan,
                               Op::Asin, Op::Acos, Op::Atan, Op::Sinh,  Op::Cosh, Op::Tanh, Op::Atan2};

}  // namespace

bool is_elementary_function(Op op) {
  return std::ranges::find(functions, op) != functions.end();
}

Clusters Clusters::find(const Tape& tape) {
  return ClusterFinder(tape).find();
}

}  // namespace daedalus
