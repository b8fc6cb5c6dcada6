"""docs/architecture.md is true where a machine can tell: folders and their order, files and the functions said to be in them,
rows of tables, stages, drivers and defaults. Of all pages: the files of src/ that they name exist, and links lead somewhere."""

import re
import unittest

from project_files import ROOT, cpp_files

PAGE = (ROOT / "docs/architecture.md").read_text()
SOURCE = ROOT / "src"
PATH = r"[a-z_]+(?:/[a-z_0-9]+)+\.(?:cpp|hpp)"


def folders():
    """The folders of src/ in the order in which CMake adds them."""
    return re.findall(r"add_subdirectory\((\w+)\)", (SOURCE / "CMakeLists.txt").read_text())


def tables(page):
    """Tables of a page as lists of rows, each a list of cells; the first row is the header."""
    found, rows = [], []
    for line in page.splitlines() + [""]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]])
        elif rows:
            found.append([row for row in rows if not all(re.fullmatch(r":?-+:?", cell) for cell in row)])
            rows = []
    return found


def table(*header):
    """The rows of the table of architecture.md with this header."""
    matching = [rows[1:] for rows in tables(PAGE) if rows[0] == list(header)]
    assert len(matching) == 1, header
    return matching[0]


def code(cell):
    return re.findall(r"`([^`]+)`", cell)


def text_of(path):
    for base in (SOURCE, ROOT):
        if (base / path).is_file():
            return (base / path).read_text()
    return None


def names(name, text):
    """Whether this text has this function or type."""
    return re.search(rf"\b{re.escape(name)}\b", text or "") is not None


def has_function(name, text):
    """Whether this text defines or declares this function: at the left of a line or after its type or class."""
    return re.search(rf"^[^/\n]*(?:\s|::|\*|&){re.escape(name)}\(", text or "", re.MULTILINE) is not None


def placed(page):
    """Pairs (name, file) for `name` (`file`) and `name` in `file`."""
    return re.findall(rf"`(\w+)`\s(?:\(|in\s)`({PATH})`", page)


def members(page):
    """Pairs (class, member) for `Class::member`."""
    return re.findall(r"`([A-Z]\w+)::(\w+)`", page)


def has_member(owner, member, texts):
    return any(f"{owner}::{member}" in text or (re.search(rf"\b(?:class|struct) {owner}\b[^;]*{{", text) and
                                              re.search(rf"\b{member}\s*[(;=]", text)) for text in texts)


def row_names(path, pattern):
    return re.findall(pattern, text_of(path))


def constants(path):
    """By name: the values of numeric constants of a file."""
    return {name: float(value.replace("'", ""))
            for name, value in re.findall(r"constexpr [\w:]+ (\w+)\s*=\s*(-?[\d.][\d.e'+-]*);", text_of(path))}


def missing_paths(page):
    """Files of src/ that a page names, with or without an ending, and that are not there."""
    known = set(folders())
    missing = []
    for word in re.findall(r"`(?:src/)?([a-z_]+/[\w/]+(?:\.\w+)?)`", page):
        if word.split("/")[0] not in known:
            continue
        if not any((base / (word + end)).exists() for base in (SOURCE,) for end in ("", ".hpp", ".cpp")):
            missing.append(word)
    return missing


