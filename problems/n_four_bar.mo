model NFourBar "N four-bar linkages in a row, in planar body coordinates at position level: index 3"
  // 2N + 1 links of length 1 and mass 1 with uniformly distributed mass, cranks on the ground at (i, 0), i = 0 … N, couplers
  // between their tips. It starts with upright cranks. Whenever the cranks lie level, the constraint matrix loses rank N
  // and the linkage could fold: N + 1 degrees of freedom instead of 1. The motion goes on with parallel cranks, for which
  //   I theta'' = -P cos(theta),   I = (N + 1)/3 + N,   P = g ((N + 1)/2 + N).
  // Provenance: benchmark A02 of the IFToMM library of multibody benchmarks, after E. Bayo, A. Avello, Nonlinear Dynamics 5
  // (1994); equations written for Daedalus.
  parameter Integer N = 2;
  parameter Real g = 9.81;
  parameter Real pi = 3.141592653589793;
  // Cranks: centre, angle; c[i] stands at x = i - 1.
  Real x[N + 1](start = {i - 1 for i in 1:N + 1}), y[N + 1](each start = 0.5), phi[N + 1](each start = pi/2);
  Real vx[N + 1](each start = 0.5), vy[N + 1](each start = 0), w[N + 1](each start = -1);
  // Couplers.
  Real X[N](start = {i - 0.5 for i in 1:N}), Y[N](each start = 1), psi[N](each start = 0);
  Real VX[N](each start = 1), VY[N](each start = 0), W[N](each start = 0);
  // Reactions: at the ground, at the left and at the right end of the couplers.
  Real ax[N + 1], ay[N + 1], lx[N], ly[N], rx[N], ry[N];
  output Real B0x = x[1] + 0.5*cos(phi[1]), B0y = y[1] + 0.5*sin(phi[1]);
  output Real energy = sum((vx[i]^2 + vy[i]^2)/2 + w[i]^2/24 + g*y[i] for i in 1:N + 1)
    + sum((VX[i]^2 + VY[i]^2)/2 + W[i]^2/24 + g*Y[i] for i in 1:N);
equation
  der(x) = vx;  der(y) = vy;  der(phi) = w;
  der(X) = VX;  der(Y) = VY;  der(psi) = W;
  for i in 1:N + 1 loop
    der(vx[i]) = -ax[i] + (if i > 1 then rx[i - 1] else 0) + (if i <= N then lx[i] else 0);
    der(vy[i]) = -g - ay[i] + (if i > 1 then ry[i - 1] else 0) + (if i <= N then ly[i] else 0);
    der(w[i])/12 = -0.5*(sin(phi[i])*ax[i] - cos(phi[i])*ay[i])
      - 0.5*(sin(phi[i])*((if i > 1 then rx[i - 1] else 0) + (if i <= N then lx[i] else 0))
      - cos(phi[i])*((if i > 1 then ry[i - 1] else 0) + (if i <= N then ly[i] else 0)));
    x[i] - (i - 1) - 0.5*cos(phi[i]) = 0;
    y[i] - 0.5*sin(phi[i]) = 0;
  end for;
  for i in 1:N loop
    der(VX[i]) = -lx[i] - rx[i];
    der(VY[i]) = -g - ly[i] - ry[i];
    der(W[i])/12 = -0.5*(sin(psi[i])*lx[i] - cos(psi[i])*ly[i]) + 0.5*(sin(psi[i])*rx[i] - cos(psi[i])*ry[i]);
    X[i] - 0.5*cos(psi[i]) - x[i] - 0.5*cos(phi[i]) = 0;
    Y[i] - 0.5*sin(psi[i]) - y[i] - 0.5*sin(phi[i]) = 0;
    X[i] + 0.5*cos(psi[i]) - x[i + 1] - 0.5*cos(phi[i + 1]) = 0;
    Y[i] + 0.5*sin(psi[i]) - y[i + 1] - 0.5*sin(phi[i + 1]) = 0;
  end for;
  annotation(experiment(StopTime = 20, Tolerance = 1e-7));
end NFourBar;
