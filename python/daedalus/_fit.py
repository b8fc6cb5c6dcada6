"""Parameters and initial values from measurements, by SciPy's least squares with exact Jacobians."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ._engine import Engine
from ._errors import SimulationError, wrong
from ._result import Result
from ._settings import Settings, number
from ._system import System

Array = npt.NDArray[np.float64]
_TIME = ("time", "t")
# Relative to the tolerances of the optimiser: what a run must be better by for its Jacobian to serve.
_RTOL = 1e-8


class Fit:
    """What was found. `fit.parameters["L"]`, with a standard error each in `fit.errors`; `fit.result` is the run with them."""

    def __init__(self, names: list[str], optimum: Any, result: Result, count: int) -> None:
        self.optimum = optimum
        self.result = result
        self.parameters: dict[str, float] = dict(zip(names, (float(v) for v in optimum.x)))
        self.residuals: Array = optimum.fun
        self.covariance: Array = _covariance(optimum, count - len(names))
        self.errors: dict[str, float] = dict(zip(names, np.sqrt(np.diag(self.covariance)).tolist()))
        self.success: bool = bool(optimum.success)
        self.message: str = str(optimum.message)
        self.runs: int = int(optimum.nfev)

    def __repr__(self) -> str:
        lines = [f"{name} = {value:.8g} ± {self.errors[name]:.2g}" for name, value in self.parameters.items()]
        spread = float(np.sqrt(np.mean(self.residuals**2)))
        return "\n".join([*lines, f"residuals {spread:.3g} (root mean square), {self.runs} runs; {self.message}"])


def _covariance(optimum: Any, freedoms: int) -> Array:
    """Of the estimates, from the Jacobian at the optimum, for errors of one unknown size that are independent."""
    _, sigma, vt = np.linalg.svd(optimum.jac, full_matrices=False)
    seen = sigma > np.finfo(float).eps * max(optimum.jac.shape) * sigma[0] if len(sigma) else np.zeros(0, dtype=bool)
    if freedoms <= 0 or not np.all(seen):
        return np.full((len(optimum.x), len(optimum.x)), np.inf)
    spread: Array = (vt.T / sigma**2) @ vt * (2 * optimum.cost / freedoms)
    return spread


def _columns(data: Any) -> tuple[Array, dict[str, Array]]:
    """Times, and measurements by name, of a dictionary or a DataFrame."""
    if not hasattr(data, "keys"):
        raise TypeError("data must be a dictionary or a DataFrame with the columns time and one for each measured variable")
    columns = {str(name): np.asarray(data[name], dtype=float).ravel() for name in data.keys()}
    time = next((name for name in _TIME if name in columns), None)
    if time is None:
        raise wrong("data has no column 'time'")
    times = columns.pop(time)
    if not columns:
        raise wrong("data has no measured variable beside the time")
    for name, values in columns.items():
        if len(values) != len(times):
            raise wrong(f"'{name}' has {len(values)} values for {len(times)} times")
    if not np.all(np.isfinite(times)):
        raise wrong("the times of data must be finite")
    return times, columns


def _starts(model: System, parameters: Any, engine: Engine) -> tuple[list[float], list[float], list[float]]:
    """Where the search begins, and its bounds."""
    first, low, high = [], [], []
    given = parameters if isinstance(parameters, Mapping) else {name: None for name in parameters}
    known: dict[str, float] = {}
    for name, value in given.items():
        bounds = (-np.inf, np.inf)
        if isinstance(value, (tuple, list)):
            if len(value) != 3:
                raise wrong(f"parameters['{name}'] must be a number or (number, lowest, highest)")
            value, *limits = value
            bounds = (float(limits[0]), float(limits[1]))
        if value is None:
            if not known:
                run = engine.run(until=None, points=2, on_failure="return")
                known = {**{n: float(run[n][0]) for n in run.names}, **run.parameters}
            value = known[name]
        first.append(number(value, f"parameters['{name}']"))
        low.append(bounds[0])
        high.append(bounds[1])
    return first, low, high


class _Problem:
    """Residuals and their Jacobian, of one run for both."""

    def __init__(self, engine: Engine, names: list[str], times: Array, columns: dict[str, Array],
                 weights: dict[str, Array]) -> None:
        self._engine, self._names, self._times, self._columns, self._weights = engine, names, times, columns, weights
        self._use = {name: np.isfinite(values) for name, values in columns.items()}
        self._at: Array | None = None
        self._found: tuple[Array, Array] | None = None

    @property
    def count(self) -> int:
        return sum(int(np.sum(use)) for use in self._use.values())

    def run(self, values: Array) -> Result:
        return self._engine.run(set=dict(zip(self._names, values.tolist())), dense=True)

    def _look(self, values: Array) -> tuple[Array, Array]:
        if self._found is not None and self._at is not None and np.array_equal(values, self._at):
            return self._found
        self._at = values.copy()
        try:
            result = self.run(values)
        except SimulationError:
            self._found = np.full(self.count, np.inf), np.zeros((self.count, len(self._names)))
            return self._found
        table = result(self._times)
        residuals, slopes = [], []
        for name, measured in self._columns.items():
            use, weight = self._use[name], self._weights[name]
            residuals.append(((table[name] - measured) * weight)[use])
            slopes.append(np.column_stack([(table[f"d({name})/d({p})"] * weight)[use] for p in self._names]))
        self._found = np.concatenate(residuals), np.vstack(slopes)
        return self._found

    def residuals(self, values: Array) -> Array:
        return self._look(values)[0]

    def jacobian(self, values: Array) -> Array:
        return self._look(values)[1]


def fit(model: System, data: Any, parameters: Mapping[str, Any] | Sequence[str], *, sigma: Any = None,
        set: Settings | None = None, rtol: float | None = None, simulate: dict[str, Any] | None = None,
        **least_squares: Any) -> Fit:
    """The values of parameters, and of start values, with which the model comes closest to measurements.

        f = dd.fit(model, {"time": t, "x": x}, {"L": 1.2, "m": (2.0, 0.1, 10.0)})
        f.parameters["L"], f.errors["L"]

    `data` is a dictionary or a DataFrame with the column time and one for each measured variable; NaN is where nothing was
    measured. `parameters` are names, or {name: first guess} or {name: (first guess, lowest, highest)}; without a guess
    the model's value is the first. `sigma` is the size of the measurements' errors, or {name: size}: what is measured
    well counts for more. `set` gives values to other parameters, and `simulate` holds further arguments of compile(). The
    rest goes to scipy.optimize.least_squares: loss="soft_l1" for outliers, xtol, max_nfev, …
    """
    from scipy.optimize import least_squares as solve

    names = list(parameters)
    if not names:
        raise wrong("fit() needs parameters")
    times, columns = _columns(data)
    until = float(np.max(times))
    engine = model.compile(sensitivities=names, set=set, until=until, rtol=_RTOL if rtol is None else rtol, points=2,
                           **(simulate or {}))
    sizes = sigma if isinstance(sigma, Mapping) else {name: 1.0 if sigma is None else sigma for name in columns}
    weights = {name: 1 / np.broadcast_to(np.asarray(sizes.get(name, 1.0), dtype=float), times.shape) for name in columns}
    first, low, high = _starts(model, parameters, engine)
    problem = _Problem(engine, names, times, columns, weights)
    _check_measured(problem.run(np.asarray(first)), columns)
    options = {"x_scale": "jac", "bounds": (low, high), **least_squares}
    optimum = solve(problem.residuals, first, jac=problem.jacobian, **options)
    return Fit(names, optimum, problem.run(optimum.x), problem.count)


def _check_measured(result: Result, columns: dict[str, Array]) -> None:
    for name in columns:
        result[name]  # an unknown one raises, with the known ones
