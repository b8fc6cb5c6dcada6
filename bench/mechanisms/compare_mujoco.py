"""Runs MJCF files by daedalus and by MuJoCo and compares the joints at the end.

    python compare_mujoco.py DAEDALUS FILE.xml [FILE.xml ...] [--until 0.2] [--option joint]

Contacts, limits and dry friction are off in both: MuJoCo's are constraints that give way, ours forces of the state.
MuJoCo runs by RK4 with a step of 1e-4 s. Prints one line a file: the largest difference of joint positions, or what
went wrong. Needs the package mujoco.
"""

import argparse
import csv
import os
import subprocess
import tempfile
import time

import mujoco
import numpy as np


def by_mujoco(path, until):
    model = mujoco.MjModel.from_xml_path(path)
    flags = mujoco.mjtDisableBit
    model.opt.disableflags |= int(flags.mjDSBL_CONTACT | flags.mjDSBL_LIMIT | flags.mjDSBL_FRICTIONLOSS)
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    steps = max(1, round(until / 1e-4))
    model.opt.timestep = until / steps
    data = mujoco.MjData(model)
    for _ in range(steps):
        mujoco.mj_step(model, data)
    values = {}
    for j in range(model.njnt):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, j)
        at = model.jnt_qposadr[j]
        kind = model.jnt_type[j]
        if kind == mujoco.mjtJoint.mjJNT_HINGE and name:
            values[name + ".angle"] = data.qpos[at]
        elif kind == mujoco.mjtJoint.mjJNT_SLIDE and name:
            values[name + ".displacement"] = data.qpos[at]
    for b in range(1, model.nbody):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, b)
        if name and model.body_dofnum[b] > 0:
            same = [k for k in range(1, model.nbody) if k != b and model.body_weldid[k] == b]
            if not same:
                for axis, value in zip("xyz", data.xipos[b]):
                    values[f"{name}.{axis}"] = value
    return values


def by_daedalus(program, path, until, options):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.csv")
        command = [program, "run", path, "--until", str(until), "--rtol", "1e-9", "--out", out, "--points", "2",
                   "--ignore", "contact,limit,friction", *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != 0:
            lines = [x for x in (done.stderr + done.stdout).splitlines() if "error" in x or "failed" in x]
            return None, (lines or ["no message"])[0][:200]
        with open(out, encoding="utf-8") as file:
            rows = list(csv.reader(file))
        return {n: float(v) for n, v in zip(rows[0], rows[-1]) if v}, ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--until", type=float, default=0.2)
    parser.add_argument("--option", action="append", default=[])
    arguments = parser.parse_args()
    counts = {"agree": 0, "differ": 0, "failed": 0}
    for path in arguments.files:
        try:
            theirs = by_mujoco(path, arguments.until)
        except Exception as error:  # noqa: BLE001: a file that MuJoCo does not load is no test
            print(f"-       {path}: MuJoCo: {str(error)[:80]!r}")
            continue
        begin = time.time()
        try:
            ours, message = by_daedalus(arguments.program, path, arguments.until, arguments.option)
        except subprocess.TimeoutExpired:
            ours, message = None, "took longer than 120 s"
        if ours is None:
            counts["failed"] += 1
            print(f"failed  {path}: {message}", flush=True)
            continue
        common = [k for k in theirs if k in ours]
        worst = max(((abs(ours[k] - theirs[k]) / (1 + abs(theirs[k])), k) for k in common), default=(np.nan, "-"))
        verdict = "agree" if worst[0] < 1e-6 else "differ" if common else "nothing"
        counts[verdict] = counts.get(verdict, 0) + 1
        print(f"{verdict:7} {path}: {worst[0]:.1e} ({worst[1]}, {len(common)} values, "
              f"{time.time() - begin:.2f} s)", flush=True)
    print(counts)


if __name__ == "__main__":
    main()
