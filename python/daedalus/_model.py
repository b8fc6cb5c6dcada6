"""Models written in Python: equations with Python's operators, and energies."""

from __future__ import annotations

from typing import Any, Iterator, Mapping

import numpy as np

from . import _core
from ._arrays import ExprArray, marked, plain
from ._core import Equation, Expr
from ._errors import wrong
from ._origin import Origin
from ._settings import Settings, number, settings_of
from ._system import System, experiment_of


class When:
    """What happens when a condition becomes true: m.when(x < 0).reinit(v, -0.9 * v)."""

    def __init__(self, recipe: _core.Recipe, clause: int) -> None:
        self._recipe, self._clause = recipe, clause

    def _act(self, kind: str, target: Any, value: Any) -> "When":
        self._recipe.when_action(self._clause, kind, target, value)
        return self

    def set(self, variable: Expr, value: Any) -> "When":
        """Gives a discrete variable a new value."""
        return self._act("set", variable, value)

    def reinit(self, variable: Expr, value: Any) -> "When":
        """Lets a continuous state go on from a new value."""
        return self._act("reinit", variable, value)

    def terminate(self, message: str) -> "When":
        """Ends the run."""
        return self._act("terminate", 0.0, message)

    def else_when(self, condition: Expr) -> "When":
        return self._act("else_when", 0.0, condition)


class Model(System):
    """A model of equations.

        m = dd.Model("Pendulum")
        L, g = m.parameter("L", 1), m.parameter("g", 9.81)
        x, y = m.variable("x", start=1), m.variable("y", start=0, fixed=True)
        F = m.variable("F")
        m.equation(dd.der(dd.der(x)) == -F * x)
        m.equation(dd.der(dd.der(y)) == -F * y - g)
        m.equation(x**2 + y**2 == L**2)
        r = m.simulate(until=10)
    """

    def __init__(self, name: str = "Model") -> None:
        if not isinstance(name, str):
            raise TypeError("the name of a model must be a text")
        self.name = name
        self._recipe = _core.Recipe(name)
        self._parameters: list[str] = []
        self._arrays: dict[str, int] = {}

    def _source(self) -> _core.Source:
        return self._recipe.source()

    def _parameter_names(self) -> list[str]:
        return self._parameters

    def _prepared(self, set: Settings | None) -> tuple[Origin, list[tuple[str, str]]]:
        return self._origin(), settings_of(self._by_element(set))

    def _by_element(self, set: Settings | None) -> Settings | None:
        """Of start values of whole arrays one for each element."""
        if not isinstance(set, Mapping) or not any(name in self._arrays for name in set):
            return set
        out: dict[str, Any] = {}
        for name, value in set.items():
            count = self._arrays.get(name)
            if count is None:
                out[name] = value
                continue
            values = [value] * count if np.ndim(value) == 0 else numbers(value, f'set["{name}"]', count)
            out |= {f"{name}[{k + 1}]": v for k, v in enumerate(values)}
        return out

    def variable(self, name: str, *, start: float | None = None, fixed: bool = False, kind: str = "continuous",
                 min: float | None = None, max: float | None = None, nominal: float | None = None,
                 state_select: str | None = None, unit: str = "", description: str = "") -> Expr:
        """An unknown. `kind`: continuous, discrete, integer, boolean, input, or parameter (found at the start)."""
        return self._recipe.variable(name, {
            "kind": kind, "start": start, "fixed": bool(fixed), "min": min, "max": max, "nominal": nominal,
            "state_select": state_select, "unit": unit, "description": description})

    def variables(self, name: str, count: int, *, start: Any = None, **attributes: Any) -> ExprArray:
        """An array of unknowns name[1] … name[count]; `start` is a number or one for each."""
        starts = [None] * count if start is None else np.broadcast_to(np.asarray(start, dtype=float), (count,))
        out = np.empty(count, dtype=object)
        for k in range(count):
            out[k] = self.variable(f"{name}[{k + 1}]", start=starts[k], **attributes)
        self._arrays[name] = count
        made: ExprArray = marked(out)
        return made

    def parameter(self, name: str, value: float, *, unit: str = "", description: str = "") -> Expr:
        """A known value, which simulate(set={name: …}) and sweep(name=…) change."""
        made = self._recipe.parameter(name, value, {"unit": unit, "description": description})
        self._parameters.append(name)
        return made

    def input(self, name: str, *, start: float = 0.0, unit: str = "", description: str = "") -> Expr:
        """A value from outside, which a simulation is told between steps: sim[name] = 0.3."""
        return self.variable(name, start=start, kind="input", unit=unit, description=description)

    @property
    def time(self) -> Expr:
        return self._recipe.time()

    @property
    def initial(self) -> Expr:
        """True during initialisation."""
        return self._recipe.initial()

    def sample(self, start: float, interval: float) -> Expr:
        """True at start, start + interval, …"""
        return self._recipe.sample(start, interval)

    def equation(self, left: Any, right: Any = None, *, label: str = "") -> None:
        """left == right, or equation(left, right); of arrays, one for each element. The label names it in messages."""
        for a, b, name in _pairs(left, right, label):
            self._recipe.equation(a, b, name)

    def initial_equation(self, left: Any, right: Any = None, *, label: str = "") -> None:
        """An equation that holds at the start; of arrays, one for each element."""
        for a, b, name in _pairs(left, right, label):
            self._recipe.initial_equation(a, b, name)

    def assign(self, variable: Expr, value: Any) -> None:
        """The value of a discrete variable at all times."""
        self._recipe.assign(variable, value)

    def when(self, condition: Expr) -> When:
        return When(self._recipe, self._recipe.when(condition))

    def assertion(self, condition: Expr, message: str) -> None:
        """Ends the run with the message where the condition does not hold."""
        self._recipe.assertion(condition, message)

    def experiment(self, *, start: float = 0.0, stop: float | None = None, tolerance: float | None = None,
                   interval: float | None = None) -> None:
        """What simulate() takes when it is not told."""
        self._recipe.experiment(*experiment_of(start, stop, tolerance, interval))

    def __repr__(self) -> str:
        return f"<daedalus.{type(self).__name__} {self.name!r}>"


