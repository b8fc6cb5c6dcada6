#include "simulate/run.hpp"

#include "advise/plan.hpp"
#include "simulate/engine.hpp"

namespace daedalus {

Result<RunResult> simulate(const DaeSystem& system, const RunOptions& options) {
  auto planned = plan(system, options);
  if (!planned) return std::unexpected(planned.error());
  const auto engine = compile(*std::move(planned));
  if (!engine) return std::unexpected(engine.error());
  return (*engine)->run(
      {.progress = options.progress, .observers = options.observers, .dense = options.dense});
}

}  // namespace daedalus
