// The rows of a Runge-Kutta pair as one list of terms: the stages, both error estimates, the dense output.
#pragma once

#include <vector>

#include "ensemble/ensemble_settings.hpp"
#include "ensemble/lane_stepper.hpp"
#include "integrate/erk_sums.hpp"

namespace daedalus {

struct TableauRows {
  std::vector<int> begins{0};
  std::vector<EnsembleTerm> terms;
  std::vector<double> shares;

  explicit TableauRows(const ErkTableau& tableau) {
    for (const ErkRow row : tableau.a) add(shares_of(row, tableau));
    add(shares_of(tableau.error, tableau));
    add(shares_of(tableau.coarse_error, tableau));
    for (const ErkRow row : tableau.dense) add(shares_of(row, tableau));
  }

  [[nodiscard]] FlatTableau flat(const ErkTableau& tableau) const {
    const int all = static_cast<int>(tableau.a.size());
    return {.nodes = tableau.c.data(),
            .begins = begins.data(),
            .terms = terms.data(),
            .shares = shares.data(),
            .stage_count = tableau.stages,
            .all_stages = all,
            .error_row = all,
            .dense_row = all + 2,
            .dense_rows = static_cast<int>(tableau.dense.size()),
            .early = tableau.error.back().stage == tableau.stages};
  }

 private:
  void add(const ErkShares& row) {
    for (std::size_t stage = 0; stage < ErkShares::most; ++stage) {
      if (row.rest[stage] != 0 || row.position[stage] != 0)
        terms.push_back({static_cast<int>(stage), row.rest[stage], row.position[stage]});
    }
    begins.push_back(static_cast<int>(terms.size()));
    shares.push_back(row.velocity);
  }
};

}  // namespace daedalus
