// A coarse run ahead, for advice: where does the motion lead, how fast does it change, does it meet a
// singular point. The underlying ODE by an explicit method with projection, until the first event, the first
// singular point, or until the budget is spent.
#pragma once

#include <functional>
#include <optional>

#include "advise/advice.hpp"
#include "constraints/rank_profile.hpp"

namespace daedalus {

struct ExplorationPlan {
  const CompiledModel& model;
  const ConstrainedForm& form;
  std::span<const double> environment;  // consistent values
  double length = 1;
  CourseRank& rank;
  int samples = 8;                                      // about so many calls of
  std::function<void(std::span<const double>)> sample;  // with the environment at a point on the way
};

struct Exploration {
  double until = 0;          // length of the stretch that was seen
  double solution_rate = 0;  // |x^(m)|/|x^(m-1)|, the median over the way; 0: not known
  bool stiff = false;        // the steps were limited by stability, not by accuracy
  std::optional<RankChange> singular;
};

[[nodiscard]] Exploration explore(const ExplorationPlan& plan);

}  // namespace daedalus
