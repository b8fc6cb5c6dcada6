"""Each folder of src/ includes only itself and the folders that its CMakeLists names, and those come before it in
the pipeline. This is what keeps the architecture of docs/architecture.md true."""

import re
import unittest

from project_files import PIPELINE, ROOT, cpp_files

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)


def modules():
    return [name for name in PIPELINE if (ROOT / "src" / name / "CMakeLists.txt").exists()]


def declared_dependencies(module):
    text = (ROOT / "src" / module / "CMakeLists.txt").read_text()
    words = re.sub(r"#.*", "", text).replace("(", " ").replace(")", " ").split()
    if "DEPENDS" not in words:
        return []
    found = []
    for word in words[words.index("DEPENDS") + 1:]:
        if word.isupper():
            break
        found.append(word)
    return found


def closure(module, graph):
    seen, waiting = set(), [module]
    while waiting:
        for name in graph[waiting.pop()]:
            if name not in seen:
                seen.add(name)
                waiting.append(name)
    return seen


def wrong_includes(module, text, allowed):
    """The project's own folders that a text includes although it may not."""
    folders = [path.split("/")[0] for path in INCLUDE.findall(text) if "/" in path]
    return [name for name in folders if (name in PIPELINE or name in ("cli", "tests")) and name not in allowed]


def public_headers():
    """What <daedalus/daedalus.hpp> brings in."""
    seen, waiting = set(), ["daedalus.hpp"]
    while waiting:
        header = waiting.pop()
        if header not in seen and (ROOT / "src" / header).exists():
            seen.add(header)
            waiting += INCLUDE.findall((ROOT / "src" / header).read_text())
    return sorted(seen)


class IncludeGraph(unittest.TestCase):
    def test_every_folder_of_src_is_in_the_pipeline(self):
        folders = {path.name for path in (ROOT / "src").iterdir() if path.is_dir()}
        self.assertEqual(folders - set(PIPELINE), set())

    def test_dependencies_point_backwards(self):
        for module in modules():
            for name in declared_dependencies(module):
                self.assertIn(name, PIPELINE, f"src/{module}/CMakeLists.txt")
                self.assertLess(PIPELINE.index(name), PIPELINE.index(module), f"{module} must not depend on {name}")

    def test_includes_follow_the_dependencies(self):
        graph = {module: declared_dependencies(module) for module in modules()}
        faults = []
        for module in modules():
            allowed = closure(module, graph) | {module}
            for path in cpp_files(f"src/{module}"):
                for name in wrong_includes(module, path.read_text(), allowed):
                    faults.append(f"{path.relative_to(ROOT)} includes {name}/, which {module} may not use")
        self.assertEqual(faults, [])

    def test_heavy_libraries_stay_out_of_public_headers(self):
        self.assertIn("core/diagnostic.hpp", public_headers())
        heavy = re.compile(r"^(Eigen/|klu|sundials|ida/|nvector/|nlohmann/|CLI/)")
        faults = [f"{header}: {name}" for header in public_headers()
                  for name in INCLUDE.findall((ROOT / "src" / header).read_text()) if heavy.match(name)]
        self.assertEqual(faults, [])

    def test_a_wrong_include_would_be_found(self):
        text = '#include <vector>\n#include "core/index.hpp"\n  # include "results/writers.hpp"\n'
        self.assertEqual(wrong_includes("structure", text, {"core", "structure"}), ["results"])


if __name__ == "__main__":
    unittest.main()
