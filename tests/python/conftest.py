import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(os.environ.get("DAEDALUS_SOURCE_DIR", pathlib.Path(__file__).parents[2]))


@pytest.fixture
def root():
    return ROOT


@pytest.fixture
def program():
    """Runs the command line and gives what it prints to stderr."""

    def run(*arguments, stdin=""):
        done = subprocess.run([os.environ["DAEDALUS_PROGRAM"], *map(str, arguments)], input=stdin, text=True,
                              capture_output=True, timeout=120)
        return done

    return run


PENDULUM = """model Pendulum
  parameter Real L = 1, g = 9.81;
  Real x(start = 1), y(start = 0, fixed = true), lambda;
  Real vx, vy(start = 0, fixed = true);
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -lambda*x;
  der(vy) = -lambda*y - g;
  x^2 + y^2 = L^2;
end Pendulum;
"""


@pytest.fixture
def pendulum_text():
    return PENDULUM
