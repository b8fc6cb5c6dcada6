model PendulumEnergy "The pendulum at position level, index 3, with its energy to be watched"
  // As examples/pendulum.mo: from the horizontal position at rest, so that it swings by 180 degrees.
  parameter Real m = 1, L = 1, g = 9.81;
  Real x(start = 1), y(start = 0, fixed = true), lambda;
  Real vx, vy(start = 0, fixed = true);
  Real energy "constant, 0";
equation
  der(x) = vx;
  der(y) = vy;
  m*der(vx) = -lambda*x;
  m*der(vy) = -lambda*y - m*g;
  x^2 + y^2 = L^2;
  energy = m/2*(vx^2 + vy^2) + m*g*y;
  annotation(experiment(StopTime = 10, Tolerance = 1e-8));
end PendulumEnergy;
