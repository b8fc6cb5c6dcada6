// Trajectories by the engine itself, one by one: the oracle of the other back ends, and what runs where they
// cannot.
#include <algorithm>

#include "ensemble/back_ends.hpp"
#include "record/dense_output.hpp"

namespace daedalus {
namespace {

void take_counters(EnsembleRun& run, std::size_t which, const RunResult& done) {
  EnsembleResult& result = run.result();
  const RunPlan& plan = run.parts().engine->plan();
  const std::size_t held = plan.form != nullptr ? static_cast<std::size_t>(plan.form->order) : 1;
  result.t_end[which] = done.summary.t_end;
  for (std::size_t level = 0; level < std::min(held, done.summary.drift.levels.size()); ++level)
    result.drift[which] = std::max(result.drift[which], done.summary.drift.levels[level]);
  result.steps[which] = static_cast<std::int32_t>(done.summary.counters.steps);
  result.rejected[which] = static_cast<std::int32_t>(done.summary.counters.rejected);
  result.evaluations[which] = static_cast<std::int32_t>(done.summary.counters.residual_evals);
}

void take_values(EnsembleRun& run, std::size_t which, const DenseOutput& dense) {
  const EnsembleParts& parts = run.parts();
  std::vector<std::size_t> columns;
  for (const std::string& name : parts.outputs)
    columns.push_back(static_cast<std::size_t>(std::ranges::find(dense.signals(), name, &Signal::name) -
                                               dense.signals().begin()));
  std::vector<double> row(dense.signals().size());
  const std::span<double> values = run.values(which);
  for (std::size_t k = 0; k < parts.times.size() && !dense.empty(); ++k) {
    if (parts.times[k] > dense.t_end()) break;
    dense.evaluate(std::max(parts.times[k], dense.t_begin()), row);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns[c] < row.size()) values[(k * columns.size()) + c] = row[columns[c]];
    }
  }
}

void run_one(EnsembleRun& run, std::size_t which) {
  const EnsembleParts& parts = run.parts();
  RunRequest request{.until = parts.settings.end,
                     .rtol = parts.settings.tolerances.relative,
                     .atol = parts.settings.tolerances.absolute,
                     .points = 2,
                     .set = run.set_of(which)};
  request.dense = std::make_shared<DenseOutput>();
  request.progress = [&run](const Progress&) { return run.go_on(); };
  const auto done = parts.engine->run(request);
  run.result().scalar[which] = 1;
  if (!done) return run.fail(which, done.error().front().message);
  if (!run.go_on()) return;
  take_counters(run, which, *done);
  take_values(run, which, *request.dense);
  if (!done->ok()) return run.fail(which, done->summary.reason);
  run.result().status[which] = TrajectoryStatus::Ok;
}

}  // namespace

void run_by_engine(EnsembleRun& run, std::span<const std::size_t> which) {
  std::atomic<std::size_t> next{0};
  run.in_threads(which.size(), [&] {
    while (run.go_on()) {
      const std::size_t k = next.fetch_add(1);
      if (k >= which.size()) return;
      run_one(run, which[k]);
      if (run.result().status[which[k]] != TrajectoryStatus::NotDone) run.count();
    }
  });
}

}  // namespace daedalus
