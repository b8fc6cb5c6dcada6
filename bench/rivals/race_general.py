#!/usr/bin/env python3
"""auto against SUNDIALS IDA (Debian's, which this program is linked with) and CasADi's idas on general problems (general.py):

    python3 bench/rivals/race_general.py build/release/daedalus folder [regular expression of names]

Each code runs at several tolerances, codes interleaved, the least of the repetitions. Errors are the largest at five times of the
run, over the size of each compared variable, against a run of radau at rtol 1e-11; a run of IDA at its sharpest says how far off a
second answer is. Times are processor times of the integration alone. For each wanted error the fastest run that reaches it is
taken. CasADi is taken from the environment that others.py has made."""
import math
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from general import PROBLEMS, CasadiWriter, ModelicaWriter  # noqa: E402
from ours import run, save  # noqa: E402

TARGETS = [1e-3, 1e-5]
TOLERANCES = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8]
REFERENCE = ["--formulation", "dummy-derivatives", "--integrator", "radau", "--rtol", "1e-11", "--atol", "1e-13"]
SECOND = ["--formulation", "dummy-derivatives", "--integrator", "ida", "--rtol", "1e-9", "--atol", "1e-11"]
# IDA on the equations as they are written, and with those unknowns computed that an equation gives explicitly: the faster counts.
CODES = {"auto": [], "IDA": ["--formulation", "dummy-derivatives:explicit=iterate", "--integrator", "ida"],
         "IDA, torn": ["--formulation", "dummy-derivatives", "--integrator", "ida"]}
LIMIT = 20.0   # seconds of a run
SLOW = 1.0     # longer ones are not repeated
ENOUGH = 1e-6  # what comes below it is not run at sharper tolerances


def error_of(rows, reference):
    sizes = [max(abs(row[c]) for row in reference) or 1.0 for c in range(len(reference[0]))]
    return max(abs(a - b) / s for row, exact in zip(rows, reference) for a, b, s in zip(row, exact, sizes))


def run_ours(program, path, problem, names, arguments):
    summary = run(program, path, arguments, limit=LIMIT * 10 if arguments in (REFERENCE, SECOND) else LIMIT, points=problem.samples + 1)
    if summary is None:
        return None
    rows = [[row[n] for n in names] for row in summary["rows"][1:]]
    if len(rows) != problem.samples:
        rows = rows[-problem.samples:]
    return {"rows": rows, "seconds": summary["seconds"]["integrate"], "steps": summary["steps"], "events": summary["events"],
            "integrator": summary["integrator"], "evaluations": summary["residual_evals"]}


class Idas:
    """CasADi's idas on a problem: one integrator from output to output, or one for each part of a period."""

    def __init__(self, problem):
        import casadi as ca  # only inside the environment
        self.ca, self.problem = ca, problem
        self.writer = CasadiWriter(ca)
        self.names = problem.write(self.writer)
        self.dae = self.writer.dae()
        self.states = [x.name() for x in self.writer.x]
        self.unknowns = [z.name() for z in self.writer.z]
        zs = self.dae["z"]
        if zs.numel():
            solve = {"x": zs, "p": self.ca.vertcat(self.dae["x"], self.dae["t"], self.dae["p"]), "g": self.dae["alg"]}
            self.consistent = ca.rootfinder("z", "newton", solve, {"error_on_fail": False})
        self.rates = ca.Function("rates", [self.dae["x"], self.dae["z"], self.dae["t"], self.dae["p"]], [self.dae["ode"]])

    def parts(self):
        """(duration, level of the pulse) again and again; empty: one run from output to output"""
        w = self.writer
        if w.period is None:
            return []
        parts = [(w.duty * w.period, 1.0), ((1 - w.duty) * w.period, 0.0)]
        return [p for p in parts if p[0] > 0]

    def integrator(self, grid, rtol):
        options = {"reltol": rtol, "abstol": rtol / 100, "suppress_algebraic": True, "max_num_steps": 200000,
                   "print_stats": False, "show_eval_warnings": False, "calc_ic": False}
        return options, grid

    def start(self, x, z, t, p):
        if self.unknowns:
            z = self.consistent(z, self.ca.vertcat(x, t, self.ca.vertcat(*p)))
        return z, self.rates(x, z, t, p)

    def make(self, grid, options, slopes):
        return self.ca.integrator("run", "idas", self.dae, 0, grid, {**options, "init_xdot": [float(s) for s in slopes.full()[:, 0]]})

    def __call__(self, rtol):
        w, problem = self.writer, self.problem
        x, z = self.ca.DM(w.x0), self.ca.DM(w.z0)
        times = [problem.until * (k + 1) / problem.samples for k in range(problem.samples)]
        columns = [self.states.index(n) if n in self.states else len(self.states) + self.unknowns.index(n) for n in self.names]

        def compared(x, z):
            values = list(x.full()[:, 0]) + (list(z.full()[:, 0]) if self.unknowns else [])
            return [values[c] for c in columns]
        try:
            parts = self.parts()
            if not parts:
                z, slopes = self.start(x, z, 0, [0, 0])
                integrator = self.make(times, self.integrator(times, rtol)[0], slopes)
                begin = time.process_time()
                found = integrator(x0=x, z0=z, p=[0, 0])
                seconds = time.process_time() - begin
                rows = [compared(found["xf"][:, k], found["zf"][:, k] if self.unknowns else None) for k in range(problem.samples)]
                steps = int(integrator.stats().get("nsteps", 0))
                return None if math.isnan(sum(map(sum, rows))) else {"rows": rows, "seconds": seconds, "steps": steps}
            return self.in_parts(parts, x, z, times, rtol, compared)
        except RuntimeError:
            return None

    def in_parts(self, parts, x, z, times, rtol, compared):
        """Restarted at every instant of the pulse. Consistent values are solved for outside of the time that counts."""
        ca = self.ca
        options = self.integrator(None, rtol)[0]
        options.pop("calc_ic")  # it finds the slopes of its start itself
        integrators = {duration: ca.integrator("run", "idas", self.dae, 0, duration, options) for duration, _ in parts}
        t, seconds, steps, rows = 0.0, 0.0, 0, []
        while len(rows) < len(times):
            for duration, level in parts:
                if self.unknowns:
                    z, _ = self.start(x, z, 0, [t, level])
                begin = time.process_time()
                found = integrators[duration](x0=x, z0=z, p=[t, level])
                seconds += time.process_time() - begin
                x, z = found["xf"], found["zf"]
                steps += int(integrators[duration].stats().get("nsteps", 0))
                t += duration
                if seconds > LIMIT:
                    return None
            if t >= times[len(rows)] * (1 - 1e-9):
                rows.append(compared(x, z))
        return {"rows": rows, "seconds": seconds, "steps": steps}


