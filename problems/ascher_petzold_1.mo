model AscherPetzold1 "Index 2, a constraint that turns quickly: Ascher and Petzold, Example 1"
  // Provenance: U. M. Ascher, L. R. Petzold, Stability of computational methods for constrained dynamics systems,
  // SIAM J. Sci. Comput. 14 (1993), Example 1, Table 4.1. Written here from its equations:
  //   x' = -x + B y + q,   0 = C x + r,   C = (sin nu t, cos nu t) = B'.
  // q and r are chosen so that the solution is x1 = x2 = exp(t), y = -exp(t)/(2 - t).
  parameter Real nu = 1000 "speed at which the constraint turns";
  Real x1(start = 1, fixed = true), x2(start = 1), y(start = -0.5);
equation
  der(x1) = -x1 + sin(nu*time)*y + (2 + sin(nu*time)/(2 - time))*exp(time);
  der(x2) = -x2 + cos(nu*time)*y + (2 + cos(nu*time)/(2 - time))*exp(time);
  0 = sin(nu*time)*x1 + cos(nu*time)*x2 - (sin(nu*time) + cos(nu*time))*exp(time);
  annotation(experiment(StopTime = 1, Tolerance = 1e-6));
end AscherPetzold1;
