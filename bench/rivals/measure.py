#!/usr/bin/env python3
"""auto against SUNDIALS IDA (the library that this program was linked with) on the same models:

    python3 bench/rivals/measure.py build/release/daedalus [folder for results]

Every method runs at several tolerances, methods interleaved; of each run the integration time (the least of several) and
the error of the positions at the end against an exact motion, or a run at rtol 1e-12 by another formulation, are taken. The table gives, for
each problem and wanted error, the fastest run of each method that reaches it, and the ratio; for short runs also the instructions
of the steps, in millions (callgrind). IDA is given what it does best with: the stabilised index-2 form (GGL) with multipliers out of the
error test, and the index-1 form. The largest models run at fewer tolerances, and once."""
import dataclasses
import os
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "bench", "scale")]
from instructions import count  # noqa: E402
from models import chain, n_four_bar_exact, slider_crank_exact  # noqa: E402
from net import net  # noqa: E402
from ours import run, save  # noqa: E402
from svg import loglog  # noqa: E402

METHODS = {
    "auto": [],
    "ida, ggl": ["--formulation", "ggl", "--integrator", "ida"],
    "ida, index1": ["--formulation", "index1", "--integrator", "ida"],
    "radau, dummy-derivatives": ["--formulation", "dummy-derivatives", "--integrator", "radau"],
}
TOLERANCES = [1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8]
TARGETS = [1e-3, 1e-5]
EXPLICIT = ["--rtol", "1e-12", "--atol", "1e-13", "--formulation", "index1", "--integrator", "dop853"]
IMPLICIT = ["--rtol", "1e-12", "--atol", "1e-13", "--integrator", "radau"]
SHORT = 0.02  # seconds: instructions of such runs are counted


@dataclasses.dataclass
class Problem:
    name: str
    path: str
    variables: list  # whose error counts
    reference: list = dataclasses.field(default_factory=lambda: EXPLICIT)  # numbers, or the arguments of a run
    arguments: list = dataclasses.field(default_factory=list)
    tolerances: list = dataclasses.field(default_factory=lambda: TOLERANCES)
    repeats: int = 3
    limit: float = 20.0  # seconds of a run
    without: tuple = ()  # methods


def problems(folder):
    def write(name, text):
        path = os.path.join(folder, name + ".mo")
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def given(*parts):
        return os.path.join(ROOT, *parts)

    yield Problem("pendulum, 10 s", given("examples", "pendulum.mo"), ["x", "y"])
    yield Problem("Andrews' squeezer, 0.03 s", given("problems", "andrews.mo"), ["beta", "Theta", "gamma", "Phi", "delta"])
    yield Problem("car axis, 3 s", given("problems", "car_axis.mo"), ["xl", "yl", "xr", "yr"])
    yield Problem("slider crank, 10 s", given("problems", "slider_crank.mo"), ["theta1", "theta2"], slider_crank_exact(10, 1)[0])
    for n in (2, 40):
        yield Problem(f"N-four-bar, N = {n}, 10 s", given("problems", "n_four_bar.mo"), ["B0x", "B0y"], n_four_bar_exact(n, 10, 1)[0],
                      ["--set", f"N={n}", "--until", "10"], repeats=3 if n == 2 else 1)
    yield Problem("transistor amplifier, 0.2 s", given("problems", "transistor_amplifier.mo"), [f"y[{i}]" for i in range(1, 9)], IMPLICIT)
    yield Problem("net of 20 x 20, 1 s", write("net", net(20, 1)), [f"{v}[20,{j}]" for v in "xy" for j in range(1, 21)], repeats=1)
    for kind, stiffness in (("chain", 0.0), ("stiff chain", 1e5)):
        for n in (10, 100, 1000, 10000):
            large = n == 10000
            yield Problem(f"{kind} of {n}, 1 s", write(f"chain{n}", chain(n, stiffness)), [f"phi[{i}]" for i in range(1, n + 1)],
                          tolerances=[1.0, 1e-2, 1e-3, 1e-5] if large else TOLERANCES, repeats=1 if large else 3 if n < 1000 else 2,
                          limit=90.0 if large else 20.0, without=("radau, dummy-derivatives",) if large else ())


