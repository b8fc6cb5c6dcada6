// A level system made ready to be evaluated: every expression compiled against one environment of values.
//
// The environment is one array: time, the levels, the discrete variables, their pre values, the truth
// values of relations and samples, the flag of initialisation. It is the whole state of a run.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/jacobian.hpp"
#include "codegen/program.hpp"
#include "reform/level_system.hpp"
#include "reform/selection.hpp"

namespace daedalus {

// Where things are in the environment.
struct Layout {
  int time = 0;
  int initial = 1;
  int levels = 2;  // first of them
  int discretes = 0;
  int pres = 0;
  int relations = 0;
  int samples = 0;
  int size = 0;
  std::vector<int> discrete_slot;  // by VariableId, or -1
  std::vector<int> pre_slot;       // by VariableId, or -1: pre() of it is never asked for
};

// An output of a run: a name and where its value comes from.
struct OutputSignal {
  std::string name;
  std::string unit;
  std::string description;
  bool discrete = false;
};

// What initialisation solves: the equations of all levels and the initial equations, for the levels and the
// parameters with fixed = false.
struct StartConditions {
  std::vector<VariableId> parameters;  // unknown ones: further columns
  bool as_compiled = true;             // nothing is added to the model's own residuals and Jacobian
  Program residuals;                   // otherwise
  SparseJacobianProgram jacobian;
};

class CompiledModel {
 public:
  // `vars`: the signals that results report, by name, "der(x)" for a derivative; none: all.
  // Fails when an expression outside the equations asks for a derivative that the equations do not have.
  [[nodiscard]] static Result<std::unique_ptr<CompiledModel>> compile(
      std::shared_ptr<const LevelSystem> system, const CodegenOptions& codegen = {},
      std::span<const std::string> vars = {});
  [[nodiscard]] static Result<std::unique_ptr<CompiledModel>> compile(
      LevelSystem system, const CodegenOptions& codegen = {}, std::span<const std::string> vars = {}) {
    return compile(std::make_shared<const LevelSystem>(std::move(system)), codegen, vars);
  }

  [[nodiscard]] const LevelSystem& levels() const { return *system_; }
  [[nodiscard]] const std::shared_ptr<const LevelSystem>& shared_levels() const { return system_; }
  [[nodiscard]] const DaeSystem& dae() const { return system_->system(); }
  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] const CodegenOptions& codegen() const { return codegen_; }
  [[nodiscard]] int level_count() const { return static_cast<int>(system_->levels.size()); }
  [[nodiscard]] int equation_count() const { return static_cast<int>(system_->equations.size()); }

  // Further expressions against the same environment.
  [[nodiscard]] ProgramSetting setting() const;
  [[nodiscard]] Program compile(std::span<const NodeId> roots, std::span<const int> destinations = {}) const;
  // Derivatives with respect to the levels and, in further columns, to discrete variables (unknown
  // parameters).
  [[nodiscard]] SparseJacobianProgram compile_jacobian(std::span<const NodeId> roots,
                                                       const std::vector<VariableId>& further) const;
  // The slot of a leaf, or -1.
  [[nodiscard]] int slot(NodeId leaf) const;
  // An environment at the start values: discrete variables and pre values at their start, all else zero.
  [[nodiscard]] std::vector<double> fresh_environment() const;

  // A(t, levels): the residuals of all level equations, and their derivatives with respect to the levels.
  Program residuals;
  [[nodiscard]] const SparseJacobianProgram& jacobian() const;  // compiled when first asked for
  // The formulation has a Jacobian of its own, so that this one serves the start only, if that.
  void spare_jacobian();
  [[nodiscard]] bool spares_jacobian() const { return spares_jacobian_; }
  // What a consistent start needs of it: of the equations that hold highest derivatives, which are those
  // differentiated most, only the derivatives with respect to these.
  [[nodiscard]] SparseJacobianProgram compile_start_jacobian() const;
  // Programs of the start, each compiled once, when first asked for; any number of threads may ask.
  [[nodiscard]] const SparseJacobianProgram& start_jacobian() const;
  [[nodiscard]] const StartConditions& start_conditions() const;
  // Compiles beforehand what a usual start asks for.
  void prepare_start() const;
  Program relations;  // Relation::difference of each
  // ∂f_i/∂x_j^(d_j - c_i) of differentiated equations: what dummies are selected by.
  SelectionProblem selection;
  Program selection_values;
  // Everything that results report, in the order of declaration.
  std::vector<OutputSignal> output_signals;
  Program outputs;
  // Their expressions, before compilation.
  [[nodiscard]] const std::vector<NodeId>& output_nodes() const { return output_nodes_; }
  // For several environments at once (core/lanes.hpp): the outputs, then the residuals, then the conditions
  // of assertions. Null: it is not to be had, or would take long to compile. Compiled when first asked for.
  [[nodiscard]] const Program* lane_records() const;
  // Left-limit values for pre(): pre_sources' k-th root belongs to variable pre_variables[k].
  std::vector<VariableId> pre_variables;
  Program pre_sources;

 private:
  CompiledModel(std::shared_ptr<const LevelSystem> system, const CodegenOptions& codegen)
      : system_(std::move(system)), codegen_(codegen) {}
  void collect_leaves();
  void lay_out();
  [[nodiscard]] Result<void> check_leaves() const;
  [[nodiscard]] std::vector<NodeId> level_residuals() const;
  [[nodiscard]] CodegenOptions jacobian_codegen() const;
  void compile_outputs(std::span<const std::string> vars);
  [[nodiscard]] Result<void> check_derivatives(std::span<const std::string> vars) const;
  [[nodiscard]] NodeId derivative_of(std::string_view name) const;
  void compile_pre_sources();

  std::shared_ptr<const LevelSystem> system_;
  CodegenOptions codegen_;
  bool spares_jacobian_ = false;
  // Compiled when first asked for, from a copy of the graph: threads that read the graph are not disturbed.
  mutable std::once_flag jacobian_made_;
  mutable std::unique_ptr<const SparseJacobianProgram> jacobian_;
  mutable std::once_flag start_jacobian_once_, start_conditions_once_;
  mutable std::unique_ptr<const SparseJacobianProgram> start_jacobian_;
  mutable std::unique_ptr<const StartConditions> start_conditions_;
  mutable std::once_flag lane_records_once_;
  mutable std::optional<Program> lane_records_;
  std::vector<NodeId> output_nodes_;
  std::vector<NodeId> leaves_;  // that any expression mentions
  Layout layout_;
};

}  // namespace daedalus
