"""Through a singularity: a slider-crank whose rods are equal folds up, and its constraints lose rank.

With equal rods the slider passes the crank's centre. There the two rods lie on each other, the mechanism has two ways to
go on, and every method that divides by the constraints' matrix stops. `auto` sees it coming and says what it did.
"""

import numpy as np

import daedalus as dd

m = dd.Model("Slider-crank with equal rods")
p1 = m.variable("p1", start=np.pi / 4)
p2 = m.variable("p2", start=7 * np.pi / 4)
w1, w2 = m.variable("w1", start=0), m.variable("w2")
force = m.variable("force")
g, l1 = 9.81, 1.0
l2 = l1  # equal: singular where the rods lie on each other

m.equation(dd.der(p1) == w1)
m.equation(dd.der(p2) == w2)
m.equation(dd.der(w1) == -g * dd.cos(p1) - force * l1 * dd.cos(p1))
m.equation(dd.der(w2) == -force * l2 * dd.cos(p2))
m.equation(l1 * dd.sin(p1) + l2 * dd.sin(p2) == 0, label="the slider stays on its rail")

r = m.simulate(until=2, formulation="trust-region", rtol=1e-7)
print(r.summary)
for change in r.summary["rank_changes"]:
    print(f"t = {change['t']:.4f}: rank {change['from']} -> {change['to']} of {change['constraints']}")
print(f"the rail is kept to {r.drift['position'].max():.1e}")

assert r.ok and r.t[-1] == 2
assert r.drift["position"].max() < 1e-5
