"""The folders between the methods and the results have unit tests of their own: nearly every header is included by a test of
its folder, and each has seven lines of tests for ten of the library."""

import unittest

from project_files import ROOT, cpp_files

FOLDERS = ["saddle", "systems", "record", "consistent", "constraints", "drive", "advise", "stepping", "sensitivity", "simulate"]
LEAST_HEADERS = 0.9
LEAST_RATIO = 0.7
REACHED = FOLDERS


def lines(folder):
    return sum(len(path.read_text().splitlines()) for path in cpp_files(folder))


def headers_without_test(headers, tests):
    return [header for header in headers if f'"{header}"' not in tests]


class UnitTests(unittest.TestCase):
    def test_headers_are_included_by_tests_of_their_folder(self):
        for folder in FOLDERS:
            headers = [str(path.relative_to(ROOT / "src")) for path in cpp_files(f"src/{folder}") if path.suffix == ".hpp"]
            tests = "".join(path.read_text() for path in cpp_files(f"tests/{folder}"))
            missing = headers_without_test(headers, tests)
            self.assertLessEqual(len(missing), round((1 - LEAST_HEADERS) * len(headers), 6), f"no test in tests/{folder} includes {missing}")

    def test_there_are_enough_tests(self):
        for folder in REACHED:
            self.assertGreaterEqual(lines(f"tests/{folder}"), LEAST_RATIO * lines(f"src/{folder}"), folder)

    def test_a_header_without_test_would_be_found(self):
        self.assertEqual(headers_without_test(["a/x.hpp", "a/y.hpp"], '#include "a/y.hpp"\n'), ["a/x.hpp"])


if __name__ == "__main__":
    unittest.main()
