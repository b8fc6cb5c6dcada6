model TransistorAmplifier "Two-transistor amplifier: its structure hides that only five of eight equations are differential"
  // Provenance: Rentrop, Roche, Steinebach 1989; Test Set for IVP Solvers (CWI, Bari), "Transistor amplifier".
  // Written here from its equations. Structural analysis alone says index 0 and 8 degrees of freedom, which
  // is wrong: pairs of rows share their derivatives.
  parameter Real Ub = 6, UF = 0.026, alpha = 0.99, beta = 1e-6, R0 = 1000, R = 9000;
  parameter Real C[5] = {1e-6, 2e-6, 3e-6, 4e-6, 5e-6};
  Real y[8](start = {0, 3, 3, 6, 3, 3, 6, 0});
  Real g23, g56, Ue;
initial equation
  y[2] = 3;
  y[3] = 3;
  y[5] = 3;
  y[6] = 3;
  y[8] = 0;
equation
  Ue = 0.1*sin(200*3.14159265358979323846*time);
  g23 = beta*(exp((y[2] - y[3])/UF) - 1);
  g56 = beta*(exp((y[5] - y[6])/UF) - 1);
  -C[1]*der(y[1]) + C[1]*der(y[2]) = -Ue/R0 + y[1]/R0;
  C[1]*der(y[1]) - C[1]*der(y[2]) = -Ub/R + y[2]*2/R - (alpha - 1)*g23;
  -C[2]*der(y[3]) = -g23 + y[3]/R;
  -C[3]*der(y[4]) + C[3]*der(y[5]) = -Ub/R + y[4]/R + alpha*g23;
  C[3]*der(y[4]) - C[3]*der(y[5]) = -Ub/R + y[5]*2/R - (alpha - 1)*g56;
  -C[4]*der(y[6]) = -g56 + y[6]/R;
  -C[5]*der(y[7]) + C[5]*der(y[8]) = -Ub/R + y[7]/R + alpha*g56;
  C[5]*der(y[7]) - C[5]*der(y[8]) = y[8]/R;
  annotation(experiment(StopTime = 0.2, Tolerance = 1e-8));
end TransistorAmplifier;
