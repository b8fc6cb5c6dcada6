// A strategy that is made for one right-hand side, that of the equations, and leaves others to the panels of
// the whole matrix.
#pragma once

#include "saddle/panel_system.hpp"
#include "saddle/saddle_system.hpp"

namespace daedalus {

class FusedSystem : public SaddleSystem {
 public:
  [[nodiscard]] bool factor(std::span<const double> environment) final {
    whole_.expect_many_points();
    return whole_.factor(environment);
  }
  void solve(std::span<double> b) final { whole_.solve(b); }
  // By unknown.
  [[nodiscard]] std::span<const double> solution() const final { return solution_; }
  [[nodiscard]] int index(int unknown) const final { return unknown; }
  [[nodiscard]] std::span<const double> accelerations() final {
    return std::span<const double>(solution_).first(static_cast<std::size_t>(whole_.first()));
  }
  [[nodiscard]] PanelSystem* panels() final { return &whole_; }
  void state(Archive& archive) override {
    archive.section("fused", 1);
    archive.sized(solution_.size(), solution_);
    whole_.state(archive);
  }

 protected:
  explicit FusedSystem(PanelSystem whole)
      : whole_(std::move(whole)), solution_(static_cast<std::size_t>(whole_.size())) {}

  PanelSystem whole_;             // NOLINT: of its strategies
  std::vector<double> solution_;  // NOLINT
};

}  // namespace daedalus
