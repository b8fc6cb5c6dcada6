// Looks for values at the start that fulfil all conditions of a StartProblem, in this order: as they were
// given; with values that were given held; as near to them as possible.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "consistent/explicit_part.hpp"
#include "consistent/start_problem.hpp"
#include "consistent/tolerances.hpp"

namespace daedalus {

class StartSearch {
 public:
  explicit StartSearch(StartProblem& problem) : problem_(problem), told_scale_(problem.posed.scale) {}

  // Puts what it found into the environment. False: `failure` says why.
  [[nodiscard]] bool run();
  // By unknown: what the last search found.
  [[nodiscard]] const std::vector<double>& values() const { return found_; }
  [[nodiscard]] const NearestResult& failure() const { return failure_; }

 private:
  bool take(std::vector<double> z);
  bool as_given();
  void first_guess();
  [[nodiscard]] std::vector<double> equilibrated(std::span<const double> z) const;
  [[nodiscard]] NearestProblem without_explicit(const ExplicitPart& explicit_part) const;
  // What is held while the rest is solved for, of what is not held anyway.
  enum class Held { AllStates, GivenAndGuesses, Given };
  [[nodiscard]] bool holds(Held held, std::size_t k) const;
  [[nodiscard]] std::optional<std::vector<double>> hold(const ConstraintFunction& reduced,
                                                        const NearestProblem& posed, Held held) const;
  [[nodiscard]] std::optional<std::vector<double>> in_stages(const ConstraintFunction& reduced,
                                                             const NearestProblem& posed) const;
  [[nodiscard]] bool holds_exactly(const ConstraintFunction& reduced, const NearestProblem& exact,
                                   std::span<const double> z) const;
  [[nodiscard]] NearestResult nearest(const ConstraintFunction& reduced, const NearestProblem& posed) const;
  [[nodiscard]] NearestResult retry_shaken(const ConstraintFunction& reduced, const NearestProblem& posed,
                                           const NearestResult& first) const;
  void snap(const ConstraintFunction& reduced, const NearestProblem& posed, NearestResult& result) const;
  bool assign_explicit(const ExplicitPart& explicit_part, std::vector<double> z);
  bool take_first_guess(double tolerance);
  [[nodiscard]] bool far_for_a_reason(std::span<const double> z) const;
  [[nodiscard]] bool overrules_guess(std::span<const double> z) const;
  [[nodiscard]] bool moves_given(std::span<const double> z) const;
  // Whether conditions hold, measured by the scales of the start values or by those of what was found.
  enum class Scales { OfStart, OfFound };
  [[nodiscard]] bool fulfils(std::span<const double> z, double tolerance, Scales scales) const;
  [[nodiscard]] bool ran_away(std::span<const double> z, double limit = consistent::far_away) const;

  StartProblem& problem_;
  std::vector<double> told_scale_;   // by unknown: as it was posed
  bool all_blocks_solved_ = false;   // block by block, and no row was left over
  std::vector<bool> solved_for_;     // by unknown: some equation determined it, block by block
  std::vector<double> plain_scale_;  // by unknown: a typical size by the start values alone
  std::vector<double> found_;
  NearestResult failure_;
};

}  // namespace daedalus
