model MattssonSoderlind1 "Linear, one block, three equations to differentiate: the example that explains dummy derivatives"
  // Provenance: Mattsson, Söderlind 1991, Examples 1 and 2, (3.1). The forcing functions are not given; these are ours:
  // u = (sin t, cos t, sin 2t, cos t). With these initial values the solution is
  //   x1 = cos t + sin t - 0.4 cos 2t - 0.2 sin 2t,   x2 = -x1 - u1,   x3 = u1 - u2,   x4 = -x1 - u3.
  Real x1, x2, x3, x4;
initial equation
  x1 = 0.6;
  der(x1) = 0.6;
equation
  x1 + x2 + sin(time) = 0;
  x1 + x2 + x3 + cos(time) = 0;
  x1 + x4 + sin(2*time) = 0;
  2*der(der(x1)) + der(der(x2)) + der(der(x3)) + der(x4) + cos(time) = 0;
  annotation(experiment(StopTime = 5, Tolerance = 1e-9));
end MattssonSoderlind1;
