// The steps of a run, for its page.
#pragma once

#include <vector>

namespace daedalus {

// Of every accepted step: where it ended, how long it was, of which order.
struct StepLog {
  std::vector<double> times;
  std::vector<double> sizes;
  std::vector<int> orders;
};

}  // namespace daedalus
