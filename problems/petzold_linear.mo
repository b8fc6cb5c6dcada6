model PetzoldLinear "Index 2, one isolated singular point at t = 0: Petzold, Ren and Maly, Example 5.1"
  // Provenance: L. R. Petzold, Y. Ren, T. Maly, Regularization of higher-index differential-algebraic equations with
  // rank-deficient constraints, SIAM J. Sci. Comput. 18 (1997), Example 5.1, Figures 5.1 to 5.4.
  // The solution is x = t + 1, y = -1/t: the multiplier has a pole where the constraint vanishes, x is smooth.
  // The paper does not say on which interval; it is [-1, 1] here.
  Real x(start = 0), y(start = 1);
equation
  der(x) = 2 + time*y;
  0 = time*x - time*(time + 1);
  annotation(experiment(StartTime = -1, StopTime = 1, Tolerance = 1e-5));
end PetzoldLinear;
