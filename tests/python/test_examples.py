"""The tutorials run, and what they assert holds."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "examples" / "python").glob("*.py"))


def test_there_are_tutorials():
    assert {path.stem for path in SCRIPTS} >= {"first_model", "index_3_without_fear", "choosing_a_formulation",
                                               "through_a_singularity", "redundant_joints"}


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_tutorial(path, tmp_path):
    done = subprocess.run([sys.executable, "-W", "error", path], cwd=tmp_path, env=os.environ, text=True,
                          capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout) > 200
