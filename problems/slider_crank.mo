model SliderCrank "Two equal links through their dead centre, at position level: index 3"
  // Links of length 1, point masses 1 at the elbow and at the slider, gravity 9.8; angles from the downward vertical. The
  // slider moves on the horizontal line through the pivot. At (theta1, theta2) = (0, pi) and (pi, 0) the constraint's
  // Jacobian vanishes and two branches cross: theta2 = pi - theta1, where the motion goes on, and theta2 = pi + theta1.
  // Provenance: L. R. Petzold, Y. Ren, T. Maly, SIAM J. Sci. Comput. 18 (1997), Example 5.2, (5.2) and (5.3). The paper
  // gives no initial values.
  parameter Real theta0 = 0.7853981633974483 "of the crank";
  parameter Real omega0 = 0 "of the crank; about 3.9 and more turns over";
  Real theta1(start = theta0, fixed = true), theta2(start = 3.141592653589793 - theta0);
  Real v1(start = omega0, fixed = true), v2(start = -omega0);
  Real lambda(start = -13);
equation
  der(theta1) = v1;
  der(theta2) = v2;
  2*der(v1) + cos(theta2 - theta1)*der(v2) - sin(theta2 - theta1)*v2^2 + 19.6*sin(theta1) + sin(theta1)*lambda = 0;
  cos(theta2 - theta1)*der(v1) + der(v2) + sin(theta2 - theta1)*v1^2 + 9.8*sin(theta2) + sin(theta2)*lambda = 0;
  -cos(theta1) - cos(theta2) = 0;
  annotation(experiment(StopTime = 10, Tolerance = 1e-5));
end SliderCrank;
