#include "codegen/kernels.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

#include "codegen/clusters.hpp"
#include "codegen/kernel_plan.hpp"
#include "codegen/kernel_writer.hpp"
#include "codegen/worker_pool.hpp"
#include "core/float_mode.hpp"

namespace daedalus {
namespace {

constexpr std::size_t piece_size = 8192;  // operations
constexpr std::size_t tile_size = 256;    // rows of a wave that are computed together

constexpr double least_cost_of_thread = 100'000;  // nanoseconds: ten times what it costs to wake it
constexpr std::size_t parts_of_thread = 2;        // so that one who is quick can take another
constexpr double most_shared = 1.2;        // operations of all parts together, against those of the whole
constexpr std::size_t between_parts = 16;  // registers, so that no line of the cache is of two

class KernelEvaluator final : public Evaluator {
 public:
  explicit KernelEvaluator(KernelWriter::Written written)
      : instructions_(std::move(written.instructions)), lists_(std::move(written.lists)) {}
  void run(const double* environment, double* registers, double* results) const override {
    const VectorContext context{
        .registers = registers, .environment = environment, .lists = lists_.data(), .results = results};
    for (const VectorInstruction& instruction : instructions_) instruction.loop(context, instruction);
  }
  [[nodiscard]] std::size_t groups() const override { return instructions_.size(); }

 private:
  std::vector<VectorInstruction> instructions_;
  std::vector<std::int32_t> lists_;
};

class KernelCompiler {
 public:
  KernelCompiler(const Tape& tape, std::size_t first_free)
      : tape_(tape),
        clusters_(Clusters::find(tape)),
        planner_(tape, clusters_),
        writer_(tape, vector_loops(), first_free) {}

  CompiledTape compile() {
    cut_pieces();
    find_last_uses();
    list_roots();
    for (piece_ = 0; piece_ + 1 < pieces_.size(); ++piece_) compile_piece();
    store_other_roots();
    CompiledTape result;
    result.constants = tape_.constants;
    KernelWriter::Written written = writer_.finish();
    result.registers = written.registers;
    result.cost = written.cost;
    result.evaluator = std::make_shared<KernelEvaluator>(std::move(written));
    return result;
  }

 private:
  struct Root {
    std::int32_t value = 0;
    std::int32_t destination = 0;
  };

  [[nodiscard]] const Cluster& cluster(std::uint32_t c) const { return clusters_.list[c]; }
  [[nodiscard]] const Tape::Operation& operation(std::uint32_t k) const { return tape_.operations[k]; }
  [[nodiscard]] std::int32_t value_of(std::size_t operation) const {
    return static_cast<std::int32_t>(tape_.first_result() + operation);
  }

  void cut_pieces() {
    std::size_t size = piece_size;
    for (std::size_t c = 0; c < clusters_.list.size(); ++c) {
      if (size >= piece_size) {
        pieces_.push_back(c);
        size = 0;
      }
      size += clusters_.list[c].operations;
    }
    pieces_.push_back(clusters_.list.size());
  }

  void find_last_uses() {
    last_use_.assign(tape_.values(), 0);
    for (std::size_t p = 0; p + 1 < pieces_.size(); ++p) {
      for (std::size_t c = pieces_[p]; c < pieces_[p + 1]; ++c) {
        for (const std::int32_t value : clusters_.inputs_of(clusters_.list[c]))
          last_use_[static_cast<std::size_t>(value)] = p;
      }
    }
  }

  void list_roots() {
    for (std::size_t k = 0; k < tape_.roots.size(); ++k)
      roots_.push_back({.value = tape_.roots[k], .destination = tape_.destinations[k]});
    std::ranges::sort(roots_, {}, [](const Root& root) { return std::pair(root.value, root.destination); });
  }
  [[nodiscard]] std::ranges::subrange<std::vector<Root>::const_iterator> roots_at(std::int32_t value) const {
    return std::ranges::equal_range(roots_, value, {}, &Root::value);
  }

  // Roots that the piece has computed go where they are wanted while they are at hand.
  void store_roots() {
    std::vector<KernelWriter::Stored> stored;
    for (std::size_t c = pieces_[piece_]; c < pieces_[piece_ + 1]; ++c) {
      for (const std::int32_t operation : clusters_.results_of(clusters_.list[c])) {
        const std::int32_t value = value_of(static_cast<std::size_t>(operation));
        for (const Root& root : roots_at(value))
          stored.push_back({.slot = writer_.slot(value), .destination = root.destination});
      }
    }
    writer_.store(std::move(stored));
  }

