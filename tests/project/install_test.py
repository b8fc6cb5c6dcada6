"""What programs may include: the public headers and what these include, and nothing of another library."""

import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """set(source "{source}")
set(include "{include}")
set(headers "{headers}")
set(folders "{folders}")
include("{root}/cmake/InstallHeaders.cmake")
"""


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        text = (ROOT / "cmake" / "DaedalusInstall.cmake").read_text()
        listed = re.search(r"set\(DAEDALUS_PUBLIC_HEADERS(.*?)\)\n", text, re.DOTALL).group(1)
        cls.public = re.findall(r"^\s*([\w/]+\.hpp)", listed, re.MULTILINE)
        cls.folder = tempfile.TemporaryDirectory()
        folders = "|".join(path.name for path in (ROOT / "src").iterdir() if path.is_dir())
        script = Path(cls.folder.name) / "install.cmake"
        script.write_text(SCRIPT.format(source=ROOT / "src", include=Path(cls.folder.name) / "daedalus",
                                        headers=";".join(cls.public), folders=folders, root=ROOT))
        subprocess.run(["cmake", "-P", script], check=True, capture_output=True)
        cls.installed = {path.relative_to(cls.folder.name).as_posix(): path.read_text()
                         for path in Path(cls.folder.name).rglob("*.hpp")}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_there_are_few_and_they_are_whole(self):
        self.assertIn("daedalus.hpp", self.public)
        self.assertLess(len(self.installed), 100)
        for name, text in self.installed.items():
            for inner in re.findall(r'#include "(.*)"', text):
                self.assertIn(inner, self.installed, f"{name} includes {inner}, which is not installed")

    def test_none_names_another_library(self):
        for name, text in self.installed.items():
            others = [inner for inner in re.findall(r"#include <(.*)>$", text, re.MULTILINE)
                      if "/" in inner and not inner.startswith(("sys/", "daedalus/"))]
            self.assertEqual(others, [], f"{name} includes {others}")

    def test_the_public_ones_are_documented(self):
        page = (ROOT / "docs" / "tutorials" / "cpp.md").read_text()
        summary = (ROOT / "src" / "daedalus.hpp").read_text()
        for name in self.public + re.findall(r'#include "(.*)"', summary):
            self.assertIn(f"`{name}`", page)


if __name__ == "__main__":
    unittest.main()
