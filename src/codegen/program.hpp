// A list of expressions compiled to a program that evaluates them all at once, by one of the back ends
// (codegen/back_end.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "codegen/back_end.hpp"
#include "expr/graph.hpp"

namespace daedalus {

class Program {
 public:
  Program() = default;

  // Compiles the roots. `slots` is the size of the environment; slot_of gives every leaf's place in it.
  static Program compile(const ExprGraph& graph, std::span<const NodeId> roots, int slots,
                         const LeafSlot& slot_of, const CodegenOptions& options = {});

  // results[k] = value of roots[k]. `environment` has `slots` values. `workspace` is resized on first use
  // and holds nothing between calls that matters; one a thread. It may serve several programs in turn, at
  // the cost of laying out the constants again whenever the program changes; do not write to it.
  void evaluate(std::span<const double> environment, std::span<double> results,
                std::vector<double>& workspace) const;

  // The same without copying the results out: the value of roots[k] is registers[outputs()[k]].
  const double* run(std::span<const double> environment, std::vector<double>& workspace) const;
  [[nodiscard]] std::span<const std::int32_t> outputs() const { return compiled_.outputs; }

  [[nodiscard]] std::size_t operations() const { return operations_; }  // without leaves and constants
  [[nodiscard]] std::size_t groups() const { return compiled_.evaluator ? compiled_.evaluator->groups() : 0; }
  [[nodiscard]] std::size_t roots() const { return compiled_.outputs.size(); }
  [[nodiscard]] std::string_view back_end() const { return back_end_; }  // its name in the table

 private:
  std::uint64_t id_ = 0;  // of this program among all, so that a workspace can tell whose constants it holds
  std::size_t slots_ = 0;
  std::size_t operations_ = 0;
  std::string_view back_end_ = "interpreter";
  CompiledTape compiled_;
};

}  // namespace daedalus
