// Models of which what is to be found is known by hand.
#pragma once

#include <string>

namespace daedalus::testing {

inline const std::string pendulum = R"(model Pendulum
  Real x(start = 1); Real y(start = 0, fixed = true); Real vx; Real vy(start = 0, fixed = true); Real lambda;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -2*x*lambda;
  der(vy) = -2*y*lambda - 9.81;
  x^2 + y^2 = 1;
end Pendulum;)";

// Crank and rod equally long, the crank turning with an angular velocity of 2 from an angle of 0.2, no forces
// but those of the constraints: both gradients are equal when it stands upright.
inline const std::string slider_crank = R"(model SliderCrank
  Real x(start = 0.98006657784124163); Real y(start = 0.19866933079506122, fixed = true);
  Real s(start = 1.9601331556824833); Real u; Real v(start = 1.9601331556824833, fixed = true); Real w; Real l1; Real l2;
equation
  der(x) = u;
  der(y) = v;
  der(s) = w;
  der(u) = -2*x*l1 + 2*(s - x)*l2;
  der(v) = -2*y*l1 - 2*y*l2;
  der(w) = -2*(s - x)*l2;
  x^2 + y^2 = 1;
  (s - x)^2 + y^2 = 1;
end SliderCrank;)";

}  // namespace daedalus::testing
