// The norms in which Newton's corrections and local errors are measured: 1 is what the tolerances allow.
//
// A component counts as |v_i| h^(k-1) / (rtol |y_i| + atol nominal_i), k its index: the error of an index-k
// unknown is larger by h^-(k-1) without harm to the others (Hairer, Lubich, Roche 1989, chapter 7;
// Brenan, Campbell, Petzold, section 5.4). Components that are not error-tested count in Newton's norm only.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/options.hpp"
#include "integrate/integrator.hpp"

namespace daedalus {

enum class NormKind { Rms, Max };

class ToleranceNorm {
 public:
  ToleranceNorm(Tolerances tolerances, NormKind kind) : tolerances_(tolerances), kind_(kind) {}

  void set_tolerances(const Tolerances& tolerances) { tolerances_ = tolerances; }  // set_solution() follows
  // The components may have changed.
  void set_components(std::span<const Component> components);
  // The values to which the relative tolerance refers.
  void set_solution(std::span<const double> y);
  // The larger of two, component by component.
  void set_solution(std::span<const double> y, std::span<const double> other);
  // The step size in the index weights.
  void set_step(double h);

  // The components are those of the system it is read for.
  void state(Archive& archive, std::span<const Component> components);

  [[nodiscard]] double newton(std::span<const double> v) const;
  [[nodiscard]] double error(std::span<const double> v) const;
  [[nodiscard]] int worst_newton(std::span<const double> v) const;
  [[nodiscard]] int worst_error(std::span<const double> v) const;

 private:
  void weigh();    // by index
  void refresh();  // newton_ and error_
  [[nodiscard]] std::span<const double> newton_scale() const { return plain_ ? base_ : newton_; }
  [[nodiscard]] std::span<const double> error_scale() const { return plain_ ? base_ : error_; }

  Tolerances tolerances_;
  NormKind kind_;
  std::span<const Component> components_;
  std::vector<double> nominal_;
  std::vector<double> base_;                          // 1 / (rtol |y| + atol nominal)
  std::vector<double> newton_weight_, error_weight_;  // index weights, zero where not counted or tested
  std::vector<double> newton_, error_;                // base times these, unless all of them are 1:
  bool plain_ = false;
  int highest_index_ = 1;
  double tested_ = 0;
  double h_ = 1;
};

// The option `norm` of the rows that have a choice, and its value.
[[nodiscard]] OptionSpec norm_option();
[[nodiscard]] NormKind norm_kind(const Selection& selection);

}  // namespace daedalus