class Architecture(unittest.TestCase):
    def test_folders_are_those_of_cmake_in_its_order(self):
        named = [code(row[0])[0] for row in table("folder", "makes", "knows nothing of")]
        self.assertEqual(named, folders())
        for name in named:
            self.assertTrue((SOURCE / name / "CMakeLists.txt").exists(), name)

    def test_functions_of_the_decisions_are_in_their_files(self):
        rows = table("question", "file", "function", "rule")
        self.assertGreater(len(rows), 20)
        for question, file, functions, _ in rows:
            path = code(file)[0]
            self.assertIsNotNone(text_of(path), path)
            elsewhere = dict(placed(functions))
            for name in code(functions):
                if "/" in name:
                    continue
                where = elsewhere.get(name, path)
                self.assertTrue(has_function(name, text_of(where)), f"{question} {name} is not in {where}")

    def test_what_is_said_to_be_in_a_file_is_there(self):
        pairs = placed(PAGE)
        self.assertGreater(len(pairs), 20)
        self.assertEqual([pair for pair in pairs if not names(pair[0], text_of(pair[1]))], [])

    def test_members_exist(self):
        texts = [path.read_text() for path in cpp_files("src")]
        pairs = members(PAGE)
        self.assertGreater(len(pairs), 5)
        self.assertEqual([pair for pair in pairs if not has_member(*pair, texts)], [])

    def test_types_exist(self):
        defined = set()
        for path in cpp_files("src", "apps"):
            defined |= set(re.findall(r"\b(?:class|struct|using|concept)\s+(\w+)", path.read_text()))
        capitals = set(re.findall(r"`([A-Z][a-z]+(?:[A-Z][a-z]+)+)`", PAGE))
        self.assertGreater(len(capitals), 20)
        self.assertEqual(capitals - defined, set())

    def test_defaults_are_those_of_the_code(self):
        rows = table("what", "value", "name", "file")
        self.assertGreater(len(rows), 8)
        for what, value, name, file in rows:
            self.assertEqual(constants(code(file)[0]).get(code(name)[0]), float(value), what)

    def test_rows_are_those_of_the_tables(self):
        listed = {row[0]: (code(row[1]), code(row[2])[0]) for row in table("family", "rows", "table")}
        shown, path = listed["formulations"]
        self.assertEqual(shown, row_names(path, r'\{\.name = "([\w-]+)",\s+\.summary'))
        shown, path = listed["integrators"]
        self.assertEqual(shown, [name.replace("_", "-") for name in row_names(path, r"\b(\w+)_row\(\)[,}]")])
        shown, path = listed["drivers of their own"]
        self.assertEqual(shown, row_names(path, r'\{"([\w-]+)", make_\w+\}'))
        for family in ("operations and functions", "joints", "result formats"):
            self.assertIsNotNone(text_of(listed[family][1]), family)

    def test_stages_are_those_of_the_program(self):
        stages = re.findall(r'^    \{"(\w+)",', text_of("apps/cli/stages.cpp"), re.MULTILINE)
        sentence = re.search(r"`--stop-after\s+STAGE`\s+prints\s+one\s+of\s+([^.]+)\.", PAGE).group(1)
        self.assertEqual(code(sentence), stages)

    def test_the_checks_can_fail(self):
        self.assertFalse(has_function("locate_crossing", "x = 1;\n// locate_crossing(t)\n"))
        self.assertTrue(has_function("locate_crossing", "bool Stepper::locate_crossing(double& t) {\n"))
        self.assertEqual(placed("`f` (`simulate/run.cpp`), `g` in `drive/driver.hpp`"),
                         [("f", "simulate/run.cpp"), ("g", "drive/driver.hpp")])
        self.assertFalse(has_member("Engine", "no_such", ["class Engine { void run(); };"]))
        self.assertEqual(missing_paths("`simulate/no_such_file` `expr/graph` `expr/graph.hpp`"), ["simulate/no_such_file"])


class Pages(unittest.TestCase):
    def pages(self):
        return sorted((ROOT / "docs").rglob("*.md")) + [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]

    def test_named_sources_exist(self):
        found = {str(page.relative_to(ROOT)): wrong for page in self.pages() if (wrong := missing_paths(page.read_text()))}
        self.assertEqual(found, {})

    def test_links_lead_somewhere(self):
        missing = []
        for page in self.pages():
            for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)):
                if not re.match(r"\w+:", link) and not (page.parent / link).exists():
                    missing.append(f"{page.relative_to(ROOT)}: {link}")
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main()
