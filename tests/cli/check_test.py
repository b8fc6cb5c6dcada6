"""`daedalus check` on models whose structure is known."""

import json
import unittest

from support import DECAY, PENDULUM, CliTest


class Check(CliTest):
    def report(self, path, *arguments):
        return json.loads(self.succeed("check", path, "--json", *arguments)[0])

    def test_pendulum(self):
        report = self.report(PENDULUM)
        self.assertEqual(report["index"], 3)
        self.assertEqual(report["dof"], 2)
        # In the order of the file: der(x) = vx, der(y) = vy, two of motion, the constraint
        # (reference: Σ-method on the first-order pendulum).
        self.assertEqual(report["c"], [1, 1, 0, 0, 2])
        self.assertEqual([row["c"] for row in report["equations"]], report["c"])
        orders = {row["name"]: row["d"] for row in report["variables"]}
        self.assertEqual(orders, {"x": 2, "y": 2, "lambda": 0, "vx": 1, "vy": 1})
        self.assertEqual([row["d"] for row in report["variables"]], report["d"])
        self.assertTrue(report["sigma_agrees"])

    def test_equations_are_the_users(self):
        equations = self.report(PENDULUM)["equations"]
        self.assertEqual(equations[4]["text"], "x^2 + y^2 = L^2")
        self.assertEqual([row["line"] for row in equations], [6, 7, 8, 9, 10])

    def test_hidden_constraints_of_the_pendulum(self):
        hidden = self.report(PENDULUM)["hidden_constraints"]
        self.assertEqual([row["level"] for row in hidden], [1, 2])
        for row in hidden:
            self.assertIn("x^2 + y^2 = L^2", row["of"])

    def test_states_and_initial_values(self):
        report = self.report(PENDULUM)
        self.assertEqual(len(report["states"]), 2)
        self.assertEqual(sorted(report["initialisation"]["fixed"]), ["vy", "y"])
        self.assertEqual(sorted(report["initialisation"]["may_set"]), ["vx", "vy", "x", "y"])
        self.assertTrue(report["initialisation"]["ok"])

    def test_blocks_hold_every_equation_once(self):
        report = self.report(PENDULUM)
        for key, rows in (("equations", report["equations"]), ("variables", report["variables"])):
            numbers = sorted(number for block in report["blocks"] for number in block[key])
            self.assertEqual(numbers, list(range(len(rows))))

    def test_ordinary_differential_equation(self):
        report = self.report(self.write("decay.mo", DECAY))
        # All derivatives can be solved for at once: index 1 by the rule max c + (1 if some d is 0), here 0.
        self.assertEqual((report["index"], report["dof"], report["c"], report["d"]), (0, 1, [0], [1]))
        self.assertEqual(report["states"], ["x"])

    def test_structure_that_lies_and_looks_like_a_constrained_form(self):
        # The two last equations say -x1 = x2 + time^2 - time, which no structure sees: index 2, nothing free.
        path = self.write("lie.mo", """model Lie
  Real x1, x2, x3, x4;
equation
  -der(x1) + x3 = sin(time);
  -der(x2) + x4 = cos(time);
  x2 + x3 + x4 = time;
  -x1 + x3 + x4 = time^2;
end Lie;
""")
        report = self.report(path)
        self.assertEqual((report["index"], report["dof"]), (2, 0))
        self.refuse("run", path, "--formulation", "index2")

    def test_index_two_electrical_loop(self):
        # A capacitor across a voltage source: u is given, so that the current is its derivative.
        report = self.report(self.write("loop.mo", """model Loop
  Real u, i;
equation
  2*der(u) = i;
  u = sin(time);
end Loop;
"""))
        self.assertEqual((report["index"], report["dof"], report["c"]), (2, 0, [0, 1]))

    def test_recommendation(self):
        report = self.report(PENDULUM)
        self.assertTrue(report["formulation"])
        self.assertTrue(report["why"])

    def test_text(self):
        text, err = self.succeed("check", PENDULUM)
        self.assertEqual(err, "")
        for words in ("Pendulum: index 3, 2 degrees of freedom", "twice: x^2 + y^2 = L^2 (line 10)", "pendulum.mo:10:3",
                      "Hidden constraints", "differentiated once", "May be set initially", "Recommended"):
            self.assertIn(words, text)

    def test_constrained_form(self):
        report = self.report(PENDULUM)
        form = report["constrained_form"]
        self.assertEqual((form["order"], form["positions"], form["multipliers"]), (2, ["x", "y"], ["lambda"]))
        self.assertEqual(len(form["constraints"]), 1)
        self.assertIn("x^2 + y^2 = L^2", form["constraints"][0]["text"])
        self.assertEqual(form["constraints"][0]["level"], 0)
        self.assertIsNone(form["broken_by"])
        self.assertEqual((report["redundant"], report["rank"]), ([], 1))
        # Masses are equal, the motion is that of a pendulum: nothing stiff, case 1.
        self.assertAlmostEqual(report["advice"]["mass_condition"], 1, places=12)
        self.assertEqual(report["advice"]["case"], 1)

    def test_what_breaks_the_form(self):
        path = self.write("product.mo", """model Product
  Real x(start = 1), y(start = 0), a;
equation
  der(x) = a^2;
  der(y) = -2*a;
  x + y = 1;
end Product;
""")
        report = self.report(path)
        self.assertIn("a does not enter", report["constrained_form"]["broken_by"])
        self.assertIn("der(x) = a^2", report["constrained_form"]["broken_by"])
        self.assertIn("No constrained form", self.succeed("check", path)[0])
        self.assertEqual(report["advice"]["formulation"], "dummy-derivatives")

    TWICE = """model Twice
  Real x(start = 1), y(start = 0, fixed = true), lambda, mu;
  Real vx, vy(start = 0, fixed = true);
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -2*x*lambda - 4*x*mu;
  der(vy) = -2*y*lambda - 4*y*mu - 9.81;
  x^2 + y^2 = 1;
  2*x^2 + 2*y^2 = %s;
end Twice;
"""

    def test_redundant_constraints(self):
        path = self.write("twice.mo", self.TWICE % "2")
        report = self.report(path)
        # Index m + 1 = 3, two degrees of freedom as the pendulum has them.
        self.assertEqual((report["index"], report["dof"], report["rank"]), (3, 2, 1))
        self.assertEqual(len(report["redundant"]), 1)
        self.assertIn("2*x^2 + 2*y^2 = 2", report["redundant"][0]["constraint"])
        self.assertRegex(report["redundant"][0]["combination"], r"^2 · \[x\^2 \+ y\^2 = 1 \(.*twice.mo:9:3\)\]$")
        self.assertEqual(report["advice"]["formulation"], "trust-region")
        self.assertEqual(report["formulation"].split(":")[0], "trust-region")
        text = self.succeed("check", path)[0]
        for words in ("Twice: index 3, 2 degrees of freedom", "Redundant constraints", "is 2 · [x^2 + y^2 = 1"):
            self.assertIn(words, text)

    def test_contradictory_constraints(self):
        message = self.refuse("check", self.write("contradiction.mo", self.TWICE % "2.2"))
        for words in ("contradict", "x^2 + y^2 = 1", "2*x^2 + 2*y^2 = 2.2", "off by 0.1"):
            self.assertIn(words, message)

    def test_settings(self):
        self.refuse("check", PENDULUM, "--set", "nothing=1", words=["nothing"])

    def test_structurally_singular(self):
        path = self.write("s.mo", "model S\n  Real a, b;\nequation\n  a = time;\n  2*a = sin(time);\nend S;\n")
        message = self.refuse("check", path)
        for words in ("a = time", "2*a = sin(time)", "b"):
            self.assertIn(words, message)


if __name__ == "__main__":
    unittest.main()
