"""Redundant joints: a door on two hinges.

Each hinge alone would hold the door. Two of them hold it five times over: ten equations for five directions, of which five
say nothing new. Most programs stop at "Jacobian singular"; here the superfluous ones are found, named, left out and watched.
"""

import daedalus as dd

m = dd.Mechanism("Door", gravity=(0, -9.81, 0))
door = m.body("door", mass=20, inertia=(1.5, 2.0, 1.7), position=(0.4, 0, 0))
m.revolute("lower", m.ground, door, at=(0, 0, -0.9))
m.revolute("upper", m.ground, door, at=(0, 0, 0.9))

report = m.check()
mechanism = report["mechanism"]
print(f"Grübler counts {mechanism['grubler']} degrees of freedom, the rank says {report['dof'] // 2}")

r = m.simulate(until=2)
for warning in r.warnings:
    print("warning:", warning)
lower, upper = r["joint lower: force y"], r["joint upper: force y"]
print(f"at the start the hinges carry {lower[0]:.3f} N and {upper[0]:.3f} N: how they share it rigid bodies leave open,")
print(f"what they carry together, {lower[0] + upper[0]:.3f} N, they do not")
print(f"the joints hold to {r.drift['position'].max():.1e}")

assert r.ok
assert r.drift["position"].max() < 1e-7
# Newton and Euler for the whole door: it falls with a = m g r² / (J + m r²) at its centre.
m_, g, r_, J = 20, 9.81, 0.4, 1.7
falls = m_ * g * r_**2 / (J + m_ * r_**2)
assert abs(lower[0] + upper[0] - m_ * (g - falls)) < 1e-9 * m_ * g
