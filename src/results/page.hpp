// The page of a run: one HTML file that fetches nothing, with trajectories to zoom into, drift, step sizes,
// the structure, the summary and, of mechanisms, an animation. Its look and behaviour are files of their own,
// in results/page/, which the build puts into the library.
#pragma once

#include <string>
#include <vector>

#include "mechanics/mechanism.hpp"
#include "model/dae_system.hpp"
#include "record/trajectory.hpp"
#include "results/step_log.hpp"

namespace daedalus {

struct PageInput {
  const RunResult* result = nullptr;        // with the status "file": only its trajectory is known
  const DaeSystem* system = nullptr;        // for the structure; null: none is shown
  const Mechanism* mechanism = nullptr;     // for the animation; null: none
  const StepLog* steps = nullptr;           // null: not shown
  std::string command;                      // that makes the page again; may be empty
  std::vector<std::string> variables = {};  // drawn at first; empty: those that a plot would show
  std::vector<std::string> preferred = {};  // as in PlotOptions
  std::string title = "Run";                // where no system gives its name
};

// Signals of a mechanism to look at first: with loops the places of its markers, else what its joints do,
// else the places of its markers or first bodies.
[[nodiscard]] std::vector<std::string> telling_signals(const Mechanism& mechanism);

// At most about 5 MB whatever the run: what there is no room for is thinned out, and the page says so.
[[nodiscard]] Result<std::string> run_page(const PageInput& input);

}  // namespace daedalus
