#include "simulate/run.hpp"

#include "advise/plan.hpp"
#include "simulate/engine.hpp"

namespace daedalus {

Result<RunResult> simulate(const DaeSystem& system, const RunOptions& options) {
  auto planned = plan(system, options);
  if (!planned) return std::unexpected(planned.error());
  const auto engine = Engine::make(*std::move(planned));
  if (!engine) return std::unexpected(engine.error());
  return (*engine)->run_here(
      {.progress = options.progress, .observers = options.observers, .dense = options.dense});
}

}  // namespace daedalus
