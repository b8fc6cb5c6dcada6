model PetzoldRedundant "Index 2, three constraints of rank 2 at all times"
  // For theorem 3.1 of L. R. Petzold, Y. Ren, T. Maly, SIAM J. Sci. Comput. 18 (1997), which has no example of its own:
  //   x' = A x + B y + q,   0 = C x + r,   C = W C0,   B = C' S,
  //   C0 = [1, sin t, 0; 0, 1, cos t],   W = [1, 0; 0, 1; w1, w2],   S = I + skew (S1 - I),
  //   S1 = [1, sin(t)/2, 0; -1, 2, 0.3; 0, 0.2, -1].
  // The third constraint is w1 times the first plus w2 times the second. The solution is x = (sin t, cos 2t, exp(-t));
  // of the multipliers only B y = C0' (1 + cos(t)/2, sin(t) - 2) is determined. The model says B y with both factors
  // multiplied out, for with forces in between it would be structurally singular, as in truth it is.
  parameter Real turning = 0 "0: w = (1, 1), the sum of the others; 1: w = (cos t, sin t), the null space of C' turns";
  parameter Real skew = 0 "0: B = C'; 1: B = C' S1";
  Real x1(start = 0), x2(start = 1), x3(start = 1);
  Real y1, y2, y3;
equation
  der(x1) = 0.2*x1 + x2 + (y1 + skew*0.5*sin(time)*y2)
    + (1 + turning*(cos(time) - 1))*((1 - 2*skew)*y3 + skew*0.2*y2)
    + cos(time) - 0.2*sin(time) - cos(2*time) - (1 + 0.5*cos(time));
  der(x2) = -x1 + 0.5*x3 + sin(time)*(y1 + skew*0.5*sin(time)*y2) + ((1 + skew)*y2 - skew*y1 + skew*0.3*y3)
    + ((1 + turning*(cos(time) - 1))*sin(time) + 1 + turning*(sin(time) - 1))*((1 - 2*skew)*y3 + skew*0.2*y2)
    - 2*sin(2*time) + sin(time) - 0.5*exp(-time) - sin(time)*(1 + 0.5*cos(time)) - (sin(time) - 2);
  der(x3) = -0.5*x2 - 0.1*x3 + cos(time)*((1 + skew)*y2 - skew*y1 + skew*0.3*y3)
    + cos(time)*(1 + turning*(sin(time) - 1))*((1 - 2*skew)*y3 + skew*0.2*y2)
    - 0.9*exp(-time) + 0.5*cos(2*time) - cos(time)*(sin(time) - 2);
  0 = x1 + sin(time)*x2 - sin(time) - sin(time)*cos(2*time);
  0 = x2 + cos(time)*x3 - cos(2*time) - cos(time)*exp(-time);
  0 = (1 + turning*(cos(time) - 1))*(x1 + sin(time)*x2 - sin(time) - sin(time)*cos(2*time))
    + (1 + turning*(sin(time) - 1))*(x2 + cos(time)*x3 - cos(2*time) - cos(time)*exp(-time));
  annotation(experiment(StopTime = 2, Tolerance = 1e-6));
end PetzoldRedundant;
