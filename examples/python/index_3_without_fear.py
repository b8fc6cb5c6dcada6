"""Index 3 without fear: what `check` says of a model, and why the constraint alone is not enough.

The index says how often the constraints must be differentiated before the equations are an ODE. Solvers for index 1 fail
on index 3; differentiating by hand loses the constraint, and the solution drifts off.
"""

import numpy as np

import daedalus as dd

TEXT = """
model Pendulum
  parameter Real L = 1, g = 9.81;
  Real x(start = 1), y(start = 0, fixed = true), lambda;
  Real vx, vy(start = 0, fixed = true);
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -lambda*x;
  der(vy) = -lambda*y - g;
  x^2 + y^2 = L^2;
end Pendulum;
"""

model = dd.parse(TEXT)
structure = model.check()
print(structure)
assert structure.index == 3

# Differentiated twice and left at that, the constraint is only a memory: the rod grows longer.
drifting = model.simulate(until=100, formulation="index1", rtol=1e-5)
kept = model.simulate(until=100, rtol=1e-5)
print(f"after 100 s the rod is off by {drifting.drift['position'][-1]:.1e} when the constraint is differentiated away,")
print(f"and by {kept.drift['position'][-1]:.1e} when all of its levels are kept")

# The same as a Python function F(t, y, y') in SciPy's manner: it is traced once, so index reduction works on it, too.
def pendulum(t, u, du):
    x, y, vx, vy, force = u
    return [du[0] - vx, du[1] - vy, du[2] + force * x, du[3] + force * y + 9.81, x**2 + y**2 - 1]


s = dd.solve_dae(pendulum, (0, 10), [1, 0, 0, 0, 0], rtol=1e-8, dense_output=True)
print(f"{s.message} {s.nfev} evaluations")
t = np.linspace(0, 10, 1000)
x, y = s.sol(t)[:2]
print(f"the rod's length between the steps is off by {np.max(np.abs(x**2 + y**2 - 1)):.1e}")

assert drifting.drift["position"][-1] > 1e-6
assert kept.drift["position"].max() < 1e-12
assert np.max(np.abs(x**2 + y**2 - 1)) < 1e-6
