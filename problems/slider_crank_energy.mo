model SliderCrankEnergy "slider_crank.mo with its energy to be watched"
  // Two equal links through their dead centre, where the constraint's Jacobian vanishes: see slider_crank.mo.
  // Provenance: L. R. Petzold, Y. Ren, T. Maly, SIAM J. Sci. Comput. 18 (1997), Example 5.2, (5.2) and (5.3).
  parameter Real theta0 = 0.7853981633974483 "of the crank";
  parameter Real omega0 = 0 "of the crank; about 3.9 and more turns over";
  Real theta1(start = theta0, fixed = true), theta2(start = 3.141592653589793 - theta0);
  Real v1(start = omega0, fixed = true), v2(start = -omega0);
  Real lambda(start = -13);
  Real energy "constant";
equation
  der(theta1) = v1;
  der(theta2) = v2;
  2*der(v1) + cos(theta2 - theta1)*der(v2) - sin(theta2 - theta1)*v2^2 + 19.6*sin(theta1) + sin(theta1)*lambda = 0;
  cos(theta2 - theta1)*der(v1) + der(v2) + sin(theta2 - theta1)*v1^2 + 9.8*sin(theta2) + sin(theta2)*lambda = 0;
  -cos(theta1) - cos(theta2) = 0;
  energy = v1^2 + cos(theta2 - theta1)*v1*v2 + v2^2/2 - 19.6*cos(theta1) - 9.8*cos(theta2);
  annotation(experiment(StopTime = 10, Tolerance = 1e-6));
end SliderCrankEnergy;
