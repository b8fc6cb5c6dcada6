model AscherPetzold4 "Index 3, a position constraint that turns quickly: Ascher and Petzold, Example 4"
  // Provenance: U. M. Ascher, L. R. Petzold, Stability of computational methods for constrained dynamics systems,
  // SIAM J. Sci. Comput. 14 (1993), Example 4, Table 4.9. Written here from its equations:
  //   p' = v,   v' = -nu^2 v + q - C' lambda,   0 = C p + r,   C = (sin nu t, cos nu t).
  // The solution is p = v = (exp(t), exp(t)), lambda = exp(t)/(2 - t).
  parameter Real nu = 1;
  Real p1(start = 1, fixed = true), p2(start = 1);
  Real v1(start = 1, fixed = true), v2(start = 1);
  Real lambda(start = 0.5);
equation
  der(p1) = v1;
  der(p2) = v2;
  der(v1) = -nu^2*v1 + (1 + nu^2 + sin(nu*time)/(2 - time))*exp(time) - sin(nu*time)*lambda;
  der(v2) = -nu^2*v2 + (1 + nu^2 + cos(nu*time)/(2 - time))*exp(time) - cos(nu*time)*lambda;
  0 = sin(nu*time)*p1 + cos(nu*time)*p2 - (sin(nu*time) + cos(nu*time))*exp(time);
  annotation(experiment(StopTime = 1, Tolerance = 1e-6));
end AscherPetzold4;
