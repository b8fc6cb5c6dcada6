// Texts of models that several folders' tests take, with matrices of different kinds: constant and moving
// masses, many constraints, constraints that move by themselves, constraints of velocity.
#pragma once

#include <string>

namespace daedalus::testing {

// n particles of unit mass on rods of length 1, hanging: 5 n variables, n constraints.
inline std::string chain_text(int n) {
  std::string declared;
  std::string equations;
  for (int k = 1; k <= n; ++k) {
    const std::string i = std::to_string(k);
    const std::string before = std::to_string(k - 1);
    const std::string next = std::to_string(k + 1);
    const std::string dx = k == 1 ? "x1" : "(x" + i + " - x" + before + ")";
    const std::string dy = k == 1 ? "y1" : "(y" + i + " - y" + before + ")";
    const auto pull = [&](const std::string& q) {
      return k == n ? std::string() : " + 2*(" + q + next + " - " + q + i + ")*l" + next;
    };
    declared += "  Real x" + i + "(start = 0), y" + i + "(start = -" + i + "), u" + i + ", v" + i + ", l" + i;
    declared += ";\n";
    equations += "  der(x" + i + ") = u" + i + "; der(y" + i + ") = v" + i + ";\n";
    equations += "  der(u" + i + ") = -2*" + dx + "*l" + i + pull("x") + ";\n";
    equations += "  der(v" + i + ") = -9.81 - 2*" + dy + "*l" + i + pull("y") + ";\n";
    equations += "  " + dx + "^2 + " + dy + "^2 = 1;\n";
  }
  return "model Chain\n" + declared + "equation\n" + equations + "end Chain;";
}

// A pendulum whose pivot is moved to and fro: its constraint depends on time.
inline const std::string moving_pivot = R"(model MovingPivot
  Real x(start = 0.6); Real y(start = -0.8, fixed = true); Real u; Real v; Real l;
equation
  der(x) = u; der(y) = v;
  der(u) = -2*(x - sin(time))*l;
  der(v) = -9.81 - 2*y*l;
  (x - sin(time))^2 + y^2 = 1;
end MovingPivot;)";

// A sled on a blade that turns: a constraint of velocity.
inline const std::string sled = R"(model Sled
  Real x(start = 0, fixed = true), y(start = 0, fixed = true), u(start = 1, fixed = true), v, l;
equation
  der(x) = u; der(y) = v;
  der(u) = sin(time)*l;
  der(v) = -cos(time)*l;
  sin(time)*u - cos(time)*v = 0;
end Sled;)";

// The force acts along (x, 3 y), and the gradient is (x, y): no row of the matrix can be scaled to make it
// symmetric.
inline const std::string skew_bead = R"(model Skew
  Real x(start = 0.6); Real y(start = -0.8); Real u; Real v; Real l;
equation
  der(x) = u; der(y) = v;
  der(u) = -2*x*l;
  der(v) = -9.81 - 6*y*l;
  x^2 + y^2 = 1;
end Skew;)";

// Two arms in absolute angles, without constraints: masses that depend on the angles.
inline const std::string arms = R"(model Arms
  Real a(start = 0.3, fixed = true), b(start = -0.7, fixed = true), p(start = 0.5, fixed = true), q(start = -0.2, fixed = true);
equation
  der(a) = p; der(b) = q;
  2*der(p) + cos(a - b)*der(q) + sin(a - b)*q^2 + 19.62*sin(a) = 0;
  cos(a - b)*der(p) + der(q) - sin(a - b)*p^2 + 9.81*sin(b) = 0;
end Arms;)";

// What stands between "model M" and "end M;".
inline std::string body_of(const std::string& text) {
  const std::size_t begin = text.find('\n');
  return text.substr(begin, text.rfind("end ") - begin);
}

}  // namespace daedalus::testing
