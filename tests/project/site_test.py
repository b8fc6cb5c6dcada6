"""The site: its pages are in its navigation, links and anchors lead somewhere, references are whole, commands run, and papers are
cited by their authors."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from project_files import ROOT

sys.path.insert(0, str(ROOT / "scripts" / "site"))
import build  # noqa: E402
import cpp_reference  # noqa: E402
import python_reference  # noqa: E402

PROGRAM = os.environ.get("DAEDALUS_PROGRAM", str(ROOT / "build/release/daedalus"))
FENCE = re.compile(r"^ *(`{3,}).*?^ *\1`*$", re.MULTILINE | re.DOTALL)
# Lines of shell blocks that build or install, which tests do elsewhere.
ELSEWHERE = ("make ", "pip ", "scripts/")
# The page that the program writes, whose commands are those of its own tables; and this language's name for the models.
WRITTEN = "reproduction.md"


def shell_blocks(text):
    return re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def anchors(text):
    """Of the headings, as the site makes them: lower case, hyphens for blanks, nothing but words else."""
    found = {}
    out = set()
    for title in re.findall(r"^#+ (.+?)\s*$", FENCE.sub("", text), re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title)
        slug = re.sub(r"[^\w\- ]", "", plain).strip().lower().replace(" ", "-")
        count = found.get(slug, 0)
        found[slug] = count + 1
        out.add(f"{slug}_{count}" if count else slug)
    return out


class TheSite(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.site = build.Site()
        cls.site.gather(None)

    def test_links_lead_somewhere(self):
        there = {*self.site.pages, *self.site.files}
        wrong = []
        for page, text in self.site.pages.items():
            bare = re.sub(r"`[^`\n]*`", "", FENCE.sub("", text))
            for link in re.findall(r"\]\(([^)\s]+)\)", bare):
                if "://" in link or link.startswith("mailto:"):
                    continue
                name, _, anchor = link.partition("#")
                target = os.path.normpath(os.path.join(os.path.dirname(page), name)) if name else page
                if target not in there:
                    wrong.append(f"{page}: {link}")
                elif anchor and anchor not in anchors(self.site.pages[target]):
                    wrong.append(f"{page}: {link}: there is no such heading")
        self.assertEqual(wrong, [])

    def test_each_page_is_in_the_navigation_once(self):
        named = re.findall(r"[\w./-]+\.md", self.site.configuration().split("\nnav:")[1])
        self.assertEqual(sorted(named), sorted(set(named)))
        shown = {page for page in self.site.pages if not page.startswith("files/")}
        self.assertEqual(set(named), shown)

    def test_no_public_name_of_python_is_left_out(self):
        public = set(python_reference.public_names(ROOT / "python" / "daedalus"))
        told = {name for _, names in python_reference.PAGES.values() for name in names}
        self.assertEqual(public, told)

    def test_the_reference_of_cpp_has_the_headers_and_their_names(self):
        text = "".join(page for name, page in self.site.pages.items() if name.startswith("reference/cpp/"))
        for header in cpp_reference.headers(ROOT / "src"):
            self.assertIn(f"\n## {header}\n", text)
        for name in ("Engine", "Simulation", "ModelBuilder", "MechanismBuilder", "RunOptions", "Summary"):
            self.assertIn(f"\n### {name}\n", text)
        self.assertIn("load_model(", text)
        self.assertNotIn(" private:", text)

    def test_papers_are_cited_by_their_authors(self):
        named = [f"{name}: {found[0]}" for name, text in self.site.pages.items() if not name.startswith("files/")
                 for found in re.finditer(r"[Pp]apers? 00\d|(?<![\d.,])00[0-4] (?:§|\()", text)]
        self.assertEqual(named, [])

    def test_the_steps_of_own_method_are_those_that_are_built(self):
        page = (ROOT / "docs" / "own-method.md").read_text()
        built = (ROOT / "examples" / "cpp" / "CMakeLists.txt").read_text()
        self.assertIn("[[nodiscard]] IntegratorRow bogacki_shampine_row();", page)
        self.assertIn("[[nodiscard]] IntegratorRow bogacki_shampine_row();", built)
        self.assertIn("`bogacki_shampine_row()` behind `taylor_row()`", page)
        for line in re.findall(r"^```cpp\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
            self.assertIn(line.strip(), (ROOT / "examples/cpp/own_method.cpp").read_text())

    def test_cpp_on_the_tutorial_is_built(self):
        page = (ROOT / "docs/tutorials/cpp.md").read_text()
        built = "".join(re.sub(r"^ +", "", (ROOT / "tests/consumer" / name).read_text(), flags=re.MULTILINE)
                        for name in ("main.cpp", "steps.cpp"))
        shown = re.findall(r"^```cpp\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
        self.assertEqual(len(shown), 2)
        for block in shown:
            self.assertIn(re.sub(r"^ +", "", block, flags=re.MULTILINE), built)

    def test_every_command_of_the_pages_runs(self):
        pages = [path for path in sorted((ROOT / "docs").rglob("*.md")) if path.name != WRITTEN]
        ran = 0
        for path in pages:
            if path.parent.name == "formulations":
                continue  # readme_test runs the examples of these
            for block in shell_blocks(path.read_text()):
                lines = [line for line in block.splitlines() if not line.startswith(ELSEWHERE)]
                if not any(re.search(r"\bdaedalus \w", line) for line in lines):
                    continue
                with self.subTest(page=path.name, block=lines[0]), tempfile.TemporaryDirectory() as folder:
                    self.run_block("\n".join(lines), pathlib.Path(folder))
                    ran += 1
        self.assertGreater(ran, 20)

    def run_block(self, script, folder):
        (folder / "bin").mkdir()
        (folder / "bin" / "daedalus").symlink_to(PROGRAM)
        for models in ("examples", "problems"):
            (folder / models).symlink_to(ROOT / models)
        environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
        done = subprocess.run(["bash", "-e", "-c", script], cwd=folder, env=environment, capture_output=True, text=True,
                              timeout=500)
        self.assertEqual(done.returncode, 0, f"{script}\n{done.stderr}")


if __name__ == "__main__":
    unittest.main()
