"""Linear models around a point of a simulation, and equilibria."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Mode:
    """An eigenvalue of A. `dominant`: the states that take part most, with their parts of 1."""

    eigenvalue: complex
    frequency: float
    damping: float
    dominant: dict[str, float]


@dataclass(frozen=True)
class Linearisation:
    """x' = A x + B u, y = C x + D u on the manifold of all constraints, made by Simulation.linearise()."""

    t: float
    states: dict[str, float]
    inputs: dict[str, float]
    outputs: dict[str, float]
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    modes: list[Mode]
    redundant: int
    notes: list[str]

    def to_control(self) -> Any:
        """The same as a control.StateSpace of the package `control` (python-control)."""
        import control

        return control.ss(self.A, self.B, self.C, self.D, states=list(self.states), inputs=list(self.inputs),
                          outputs=list(self.outputs))


@dataclass(frozen=True)
class SteadyState:
    """An equilibrium, found by Simulation.steady(). `stability` says what the modes say to first order."""

    t: float
    values: dict[str, float]
    stability: str
    linearisation: Linearisation | None
    free: list[str]
    moved: bool

    def __getitem__(self, name: str) -> float:
        return self.values[name]


def _numbers(given: dict[str, float | None]) -> dict[str, float]:
    return {name: float("nan") if value is None else float(value) for name, value in given.items()}


def _matrix(rows: list[list[float | None]], shape: tuple[int, int]) -> np.ndarray:
    return np.array([[np.nan if v is None else v for v in row] for row in rows], dtype=float).reshape(shape)


def linearisation_of(text: str) -> Linearisation:
    data = json.loads(text)
    n, m, p = len(data["states"]), len(data["inputs"]), len(data["outputs"])
    modes = [Mode(complex(mode["real"], mode["imag"]), mode["frequency"], mode["damping"],
                  {d["state"]: d["part"] for d in mode["dominant"]}) for mode in data["modes"]]
    return Linearisation(t=data["t"], states=_numbers(data["states"]), inputs=_numbers(data["inputs"]),
                         outputs=_numbers(data["outputs"]), A=_matrix(data["A"], (n, n)), B=_matrix(data["B"], (n, m)),
                         C=_matrix(data["C"], (p, n)), D=_matrix(data["D"], (p, m)), modes=modes,
                         redundant=data["redundant"], notes=data["notes"])


def steady_of(text: str, linearisation: str | None) -> SteadyState:
    data = json.loads(text)
    return SteadyState(t=data["t"], values=_numbers(data["values"]), stability=data.get("stability", ""),
                       linearisation=None if linearisation is None else linearisation_of(linearisation),
                       free=data["free"], moved=data["moved"])
