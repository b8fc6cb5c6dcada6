// A ReformulatedSystem as an integrator sees it: F(t, u, u') = 0, compiled against the environment of the
// run, which is made longer by the formulation's own unknowns, the rates and the values held during a step.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "integrate/residual_system.hpp"
#include "reform/reformulated.hpp"
#include "simulate/compiled_model.hpp"

namespace daedalus {

class ReformedResidual final : public ResidualSystem {
 public:
  // Lengthens the environment, which belongs to the run.
  ReformedResidual(const CompiledModel& model, ReformulatedSystem system, std::vector<double>& environment);

  [[nodiscard]] int size() const override { return static_cast<int>(system_.unknowns.size()); }
  [[nodiscard]] std::span<const Component> components() const override { return components_; }
  [[nodiscard]] const SparsePattern& pattern() const override { return pattern_; }
  bool residual(double t, std::span<const double> y, std::span<const double> yp,
                std::span<double> r) override;
  bool jacobian(double t, std::span<const double> y, std::span<const double> yp, std::span<double> dy,
                std::span<double> dyp) override;
  [[nodiscard]] std::string trouble() const override;

  [[nodiscard]] const EliminationPlan* elimination() const override {
    return elimination_ ? &*elimination_ : nullptr;
  }
  void set_elimination(std::optional<EliminationPlan> plan) { elimination_ = std::move(plan); }

  [[nodiscard]] const ReformulatedSystem& system() const { return system_; }
  // u, u' ↔ the environment.
  void scatter(double t, std::span<const double> y, std::span<const double> yp);
  void gather(std::span<double> y, std::span<double> yp) const;
  // The slot of a leaf of the model or of the formulation.
  [[nodiscard]] int slot(NodeId leaf) const;
  [[nodiscard]] const CodegenOptions& codegen() const { return model_.codegen(); }
  [[nodiscard]] int slots() const { return slots_; }  // of the environment
  [[nodiscard]] int value_slot(int k) const { return value_slot_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] int rate_slot(int k) const { return rate_slot_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] std::vector<double>& environment() { return environment_; }
  [[nodiscard]] int time_slot() const { return model_.layout().time; }

 private:
  void lay_out();
  void compile();
  void build_pattern();

  const CompiledModel& model_;
  ReformulatedSystem system_;
  std::vector<double>& environment_;
  std::unordered_map<std::int32_t, int> own_slots_;  // by NodeId
  std::vector<int> value_slot_;                      // by unknown
  std::vector<int> rate_slot_;                       // by unknown, or -1
  int slots_ = 0;
  std::vector<Component> components_;
  Program residuals_;
  SparseJacobianProgram jacobian_;  // columns: unknowns, then rates
  SparsePattern pattern_;
  std::optional<EliminationPlan> elimination_;
  std::vector<int> targets_;  // by entry of jacobian_: place in the pattern
  int rate_entries_ = 0;      // entries of jacobian_ from here on belong to rates
  std::vector<double> workspace_, jacobian_workspace_, jacobian_values_;
  int bad_equation_ = -1;
};

}  // namespace daedalus
