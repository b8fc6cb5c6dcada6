"""--stop-after prints each stage's value."""

import re
import unittest

from support import PENDULUM, CliTest


class Stages(CliTest):
    def stage(self, name):
        return self.succeed("run", PENDULUM, "--stop-after", name)[0]

    def test_every_stage_that_help_names(self):
        text, _ = self.succeed("run", "--help")
        names = re.search(r"print its value:\s*([a-z,\s]+?)\n *-", text).group(1).replace("\n", " ")
        stages = [name.strip() for name in names.split(",")]
        self.assertEqual(stages, ["parse", "model", "structure", "plan", "reform", "codegen", "initialise"])
        for name in stages:
            self.assertTrue(self.stage(name).strip(), name)

    def test_parse_is_modelica_again(self):
        text = self.stage("parse")
        self.assertIn("model Pendulum", text)
        again, _ = self.succeed("run", self.write("again.mo", text), "--stop-after", "parse")
        self.assertEqual(again, text)

    def test_model_has_values_of_parameters(self):
        text = self.stage("model")
        self.assertIn("parameter g = 9.81", text)
        set_to, _ = self.succeed("run", PENDULUM, "--set", "g=1.62", "--stop-after", "model")
        self.assertIn("parameter g = 1.62", set_to)

    def test_structure_of_the_pendulum(self):
        text = self.stage("structure")
        self.assertIn("structural index 3, degrees of freedom 2", text)

    def test_reform_has_the_hidden_constraints(self):
        # Of the constraint there must be three levels: itself and two derivatives.
        levels, _ = self.succeed("run", PENDULUM, "--formulation", "dummy-derivatives", "--stop-after", "reform")
        self.assertEqual(levels.count("x^2 + y^2 = L^2"), 3)

    def test_reform_prints_the_formulation_that_will_run(self):
        stabilised, _ = self.succeed("run", PENDULUM, "--formulation", "ggl", "--stop-after", "reform")
        self.assertIn("unknowns (6)", stabilised)  # x, y, their derivatives, lambda and mu
        plan = self.stage("plan")
        self.assertIn("formulation: orthogonal-projection", plan)
        self.assertIn("where the equations turn out to be stiff: radau goes on", plan)

    def test_codegen_prints_what_will_run(self):
        """Each formulation has equations of its own: ggl's in six unknowns, and an explicit method's solved for rates."""
        def programs(formulation):
            return self.succeed("run", PENDULUM, "--formulation", formulation, "--stop-after", "codegen")[0]
        self.assertIn("equations in 6 unknowns: 6 results", programs("ggl"))
        # Two accelerations and a multiplier; no equation of all levels is evaluated in a step.
        projection = programs("orthogonal-projection")
        self.assertIn("accelerations and multipliers by straight-line: 3 results", projection)
        self.assertIn("projection of level 0: 1 results", projection)
        self.assertNotIn("equations of all levels", projection)
        self.assertIn("equations of all levels: 5 results", programs("dummy-derivatives"))

    def test_initialise_is_consistent(self):
        values = dict(re.findall(r"(?m)^  (\S+) = (\S+)$", self.stage("initialise")))
        x, y = float(values["x"]), float(values["y"])
        # Newton goes on until the constraints hold to round-off.
        self.assertAlmostEqual(x * x + y * y, 1, delta=1e-14)

    def test_errors_keep_their_exit_code(self):
        bad = self.write("bad.mo", "model M Real x; equation der(x) = ; end M;")
        for name in ("parse", "model", "structure"):
            self.refuse("run", bad, "--stop-after", name, words=["bad.mo:1:"])


if __name__ == "__main__":
    unittest.main()
