"""Many runs of one model, on threads. The lock of the interpreter is free while a run goes on."""

from __future__ import annotations

import inspect
import itertools
import numbers
import os
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Sequence

import numpy as np

from ._engine import Engine
from ._errors import Error, SimulationError, wrong
from ._progress import Bar, Progress
from ._result import Array, Result
from ._settings import MOST_POINTS, number, threads_of, whole_number
from ._system import System

if TYPE_CHECKING:
    import xarray

_TICK = 0.05  # seconds between looks at how far the sweep is
_CHUNKS = 4  # parts of the work for each process of an executor: few enough engines, and none waits long at the end
# Arguments of simulate() that an engine is compiled for; the others are those of a run.
_OF_ENGINE = ("formulation", "integrator", "step", "codegen", "threads", "start", "max_step")


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

    def __init__(self, names: list[str], points: list[dict[str, Any]], how: str = "",
                 axes: dict[str, list[Any]] | None = None) -> None:
        self.names = names
        self._axes = axes  # of a sweep over all combinations
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
    def t(self) -> Array:
        """The output times that all runs have in common."""
        whole = [r.t for r in self.results if r is not None and len(r.t)]
        end = max((t[-1] for t in whole), default=0.0)
        common: Array | None = None
        for times in whole:
            if times[-1] == end:  # runs that ended early have no say
                common = np.unique(times) if common is None else np.intersect1d(common, times)
        return np.empty(0) if common is None else common

    def array(self, *names: str) -> Array:
        """Signals of all runs in one array, by default all signals: runs x times x signals, of one name runs x times.

        The times are `t`; of a sweep over all combinations `shape` makes an axis of each parameter. After the end of a run
        that ended early stands NaN.
        """
        wanted = list(names) or self.signals
        times = self.t
        out = np.full((len(self), len(times), len(wanted)), np.nan)
        for k, result in enumerate(self.results):
            if result is None or not len(result.t):
                continue
            count = int(np.searchsorted(times, result.t[-1], side="right"))
            rows = np.searchsorted(result.t, times[:count], side="right") - 1  # after an event, not before it
            for j, name in enumerate(wanted):
                out[k, :count, j] = result[name][rows]
        return out[:, :, 0] if len(names) == 1 else out

    @property
    def signals(self) -> list[str]:
        """The names of what was computed."""
        return next((r.names for r in self.results if r is not None), [])

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each parameter has, of a sweep over all combinations; else the number of runs."""
        return (len(self),) if self._axes is None else tuple(len(values) for values in self._axes.values())

    def to_xarray(self, *names: str) -> xarray.Dataset:
        """Signals, by default all, over the parameters and the time; of samples, over the runs and the time."""
        try:
            import xarray
        except ImportError:
            raise ImportError("to_xarray() needs xarray: pip install xarray") from None
        wanted = list(names) or self.signals
        values = self.array(*wanted).reshape(*self.shape, len(self.t), len(wanted)) if wanted else np.empty((0, 0, 0))
        if self._axes is None:
            dimensions: tuple[str, ...] = ("run",)
            coordinates: dict[str, Any] = {
                _dimension(name, wanted): ("run", [p[name] for p in self.points]) for name in self.names}
            coordinates["run"] = np.arange(len(self))
        else:
            dimensions = tuple(_dimension(name, wanted) for name in self._axes)
            coordinates = dict(zip(dimensions, self._axes.values()))
        units = next((r.units for r in self.results if r is not None), {})
        return xarray.Dataset(
            {name: ((*dimensions, "time"), values[..., j], {"units": units[name]} if name in units else {})
             for j, name in enumerate(wanted)},
            coords={**coordinates, "time": self.t})

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


def _dimension(name: str, signals: list[str]) -> str:
    """A start value has the name of a signal, and a dimension must have one of its own."""
    return f"start of {name}" if name in signals else name


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

    def outcome(self, k: int) -> tuple[Result | None, Error | None]:
        """The run, or why there is none."""
        try:
            return self(k), None
        except SimulationError as error:
            return error.result, error
        except Error as error:
            return None, error

    def outcomes(self, chunk: list[int]) -> list[tuple[Result | None, Error | None]]:
        """Of several runs: what another process does."""
        return [self.outcome(k) for k in chunk]

    def __call__(self, k: int) -> Result:
        if self._engine is not None:
            options = {key: value for key, value in self._given.items() if key not in (*_OF_ENGINE, "t_eval")}
            times = self._given.get("t_eval")
            if times is not None:
                options |= {"dense": True, "points": 2, "until": options.get("until", np.ravel(times)[-1])}
            try:
                result = self._engine.run(set=self._points[k], **options)
                return result if times is None else result._up_to_its_end(times)
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


def _check_names(model: System | Callable[..., System], settings: dict[str, Any], point: dict[str, Any]) -> None:
    if isinstance(model, System):
        model._check_names(settings)
        return
    try:
        signature = inspect.signature(model)
    except ValueError:  # some functions written in C do not say
        return
    signature.bind(**point)  # raises TypeError as a call would


def latin_hypercube(ranges: Mapping[str, tuple[float, float]], count: int, *, seed: int = 0) -> dict[str, Array]:
    """Samples for sweep(): `count` points whose values of each name lie one in each of `count` equal parts of its range.

    McKay, Beckman and Conover, 1979. The same seed gives the same points.
    """
    number_of = whole_number(count, "count", 1, MOST_POINTS)
    random = np.random.default_rng(seed)
    samples: dict[str, Array] = {}
    for name, ends in ranges.items():
        try:
            low, high = ends
        except (TypeError, ValueError):
            raise TypeError(f"the range of '{name}' must be two numbers") from None
        low, high = number(low, f"the lower end of '{name}'"), number(high, f"the upper end of '{name}'")
        if not low < high:
            raise wrong(f"the range of '{name}' must rise, but goes from {low:g} to {high:g}")
        parts = (random.permutation(number_of) + random.random(number_of)) / number_of
        samples[name] = low + (high - low) * parts
    return samples


def _by_executor(runner: _Runner, out: Sweep, executor: Any, progress: Progress) -> Sweep:
    """In chunks, because every process makes an engine of its own for each."""
    workers = getattr(executor, "_max_workers", None) or os.cpu_count() or 1
    size = max(1, -(-len(out) // (_CHUNKS * workers)))
    chunks = [list(range(k, min(k + size, len(out)))) for k in range(0, len(out), size)]
    futures = [executor.submit(runner.outcomes, chunk) for chunk in chunks]
    with Bar(progress, "sweep") as bar:
        for chunk, future in zip(chunks, futures):
            for k, (result, error) in zip(chunk, future.result()):
                out.results[k], out.errors[k] = result, error
            bar.to((chunk[-1] + 1) / len(out))
    return out


def sweep(model: System | Callable[..., System], points: Any = None, /, *, threads: int | None = None,
          progress: Progress = None, simulate: dict[str, Any] | None = None, executor: Any = None,
          **values: Sequence[Any]) -> Sweep:
    """Runs a model for all combinations of the values, or what a function makes of them.

    Instead of values by name, `points` may be a list of dictionaries, or samples: a dictionary of columns, or a
    DataFrame, whose rows are taken one by one. The model is compiled once where all that changes are real parameters and
    start values (then `auto` chooses at the first point, for all of them); `how` says whether it was. `simulate` holds
    further arguments of simulate(). A run that fails is kept with its error; it stops no other. A name that the model
    does not know raises ModelError before anything runs. The runs go on in threads of this process, or where `executor`
    has them: a ProcessPoolExecutor, joblib's loky, a Dask client, anything with submit(). `daedalus.latin_hypercube` makes
    samples.
    """
    if not isinstance(model, System) and not callable(model):
        raise TypeError(f"sweep() takes a model or a function that makes one, not {type(model).__name__}")
    all_points = _points_of(points, values)
    if all_points:
        _check_names(model, {**((simulate or {}).get("set") or {}), **all_points[0]}, all_points[0])
    sign = _StopSign()
    watched: dict[str, Any] = {} if executor is not None else {"progress": sign}
    runner = _Runner(model, all_points, {**watched, "threads": 1, **(simulate or {})})
    axes = {name: list(axis) for name, axis in values.items()} if points is None else None
    out = Sweep(list(values) if points is None else list(all_points[0]), all_points, runner.how, axes)
    if executor is not None:
        return _by_executor(runner, out, executor, progress)
    pending = iter(range(len(all_points)))
    done = itertools.count(1)
    reached = [0]

    def work() -> None:
        for k in pending:
            if sign.stopped:
                return
            try:
                out.results[k], out.errors[k] = runner.outcome(k)
            except _Stopped:
                return
            reached[0] = next(done)

    workers = threads_of(threads or 0) or os.cpu_count() or 1
    pool = ThreadPoolExecutor(max_workers=workers)
    try:
        with Bar(progress, "sweep") as bar:
            left = {pool.submit(work) for _ in range(min(workers, len(all_points)))}
            while left:
                ended, left = wait(left, timeout=_TICK, return_when=FIRST_COMPLETED)
                for future in ended:
                    future.result()
                bar.to(reached[0] / len(all_points))
    finally:
        sign.stopped = True
        pool.shutdown(wait=True, cancel_futures=True)
    return out
