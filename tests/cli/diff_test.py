"""`daedalus diff` on results of one model."""

import json
import unittest

from support import PENDULUM, CliTest


class Diff(CliTest):
    def setUp(self):
        super().setUp()
        self.a = self.path("a.csv")
        self.succeed("run", PENDULUM, "--until", 2, "--out", self.a, "-q")

    def test_other_formats_points_and_tolerances_are_the_same(self):
        b = self.path("b.mat")
        self.succeed("run", PENDULUM, "--until", 2, "--points", 333, "--rtol", "1e-6", "--out", b, "-q")
        self.assertIn("0 of 5 signals differ", self.succeed("diff", self.a, b)[0])

    def test_another_length_differs(self):
        b, picture = self.path("b.json"), self.path("d.svg")
        self.succeed("run", PENDULUM, "--until", 2, "--set", "g=9.7", "--out", b, "-q")
        code, out, _ = self.daedalus("diff", self.a, b, "--json", "--plot", picture)
        self.assertEqual(code, 1)
        found = json.loads(out)
        self.assertFalse(found["same"])
        self.assertTrue(found["signals"][0]["differs"])
        with open(picture) as file:
            self.assertIn("(second)", file.read())
        self.assertEqual(self.daedalus("diff", self.a, b, "--tol", "0.5")[0], 0)

    def test_wrong_input(self):
        self.refuse("diff", self.a, self.path("none.csv"), words=["none.csv"])
        self.refuse("diff", self.a, self.a, "--vars", "q", words=["q"])
        self.refuse("diff", self.a, self.a, "--plot", "x.bmp", words=[".svg"])


if __name__ == "__main__":
    unittest.main()
