// Trajectories on a GPU, one a thread, in chunks as its memory allows.
#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

#include "ensemble/back_ends.hpp"
#include "ensemble/cuda_arrays.hpp"
#include "ensemble/cuda_device.hpp"
#include "ensemble/cuda_source.hpp"

namespace daedalus {
namespace {

// Of the device's free memory for one chunk, and no more trajectories than this, so that progress is seen
// and Ctrl-C heard.
constexpr double memory_part = 0.5;
constexpr std::size_t largest_chunk = 1 << 20;

struct Chunk {
  std::size_t first = 0;
  std::size_t runs = 0;
};

// What goes to the device and comes back, on this side.
struct HostSide {
  std::vector<double> states, given, columns;
  std::vector<int> column;
  std::vector<double> values, drift, t_end;
  std::vector<int> counters;
  std::vector<std::uint8_t> started;
};

struct DeviceSide {
  CudaMemory states, given, column, columns, times, values, drift, t_end, counters;
};

class CudaRun {
 public:
  CudaRun(EnsembleRun& run, const TrajectoryStarts& starts, CudaDevice& device)
      : run_(run), starts_(starts), device_(device), kernel_(*run.parts().kernel) {}

  Result<void> all() {
    double seconds = 0;
    const auto function = device_.compiled(cuda_source(kernel_), &seconds);
    if (!function) return std::unexpected(function.error());
    run_.result().compile_seconds = seconds;
    if (auto taken = device_.take(); !taken) return taken;
    const std::size_t runs = run_.inputs().runs;
    const std::size_t most = chunk_size();
    for (std::size_t first = 0; first < runs && run_.go_on(); first += most) {
      const Chunk chunk{.first = first, .runs = std::min(most, runs - first)};
      if (auto done = one(chunk, *function); !done) return done;
    }
    return {};
  }

 private:
  [[nodiscard]] std::size_t chunk_size() {
    const std::size_t numbers =
        static_cast<std::size_t>(kernel_.size()) + run_.inputs().names.size() + run_.parts().width() + 5;
    const auto fits =
        memory_part * static_cast<double>(device_.free_memory()) / (8.0 * static_cast<double>(numbers));
    return std::clamp<std::size_t>(static_cast<std::size_t>(fits), 1, largest_chunk);
  }

  Result<void> one(const Chunk& chunk, void* function) {
    prepare(chunk);
    DeviceSide there;
    CudaArrays arrays;
    if (auto sent = send(chunk, there, arrays); !sent) return sent;
    EnsembleSettings settings = run_.parts().stepping;
    std::array<void*, 2> arguments{&settings, &arrays};
    const auto begin = std::chrono::steady_clock::now();
    if (auto done = device_.launch(function, chunk.runs, arguments.data()); !done) return done;
    run_.result().device_seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (auto got = fetch(chunk, there); !got) return got;
    hand_out(chunk);
    return {};
  }

  void prepare(const Chunk& chunk) {
    const auto size = static_cast<std::size_t>(kernel_.size());
    const auto given = kernel_.given.size();
    const EnsembleInputs& inputs = run_.inputs();
    here_.started.assign(chunk.runs, 1);
    here_.columns.clear();
    TrajectoryStart start;
    if (starts_.common()) {
      (void)starts_.find(chunk.first, start);
      here_.states = start.states;
      here_.given = start.given;
      here_.column.assign(given, -1);
      for (const auto& [g, column] : starts_.given_columns())
        here_.column[static_cast<std::size_t>(g)] = static_cast<int>(column);
      for (const auto& column : inputs.columns)
        here_.columns.insert(here_.columns.end(), column.begin() + static_cast<std::ptrdiff_t>(chunk.first),
                             column.begin() + static_cast<std::ptrdiff_t>(chunk.first + chunk.runs));
      return;
    }
    // Each from the engine: states and given values of all.
    here_.states.assign(size * chunk.runs, 0);
    here_.columns.assign(given * chunk.runs, 0);
    here_.given.assign(given, 0);
    here_.column.resize(given);
    for (std::size_t g = 0; g < given; ++g) here_.column[g] = static_cast<int>(g);
    std::atomic<std::size_t> next{0};
    run_.in_threads(chunk.runs, [&] {
      TrajectoryStart own;
      while (run_.go_on()) {
        const std::size_t k = next.fetch_add(1);
        if (k >= chunk.runs) return;
        if (!starts_.find(chunk.first + k, own)) {
          here_.started[k] = 0;
          continue;
        }
        for (std::size_t i = 0; i < size; ++i) here_.states[(i * chunk.runs) + k] = own.states[i];
        for (std::size_t g = 0; g < given; ++g) here_.columns[(g * chunk.runs) + k] = own.given[g];
      }
    });
  }