def error_of(summary, reference, names):
    scale = max(abs(reference[name]) for name in names)
    return max(abs(summary["final"][name] - reference[name]) for name in names) / scale


def reference_of(program, problem):
    """By variable; None if its run fails."""
    if isinstance(problem.reference[0], float):
        return dict(zip(problem.variables, problem.reference))
    summary = run(program, problem.path, [*problem.arguments, *problem.reference], 10 * problem.limit)
    return summary["final"] if summary else None


def arguments_of(problem, method, rtol):
    return [*problem.arguments, *METHODS[method], "--rtol", str(rtol), "--atol", str(rtol / 100)]


def measure(program, problem):
    reference = reference_of(program, problem)
    rows = []
    for rtol in problem.tolerances if reference else []:
        best = {}
        for _ in range(problem.repeats):
            for method in METHODS:
                if method in problem.without or (method in best and best[method] is None):
                    continue
                summary = run(program, problem.path, arguments_of(problem, method, rtol), problem.limit)
                seconds = summary["seconds"]["integrate"] if summary else None
                if summary is None:
                    best[method] = None
                elif method not in best or seconds < best[method]["seconds"]:
                    best[method] = {"seconds": seconds, "error": error_of(summary, reference, problem.variables),
                                    "steps": summary["steps"], "residual_evals": summary["residual_evals"],
                                    "solver": summary.get("linear_solver")}
        for method, found in best.items():
            rows.append({"method": method, "rtol": rtol, **(found or {"failed": True})})
    return rows


def fastest(rows, method, target):
    good = [r for r in rows if r["method"] == method and "error" in r and r["error"] <= target]
    return min(good, key=lambda r: r["seconds"], default=None)


def count_instructions(program, problem, row):
    """Of the steps, in a row of the results; nothing for long runs, or without valgrind."""
    if row and "instructions" not in row and row["seconds"] < SHORT and shutil.which("valgrind"):
        row["instructions"] = count(program, problem.path, arguments_of(problem, row["method"], row["rtol"]))[1]


def ratio(rival, ours):
    return f"{rival['seconds'] / ours['seconds']:.1f}" if rival and ours else "–"


def line(program, problem, rows, target):
    found = {m: fastest(rows, m, target) for m in METHODS}
    for method in ("auto", "ida, ggl", "ida, index1"):
        count_instructions(program, problem, found[method])
    times = [f"{1e3 * f['seconds']:.2f}" if f else "–" for f in found.values()]
    ours, ggl, index1 = (found[m] for m in ("auto", "ida, ggl", "ida, index1"))
    counts = [f"{f['instructions'] / 1e6:.2f}" if f and "instructions" in f else "–" for f in (ours, ggl, index1)]
    work = f"{ours['steps']} / {ours['residual_evals']}" if ours else "–"
    cells = [problem.name, f"{target:g}", *times, work, " / ".join(counts), ratio(ggl, ours), ratio(index1, ours)]
    return "| " + " | ".join(cells) + " |"


def diagram(problem, rows):
    curves = {}
    for row in rows:
        if "error" in row:
            curves.setdefault(row["method"], []).append((row["error"], row["seconds"]))
    return loglog(problem.name, ("error", "seconds"), curves)


def main():
    program = sys.argv[1]
    folder = sys.argv[2] if len(sys.argv) > 2 else None
    results = {}
    head = ["problem", "error ≤", *(f"{m}, ms" for m in METHODS), "auto: steps / evaluations", "10⁶ instructions: auto / ida, ggl / ida, index1",
            "ida, ggl over auto", "ida, index1 over auto"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    print("\n".join(lines), flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        for problem in problems(scratch):
            rows = measure(program, problem)
            results[problem.name] = rows
            for target in TARGETS:
                lines.append(line(program, problem, rows, target))
                print(lines[-1], flush=True)
            if folder:
                os.makedirs(folder, exist_ok=True)
                name = "".join(c for c in problem.name.split(" s")[0].lower().replace(" ", "-") if c.isalnum() or c == "-")
                with open(os.path.join(folder, f"ida-{name}.svg"), "w", encoding="utf-8") as out:
                    out.write(diagram(problem, rows))
    if folder:
        save(folder, "rivals", lines, results)


if __name__ == "__main__":
    main()
