"""Choosing a formulation: one model, every published way, side by side.

`auto` chooses and says why. Where the choice matters, compare.
"""

import daedalus as dd

m = dd.Mechanism("Double pendulum", planar=True)
upper = m.rod("upper", (0, 0), (1, 0), mass=1)
lower = m.rod("lower", (1, 0), (2, 0), mass=1)
m.revolute("A", m.ground, upper, at=(0, 0))
m.revolute("B", upper, lower, at=(1, 0))

print("auto takes", m.simulate(until=1).summary["formulation"], "because", m.simulate(until=1).summary["why"])
print()

comparison = m.compare(until=1, rtol=1e-6, formulations=["dummy-derivatives", "ggl", "index2", "index1",
                                                        ("baumgarte", {"gamma": 20}), "orthogonal-projection"])
print(comparison)
best = min((row for row in comparison.rows if row["status"] == "ok"), key=lambda row: row["seconds"])
print(f"\nthe quickest was {best['formulation']} with {best['integrator']}")

# The table goes on to pandas, the plots to a page that opens anywhere: comparison.html("double_pendulum.html").
table = comparison.table
by_name = {row["formulation"]: row for row in comparison.rows}
assert by_name["ggl"]["drift"]["position"] < 1e-9 < by_name["index1"]["drift"]["position"]
