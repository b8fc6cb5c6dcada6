// What an equation of its own gives explicitly is computed and not iterated on: of a model's level equations,
// the algebraic unknowns that are eliminated for an integrator, the equations that are left with them written
// out, and the Jacobian of these by elimination from that of the model.
#pragma once

#include <compare>
#include <span>
#include <vector>

#include "codegen/program.hpp"
#include "systems/compiled_model.hpp"

namespace daedalus {

class ExplicitLevels {
 public:
  // One entry of a gradient with respect to the integrator's vector: ∂/∂y of a component, or ∂/∂y'.
  struct Place {
    int component = 0;
    bool rate = false;
    friend bool operator==(const Place&, const Place&) = default;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  // A summand of an entry: value `entry` of the model's Jacobian times the derivative `from`.
  struct Product {
    int entry = 0;
    int from = 0;
  };
  struct Filled {
    int row = 0;  // as in `row_of_equation`
    Place place;
    Product product;
  };

  // `may_define`: by level equation, whether it takes part.
  ExplicitLevels(const LevelSystem& levels, const std::vector<bool>& may_define);

  [[nodiscard]] bool empty() const { return order_.empty(); }
  [[nodiscard]] int count() const { return static_cast<int>(order_.size()); }
  [[nodiscard]] bool has_level(int level) const { return equation_of_[static_cast<std::size_t>(level)] >= 0; }
  [[nodiscard]] bool has_equation(int equation) const {
    return defines_[static_cast<std::size_t>(equation)] >= 0;
  }
  // `row_of_equation` and the place of each level that is left, once these are numbered.
  void compile(const CompiledModel& model, const std::vector<int>& row_of_equation,
               const std::vector<Place>& place_of_level);

  // The levels, from those that are left.
  void evaluate(std::span<double> environment, std::vector<double>& workspace) const;
  // The equations that are left, each in its row, at levels that are left.
  [[nodiscard]] const Program& residuals() const { return residuals_; }
  // Derivatives of the levels, in the order that filled() refers to, from the model's Jacobian.
  void differentiate(std::span<const double> jacobian_values, std::vector<double>& derivatives) const;
  // What comes into the Jacobian of the equations that are left.
  [[nodiscard]] const std::vector<Filled>& filled() const { return filled_; }
  // The first equation in the order of evaluation whose level has no finite value; -1: all have.
  [[nodiscard]] int not_finite(std::span<const double> environment) const;

 private:
  struct Term {
    int to = 0;
    int entry = 0;
    int from = -1;  // -1: 1
    double scale = 0;
  };
  void choose(const std::vector<bool>& may_define);
  void sort_by_dependence();
  void limit_growth();
  void compile_values(const CompiledModel& model, const std::vector<int>& row_of_equation);
  void plan_derivatives(const SparseJacobianProgram& jacobian, const std::vector<int>& row_of_equation,
                        const std::vector<Place>& place_of_level);

  const LevelSystem& levels_;
  int first_slot_ = 0;            // of the levels in the environment
  std::vector<int> equation_of_;  // by level: the level equation that gives it, or -1
  std::vector<int> defines_;      // by level equation: the level, or -1
  std::vector<double> factor_;    // by level: of the level in its equation
  struct Input {
    int level = 0;
    double factor = 0;  // with which it enters, if that is a number; otherwise 0
  };
  std::vector<std::vector<Input>> inputs_;  // by level equation that takes part: levels that it holds
  std::vector<int> order_;                  // levels, each after those that it needs
  Program values_, residuals_;
  std::vector<Term> terms_;
  std::size_t derivatives_ = 0;
  std::vector<Filled> filled_;
};

}  // namespace daedalus
