"""Arguments as the library wants them, checked."""

from __future__ import annotations

import math
import operator
from typing import Any, Mapping, Sequence

import numpy as np

from ._errors import wrong

Settings = Mapping[str, Any]
MOST_POINTS = 100_000_000
MOST_THREADS = 1024


def number(value: Any, name: str) -> float:
    """A finite number."""
    if isinstance(value, (str, bytes)) or isinstance(value, np.ndarray) and value.ndim > 0:
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    try:
        out = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}") from None
    except OverflowError:
        raise wrong(f"{name} is too large a number") from None
    if not math.isfinite(out):
        raise wrong(f"{name} is {out}, not a finite number")
    return out


def optional_number(value: Any, name: str) -> float | None:
    return None if value is None else number(value, name)


def whole_number(value: Any, name: str, least: int, most: int) -> int:
    try:
        count = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not {type(value).__name__}") from None
    if not least <= count <= most:
        raise wrong(f"'{count}' is not a whole number from {least} to {most}")
    return count


def points_of(value: Any) -> int | None:
    return None if value is None else whole_number(value, "points", 2, MOST_POINTS)


def threads_of(value: Any) -> int:
    """0: as many as there are processors."""
    return whole_number(value, "threads", 0, MOST_THREADS)


def with_option(selection: str, key: str, value: float | None) -> str:
    """The selection with one more option, where one is wanted."""
    if value is None:
        return selection
    return f"{selection}{',' if ':' in selection else ':'}{key}={value!r}"


def longest_step(value: Any) -> float | None:
    """None where there is no limit, as where it is infinite."""
    if value is None or isinstance(value, float) and math.isinf(value) and value > 0:
        return None
    step = number(value, "max_step")
    if step <= 0:
        raise wrong(f"max_step must be positive, but is {step:g}")
    return step


def times_of(values: Any, start: float, end: float) -> list[float]:
    """Output times, in the direction of the run and within it."""
    times = np.asarray(values, dtype=float)
    if times.ndim != 1 or len(times) == 0 or not np.all(np.isfinite(times)):
        raise wrong("t_eval must be a list of finite numbers")
    along = times if end >= start else -times
    if np.any(np.diff(along) <= 0) or not min(start, end) <= min(times) <= max(times) <= max(start, end):
        raise wrong(f"t_eval must {'rise' if end >= start else 'fall'}, within {start:g} and {end:g}")
    return [float(t) for t in times]


def selection_of(value: Any, name: str) -> str:
    """ "ggl", "baumgarte:alpha=5", or ("baumgarte", {"alpha": 5})."""
    if isinstance(value, str):
        return value
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], Mapping):
        options = ",".join(f"{key}={option}" for key, option in value[1].items())
        return f"{value[0]}:{options}" if options else value[0]
    raise TypeError(f"{name} must be a text NAME[:key=value,…] or (NAME, {{key: value}}), not {type(value).__name__}")


def _text_of(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (Sequence, np.ndarray)) and np.ndim(value) > 0:
        return "{" + ", ".join(_text_of(name, item) for item in value) + "}"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    return repr(number(value, f'set["{name}"]'))


def settings_of(settings: Settings | None) -> list[tuple[str, str]]:
    if settings is None:
        return []
    if not isinstance(settings, Mapping):
        raise TypeError("set must be a dictionary {name: value}")
    out = []
    for name, value in settings.items():
        if not isinstance(name, str):
            raise TypeError("the names in set must be texts")
        out.append((name, _text_of(name, value)))
    return out
