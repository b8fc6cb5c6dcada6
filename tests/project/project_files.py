"""The files of the project, for the tests that read them."""

import os
import pathlib
import re

ROOT = pathlib.Path(os.environ.get("DAEDALUS_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))

# The path of a model: a folder may use only the folders before it.
PIPELINE = ["core", "expr", "model", "mechanics", "readers", "structure", "reform", "codegen", "numerics", "integrate",
            "saddle", "systems", "record", "consistent", "constraints", "drive", "advise", "stepping", "sensitivity", "simulate", "ensemble", "analysis", "results",
            "fmu", "study"]

# In a linked working tree .git is a file.
SKIPPED = {".git", "build", ".venv", "__pycache__"}


def all_files():
    """Every file of the project that is text of ours, without what was built."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in SKIPPED]
        for name in names:
            if name not in SKIPPED:
                yield pathlib.Path(folder) / name


def cpp_files(*folders):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".cpp", ".hpp"):
                yield path


def code_lines(text):
    """Lines that are neither blank nor only a comment."""
    return sum(1 for line in text.splitlines() if not re.match(r"^\s*(//.*)?$", line))
