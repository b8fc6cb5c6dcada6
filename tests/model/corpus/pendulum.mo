// A point mass on a massless rod, in Cartesian coordinates: index 3.
model Pendulum "planar pendulum at position level"
  parameter Real m(unit = "kg") = 1 "mass";
  parameter Real L(unit = "m", min = 0) = 1 "length of the rod";
  constant Real g = 9.81;
  Real x(start = 1, fixed = true), y(start = 0) "position";
  Real vx(start = 0, fixed = true), vy "velocity";
  Real lambda "force in the rod per length";
equation
  der(x) = vx;
  der(y) = vy;
  m*der(vx) = -lambda*x;
  m*der(vy) = -lambda*y - m*g;
  x^2 + y^2 = L^2 "length of the rod";
  annotation(experiment(StopTime = 10, Tolerance = 1e-8, Interval = 0.01));
end Pendulum;
