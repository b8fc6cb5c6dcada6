// A z = b by LU with pivoting, dense or sparse by its pattern (numerics/linear_solver.hpp): for matrices that
// are not symmetric, whose M is not positive definite, or where elimination without pivoting has lost digits.
// It knows no pivots of constraints.
#pragma once

#include <vector>

#include "core/copied.hpp"
#include "numerics/linear_solver.hpp"
#include "saddle/saddle_system.hpp"

namespace daedalus {

class GeneralSystem final : public SaddleSystem {
 public:
  GeneralSystem(const SaddleEquations& equations, const ProgramSetting& setting);

  [[nodiscard]] std::unique_ptr<SaddleSystem> copy() const override;
  [[nodiscard]] bool factor(std::span<const double> environment) override;
  void solve(std::span<double> b) override { solver_->solve(b); }
  [[nodiscard]] bool solve_at(std::span<const double> environment) override;
  [[nodiscard]] bool pivots_at(std::span<const double> /*environment*/,
                               std::span<double> /*pivots*/) override {
    return false;
  }
  [[nodiscard]] std::string_view name() const override { return solver_->name(); }
  [[nodiscard]] std::size_t operations() const override { return system_.operations(); }
  // By unknown.
  [[nodiscard]] std::span<const double> solution() const override { return solution_; }
  [[nodiscard]] int index(int unknown) const override { return unknown; }
  [[nodiscard]] std::span<const double> accelerations() override {
    return std::span<const double>(solution_).first(first_);
  }
  void state(Archive& archive) override { solver_->state(archive); }

 private:
  std::size_t first_ = 0;
  std::size_t entries_ = 0;
  Program system_;              // the entries, and b
  std::vector<double> values_;  // of it
  std::vector<double> solution_, workspace_;
  Copied<RealSolver> solver_;
};

}  // namespace daedalus
