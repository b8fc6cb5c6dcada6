model PendulumLarge "Pendulum of Mattsson and Söderlind, case 2: amplitude 120 degrees, four dummy pivots a period"
  // Provenance: Mattsson, Söderlind 1991, §5, Table 2. Exact solution by Jacobi's elliptic functions.
  Real x(start = 1), y(start = 0, fixed = true), lambda;
  Real u(start = 0), v(start = -1, fixed = true);
equation
  der(x) = u;
  der(y) = v;
  der(u) + lambda*x = 0;
  der(v) + lambda*y + 1 = 0;
  x^2 + y^2 = 1;
  annotation(experiment(StopTime = 1000, Tolerance = 1e-9));
end PendulumLarge;
