"""Files that are no models: a clear message and exit code 2, never a crash, never a silent answer."""

import os
import time
import unittest

from support import DECAY, CliTest


class Files(CliTest):
    def test_missing_file(self):
        for command in ("run", "check"):
            self.refuse(command, "none.mo", words=["none.mo", "no such file"])

    def test_folder(self):
        self.refuse("run", self.folder, words=["it is a folder"])

    def test_unreadable(self):
        path = self.write("secret.mo", DECAY)
        os.chmod(path, 0)
        if os.access(path, os.R_OK):
            return  # root reads everything
        self.refuse("run", path, words=["Permission denied"])

    def test_endless(self):
        self.refuse("run", "/dev/zero", words=["larger than 256 MiB"])

    def test_mechanism_file(self):
        self.refuse("run", self.write("arm.urdf", "<robot/>"), words=["arm.urdf:1:1", "no links"])


class NotFiniteOnTheWay(CliTest):
    """Exit code 1, and what was computed is kept; the equation and the time are named."""

    def test_square_root(self):
        path = self.write("m.mo", "model M\n  Real x(start = 1, fixed = true), y;\nequation\n  der(x) = -1;\n"
                                  "  y = sqrt(x);\n  annotation(experiment(StopTime = 3));\nend M;\n")
        out = os.path.join(self.folder, "m.csv")
        code, _, err = self.daedalus("run", path, "--out", out, "--quiet")
        self.assertEqual(code, 1)
        for word in ("t = 1", "not finite", "y = sqrt(x)", "m.mo:5:3"):
            self.assertIn(word, err)
        with open(out, encoding="utf-8") as rows:
            last = [float(v) for v in rows.read().split()[-1].split(",")]
        self.assertAlmostEqual(last[0], 1, places=6)

    def test_after_an_event(self):
        path = self.write("m.mo", "model M\n  Real x(start = 1, fixed = true);\nequation\n"
                                  "  der(x) = if time > 0.5 then 0/(time - time) else -x;\nend M;\n")
        code, _, err = self.daedalus("run", path, "--quiet")
        self.assertEqual(code, 1)
        for word in ("t = 0.5", "finite", "m.mo:4:3"):
            self.assertIn(word, err)


class Texts(CliTest):
    def refuse_text(self, text, *words):
        path = self.write("bad.mo", text)
        began = time.monotonic()
        message = self.refuse("run", path, words=words)
        self.assertLess(len(message), 20_000)
        self.assertLess(time.monotonic() - began, 20)
        return message

    def test_empty(self):
        self.refuse_text("")
        self.refuse("run", "-", stdin=b"")

    def test_syntax_error_shows_line_and_caret(self):
        message = self.refuse_text("model M\n  Real x\nequation\n  der(x) = 1;\nend M;\n", "bad.mo:", "error:")
        self.assertRegex(message, r"bad\.mo:\d+:\d+: error: ")
        self.assertRegex(message, r"(?m)^ +\^")

    def test_unknown_name(self):
        self.refuse_text("model M\n  Real x(start=1, fixed=true);\nequation\n  der(x) = -y;\nend M;\n", "bad.mo:4:", "y")

    def test_binary_garbage(self):
        message = self.refuse_text(bytes(range(256)) * 40)
        for ch in message:
            self.assertTrue(ch == "\n" or ch >= " ", repr(ch))

    def test_ten_megabyte_line(self):
        self.refuse_text("model M Real x; equation x = " + "1 + " * 2_500_000 + "; end M;")

    def test_deep_nesting(self):
        self.refuse_text("model M Real x; equation x = " + "(" * 100_000 + "1" + ")" * 100_000 + "; end M;", "nest")

    def test_too_many_equations(self):
        message = self.refuse_text("model M\n  Real x;\nequation\n  x = 1;\n  x = 2*time;\nend M;\n")
        self.assertIn("x = 2*time", message)

    def test_too_few_equations(self):
        self.refuse_text("model M\n  Real x;\n  Real lonely;\nequation\n  der(x) = 1;\nend M;\n", "lonely")

    def test_unbalanced_although_aliases_contradict(self):
        # y = x and y = 2*x + 1 give x = -1, with which der(x) = -x would read 0 = 1; what the user must know is that
        # there are three equations for two unknowns, and which.
        for command in ("run", "check"):
            path = self.write("over.mo", "model M\n  Real x, y;\nequation\n  der(x) = -x;\n  y = x;\n  y = 2*x + 1;\nend M;\n")
            self.refuse(command, path, words=["3 equations determine only 2 unknowns (x, y)", "over.mo:4:3", "over.mo:5:3",
                                              "over.mo:6:3"])

    def test_unbalanced_both_ways(self):
        message = self.refuse_text(
            "model M\n  Real x, y, z;\nequation\n  der(x) = -x;\n  x = sin(time);\n  2*x = cos(time);\n  y = z^2;\nend M;\n",
            "too many equations: 3 equations determine only 1 unknown (x)", "too few equations: y, z are not determined")
        for line in ("bad.mo:4:3", "bad.mo:5:3", "bad.mo:6:3", "bad.mo:7:3"):
            self.assertIn(line, message)

    def test_repeated_equation(self):
        self.refuse_text("model M\n  Real x, y;\nequation\n  x = y;\n  y = x;\n  der(x) = 1;\nend M;\n",
                         "3 equations determine only 2 unknowns", "bad.mo:4:3", "bad.mo:5:3")

    def test_time_is_no_variable(self):
        self.refuse_text("model M\n  Real 'time';\nequation\n  der('time') = 1;\nend M;\n", "bad.mo:2:8", "'time'")

    def test_array_beyond_the_limit(self):
        self.refuse_text("model M\n  Real x = sum(fill(time, 3000, 3000));\nend M;\n", "bad.mo:2:",
                         "elements is larger than the limit of 2000000")

    def test_division_by_zero_at_the_start(self):
        self.refuse_text("model M\n  Real x(start = 0, fixed = true);\nequation\n  der(x) = 1/x;\nend M;\n", "bad.mo:4:3",
                         "der(x) = 1/x", "no finite value at the start values (x = 0")

    def test_unknown_parameter(self):
        path = self.write("decay.mo", DECAY)
        self.refuse("run", path, "--set", "kk=2", words=["kk"])
        self.refuse("run", path, "--set", "k=(", words=["k"])

    def test_contradictory_start_values(self):
        message = self.refuse_text("""model P
  Real x(start = 1, fixed = true), y(start = 1, fixed = true), u, v, lambda;
equation
  der(x) = u; der(y) = v;
  der(u) = -lambda*x; der(v) = -lambda*y - 9.81;
  x^2 + y^2 = 1;
end P;
""")
        self.assertIn("x", message)
        self.assertIn("y", message)


if __name__ == "__main__":
    unittest.main()
