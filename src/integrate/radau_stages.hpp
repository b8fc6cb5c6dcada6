// The stages of a Radau IIA step for F(t, y, y') = 0, by simplified Newton.
//
// With z_i = Y_i - y_n the collocation conditions z = h A Y' give Y'_i = (1/h) Σ_j (A⁻¹)_ij z_j, and the
// stages solve F(t_n + c_i h, y_n + z_i, Y'_i) = 0. Newton with J = ∂F/∂y and M = ∂F/∂y' frozen reads
//     (I ⊗ J + h⁻¹ A⁻¹ ⊗ M) Δz = -F(z),
// and w = (T⁻¹ ⊗ I) z takes it apart into one real and (s-1)/2 complex systems of the model's size,
//     (J + γ/h M) Δw_1 = -(T⁻¹F)_1,    (J + (α + iβ)/h M)(Δw_2 + i Δw_3) = -((T⁻¹F)_2 + i (T⁻¹F)_3), …
// (Hairer, Wanner IV.8, there for M y' = f(y)).
#pragma once

#include <complex>
#include <memory>
#include <span>
#include <vector>

#include "integrate/corrector.hpp"
#include "integrate/counted_system.hpp"
#include "integrate/tolerance_norm.hpp"
#include "numerics/linear_solver.hpp"
#include "numerics/radau_tableau.hpp"

namespace daedalus {

struct StagesOutcome {
  NewtonOutcome newton;
  double step_factor = 0.5;  // on failure: by how much to cut the step
};

class RadauStages {
 public:
  // Room for up to `most` stages; the first use() says how many there are.
  RadauStages(CountedSystem evaluator, CorrectorOptions options, int most)
      : evaluator_(evaluator), options_(options), most_(most) {}

  void set_pattern();
  // Another number of stages: the matrices are to be factorised anew.
  void use(const RadauTableau& tableau, double tolerance, int max_iterations);
  // J and M at a point.
  [[nodiscard]] NewtonOutcome evaluate_jacobian(double t, std::span<const double> y,
                                                std::span<const double> yp);
  [[nodiscard]] NewtonOutcome factor(double h);
  // From the guess in z(), the stages of the step of size h from (t, y). The matrices are those of the last
  // factor().
  [[nodiscard]] StagesOutcome solve(double t, double h, std::span<const double> y, const ToleranceNorm& norm);
  // The local error of the step: (J + γ/h M)⁻¹ applied to -F(t, y, -(1/h) Σ e_i z_i), see radau.cpp.
  // False: F is not finite there.
  [[nodiscard]] bool estimate_error(double t, double h, std::span<const double> y, std::span<double> error);

  [[nodiscard]] std::span<double> z(int stage) { return z_[index(stage)]; }
  [[nodiscard]] std::span<const double> z(int stage) const { return z_[index(stage)]; }
  // out = Σ_s row_s z_s
  void sum_of_stages(const double* row, std::span<double> out) const { combine(row, z_, 1, out); }
  // Y' of the last stage: y' at the end of the step.
  [[nodiscard]] std::span<const double> last_slope() const { return slope_; }
  // Convergence rate and number of iterations of the last solve().
  [[nodiscard]] double rate() const { return rate_; }
  [[nodiscard]] int iterations() const { return iterations_; }
  [[nodiscard]] bool ready() const { return ready_; }
  [[nodiscard]] bool has_jacobian() const { return have_jacobian_; }
  void drop_jacobian() { have_jacobian_ = false; }
  [[nodiscard]] std::string_view linear_solver() const { return real_->name(); }

  // The number of stages has been set by use().
  void state(Archive& archive);

 private:
  void resize();
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  using StageVectors = std::vector<std::vector<double>>;

  [[nodiscard]] int stages() const { return tableau_->stages; }
  // out_i = factor Σ_s row_s v_s,i
  void combine(const double* row, const StageVectors& v, double factor, std::span<double> out) const;
  void transform(const double* matrix, const StageVectors& v, StageVectors& out, double factor) const;
  void prepare_corrections();
  bool residuals(double t, double h, std::span<const double> y);
  void slope_of_stage(int stage, double h);
  double correct(const ToleranceNorm& norm);
  StagesOutcome failed(NewtonStatus status, double step_factor, double h, const ToleranceNorm& norm);
  [[nodiscard]] NewtonOutcome explain(NewtonOutcome outcome) const;

  CountedSystem evaluator_;
  CorrectorOptions options_;
  int most_;
  const RadauTableau* tableau_ = nullptr;
  std::unique_ptr<RealSolver> real_;
  std::vector<std::unique_ptr<ComplexSolver>> complex_;
  std::vector<double> dy_, dyp_, real_matrix_;
  std::vector<std::complex<double>> complex_matrix_;
  std::vector<std::vector<std::complex<double>>> complex_rhs_;
  StageVectors z_, w_, f_, slopes_;
  std::vector<double> stage_, slope_;
  double rate_ = 0;
  int iterations_ = 0;
  bool have_jacobian_ = false;
  bool ready_ = false;  // all matrices are factorised
};

}  // namespace daedalus
