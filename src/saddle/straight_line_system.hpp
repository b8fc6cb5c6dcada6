// The solution written out: L D Lᵀ and both substitutions as expressions (saddle/elimination.hpp), compiled
// together with the entries and b, so that what is common is computed once and what is zero not at all. For
// small systems nothing is faster.
#pragma once

#include <memory>
#include <vector>

#include "saddle/fused_system.hpp"

namespace daedalus {

class StraightLineSystem final : public FusedSystem {
 public:
  // Null where there are too many unknowns or operations. Otherwise it takes the panels over.
  [[nodiscard]] static std::unique_ptr<StraightLineSystem> make(const SaddleEquations& equations,
                                                                const ProgramSetting& setting,
                                                                PanelSystem& whole,
                                                                const Sequel::Given& sequel = {});

  [[nodiscard]] std::unique_ptr<SaddleSystem> copy() const override;
  [[nodiscard]] bool solve_at(std::span<const double> environment) override;
  // By a program of its own where prepare_pivots() has made it, otherwise by panels.
  [[nodiscard]] bool pivots_at(std::span<const double> environment, std::span<double> pivots) override;
  void prepare_pivots() override;
  [[nodiscard]] std::string_view name() const override { return "straight-line"; }
  [[nodiscard]] std::size_t operations() const override { return solution_at_.operations(); }
  [[nodiscard]] std::span<const NodeId> expressions() const override { return solution_nodes_; }
  [[nodiscard]] Sequel* sequel() override { return has_sequel_ ? &sequel_ : nullptr; }

 private:
  StraightLineSystem(const ExprGraph& graph, ProgramSetting setting, PanelSystem whole)
      : FusedSystem(std::move(whole)), graph_(&graph), setting_(std::move(setting)) {}

  const ExprGraph* graph_;
  ProgramSetting setting_;
  std::vector<NodeId> solution_nodes_;  // by unknown
  Program solution_at_;
  bool has_sequel_ = false;
  Sequel sequel_;
  std::vector<NodeId> pivot_nodes_;  // of the constraints
  Program pivots_at_;
  std::vector<double> workspace_, pivot_workspace_;
};

}  // namespace daedalus
