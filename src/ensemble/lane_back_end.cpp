// Trajectories four at a time on the processor, in threads.
#include <algorithm>
#include <array>
#include <limits>

#include "codegen/program.hpp"
#include "core/float_mode.hpp"
#include "ensemble/back_ends.hpp"
#include "ensemble/lane_stepper.hpp"
#include "ensemble/tableau_rows.hpp"

namespace daedalus {
namespace {

// A kernel's expressions as machine code for lanes, which threads share.
struct LanePrograms {
  Program rates, record;
  std::vector<Program> projections;
  int results = 0;
  bool made = false;

  explicit LanePrograms(const TrajectoryKernel& kernel) {
    const ProgramSetting setting{.slots = kernel.slots(), .slot_of = kernel.slot_of(), .codegen = {}};
    const auto compile = [&](std::span<const NodeId> roots, Program& program) {
      auto compiled = Program::compile_lanes(*kernel.graph, roots, setting);
      made = made && compiled.has_value();
      if (compiled) program = *std::move(compiled);
    };
    made = true;
    compile(kernel.rates, rates);
    std::vector<NodeId> roots = kernel.outputs;
    roots.insert(roots.end(), kernel.constraints.begin(), kernel.constraints.end());
    results = static_cast<int>(roots.size());
    compile(roots, record);
    for (const auto& projection : kernel.projections) {
      std::vector<NodeId> steps = projection.step;
      if (projections.empty()) steps.push_back(kernel.regularity);
      compile(steps, projections.emplace_back());
    }
  }
};

// Numbers that begin with a line of the cache.
class AlignedNumbers {
 public:
  void resize(std::size_t count) { numbers_.assign(count + line, 0.0); }
  [[nodiscard]] double* data() {
    const auto offset = reinterpret_cast<std::uintptr_t>(numbers_.data()) / sizeof(double) % line;
    return numbers_.data() + (offset == 0 ? 0 : line - offset);
  }

 private:
  static constexpr std::size_t line = 64 / sizeof(double);
  std::vector<double> numbers_;
};

// The memory of one thread.
class LaneMemory {
 public:
  LaneMemory(const TrajectoryKernel& kernel, const LanePrograms& programs, const TableauRows& rows) {
    environment_.resize(lane_count * static_cast<std::size_t>(kernel.slots()));
    workspaces_.resize(2 + kernel.projections.size());
    lane_.size = kernel.size();
    lane_.positions = kernel.positions;
    lane_.given = static_cast<int>(kernel.given.size());
    lane_.results = programs.results;
    lane_.constraints = static_cast<int>(kernel.constraints.size());
    lane_.environment = environment_.data();
    lane_.nominal = kernel.nominal.data();
    lane_.tableau = rows.flat(*kernel.tableau);
    const std::size_t slots = lane_count * static_cast<std::size_t>(kernel.slots());
    lane_.rates = bound(programs.rates, slots, 0);
    lane_.record = bound(programs.record, slots, 1);
    for (std::size_t l = 0; l < kernel.projections.size(); ++l) {
      const auto& projection = kernel.projections[l];
      projections_.push_back({.program = bound(programs.projections[l], slots, 2 + l),
                              .states = projection.states.data(),
                              .count = static_cast<int>(projection.states.size()),
                              .linear = projection.linear});
    }
    lane_.projections = projections_.data();
    lane_.levels = static_cast<int>(projections_.size());
    memory_.resize(lane_memory(lane_));
    lane_.memory = memory_.data();
  }
  [[nodiscard]] const LaneKernel& kernel() const { return lane_; }

 private:
  BoundLanes bound(const Program& program, std::size_t slots, std::size_t number) {
    const auto bound = program.bind({environment_.data(), slots}, workspaces_[number]);
    return {.code = bound.evaluator->machine_code(), .registers = bound.registers};
  }

  AlignedNumbers environment_, memory_;
  std::vector<std::vector<double>> workspaces_;
  std::vector<LaneProjection> projections_;
  LaneKernel lane_;
};

class Source final : public LaneSource {
 public:
  Source(EnsembleRun& run, const TrajectoryStarts& starts, std::atomic<std::size_t>& next)
      : run_(run), starts_(starts), next_(next) {}

  bool next(int lane, double* states, double* given) override {
    for (;;) {
      const std::size_t k = next_.fetch_add(1);
      if (k >= run_.inputs().runs) return false;
      if (!starts_.find(k, start_)) continue;  // left to the scalar engine
      number_[at(lane)] = k;
      for (std::size_t i = 0; i < start_.states.size(); ++i) states[lane_count * i] = start_.states[i];
      for (std::size_t i = 0; i < start_.given.size(); ++i) given[lane_count * i] = start_.given[i];
      return true;
    }
  }
  double output_time(int /*lane*/, int number) override {
    const auto& times = run_.parts().times;
    return at(number) < times.size() ? times[at(number)] : std::numeric_limits<double>::infinity();
  }
  void record(int lane, int number, const double* values) override {
    const std::size_t count = run_.parts().outputs.size();
    const std::span<double> row = run_.values(number_[at(lane)]).subspan(at(number) * count, count);
    for (std::size_t i = 0; i < count; ++i) row[i] = values[lane_count * i];
  }
  void done(int lane, const LaneOutcome& outcome) override {
    const std::size_t k = number_[at(lane)];
    if (outcome.status != kEnsembleOk) {
      std::ranges::fill(run_.values(k), std::numeric_limits<double>::quiet_NaN());
      return;
    }
    EnsembleResult& result = run_.result();
    result.t_end[k] = outcome.t;
    result.drift[k] = outcome.drift;
    result.steps[k] = static_cast<std::int32_t>(outcome.steps);
    result.rejected[k] = static_cast<std::int32_t>(outcome.rejected);
    result.evaluations[k] = static_cast<std::int32_t>(outcome.evaluations);
    result.status[k] = TrajectoryStatus::Ok;
    run_.count();
  }
  bool go_on() override { return run_.go_on(); }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  EnsembleRun& run_;
  const TrajectoryStarts& starts_;
  std::atomic<std::size_t>& next_;
  std::array<std::size_t, lane_count> number_{};
  TrajectoryStart start_;
};

}  // namespace

void run_in_lanes(EnsembleRun& run, const TrajectoryStarts& starts) {
  const TrajectoryKernel& kernel = *run.parts().kernel;
  const LanePrograms programs(kernel);
  if (!programs.made) return;
  const TableauRows rows(*kernel.tableau);
  std::atomic<std::size_t> next{0};
  run.in_threads((run.inputs().runs + lane_count - 1) / lane_count, [&] {
    const FloatMode mode(FloatMode::tiny_is_zero());
    LaneMemory memory(kernel, programs, rows);
    Source source(run, starts, next);
    run_lanes(memory.kernel(), run.parts().stepping, source);
  });
}

}  // namespace daedalus
