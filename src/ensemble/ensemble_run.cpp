#include "ensemble/ensemble_run.hpp"

#include <algorithm>
#include <limits>
#include <thread>

namespace daedalus {

EnsembleRun::EnsembleRun(const EnsembleParts& parts, const EnsembleInputs& inputs,
                         const EnsembleProgress& progress)
    : parts_(parts), inputs_(inputs), progress_(progress) {
  const std::size_t n = inputs.runs;
  result_.outputs = parts.outputs;
  result_.times = parts.times;
  result_.values.assign(n * parts.width(), std::numeric_limits<double>::quiet_NaN());
  result_.status.assign(n, TrajectoryStatus::NotDone);
  result_.t_end.assign(n, parts.settings.start);
  result_.drift.assign(n, 0);
  for (auto* const list : {&result_.steps, &result_.rejected, &result_.evaluations}) list->assign(n, 0);
  result_.scalar.assign(n, 0);
}

std::vector<StartValue> EnsembleRun::set_of(std::size_t run) const {
  std::vector<StartValue> set;
  for (std::size_t k = 0; k < inputs_.names.size(); ++k)
    set.push_back({.name = inputs_.names[k], .value = inputs_.columns[k][run]});
  return set;
}

void EnsembleRun::count() {
  const std::size_t done = done_.fetch_add(1) + 1;
  if (!progress_) return;
  const std::unique_lock lock(telling_, std::try_to_lock);
  if (lock.owns_lock() && go_on() && !progress_(done, inputs_.runs)) stopped_ = true;
}

void EnsembleRun::fail(std::size_t run, std::string reason) {
  const std::lock_guard lock(telling_);
  result_.status[run] = TrajectoryStatus::Failed;
  result_.failures.push_back({.run = run, .reason = std::move(reason)});
}

void EnsembleRun::in_threads(std::size_t runs, const std::function<void()>& work) const {
  const std::size_t count = std::min(parts_.threads, runs);
  std::vector<std::jthread> others;
  for (std::size_t k = 1; k < count; ++k) others.emplace_back(work);
  if (count > 0) work();
}

}  // namespace daedalus
