"""Zeros of functions along a run, step by step, as SciPy's solve_ivp finds them: on the dense output."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np

from . import _core
from ._errors import wrong

_PROBES = 4  # within a step: two zeros in one step are seen if one of these lies between them
_BISECTIONS = 80


class EventSearch:
    """Gathers the times of all events; `terminal` is the time of the run at which one of them ended it.

    `direction` is -1 where the run's time is minus the caller's. Events are told the caller's time.
    """

    def __init__(self, events: Any, n: int, args: Sequence[Any] = (), direction: int = 1) -> None:
        given: Sequence[Any] = () if events is None else events if isinstance(events, (list, tuple)) else (events,)
        for event in given:
            if not callable(event):
                raise TypeError("events must be functions event(t, y)")
        self._events: list[Callable[..., Any]] = list(given)
        self._n, self._args, self._sign = n, tuple(args), direction
        self._found: list[list[tuple[float, np.ndarray]]] = [[] for _ in given]
        self._last: list[float | None] = [None] * len(given)
        self._columns: list[int] | None = None
        self.terminal: float | None = None

    def __bool__(self) -> bool:
        return bool(self._events)

    @property
    def times(self) -> list[np.ndarray] | None:
        return [np.array([t for t, _ in found]) for found in self._found] if self._events else None

    @property
    def values(self) -> list[np.ndarray] | None:
        return [np.array([y for _, y in found]) for found in self._found] if self._events else None

    def _at(self, run: _core.Run, segment: int, t: float) -> np.ndarray:
        if self._columns is None:
            where = {name: k for k, name in enumerate(run.dense_names())}
            self._columns = [where[f"y[{k}]"] for k in range(self._n)]
        values = run.dense_in(segment, t)
        return np.array([values[k] for k in self._columns])

    def _value(self, event: Callable[..., Any], run: _core.Run, segment: int, t: float) -> float:
        value = np.asarray(event(self._sign * t, self._at(run, segment, t), *self._args), dtype=float)
        if value.size != 1:
            raise wrong("an event must give one number")
        return float(value.reshape(()))

    def look(self, run: _core.Run) -> bool:
        """Looks through the last step. False: a terminal event ends the run."""
        segment = run.segments() - 1
        begin, end = run.segment(segment)
        zeros = []
        for k, event in enumerate(self._events):
            low, before = begin, self._last[k]
            if before is None:
                before = self._value(event, run, segment, begin)
            for probe in range(1, _PROBES + 1):
                high = end if probe == _PROBES else begin + (end - begin) * probe / _PROBES
                after = self._value(event, run, segment, high)
                if self._counts(event, before, after):
                    zeros.append((self._zero(event, run, segment, low, high, before), k))
                low, before = high, after
            self._last[k] = before
        return self._take(run, segment, sorted(zeros))

    @staticmethod
    def _counts(event: Callable[..., Any], before: float, after: float) -> bool:
        direction = getattr(event, "direction", 0)
        up = before < 0 <= after
        down = before > 0 >= after
        return bool((up and direction >= 0) or (down and direction <= 0))

    def _zero(self, event: Callable[..., Any], run: _core.Run, segment: int, low: float, high: float,
              before: float) -> float:
        for _ in range(_BISECTIONS):
            middle = low + (high - low) / 2
            if not low < middle < high:
                break
            same = (self._value(event, run, segment, middle) > 0) == (before > 0)
            low, high = (middle, high) if same else (low, middle)
        return high

    def _take(self, run: _core.Run, segment: int, zeros: list[tuple[float, int]]) -> bool:
        for t, k in zeros:
            self._found[k].append((self._sign * t, self._at(run, segment, t)))
            wanted = int(getattr(self._events[k], "terminal", 0))
            if wanted and len(self._found[k]) >= wanted:
                self.terminal = t
                return False
        return True
