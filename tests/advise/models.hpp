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

// It hangs, with length -y: its frequency is √(g/L). With a velocity v the normal turns at v/L. `equation`:
// one more, with the multiplier mu; `force`: added in the direction of x, with a damper in that of y.
inline std::string hanging_pendulum(double y, double vx, const std::string& equation = "",
                                    const std::string& force = "") {
  return "model P\n  Real x(start = 0, fixed = true), y(start = " + std::to_string(y) +
         "), vx(start = " + std::to_string(vx) + ", fixed = true), vy, lambda;\n" +
         (equation.empty() ? "" : "  Real mu;\n") +
         "equation\n  der(x) = vx;\n  der(y) = vy;\n  der(vx) = -2*x*lambda" + force +
         ";\n  der(vy) = -2*y*lambda - 9.81" + (force.empty() ? "" : " - 1e4*vy") +
         ";\n  x^2 + y^2 = " + std::to_string(y * y) + ";\n" + equation +
         "  annotation(experiment(StopTime = 10));\nend P;\n";
}

// Of length 2, with its constraint once more, threefold; the second one pushes, too. 12 is right.
inline std::string circle_twice(const std::string& right_side) {
  std::string text = hanging_pendulum(-2, 1, "  3*x^2 + 3*y^2 = " + right_side + ";\n");
  text.replace(text.find("-2*x*lambda"), 11, "-2*x*lambda - 6*x*mu");
  text.replace(text.find("-2*y*lambda"), 11, "-2*y*lambda - 6*y*mu");
  return text;
}

}  // namespace daedalus::testing