  // Leaves and constants.
  void store_other_roots() {
    std::vector<std::int32_t> leaves;
    std::vector<KernelWriter::Stored> stored;
    for (const Root& root : roots_) {
      if (tape_.is_leaf(root.value) && (leaves.empty() || leaves.back() != root.value))
        leaves.push_back(root.value);
    }
    writer_.load_leaves(leaves);
    for (const Root& root : roots_) {
      if (!tape_.is_result(root.value))
        stored.push_back({.slot = writer_.slot(root.value), .destination = root.destination});
    }
    writer_.store(std::move(stored));
    writer_.end_piece();
  }

  void compile_piece() {
    const KernelPlan plan = planner_.plan(pieces_[piece_], pieces_[piece_ + 1]);
    writer_.load_leaves(plan.leaves);
    for (const KernelPlan::Step& step : plan.steps) {
      if (step.is_serial) {
        write_serial(step.members);
      } else {
        write_wave(step.members);
      }
    }
    store_roots();
    save_lasting();
    writer_.end_piece();
  }

  void write_serial(std::span<const std::uint32_t> members) {
    std::vector<std::int32_t> results;
    for (const std::uint32_t k : members) results.push_back(value_of(k));
    const std::int32_t out = give_slots(results);
    const Op op = operation(members.front()).op;
    std::vector<std::int32_t> arguments;
    for (std::size_t i = 0; i < static_cast<std::size_t>(info(op).arity); ++i) {
      for (const std::uint32_t k : members) arguments.push_back(writer_.slot(operation(k).args[i]));
    }
    writer_.write_serial(op, arguments, out, members.size());
  }

  // Results of a wave lie side by side. If most of them are needed after this piece they last; otherwise
  // those few are copied at its end.
  std::int32_t give_slots(std::span<const std::int32_t> values) {
    const auto outlives = [&](std::int32_t value) {
      return last_use_[static_cast<std::size_t>(value)] > piece_;
    };
    const auto lasting = static_cast<std::size_t>(std::ranges::count_if(values, outlives));
    const bool all_last = 2 * lasting >= values.size();
    const std::int32_t first = all_last ? writer_.lasting(values.size()) : writer_.passing(values.size());
    for (std::size_t k = 0; k < values.size(); ++k) {
      writer_.set_slot(values[k], first + static_cast<std::int32_t>(k));
      if (!all_last && outlives(values[k])) to_save_.push_back(values[k]);
    }
    return first;
  }
  void save_lasting() {
    if (to_save_.empty()) return;
    std::vector<std::int32_t> from;
    for (const std::int32_t value : to_save_) from.push_back(writer_.slot(value));
    const std::int32_t out = writer_.lasting(from.size());
    writer_.write_gather(from, out);
    for (std::size_t k = 0; k < to_save_.size(); ++k)
      writer_.set_slot(to_save_[k], out + static_cast<std::int32_t>(k));
    to_save_.clear();
  }

  void write_wave(std::span<const std::uint32_t> members) {
    const Shape& shape = clusters_.shapes[cluster(members.front()).shape];
    std::array<std::int32_t, 2> out{};
    std::vector<std::int32_t> values(members.size());
    for (std::size_t r = 0; r < (shape.is_pair ? 2U : 1U); ++r) {
      for (std::size_t k = 0; k < members.size(); ++k)
        values[k] = value_of(static_cast<std::size_t>(clusters_.results_of(cluster(members[k]))[r]));
      out[r] = give_slots(values);
    }
    for (std::size_t begin = 0; begin < members.size(); begin += tile_size) {
      const auto tile = members.subspan(begin, std::min(tile_size, members.size() - begin));
      const std::size_t mark = writer_.mark();
      write_tile(shape, tile, out);
      writer_.release(mark);
      for (std::int32_t& row : out) row += static_cast<std::int32_t>(tile.size());
    }
  }

  void write_tile(const Shape& shape, std::span<const std::uint32_t> members,
                  const std::array<std::int32_t, 2>& out) {
    std::vector<KernelWriter::Row> inputs;
    std::vector<std::int32_t> slots(members.size());
    for (std::size_t i = 0; i < cluster(members.front()).inputs; ++i) {
      for (std::size_t k = 0; k < members.size(); ++k)
        slots[k] = writer_.slot(clusters_.inputs_of(cluster(members[k]))[i]);
      inputs.push_back(writer_.row_of(slots));
    }
    if (shape.is_pair) {
      writer_.write_pair(inputs.front(), out[0], out[1], members.size());
    } else {
      write_body(clusters_.code_of(shape), inputs, out[0], members.size());
    }
  }

