"""Inputs as functions of time: functions, numbers, tables."""

from __future__ import annotations

import bisect
from typing import Any, Callable, Mapping, Optional, Union

import numpy as np

from ._errors import wrong
from ._settings import number

Function = Callable[[float], float]
# By name; or a pandas.DataFrame, whose index or whose column "time" or "t" are the times.
Functions = Optional[Union[Mapping[str, Any], Any]]
_WANTED = "inputs must be a dictionary {name: function of time, number or (times, values)}, or a DataFrame"


class Constant:
    """The same number at all times."""

    def __init__(self, value: float) -> None:
        self._value = value

    def __call__(self, t: float) -> float:
        return self._value


class Table:
    """Straight lines between points; a time that is there twice is a jump; before and after them the outer values hold."""

    def __init__(self, name: str, times: Any, values: Any) -> None:
        self._times, self._values = ([float(v) for v in np.asarray(column, dtype=float).ravel()] for column in (times, values))
        if len(self._times) != len(self._values) or not self._times:
            raise wrong(f"the table of the input '{name}' has {len(self._times)} times and {len(self._values)} values")
        if not np.all(np.isfinite(self._times)) or not np.all(np.isfinite(self._values)):
            raise wrong(f"the table of the input '{name}' holds values that are not finite")
        if np.any(np.diff(self._times) < 0):
            raise wrong(f"the times of the input '{name}' must rise")

    def __call__(self, t: float) -> float:
        k = bisect.bisect_right(self._times, t)
        if k == 0 or k == len(self._times):
            return self._values[0 if k == 0 else -1]
        begin, end = self._times[k - 1], self._times[k]
        part = (t - begin) / (end - begin)
        return (1 - part) * self._values[k - 1] + part * self._values[k]


def functions_of(inputs: Functions) -> dict[str, Function]:
    """{name: function of time}"""
    if inputs is None:
        return {}
    if hasattr(inputs, "columns") and hasattr(inputs, "index"):
        return _of_frame(inputs)
    if not isinstance(inputs, Mapping) or not all(isinstance(name, str) for name in inputs):
        raise TypeError(_WANTED)
    return {name: _function_of(name, given) for name, given in inputs.items()}


def _of_frame(frame: Any) -> dict[str, Function]:
    time = next((name for name in ("time", "t") if name in frame.columns), None)
    times = frame.index if time is None else frame[time]
    return {str(name): Table(str(name), times, frame[name]) for name in frame.columns if name != time}


def _function_of(name: str, given: Any) -> Function:
    if callable(given):
        function: Function = given
        return function
    if isinstance(given, tuple) and len(given) == 2:
        return Table(name, *given)
    if isinstance(given, (str, bytes)) or np.ndim(given) > 0:
        raise TypeError(_WANTED)
    return Constant(number(given, f"the input '{name}'"))
