"""What the documentation prints works as printed."""

import pathlib
import re
import warnings

import pytest

ROOT = pathlib.Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
MODELICA = re.compile(r"^```modelica\n(.*?)^```", re.DOTALL | re.MULTILINE)
# Every page with Python in it; how many blocks there are at least is asked of the two that must have some.
PAGES = sorted(str(path.relative_to(ROOT)) for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
# The first lines of Python that a reader sees; the README prints the same.
FIRST_LINES = '''import daedalus as dd

r = dd.load("examples/pendulum.mo").simulate(until=10)
r.plot("x", "y")
'''


def blocks(name):
    return BLOCK.findall((ROOT / name).read_text(encoding="utf-8"))


def test_there_are_blocks():
    assert len(blocks("docs/python.md")) >= 16 and len(blocks("docs/tutorials/python.md")) >= 5


@pytest.mark.parametrize("name", [name for name in PAGES if blocks(name)])
def test_the_blocks_run(name, monkeypatch, tmp_path):
    found = blocks(name)
    for folder in ("examples", "problems"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.chdir(tmp_path)  # what they write is written there
    scope = {"__name__": "__main__"}
    for block in found:
        if "dask" in block:
            pytest.importorskip("dask")
        if "plot(" in block:
            pytest.importorskip("matplotlib")
        if "dd.fit(" in block:
            pytest.importorskip("scipy")
        if "c.table" in block:
            pytest.importorskip("pandas")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # what a model file warns of
            exec(compile(block, f"{name}: {block.splitlines()[0]}", "exec"), scope)


@pytest.mark.parametrize("name", PAGES)
def test_models_on_the_pages_run(name):
    import daedalus as dd

    for text in MODELICA.findall((ROOT / name).read_text(encoding="utf-8")):
        assert dd.parse(text, name=name).simulate(until=1).ok


def test_the_first_lines_are_these():
    assert FIRST_LINES in blocks("docs/python.md")
    assert FIRST_LINES in blocks("README.md")


def test_every_public_name_is_documented():
    import daedalus as dd

    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    for name in ("load", "parse", "Engine", "Simulation", "Model", "Lagrangian", "Mechanism", "solve_dae", "compare", "sweep", "ModelError",
                 "SimulationError", "UnknownNameError", "TraceWarning", "formulations", "integrators", "where", "pre"):
        assert hasattr(dd, name) and f"dd.{name}" in text, name
    for name in dd.__all__:
        assert hasattr(dd, name), name


def stub_names(path):
    import ast

    names = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.ImportFrom) and node.level:
            names |= {alias.asname or alias.name for alias in node.names}
    return names


def test_the_stubs_name_everything():
    import daedalus as dd

    folder = ROOT / "python" / "daedalus"
    assert stub_names(folder / "__init__.pyi") == set(dd.__all__)
    there = {name for name in dir(dd._core) if not name.startswith("_")}
    assert stub_names(folder / "_core.pyi") == there
    for name in there:
        if isinstance(getattr(dd._core, name), type):
            methods = {m for m in vars(getattr(dd._core, name)) if not m.startswith("_")}
            text = (folder / "_core.pyi").read_text()
            for method in methods - {"name"}:
                if name != "Expr":  # its further methods are NumPy's names of functions
                    assert f"def {method}(" in text, f"{name}.{method}"
