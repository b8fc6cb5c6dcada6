"""Time for one second of motion at equal error, daedalus against MuJoCo's best integrator, and against Pinocchio.

    python race_mujoco.py DAEDALUS FILE.xml [FILE.xml ...] [--error 1e-6] [--until 1] [--speed 0.5]

The error is the largest of joint angles and displacements at ten times of the run, against daedalus at rtol 1e-11, with which
MuJoCo's best run agrees (that difference is printed, too). For each file: MuJoCo by each of its integrators with the
largest step (halved from 16 ms) that is within `error`, the fastest of them; and daedalus with the loosest rtol that is as
good. Joints begin with `speed`, so that what falls freely moves in itself. Contacts, limits and dry friction are off in
both. Times are those of the integration, the least of --repeat runs, which alternate; beside them daedalus' start-up (file to first
step), and the time of an evaluation of the equations of motion (that of the whole integration over the number of
evaluations) over that of Pinocchio's aba, where its package is installed. Needs the package mujoco.
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
TIMES = 10


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


def by_mujoco(model, integrator, step, arguments):
    """Positions at the times, and seconds; nothing where the motion is not finite."""
    model.opt.integrator = integrator
    each = max(1, round(arguments.until / TIMES / step))
    model.opt.timestep = arguments.until / TIMES / each
    data = mujoco.MjData(model)
    for j in range(model.njnt):
        if int(model.jnt_type[j]) >= int(mujoco.mjtJoint.mjJNT_SLIDE) and model.joint(j).name:
            data.qvel[model.jnt_dofadr[j]] = arguments.speed
    seen = []
    begin = time.process_time()
    for _ in range(TIMES):
        mujoco.mj_step(model, data, nstep=each)
        seen.append(data.qpos.copy())
    seconds = time.process_time() - begin
    good = np.isfinite(seen).all() and abs(data.time - arguments.until) < 1e-6 and not data.warning.number.any()
    return (np.array(seen), seconds) if good else None


def best_of_mujoco(model, reference, places, arguments):
    best = None
    for name, integrator in INTEGRATORS.items():
        step = 0.016
        while step > arguments.least_step:
            run = by_mujoco(model, integrator, step, arguments)
            if run is not None:
                off = difference(run[0][:, places], reference)
                if off <= arguments.error:
                    seconds = min(run[1], by_mujoco(model, integrator, step, arguments)[1])
                    if best is None or seconds < best[0]:
                        best = (seconds, name, step, off)
                    break
            step /= 2
    return best


def difference(found, reference):
    return np.max(np.abs(found - reference) / (1 + np.abs(reference)))


class Daedalus:
    def __init__(self, path, names, arguments):
        self.path, self.names, self.arguments = path, names, arguments

    def run(self, rtol, points):
        """Joints at the output points, seconds by stage, evaluations; nothing where it fails."""
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out.csv")
            starts = (f"{n.rsplit('.', 1)[0]}.velocity={self.arguments.speed}" for n in self.names)
            done = subprocess.run(
                [self.arguments.program, "run", self.path, "--until", str(self.arguments.until), "--rtol", str(rtol),
                 "--points", str(points), "--out", out, "--ignore", "contact,limit,friction", "--vars",
                 ",".join(self.names), *self.arguments.option, *(word for s in starts for word in ("--set", s))],
                capture_output=True, text=True, timeout=300, check=False)
            if done.returncode != 0:
                return None
            text = done.stderr + done.stdout
            seconds = {k: float(v) for k, v in re.findall(r"(\w+) ([0-9.e-]+)[,)]", text)}
            evaluations = int(re.search(r"(\d+) residuals", text).group(1))
            with open(out, encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            return np.array([[float(r[n]) for n in self.names] for r in rows]), seconds, evaluations


def best_of_daedalus(runner, reference, arguments):
    for k in range(2, 22):
        rtol = 10 ** (-k / 2)
        run = runner.run(rtol, TIMES + 1)
        if run is not None and difference(run[0][1:], reference) <= arguments.error:
            return rtol
    return None


def time_of_aba(path, names, arguments):
    """Seconds of Pinocchio's aba, by the least of repeated loops, without the cost of the call from Python."""
    try:
        import pinocchio
    except ImportError:
        return None
    try:
        model = pinocchio.buildModelFromMJCF(path)
    except Exception:  # noqa: BLE001: not every file is known to Pinocchio
        return None
    data = model.createData()
    q, v, u = pinocchio.neutral(model), np.full(model.nv, arguments.speed), np.zeros(model.nv)
    square = np.zeros(3)

    def least(act):
        times = []
        for _ in range(50):
            begin = time.process_time()
            for _ in range(200):
                act()
            times.append((time.process_time() - begin) / 200)
        return min(times)

    return least(lambda: pinocchio.aba(model, data, q, v, u)) - least(lambda: pinocchio.skew(square))


def race(path, arguments):
    model = load(path)
    joints = scalar_joints(model)
    label = f"{'/'.join(path.split('/')[-2:])}, {model.nv}"
    if not joints:
        return f"{label}: no named hinges or slides"
    places = list(joints.values())
    runner = Daedalus(path, list(joints), arguments)
    exact = runner.run(1e-11, TIMES + 1)
    if exact is None:
        return f"{label}: daedalus does not run"
    reference = exact[0][1:]
    rtol = best_of_daedalus(runner, reference, arguments)
    theirs = best_of_mujoco(model, reference, places, arguments)
    if rtol is None:
        return f"{label}: daedalus does not come within the error"
    seconds, start, evaluation = [], [], []
    for _ in range(arguments.repeat):
        if theirs is not None:
            again = by_mujoco(model, INTEGRATORS[theirs[1]], theirs[2], arguments)
            theirs = (min(theirs[0], again[1]), *theirs[1:])
        _, stages, evaluations = runner.run(rtol, 2)
        seconds.append(stages["integrate"])
        evaluation.append(stages["integrate"] / max(1, evaluations))
        start.append(sum(stages.get(k, 0) for k in ("parse", "structure", "codegen", "initialise")))
    aba = time_of_aba(path, list(joints), arguments)
    by_theirs = "does not come within the error" if theirs is None else (
        f"{1e3 * theirs[0]:.2f} ({theirs[1]}, {theirs[2]:g} s, off by {theirs[3]:.0e})")
    ratio = "" if theirs is None else f"{theirs[0] / min(seconds):.1f}"
    by_aba = "" if aba is None else f"{1e6 * aba:.1f}"
    return (f"{label}; {by_theirs}; {1e3 * min(seconds):.2f} ({rtol:.0e}); {1e3 * min(start):.0f}; {ratio}; "
            f"{1e6 * min(evaluation):.1f}; {by_aba}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--error", type=float, default=1e-6)
    parser.add_argument("--until", type=float, default=1)
    parser.add_argument("--speed", type=float, default=0.5)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--least-step", type=float, default=5e-6)
    parser.add_argument("--option", action="append", default=[], help="passed on to daedalus run")
    arguments = parser.parse_args()
    print("file, freedoms; MuJoCo ms; daedalus ms (rtol); start-up ms; MuJoCo's time over ours; us an evaluation; "
          "us of Pinocchio's aba")
    for path in arguments.files:
        print(race(path, arguments), flush=True)


if __name__ == "__main__":
    main()
