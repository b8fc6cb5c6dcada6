model PendulumDummy "Pendulum with the dummy derivatives y' and y'' written out: index 1"
  // Provenance: Mattsson, Söderlind 1991, (4.3): y' and y'' are unknowns v and a of their own. It holds
  // where y does not vanish, as in case 1 of §5, Table 1, model c.
  Real x(start = 0.09983341664682815, fixed = true), u(start = 0, fixed = true);
  Real y(start = -0.9950041652780258), v, a, lambda;
equation
  der(x) = u;
  x^2 + y^2 = 1;
  2*(x*u + y*v) = 0;
  2*(x*der(u) + u^2 + y*a + v^2) = 0;
  der(u) + lambda*x = 0;
  a + lambda*y + 1 = 0;
  annotation(experiment(StopTime = 1000, Tolerance = 1e-9));
end PendulumDummy;
