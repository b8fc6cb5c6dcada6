"""`daedalus sweep`."""

import math
import unittest

from support import DECAY, PENDULUM, CliTest


def table_of(text):
    lines = text.splitlines()
    return lines[0].split(","), [line.split(",") for line in lines[1:]]


class Sweep(CliTest):
    def test_a_table_of_runs(self):
        model = self.write("decay.mo", DECAY)
        runs = self.write("runs.csv", "k,x\n1,1\n2,3\n0.5,-1\n")
        self.succeed("sweep", model, "--set-table", runs, "--out", "out.csv")
        header, rows = table_of((self.folder / "out.csv").read_text())
        self.assertEqual(header, ["run", "k", "x", "x", "status", "drift", "steps"])
        for row, (k, x) in zip(rows, ((1, 1), (2, 3), (0.5, -1))):
            self.assertAlmostEqual(float(row[3]), x * math.exp(-2 * k), delta=1e-6)
            self.assertEqual(row[4], "ok")

    def test_samples_and_times(self):
        arguments = ("sweep", PENDULUM, "--sample", "g=uniform(9,10)", "--sample", "L=normal(1,0.01)", "--runs", "40",
                     "--until", "1", "--vars", "x,y", "--at", "0.5,1", "--out", "-")
        out, err = self.succeed(*arguments, "--seed", "3")
        header, rows = table_of(out)
        self.assertEqual(header, ["run", "g", "L", "time", "x", "y", "status", "drift", "steps"])
        self.assertEqual(len(rows), 80)
        self.assertIn("40 runs by", err)
        for row in rows:
            values = [float(field) for field in row[:6]]
            self.assertTrue(9 <= values[1] <= 10)
            self.assertAlmostEqual(math.hypot(*values[4:6]), values[2], places=10)
        self.assertEqual(self.succeed(*arguments, "--seed", "3", "--threads", "1")[0], out)
        self.assertNotEqual(self.succeed(*arguments, "--seed", "4")[0], out)
        self.assertEqual(len(table_of(self.succeed(*arguments, "--backend", "scalar")[0])[1]), 80)

    def test_latin_hypercubes_have_one_in_each_part(self):
        model = self.write("decay.mo", DECAY)
        out = self.succeed("sweep", model, "--sample", "k=uniform(0,10)", "--runs", "10", "--latin-hypercube", "--out", "-")[0]
        parts = sorted(int(float(row[1])) for row in table_of(out)[1])
        self.assertEqual(parts, list(range(10)))

    def test_one_that_fails_is_said_and_the_others_stay(self):
        model = self.write("m.mo", "model M parameter Real a = 1; Real x(start = 1, fixed = true); "
                                   "equation der(x) = a*x^2; annotation(experiment(StopTime = 2)); end M;")
        runs = self.write("runs.csv", "a\n0.1\n1\n-1\n")  # x = 1/(1 - a t)
        code, out, err = self.daedalus("sweep", model, "--set-table", runs, "--out", "-")
        self.assertEqual(code, 1)
        rows = table_of(out)[1]
        self.assertEqual([row[3] for row in rows], ["ok", "failed", "ok"])
        self.assertAlmostEqual(float(rows[0][2]), 1.25, delta=1e-4)
        self.assertIn("1 of 3 runs failed; run 2", err)

    def test_what_is_wrong_is_said(self):
        sweep = ("sweep", PENDULUM, "--out", "-")
        self.refuse(*sweep, words=("--set-table", "--sample"))
        self.refuse(*sweep, "--sample", "g=uniform(1,2)", words=("--runs",))
        self.refuse(*sweep, "--sample", "g=gauss(1,2)", "--runs", "3", words=("gauss", "normal"))
        self.refuse(*sweep, "--sample", "q=uniform(1,2)", "--runs", "3", words=("q",))
        self.refuse(*sweep, "--sample", "g=uniform(1,2)", "--runs", "3", "--vars", "z", words=("z",))
        self.refuse(*sweep, "--set-table", "none.csv", words=("none.csv",))
        self.refuse(*sweep, "--set-table", self.write("bad.csv", "g\n1\ntwo\n"), words=("bad.csv", "3"))


if __name__ == "__main__":
    unittest.main()
