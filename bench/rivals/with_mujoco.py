"""MuJoCo by its RK4 at fixed step. Loops are soft there: solref is their time constant, which must be at least two steps,
and solimp their stiffness, here the hardest that MuJoCo allows (0.9999)."""
import os
import re
import time

import mujoco
import numpy as np

from models import n_four_bar_mjcf

VERSION = mujoco.__version__
HARD = 'solimp="0.9999 0.9999 0.001 0.5 2"'
FACTORS = [2, 4]  # time constants of the loops, in steps


def _simulate(model, data, until, samples, site):
    per_sample = round(until / samples / model.opt.timestep)
    rows = []
    begin = time.process_time()
    for _ in range(samples):
        mujoco.mj_step(model, data, per_sample)
        rows.append(list(data.site(site).xpos))
    seconds = time.process_time() - begin
    if not np.all(np.isfinite(rows)):
        return None
    return {"rows": rows, "steps": per_sample * samples, "evaluations": 4 * per_sample * samples, "seconds": seconds}


def _settings(rates):
    """(steps a second, time constant of the loops in steps)"""
    return {f"RK4, h = 1/{r} s, solref {k} h": (r, k) for r in rates for k in FACTORS}


def n_four_bar(n, until, samples):
    def run(setting):
        rate, factor = setting
        text = n_four_bar_mjcf(n, 1 / rate, f'solref="{factor / rate!r} 1" {HARD}')
        model = mujoco.MjModel.from_xml_string(text)
        data = mujoco.MjData(model)
        for i in range(n + 1):
            data.joint(f"A{i}").qvel[0] = -1
            if i < n:
                data.joint(f"L{i}").qvel[0] = 1
        found = _simulate(model, data, until, samples, "B0")
        if found:
            found["rows"] = [[x, z] for x, _, z in found["rows"]]
        return found
    return _settings([100, 200, 400, 800, 1600] + ([3200, 6400] if n < 10 else [])), run


def bricard(root, until, samples):
    """The file's small bearing on the sixth hinge suits soft loops ill; two points on the hinge's axis stand in for it."""
    with open(os.path.join(root, "problems", "mechanisms", "bricard.xml"), encoding="utf-8") as source:
        given = source.read()

    def run(setting):
        rate, factor = setting
        text = given.replace("<option ", f'<option timestep="{1 / rate!r}" integrator="RK4" tolerance="1e-12" ')
        soft = f'solref="{factor / rate!r} 1" {HARD}'
        text = re.sub(r'<body name="bearing".*?</body>', "", text, flags=re.DOTALL)
        text = re.sub(r"<weld .*?/>", "".join(f'<connect body1="rod5" anchor="{x} 1 0" {soft}/>' for x in (-0.5, 0.5)), text)
        model = mujoco.MjModel.from_xml_string(text)
        return _simulate(model, mujoco.MjData(model), until, samples, "P3")
    return _settings([25, 50, 100, 200, 400, 800, 1600, 3200]), run
