"""The README's commands and those of the formulations' pages work as printed, and the README's C++ examples are those that
tests/consumer builds."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from project_files import ROOT

README = (ROOT / "README.md").read_text()
VERBS = "run|check|list|compare|reproduce|linearise|steady|export|diff"
PROGRAM = os.environ.get("DAEDALUS_PROGRAM", str(ROOT / "build/release/daedalus"))


def blocks(language, text=README):
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def commands(text=README):
    """The lines of shell blocks, continued lines joined, comments and prompts off."""
    for block in blocks("sh", text):
        for line in block.replace("\\\n", " ").splitlines():
            line = re.sub(r"\s+#.*", "", line.strip().removeprefix("$ "))
            if line and not line.startswith("#"):
                yield line


def without_indentation(text):
    return re.sub(r"^ +", "", text, flags=re.MULTILINE)


class Readme(unittest.TestCase):
    def test_make_targets_exist(self):
        targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
        named = [word for line in commands() if line.startswith("make ") for word in line.split()[1:] if "=" not in word]
        self.assertIn("demo", named)
        self.assertIn("test", named)
        self.assertEqual([name for name in named if name not in targets], [])

    def run_all(self, lines):
        with tempfile.TemporaryDirectory() as folder:
            for models in ("examples", "problems"):
                shutil.copytree(ROOT / models, pathlib.Path(folder) / models)
            for line in lines:
                text = re.sub(rf"(?:build/release/)?\bdaedalus (?={VERBS})", PROGRAM + " ", line)
                done = subprocess.run(text, shell=True, cwd=folder, capture_output=True, text=True, timeout=240)
                self.assertEqual(done.returncode, 0, f"{line}\n{done.stderr}")

    def test_daedalus_commands_run(self):
        lines = [line for line in commands() if re.search(rf"\bdaedalus ({VERBS})\b", line)]
        self.assertGreaterEqual(len(lines), 3)
        self.run_all(lines)

    def test_each_formulation_has_a_page_whose_example_runs(self):
        listed = json.loads(subprocess.run([PROGRAM, "list", "formulations", "--json"], capture_output=True, check=True).stdout)
        rows = listed if isinstance(listed, list) else listed["formulations"]
        lines = []
        for row in rows:
            page = (ROOT / f"docs/formulations/{row['name']}.md").read_text()
            examples = [line for line in commands(page) if re.search(rf"--formulation '?{row['name']}\b", line)]
            self.assertTrue(examples, row["name"])
            for option in row.get("options", []):
                self.assertIn(f"\n| `{option['name']}` |", page, row["name"])
            for part in ("Equations", "What it preserves", "What it costs", "When to use it", "Example"):
                self.assertIn(f"\n## {part}\n", page, row["name"])
            lines += examples
        self.run_all(lines)

    def test_model_in_the_readme_is_the_example(self):
        shown = blocks("modelica")
        self.assertTrue(shown)
        self.assertIn(shown[0], (ROOT / "examples/pendulum.mo").read_text())

    def test_cpp_examples_are_those_that_are_built(self):
        shown = blocks("cpp")
        built = ("main.cpp", "steps.cpp")
        self.assertEqual(len(shown), len(built))
        for block, name in zip(shown, built):
            self.assertIn(without_indentation(block), without_indentation((ROOT / "tests/consumer" / name).read_text()))

    def test_links_lead_somewhere(self):
        links = re.findall(r"\]\(([^)#]+)\)", README) + re.findall(r'src="([^"]+)"', README)
        missing = [link for link in links if not link.startswith("http") and not (ROOT / link).exists()]
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main()
