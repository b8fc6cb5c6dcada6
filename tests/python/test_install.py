"""`pip install .` into a folder of its own, with the extension of this build so that nothing is compiled twice."""

import os
import pathlib
import re
import subprocess
import sys
import zipfile

import pytest

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    pytest.importorskip("scikit_build_core")
    folder = tmp_path_factory.mktemp("site")
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "LD_PRELOAD")}
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-build-isolation",
               "--no-deps", "--target", folder,
               f"--config-settings=build-dir={folder / 'build'}",
               f"--config-settings=cmake.define.DAEDALUS_PYTHON_PREBUILT={os.environ['DAEDALUS_EXTENSION']}",
               f"--config-settings=cmake.define.DAEDALUS_PROGRAM_PREBUILT={os.environ['DAEDALUS_PROGRAM']}", ROOT]
    done = subprocess.run([str(word) for word in command], env=environment, text=True, capture_output=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_the_package_is_whole(installed):
    package = installed / "daedalus"
    assert (package / "py.typed").exists() and (package / "_core.pyi").exists()
    assert list(package.glob("_core.*.so"))
    here = {path.name for path in (ROOT / "python" / "daedalus").glob("*.py")}
    assert here == {path.name for path in package.glob("*.py")}


def test_its_version_is_the_library_s(installed):
    version = re.search(r"project\(daedalus VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert list(installed.glob(f"daedalus-{version}.dist-info"))
    import daedalus

    assert daedalus.__version__ == version


def test_what_the_readme_s_lines_need_comes_along(installed):
    metadata = next(installed.glob("daedalus-*.dist-info")).joinpath("METADATA").read_text()
    needed = re.findall(r"^Requires-Dist: ([a-z]+)[^;\n]*$", metadata, re.MULTILINE)
    assert set(needed) == {"numpy", "matplotlib"}


def test_the_first_lines_work_from_there(installed):
    script = ("import daedalus as dd\n"
              "assert 'site' in dd.__file__\n"
              "r = dd.load('examples/pendulum.mo').simulate(until=10)\n"
              "assert r.ok and abs(r['x'][-1] ** 2 + r['y'][-1] ** 2 - 1) < 1e-12\n")
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=environment, text=True, capture_output=True,
                          timeout=120)
    assert done.returncode == 0, done.stderr


def test_the_command_comes_along(installed, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    version = re.search(r"project\(daedalus VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    for command in ([installed / "bin" / "daedalus"], [sys.executable, "-m", "daedalus"]):
        done = subprocess.run([*map(str, command), "--version"], env=environment, text=True, capture_output=True, timeout=60)
        assert done.returncode == 0 and version in done.stdout, done.stderr
    unit = tmp_path / "pendulum.fmu"
    done = subprocess.run([str(installed / "bin" / "daedalus"), "export", str(ROOT / "examples/pendulum.mo"), "--fmu", str(unit)],
                          env=environment, text=True, capture_output=True, timeout=60)
    assert done.returncode == 0 and zipfile.is_zipfile(unit), done.stderr


def test_licences_come_along(installed):
    texts = {path.name for path in (installed / "daedalus" / "licences").iterdir()}
    assert "daedalus.txt" in texts
    assert list(installed.glob("daedalus-*.dist-info/**/LICENSE"))


def test_from_python_3_12_on_one_extension_is_for_all():
    # Compiled against the limited API, which the macros of the full one are not part of.
    assert "STABLE_ABI" in (ROOT / "python" / "CMakeLists.txt").read_text()
    settings = (ROOT / "pyproject.toml").read_text()
    assert re.search(r'if\.python-version = ">=3\.12"\nwheel\.py-api = "cp312"', settings)
    for path in (ROOT / "python" / "src").glob("*.?pp"):
        assert not re.search(r"\bPy\w+_(AS|GET)_[A-Z]+\(|->(tp|nb|ob)_\w+", path.read_text()), path.name
