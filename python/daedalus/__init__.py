"""Daedalus: differential-algebraic equations of any index.

    import daedalus as dd

    r = dd.load("pendulum.mo").simulate(until=10)
    r.plot("x", "y")

docs/python.md has the whole of it.
"""

from __future__ import annotations

from typing import Any

from . import _core
from ._compare import Comparison, compare
from ._core import Equation, Expr
from ._analysis import Linearisation, Mode, SteadyState
from ._engine import Engine, Simulation
from ._arrays import array
from ._ensemble import EnsembleReduction, EnsembleResult
from ._errors import Diagnostic, Error, MissingFileError, ModelError, SimulationError, UnknownNameError
from ._fit import Fit, fit
from ._expressions import FUNCTIONS, der, no_event, pre, where
from ._mechanism import Body, Joint, Mechanism, Quantities
from ._model import Lagrangian, Model, When
from ._page import Page
from ._result import Report, Result
from ._solve import DaeResult, DaeSolution, StartWarning, TraceWarning, solve_dae
from ._sweep import Sweep, latin_hypercube, sweep
from ._system import System, TextModel, load, parse
from ._tables import interp

__version__: str = _core.__version__


def formulations() -> dict[str, str]:
    """The formulations by name, with a line on each."""
    return {name: summary for name, summary, _, _ in _core.formulations()}


def integrators() -> dict[str, str]:
    """The integrators by name, with a line on each."""
    return {name: summary for name, summary, _, _ in _core.integrators()}


def joint_kinds() -> list[str]:
    """What Mechanism.joint() knows."""
    return _core.joint_kinds()


# sin, cos, …: one function a row of the library's table.
globals().update(FUNCTIONS)

__all__ = [
    "Body", "Comparison", "DaeResult", "DaeSolution", "Diagnostic", "Engine", "EnsembleReduction", "EnsembleResult", "Equation", "Error", "Expr", "Fit", "Joint", "Lagrangian", "Linearisation",
    "Mechanism", "MissingFileError", "Mode", "Model", "ModelError", "Page", "Quantities", "Report", "Result", "Simulation", "SimulationError", "StartWarning", "SteadyState", "Sweep", "System",
    "TextModel", "TraceWarning", "UnknownNameError", "When", "array", "compare", "der", "fit", "formulations", "integrators",
    "interp", "joint_kinds", "latin_hypercube", "load", "no_event", "parse", "pre", "solve_dae", "sweep", "where", *FUNCTIONS,
]
