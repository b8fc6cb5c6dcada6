"""Many runs of one model, on threads. The lock of the interpreter is free while a run goes on."""

from __future__ import annotations

import itertools
import numbers
import os
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import Any, Callable, Iterator, Mapping, Sequence

import numpy as np

from ._engine import Engine
from ._errors import Error, SimulationError, wrong
from ._progress import Bar, Progress
from ._result import Result
from ._settings import threads_of
from ._system import System


_TICK = 0.05  # seconds between looks at how far the sweep is
# Arguments of simulate() that an engine is compiled for; the others are those of a run.
_OF_ENGINE = ("formulation", "integrator", "step", "codegen", "threads")


class _Stopped(Exception):
    """The sweep was interrupted: the run ends at its next step."""


class _StopSign:
    """Looks like a progress bar to the runs, and ends them when the sweep is over."""

    def __init__(self) -> None:
        self.stopped = False

    def __call__(self, **_: Any) -> "_StopSign":
        return self

    def update(self, _part: float) -> None:
        if self.stopped:
            raise _Stopped

    def close(self) -> None:
        pass


class Sweep:
    """The runs in the order of the points: `results` (None where the input was wrong), `points`, `errors`.

    `how` says whether they shared one compiled engine, and if not, why.
    """

    def __init__(self, names: list[str], points: list[dict[str, Any]], how: str = "") -> None:
        self.names = names
        self.how = how
        self.points = points
        self.results: list[Result | None] = [None] * len(points)
        self.errors: list[Error | None] = [None] * len(points)

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[Result | None]:
        return iter(self.results)

    def __getitem__(self, k: int) -> Result | None:
        return self.results[k]

    @property
    def ok(self) -> bool:
        """Whether every run came to its end."""
        return not any(self.errors)

    def final(self, name: str) -> list[float]:
        """The last value of a signal in each run; NaN where there is none."""
        return [float(r[name][-1]) if r is not None and len(r.t) else float("nan") for r in self.results]

    @property
    def table(self) -> Any:
        """A row a run: the values, whether it went well, and the final values. A DataFrame if there is pandas."""
        rows = []
        for point, result, error in zip(self.points, self.results, self.errors):
            row = {**point, "ok": error is None}
            if result is not None and len(result.t):
                row |= {name: float(result[name][-1]) for name in result.names if name not in row}
            rows.append(row)
        try:
            import pandas
        except ImportError:
            return rows
        return pandas.DataFrame(rows)

    def __repr__(self) -> str:
        failed = sum(error is not None for error in self.errors)
        return f"<daedalus.Sweep over {', '.join(self.names)}: {len(self)} runs, {failed} failed; {self.how}>"


class _Runner:
    """Runs one point: by an engine that all points share where that can be, else by itself."""

    def __init__(self, model: System | Callable[..., System], points: list[dict[str, Any]], given: dict[str, Any]) -> None:
        self._model, self._points = model, points
        self._fixed = dict(given.pop("set", None) or {})
        self._given = given
        self._engine: Engine | None = None
        self.how = self._compile() if isinstance(model, System) else "each run by itself: a function makes its model"

    def _compile(self) -> str:
        """One engine for all points, or why there is none."""
        assert isinstance(self._model, System)
        names = list(self._points[0]) if self._points else []
        for point in self._points:
            for name, value in point.items():
                if not isinstance(value, numbers.Real) or isinstance(value, (bool, np.bool_)):
                    return f"each run by itself: {name} = {value!r} is no real number"
        parameters = frozenset(self._model._parameter_names())
        options = {key: self._given[key] for key in _OF_ENGINE if key in self._given}
        try:
            engine = self._model.compile(free=[n for n in names if n in parameters], until=self._given.get("until"),
                                         set={**self._fixed, **(self._points[0] if self._points else {})}, **options)
        except Error as error:
            return f"each run by itself: {error.diagnostics[0].message}"
        for name in names:
            if name not in engine._variables:
                return f"each run by itself: '{name}' cannot be set in a compiled model"
        self._engine = engine
        return "one compiled engine"

    def __call__(self, k: int) -> Result:
        if self._engine is not None:
            options = {key: value for key, value in self._given.items() if key not in _OF_ENGINE}
            try:
                return self._engine.run(set=self._points[k], **options)
            except Error:
                pass  # what is wrong, and whether it is, the model with these very numbers says
        if isinstance(self._model, System):
            return self._model.simulate(set={**self._fixed, **self._points[k]}, **self._given)
        return self._model(**self._points[k]).simulate(set=self._fixed or None, **self._given)


