// A ReformulatedSystem as an integrator sees it: F(t, u, u') = 0, compiled against an environment that is
// that of the model and, behind it, the formulation's own unknowns, the rates and the values held during a
// step.
//
// It is bound to the memory of one run by bind(); a copy is bound anew. Programs are shared by copies.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "integrate/residual_system.hpp"
#include "numerics/vectors.hpp"
#include "reform/reformulated.hpp"
#include "systems/compiled_model.hpp"

namespace daedalus {

class ReformedResidual final : public ResidualSystem {
 public:
  ReformedResidual(const CompiledModel& model, ReformulatedSystem system);

  // From now on values are read and written here; slots() of them.
  void bind(std::span<double> environment) { environment_ = environment; }

  [[nodiscard]] int size() const override { return static_cast<int>(system_->unknowns.size()); }
  [[nodiscard]] std::span<const Component> components() const override { return components_; }
  [[nodiscard]] const SparsePattern& pattern() const override { return derivatives().pattern; }
  // Compiles residuals and derivatives, which otherwise are compiled when they are first asked for: explicit
  // methods ask for neither.
  void compile() const;
  // F(t, y, y') and the entries of its Jacobian.
  [[nodiscard]] std::vector<ProgramSize> programs() const;
  bool residual(double t, std::span<const double> y, std::span<const double> yp,
                std::span<double> r) override;
  bool jacobian(double t, std::span<const double> y, std::span<const double> yp, std::span<double> dy,
                std::span<double> dyp) override;
  [[nodiscard]] std::string trouble() const override;

  [[nodiscard]] const EliminationPlan* elimination() const override {
    return elimination_ ? &*elimination_ : nullptr;
  }
  void set_elimination(std::optional<EliminationPlan> plan) { elimination_ = std::move(plan); }

  [[nodiscard]] const ReformulatedSystem& system() const { return *system_; }
  [[nodiscard]] const std::shared_ptr<const ReformulatedSystem>& shared_system() const { return system_; }
  // u, u' ↔ the environment; an empty yp is left out.
  void scatter(double t, std::span<const double> y, std::span<const double> yp);
  void gather(std::span<double> y, std::span<double> yp) const;
  // The slot of a leaf of the model or of the formulation.
  [[nodiscard]] int slot(NodeId leaf) const { return slot_map_->slot(leaf); }
  [[nodiscard]] const CodegenOptions& codegen() const { return model_.codegen(); }
  [[nodiscard]] int slots() const { return slots_; }  // of the environment
  // So many more, before anything is compiled against them; the first of them.
  [[nodiscard]] int add_slots(int count);
  [[nodiscard]] int value_slot(int k) const { return value_slot_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] int rate_slot(int k) const { return rate_slot_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] std::span<double> environment() const { return environment_; }
  // Where each leaf of the model or of the formulation has its place.
  struct SlotMap {
    const CompiledModel* model = nullptr;
    std::unordered_map<std::int32_t, int> own;  // by NodeId
    [[nodiscard]] int slot(NodeId leaf) const;
  };
  [[nodiscard]] const std::shared_ptr<const SlotMap>& slot_map() const { return slot_map_; }
  [[nodiscard]] int time_slot() const { return model_.layout().time; }

 private:
  void lay_out();
  [[nodiscard]] int program_slot(NodeId leaf) const;
  void set_arguments(double t, std::span<const double> y, std::span<const double> yp);
  struct Derivatives {
    SparseJacobianProgram program;  // columns: unknowns, then rates
    SparsePattern pattern;
    std::vector<int> targets;  // by entry of the program: place in the pattern
    int rate_entries = 0;      // entries of the program from here on belong to rates
    // Columns of unknowns that are found by differences and not by the program, if any: by column its
    // entries, and which columns are moved together, no equation having two of them (Curtis, Powell and Reid,
    // 1974).
    struct Difference {
      int row;
      int target;
    };
    std::vector<std::vector<Difference>> differences;
    std::vector<std::vector<int>> groups;
  };
  [[nodiscard]] const Program& residuals() const;
  [[nodiscard]] const Derivatives& derivatives() const;
  [[nodiscard]] std::vector<NodeId> roots() const;
  // By unknown: the equations that hold it, where these share so much that derivatives written out would be
  // far longer than they are; otherwise empty.
  [[nodiscard]] std::vector<std::vector<int>> rows_to_difference() const;
  static void build_pattern(Derivatives& derivatives, std::vector<std::vector<int>> held);
  bool difference(std::span<const double> y, std::span<double> dy);

  const CompiledModel& model_;
  std::shared_ptr<const ReformulatedSystem> system_;
  std::span<double> environment_;
  std::shared_ptr<const SlotMap> slot_map_;
  std::vector<int> value_slot_;         // by unknown
  std::vector<int> rate_slot_;          // by unknown, or -1
  IndexedCopy put_values_, put_rates_;  // into the environment
  // The programs read u and u' from slots of their own, one after the other.
  int first_value_ = 0;
  int first_rate_ = 0;
  std::unordered_map<std::int32_t, int> program_slots_;  // of unknowns and rates, by NodeId
  int slots_ = 0;
  std::vector<Component> components_;
  // Compiled when first asked for, for all copies; once the graph is frozen, each copy for itself.
  struct Compiled {
    std::shared_ptr<const Program> residuals;
    std::shared_ptr<const Derivatives> derivatives;
  };
  mutable std::shared_ptr<Compiled> compiled_ = std::make_shared<Compiled>();
  [[nodiscard]] Compiled& compiled() const;
  std::optional<EliminationPlan> elimination_;
  std::vector<double> workspace_, jacobian_workspace_, jacobian_values_, base_, moved_;
  int bad_equation_ = -1;
};

}  // namespace daedalus
