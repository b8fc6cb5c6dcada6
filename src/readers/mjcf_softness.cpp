#include "readers/mjcf_softness.hpp"

#include <algorithm>

namespace daedalus::mjcf {
namespace {

// Of a time constant, which MuJoCo bounds by its own step.
constexpr double least_time = 1e-4;
// Of the speed over which friction changes its sign, in m/s or rad/s: below it a joint creeps.
constexpr double least_width = 1e-3;

struct Oscillator {
  double stiffness = 0;  // per inertia
  double damping = 0;
};

// As in MuJoCo's documentation of solver parameters.
Oscillator oscillator_of(const std::vector<double>& solref, double most_impedance) {
  if (solref[0] < 0)
    return {.stiffness = -solref[0] / (most_impedance * most_impedance),
            .damping = -solref[1] / most_impedance};
  const double time = std::max(solref[0], least_time);
  const double ratio = std::max(solref[1], least_time);
  const double scaled = most_impedance * time;
  return {.stiffness = 1 / (scaled * scaled * ratio * ratio), .damping = 2 / scaled};
}

double most_impedance(const std::vector<double>& solimp) {
  return std::clamp(solimp[1], 1e-4, 0.9999);
}

}  // namespace

SoftLimit soft_limit(double low, double high, double inertia, const std::vector<double>& solref,
                     const std::vector<double>& solimp) {
  const double impedance = most_impedance(solimp);
  const Oscillator one = oscillator_of(solref, impedance);
  return {.low = low,
          .high = high,
          .stiffness = inertia * impedance * one.stiffness,
          .damping = inertia * impedance * one.damping,
          .width = std::max(solimp[2], 1e-6)};
}

Expr SoftLimit::force(const Expr& value, const Expr& rate) const {
  const auto side = [this](const Expr& depth, const Expr& inwards) {
    const Expr within = max(Expr(0), depth);
    const Expr ramp = min(Expr(1), within / width);
    return max(Expr(0), stiffness * within + damping * inwards * ramp);
  };
  return no_event(side(low - value, -rate) - side(value - high, rate));
}

double friction_width(double loss, double inertia, const std::vector<double>& solref,
                      const std::vector<double>& solimp) {
  const double impedance = most_impedance(solimp);
  const double damping = inertia * impedance * oscillator_of(solref, impedance).damping;
  return std::max(damping > 0 ? loss / damping : least_width, least_width);
}

Expr higher_spring(const std::array<double, 3>& c, const Expr& x) {
  return (c[1] + c[2] * x) * x * x;
}

Expr higher_damper(const std::array<double, 3>& c, const Expr& v) {
  return (c[1] * no_event(abs(v)) + c[2] * v * v) * v;
}

}  // namespace daedalus::mjcf
