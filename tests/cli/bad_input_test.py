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
        self.refuse("run", self.write("arm.urdf", "<robot/>"), words=["mechanism"])


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
