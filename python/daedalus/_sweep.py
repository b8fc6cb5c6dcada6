"""Many runs of one model, on threads. The lock of the interpreter is free while a run goes on."""

from __future__ import annotations

import itertools
import os
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any, Callable, Iterator, Sequence

from ._errors import Error, SimulationError
from ._progress import Bar, Progress
from ._result import Result
from ._settings import threads_of
from ._system import System


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
    """The runs in the order of the combinations: `results` (None where the input was wrong), `points`, `errors`."""

    def __init__(self, names: list[str], points: list[dict[str, Any]]) -> None:
        self.names = names
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
        return f"<daedalus.Sweep over {', '.join(self.names)}: {len(self)} runs, {failed} failed>"


def sweep(model: System | Callable[..., System], *, threads: int | None = None, progress: Progress = None,
          simulate: dict[str, Any] | None = None, **values: Sequence[Any]) -> Sweep:
    """Runs a model for all combinations of the values, or what a function makes of them.

    `simulate` holds further arguments of simulate(). A run that fails is kept with its error; it stops no other.
    """
    if not values:
        raise TypeError("sweep() needs values to go through: sweep(k=[1, 2, 3])")
    if not isinstance(model, System) and not callable(model):
        raise TypeError(f"sweep() takes a model or a function that makes one, not {type(model).__name__}")
    sign = _StopSign()
    given: dict[str, Any] = {"progress": sign, "threads": 1, **(simulate or {})}
    fixed = dict(given.pop("set", None) or {})
    names = list(values)
    points = [dict(zip(names, combination)) for combination in itertools.product(*values.values())]
    out = Sweep(names, points)

    def run(k: int) -> None:
        try:
            if isinstance(model, System):
                out.results[k] = model.simulate(set={**fixed, **points[k]}, **given)
            else:
                out.results[k] = model(**points[k]).simulate(set=fixed or None, **given)
        except SimulationError as error:
            out.results[k], out.errors[k] = error.result, error
        except Error as error:
            out.errors[k] = error
        except _Stopped:
            pass

    workers = threads_of(threads or 0) or os.cpu_count() or 1
    executor = ThreadPoolExecutor(max_workers=workers)
    try:
        with Bar(progress, "sweep") as bar:
            futures = [executor.submit(run, k) for k in range(len(points))]
            for done, future in enumerate(as_completed(futures), 1):
                future.result()
                bar.to(done / len(points))
    finally:
        sign.stopped = True
        executor.shutdown(wait=True, cancel_futures=True)
    return out