def _points_of(given: Any, values: dict[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """All combinations of the values; or a list of dictionaries; or columns of samples, taken row by row."""
    if given is None:
        if not values:
            raise TypeError("sweep() needs values to go through: sweep(k=[1, 2, 3])")
        return [dict(zip(values, combination)) for combination in itertools.product(*values.values())]
    if values:
        raise TypeError("sweep() takes points or values by name, not both")
    if hasattr(given, "to_dict") and hasattr(given, "columns"):  # a pandas.DataFrame
        return [dict(row) for row in given.to_dict("records")]
    if isinstance(given, Mapping):
        columns = {name: list(column) for name, column in given.items()}
        if len({len(column) for column in columns.values()}) != 1:
            raise wrong("the columns of samples must be equally long: " +
                        ", ".join(f"{name} has {len(column)}" for name, column in columns.items()))
        return [dict(zip(columns, row)) for row in zip(*columns.values())]
    points = list(given)
    for point in points:
        if not isinstance(point, Mapping):
            raise TypeError(f"the points of a sweep are dictionaries {{name: value}}, not {type(point).__name__}")
        if set(point) != set(points[0]):
            raise wrong("all points of a sweep must name the same parameters; one has "
                        f"{', '.join(map(str, point))}, the first {', '.join(map(str, points[0]))}")
    if not points:
        raise wrong("sweep() was given no points")
    return [dict(point) for point in points]


def sweep(model: System | Callable[..., System], points: Any = None, /, *, threads: int | None = None,
          progress: Progress = None, simulate: dict[str, Any] | None = None, **values: Sequence[Any]) -> Sweep:
    """Runs a model for all combinations of the values, or what a function makes of them.

    Instead of values by name, `points` may be a list of dictionaries, or samples: a dictionary of columns, or a
    DataFrame, whose rows are taken one by one. The model is compiled once where all that changes are real parameters and
    start values (then `auto` chooses at the first point, for all of them); `how` says whether it was. `simulate` holds
    further arguments of simulate(). A run that fails is kept with its error; it stops no other.
    """
    if not isinstance(model, System) and not callable(model):
        raise TypeError(f"sweep() takes a model or a function that makes one, not {type(model).__name__}")
    all_points = _points_of(points, values)
    sign = _StopSign()
    runner = _Runner(model, all_points, {"progress": sign, "threads": 1, **(simulate or {})})
    out = Sweep(list(values) if points is None else list(all_points[0]), all_points, runner.how)
    pending = iter(range(len(all_points)))
    done = itertools.count(1)
    reached = [0]

    def work() -> None:
        for k in pending:
            if sign.stopped:
                return
            try:
                out.results[k] = runner(k)
            except SimulationError as error:
                out.results[k], out.errors[k] = error.result, error
            except Error as error:
                out.errors[k] = error
            except _Stopped:
                return
            reached[0] = next(done)

    workers = threads_of(threads or 0) or os.cpu_count() or 1
    executor = ThreadPoolExecutor(max_workers=workers)
    try:
        with Bar(progress, "sweep") as bar:
            left = {executor.submit(work) for _ in range(min(workers, len(all_points)))}
            while left:
                ended, left = wait(left, timeout=_TICK, return_when=FIRST_COMPLETED)
                for future in ended:
                    future.result()
                bar.to(reached[0] / len(all_points))
    finally:
        sign.stopped = True
        executor.shutdown(wait=True, cancel_futures=True)
    return out
