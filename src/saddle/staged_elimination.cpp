#include "saddle/staged_elimination.hpp"

namespace daedalus {

void StagedElimination::plan(StaticLdl& ldl, const Program& program, std::span<const int> destinations) {
  stages_ = program.parts() > 1 ? program.parts() : 0;
  if (stages_ == 0) return;
  std::vector<int> stage(ldl.values().size(), -1);
  const std::span<const int> parts = program.root_parts();
  for (std::size_t r = 0; r < parts.size(); ++r) stage[static_cast<std::size_t>(destinations[r])] = parts[r];
  ldl.plan_stages(stage, stages_);
}

void StagedElimination::run(StaticLdl& ldl, const Program& program, std::span<const double> environment,
                            std::vector<double>& workspace) const {
  if (stages_ == 0) {
    ldl.reset();
    program.evaluate(environment, ldl.values(), workspace);
    ldl.eliminate();
    return;
  }
  for (std::size_t s = 0; s < stages_; ++s) {
    ldl.reset(s);
    program.evaluate_part(s, environment, ldl.values(), workspace);
    ldl.eliminate(s);
  }
}

}  // namespace daedalus
