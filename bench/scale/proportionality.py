#!/usr/bin/env python3
"""Measured error against the tolerance that was asked for, under auto with its default absolute tolerance:

    python3 bench/scale/proportionality.py build/release/daedalus [folder for results]

The error is that of the positions (of the amplifier: the voltages) at the end, over their largest magnitude. The
reference is the solution of an ordinary equation where the motion is one, else a run at rtol 1e-13 by another formulation; a
second one, by yet another method or as published, says how far to trust it.
What must hold: error ≤ 50 rtol for rtol from 1e-4 to 1e-11."""
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "bench", "rivals"))
from models import chain, pendulum_exact, slider_crank_exact  # noqa: E402
from ours import run  # noqa: E402
from svg import loglog  # noqa: E402

TOLERANCES = [10.0**-k for k in range(4, 12)]
LIMIT = 50
EXPLICIT = ["--formulation", "index1", "--integrator", "dop853", "--rtol", "1e-13", "--atol", "1e-14"]
IMPLICIT = ["--formulation", "dummy-derivatives", "--integrator", "radau", "--rtol", "1e-12", "--atol", "1e-13"]
RADAU = ["--integrator", "radau", "--rtol", "1e-12", "--atol", "1e-13"]
TIGHT = ["--formulation", "trust-region", "--integrator", "dop853", "--rtol", "1e-12", "--atol", "1e-13"]
# Test Set for IVP Solvers, transistor amplifier at t = 0.2.
PUBLISHED = [-0.5562145012262709e-2, 0.3006522471903042e1, 0.2849958788608128e1, 0.2926422536206241e1,
             0.2704617865010554e1, 0.2761837778393145e1, 0.4770927631616772e1, 0.1236995868091548e1]


def problems(folder):
    """(name, file, variables, reference, second reference); a reference is numbers or the arguments of a run"""
    path = os.path.join(folder, "chain10.mo")
    with open(path, "w", encoding="utf-8") as out:
        out.write(chain(10))
    given = lambda *parts: os.path.join(ROOT, *parts)  # noqa: E731
    andrews = ["beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"]
    yield "pendulum", given("examples", "pendulum.mo"), ["x", "y"], pendulum_exact(10, 1)[0], EXPLICIT
    yield "Andrews", given("problems", "andrews.mo"), andrews, EXPLICIT, IMPLICIT
    yield "car axis", given("problems", "car_axis.mo"), ["xl", "yl", "xr", "yr"], EXPLICIT, IMPLICIT
    yield "slider crank", given("problems", "slider_crank.mo"), ["theta1", "theta2"], slider_crank_exact(10, 1)[0], TIGHT
    yield "chain of 10", path, [f"phi[{i}]" for i in range(1, 11)], EXPLICIT, IMPLICIT
    yield "amplifier", given("problems", "transistor_amplifier.mo"), [f"y[{i}]" for i in range(1, 9)], RADAU, PUBLISHED


def values(program, path, names, reference):
    """The numbers of a reference, None if its run fails."""
    if isinstance(reference[0], float):
        return {"final": dict(zip(names, reference))}
    return run(program, path, reference)


def distance(one, two, names):
    scale = max(abs(two["final"][n]) for n in names)
    return max(abs(one["final"][n] - two["final"][n]) for n in names) / scale


def measure(program, path, names, references):
    exact, check = (values(program, path, names, reference) for reference in references)
    if exact is None:
        return {"failed": "no reference"}
    found = [run(program, path, ["--rtol", f"{rtol:g}"]) for rtol in TOLERANCES]
    return {"trust": distance(check, exact, names) if check else None,
            "errors": [distance(s, exact, names) if s else None for s in found]}


def cell(rtol, error):
    if error is None:
        return "fails"
    return f"{error / rtol:.2g}" + (" !" if error > LIMIT * rtol else "")


def main():
    results, curves = {}, {}
    lines = ["| error / rtol at rtol = | " + " | ".join(f"{t:g}" for t in TOLERANCES) + " | references differ by |",
             "|---" * (len(TOLERANCES) + 2) + "|"]
    print("\n".join(lines), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, path, names, *references in problems(folder):
            results[name] = found = measure(sys.argv[1], path, names, references)
            if "failed" in found:
                lines.append(f"| {name} | {found['failed']} |")
            else:
                trust = f"{found['trust']:.0e}" if found["trust"] is not None else "–"
                cells = [cell(*pair) for pair in zip(TOLERANCES, found["errors"])]
                lines.append(f"| {name} | " + " | ".join(cells) + f" | {trust} |")
                curves[name] = [p for p in zip(TOLERANCES, found["errors"]) if p[1]]
            print(lines[-1], flush=True)
    curves["50 rtol"] = [(t, LIMIT * t) for t in TOLERANCES]
    if len(sys.argv) > 2:
        os.makedirs(sys.argv[2], exist_ok=True)
        for suffix, text in (("md", "\n".join(lines) + "\n"), ("json", json.dumps(results, indent=1)),
                             ("svg", loglog("auto: measured error against rtol", ("rtol", "error"), curves, ("50 rtol",)))):
            with open(os.path.join(sys.argv[2], f"proportionality.{suffix}"), "w", encoding="utf-8") as out:
                out.write(text)


if __name__ == "__main__":
    main()