  // Runs the code of the shape as the stack machine that it is written for, with rows for values.
  void write_body(std::span<const std::uint8_t> code, std::span<const KernelWriter::Row> inputs,
                  std::int32_t out, std::size_t n) {
    std::vector<KernelWriter::Row> stack;
    std::vector<std::int32_t> free;
    for (std::size_t k = 0; k < code.size();) {
      const auto op = static_cast<Op>(code[k++]);
      const auto arity = static_cast<std::size_t>(info(op).arity);
      std::array<KernelWriter::Row, 3> arguments{};
      std::vector<std::int32_t> read;
      for (std::size_t i = arity; i-- > 0;) {
        if (code[k + i] != Shape::inner) {
          arguments[i] = inputs[code[k + i]];
          continue;
        }
        arguments[i] = stack.back();
        read.push_back(stack.back().slot);
        stack.pop_back();
      }
      k += arity;
      std::int32_t to = out;
      if (k < code.size()) {
        if (free.empty()) free.push_back(writer_.passing(n));
        to = free.back();
        free.pop_back();
      }
      writer_.write(op, std::span(arguments).first(arity), to, n);
      free.insert(free.end(), read.begin(), read.end());
      stack.push_back({.slot = to});
    }
  }

  const Tape& tape_;
  Clusters clusters_;
  KernelPlanner planner_;
  KernelWriter writer_;
  std::vector<std::size_t> pieces_;    // first cluster of each, and the end
  std::vector<std::size_t> last_use_;  // by value: the piece
  std::size_t piece_ = 0;              // at hand
  std::vector<std::int32_t> to_save_;  // values
  std::vector<Root> roots_;            // by value
};

// Parts of the roots, each with its own registers, at the same time. What two parts share, both compute.
class ParallelEvaluator final : public Evaluator {
 public:
  ParallelEvaluator(std::size_t threads, std::vector<std::shared_ptr<const Evaluator>> parts)
      : threads_(threads), parts_(std::move(parts)) {}
  void run(const double* environment, double* registers, double* results) const override {
    const Call call{.parts = parts_,
                    .environment = environment,
                    .registers = registers,
                    .results = results,
                    .mode = FloatMode::current()};
    run_in_parallel(
        threads_, parts_.size(),
        [](const void* data, std::size_t k) {
          const Call& c = *static_cast<const Call*>(data);
          const FloatMode mode(c.mode);
          c.parts[k]->run(c.environment, c.registers, c.results);
        },
        &call);
  }
  [[nodiscard]] std::size_t groups() const override {
    std::size_t sum = 0;
    for (const auto& part : parts_) sum += part->groups();
    return sum;
  }

 private:
  struct Call {
    std::span<const std::shared_ptr<const Evaluator>> parts;
    const double* environment;
    double* registers;
    double* results;
    FloatMode::Word mode;  // of the caller: results do not depend on who computes them
  };
  std::size_t threads_;
  std::vector<std::shared_ptr<const Evaluator>> parts_;
};

// Cuts the roots so that about as many operations come first in each part: the tape has them in the order of
// the roots.
std::vector<std::size_t> cut_roots(const Tape& tape, std::size_t parts) {
  std::vector<std::size_t> cuts{0};
  std::int32_t reached = 0;
  for (std::size_t k = 0; k < tape.roots.size(); ++k) {
    reached = std::max(reached, tape.operation_of(tape.roots[k]));
    if (static_cast<std::size_t>(reached) * parts >= cuts.size() * tape.operations.size() &&
        cuts.size() < parts)
      cuts.push_back(k + 1);
  }
  cuts.push_back(tape.roots.size());
  return cuts;
}

// Null evaluator: the parts share too much.
CompiledTape compile_parts(const Tape& tape, std::size_t threads) {
  const std::vector<std::size_t> cuts = cut_roots(tape, parts_of_thread * threads);
  CompiledTape result{.constants = tape.constants, .registers = tape.constants.size()};
  std::vector<std::shared_ptr<const Evaluator>> evaluators;
  std::size_t operations = 0;
  for (std::size_t p = 0; p + 1 < cuts.size(); ++p) {
    const Tape part = tape.part(cuts[p], cuts[p + 1]);
    operations += part.operations.size();
    if (static_cast<double>(operations) > most_shared * static_cast<double>(tape.operations.size()))
      return {};
    CompiledTape made = KernelCompiler(part, result.registers).compile();
    result.registers = made.registers + between_parts;
    result.cost += made.cost / static_cast<double>(threads);
    evaluators.push_back(std::move(made.evaluator));
  }
  result.evaluator = std::make_shared<ParallelEvaluator>(threads, std::move(evaluators));
  return result;
}

}  // namespace

CompiledTape compile_to_kernels(const Tape& tape, const CodegenOptions& options) {
  CompiledTape whole = KernelCompiler(tape, tape.constants.size()).compile();
  const auto worthwhile = static_cast<std::size_t>(whole.cost / least_cost_of_thread);
  const std::size_t threads = std::min(worthwhile, usable_threads(options.threads));
  if (threads < 2) return whole;
  CompiledTape parallel = compile_parts(tape, threads);
  return parallel.evaluator ? parallel : whole;
}

}  // namespace daedalus
