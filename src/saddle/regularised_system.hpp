// clang-format off
// A symmetric strategy whose constraints may be dependent, or become so: as it is as long as they are not,
// and otherwise the panels of [M Gᵀ; G -δD] with refinement, D being the diagonal of G M⁻¹ Gᵀ.
//
// With δ the multipliers are those of S + δD instead of S = G M⁻¹ Gᵀ. In the eigenvectors of S relative to D,
// with eigenvalues σ, the solution of S λ = r comes out as λ σ/(σ + δ): δ/(σ + δ) of it is missing. Each step
// of refinement solves for what is left of r, and leaves that part of that part. Three regions follow:
//
//   σ ≫ δ      nothing has changed: after one step the error is (δ/σ)². Where bodies are very different
//              σ goes down to 1e-9, and more steps are needed: as many as the first point shows
//   σ ≈ δ      near points where constraints lose rank multipliers stay finite (soften)
//   σ = 0      r has no part there, and neither has λ: of all multipliers with the same forces Gᵀλ these have
//              the least Σ D_i λ_i². In this norm every λ_i counts by the acceleration that it makes, so that
//              neither the units of a constraint nor those of coordinates matter.
//
// For redundant constraints δ is RankPolicy::square, what elimination cannot tell from zero.
// clang-format on
#pragma once

#include <memory>
#include <vector>

#include "core/copied.hpp"
#include "saddle/panel_system.hpp"
#include "saddle/pivot_rank.hpp"
#include "saddle/saddle_residual.hpp"
#include "saddle/saddle_system.hpp"

namespace daedalus {

class RegularisedSystem final : public SaddleSystem {
 public:
  // Around a strategy that has panels.
  explicit RegularisedSystem(std::unique_ptr<SaddleSystem> inner);

  // At the first point: are constraints redundant, is elimination without pivoting exact enough, does it need
  // refinement? False: M is not positive definite or not finite there, or entries are so different that too
  // many digits are lost. Where the solution is may be another afterwards.
  [[nodiscard]] bool prepare(std::span<const double> environment);
  [[nodiscard]] bool prepared() const { return prepared_; }
  // Constraints that followed from others at the first point.
  [[nodiscard]] bool has_redundant() const { return rank_.has_redundant(); }
  // Whether the last solution solves a system that differs by little from the one at this point.
  [[nodiscard]] bool holds(std::span<const double> environment);
  // Where it does not: another one, with more refinement than until now, and from now on. False: none holds.
  [[nodiscard]] bool improve(std::span<const double> environment);

  // From now on with δ = part, and back.
  void soften(double part);
  void harden();
  [[nodiscard]] bool soft() const { return soft_; }

  // How far the constraints are from losing rank, by PivotRank.
  [[nodiscard]] double regularity(std::span<const double> environment) {
    return pivots_at(environment, rank_.pivots()) ? rank_.regularity() : 0;
  }
  // solve_constraints() from now on with the matrix of this point. False: a pivot is zero or not finite.
  [[nodiscard]] bool factor_constraints(std::span<const double> environment) {
    return pivots_at(environment, std::span(z_).first(rank_.pivots().size()));
  }
  // How many pivots are below this part of their largest, at the point of the last regularity().
  [[nodiscard]] int vanished(double part) const { return rank_.vanished(part); }

  [[nodiscard]] std::unique_ptr<SaddleSystem> copy() const override;
  [[nodiscard]] bool factor(std::span<const double> environment) override;
  void solve(std::span<double> b) override;
  [[nodiscard]] bool solve_at(std::span<const double> environment) override;
  [[nodiscard]] bool pivots_at(std::span<const double> environment, std::span<double> pivots) override;
  void prepare_pivots() override { inner_->prepare_pivots(); }
  [[nodiscard]] std::string_view name() const override { return active().name(); }
  [[nodiscard]] std::size_t operations() const override { return active().operations(); }
  [[nodiscard]] std::span<const double> solution() const override { return active().solution(); }
  [[nodiscard]] int index(int unknown) const override { return active().index(unknown); }
  void complete() override { active().complete(); }
  [[nodiscard]] std::span<const double> accelerations() override { return active().accelerations(); }
  [[nodiscard]] bool solves_constraints() const override {
    return !refined() && inner_->solves_constraints();
  }
  [[nodiscard]] std::span<const double> solve_constraints(std::span<const double> c) override {
    return inner_->solve_constraints(c);
  }
  [[nodiscard]] std::span<const NodeId> expressions() const override {
    return refined() ? std::span<const NodeId>() : inner_->expressions();
  }
  [[nodiscard]] Sequel* sequel() override { return refined() ? nullptr : inner_->sequel(); }
  [[nodiscard]] PanelSystem* panels() override { return inner_->panels(); }
  void state(Archive& archive) override;

  [[nodiscard]] int size() const { return whole().size(); }

 private:
  [[nodiscard]] PanelSystem& whole() const { return *inner_->panels(); }
  // Every solution is, and the panels are used.
  [[nodiscard]] bool refined() const { return soft_ || refinements_ > 0; }
  [[nodiscard]] SaddleSystem& active() const {
    return refined() ? static_cast<SaddleSystem&>(whole()) : *inner_;
  }
  void set_delta(double part);
  void load(std::span<const double> environment);
  void eliminate(std::span<const double> environment);
  void refine();
  [[nodiscard]] double backward_error(std::span<const double> environment);
  [[nodiscard]] bool find_accurate(std::span<const double> environment);

  Copied<SaddleSystem> inner_;
  SaddleResidual residual_;
  bool prepared_ = false;
  bool soft_ = false;
  int refinements_ = 0;        // of every solution, where it is not soft
  std::vector<double> schur_;  // by constraint: the diagonal of G M⁻¹ Gᵀ at the first point
  PivotRank rank_;
  std::vector<double> z_;  // by position
};

}  // namespace daedalus
