model SliderCrankBranch "The slider crank in its one degree of freedom, with the names of slider_crank.mo: the truth for it"
  // On the branch theta2 = pi - theta1, where the motion goes on after the dead centre, Lagrange's equation of the second
  // kind for theta1 (see slider_crank_angle.mo). Without constraints, and so without a singular point.
  parameter Real theta0 = 0.7853981633974483;
  parameter Real omega0 = 0;
  Real theta1(start = theta0, fixed = true), v1(start = omega0, fixed = true);
  Real theta2, v2;
equation
  der(theta1) = v1;
  (3 + 2*cos(2*theta1))*der(v1) = 2*sin(2*theta1)*v1^2 - 9.8*sin(theta1);
  theta2 = 3.141592653589793 - theta1;
  v2 = -v1;
  annotation(experiment(StopTime = 10, Tolerance = 1e-12));
end SliderCrankBranch;
