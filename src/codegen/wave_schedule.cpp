#include "codegen/wave_schedule.hpp"

#include <algorithm>
#include <tuple>

namespace daedalus {
namespace {

// List scheduling with one queue of ready units a kind, as in schedule.cpp.
class WaveScheduler {
 public:
  explicit WaveScheduler(const WaveProblem& problem)
      : problem_(problem), waiting_(problem.units(), 0), queues_(problem.serial.size()) {
    find_users();
    for (std::uint32_t kind = 0; kind < queues_.size(); ++kind) {
      if (queues_[kind].left > 0) present_.push_back(kind);
    }
  }

  std::vector<Wave> run() {
    std::vector<Wave> waves;
    for (std::size_t left = problem_.units(); left > 0; left -= waves.back().units.size())
      waves.push_back(next_wave());
    return waves;
  }

 private:
  struct Queue {
    std::vector<std::uint32_t> ready;
    std::size_t left = 0;  // units of this kind not emitted yet, ready or not
  };

  void find_users() {
    const std::size_t n = problem_.units();
    user_start_.assign(n + 1, 0);
    for (const std::uint32_t arg : problem_.args) ++user_start_[arg + 1];
    for (std::size_t k = 0; k < n; ++k) user_start_[k + 1] += user_start_[k];
    users_.resize(problem_.args.size());
    std::vector<std::uint32_t> next(user_start_.begin(), user_start_.end() - 1);
    for (std::uint32_t k = 0; k < n; ++k) {
      for (const std::uint32_t arg : problem_.arguments(k)) users_[next[arg]++] = k;
      waiting_[k] = static_cast<std::uint32_t>(problem_.arguments(k).size());
      Queue& queue = queues_[problem_.kind[k]];
      ++queue.left;
      if (waiting_[k] == 0) queue.ready.push_back(k);
    }
  }

  // A kind all of whose units are ready is done for good. Otherwise what is serial comes first: a wave may
  // wait and grow, a serial run does not care.
  std::uint32_t best_kind() {
    std::erase_if(present_, [&](std::uint32_t kind) { return queues_[kind].left == 0; });
    const auto merit = [&](std::uint32_t kind) {
      const Queue& queue = queues_[kind];
      const bool some = !queue.ready.empty();
      return std::tuple(some, queue.ready.size() == queue.left, problem_.serial[kind] != 0,
                        queue.ready.size());
    };
    return *std::ranges::max_element(present_, {}, merit);
  }

  Wave next_wave() {
    Wave wave{.kind = best_kind(), .units = {}};
    Queue& queue = queues_[wave.kind];
    wave.units.swap(queue.ready);
    for (std::size_t k = 0; k < wave.units.size(); ++k) {  // which grows on the way if the kind is serial
      const std::uint32_t unit = wave.units[k];
      for (std::uint32_t u = user_start_[unit]; u < user_start_[unit + 1]; ++u) {
        const std::uint32_t user = users_[u];
        if (--waiting_[user] > 0) continue;
        const bool joins = problem_.kind[user] == wave.kind && problem_.serial[wave.kind] != 0;
        (joins ? wave.units : queues_[problem_.kind[user]].ready).push_back(user);
      }
    }
    queue.left -= wave.units.size();
    return wave;
  }

  const WaveProblem& problem_;
  std::vector<std::uint32_t> waiting_;  // arguments not emitted yet
  std::vector<std::uint32_t> user_start_;
  std::vector<std::uint32_t> users_;
  std::vector<Queue> queues_;
  std::vector<std::uint32_t> present_;  // kinds with units left
};

}  // namespace

std::vector<Wave> schedule_waves(const WaveProblem& problem) {
  return WaveScheduler(problem).run();
}

}  // namespace daedalus
