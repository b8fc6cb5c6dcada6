model PendulumSmall "Pendulum of Mattsson and Söderlind, case 1: small oscillations over 159 periods"
  // Provenance: Mattsson, Söderlind 1991, §5, Table 1. Exact solution by Jacobi's elliptic functions.
  Real x(start = 0.09983341664682815, fixed = true), y(start = -0.9950041652780258), lambda;
  Real u(start = 0, fixed = true), v(start = 0);
equation
  der(x) = u;
  der(y) = v;
  der(u) + lambda*x = 0;
  der(v) + lambda*y + 1 = 0;
  x^2 + y^2 = 1;
  annotation(experiment(StopTime = 1000, Tolerance = 1e-9));
end PendulumSmall;
