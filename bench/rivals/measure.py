#!/usr/bin/env python3
"""auto against SUNDIALS IDA (the library that this program was linked with) on the same models:

    python3 bench/rivals/measure.py build/release/daedalus [folder for results]

Every method runs at several tolerances, methods interleaved; of each run the integration time (the least of three) and
the error of the positions at the end against a run at rtol 1e-12 by another formulation are taken. The table gives, for
each problem and wanted error, the fastest run of each method that reaches it, and the ratio. IDA is given what it does
best with: the stabilised index-2 form (GGL) with multipliers out of the error test, and the index-1 form."""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
from models import chain  # noqa: E402
from ours import run, save  # noqa: E402

METHODS = {
    "auto": [],
    "ida, ggl": ["--formulation", "ggl", "--integrator", "ida"],
    "ida, index1": ["--formulation", "index1", "--integrator", "ida"],
    "radau, dummy-derivatives": ["--formulation", "dummy-derivatives", "--integrator", "radau"],
}
TOLERANCES = [1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8]
REPEATS = 3
TARGETS = [1e-3, 1e-5]


def problems(folder):
    """(name, file, positions whose error counts, extra arguments)"""
    def write(name, text):
        path = os.path.join(folder, name + ".mo")
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def given(*parts):
        return os.path.join(ROOT, *parts)

    yield "pendulum, 10 s", given("examples", "pendulum.mo"), ["x", "y"]
    yield "Andrews' squeezer, 0.03 s", given("problems", "andrews.mo"), ["beta", "Theta", "gamma", "Phi", "delta"]
    yield "car axis, 3 s", given("problems", "car_axis.mo"), ["xl", "yl", "xr", "yr"]
    for n in (10, 100, 1000):
        yield f"chain of {n}, 1 s", write(f"chain{n}", chain(n)), [f"phi[{i}]" for i in range(1, n + 1)]
    yield "stiff chain of 100, 1 s", write("stiff", chain(100, 1e5)), [f"phi[{i}]" for i in range(1, 101)]


def error_of(summary, reference, names):
    scale = max(abs(reference["final"][name]) for name in names)
    return max(abs(summary["final"][name] - reference["final"][name]) for name in names) / scale


def measure(program, path, names, limit=20.0):
    tight = ["--rtol", "1e-12", "--atol", "1e-13", "--formulation", "index1", "--integrator", "dop853"]
    reference = run(program, path, tight, 10 * limit)
    if reference is None:
        return []
    rows = []
    for rtol in TOLERANCES:
        best = {}
        for _ in range(REPEATS):
            for method, arguments in METHODS.items():
                if method in best and best[method] is None:
                    continue
                summary = run(program, path, [*arguments, "--rtol", str(rtol), "--atol", str(rtol / 100)], limit)
                seconds = summary["seconds"]["integrate"] if summary else None
                if summary is None:
                    best[method] = None
                elif method not in best or seconds < best[method]["seconds"]:
                    best[method] = {"seconds": seconds, "error": error_of(summary, reference, names),
                                    "steps": summary["steps"], "residual_evals": summary["residual_evals"],
                                    "solver": summary.get("linear_solver")}
        for method, found in best.items():
            rows.append({"method": method, "rtol": rtol, **(found or {"failed": True})})
    return rows


def fastest(rows, method, target):
    good = [r for r in rows if r["method"] == method and "error" in r and r["error"] <= target]
    return min(good, key=lambda r: r["seconds"], default=None)


def main():
    program = sys.argv[1]
    results = {}
    lines = ["| problem | error ≤ | " + " | ".join(f"{m}, ms" for m in METHODS) + " | steps of auto | auto against IDA's better |",
             "|---" * (len(METHODS) + 4) + "|"]
    print("\n".join(lines), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, path, names in problems(folder):
            rows = measure(program, path, names)
            results[name] = rows
            for target in TARGETS:
                found = {m: fastest(rows, m, target) for m in METHODS}
                cells = [f"{1e3 * f['seconds']:.2f}" if f else "–" for f in found.values()]
                rivals = [f["seconds"] for m, f in found.items() if m.startswith("ida") and f]
                ours = found["auto"]
                ratio = f"{min(rivals) / ours['seconds']:.1f}" if rivals and ours else "–"
                steps = ours["steps"] if ours else "–"
                lines.append(f"| {name} | {target:g} | " + " | ".join(cells) + f" | {steps} | {ratio} |")
                print(lines[-1], flush=True)
    if len(sys.argv) > 2:
        save(sys.argv[2], "rivals", lines, results)


if __name__ == "__main__":
    main()
