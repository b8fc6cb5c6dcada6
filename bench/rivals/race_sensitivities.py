#!/usr/bin/env python3
"""Sensitivities against CasADi's (idas with forward sensitivities of SUNDIALS, exact derivatives) on problems that both can do:

    python3 bench/rivals/race_sensitivities.py build/release/daedalus folder

For ordinary differential equations and index 1 the equations are the same; the pendulum is given to CasADi in its index-1 form,
to us with its constraint. Each code runs at several tolerances. The error is that of the sensitivities at the end, against
ours at rtol 1e-12, over the largest of them. Times are processor times of the integration alone, the least of the repetitions.
For each wanted error the fastest run that reaches it is taken. CasADi comes from PyPI, in an environment of its own:

    python3 -m venv build/casadi && build/casadi/bin/pip install casadi
    build/casadi/bin/python bench/rivals/race_sensitivities.py build/release/daedalus build/results
"""
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from ours import run, save  # noqa: E402

TARGETS = [1e-4, 1e-6]
TOLERANCES = [1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10]
REPETITIONS = 5


class Problem:
    """`text`: the model for us; `casadi(ca)`: (x, z, p, ode, alg, x0, z0, slopes) for CasADi, x0 as a function of p too."""

    def __init__(self, name, text, parameters, signals, until, casadi):
        self.name, self.text, self.parameters, self.signals, self.until, self.casadi = name, text, parameters, signals, until, casadi


def van_der_pol(ca):
    x, p = ca.SX.sym("x", 2), ca.SX.sym("p", 2)
    return {"x": x, "p": p, "ode": ca.vertcat(x[1], p[0] * (1 - x[0] ** 2) * x[1] - x[0] + p[1])}, [1.0, 0.0], [], [2.0, 0.1], lambda p: [p[0] * 0 + 1.0, 0.0]


def diode(ca):
    x, z, p, t = ca.SX.sym("x"), ca.SX.sym("z", 2), ca.SX.sym("p", 2), ca.SX.sym("t")
    u, i = z[0], z[1]
    return ({"x": x, "z": z, "p": p, "t": t, "ode": (i - x / 1000) / p[1],
             "alg": ca.vertcat(5 * ca.sin(100 * t) - u - p[0] * i, 1e5 * (i - 1e-9 * (ca.exp((u - x) / 0.05) - 1)))},
            [0.0], [0.0, 0.0], [100.0, 1e-5], None)


def pendulum(ca):
    x, z, p = ca.SX.sym("x", 4), ca.SX.sym("z"), ca.SX.sym("p", 2)
    force = x[2] ** 2 + x[3] ** 2 - p[1] * x[1] - z * p[0] ** 2  # the constraint, differentiated twice
    return ({"x": x, "z": z, "p": p, "ode": ca.vertcat(x[2], x[3], -z * x[0], -z * x[1] - p[1]), "alg": force},
            [1.0, 0.0, 0.0, 0.0], [0.0], [1.0, 9.81], lambda p: ca.vertcat(p[0], 0, 0, 0))


PROBLEMS = [
    Problem("van der Pol, ODE", """model P parameter Real mu = 2, f = 0.1; Real x(start = 1, fixed = true), v(start = 0, fixed = true);
equation der(x) = v; der(v) = mu*(1 - x^2)*v - x + f; end P;""", ["mu", "f"], ["x", "v"], 10, van_der_pol),
    Problem("diode, index 1", """model P parameter Real R = 100, C = 1e-5; Real v(start = 0, fixed = true), u, i;
equation 5*sin(100*time) - u = R*i; i = 1e-9*(exp((u - v)/0.05) - 1); C*der(v) = i - v/1000; end P;""", ["R", "C"], ["v"], 0.05, diode),
    Problem("pendulum, index 3 (CasADi: index 1)", """model P parameter Real L = 1, g = 9.81;
Real x(start = L, fixed = true), y(start = 0), vx, vy(start = 0, fixed = true), l;
equation der(x) = vx; der(y) = vy; der(vx) = -l*x; der(vy) = -l*y - g; x^2 + y^2 = L^2; end P;""", ["L", "g"],
            ["x", "y", "vx", "vy"], 5, pendulum),
]


def ours(program, path, problem, rtol):
    best = None
    for _ in range(REPETITIONS):
        arguments = ["--rtol", repr(rtol), "--atol", repr(rtol / 100), "--until", repr(problem.until), "--sensitivities", ",".join(problem.parameters)]
        summary = run(program, path, arguments, points=3)
        if summary is None:
            return None
        seconds = summary["seconds"]["integrate"]
        if best is None or seconds < best["seconds"]:
            row = summary["rows"][-1]
            best = {"seconds": seconds, "values": [row[f"d({s})/d({p})"] for s in problem.signals for p in problem.parameters]}
    return best


def casadis(problem, rtol):
    import casadi as ca

    dae, x0, z0, p0, start = problem.casadi(ca)
    options = {"reltol": rtol, "abstol": rtol / 100, "max_num_steps": 200000, "print_stats": False, "show_eval_warnings": False,
               "fsens_err_con": True}
    code = "idas" if "z" in dae else "cvodes"
    p = ca.MX.sym("p", len(p0))
    integrator = ca.integrator("run", code, dae, 0, problem.until, options)
    begin = start(p) if start else x0
    end = integrator(x0=ca.vertcat(*begin) if isinstance(begin, list) else begin, z0=z0, p=p)["xf"]
    jacobian = ca.Function("j", [p], [ca.jacobian(end, p)])
    best = None
    try:
        for _ in range(REPETITIONS):
            clock = time.process_time()
            values = jacobian(p0).full()
            seconds = time.process_time() - clock
            if best is None or seconds < best["seconds"]:
                best = {"seconds": seconds, "values": [float(v) for v in values.ravel()]}
    except RuntimeError as error:
        print(problem.name, rtol, str(error)[-200:], file=sys.stderr)
        return None
    return best


def error_of(found, exact):
    size = max(map(abs, exact))
    return max(abs(a - b) for a, b in zip(found, exact)) / size


def fastest(runs, target):
    reached = [r["seconds"] for r in runs.values() if r is not None and r["error"] <= target]
    return min(reached) if reached else None


def main():
    program, folder = sys.argv[1], sys.argv[2]
    lines = ["| problem | error | daedalus, ms | CasADi, ms | CasADi / daedalus |", "|---|---|---|---|---|"]
    results = {}
    with tempfile.TemporaryDirectory() as place:
        for problem in PROBLEMS:
            path = os.path.join(place, "p.mo")
            with open(path, "w", encoding="utf-8") as out:
                out.write(problem.text)
            exact = ours(program, path, problem, 1e-12)["values"]
            runs = {"daedalus": {r: ours(program, path, problem, r) for r in TOLERANCES}, "casadi": {r: casadis(problem, r) for r in TOLERANCES}}
            for code in runs.values():
                for found in code.values():
                    if found is not None:
                        found["error"] = error_of(found["values"], exact)
            results[problem.name] = runs
            for target in TARGETS:
                a, b = fastest(runs["daedalus"], target), fastest(runs["casadi"], target)
                shown = [f"{1000 * s:.2f}" if s is not None else "not reached" for s in (a, b)]
                ratio = f"{b / a:.1f}" if a and b else ""
                lines.append(f"| {problem.name} | {target:g} | {shown[0]} | {shown[1]} | {ratio} |")
    print("\n".join(lines))
    save(folder, "sensitivities", lines, results)


if __name__ == "__main__":
    main()
