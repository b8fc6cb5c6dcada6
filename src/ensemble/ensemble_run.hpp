// One call of Ensemble::run(): what its threads and back ends share.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "ensemble/ensemble_parts.hpp"

namespace daedalus {

class EnsembleRun {
 public:
  EnsembleRun(const EnsembleParts& parts, const EnsembleInputs& inputs, const EnsembleProgress& progress);

  [[nodiscard]] const EnsembleParts& parts() const { return parts_; }
  [[nodiscard]] const EnsembleInputs& inputs() const { return inputs_; }
  [[nodiscard]] EnsembleResult& result() { return result_; }
  [[nodiscard]] std::span<double> values(std::size_t run) {
    return std::span(result_.values).subspan(run * parts_.width(), parts_.width());
  }
  [[nodiscard]] std::vector<StartValue> set_of(std::size_t run) const;

  // Whether trajectories are to be begun; another one is done (from any thread).
  [[nodiscard]] bool go_on() const { return !stopped_.load(std::memory_order_relaxed); }
  void count();
  void fail(std::size_t run, std::string reason);
  // So many threads, at most one for each run.
  void in_threads(std::size_t runs, const std::function<void()>& work) const;

 private:
  const EnsembleParts& parts_;
  const EnsembleInputs& inputs_;
  const EnsembleProgress& progress_;
  EnsembleResult result_;
  std::atomic<bool> stopped_{false};
  std::atomic<std::size_t> done_{0};
  std::mutex telling_;
};

}  // namespace daedalus
