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

    def test_settings(self):
        self.refuse("check", PENDULUM, "--set", "nothing=1", words=["nothing"])

    def test_structurally_singular(self):
        path = self.write("s.mo", "model S\n  Real a, b;\nequation\n  a = time;\n  2*a = sin(time);\nend S;\n")
        message = self.refuse("check", path)
        for words in ("a = time", "2*a = sin(time)", "b"):
            self.assertIn(words, message)


if __name__ == "__main__":
    unittest.main()
