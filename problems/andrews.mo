model Andrews "Andrews' squeezing mechanism at position level: index 3, one mechanical degree of freedom"
  // Seven bodies in a plane, described by seven angles, closed by three loops (six constraints).
  // Provenance: Schiehlen (ed.), Multibody Systems Handbook, 1990; Hairer, Wanner, Solving ODEs II, VII.7;
  // Test Set for IVP Solvers (CWI, Bari), "Andrews' squeezing mechanism". Written here from its equations.
  parameter Real m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050, m6 = 0.00706, m7 = 0.05498;
  parameter Real I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5, I6 = 5.667e-7, I7 = 1.912e-5;
  parameter Real xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072;
  parameter Real c0 = 4530 "spring", l0 = 0.07785 "its natural length", mom = 0.033 "drive torque";
  parameter Real d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, ss = 0.035;
  parameter Real sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916;
  parameter Real u = 0.04, ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04, fa = 0.01421;

  Real beta(start = -0.0617138900142764496, fixed = true), Theta(start = 0), gamma(start = 0.455279819163070380),
    Phi(start = 0.222668390165885885), delta(start = 0.487364979543842550), Omega(start = -0.222668390165885885),
    epsilon(start = 1.23054744454982119);
  Real v1(start = 0, fixed = true), v2, v3, v4, v5, v6, v7;
  Real lambda[6];
protected
  Real xd, yd, L, F, Fx, Fy;
  Real M11, M21, M22, M33, M44, M54, M55, M66, M76, M77;
equation
  der(beta) = v1;
  der(Theta) = v2;
  der(gamma) = v3;
  der(Phi) = v4;
  der(delta) = v5;
  der(Omega) = v6;
  der(epsilon) = v7;

  // Mass matrix.
  M11 = m1*ra^2 + m2*(rr^2 - 2*da*rr*cos(Theta) + da^2) + I1 + I2;
  M21 = m2*(da^2 - da*rr*cos(Theta)) + I2;
  M22 = m2*da^2 + I2;
  M33 = m3*(sa^2 + sb^2) + I3;
  M44 = m4*(e - ea)^2 + I4;
  M54 = m4*((e - ea)^2 + zt*(e - ea)*sin(Phi)) + I4;
  M55 = m4*(zt^2 + 2*zt*(e - ea)*sin(Phi) + (e - ea)^2) + m5*(ta^2 + tb^2) + I4 + I5;
  M66 = m6*(zf - fa)^2 + I6;
  M76 = m6*((zf - fa)^2 - u*(zf - fa)*sin(Omega)) + I6;
  M77 = m6*((zf - fa)^2 - 2*u*(zf - fa)*sin(Omega) + u^2) + m7*(ua^2 + ub^2) + I6 + I7;

  // The spring between C and D.
  xd = sd*cos(gamma) + sc*sin(gamma) + xb;
  yd = sd*sin(gamma) - sc*cos(gamma) + yb;
  L = sqrt((xd - xc)^2 + (yd - yc)^2);
  F = -c0*(L - l0)/L;
  Fx = F*(xd - xc);
  Fy = F*(yd - yc);

  // M der(v) = f - G' lambda.
  M11*der(v1) + M21*der(v2) = mom - m2*da*rr*v2*(v2 + 2*v1)*sin(Theta)
    - ((-rr*sin(beta) + d*sin(beta + Theta))*(lambda[1] + lambda[3] + lambda[5])
     + (rr*cos(beta) - d*cos(beta + Theta))*(lambda[2] + lambda[4] + lambda[6]));
  M21*der(v1) + M22*der(v2) = m2*da*rr*v1^2*sin(Theta)
    - (d*sin(beta + Theta)*(lambda[1] + lambda[3] + lambda[5]) - d*cos(beta + Theta)*(lambda[2] + lambda[4] + lambda[6]));
  M33*der(v3) = Fx*(sc*cos(gamma) - sd*sin(gamma)) + Fy*(sd*cos(gamma) + sc*sin(gamma))
    - (-ss*cos(gamma)*lambda[1] - ss*sin(gamma)*lambda[2]);
  M44*der(v4) + M54*der(v5) = m4*zt*(e - ea)*v5^2*cos(Phi)
    - (-e*cos(Phi + delta)*lambda[3] - e*sin(Phi + delta)*lambda[4]);
  M54*der(v4) + M55*der(v5) = -m4*zt*(e - ea)*v4*(v4 + 2*v5)*cos(Phi)
    - ((-e*cos(Phi + delta) + zt*sin(delta))*lambda[3] + (-e*sin(Phi + delta) - zt*cos(delta))*lambda[4]);
  M66*der(v6) + M76*der(v7) = -m6*u*(zf - fa)*v7^2*cos(Omega)
    - (zf*sin(Omega + epsilon)*lambda[5] - zf*cos(Omega + epsilon)*lambda[6]);
  M76*der(v6) + M77*der(v7) = m6*u*(zf - fa)*v6*(v6 + 2*v7)*cos(Omega)
    - ((zf*sin(Omega + epsilon) - u*cos(epsilon))*lambda[5] + (-zf*cos(Omega + epsilon) - u*sin(epsilon))*lambda[6]);

  // The loops, at position level.
  0 = rr*cos(beta) - d*cos(beta + Theta) - ss*sin(gamma) - xb;
  0 = rr*sin(beta) - d*sin(beta + Theta) + ss*cos(gamma) - yb;
  0 = rr*cos(beta) - d*cos(beta + Theta) - e*sin(Phi + delta) - zt*cos(delta) - xa;
  0 = rr*sin(beta) - d*sin(beta + Theta) + e*cos(Phi + delta) - zt*sin(delta) - ya;
  0 = rr*cos(beta) - d*cos(beta + Theta) - zf*cos(Omega + epsilon) - u*sin(epsilon) - xa;
  0 = rr*sin(beta) - d*sin(beta + Theta) - zf*sin(Omega + epsilon) + u*cos(epsilon) - ya;
  annotation(experiment(StopTime = 0.03, Tolerance = 1e-8));
end Andrews;