  template <class T>
  Result<T*> sent(CudaMemory& memory, const std::vector<T>& values) {
    auto made = device_.allocate(values.size() * sizeof(T));
    if (!made) return std::unexpected(made.error());
    memory = *std::move(made);
    if (auto done = device_.upload(memory, values.data(), values.size() * sizeof(T)); !done)
      return std::unexpected(done.error());
    return memory.as<T>();
  }

  Result<void> send(const Chunk& chunk, DeviceSide& there, CudaArrays& arrays) {
    const std::size_t width = run_.parts().width();
    here_.values.assign(width * chunk.runs, std::numeric_limits<double>::quiet_NaN());
    here_.drift.assign(chunk.runs, 0);
    here_.t_end.assign(chunk.runs, 0);
    here_.counters.assign(4 * chunk.runs, 0);
    const auto states = sent(there.states, here_.states);
    const auto given = sent(there.given, here_.given);
    const auto column = sent(there.column, here_.column);
    const auto columns = sent(there.columns, here_.columns);
    const auto times = sent(there.times, run_.parts().times);
    const auto values = sent(there.values, here_.values);
    const auto drift = sent(there.drift, here_.drift);
    const auto t_end = sent(there.t_end, here_.t_end);
    const auto counters = sent(there.counters, here_.counters);
    for (const auto* const one : {&states, &given, &columns, &times, &values, &drift, &t_end}) {
      if (!*one) return std::unexpected(one->error());
    }
    if (!column || !counters) return std::unexpected((column ? counters : column).error());
    arrays = {.runs = static_cast<long long>(chunk.runs),
              .common_start = starts_.common() ? 1 : 0,
              .states = *states,
              .given = *given,
              .column = *column,
              .columns = *columns,
              .time_count = static_cast<int>(run_.parts().times.size()),
              .times = *times,
              .values = *values,
              .drift = *drift,
              .t_end = *t_end,
              .counters = *counters};
    return {};
  }

  Result<void> fetch(const Chunk& /*chunk*/, const DeviceSide& there) {
    for (const auto& [memory, values] :
         {std::pair{&there.values, &here_.values}, std::pair{&there.drift, &here_.drift},
          std::pair{&there.t_end, &here_.t_end}}) {
      if (auto got = device_.download(values->data(), *memory, values->size() * sizeof(double)); !got)
        return got;
    }
    return device_.download(here_.counters.data(), there.counters, here_.counters.size() * sizeof(int));
  }

  void hand_out(const Chunk& chunk) {
    EnsembleResult& result = run_.result();
    const std::size_t width = run_.parts().width();
    const std::size_t runs = chunk.runs;
    for (std::size_t k = 0; k < runs; ++k) {
      if (here_.started[k] == 0 || here_.counters[k] != kEnsembleOk) continue;
      const std::size_t which = chunk.first + k;
      const std::span<double> row = run_.values(which);
      for (std::size_t i = 0; i < width; ++i) row[i] = here_.values[(i * runs) + k];
      result.t_end[which] = here_.t_end[k];
      result.drift[which] = here_.drift[k];
      result.steps[which] = here_.counters[runs + k];
      result.rejected[which] = here_.counters[(2 * runs) + k];
      result.evaluations[which] = here_.counters[(3 * runs) + k];
      result.status[which] = TrajectoryStatus::Ok;
      run_.count();
    }
  }

  EnsembleRun& run_;
  const TrajectoryStarts& starts_;
  CudaDevice& device_;
  const TrajectoryKernel& kernel_;
  HostSide here_;
};

}  // namespace

Result<void> run_on_gpu(EnsembleRun& run, const TrajectoryStarts& starts) {
  const auto device = CudaDevice::get();
  if (!device) return std::unexpected(device.error());
  if (auto taken = (*device)->take(); !taken) return taken;
  return CudaRun(run, starts, **device).all();
}

}  // namespace daedalus
