"""Time for one second of motion at equal error, daedalus against MuJoCo's best integrator.

    python race_mujoco.py DAEDALUS FILE.xml [FILE.xml ...] [--error 1e-6] [--until 1] [--speed 0.5]

For each file: MuJoCo by each of its integrators with the largest step (halved from 16 ms) whose joints are within
`error` of a reference at the end (RK4 at 1/20 ms), the fastest of them; and daedalus with the loosest rtol that is as
good. Hinges and slides begin with `speed`, so that what falls freely moves in itself. Contacts, limits and dry friction are off in both. Times are those of the integration, the best of three, and
daedalus' start-up (file to first step) beside them. Files that the two do not agree on are said to differ. Needs the
package mujoco.
"""

import argparse
import csv
import os
import re
import subprocess
import tempfile
import time

import mujoco
import numpy as np

FLAGS = mujoco.mjtDisableBit
INTEGRATORS = {"RK4": mujoco.mjtIntegrator.mjINT_RK4, "Euler": mujoco.mjtIntegrator.mjINT_EULER,
               "implicit": mujoco.mjtIntegrator.mjINT_IMPLICIT,
               "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST}


def load(path):
    model = mujoco.MjModel.from_xml_path(path)
    model.opt.disableflags |= int(FLAGS.mjDSBL_CONTACT | FLAGS.mjDSBL_LIMIT | FLAGS.mjDSBL_FRICTIONLOSS)
    return model


def scalar_joints(model):
    """Names of hinges and slides and where their values are."""
    kinds = {int(mujoco.mjtJoint.mjJNT_HINGE): "angle", int(mujoco.mjtJoint.mjJNT_SLIDE): "displacement"}
    found = {}
    for j in range(model.njnt):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, j)
        if name and int(model.jnt_type[j]) in kinds:
            found[f"{name}.{kinds[int(model.jnt_type[j])]}"] = model.jnt_qposadr[j]
    return found


def by_mujoco(model, integrator, step, until, speed):
    """Positions at the end, and seconds."""
    model.opt.integrator = integrator
    count = max(1, round(until / step))
    model.opt.timestep = until / count
    data = mujoco.MjData(model)
    for j in range(model.njnt):
        if int(model.jnt_type[j]) >= int(mujoco.mjtJoint.mjJNT_SLIDE) and model.joint(j).name:
            data.qvel[model.jnt_dofadr[j]] = speed
    begin = time.perf_counter()
    mujoco.mj_step(model, data, nstep=count)
    return data.qpos.copy(), time.perf_counter() - begin


def best_of_mujoco(model, reference, places, error, until, speed):
    best = None
    for name, integrator in INTEGRATORS.items():
        step = 0.016
        while step > 2e-5:
            end, seconds = by_mujoco(model, integrator, step, until, speed)
            off = np.max(np.abs(end[places] - reference[places]) / (1 + np.abs(reference[places])))
            if np.isfinite(off) and off <= error:
                seconds = min(seconds, *(by_mujoco(model, integrator, step, until, speed)[1] for _ in range(2)))
                if best is None or seconds < best[0]:
                    best = (seconds, name, step)
                break
            step /= 2
    return best


def by_daedalus(program, path, rtol, until, names, speed):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.csv")
        done = subprocess.run(
            [program, "run", path, "--until", str(until), "--rtol", str(rtol), "--points", "2", "--out", out,
             "--ignore", "contact,limit,friction", "--vars", ",".join(names),
             *(word for n in names for word in ("--set", f"{n.rsplit('.', 1)[0]}.velocity={speed}"))],
            capture_output=True, text=True, timeout=300, check=False)
        if done.returncode != 0:
            return None
        seconds = {k: float(v) for k, v in re.findall(r"(\w+) ([0-9.e-]+)[,)]", done.stderr + done.stdout)}
        with open(out, encoding="utf-8") as file:
            rows = list(csv.reader(file))
        values = dict(zip(rows[0], map(float, rows[-1])))
        start = sum(seconds.get(k, 0) for k in ("parse", "structure", "codegen", "initialise"))
        return np.array([values[n] for n in names]), seconds["integrate"], start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--error", type=float, default=1e-6)
    parser.add_argument("--until", type=float, default=1)
    parser.add_argument("--speed", type=float, default=0.5)
    arguments = parser.parse_args()
    print("file, freedoms: MuJoCo ms (integrator, step); daedalus ms (rtol); start-up ms; MuJoCo's time over ours")
    for path in arguments.files:
        model = load(path)
        joints = scalar_joints(model)
        label = "/".join(path.split("/")[-2:])
        if not joints:
            print(f"{label}: no named hinges or slides")
            continue
        places = list(joints.values())
        reference, _ = by_mujoco(model, INTEGRATORS["RK4"], 5e-5, arguments.until, arguments.speed)
        theirs = best_of_mujoco(model, reference, places, arguments.error, arguments.until, arguments.speed)
        ours = None
        for rtol in (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9):
            runs = [by_daedalus(arguments.program, path, rtol, arguments.until, list(joints), arguments.speed)
                    for _ in range(3)]
            if runs[0] is None:
                continue
            off = np.max(np.abs(runs[0][0] - reference[places]) / (1 + np.abs(reference[places])))
            if off <= arguments.error:
                ours = (min(r[1] for r in runs), rtol, min(r[2] for r in runs))
                break
        if theirs is None or ours is None:
            print(f"{label}, {model.nv}: {'MuJoCo' if theirs is None else 'daedalus'} does not come within the error",
                  flush=True)
            continue
        print(f"{label}, {model.nv}: {1e3 * theirs[0]:.2f} ({theirs[1]}, {theirs[2]:g} s); {1e3 * ours[0]:.2f} "
              f"({ours[1]:g}); {1e3 * ours[2]:.0f}; {theirs[0] / ours[0]:.1f}", flush=True)


if __name__ == "__main__":
    main()
