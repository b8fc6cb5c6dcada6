model AscherPetzold2 "Index 2, multipliers that enter much more strongly than the constraint: Ascher and Petzold, Example 2"
  // Provenance: U. M. Ascher, L. R. Petzold, Stability of computational methods for constrained dynamics systems,
  // SIAM J. Sci. Comput. 14 (1993), Example 2, Table 4.2. Written here from its equations:
  //   x' = B y + q,   0 = C x + r,   B = (nu (2 - t), nu - 1)',   C = (t + 2, t^2 - 4).
  // The solution is x1 = x2 = exp(t), y = -exp(t)/(2 - t). The underlying equation is u' = -nu/(2 - t) u: stable,
  // and stiff for large nu, all of it by the turning of B's null space.
  parameter Real nu = 1000;
  Real x1(start = 1, fixed = true), x2(start = 1), y(start = -0.5);
equation
  der(x1) = nu*(2 - time)*y + (1 + nu)*exp(time);
  der(x2) = (nu - 1)*y + (1 + (nu - 1)/(2 - time))*exp(time);
  0 = (time + 2)*x1 + (time^2 - 4)*x2 - (time^2 + time - 2)*exp(time);
  annotation(experiment(StopTime = 1, Tolerance = 1e-6));
end AscherPetzold2;
