#!/usr/bin/env python3
"""Writes a chain of masses, springs and rods of a wanted number of equations, as a for loop.

Every mass hangs on the one before it by a rod (even numbers) or a spring (odd numbers). For n masses there are
5 n + n/2 equations: positions, velocities, Newton's law, a link force for every link, and the rods' constraints at
position level (index 3)."""
import sys


def model(masses):
    pairs = masses // 2
    return f"""model Chain "masses on springs and rods, one after the other"
  constant Integer N = {pairs} "pairs of a spring and a rod";
  parameter Real m = 1, g = 9.81, k = 1000, L = 1, c = 10;
  Real x[2*N](start = {{i*L for i in 1:2*N}}, each fixed = false), y[2*N](each start = 0);
  Real vx[2*N](each start = 0), vy[2*N](each start = 0);
  Real f[N] "spring forces over lengths", lambda[N] "rod forces over lengths";
equation
  for i in 1:2*N loop
    der(x[i]) = vx[i];
    der(y[i]) = vy[i];
  end for;
  // Link 2i-1 is a spring to the mass before, link 2i a rod.
  f[1] = k*(1 - L/sqrt(x[1]^2 + y[1]^2)) + c*vx[1];
  for i in 2:N loop
    f[i] = k*(1 - L/sqrt((x[2*i-1] - x[2*i-2])^2 + (y[2*i-1] - y[2*i-2])^2)) + c*(vx[2*i-1] - vx[2*i-2]);
  end for;
  for i in 1:N loop
    (x[2*i] - x[2*i-1])^2 + (y[2*i] - y[2*i-1])^2 = L^2;
  end for;
  m*der(vx[1]) = -f[1]*x[1] + lambda[1]*(x[2] - x[1]);
  m*der(vy[1]) = -f[1]*y[1] + lambda[1]*(y[2] - y[1]) - m*g;
  for i in 2:N loop
    m*der(vx[2*i-1]) = -f[i]*(x[2*i-1] - x[2*i-2]) + lambda[i]*(x[2*i] - x[2*i-1]);
    m*der(vy[2*i-1]) = -f[i]*(y[2*i-1] - y[2*i-2]) + lambda[i]*(y[2*i] - y[2*i-1]) - m*g;
  end for;
  for i in 1:N-1 loop
    m*der(vx[2*i]) = -lambda[i]*(x[2*i] - x[2*i-1]) + f[i+1]*(x[2*i+1] - x[2*i]);
    m*der(vy[2*i]) = -lambda[i]*(y[2*i] - y[2*i-1]) + f[i+1]*(y[2*i+1] - y[2*i]) - m*g;
  end for;
  m*der(vx[2*N]) = -lambda[N]*(x[2*N] - x[2*N-1]);
  m*der(vy[2*N]) = -lambda[N]*(y[2*N] - y[2*N-1]) - m*g;
  annotation(experiment(StopTime = 1e-3, Tolerance = 1e-4));
end Chain;
"""


if __name__ == "__main__":
    equations = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    print(model(max(2, equations // 5)), end="")
