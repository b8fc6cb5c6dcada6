"""Types are complete: mypy in its strict mode has nothing to say, of the package and of what users write with it."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[2]

# What was Any once is a type now.
USER = """
import numpy as np
import numpy.typing as npt
from typing import assert_type

import daedalus as dd

model: dd.TextModel = dd.load("examples/pendulum.mo")
result = model.simulate(until=1)
assert_type(result, dd.Result)
assert_type(result["x"], npt.NDArray[np.float64])
swept = model.sweep(L=[1, 2])
assert_type(swept, dd.Sweep)
assert_type(swept[0], dd.Result | None)
assert_type(swept.array("x"), npt.NDArray[np.float64])
compared = model.compare(formulations=["ggl"], until=1)
assert_type(compared, dd.Comparison)
solution = dd.solve_dae(lambda t, y, yp: yp + y, (0, 1), [1.0], dense_output=True)
assert_type(solution, dd.DaeResult)
assert_type(solution.y, npt.NDArray[np.float64])
assert_type(solution.sol, dd.DaeSolution | None)
assert_type(solution.t_events, list[npt.NDArray[np.float64]] | None)
assert_type(model.compile(free=["L"]).start().values(), npt.NDArray[np.float64])
"""


def mypy(*arguments, path):
    pytest.importorskip("mypy")
    if tuple(map(int, np.__version__.split(".")[:2])) < (2, 2):
        pytest.skip("NumPy's own types were not complete before 2.2")
    environment = {**os.environ, "MYPYPATH": str(path)}
    environment.pop("LD_PRELOAD", None)
    command = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", *map(str, arguments)]
    done = subprocess.run(command, cwd=path, env=environment, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package(tmp_path):
    mypy("--cache-dir", tmp_path, ROOT / "python" / "daedalus", path=ROOT / "python")


def test_what_users_write(tmp_path):
    if sys.version_info < (3, 11):
        pytest.skip("assert_type came with Python 3.11")
    file = tmp_path / "user.py"
    file.write_text(USER)
    mypy("--cache-dir", tmp_path, file, path=ROOT / "python")