def _pairs(left: Any, right: Any, label: str) -> Iterator[tuple[Any, Any, str]]:
    """Both sides of every equation, and its name."""
    if not any(isinstance(side, (np.ndarray, list, tuple)) for side in (left, right)):
        yield (*_sides(left, right), label)
        return
    sides = [plain(np.asarray(plain(side), dtype=object)) for side in (left, right)]
    try:
        each = np.broadcast(*sides)
    except ValueError:
        raise wrong(f"the sides of an equation have shapes {sides[0].shape} and {sides[1].shape}") from None
    for k, (a, b) in enumerate(each):
        yield (*_sides(a, b), f"{label}[{k + 1}]" if label else "")


def _sides(left: Any, right: Any) -> tuple[Any, Any]:
    if right is not None:
        return left, right
    if isinstance(left, Equation):
        return left.left, left.right
    if isinstance(left, (bool, np.bool_)):
        raise wrong("the equation has no unknowns: it is a comparison of numbers")
    return left, 0.0  # a residual


class Lagrangian(Model):
    """Energies in, equations of motion out (Euler and Lagrange), by the library's own differentiation.

        m = dd.Lagrangian("Pendulum")
        x, y = m.coordinate("x", start=1), m.coordinate("y", start=0)
        m.kinetic = (dd.der(x)**2 + dd.der(y)**2) / 2
        m.potential = 9.81 * y
        m.constraint(x**2 + y**2 - 1, name="rod")
    """

    def __init__(self, name: str = "Lagrangian") -> None:
        super().__init__(name)
        self.kinetic: Any = 0.0
        self.potential: Any = 0.0
        self._coordinates: list[Expr] = []
        self._forces: dict[int, Any] = {}
        self._constraints: list[tuple[Any, str, bool]] = []

    def coordinate(self, name: str, *, start: float | None = None, fixed: bool = False, rate: float | None = None,
                   rate_fixed: bool = False, **attributes: Any) -> Expr:
        """A generalised coordinate; `rate` is the start value of its velocity, a variable der_NAME then."""
        q = self.variable(name, start=start, fixed=fixed, **attributes)
        self._coordinates.append(q)
        if rate is not None or rate_fixed:
            v = self.variable(f"der_{name}", start=rate, fixed=rate_fixed)
            self.equation(_core.der(q), v)
        return q

    def force(self, coordinate: Expr, value: Any) -> None:
        """A generalised force on a coordinate."""
        for k, q in enumerate(self._coordinates):
            if q is coordinate or hash(q) == hash(coordinate):
                self._forces[k] = self._forces.get(k, 0.0) + value
                return
        raise wrong(f"{coordinate!r} is no coordinate of this model")

    def constraint(self, residual: Any, *, name: str | None = None, of_velocity: bool = False) -> None:
        """residual = 0, of positions, or linear in the velocities (then it acts by d'Alembert)."""
        if isinstance(residual, Equation):
            residual = residual.left - residual.right
        self._constraints.append((residual, name or f"constraint {len(self._constraints) + 1}", bool(of_velocity)))

    def _source(self) -> _core.Source:
        energies = {
            "kinetic": self.kinetic, "potential": self.potential, "constraints": self._constraints,
            "forces": [self._forces.get(k, 0.0) for k in range(len(self._coordinates))] if self._forces else [],
        }
        return self._recipe.lagrangian_source(self._coordinates, energies)


def numbers(values: Any, name: str, count: int) -> list[float]:
    """So many finite numbers."""
    array = np.asarray(values, dtype=object).ravel()
    if len(array) != count:
        raise wrong(f"{name} must be {count} numbers, not {len(array)}")
    return [number(v, name) for v in array]
