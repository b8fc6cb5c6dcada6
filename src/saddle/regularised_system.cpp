#include "saddle/regularised_system.hpp"

#include <algorithm>

#include "numerics/rank_policy.hpp"
#include "numerics/vectors.hpp"

namespace daedalus {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// The backward error of a solution: thousands of roundings at the first point, where nothing is known yet;
// later, what is still far below the tolerance of any integration.
constexpr double accurate = 1e-12;
constexpr double accurate_later = 1e-9;
// Each gains δ/(σ + δ): so many reach `accurate` from σ = δ/30 on. What is smaller still is noise.
constexpr int most_refinements = 8;

}  // namespace

RegularisedSystem::RegularisedSystem(std::unique_ptr<SaddleSystem> inner)
    : inner_(std::move(inner)), residual_(whole()), z_(at(whole().size())) {}

std::unique_ptr<SaddleSystem> RegularisedSystem::copy() const {
  return std::make_unique<RegularisedSystem>(*this);
}

void RegularisedSystem::set_delta(double part) {
  std::vector<double> delta(schur_);
  for (double& one : delta) one *= part;
  whole().set_delta(delta);
}

void RegularisedSystem::load(std::span<const double> environment) {
  if (prepared_ && refined()) whole().expect_many_points();
  whole().load(environment);
}

// The matrix at a point, L and D, and what the residual needs of it.
void RegularisedSystem::eliminate(std::span<const double> environment) {
  load(environment);
  residual_.fetch(whole());
  whole().eliminate();
}

bool RegularisedSystem::prepare(std::span<const double> environment) {
  PanelSystem& panels = whole();
  load(environment);
  residual_.fetch(panels);
  if (!residual_.finite()) return false;
  schur_ = residual_.schur_diagonal();
  set_delta(RankPolicy::not_zero);  // nothing is known of redundancies yet
  load(environment);
  panels.eliminate();
  if (!panels.regular()) return false;
  for (int j = 0; j < panels.first(); ++j) {
    if (!(panels.pivot(j) > 0)) return false;
  }
  std::vector<double> pivots;
  for (int i = panels.first(); i < size(); ++i) pivots.push_back(-panels.pivot(i));
  rank_.begin(pivots, schur_);
  harden();
  prepared_ = find_accurate(environment);
  return prepared_;
}

// Whether solutions are those of a system that differs by rounding only; refined, if need be.
bool RegularisedSystem::find_accurate(std::span<const double> environment) {
  const int most = has_redundant() ? most_refinements : 1;
  for (refinements_ = has_redundant() ? 1 : 0; refinements_ <= most; ++refinements_) {
    if (!solve_at(environment)) return false;
    if (backward_error(environment) <= accurate) return true;
  }
  return false;
}

bool RegularisedSystem::holds(std::span<const double> environment) {
  return backward_error(environment) <= accurate_later;
}

// The constraints have come nearer to another dependence than they were at the first point.
bool RegularisedSystem::improve(std::span<const double> environment) {
  while (has_redundant() && !soft_ && refinements_ < most_refinements) {
    ++refinements_;
    if (!solve_at(environment)) return false;
    if (holds(environment)) return true;
  }
  return false;
}

void RegularisedSystem::soften(double part) {
  set_delta(part);
  soft_ = true;
}

void RegularisedSystem::harden() {
  set_delta(has_redundant() ? RankPolicy::square : 0);
  soft_ = false;
}

// Of the last solution, which stays.
double RegularisedSystem::backward_error(std::span<const double> environment) {
  complete();
  const std::span<const double> z = solution();
  for (int i = 0; i < size(); ++i) z_[at(whole().position(i))] = z[at(index(i))];
  load(environment);
  residual_.fetch(whole());
  copy_values(z_, whole().right_side());
  return residual_.backward_error(z_);
}

// z += (A with δ)⁻¹ (b - A z) for the solution in the panels.
void RegularisedSystem::refine() {
  const std::span<double> z = whole().right_side();
  for (int step = soft_ ? 1 : refinements_; step > 0; --step) {
    copy_values(z, z_);
    copy_values(residual_(z_), z);
    whole().substitute();
    for (std::size_t k = 0; k < z.size(); ++k) z[k] += z_[k];
  }
}

bool RegularisedSystem::solve_at(std::span<const double> environment) {
  if (!refined()) return inner_->solve_at(environment);
  eliminate(environment);
  whole().finish();
  refine();
  return all_finite(whole().right_side());
}

bool RegularisedSystem::factor(std::span<const double> environment) {
  if (!refined()) return inner_->factor(environment);
  eliminate(environment);
  return whole().regular();
}

void RegularisedSystem::solve(std::span<double> b) {
  if (!refined()) return inner_->solve(b);
  const std::span<double> z = whole().right_side();
  for (int i = 0; i < size(); ++i) z[at(whole().position(i))] = b[at(i)];
  residual_.set_right_side(z);
  whole().substitute();
  refine();
  for (int i = 0; i < size(); ++i) b[at(i)] = z[at(whole().position(i))];
}

bool RegularisedSystem::pivots_at(std::span<const double> environment, std::span<double> pivots) {
  if (!refined()) return inner_->pivots_at(environment, pivots);
  const bool regular = factor(environment);
  for (std::size_t i = 0; i < pivots.size(); ++i)
    pivots[i] = std::abs(whole().pivot(whole().first() + static_cast<int>(i)));
  return regular;
}

void RegularisedSystem::state(Archive& archive) {
  archive.section("regularised saddle system", 1);
  archive(prepared_, soft_, refinements_, schur_);
  archive.require(refinements_ >= 0 && refinements_ <= most_refinements, "more refinements than there are");
  rank_.state(archive);
  const std::size_t count = prepared_ || !schur_.empty() ? at(whole().constraints()) : 0;
  archive.require(schur_.size() == count && rank_.pivots().size() == count, "another number of constraints");
  if (archive.ok()) inner_->state(archive);
}

}  // namespace daedalus
