"""Each feature of MJCF against MuJoCo itself: the table of mjcf_features.py, run by the program and by the package mujoco.

Without the package (of version 4 or later; versions differ in their defaults) it is only checked that the program reads
each model without a word, or says what is expected.
"""

import csv
import os
import subprocess
import tempfile
import unittest

from mjcf_features import CASES, EXPECTED

try:
    import mujoco
except ImportError:
    mujoco = None

PROGRAM = os.environ["DAEDALUS_PROGRAM"]
UNTIL = 0.2

# Of positions in m and rad, against 1 + their size. RK4 with STEP leaves 1e-9 at accelerations of 100 rad/s².
TOLERANCE = 1e-6
STEP = 5e-4
# MuJoCo's equalities are springs, here of 1e8/s² and 2e4/s against accelerations up to 100 m/s², its activations are of
# first order in the step: 10/s times this step and 0.1 s.
SMALL_STEP = 2e-5
FIRST_ORDER = 2e-4
HAS_ACTIVATION = ("timeconst", "dyntype", "intvelocity", "cylinder")


def needs_small_step(text):
    return any(word in text for word in ("<equality", '"ball"', *HAS_ACTIVATION))


def by_mujoco(text):
    """Hinges, slides and centres of mass at the end."""
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model.eq_solref[:] = [-1e8, -2e4]
    model.eq_solimp[:] = [0.9999, 0.9999, 0.001, 0.5, 2]
    steps = round(UNTIL / (SMALL_STEP if needs_small_step(text) else STEP))
    model.opt.timestep = UNTIL / steps
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_step(model, data, nstep=steps)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    values = {}
    kinds = {int(mujoco.mjtJoint.mjJNT_HINGE): "angle", int(mujoco.mjtJoint.mjJNT_SLIDE): "displacement"}
    for number in range(model.njnt):
        if int(model.jnt_type[number]) in kinds:
            name = f"{model.joint(number).name}.{kinds[int(model.jnt_type[number])]}"
            values[name] = data.qpos[model.jnt_qposadr[number]]
    for number in range(1, model.nbody):
        alone = all(k == number or model.body_weldid[k] != number for k in range(1, model.nbody))
        if model.body_dofnum[number] > 0 and alone:
            for axis, value in zip("xyz", data.xipos[number]):
                values[f"{model.body(number).name}.{axis}"] = value
    return values


def by_daedalus(text):
    """The values at the end (nothing if it failed), and what the program said."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.xml")
        out = os.path.join(folder, "out.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        keyframe = ["--keyframe", "k"] if "<key " in text else []
        done = subprocess.run(
            [PROGRAM, "run", path, "--until", str(UNTIL), "--rtol", "1e-10", "--atol", "1e-12", "--out", out,
             "--points", "2", "--ignore", "contact", *keyframe],
            capture_output=True, text=True, timeout=60, check=False)
        said = "\n".join(x for x in (done.stderr + done.stdout).splitlines() if "error:" in x or "warning:" in x)
        if done.returncode != 0:
            return None, said or "failed"
        with open(out, encoding="utf-8") as file:
            rows = list(csv.reader(file))
        return {name: float(value) for name, value in zip(rows[0], rows[-1]) if value}, said


class Features(unittest.TestCase):
    def test_what_is_not_simulated_is_named(self):
        for name, part in EXPECTED.items():
            with self.subTest(name):
                self.assertIn(part, by_daedalus(CASES[name])[1])

    def test_each_moves_as_in_mujoco(self):
        compared = 0
        for name, text in CASES.items():
            if name in EXPECTED:
                continue
            with self.subTest(name):
                ours, said = by_daedalus(text)
                self.assertEqual(said, "")
                if mujoco is None or int(mujoco.__version__.split(".")[0]) < 4:
                    continue
                theirs = by_mujoco(text)
                self.assertTrue(theirs)
                tolerance = FIRST_ORDER if any(word in text for word in HAS_ACTIVATION) else TOLERANCE
                for value, expected in theirs.items():
                    # In body coordinates the angle of a joint is a result.
                    mine = ours[value] if value in ours else ours["joint {}: {}".format(*value.rsplit(".", 1))]
                    self.assertAlmostEqual(mine, expected, delta=tolerance * (1 + abs(expected)), msg=value)
                compared += 1
        if compared == 0:
            self.skipTest("the package mujoco (4 or later) is not installed: only read, not compared")


FRAME_SENSORS = ["framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel", "frameangvel",
                 "framelinacc", "frameangacc"]
SITE_SENSORS = ["gyro", "velocimeter", "accelerometer"]
SENSORS = """<mujoco><worldbody><body name="base" pos="0 0 1" euler="10 20 30"><freejoint/><geom size=".1 .2 .3" type="box"/>
<site name="imu" pos=".1 .2 .05" euler="50 -20 70"/><body name="arm" pos=".2 0 0"><joint name="j" axis="1 1 0" springref="60"
 stiffness="3"/><geom size=".05" fromto="0 0 0 .4 .1 .3" type="capsule"/><body name="hand" pos=".4 .1 .3"><joint name="k" axis="0 1 1"
 damping=".1"/><geom size=".05" pos=".2 0 0"/><site name="tip" pos=".1 .1 .2" euler="5 6 7"/></body></body></body></worldbody><tendon>
<fixed name="t"><joint joint="j" coef="2"/><joint joint="k" coef="-1"/></fixed></tendon><sensor>{}</sensor></mujoco>"""


class Sensors(unittest.TestCase):
    def test_each_measures_what_it_measures_in_mujoco(self):
        frames = [(kind, which, name) for kind in FRAME_SENSORS
                  for which, name in (("site", "imu"), ("site", "tip"), ("xbody", "arm"))]
        elements = [f'<{kind} name="{kind} of {name}" objtype="{which}" objname="{name}"/>' for kind, which, name in frames]
        elements += [f'<{kind} name="{kind} at {name}" site="{name}"/>' for kind in SITE_SENSORS for name in ("imu", "tip")]
        elements += [f'<{kind} name="{kind}" {what}/>' for kind, what in (
            ("jointpos", 'joint="j"'), ("jointvel", 'joint="k"'), ("tendonpos", 'tendon="t"'), ("tendonvel", 'tendon="t"'),
            ("clock", ""))]
        text = SENSORS.format("".join(elements))
        ours, said = by_daedalus(text)
        self.assertEqual(said, "")
        if mujoco is None or int(mujoco.__version__.split(".")[0]) < 4:
            self.skipTest("the package mujoco (4 or later) is not installed: only read, not compared")
        model = mujoco.MjModel.from_xml_string(text)
        model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
        model.opt.timestep = STEP
        data = mujoco.MjData(model)
        mujoco.mj_step(model, data, nstep=round(UNTIL / STEP))
        mujoco.mj_forward(model, data)
        for number in range(model.nsensor):
            sensor = model.sensor(number)
            size = int(sensor.dim[0])
            theirs = data.sensordata[int(sensor.adr[0]):][:size]
            ends = {1: [""], 3: [".x", ".y", ".z"], 4: [".q0", ".q1", ".q2", ".q3"]}[size]
            mine = [ours[sensor.name + one] for one in ends]
            sign = -1 if size == 4 and mine[0] * theirs[0] < 0 else 1
            for one, other in zip(mine, theirs):
                self.assertAlmostEqual(sign * one, other, delta=TOLERANCE * (1 + abs(other)), msg=sensor.name)


if __name__ == "__main__":
    unittest.main()
