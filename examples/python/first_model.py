"""A first model: a pendulum at position level, written as a textbook does.

Three equations, among them the length of the rod. Nobody has to choose an angle, differentiate the constraint or find
the force in the rod: that is what Daedalus does.
"""

import numpy as np

import daedalus as dd

m = dd.Model("Pendulum")
L, g = m.parameter("L", 1, unit="m"), m.parameter("g", 9.81)
x = m.variable("x", start=1, unit="m")
y = m.variable("y", start=0, fixed=True, unit="m")
force = m.variable("force")

m.equation(dd.der(dd.der(x)) == -force * x)
m.equation(dd.der(dd.der(y)) == -force * y - g)
m.equation(x**2 + y**2 == L**2, label="length of the rod")

r = m.simulate(until=10, rtol=1e-8)
print(r)
print(f"at t = 10: x = {r['x'][-1]:.6f}, y = {r['y'][-1]:.6f}")
print(f"the rod's length is off by {r.drift['position'].max():.1e} at most")

# Between the output points the solution is as good as at them.
print(f"x(1/3) = {r(1 / 3, 'x'):.6f}")

# A parameter of one run, or of many on all processors.
longer = m.simulate(until=10, set={"L": 2, "x": 2})
print(f"a rod of 2 m: x = {longer['x'][-1]:.6f}")
sweep = m.sweep(g=np.linspace(1, 20, 8), simulate={"until": 1})
print("x after 1 s, by gravity:", np.round(sweep.final("x"), 4))

# What is wrong with a model is said in its own words.
try:
    m.simulate(until=10, set={"l": 2})
except dd.ModelError as error:
    print(error)

assert r.drift["position"].max() < 1e-12
assert abs(r["x"][-1] ** 2 + r["y"][-1] ** 2 - 1) < 1e-12
