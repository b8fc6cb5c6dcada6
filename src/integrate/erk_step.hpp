// One step of an explicit Runge–Kutta method: the stages of an attempt, and the dense output of the last
// accepted one. See erk_tableau.hpp for the formulas.
#pragma once

#include <span>
#include <vector>

#include "integrate/erk_small.hpp"
#include "integrate/erk_sums.hpp"
#include "integrate/erk_tableau.hpp"
#include "integrate/half_explicit.hpp"
#include "integrate/integrator.hpp"

namespace daedalus {

// φ, with every call counted.
struct OdeEvaluator {
  OdeSystem& system;
  Counters& counters;
  HalfExplicitStages* half_explicit = nullptr;  // of methods that are

  // All rates, or those behind the positions.
  bool derivative(double t, std::span<const double> y, std::span<double> yp) const {
    ++counters.residual_evals;
    return system.derivative(t, y, yp);
  }
};

class ErkStep {
 public:
  explicit ErkStep(const ErkTableau& tableau) : tableau_(&tableau) {}

  void resize(const ErkSizes& sizes);
  // The stages of a step of size h from (t, y), whose slope there is known. False: φ is not finite at one.
  [[nodiscard]] bool attempt(const OdeEvaluator& evaluator, double t, double h, std::span<const double> y,
                             std::span<const double> yp);
  // The slope at the end of the step. False as above.
  [[nodiscard]] bool finish(const OdeEvaluator& evaluator);
  // The tableau's error estimates, h times their rows applied to the slopes; `coarse` only where it has one.
  void errors(std::span<double> error, std::span<double> coarse);

  [[nodiscard]] double h() const { return h_; }
  [[nodiscard]] std::span<const double> y_begin() const { return y_begin_; }
  [[nodiscard]] std::span<const double> y_end() const { return y_end_; }
  void slope_end(std::span<double> yp) const;
  // The end less the last stage before it, which is at the same time and of lower order: values and slopes.
  void differences(std::span<double> values, std::span<double> slopes) const;

  // Makes the coefficients r_j of the dense output, unless they are there. Stages that are for them alone are
  // evaluated only now; if φ is not finite at one, r_4, … are left out: the cubic of the ends.
  void prepare_dense(const OdeEvaluator& evaluator);
  // φ has changed, so stages that are still missing cannot be evaluated any more.
  void close_dense();
  // About the values at the fraction s of the step: without prepare_dense(), the cubic of the ends.
  void cheap_interpolation(double s, std::span<double> y) const;
  // The values (and slopes, if the span is not empty) at the fraction s of the step, after prepare_dense().
  void interpolate(double s, std::span<double> y, std::span<double> yp) const;

  // The values at several fractions at once.
  void interpolate_lanes(std::span<const double, lane_count> s, std::span<double> y) const;

  void state(Archive& archive, const ErkSizes& sizes);

 private:
  [[nodiscard]] ErkSum::Point point() const { return {.h = h_, .y = y_begin_.data(), .k = k_.data()}; }
  // Of the states behind the positions.
  [[nodiscard]] std::span<double> slope(int stage) {
    return {k_.data() + static_cast<std::size_t>(stage) * sizes_.stride(), sizes_.slopes()};
  }
  [[nodiscard]] std::span<const double> slope(int stage) const {
    return {k_.data() + static_cast<std::size_t>(stage) * sizes_.stride(), sizes_.slopes()};
  }
  [[nodiscard]] std::span<double> dense(std::size_t j) {
    return {r_.data() + j * sizes_.states, sizes_.states};
  }
  [[nodiscard]] std::size_t dense_count() const { return 4 + tableau_->dense.size(); }
  [[nodiscard]] bool stage(const OdeEvaluator& evaluator, int number, std::span<double> argument);
  [[nodiscard]] bool small_attempt(const OdeEvaluator& evaluator);
  [[nodiscard]] bool is_small() const;
  [[nodiscard]] bool has_small_dense() const;
  [[nodiscard]] SmallStep small_step();
  [[nodiscard]] bool half_explicit_stage(const OdeEvaluator& evaluator, int number);
  [[nodiscard]] bool extra_stages(const OdeEvaluator& evaluator);
  void hermite_part();
  void combine_dense(std::span<const double> w, std::span<double> out) const;

  const ErkTableau* tableau_;
  ErkSizes sizes_;
  std::vector<ErkSum> a_, dense_, ends_;  // `ends` without the last weight
  ErkSum b_, error_, coarse_error_;
  double t_ = 0;
  double h_ = 0;
  bool dense_ready_ = false;
  DirectRates direct_;  // of the attempt, until its finish(); otherwise none
  std::vector<double> y_begin_, y_end_, argument_;
  std::vector<double> k_;  // the slopes, one stage after the other
  std::vector<double> r_;  // dense output, one coefficient vector after the other
};

}  // namespace daedalus
