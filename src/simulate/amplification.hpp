// How much an error of the states grows in what follows from them: an algebraic unknown or a multiplier that
// is a stiff coefficient times a small difference is worse than the states by that coefficient, and no error
// test sees it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "consistent/algebraic_solver.hpp"

namespace daedalus {

class Stepper;

struct AmplifiedError {
  double factor = 0;    // in tolerances, if that of every state is one
  int level = -1;       // of which unknown
  bool hidden = false;  // it is smaller than the errors that it may have, and may be zero
};

// How much more accurately than asked for the states of a run are integrated, and what is known from an
// earlier run of the same model.
struct StateAccuracy {
  double sharper = 1;
  std::vector<double> sizes_before =
      {};                 // by level: the largest values of a run as asked for; empty: this is it
  bool sharpest = false;  // no later run will be more accurate
};

// Displacements that know nothing of each other exaggerate what smooth errors do along a stiff chain (by
// 4000, where errors are below 20 tolerances), and another run of a large model is dear: it is only warned
// of.
[[nodiscard]] bool is_large(const CompiledModel& model);

class Amplification {
 public:
  // `tolerances` are those that were asked for.
  Amplification(const CompiledModel& model, const Tolerances& tolerances, StateAccuracy accuracy);

  // An output point. Of the many of a run only a few are looked at, four an octave, and the last one.
  void see(std::span<const double> environment, bool last);
  // The same of a model so large that one look in a quarter of the run is enough.
  void see_rarely(std::span<const double> environment, double part);
  // The same of explicit methods, after a step that has come so far in the run, by their own equations: in
  // every quarter once, since it takes a copy of the driver.
  void see_step(Stepper& stepper, double part);

  [[nodiscard]] AmplifiedError worst() const;
  // By level: the largest value so far.
  [[nodiscard]] const std::vector<double>& sizes() const { return size_; }

 private:
  static constexpr double quarters = 4;  // of the run
  [[nodiscard]] bool is_due(bool last);
  void compare(std::span<const double> here, std::span<const double> moved, double times);
  void see_sizes(std::span<const double> levels);
  void look(std::span<const double> environment);
  [[nodiscard]] double allowed(std::size_t level) const;
  [[nodiscard]] bool is_zero(std::size_t level) const;

  const CompiledModel& model_;
  Tolerances tolerances_;
  StateAccuracy accuracy_;
  std::optional<AlgebraicSolver> solver_;  // made when first needed
  std::vector<bool> state_;                // by level: below the highest derivative
  std::vector<double> nominal_;            // by level
  std::vector<double> size_;               // by level: the largest value so far
  std::vector<double> change_;             // by level: the largest that displaced states made
  std::vector<double> here_, moved_, sizes_, directions_;
  long seen_ = 0;
  long next_ = 1;
  double next_part_ = 1.0 / quarters;
};

}  // namespace daedalus
