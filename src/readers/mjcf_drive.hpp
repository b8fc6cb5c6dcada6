// What drives an actuator of MJCF: all kinds of actuators are ways to write the general one, and their
// defaults cross kinds: a class has one default actuator, whichever element wrote it.
#pragma once

#include <array>

#include "readers/mjcf_file.hpp"

namespace daedalus::mjcf {

struct Range {
  double low = 0;
  double high = 0;
  std::optional<bool> limited = {};  // nothing: by whether there is a range, if <compiler autolimits>
  bool given = false;
};

// force = (gain0 + gain1 length + gain2 velocity) input + bias0 + bias1 length + bias2 velocity. The input is
// the control, or an activation a that follows it: a' = (control - a)/time, or a' = control.
struct Drive {
  std::string dynamics = "none";
  std::string gain_type = "fixed";
  std::string bias_type = "none";
  std::array<double, 3> gain{1, 0, 0};
  std::array<double, 3> bias{0, 0, 0};
  double time_constant = 1;
  double inherit_range = 0;
  std::vector<double> gear{1, 0, 0, 0, 0, 0};
  Range control;
  Range force;
  Range activation;
  std::array<double, 3> damping{};
  double armature = 0;
  std::string shortcut = {};  // the element that wrote gain and bias last; empty: <general>
};

// The element over the defaults of its class.
[[nodiscard]] Drive drive_of(const MjcfFile& file, int node);
[[nodiscard]] bool is_limited(const Range& range, bool automatic);

}  // namespace daedalus::mjcf