def measure(program, problem, folder):
    writer = ModelicaWriter()
    names = problem.write(writer)
    path = os.path.join(folder, "problem.mo")
    with open(path, "w", encoding="utf-8") as out:
        out.write(writer.text(problem.until))
    reference = run_ours(program, path, problem, names, REFERENCE)
    if reference is None:
        return None, None, 0
    second = run_ours(program, path, problem, names, SECOND)
    doubt = error_of(second["rows"], reference["rows"]) if second else math.nan
    codes = {name: lambda r, extra=extra: run_ours(program, path, problem, names, [*extra, "--rtol", str(r), "--atol", str(r / 100)])
             for name, extra in CODES.items()}
    codes["idas"] = Idas(problem)
    found, done = {}, set()
    for repeat in range(problem.repeats):
        for rtol in TOLERANCES:
            for name, execute in codes.items():
                before = found.get((name, rtol))
                if (repeat and (before is None or before["seconds"] > SLOW)) or (not repeat and name in done):
                    continue
                result = execute(rtol)
                if result is None:
                    continue
                result["error"] = error_of(result.pop("rows"), reference["rows"])
                if not repeat and (result["error"] < ENOUGH or result["seconds"] > LIMIT / 4):
                    done.add(name)
                if before is None or result["seconds"] < before["seconds"]:
                    found[name, rtol] = result
    return [{"code": name, "rtol": rtol, **row} for (name, rtol), row in found.items()], doubt, reference["events"]


def best(rows, codes, target):
    return min((r for r in rows if r["code"] in codes and r["error"] <= target), key=lambda r: r["seconds"], default=None)


def cell(row):
    return f"{1e3 * row['seconds']:.3g} (rtol {row['rtol']:g}, {row['steps']} steps)" if row else "–"


def lines(problem, rows, doubt, events, ratios):
    for target in TARGETS:
        ours, *others = (best(rows, codes, target) for codes in (("auto",), ("IDA", "IDA, torn"), ("idas",)))
        times = [r["seconds"] / ours["seconds"] if r and ours else None for r in others]
        if any(times):
            ratios.append((problem, target, min(t for t in times if t)))
        shown = [f"{t:.2g}" if t else "–" for t in times]
        yield (f"| {problem} | {target:g} | {events} | {doubt:.0e} | {cell(ours)} {ours['integrator'] if ours else ''} | "
               + " | ".join(map(cell, others)) + " | " + " | ".join(shown) + " |")


def compare(program, folder, pattern):
    text = ["| problem | error ≤ | events | second answer off by | auto, ms | IDA, ms | CasADi idas, ms | IDA over auto | idas over auto |",
            "|---" * 9 + "|"]
    print("\n".join(text), flush=True)
    results, ratios = {}, []
    with tempfile.TemporaryDirectory() as scratch:
        for problem in PROBLEMS:
            if not re.search(pattern, problem.name):
                continue
            rows, doubt, events = measure(program, problem, scratch)
            if rows is None:
                print(f"| {problem.name} | no reference |", flush=True)
                continue
            results[problem.name] = rows
            for line in lines(problem.name, rows, doubt, events, ratios):
                text.append(line)
                print(line, flush=True)
    if ratios:
        mean = math.exp(sum(math.log(r) for _, _, r in ratios) / len(ratios))
        worst = min(ratios, key=lambda r: r[2])
        text.append(f"\nThe faster rival over auto, in the geometric mean: {mean:.2f}; least {worst[2]:.2f} ({worst[0]}, {worst[1]:g}).")
        print(text[-1], flush=True)
    save(folder, "general", text, results)


def main():
    program, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    pattern = sys.argv[3] if len(sys.argv) > 3 else ""
    try:
        import casadi  # noqa: F401
    except ImportError:
        python = os.path.join(os.path.dirname(folder), "venv", "bin", "python")
        if os.path.abspath(sys.executable) == python or not os.path.exists(python):
            sys.exit("CasADi is not installed: others.py makes an environment with it")
        sys.exit(subprocess.run([python, os.path.abspath(__file__), program, folder, pattern], check=False).returncode)
    compare(program, folder, pattern)


if __name__ == "__main__":
    main()
