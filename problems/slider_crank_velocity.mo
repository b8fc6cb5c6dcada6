model SliderCrankVelocity "Two equal links through their dead centre, at velocity level: index 2"
  // As slider_crank.mo, with the constraint differentiated once.
  // Provenance: L. R. Petzold, Y. Ren, T. Maly, SIAM J. Sci. Comput. 18 (1997), Example 5.2, (5.2) and (5.4).
  parameter Real theta0 = 0.7853981633974483 "of the crank";
  parameter Real omega0 = 0 "of the crank; about 3.9 and more turns over";
  Real theta1(start = theta0, fixed = true), theta2(start = 3.141592653589793 - theta0, fixed = true);
  Real v1(start = omega0, fixed = true), v2(start = -omega0);
  Real lambda(start = -13);
equation
  der(theta1) = v1;
  der(theta2) = v2;
  2*der(v1) + cos(theta2 - theta1)*der(v2) - sin(theta2 - theta1)*v2^2 + 19.6*sin(theta1) + sin(theta1)*lambda = 0;
  cos(theta2 - theta1)*der(v1) + der(v2) + sin(theta2 - theta1)*v1^2 + 9.8*sin(theta2) + sin(theta2)*lambda = 0;
  sin(theta1)*v1 + sin(theta2)*v2 = 0;
  annotation(experiment(StopTime = 10, Tolerance = 1e-5));
end SliderCrankVelocity;
