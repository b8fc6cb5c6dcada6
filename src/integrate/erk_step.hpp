// One step of an explicit Runge–Kutta method: the stages of an attempt, and the dense output of the last
// accepted one. See erk_tableau.hpp for the formulas.
#pragma once

#include <span>
#include <vector>

#include "integrate/erk_tableau.hpp"
#include "integrate/half_explicit.hpp"
#include "integrate/integrator.hpp"

namespace daedalus {

// φ, with every call counted.
struct OdeEvaluator {
  OdeSystem& system;
  Counters& counters;
  HalfExplicitStages* half_explicit = nullptr;  // of methods that are

  bool derivative(double t, std::span<const double> y, std::span<double> yp) const {
    ++counters.residual_evals;
    return system.derivative(t, y, yp);
  }
};

class ErkStep {
 public:
  explicit ErkStep(const ErkTableau& tableau) : tableau_(&tableau) {}

  void resize(std::size_t n);
  // The stages of a step of size h from (t, y), whose slope there is known. False: φ is not finite at one.
  [[nodiscard]] bool attempt(const OdeEvaluator& evaluator, double t, double h, std::span<const double> y,
                             std::span<const double> yp);
  // The slope at the end of the step. False as above.
  [[nodiscard]] bool finish(const OdeEvaluator& evaluator);
  // h times the row applied to the slopes: an error estimate.
  void combine(const ErkRow& row, std::span<double> out) const;

  [[nodiscard]] double h() const { return h_; }
  [[nodiscard]] std::span<const double> y_begin() const { return y_begin_; }
  [[nodiscard]] std::span<const double> y_end() const { return y_end_; }
  [[nodiscard]] std::span<const double> slope_end() const { return slope(tableau_->stages); }
  // Argument and slope of the last stage before the end: at the same time, of lower order.
  [[nodiscard]] std::span<const double> last_argument() const { return argument_; }
  [[nodiscard]] std::span<const double> last_slope() const { return slope(tableau_->stages - 1); }

  // Makes the coefficients r_j of the dense output, unless they are there. Stages that are for them alone are
  // evaluated only now; if φ is not finite at one, r_4, … are left out: the cubic of the ends.
  void prepare_dense(const OdeEvaluator& evaluator);
  // φ has changed, so stages that are still missing cannot be evaluated any more.
  void close_dense();
  // The values (and slopes, if the span is not empty) at the fraction s of the step, after prepare_dense().
  void interpolate(double s, std::span<double> y, std::span<double> yp) const;

 private:
  static constexpr std::size_t kMaxDense = 8;
  static constexpr std::size_t kMaxStages = 16;

  // out = base + h times the row applied to the slopes.
  void add_slopes(const ErkRow& row, std::span<const double> base, std::span<double> out) const;
  void add_short(const ErkRow& row, const double* base, double* out) const;
  [[nodiscard]] std::span<double> slope(int stage) {
    return {k_.data() + static_cast<std::size_t>(stage) * n_, n_};
  }
  [[nodiscard]] std::span<const double> slope(int stage) const {
    return {k_.data() + static_cast<std::size_t>(stage) * n_, n_};
  }
  [[nodiscard]] std::span<double> dense(std::size_t j) { return {r_.data() + j * n_, n_}; }
  [[nodiscard]] std::size_t dense_count() const { return 4 + tableau_->dense.size(); }
  [[nodiscard]] bool stage(const OdeEvaluator& evaluator, int number, std::span<double> argument);
  [[nodiscard]] bool half_explicit_stage(const OdeEvaluator& evaluator, int number);
  [[nodiscard]] bool extra_stages(const OdeEvaluator& evaluator);
  void hermite_part();

  const ErkTableau* tableau_;
  std::size_t n_ = 0;
  double t_ = 0;
  double h_ = 0;
  bool dense_ready_ = false;
  std::vector<double> y_begin_, y_end_, argument_, zero_;
  std::vector<double> k_;  // the slopes, one stage after the other
  std::vector<double> r_;  // dense output, one coefficient vector after the other
};

}  // namespace daedalus
