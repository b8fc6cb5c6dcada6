// Combinations of relations at an event: those that have no values are left, and where relations switch in
// circles all are tried, one after the other.
#include "consistent/combinations.hpp"
#include "consistent/events.hpp"

namespace daedalus {

bool EventHandler::try_combinations(const std::vector<int>& circling, const std::vector<double>& lower_levels,
                                    const std::vector<signed char>& forced,
                                    const MakeConsistent& make_consistent) {
  const std::vector<double> before(environment_.begin(), environment_.end());
  const auto relations = static_cast<std::size_t>(model_.layout().relations);
  for (const unsigned turns : turns_by_number(static_cast<int>(circling.size()))) {
    std::ranges::copy(before, environment_.begin());
    for (const int level : lower_levels_)
      environment_[static_cast<std::size_t>(model_.layout().levels + level)] =
          lower_levels[static_cast<std::size_t>(level)];
    for (std::size_t k = 0; k < circling.size(); ++k) {
      if (((turns >> k) & 1U) == 0) continue;
      double& flag = environment_[relations + static_cast<std::size_t>(circling[k])];
      flag = flag != 0 ? 0 : 1;
    }
    reset_when_targets();
    run_steps(false, nullptr);
    if (make_consistent({}).empty() && fits(forced)) return true;
  }
  std::ranges::copy(before, environment_.begin());
  return false;
}

// Whether no relation is to switch, and no discrete value changes.
bool EventHandler::fits(const std::vector<signed char>& forced) {
  const auto first = environment_.begin() + model_.layout().discretes;
  const std::vector<double> found(first, environment_.begin() + model_.layout().pres);
  const std::vector<double> flags(
      environment_.begin() + model_.layout().relations,
      environment_.begin() + model_.layout().relations + static_cast<long>(differences_.size()));
  const bool switches = update_relations(forced, search_after);
  std::ranges::copy(flags, environment_.begin() + model_.layout().relations);
  if (switches) return false;
  run_steps(false, nullptr);
  return std::equal(found.begin(), found.end(), first);
}

// A combination of relations for which there are no values is left again: from now on relations switch one at
// a time, and the one that led there not at all. False: nothing had been switched.
bool EventHandler::retreat(const std::vector<double>& held) {
  const auto relations = environment_.begin() + model_.layout().relations;
  if (std::equal(held.begin(), held.end(), relations)) return false;
  if (one_at_a_time_) {
    refused_[static_cast<std::size_t>(last_switched_)] = 1;
  } else {
    refused_.assign(held.size(), 0);
  }
  one_at_a_time_ = true;
  std::ranges::copy(held, relations);
  return true;
}

}  // namespace daedalus
