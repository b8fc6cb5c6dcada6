"""Many trajectories of one engine at once: side by side on the processor's vector units or a GPU, else one by one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from . import _core
from ._errors import wrong
from ._progress import Bar, Progress
from ._settings import number, optional_number, threads_of, whole_number

if TYPE_CHECKING:
    from ._engine import Engine

Array = npt.NDArray[np.float64]
OK, FAILED, NOT_DONE = 0, 1, 2
# Reductions add up blocks of so many runs in order, so that what they give does not depend on the chunks.
BLOCK = 4096
# Numbers of one chunk, unless somebody says otherwise: half a gigabyte.
_CHUNK_NUMBERS = 1 << 26
MOST_RUNS = 1 << 40


class EnsembleResult:
    """What became of every trajectory, in the order of the input.

    `values` are runs x times x outputs, NaN where a trajectory has none; `result["x"]` is one output, without the axis of
    times where there is only one. `status` is 0 where a trajectory came to its end, 1 where it failed (`failures` says
    why), 2 where it was not done. `drift` is the largest residual of the constraints at the output times; `steps`,
    `rejected` and `evaluations` are its own counters; `scalar` marks those that the engine itself had to do.
    """

    def __init__(self, outputs: list[str], times: Array, backend: str, why: str) -> None:
        self.outputs, self.times, self.backend, self.why = outputs, times, backend, why
        self.interrupted = False
        self.failures: dict[int, str] = {}
        self.values: Array = np.empty((0, len(times), len(outputs)))
        self.status: npt.NDArray[np.uint8] = np.empty(0, np.uint8)
        self.scalar: npt.NDArray[np.uint8] = np.empty(0, np.uint8)
        self.t_end: Array = np.empty(0)
        self.drift: Array = np.empty(0)
        self.steps: npt.NDArray[np.int32] = np.empty(0, np.int32)
        self.rejected: npt.NDArray[np.int32] = np.empty(0, np.int32)
        self.evaluations: npt.NDArray[np.int32] = np.empty(0, np.int32)

    def __len__(self) -> int:
        return len(self.status)

    @property
    def ok(self) -> npt.NDArray[np.bool_]:
        """By run: whether it came to its end."""
        return np.asarray(self.status == OK, np.bool_)

    def __getitem__(self, name: str) -> Array:
        column = self.values[:, :, self._column(name)]
        return column[:, 0] if len(self.times) == 1 else column

    def _column(self, name: str) -> int:
        if name not in self.outputs:
            raise wrong(_core.unknown_name("output", name, self.outputs))
        return self.outputs.index(name)

    def mean(self) -> Array:
        """Times x outputs, over the trajectories that came to their end."""
        return np.asarray(np.mean(self.values[self.ok], axis=0))

    def std(self) -> Array:
        return np.asarray(np.std(self.values[self.ok], axis=0))

    def min(self) -> Array:
        return np.asarray(np.min(self.values[self.ok], axis=0))

    def max(self) -> Array:
        return np.asarray(np.max(self.values[self.ok], axis=0))

    def quantiles(self, q: float | Sequence[float]) -> Array:
        """Quantiles x times x outputs."""
        return np.asarray(np.quantile(self.values[self.ok], q, axis=0))

    def histogram(self, name: str, bins: int = 50, range: tuple[float, float] | None = None,
                  time: int = -1) -> tuple[npt.NDArray[np.int64], Array]:
        """Counts, and where the bins begin and end."""
        counts, edges = np.histogram(self.values[self.ok, time, self._column(name)], bins, range)
        return counts.astype(np.int64), np.asarray(edges)

    def _take(self, first: int, part: dict[str, Any], keep: bool) -> None:
        count = len(part["status"])
        for name in ("status", "scalar", "t_end", "drift", "steps", "rejected", "evaluations"):
            getattr(self, name)[first:first + count] = part[name]
        if keep:
            self.values[first:first + count] = part["values"]
        self.failures.update({first + k: reason for k, reason in part["failures"].items()})

    def _reserve(self, runs: int, keep: bool) -> None:
        self.values = np.full((runs if keep else 0, len(self.times), len(self.outputs)), np.nan)
        self.status = np.full(runs, NOT_DONE, np.uint8)
        for name, kind in (("scalar", np.uint8), ("t_end", np.float64), ("drift", np.float64), ("steps", np.int32),
                           ("rejected", np.int32), ("evaluations", np.int32)):
            setattr(self, name, np.zeros(runs, kind))

    def __repr__(self) -> str:
        counts = [int(np.sum(self.status == s)) for s in (OK, FAILED, NOT_DONE)]
        rest = "".join(f", {n} {what}" for n, what in zip(counts[1:], ("failed", "not done")) if n)
        return f"<daedalus.EnsembleResult: {counts[0]} of {len(self)} runs{rest}, by {self.backend}>"


class EnsembleReduction(EnsembleResult):
    """An EnsembleResult without `values`: mean, standard deviation, extremes and histograms were added up chunk by chunk."""

    def __init__(self, outputs: list[str], times: Array, backend: str, why: str,
                 histograms: Mapping[str, tuple[int, float, float]]) -> None:
        super().__init__(outputs, times, backend, why)
        shape = (len(times), len(outputs))
        self._count = 0
        self._mean, self._square = np.zeros(shape), np.zeros(shape)
        self._min, self._max = np.full(shape, np.inf), np.full(shape, -np.inf)
        self._histograms: dict[str, tuple[npt.NDArray[np.int64], Array]] = {}
        for name, given in histograms.items():
            bins, low, high = given
            edges = np.linspace(number(low, "the lower end"), number(high, "the upper end"),
                                whole_number(bins, "bins", 1, 10_000_000) + 1)
            self._column(name)
            self._histograms[name] = np.zeros((len(times), len(edges) - 1), np.int64), edges

    def _add(self, values: Array, ok: npt.NDArray[np.bool_]) -> None:
        for begin in range(0, len(values), BLOCK):
            self._add_block(values[begin:begin + BLOCK][ok[begin:begin + BLOCK]])

    # Chan, Golub, LeVeque: means and sums of squares of two parts put together.
    def _add_block(self, values: Array) -> None:
        count = len(values)
        if count == 0:
            return
        mean = values.mean(axis=0)
        square = ((values - mean) ** 2).sum(axis=0)
        total = self._count + count
        off = mean - self._mean
        self._square += square + off**2 * (self._count * count / total)
        self._mean += off * (count / total)
        self._count = total
        self._min, self._max = np.minimum(self._min, values.min(axis=0)), np.maximum(self._max, values.max(axis=0))
        for name, (counts, edges) in self._histograms.items():
            for t in range(len(self.times)):
                counts[t] += np.histogram(values[:, t, self._column(name)], edges)[0]

    def __getitem__(self, name: str) -> Array:
        raise wrong("values were reduced; without reduce= they are kept")

    def _reduced(self, values: Array) -> Array:
        return values if self._count else np.full_like(values, np.nan)

    def mean(self) -> Array:
        return self._reduced(self._mean)

    def std(self) -> Array:
        return np.asarray(np.sqrt(self._reduced(self._square) / max(self._count, 1)))

    def min(self) -> Array:
        return self._reduced(self._min)

    def max(self) -> Array:
        return self._reduced(self._max)

    def quantiles(self, q: float | Sequence[float]) -> Array:
        """From the histograms, by linear interpolation within a bin: of every output there must be one."""
        wanted = np.atleast_1d(np.asarray(q, float))
        out = np.empty((len(wanted), len(self.times), len(self.outputs)))
        for c, name in enumerate(self.outputs):
            for t in range(len(self.times)):
                counts, edges = self.histogram(name, time=t)
                below = np.concatenate([[0], np.cumsum(counts)])
                out[:, t, c] = np.interp(wanted * below[-1], below, edges)
        return out if np.ndim(q) else out[0]

    def histogram(self, name: str, bins: int = 50, range: tuple[float, float] | None = None,
                  time: int = -1) -> tuple[npt.NDArray[np.int64], Array]:
        self._column(name)
        if name not in self._histograms:
            raise wrong(f"there is no histogram of '{name}': ask for it by reduce={{'{name}': (bins, low, high)}}")
        counts, edges = self._histograms[name]
        return counts[time], edges


def columns_of(values: Any) -> tuple[list[str], Array]:
    """Names, and one row of numbers for each: arrays of one length, or numbers that all runs have in common."""
    if hasattr(values, "to_dict") and hasattr(values, "columns"):
        values = {str(name): np.asarray(values[name]) for name in values.columns}
    if not isinstance(values, Mapping):
        raise TypeError("ensemble() takes a dictionary {name: array of numbers}, or a DataFrame")
    arrays: dict[str, Array] = {}
    for name, given in values.items():
        if not isinstance(name, str):
            raise TypeError("the names of an ensemble must be texts")
        try:
            column = np.asarray(given, float)
        except (TypeError, ValueError):
            raise TypeError(f"the values of '{name}' must be numbers") from None
        if column.ndim > 1:
            raise wrong(f"the values of '{name}' must be one number a run, not an array of {column.ndim} axes")
        arrays[name] = column
    lengths = {len(column) for column in arrays.values() if column.ndim}
    if len(lengths) > 1:
        raise wrong("the columns of an ensemble must be of one length, not " + ", ".join(map(str, sorted(lengths))))
    runs = lengths.pop() if lengths else 1
    rows = [np.broadcast_to(column, (runs,)) for column in arrays.values()]
    return list(arrays), np.ascontiguousarray(rows, float).reshape(len(rows), runs)


def _chunk_size(chunk: int | None, width: int) -> int:
    if chunk is not None:
        size = whole_number(chunk, "chunk", 1, MOST_RUNS)
        return max(BLOCK, size // BLOCK * BLOCK)
    return max(BLOCK, _CHUNK_NUMBERS // max(width, 1) // BLOCK * BLOCK)


class _Work:
    """What a worker does: an engine of its own, made from the recipe that came with the pickle."""

    def __init__(self, engine: "Engine", names: list[str], outputs: list[str], times: list[float],
                 options: dict[str, Any]) -> None:
        self.engine, self.names, self.outputs, self.times, self.options = engine, names, outputs, times, options

    def ensemble(self) -> _core.Ensemble:
        return _core.ensemble(self.engine._core, self.outputs, self.times, self.options)

    def __call__(self, columns: Array) -> dict[str, Any]:
        return self.ensemble().run(self.names, columns, None)[0]


def ensemble_of(engine: "Engine", values: Any, *, until: float | None, outputs: Iterable[str] | None,
                at: Iterable[float] | None, backend: str, rtol: float | None, atol: float | None, threads: int,
                chunk: int | None, reduce: Any, progress: Progress, executor: Any) -> EnsembleResult:
    """What Engine.ensemble() makes of its arguments."""
    names, columns = columns_of(values)
    if isinstance(outputs, str):
        raise TypeError("outputs must be a list of names, not one name")
    times = [] if at is None else [number(t, "a time of at") for t in at]
    options = {"until": optional_number(until, "until"), "rtol": optional_number(rtol, "rtol"),
               "atol": optional_number(atol, "atol"), "backend": str(backend), "threads": threads_of(threads)}
    work = _Work(engine, names, [] if outputs is None else [str(name) for name in outputs], times, options)
    core = work.ensemble()
    about = (core.outputs(), np.asarray(core.times()), core.backend(), core.why())
    histograms = reduce if isinstance(reduce, Mapping) else {}
    reducing = bool(reduce) or isinstance(reduce, Mapping)
    result: EnsembleResult = EnsembleReduction(*about, histograms) if reducing else EnsembleResult(*about)
    runs = columns.shape[1]
    result._reserve(runs, not reducing)
    size = _chunk_size(chunk, len(result.outputs) * len(result.times) + 8)
    starts = range(0, runs, size)

    def take(first: int, part: dict[str, Any]) -> None:
        result._take(first, part, not reducing)
        if isinstance(result, EnsembleReduction):
            result._add(part["values"], part["status"] == OK)

    with Bar(progress, engine.name) as bar:
        if executor is not None:
            workers = getattr(executor, "_max_workers", None) or 4
            size = min(size, max(BLOCK, math.ceil(runs / workers / BLOCK) * BLOCK))
            starts = range(0, runs, size)
            futures = [executor.submit(work, columns[:, k:k + size]) for k in starts]
            for first, future in zip(starts, futures):
                take(first, future.result())
                bar.to(min(first + size, runs) / runs)
            return result
        for first in starts:
            def news(done: float, _start: float, _total: float, *_: Any) -> None:
                bar.to((first + done) / runs)

            part, stopped = core.run(names, np.ascontiguousarray(columns[:, first:first + size]), news if bar else None)
            take(first, part)
            if stopped:
                result.interrupted = True
                break
    return result
