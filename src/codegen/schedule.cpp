#include "codegen/schedule.hpp"

#include <algorithm>

namespace daedalus {
namespace {

constexpr std::size_t kinds = 256;

// List scheduling with one queue of ready operations a kind.
class PieceScheduler {
 public:
  explicit PieceScheduler(std::span<const ScheduledOperation> operations) : operations_(operations) {}

  void run(std::size_t begin, std::size_t end, Schedule& schedule) {
    begin_ = begin;
    end_ = end;
    find_users();
    for (std::size_t left = end - begin; left > 0;) left -= emit_run(best_kind(), schedule);
  }

 private:
  struct Queue {
    std::vector<std::uint32_t> ready;
    std::size_t left = 0;  // operations of this kind not emitted yet, ready or not
  };

  [[nodiscard]] bool inside(std::int32_t arg) const {
    return arg >= 0 && static_cast<std::size_t>(arg) >= begin_;
  }

  // waiting_, users_ (compressed rows) and the queues, all counted from begin_.
  void find_users() {
    const std::size_t size = end_ - begin_;
    waiting_.assign(size, 0);
    user_start_.assign(size + 1, 0);
    for (std::size_t k = 0; k < size; ++k) {
      for (const std::int32_t arg : arguments(k)) {
        if (!inside(arg)) continue;
        ++waiting_[k];
        ++user_start_[static_cast<std::size_t>(arg) - begin_ + 1];
      }
    }
    for (std::size_t k = 0; k < size; ++k) user_start_[k + 1] += user_start_[k];
    users_.resize(user_start_.back());
    std::vector<std::uint32_t>& next = next_;
    next.assign(user_start_.begin(), user_start_.end() - 1);
    for (std::size_t k = 0; k < size; ++k) {
      for (const std::int32_t arg : arguments(k)) {
        if (inside(arg))
          users_[next[static_cast<std::size_t>(arg) - begin_]++] = static_cast<std::uint32_t>(k);
      }
      add_kind(operations_[begin_ + k].kind);
      if (waiting_[k] == 0)
        queues_[operations_[begin_ + k].kind].ready.push_back(static_cast<std::uint32_t>(k));
    }
  }
  void add_kind(std::uint8_t kind) {
    if (queues_[kind].left++ == 0) present_.push_back(kind);
  }
  [[nodiscard]] std::span<const std::int32_t> arguments(std::size_t k) const {
    const ScheduledOperation& operation = operations_[begin_ + k];
    return std::span(operation.args).first(operation.arity);
  }

  // A kind all of whose operations are ready costs no further run; otherwise the longest queue.
  std::uint8_t best_kind() {
    std::erase_if(present_, [&](std::uint8_t kind) { return queues_[kind].left == 0; });
    const auto merit = [&](std::uint8_t kind) {
      const Queue& queue = queues_[kind];
      return std::pair(queue.ready.size() == queue.left, queue.ready.size());
    };
    return *std::ranges::max_element(present_, {}, merit);
  }

  // Emits all ready operations of a kind, those included that become ready on the way.
  std::size_t emit_run(std::uint8_t kind, Schedule& schedule) {
    Queue& queue = queues_[kind];
    const auto start = static_cast<std::uint32_t>(schedule.order.size());
    std::size_t count = 0;
    while (count < queue.ready.size()) {  // which grows on the way
      const std::uint32_t k = queue.ready[count++];
      schedule.order.push_back(static_cast<std::uint32_t>(begin_ + k));
      for (std::uint32_t u = user_start_[k]; u < user_start_[k + 1]; ++u) {
        const std::uint32_t user = users_[u];
        if (--waiting_[user] == 0) queues_[operations_[begin_ + user].kind].ready.push_back(user);
      }
    }
    queue.left -= count;
    queue.ready.clear();
    schedule.runs.push_back({kind, start, start + static_cast<std::uint32_t>(count)});
    return count;
  }

  std::span<const ScheduledOperation> operations_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::vector<std::uint8_t> waiting_;  // arguments of the piece not emitted yet
  std::vector<std::uint32_t> user_start_;
  std::vector<std::uint32_t> users_;
  std::vector<std::uint32_t> next_;
  std::vector<std::uint8_t> present_;  // kinds with operations left
  std::array<Queue, kinds> queues_;
};

}  // namespace

Schedule schedule(std::span<const ScheduledOperation> operations, std::size_t piece) {
  Schedule result;
  result.order.reserve(operations.size());
  PieceScheduler scheduler(operations);
  for (std::size_t begin = 0; begin < operations.size(); begin += piece) {
    scheduler.run(begin, std::min(begin + piece, operations.size()), result);
  }
  return result;
}

}  // namespace daedalus
