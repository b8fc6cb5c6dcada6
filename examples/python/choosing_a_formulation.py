"""Choosing a formulation: one model, every published way, side by side.

`auto` chooses and says why. Where the choice matters, compare.
"""

import daedalus as dd

m = dd.Mechanism("Four-bar", planar=True)
crank = m.rod("crank", (0, 0), (0.4, 0.3), mass=1)
coupler = m.rod("coupler", (0.4, 0.3), (1.4, 0.8), mass=1)
rocker = m.rod("rocker", (1.4, 0.8), (1.5, 0), mass=1)
m.revolute("A", m.ground, crank, at=(0, 0))
m.revolute("B", crank, coupler, at=(0.4, 0.3))
m.revolute("C", coupler, rocker, at=(1.4, 0.8))
m.revolute("D", rocker, m.ground, at=(1.5, 0))

print("auto takes", m.simulate(until=1).summary["formulation"], "because", m.simulate(until=1).summary["why"])
print()

comparison = m.compare(until=1, rtol=1e-6, formulations=["dummy-derivatives", "ggl", "index2", "index1",
                                                        ("baumgarte", {"gamma": 20}), "orthogonal-projection"])
print(comparison)
best = min((row for row in comparison.rows if row["status"] == "ok"), key=lambda row: row["seconds"])
print(f"\nthe quickest was {best['formulation']} with {best['integrator']}")

# The table goes on to pandas, the plots to a page that opens anywhere: comparison.html("four_bar.html").
table = comparison.table
by_name = {row["formulation"]: row for row in comparison.rows}
assert by_name["ggl"]["drift"]["position"] < 1e-9 < by_name["index1"]["drift"]["position"]
