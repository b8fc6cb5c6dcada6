"""Every tolerance has a name, a reason and one place: in the folders below a small number stands in a named constant, and
constants that limit or decide something have a comment."""

import re
import unittest

from project_files import ROOT, cpp_files

FOLDERS = ["mechanics", "structure", "reform", "numerics", "integrate", "saddle", "systems", "record", "consistent", "constraints", "drive", "advise", "stepping", "sensitivity", "simulate",
           "analysis"]

CONSTANT = re.compile(r"\s*(?:static |inline )*constexpr ")
# With a number in it, so that it is no name for another constant.
LIMIT = re.compile(r"\s*(?:static |inline )*constexpr (?:double|int|unsigned|std::size_t|NewtonLimits) \w+(?:\[\])?(?: = -?|\{)[\d{.]")
SMALL = re.compile(r"(?<![\w.])\d+(?:\.\d+)?e[-+]?\d+(?!\w)")
# A member with its default is a name.
MEMBER = re.compile(r"\s*[\w:<>]+ \w+ = -?[\d.e+-]+;")


def without_text(line):
    return re.sub(r'"(\\.|[^"\\])*"', '""', line.split("//")[0])


def has_reason(lines, i):
    """A comment in the line, or above it and the constants that it is written for as well."""
    if "//" in lines[i]:
        return True
    above = i - 1
    while above >= 0 and CONSTANT.match(lines[above]) and "//" not in lines[above]:
        above -= 1
    if above > 0 and lines[above].endswith("{"):  # the comment of its function
        above -= 1
    return above >= 0 and lines[above].strip().startswith("//")


def unexplained(text):
    lines = text.splitlines()
    found = []
    for i, line in enumerate(lines):
        code = without_text(line)
        in_table = code.lstrip().startswith("{")  # of coefficients
        if SMALL.search(code) and not in_table and not CONSTANT.match(code) and not MEMBER.match(code):
            found.append((i + 1, "a number without a name", line.strip()))
        elif LIMIT.match(code) and not has_reason(lines, i):
            found.append((i + 1, "a constant without a reason", line.strip()))
    return found


class Tolerances(unittest.TestCase):
    def test_have_names_and_reasons(self):
        found = [f"{path.relative_to(ROOT)}:{number}: {what}: {line}" for folder in FOLDERS for path in cpp_files(f"src/{folder}")
                 for number, what, line in unexplained(path.read_text())]
        self.assertEqual(found, [], "\n".join(found))

    def test_those_without_would_be_found(self):
        self.assertTrue(unexplained("  if (size < 1e-9) return;"))
        self.assertTrue(unexplained("constexpr int limit = 20;"))
        self.assertFalse(unexplained("// Quadratic convergence.\nconstexpr int limit = 20;\nconstexpr double last = 1e-8;"))
        self.assertFalse(unexplained("constexpr double last = 1e-8;  // the next step is its square"))
        self.assertFalse(unexplained("  double nothing = 1e-15;\n  fail(\"at 1e-9\");"))


if __name__ == "__main__":
    unittest.main()
