#include "integrate/tolerance_norm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/norms.hpp"
#include "numerics/wide.hpp"

namespace daedalus {

DAEDALUS_WIDE void ToleranceNorm::refresh() {
  for (std::size_t i = 0; i < base_.size(); ++i) newton_[i] = base_[i] * newton_weight_[i];
  for (std::size_t i = 0; i < base_.size(); ++i) error_[i] = base_[i] * error_weight_[i];
}

void ToleranceNorm::set_components(std::span<const Component> components) {
  components_ = components;
  base_.resize(components.size(), 1);
  for (std::vector<double>* list : {&nominal_, &newton_weight_, &error_weight_, &newton_, &error_})
    list->resize(components.size());
  highest_index_ = 1;
  tested_ = 0;
  for (const Component& component : components) {
    highest_index_ = std::max(highest_index_, component.index);
    if (component.error_tested) tested_ += 1;
  }
  for (std::size_t i = 0; i < components.size(); ++i) nominal_[i] = components[i].nominal;
  weigh();
  refresh();
}

DAEDALUS_WIDE void ToleranceNorm::set_solution(std::span<const double> y, std::span<const double> other) {
  const double relative = tolerances_.relative;
  const double absolute = tolerances_.absolute;
  // With atol = 0 a component that passes zero would get an infinite weight; no error below ε times its
  // usual size can be seen anyway.
  const double least = std::numeric_limits<double>::epsilon() * relative;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double tolerated = relative * std::max(std::abs(y[i]), std::abs(other[i])) + absolute * nominal_[i];
    const double floor = std::max(least * nominal_[i], std::numeric_limits<double>::min());
    base_[i] = 1 / std::max(tolerated, floor);
  }
  if (!plain_) refresh();
}

void ToleranceNorm::set_solution(std::span<const double> y) {
  set_solution(y, y);
}

void ToleranceNorm::set_step(double h) {
  if (h == h_) return;
  h_ = h;
  if (highest_index_ == 1) return;
  weigh();
  refresh();
}

void ToleranceNorm::weigh() {
  const double h = std::min(std::abs(h_), 1.0);
  for (std::size_t i = 0; i < components_.size(); ++i) {
    double weight = components_[i].counts ? 1 : 0;
    for (int k = 1; k < components_[i].index; ++k) weight *= h;
    newton_weight_[i] = std::max(weight, components_[i].least_weight);
    error_weight_[i] = components_[i].error_tested ? weight : 0;
  }
  const auto one = [](double weight) { return weight == 1; };
  plain_ = std::ranges::all_of(newton_weight_, one) && std::ranges::all_of(error_weight_, one);
}

// The weights follow from the components and the step size.
void ToleranceNorm::state(Archive& archive, std::span<const Component> components) {
  archive.section("tolerance-norm", 1);
  archive(tolerances_, h_).sized(components.size(), base_);
  if (archive.reading() && archive.ok()) set_components(components);
}

double ToleranceNorm::newton(std::span<const double> v) const {
  return kind_ == NormKind::Max ? weighted_max(v, newton_scale())
                                : weighted_rms(v, newton_scale(), static_cast<double>(v.size()));
}

double ToleranceNorm::error(std::span<const double> v) const {
  return kind_ == NormKind::Max ? weighted_max(v, error_scale()) : weighted_rms(v, error_scale(), tested_);
}

int ToleranceNorm::worst_newton(std::span<const double> v) const {
  return worst_entry(v, newton_scale());
}

int ToleranceNorm::worst_error(std::span<const double> v) const {
  return worst_entry(v, error_scale());
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
