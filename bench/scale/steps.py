#!/usr/bin/env python3
"""What a step costs as the model grows, for the chain of rods, chains of ball joints and of hinges in space, and the planar net:

    python3 bench/scale/steps.py build/release/daedalus [folder for results]

Processor time of the integration to a late time less that to an early one, over the difference of their steps: what is
prepared once falls out. The exponent is that of the growth from one size to the next. What must hold: chains n^1.05 or less,
net n^1.5 or less, n being the number of bodies."""
import math
import os
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "rivals")]
from models import ball_chain_mjcf, chain, hinge_chain_mjcf  # noqa: E402
from net import net  # noqa: E402
from ours import run, save  # noqa: E402

# kind: (text, kind of file, [(size, bodies)], early and late end)
PROBLEMS = {
    "chain": (chain, "mo", [(100, 100), (1000, 1000), (10000, 10000)], (0.1, 0.6)),
    "ball chain": (ball_chain_mjcf, "xml", [(100, 100), (1000, 1000), (10000, 10000)], (0.02, 0.2)),
    "hinge chain": (hinge_chain_mjcf, "xml", [(100, 100), (1000, 1000), (10000, 10000)], (0.02, 0.2)),
    "net": (lambda n: net(n, 1), "mo", [(10, 100), (20, 400), (40, 1600), (60, 3600)], (0.1, 0.8)),
}
REPEATS = 3  # and more of what is over quickly, where noise weighs most
QUICK = 1.0  # seconds
MOST_REPEATS = 12


def cost(program, path, ends):
    """Seconds, steps and evaluations between the two ends; least times of several runs, interleaved."""
    best = {}
    began = time.monotonic()
    for repeat in range(MOST_REPEATS):
        if repeat >= REPEATS and time.monotonic() - began > QUICK * MOST_REPEATS:
            break
        for until in ends:
            summary = run(program, path, ["--until", f"{until:g}", "--rtol", "1e-6"], limit=600.0)
            if summary is None:
                return None
            if until not in best or summary["seconds"]["integrate"] < best[until]["seconds"]["integrate"]:
                best[until] = summary
    early, late = (best[until] for until in ends)
    return {"seconds": late["seconds"]["integrate"] - early["seconds"]["integrate"], "steps": late["steps"] - early["steps"],
            "evaluations": late["residual_evals"] - early["residual_evals"], "solver": late["linear_solver"],
            "codegen": late["codegen"], "unknowns": late["unknowns"]}


def main():
    program, results = sys.argv[1], []
    lines = ["| problem | bodies | steps | evaluations | ms a step | µs an evaluation | exponent, step | exponent, evaluation |",
             "|---" * 8 + "|"]
    print("\n".join(lines), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for kind, (text, suffix, sizes, ends) in PROBLEMS.items():
            last = None
            for size, bodies in sizes:
                path = os.path.join(folder, f"model.{suffix}")
                with open(path, "w", encoding="utf-8") as out:
                    out.write(text(size))
                found = cost(program, path, ends)
                if found is None:
                    lines.append(f"| {kind} | {bodies} | fails |")
                    print(lines[-1], flush=True)
                    continue
                each = (found["seconds"] / found["steps"], found["seconds"] / found["evaluations"])
                growth = [f"{math.log(e / old) / math.log(bodies / last[0]):.2f}" if last else "" for e, old in
                          zip(each, last[1] if last else each)]
                results.append({"problem": kind, "bodies": bodies, **found})
                lines.append(f"| {kind} | {bodies} | {found['steps']} | {found['evaluations']} | {1e3 * each[0]:.3g} | "
                             f"{1e6 * each[1]:.3g} | {growth[0]} | {growth[1]} |")
                print(lines[-1], flush=True)
                last = (bodies, each)
    if len(sys.argv) > 2:
        save(sys.argv[2], "steps", lines, results)


if __name__ == "__main__":
    main()
