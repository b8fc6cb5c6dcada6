"""`daedalus linearise` and `daedalus steady`."""

import json
import math
import struct
import unittest

from support import PENDULUM, CliTest


def matrices(path):
    """Matrices of a MATLAB 4 file of doubles, by name, as lists of columns."""
    found = {}
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        _, rows, columns, _, length = struct.unpack_from("<5i", data, at)
        name = data[at + 20:at + 19 + length].decode()
        at += 20 + length
        values = struct.unpack_from(f"<{rows * columns}d", data, at)
        at += 8 * rows * columns
        found[name] = [list(values[c * rows:(c + 1) * rows]) for c in range(columns)]
    return found


class Analysis(CliTest):
    def test_a_pendulum_at_rest(self):
        out = json.loads(self.succeed("linearise", PENDULUM, "--equilibrium", "--out", "-")[0])
        self.assertEqual(list(out["states"]), ["x", "vx"])
        self.assertAlmostEqual(out["A"][1][0], -9.81, places=9)
        self.assertAlmostEqual(out["modes"][0]["frequency"], math.sqrt(9.81) / 2 / math.pi, places=12)

    def test_text_and_steady(self):
        text = self.succeed("linearise", PENDULUM, "--inputs", "g", "--outputs", "lambda")[0]
        for part in ("2 states, 1 input, 1 output", "Modes", "lambda"):
            self.assertIn(part, text)
        text = self.succeed("steady", PENDULUM)[0]
        self.assertIn("y      = -1", text)
        self.assertIn("a mode has no damping", text)
        self.assertAlmostEqual(json.loads(self.succeed("steady", PENDULUM, "--json")[0])["values"]["lambda"], 9.81)

    def test_matrices_for_matlab(self):
        path = self.path("p.mat")
        self.succeed("linearise", PENDULUM, "--equilibrium", "--inputs", "g", "--out", path)
        found = matrices(path)
        self.assertAlmostEqual(found["A"][0][1], -9.81, places=9)
        self.assertEqual(len(found["B"]), 1)
        self.assertEqual(["".join(chr(int(column[row])) for column in found["states"]).strip() for row in (0, 1)],
                         ["x", "vx"])

    def test_what_is_wrong_is_said(self):
        for arguments, words in ((["linearise", PENDULUM, "--outputs", "q"], ["'q' cannot be an output"]),
                                 (["linearise", PENDULUM, "--at", "soon"], ["soon"]),
                                 (["linearise", PENDULUM, "--out", "a.txt"], [".json nor .mat"]),
                                 (["linearise", PENDULUM, "--inputs", "q"], ["free parameter q"])):
            self.refuse(*arguments, words=words)

    def test_no_equilibrium(self):
        path = self.write("n.mo", "model N Real x(start = 0, fixed = true); equation der(x) = 1 + x^2; end N;")
        code, out, err = self.daedalus("steady", path)
        self.assertEqual((code, out), (1, ""))
        self.assertIn("der(x) = 1 + x^2", err)


if __name__ == "__main__":
    unittest.main()
