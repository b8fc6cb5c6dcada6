"""The README's commands work as printed, and its C++ example is the one that tests/consumer builds."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from project_files import ROOT

README = (ROOT / "README.md").read_text()
PROGRAM = os.environ.get("DAEDALUS_PROGRAM", str(ROOT / "build/release/daedalus"))


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def commands():
    """The lines of shell blocks, continued lines joined, comments and prompts off."""
    for block in blocks("sh"):
        for line in block.replace("\\\n", " ").splitlines():
            line = re.sub(r"\s+#.*", "", line.strip().removeprefix("$ "))
            if line and not line.startswith("#"):
                yield line


class Readme(unittest.TestCase):
    def test_make_targets_exist(self):
        targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
        named = [word for line in commands() if line.startswith("make ") for word in line.split()[1:] if "=" not in word]
        self.assertIn("demo", named)
        self.assertIn("test", named)
        self.assertEqual([name for name in named if name not in targets], [])

    def test_daedalus_commands_run(self):
        lines = [line for line in commands() if re.search(r"\bdaedalus (run|check|list)\b", line)]
        self.assertGreaterEqual(len(lines), 3)
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(ROOT / "examples", pathlib.Path(folder) / "examples")
            for line in lines:
                text = re.sub(r"(?:build/release/)?\bdaedalus (?=run|check|list)", PROGRAM + " ", line)
                done = subprocess.run(text, shell=True, cwd=folder, capture_output=True, text=True, timeout=120)
                self.assertEqual(done.returncode, 0, f"{line}\n{done.stderr}")

    def test_model_in_the_readme_is_the_example(self):
        shown = blocks("modelica")
        self.assertTrue(shown)
        self.assertIn(shown[0], (ROOT / "examples/pendulum.mo").read_text())

    def test_cpp_example_is_the_one_that_is_built(self):
        shown = blocks("cpp")
        self.assertEqual(len(shown), 1)
        self.assertIn(shown[0], (ROOT / "tests/consumer/main.cpp").read_text())

    def test_links_lead_somewhere(self):
        links = re.findall(r"\]\(([^)#]+)\)", README) + re.findall(r'src="([^"]+)"', README)
        missing = [link for link in links if not link.startswith("http") and not (ROOT / link).exists()]
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main()
