#!/usr/bin/env python3
"""auto against codes from PyPI (MuJoCo, Exudyn, SciPy, CasADi) and Debian (Simbody) on the same problems:

    python3 bench/rivals/others.py build/release/daedalus [folder for results [simbody_bench]]

An environment with the rivals is made beside the results; a rival that cannot be installed is a row that says so. Times are
processor times of the integration alone, the least of three, codes interleaved. Errors are the largest over the compared
times, against an exact solution or, where there is none, a run at rtol 1e-11."""
import importlib
import os
import subprocess
import sys
import tempfile
import venv

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
import models  # noqa: E402
import with_simbody  # noqa: E402
from ours import save  # noqa: E402
from svg import loglog  # noqa: E402
from table import HEAD, Ours, lines, measure  # noqa: E402

PACKAGES = ["numpy", "mujoco", "exudyn", "scipy", "casadi"]
TARGETS = [1e-3, 1e-5]
TIGHT = 1e-11


def environment(folder):
    """The interpreter of an environment with what can be installed of the rivals."""
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(python):
        venv.create(folder, with_pip=True)
        for package in PACKAGES:
            done = subprocess.run([python, "-m", "pip", "install", "-q", package], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                print(f"{package} could not be installed: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
    return python


def load(name):
    """A rival's module, or None if it, or what it stands on, is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


class Rivals:
    """The modules of the rivals that are there; what is not is remembered for the table."""

    def __init__(self, simbody):
        self.modules = {n: load(f"with_{n.lower()}") for n in ("MuJoCo", "Exudyn", "SciPy", "CasADi")}
        self.simbody = simbody if simbody and os.path.exists(simbody) else None

    def codes(self, wanted):
        """{code name: function of its module that gives (settings, run)} -> (codes that are there, names of the others)"""
        there, missing = {}, []
        for name, make in wanted.items():
            if name == "Simbody":
                if self.simbody:
                    there[name, with_simbody.version()] = make(self.simbody)
                    continue
            elif self.modules[name] is not None:
                there[name, self.modules[name].VERSION] = make(self.modules[name])
                continue
            missing.append(name)
        return there, missing


def given(*parts):
    return os.path.join(ROOT, *parts)


def linkages(program):
    for n in (2, 40):
        wanted = {"MuJoCo": lambda m, n=n: m.n_four_bar(n, 10, 10)}
        if n == 2:
            wanted["Exudyn"] = lambda m: m.n_four_bar(2, 10, 10)
        ours = Ours(program, given("problems", "n_four_bar.mo"), ["B0x", "B0y"], ["--set", f"N={n}", "--until", "10"], 10)
        yield f"N-four-bar, N = {n}, 10 s", ours, models.n_four_bar_exact(n, 10, 10), wanted
    bricard = Ours(program, given("problems", "mechanisms", "bricard.xml"), ["P3.x", "P3.y", "P3.z"], ["--until", "10"], 10)
    wanted = {"MuJoCo": lambda m: m.bricard(ROOT, 10, 10), "Simbody": lambda p: with_simbody.bricard(p, 10, 10)}
    yield "Bricard, 10 s", bricard, None, wanted


def functions(program):
    """Problems for the codes that take functions."""
    def mechanism(name, until, count):
        def make(module):
            equations = importlib.import_module("equations")
            return module.mechanism(getattr(equations, name)(), until, range(count))
        return {"SciPy": make, "CasADi": make}

    angles = ["beta", "Theta", "gamma", "Phi", "delta"]
    yield ("pendulum, 10 s", Ours(program, given("examples", "pendulum.mo"), ["x", "y"]), models.pendulum_exact(10, 1),
           mechanism("pendulum", 10, 2))
    yield "Andrews, 0.03 s", Ours(program, given("problems", "andrews.mo"), angles), None, mechanism("andrews", 0.03, 5)
    amplifier = Ours(program, given("problems", "transistor_amplifier.mo"), [f"y[{i}]" for i in range(1, 9)])
    make = lambda m: m.amplifier(0.2)  # noqa: E731
    yield "transistor amplifier, 0.2 s", amplifier, None, {"SciPy": make, "CasADi": make}


def chains(program, folder):
    for n in (10, 100, 1000):
        path = os.path.join(folder, f"chain{n}.mo")
        with open(path, "w", encoding="utf-8") as out:
            out.write(models.chain(n))
        ours = Ours(program, path, [f"phi[{i}]" for i in range(1, n + 1)])
        yield f"chain of {n}, 1 s", ours, None, {"Simbody": lambda p, n=n: with_simbody.chain(p, n, 1)}


def diagram(problem, rows):
    curves = {}
    for row in rows:
        if "error" in row:
            kind = row["settings"].split(",")[0] if row["code"] != "daedalus" else "auto"
            curves.setdefault(f"{row['code']}, {kind}", []).append((row["error"], row["seconds"]))
    return loglog(problem, ("error", "seconds"), curves)


def compare(arguments):
    program, folder, simbody = arguments
    os.makedirs(folder, exist_ok=True)
    rivals = Rivals(simbody)
    results, text = {}, list(HEAD)
    print("\n".join(text), flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        for problem, ours, exact, wanted in [*functions(program), *linkages(program), *chains(program, scratch)]:
            reference = exact or ours.rows(ours.summary(TIGHT))
            codes, missing = rivals.codes(wanted)
            rows = measure({("daedalus", "auto"): (ours.settings(), ours), **codes}, reference)
            results[problem] = rows
            for target in TARGETS:
                found = lines(problem, rows, target, missing)
                print("\n".join(found), flush=True)
                text += found
            name = "".join(c for c in problem.split(" s")[0].lower().replace(" ", "-") if c.isalnum() or c == "-")
            with open(os.path.join(folder, f"work-precision-{name}.svg"), "w", encoding="utf-8") as out:
                out.write(diagram(problem, rows))
    save(folder, "others", text, results)


def main():
    program = os.path.abspath(sys.argv[1])
    folder = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else os.path.join("build", "bench", "results"))
    simbody = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else ""
    if len(sys.argv) > 4:  # inside the environment
        compare((program, folder, simbody))
        return
    python = environment(os.path.join(os.path.dirname(folder), "venv"))
    command = [python, os.path.abspath(__file__), program, folder, simbody, "inside"]
    sys.exit(subprocess.run(command, check=False).returncode)


if __name__ == "__main__":
    main()
