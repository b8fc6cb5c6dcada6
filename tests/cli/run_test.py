"""Whole runs with known answers."""

import json
import math
import unittest

from support import DECAY, PENDULUM, CliTest, rows_of


# Integrators of positions and velocities, which an equation of first order does not have.
MECHANICAL = ("hem5", "rattle", "generalized-alpha")


class Decay(CliTest):
    def setUp(self):
        super().setUp()
        self.model = self.write("decay.mo", DECAY)

    def table(self, *arguments):
        return rows_of(self.succeed("run", self.model, "--out", "-", *arguments)[0])

    def test_exact_solution(self):
        header, rows = self.table()
        self.assertEqual(header[0], "time")
        x = header.index("x")
        # A few hundred steps at 1e-8 each: the global error stays within a hundred tolerances.
        for row in rows:
            self.assertAlmostEqual(row[x], math.exp(-row[0]), delta=1e-6)
        self.assertEqual(rows[0][0], 0)
        self.assertEqual(rows[-1][0], 2)

    def test_default_points(self):
        self.assertEqual(len(self.table()[1]), 2001)

    def test_points_are_uniform(self):
        _, rows = self.table("--points", "5", "--until", "1")
        self.assertEqual([row[0] for row in rows], [0, 0.25, 0.5, 0.75, 1])

    def test_set_parameter(self):
        header, rows = self.table("--set", "k=3")
        self.assertAlmostEqual(rows[-1][header.index("x")], math.exp(-6), delta=1e-6)

    def test_set_start_value(self):
        header, rows = self.table("--set", "x=5")
        self.assertEqual(rows[0][header.index("x")], 5)

    def test_until(self):
        self.assertEqual(self.table("--until", "0.5")[1][-1][0], 0.5)

    def test_tolerance_is_felt(self):
        loose = self.summary(self.model, "--rtol", "1e-3")["steps"]
        tight = self.summary(self.model, "--rtol", "1e-10")["steps"]
        self.assertLess(loose, tight)

    def test_fixed_step(self):
        # Backward Euler exactly: x_n = 1 / (1 + h)^n.
        summary = self.summary(self.model, "--integrator", "backward-euler", "--step", "0.1", "--until", "1")
        self.assertAlmostEqual(summary["final"]["x"], 1.1**-10, delta=1e-7)
        self.assertEqual(summary["steps"], 10)

    def test_every_back_end(self):
        # The interpreter is the oracle: the others do the same operations in the same order.
        oracle = self.table("--codegen", "interpreter")
        for row in json.loads(self.succeed("list", "codegen", "--json")[0]):
            if "not on this machine" in row["summary"]:
                continue
            summary = self.summary(self.model, "--codegen", row["name"])
            self.assertEqual(summary["codegen"], row["name"])
            self.assertEqual(self.table("--codegen", row["name"]), oracle)

    def test_threads_do_not_change_results(self):
        self.assertEqual(self.table("--threads", "1"), self.table("--threads", "3"))

    def test_wrong_back_end(self):
        self.refuse("run", self.model, "--codegen", "fortran", words=("fortran", "interpreter"))
        self.refuse("run", self.model, "--threads", "0", words=("--threads", "1024"))

    def test_standard_input(self):
        out, _ = self.succeed("run", "-", "--out", "-", "--points", "3", stdin=DECAY.encode())
        header, rows = rows_of(out)
        self.assertAlmostEqual(rows[-1][header.index("x")], math.exp(-2), delta=1e-6)

    def test_every_integrator(self):
        for row in json.loads(self.succeed("list", "integrators", "--json")[0]):
            if row["name"] in MECHANICAL:
                self.refuse("run", self.model, "--integrator", row["name"], "--step", "0.001",
                            words=(row["name"], "positions and velocities"))
                continue
            summary = self.summary(self.model, "--integrator", row["name"], "--step", "0.001")
            self.assertEqual(summary["status"], "ok")
            self.assertTrue(summary["integrator"].startswith(row["name"]))
            # Order one at h = 0.001 makes an error of h/2 * t * exp(-t); the others are better.
            self.assertAlmostEqual(summary["final"]["x"], math.exp(-2), delta=5e-4)


class InputExpressions(CliTest):
    def test_inputs_from_a_file_beside_other_settings(self):
        """What is given twice is refused, and what is given once counts, whichever way."""
        model = self.write("two.mo", "model T parameter Real k = 1; input Real u; input Real w; Real x(start = 0, fixed = true); "
                                     "equation der(x) = k*(u + w); end T;")
        table = self.write("u.csv", "time,u\n0,1\n1,1\n")
        rows, _ = self.succeed("run", model, "--input", table, "--set", "k=2", "--set", "w=3", "--until", "1", "--points", "2", "--vars", "x",
                               "--out", "-", "--quiet")
        self.assertAlmostEqual(float(rows.splitlines()[-1].split(",")[1]), 8, delta=1e-5)
        self.refuse("run", model, "--input", table, "--set", "u=3", words=("'u' is given twice", "u.csv"))
        self.refuse("run", model, "--input", table, "--set", "u=sin(time)", words=("'u' is given twice",))
        self.refuse("run", model, "--input-mode", "held", words=("--input-mode", "--input"))

    def test_a_derivative_that_there_is_not_is_refused_before_the_run(self):
        old = self.write("old.csv", "time,x\n0,1\n")
        message = self.refuse("run", PENDULUM, "--vars", "der(lambda)", "--out", old, words=("der(lambda)", "der(vx)"))
        self.assertIn("do not hold this derivative", message)
        self.assertEqual((self.folder / "old.csv").read_text(), "time,x\n0,1\n")

    def test_an_input_follows_an_expression_in_time(self):
        model = self.write("drive.mo", "model D parameter Real k = 2; input Real u; Real x(start = 0, fixed = true); "
                                       "equation der(x) = u; end D;")
        out, _ = self.succeed("run", model, "--set", "u=k*cos(time)", "--rtol", "1e-8", "--out", "-", "--points", "3")
        header, rows = rows_of(out)
        # The integral, to ten times what was asked for.
        for row in rows:
            self.assertAlmostEqual(row[header.index("x")], 2 * math.sin(row[0]), delta=1e-7)
        self.refuse("run", model, "--set", "k=time", words=("--set k", "top-level input", "u"))
        self.refuse("run", model, "--set", "u=time*", words=("--set u",))


