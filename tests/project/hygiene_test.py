"""What a reader should never find: files too long to read, unfinished places, paths of somebody's machine."""

import re
import unittest

from project_files import ROOT, all_files, code_lines, cpp_files

MOST_CODE_LINES = 500
# Of a folder, so that somebody finds the way in it; what runs stands on all others and stays small, and the language
# has a file for each part of itself.
MOST_OF_A_FOLDER = 5500
MOST_OF = {"simulate": 2500, "model": 17000}

# Absolute paths that exist on one machine only.
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:work|farm|home|root|Users)/\w")
UNFINISHED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|GTEST_" r"SKIP|DIS" r"ABLED_)")
TEXT_SUFFIXES = {".cpp", ".hpp", ".py", ".pyi", ".js", ".css", ".html", ".sh", ".cmake", ".txt", ".in", ".md", ".json", ".toml", ".mo",
                 ".bmo", ".svg", ""}


def texts():
    for path in all_files():
        if path.suffix in TEXT_SUFFIXES and "corpus" not in path.parts:
            try:
                yield path.relative_to(ROOT), path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


class Hygiene(unittest.TestCase):
    def test_no_source_is_too_long(self):
        long = {name: lines for path in cpp_files("src", "apps", "python") if (name := str(path.relative_to(ROOT)))
                and (lines := code_lines(path.read_text())) > MOST_CODE_LINES}
        self.assertEqual(long, {})

    def test_no_folder_is_too_large(self):
        sizes = {path.name: sum(code_lines(file.read_text()) for file in cpp_files(f"src/{path.name}"))
                 for path in (ROOT / "src").iterdir() if path.is_dir()}
        self.assertGreater(sizes["model"], 0)
        large = {name: size for name, size in sizes.items() if size > MOST_OF.get(name, MOST_OF_A_FOLDER)}
        self.assertEqual(large, {})

    def test_no_machine_paths(self):
        found = [f"{path}:{number}" for path, text in texts()
                 for number, line in enumerate(text.splitlines(), 1) if MACHINE_PATH.search(line)]
        self.assertEqual(found, [])

    def test_nothing_unfinished(self):
        found = [f"{path}:{number}: {line.strip()}" for path, text in texts()
                 for number, line in enumerate(text.splitlines(), 1) if UNFINISHED.search(line)]
        self.assertEqual(found, [])

    def test_headers_are_guarded(self):
        bare = [str(path.relative_to(ROOT)) for path in cpp_files("src", "apps", "python", "tests")
                if path.suffix == ".hpp" and "#pragma once" not in path.read_text()]
        self.assertEqual(bare, [])

    def test_the_checks_can_fail(self):
        self.assertTrue(MACHINE_PATH.search("see /" "home/me/x"))
        self.assertTrue(UNFINISHED.search("// TO" "DO later"))
        self.assertEqual(code_lines("// a\n\nint x;\n  // b\nint y; // c\n"), 2)


if __name__ == "__main__":
    unittest.main()
