#include "integrate/tolerance_norm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/norms.hpp"

namespace daedalus {

void ToleranceNorm::set_components(std::span<const Component> components) {
  components_ = components;
  base_.resize(components.size(), 1);
  newton_.resize(components.size(), 1);
  error_.resize(components.size(), 1);
  highest_index_ = 1;
  tested_ = 0;
  for (const Component& component : components) {
    highest_index_ = std::max(highest_index_, component.index);
    if (component.error_tested) tested_ += 1;
  }
  refresh();
}

void ToleranceNorm::set_solution(std::span<const double> y) {
  for (std::size_t i = 0; i < y.size(); ++i) {
    // With atol = 0 a component that passes zero would get an infinite weight; no error below ε times its
    // usual size can be seen anyway.
    const double floor =
        std::numeric_limits<double>::epsilon() * tolerances_.relative * components_[i].nominal;
    const double tolerated =
        tolerances_.relative * std::abs(y[i]) + tolerances_.absolute * components_[i].nominal;
    base_[i] = 1 / std::max({tolerated, floor, std::numeric_limits<double>::min()});
  }
  refresh();
}

void ToleranceNorm::set_step(double h) {
  if (h == h_) return;
  h_ = h;
  if (highest_index_ > 1) refresh();
}

void ToleranceNorm::refresh() {
  const double h = std::min(std::abs(h_), 1.0);
  for (std::size_t i = 0; i < base_.size(); ++i) {
    newton_[i] = base_[i];
    for (int k = 1; k < components_[i].index; ++k) newton_[i] *= h;
    if (!components_[i].counts) newton_[i] = 0;
    error_[i] = components_[i].error_tested ? newton_[i] : 0;
  }
}

double ToleranceNorm::newton(std::span<const double> v) const {
  return kind_ == NormKind::Max ? weighted_max(v, newton_)
                                : weighted_rms(v, newton_, static_cast<double>(v.size()));
}

double ToleranceNorm::error(std::span<const double> v) const {
  return kind_ == NormKind::Max ? weighted_max(v, error_) : weighted_rms(v, error_, tested_);
}

int ToleranceNorm::worst_newton(std::span<const double> v) const {
  return worst_entry(v, newton_);
}

int ToleranceNorm::worst_error(std::span<const double> v) const {
  return worst_entry(v, error_);
}

OptionSpec norm_option() {
  return {.name = "norm",
          .kind = OptionKind::Text,
          .default_value = "rms",
          .doc = "how the components' errors are put together: root mean square, or the largest one",
          .choices = {"rms", "max"}};
}

NormKind norm_kind(const Selection& selection) {
  return selection.text("norm") == "max" ? NormKind::Max : NormKind::Rms;
}

}  // namespace daedalus