class StraightLine(CliTest):
    def test_every_integrator_from_zero(self):
        # The predictor is exact and the solution zero: Newton sees nothing but round-off.
        model = self.write("line.mo", "model L Real x(start = 0, fixed = true); equation der(x) = 1; end L;")
        for row in json.loads(self.succeed("list", "integrators", "--json")[0]):
            if row["name"] in MECHANICAL:
                continue
            summary = self.summary(model, "--integrator", row["name"], "--step", "0.01")
            self.assertAlmostEqual(summary["final"]["x"], 1, delta=1e-12)


class Pendulum(CliTest):
    def test_summary(self):
        summary = self.summary(PENDULUM)
        self.assertEqual(summary["status"], "ok")
        self.assertEqual(summary["index"], 3)
        self.assertEqual(summary["dof"], 2)
        self.assertEqual(summary["t_end"], 10)
        self.assertTrue(summary["formulation"].startswith("orthogonal-projection"))
        self.assertTrue(summary["why"])
        self.assertLessEqual(summary["drift"]["position"], 1e-10)
        self.assertLessEqual(summary["drift"]["velocity"], 1e-10)
        # An explicit method: no Jacobian, no Newton iteration.
        self.assertGreater(summary["steps"], 0)
        self.assertGreaterEqual(summary["residual_evals"], 12*summary["steps"])
        self.assertEqual((summary["jacobian_evals"], summary["newton_iterations"]), (0, 0))
        implicit = self.summary(PENDULUM, "--formulation", "dummy-derivatives")
        for key in ("steps", "residual_evals", "jacobian_evals", "factorizations", "newton_iterations"):
            self.assertGreater(implicit[key], 0, key)
        self.assertLessEqual({"parse", "structure", "codegen", "initialise", "integrate"}, set(summary["seconds"]))

    def test_energy_and_length(self):
        header, rows = rows_of(self.succeed("run", PENDULUM, "--out", "-")[0])
        x, y, vx, vy = (header.index(name) for name in ("x", "y", "vx", "vy"))
        for row in rows:
            self.assertAlmostEqual(math.hypot(row[x], row[y]), 1, delta=1e-10)
            # Energy starts at 0 and is conserved by the equations; bdf at 1e-8 loses little of it in 10 s.
            self.assertAlmostEqual(0.5 * (row[vx]**2 + row[vy]**2) + 9.81 * row[y], 0, delta=1e-4)

    def test_final_values_are_the_last_row(self):
        out, _ = self.succeed("run", PENDULUM, "--out", "-", "--summary", "s.json")
        header, rows = rows_of(out)
        final = json.loads((self.folder / "s.json").read_text())["final"]
        for name, value in final.items():
            if name in header:
                self.assertEqual(value, rows[-1][header.index(name)], name)
        self.assertLessEqual({"x", "y", "vx", "vy", "lambda"}, set(final))


class Failure(CliTest):
    # x' = x^2 from 1 is infinite at t = 1, so that no method may pass.
    BLOW_UP = "model B Real x(start=1, fixed=true); equation der(x) = x^2; annotation(experiment(StopTime=2)); end B;"

    def test_numerics_that_fail(self):
        model = self.write("b.mo", self.BLOW_UP)
        code, out, err = self.daedalus("run", model, "--out", "r.csv", "--summary", "s.json")
        self.assertEqual(code, 1)
        self.assertEqual(out, "")
        self.assertIn("error: ", err)
        summary = json.loads((self.folder / "s.json").read_text())
        self.assertEqual(summary["status"], "failed")
        self.assertTrue(summary["reason"])
        self.assertAlmostEqual(summary["t_end"], 1, delta=1e-3)
        header, rows = rows_of((self.folder / "r.csv").read_text())
        self.assertGreater(len(rows), 100)
        # What was computed before is right: x = 1 / (1 - t).
        for t, x in ((row[0], row[header.index("x")]) for row in rows if row[0] < 0.9):
            self.assertAlmostEqual(x, 1 / (1 - t), delta=1e-3)

    def test_not_a_number_on_the_way(self):
        model = self.write("n.mo", """model N
  Real x(start = 1, fixed = true), y;
equation
  der(x) = -1;
  y = sqrt(x);
  annotation(experiment(StopTime = 2));
end N;
""")
        code, _, err = self.daedalus("run", model)
        self.assertEqual(code, 1)
        self.assertIn("sqrt(x)", err)

    def test_division_by_zero_at_the_start(self):
        model = self.write("d.mo", """model D
  Real x(start = 0, fixed = true);
equation
  der(x) = 1/x;
end D;
""")
        self.refuse("run", model, words=["1/x"])


if __name__ == "__main__":
    unittest.main()
