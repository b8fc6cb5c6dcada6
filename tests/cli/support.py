"""Runs the program as a user would."""

import csv
import io
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("DAEDALUS_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = os.environ.get("DAEDALUS_PROGRAM", str(ROOT / "build/release/daedalus"))
PENDULUM = str(ROOT / "examples/pendulum.mo")

# x = exp(-t), exactly.
DECAY = """model Decay
  parameter Real k = 1;
  Real x(start = 1, fixed = true);
equation
  der(x) = -k*x;
  annotation(experiment(StopTime = 2, Tolerance = 1e-8));
end Decay;
"""


def rows_of(text):
    """A CSV text as its header and its rows of numbers."""
    table = list(csv.reader(io.StringIO(text)))
    return table[0], [[float(field) for field in row] for row in table[1:]]


class CliTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def path(self, name):
        return str(self.folder / name)

    def write(self, name, text):
        mode = "wb" if isinstance(text, bytes) else "w"
        with open(self.folder / name, mode) as stream:
            stream.write(text)
        return self.path(name)

    def daedalus(self, *arguments, stdin=None, timeout=120):
        """Exit code, standard output and standard error of one call, in the test's folder."""
        done = subprocess.run([PROGRAM, *map(str, arguments)], input=stdin, capture_output=True, timeout=timeout,
                              cwd=self.folder)
        return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")

    def succeed(self, *arguments, stdin=None):
        code, out, err = self.daedalus(*arguments, stdin=stdin)
        self.assertEqual(code, 0, err)
        return out, err

    def refuse(self, *arguments, words=(), stdin=None, timeout=120):
        """The input is wrong: exit code 2, a message on stderr that has the words, nothing on stdout."""
        code, out, err = self.daedalus(*arguments, stdin=stdin, timeout=timeout)
        self.assertEqual(code, 2, f"{arguments}\n{err}")
        self.assertEqual(out, "")
        self.assertIn("error: ", err)
        for word in words:
            self.assertIn(word, err)
        return err

    def summary(self, *arguments):
        out, _ = self.succeed("run", *arguments, "--summary", "-")
        return json.loads(out)
