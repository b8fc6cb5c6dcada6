// A model whose events are handled one by one, without an integrator.
#pragma once

#include <string>
#include <vector>

#include "consistent/algebraic_solver.hpp"
#include "consistent/events.hpp"
#include "consistent/support.hpp"

namespace daedalus::testing {

// A model with events at a time of one's choice, whose continuous values are solved for as a run does.
struct Handled : Started {
  explicit Handled(const std::string& text, double hysteresis = 0)
      : Started(text, hysteresis), solver(*model, {.relative = 1e-9, .absolute = 1e-9}) {
    EXPECT_TRUE(ok()) << outcome.reason;
    std::vector<int> states;
    const LevelSystem& levels = model->levels();
    for (std::size_t k = 0; k < levels.levels.size(); ++k) {
      const int j = levels.incidence.column[levels.levels[k].variable.at()];
      if (levels.levels[k].order < levels.plan.d[static_cast<std::size_t>(j)])
        states.push_back(static_cast<int>(k));
    }
    solver.select(states);
    events->begin(environment[static_cast<std::size_t>(model->layout().time)]);
  }
  EventReport at(double t, const std::vector<int>& crossed = {}) {
    environment[static_cast<std::size_t>(model->layout().time)] = t;
    return events->handle(t, crossed, [this](const std::vector<Reinit>& reinits) {
      asked.insert(asked.end(), reinits.begin(), reinits.end());
      for (const Reinit& reinit : reinits)
        environment[static_cast<std::size_t>(model->layout().levels + reinit.level)] = reinit.value;
      return solver.solve(environment, true) == AlgebraicStatus::Ok ? std::string()
                                                                    : std::string("not solved");
    });
  }
  void put(const std::string& name, double value) {
    const DaeSystem& dae = model->dae();
    for (std::size_t v = 0; v < dae.variables.size(); ++v) {
      if (dae.variables[v].name != name) continue;
      environment[static_cast<std::size_t>(model->slot(dae.graph->variable(VariableId(v))))] = value;
    }
  }
  // By its text: relations may be in any order.
  [[nodiscard]] int relation(const std::string& wanted) const {
    for (std::size_t r = 0; r < model->dae().relations.size(); ++r) {
      if (relation_text(model->dae(), static_cast<int>(r)).find(wanted) != std::string::npos)
        return static_cast<int>(r);
    }
    ADD_FAILURE() << wanted;
    return -1;
  }
  AlgebraicSolver solver;
  std::vector<Reinit> asked;
};

}  // namespace daedalus::testing
