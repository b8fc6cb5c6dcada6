model AscherPetzold3 "Index 3, a mass matrix of widely different eigenvalues: Ascher and Petzold, Example 3"
  // Provenance: U. M. Ascher, L. R. Petzold, Stability of computational methods for constrained dynamics systems,
  // SIAM J. Sci. Comput. 14 (1993), Example 3, Tables 4.3 to 4.8. Written here from its equations:
  //   p' = v,   M v' = E v + q - C' lambda,   0 = C p + r,   C = (1, t - 2),
  //   M = 1/((2 + t) nu^2) [(2 nu^2 - 2 nu + 1)/(2 - t), -nu (2 nu - 1); -nu (2 nu - 1), 2 nu^2 (2 - t)],
  //   E = diag(0, c/((2 + t) nu)).
  // The solution is p = v = (exp(t), exp(t)), lambda = exp(t)/(2 - t). M is printed almost illegibly; it follows from
  // M^-1 C' = (t + 2) (nu (2 - t), nu - 1)' and from the underlying equation
  //   u'' = -(2 - c) nu/(2 - t) u' - (2 - c) nu/(2 - t)^2 u.
  parameter Real nu = 1;
  parameter Real c = 1 "1: Tables 4.3 and 4.4; 0: 4.5 and 4.6 (f = q); 2: 4.7 and 4.8 (nothing stiff left)";
  Real p1(start = 1, fixed = true), p2(start = 1);
  Real v1(start = 1, fixed = true), v2(start = 1);
  Real lambda(start = 0.5);
equation
  der(p1) = v1;
  der(p2) = v2;
  (2*nu^2 - 2*nu + 1)/(nu^2*(4 - time^2))*der(v1) - (2*nu - 1)/(nu*(2 + time))*der(v2)
    = (3*nu^2*time - nu*time + 1)/(nu^2*(4 - time^2))*exp(time) - lambda;
  -(2*nu - 1)/(nu*(2 + time))*der(v1) + 2*(2 - time)/(2 + time)*der(v2)
    = c/(nu*(2 + time))*v2 + (1 - c - 3*nu*time)/(nu*(2 + time))*exp(time) - (time - 2)*lambda;
  0 = p1 + (time - 2)*p2 + (1 - time)*exp(time);
  annotation(experiment(StopTime = 1, Tolerance = 1e-6));
end AscherPetzold3;
