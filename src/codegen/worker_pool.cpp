#include "codegen/worker_pool.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace daedalus {
namespace {

constexpr std::size_t most_threads = 16;

// How long to look before falling asleep. To be woken costs some ten microseconds; runs follow each other
// closely.
constexpr int looks = 4000;

// Waits until the value is no longer `old`.
void wait_for_change(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  for (int k = 0; k < looks; ++k) {
    if (value.load(std::memory_order_acquire) != old) return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  value.wait(old, std::memory_order_acquire);
}

class WorkerPool {
 public:
  using Work = void (*)(const void* data, std::size_t k);

  WorkerPool() : process_(getpid()) {}
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool() {
    if (getpid() != process_) {  // the threads are not in this process
      for (std::thread& thread : threads_) thread.detach();
      return;
    }
    closing_.store(true, std::memory_order_relaxed);
    job_.fetch_add(1, std::memory_order_release);
    job_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void run(std::size_t threads, std::size_t count, Work work, const void* data) {
    const std::unique_lock lock(in_use_, std::try_to_lock);
    if (threads < 2 || count < 2 || !lock.owns_lock() || getpid() != process_) {
      for (std::size_t k = 0; k < count; ++k) work(data, k);
      return;
    }
    while (threads_.size() + 1 < threads) threads_.emplace_back([this] { serve(); });
    const std::uint32_t job = job_.load(std::memory_order_relaxed) + 1;
    work_.store(work, std::memory_order_relaxed);
    data_.store(data, std::memory_order_relaxed);
    count_.store(static_cast<std::uint32_t>(count), std::memory_order_relaxed);
    finished_.store(0, std::memory_order_relaxed);
    ticket_.store(std::uint64_t{job} << 32, std::memory_order_release);
    job_.store(job, std::memory_order_release);
    job_.notify_all();
    help(job);
    for (std::uint32_t done = finished_.load(std::memory_order_acquire); done != count;
         done = finished_.load(std::memory_order_acquire))
      wait_for_change(finished_, done);
  }

 private:
  void serve() {
    for (std::uint32_t seen = 0;;) {
      wait_for_change(job_, seen);
      seen = job_.load(std::memory_order_acquire);
      if (closing_.load(std::memory_order_relaxed)) return;
      help(seen);
    }
  }

  // A ticket carries the number of its job, so that who comes late cannot take one of the next job for one of
  // this: as long as this job has tickets left, run() does not begin another, and what was read of the job is
  // right.
  void help(std::uint32_t job) {
    for (std::uint64_t ticket = ticket_.load(std::memory_order_acquire); ticket >> 32 == job;) {
      const auto k = static_cast<std::uint32_t>(ticket);
      const std::uint32_t count = count_.load(std::memory_order_relaxed);
      const Work work = work_.load(std::memory_order_relaxed);
      const void* const data = data_.load(std::memory_order_relaxed);
      if (k >= count) return;
      if (!ticket_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acq_rel,
                                         std::memory_order_acquire))
        continue;
      work(data, k);
      if (finished_.fetch_add(1, std::memory_order_acq_rel) + 1 == count) finished_.notify_one();
      ticket = ticket_.load(std::memory_order_acquire);
    }
  }

  pid_t process_;
  std::mutex in_use_;
  std::vector<std::thread> threads_;
  std::atomic<bool> closing_{false};
  std::atomic<Work> work_{nullptr};
  std::atomic<const void*> data_{nullptr};
  std::atomic<std::uint32_t> count_{0};
  std::atomic<std::uint32_t> job_{0};  // its number
  std::atomic<std::uint64_t> ticket_{0};
  std::atomic<std::uint32_t> finished_{0};
};

}  // namespace

void run_in_parallel(std::size_t threads, std::size_t count, void (*work)(const void* data, std::size_t k),
                     const void* data) {
  static WorkerPool pool;
  pool.run(threads, count, work, data);
}

std::size_t usable_threads(std::size_t wanted) {
  const std::size_t processors =
      std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, most_threads);
  return wanted == 0 ? processors : std::min(wanted, most_threads);
}

}  // namespace daedalus
