#include "integrate/end_values.hpp"

#include <algorithm>

#include "numerics/vectors.hpp"

namespace daedalus {

// F as a function of w alone: w_i is y'_i of a differential component and y_i of an algebraic one.
class EndValues::HeldStates final : public ResidualSystem {
 public:
  explicit HeldStates(ResidualSystem& system) : system_(system) {}

  void resize() {
    const auto n = static_cast<std::size_t>(system_.size());
    y_.resize(n);
    yp_.resize(n);
    unused_.resize(static_cast<std::size_t>(system_.pattern().nonzeros()));
  }
  void hold(std::span<const double> y, std::span<const double> yp) {
    copy_values(y, y_);
    copy_values(yp, yp_);
  }

  int size() const override { return system_.size(); }
  std::span<const Component> components() const override { return system_.components(); }
  const SparsePattern& pattern() const override { return system_.pattern(); }
  std::string trouble() const override { return system_.trouble(); }

  bool residual(double t, std::span<const double> w, std::span<const double> /*wp*/,
                std::span<double> r) override {
    put(w);
    return system_.residual(t, y_, yp_, r);
  }
  bool jacobian(double t, std::span<const double> w, std::span<const double> /*wp*/, std::span<double> dw,
                std::span<double> dwp) override {
    put(w);
    std::ranges::fill(dwp, 0.0);
    if (!system_.jacobian(t, y_, yp_, dw, unused_)) return false;
    const SparsePattern& pattern = system_.pattern();
    const auto components = system_.components();
    for (std::size_t j = 0; j < components.size(); ++j) {
      if (!components[j].differential) continue;
      const auto first = pattern.column_start[j];
      const auto last = pattern.column_start[j + 1];
      std::copy(unused_.begin() + first, unused_.begin() + last, dw.begin() + first);
    }
    return true;
  }

 private:
  void put(std::span<const double> w) {
    const auto components = system_.components();
    for (std::size_t i = 0; i < w.size(); ++i) (components[i].differential ? yp_ : y_)[i] = w[i];
  }

  ResidualSystem& system_;
  std::vector<double> y_, yp_;
  std::vector<double> unused_;  // ∂F/∂y', of which the columns of the differential components are taken
};

EndValues::EndValues(CountedSystem evaluator, const Tolerances& newton, const CorrectorOptions& options)
    : evaluator_(evaluator),
      held_(std::make_unique<HeldStates>(evaluator.system)),
      norm_(newton, NormKind::Max),
      corrector_({*held_, evaluator.counters}, options) {}

EndValues::~EndValues() = default;

void EndValues::set_pattern() {
  resize();
  norm_.set_components(held_->components());
  corrector_.set_pattern();
}

void EndValues::resize() {
  held_->resize();
  guess_.resize(static_cast<std::size_t>(held_->size()));
  zero_.assign(guess_.size(), 0);
}

void EndValues::state(Archive& archive) {
  archive.section("end-values", 1);
  if (archive.reading()) resize();
  norm_.state(archive, held_->components());
  archive(corrector_);
}

NewtonOutcome EndValues::solve(double t, std::span<double> y, std::span<double> yp) {
  const auto components = held_->components();
  for (std::size_t i = 0; i < y.size(); ++i) guess_[i] = components[i].differential ? yp[i] : y[i];
  held_->hold(y, yp);
  norm_.set_solution(guess_);
  const long failures = evaluator_.counters.newton_failures;
  const NewtonOutcome outcome = corrector_.solve({.t = t, .cj = 1, .y0 = guess_, .yp0 = zero_}, norm_);
  evaluator_.counters.newton_failures = failures;  // no step fails by this
  if (!outcome.ok()) return outcome;
  const auto w = corrector_.y();
  for (std::size_t i = 0; i < y.size(); ++i) (components[i].differential ? yp : y)[i] = w[i];
  return outcome;
}

}  // namespace daedalus
