"""CasADi's idas (SUNDIALS with exact Jacobians from CasADi's graphs) on the index-1 form and on GGL, multipliers out of
the error test."""
import time

import casadi as ca

from equations import Amplifier

VERSION = ca.__version__
TOLERANCES = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8]
SETTINGS = {f"idas, {form}, rtol {r:g}": (form, r) for form in ("index 1", "GGL") for r in TOLERANCES}


def _integrate(dae, start, until, rtol):
    options = {"reltol": rtol, "abstol": rtol / 100, "suppress_algebraic": True, "max_num_steps": 100000,
               "print_stats": False, "show_eval_warnings": False}
    x, z, slopes = start
    options["init_xdot"] = list(slopes)
    options["calc_ic"] = False  # the starts are consistent
    integrator = ca.integrator("run", "idas", dae, 0, until, options)
    begin = time.process_time()
    try:
        final = integrator(x0=x, z0=z)
    except RuntimeError:
        return None
    seconds = time.process_time() - begin
    stats = integrator.stats()
    return {"x": final["xf"].full()[:, 0], "z": final["zf"].full()[:, 0], "seconds": seconds,
            "steps": int(stats.get("nsteps", 0)), "evaluations": int(stats.get("nfevals", 0))}


def _index1(problem):
    count, loops = len(problem.start), problem.loops.shape[0]
    a, multipliers = ca.SX.sym("a", count), ca.SX.sym("lambda", loops)
    forces = ca.mtimes(problem.mass, a) + ca.mtimes(problem.jacobian.T, multipliers) - problem.force
    return {"x": ca.vertcat(problem.q, problem.v), "z": ca.vertcat(a, multipliers), "ode": ca.vertcat(problem.v, a),
            "alg": ca.vertcat(forces, ca.mtimes(problem.jacobian, a) - problem.gamma)}


def _ggl(problem):
    """q' = v - G'μ with g = 0 and G v = 0; accelerations stay unknowns so that M need not be inverted."""
    count, loops = len(problem.start), problem.loops.shape[0]
    a, multipliers, corrections = ca.SX.sym("a", count), ca.SX.sym("lambda", loops), ca.SX.sym("mu", loops)
    forces = ca.mtimes(problem.mass, a) + ca.mtimes(problem.jacobian.T, multipliers) - problem.force
    return {"x": ca.vertcat(problem.q, problem.v), "z": ca.vertcat(a, multipliers, corrections),
            "ode": ca.vertcat(problem.v - ca.mtimes(problem.jacobian.T, corrections), a),
            "alg": ca.vertcat(forces, problem.loops, ca.mtimes(problem.jacobian, problem.v))}


def mechanism(problem, until, outputs):
    count, loops = len(problem.start), problem.loops.shape[0]
    at_start = problem.accelerations()(problem.start, [0] * count).full()[:, 0]

    def run(setting):
        form, rtol = setting
        dae = _index1(problem) if form == "index 1" else _ggl(problem)
        z = list(at_start) + ([0] * loops if form == "GGL" else [])
        found = _integrate(dae, (problem.start + [0] * count, z, [0] * count + list(at_start[:count])), until, rtol)
        if found:
            found["rows"] = [[found["x"][i] for i in outputs]]
        return found
    return SETTINGS, run


def amplifier(until):
    problem = Amplifier()
    outputs = ca.Function("outputs", [problem.x, problem.z, problem.t], [problem.outputs])
    slopes = ca.Function("slopes", [problem.x, problem.z, problem.t], [problem.slopes])
    at_start = slopes(Amplifier.START, Amplifier.GUESS, 0).full()[:, 0]
    dae = {"x": problem.x, "z": problem.z, "t": problem.t, "ode": problem.slopes, "alg": problem.algebraic}

    def run(setting):
        found = _integrate(dict(dae), (Amplifier.START, Amplifier.GUESS, at_start), until, setting[1])
        if found:
            found["rows"] = [list(outputs(found["x"], found["z"], until).full()[:, 0])]
        return found
    return {f"idas, index 1, rtol {r:g}": ("index 1", r) for r in TOLERANCES}, run
