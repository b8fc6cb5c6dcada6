model PetzoldSingular "Index 2, an isolated singular point at t = 0 and a free component beside the constraint"
  // For theorem 3.2 of L. R. Petzold, Y. Ren, T. Maly, SIAM J. Sci. Comput. 18 (1997), which has no example of its own:
  //   x' = A x + B y + q,   0 = C x + r,   C = t^k (cos t, sin t),   B = s(t) C'.
  // C B = s t^(2 k): a singularity of multiplicity 2 k. The solution is x = (1 + t, cos t); y has a pole of order k, but
  // B y = (cos t, sin t)' (1 + t/2 + t^2) is smooth.
  parameter Integer k = 1;
  parameter Real scale = 0 "0: B = C'; 1: B = (2 + sin t) C'";
  Real x1(start = 0), x2(start = 0.5403023058681398, fixed = true), y(start = 0);
equation
  der(x1) = x2 + (1 + scale*(1 + sin(time)))*time^k*cos(time)*y + 1 - cos(time) - cos(time)*(1 + 0.5*time + time^2);
  der(x2) = -x1 + 0.3*x2 + (1 + scale*(1 + sin(time)))*time^k*sin(time)*y - sin(time) + 1 + time - 0.3*cos(time)
    - sin(time)*(1 + 0.5*time + time^2);
  0 = time^k*(cos(time)*(x1 - 1 - time) + sin(time)*(x2 - cos(time)));
  annotation(experiment(StartTime = -1, StopTime = 1, Tolerance = 1e-6));
end PetzoldSingular;
