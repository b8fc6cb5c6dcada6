// What goes over time on a page: signals, drift, steps.
#pragma once

#include "record/trajectory.hpp"
#include "results/page_blob.hpp"
#include "results/step_log.hpp"

namespace daedalus {

// [{"time", "stride", "signals": [{"name", "unit", "description", "discrete", "data"}]}]: a table of all
// rows, and one of every stride-th row with the signals that there was no room for in the first. `first`: the
// columns that come first.
[[nodiscard]] PageJson signal_tables(const Trajectory& trajectory, const std::vector<std::size_t>& first,
                                     std::size_t budget, PageBlob& blob);

// {"time", "levels": [data]}: the largest drift in each of a few thousand stretches of time.
[[nodiscard]] PageJson drift_series(const Trajectory& trajectory, PageBlob& blob);

// {"t", "h", "order", "count"}; of very many steps the shortest and the longest of each group.
[[nodiscard]] PageJson step_series(const StepLog& steps, PageBlob& blob);

}  // namespace daedalus
