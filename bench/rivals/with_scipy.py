"""SciPy's Radau and BDF on the index-reduced form, an ordinary differential equation in all coordinates; the right-hand
side is compiled by CasADi's tracing and evaluated in its virtual machine, the loop is Python."""
import time

import casadi as ca
import numpy as np
import scipy
from scipy.integrate import solve_ivp

from equations import Amplifier

VERSION = scipy.__version__
SETTINGS = {f"{m}, rtol {r:g}": (m, r) for m in ("Radau", "BDF") for r in (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7)}


def _solve(function, start, until, setting):
    method, rtol = setting
    begin = time.process_time()
    try:
        found = solve_ivp(function, (0, until), start, method=method, rtol=rtol, atol=rtol / 100)
    except ValueError:
        return None
    seconds = time.process_time() - begin
    if not found.success:
        return None
    return {"y": found.y[:, -1], "steps": len(found.t) - 1, "evaluations": int(found.nfev), "seconds": seconds}


def mechanism(problem, until, outputs):
    solve = problem.accelerations()
    count = len(problem.start)

    def slope(_, y):
        return np.concatenate([y[count:], solve(y[:count], y[count:]).full()[:count, 0]])

    def run(setting):
        found = _solve(slope, np.array(problem.start + [0] * count, dtype=float), until, setting)
        if found:
            found["rows"] = [[found["y"][i] for i in outputs]]
        return found
    return SETTINGS, run


def amplifier(until):
    problem = Amplifier()
    arguments = [problem.x, problem.z, problem.t]
    parts = ca.Function("parts", arguments, [problem.algebraic, ca.jacobian(problem.algebraic, problem.z), problem.slopes])
    outputs = ca.Function("outputs", arguments, [problem.outputs])
    last = np.array(Amplifier.GUESS)

    def solved(t, x):
        """z by Newton's method from the last one: the ordinary equation that lies in the semi-explicit form."""
        nonlocal last
        z = last
        for _ in range(200):
            rest, slope, derivative = parts(x, z, t)
            change = np.linalg.solve(slope.full(), rest.full()[:, 0])
            z = z - np.clip(change, -0.1, 0.1)  # the diodes' exponentials would overflow
            if np.max(np.abs(change)) < 1e-12:
                break
        last = z
        return z, derivative.full()[:, 0]

    def run(setting):
        nonlocal last
        last = np.array(Amplifier.GUESS)
        found = _solve(lambda t, x: solved(t, x)[1], np.array(Amplifier.START), until, setting)
        if found:
            found["rows"] = [list(outputs(found["y"], solved(until, found["y"])[0], until).full()[:, 0])]
        return found
    return {n: s for n, s in SETTINGS.items() if s[1] in (1e-4, 1e-5)}, run
