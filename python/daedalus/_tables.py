"""Tables as expressions: lines, steps and splines through points."""

from __future__ import annotations

import math
from typing import Any, Callable, NamedTuple, Sequence

import numpy as np

from . import _core
from ._arrays import elementwise
from ._core import Expr
from ._errors import wrong


class Piece(NamedTuple):
    """y + slope*d + quadratic*d^2 + cubic*d^3 with d = x - begin, up to the next piece's begin."""

    begin: float
    y: float
    slope: float = 0.0
    quadratic: float = 0.0
    cubic: float = 0.0

    def at(self, x: Any) -> Any:
        d = x - self.begin
        value: Any = self.y
        if self.cubic:
            value = ((self.cubic * d + self.quadratic) * d + self.slope) * d + self.y
        elif self.quadratic:
            value = (self.quadratic * d + self.slope) * d + self.y
        elif self.slope:
            value = self.slope * d + self.y
        return value


def _pchip(h: list[float], secants: list[float]) -> list[float]:
    """Fritsch and Butland: weighted harmonic means inside, zero at extrema; at the ends the outer secants."""
    slopes = [secants[0]]
    for k in range(1, len(h)):
        left, right = secants[k - 1], secants[k]
        if left * right <= 0:
            slopes.append(0.0)
            continue
        first, second = 2 * h[k] + h[k - 1], h[k] + 2 * h[k - 1]
        slopes.append((first + second) / (first / left + second / right))
    return [*slopes, secants[-1]]


def _akima(_h: list[float], secants: list[float]) -> list[float]:
    m = secants
    if len(m) == 1:
        return [m[0], m[0]]
    before = [3 * m[0] - 2 * m[1], 2 * m[0] - m[1]]
    behind = [2 * m[-1] - m[-2], 3 * m[-1] - 2 * m[-2]]
    all_of = [*before, *m, *behind]
    slopes = []
    for k in range(len(m) + 1):
        a, b, c, d = all_of[k:k + 4]
        weight = abs(b - a) + abs(d - c)
        slopes.append((b + c) / 2 if weight == 0 else (abs(d - c) * b + abs(b - a) * c) / weight)
    return slopes


def _natural(h: list[float], secants: list[float]) -> list[float]:
    """The cubic spline with two continuous derivatives, straight at its ends."""
    n = len(h) + 1
    matrix, right = np.zeros((n, n)), np.zeros(n)
    matrix[0, :2], right[0] = (2, 1), 3 * secants[0]
    matrix[-1, -2:], right[-1] = (1, 2), 3 * secants[-1]
    for k in range(1, n - 1):
        matrix[k, k - 1:k + 2] = h[k], 2 * (h[k - 1] + h[k]), h[k - 1]
        right[k] = 3 * (h[k] * secants[k - 1] + h[k - 1] * secants[k])
    return [float(v) for v in np.linalg.solve(matrix, right)]


_SLOPES: dict[str, Callable[[list[float], list[float]], list[float]]] = {
    "pchip": _pchip, "akima": _akima, "cubic": _natural}
_KINDS = ("linear", "previous", *_SLOPES)
_OUTSIDE = ("hold", "linear")


def _pieces(x: list[float], y: list[float], kind: str) -> list[Piece]:
    if kind == "previous":
        return [Piece(a, b) for a, b in zip(x[:-1], y[:-1])]
    h = [b - a for a, b in zip(x, x[1:])]
    secants = [(b - a) / step for a, b, step in zip(y, y[1:], h)]
    if kind == "linear":
        return [Piece(a, b, slope) for a, b, slope in zip(x, y, secants)]
    s = _SLOPES[kind](h, secants)
    return [Piece(x[k], y[k], s[k], (3 * secants[k] - 2 * s[k] - s[k + 1]) / h[k], (s[k] + s[k + 1] - 2 * secants[k]) / h[k]**2)
            for k in range(len(h))]


def _numbers(values: Any, name: str) -> list[float]:
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise TypeError(f"{name} of a table must be numbers, known before the run") from None
    if array.ndim != 1 or not np.all(np.isfinite(array)):
        raise wrong(f"{name} of a table must be a list of finite numbers")
    return [float(v) for v in array]


def interp(x: Any, xp: Sequence[float], fp: Sequence[float], *, kind: str = "linear", outside: str = "hold",
           events: bool | None = None) -> Any:
    """A table as an expression of `x`: through the points (xp, fp), xp rising, like numpy.interp.

    `kind`: "linear"; "previous" (steps); "akima", "pchip" (no overshoot), "cubic" (natural spline). `outside`: "hold"
    keeps the value of the nearest end, "linear" goes on with the slope there. `events`: whether the run stops at the
    points, where the table bends or jumps; by default it does for "linear" and "previous".
    """
    if kind not in _KINDS:
        raise wrong(_core.unknown_name("kind of table", str(kind), list(_KINDS)))
    if outside not in _OUTSIDE:
        raise wrong(_core.unknown_name("rule outside of a table", str(outside), list(_OUTSIDE)))
    points, values = _numbers(xp, "xp"), _numbers(fp, "fp")
    if len(points) != len(values) or not points:
        raise wrong(f"a table needs as many values as points, and at least one; xp has {len(points)}, fp {len(values)}")
    for before, after in zip(points, points[1:]):
        if not after > before:
            raise wrong(f"the points of a table must rise, but {after:g} follows {before:g}")
    if events is None:
        events = kind in ("linear", "previous")
    pieces = _with_ends(_pieces(points, values, kind), points, values, outside if kind != "previous" else "hold")

    def value(at: Any) -> Any:
        return _choose(pieces, at, events) if isinstance(at, Expr) else _evaluate(pieces, float(at))

    if isinstance(x, (np.ndarray, list, tuple)):
        return elementwise(value, (x,))
    return value(x)


def _with_ends(pieces: list[Piece], x: list[float], y: list[float], outside: str) -> list[Piece]:
    """The first piece reaches down to minus infinity, the last one up to infinity."""
    low, high = 0.0, 0.0
    if outside == "linear" and pieces:
        last = pieces[-1]
        length = x[-1] - last.begin
        low, high = pieces[0].slope, last.slope + length * (2 * last.quadratic + 3 * length * last.cubic)
    return [Piece(x[0], y[0], low), *pieces, Piece(x[-1], y[-1], high)]


def _starts(pieces: list[Piece]) -> list[float]:
    """Where each piece but the first begins."""
    return [piece.begin for piece in pieces[1:]]


def _evaluate(pieces: list[Piece], x: float) -> float:
    if math.isnan(x):
        return x
    return float(pieces[int(np.searchsorted(_starts(pieces), x, side="right"))].at(x))


def _choose(pieces: list[Piece], x: Expr, events: bool) -> Any:
    """By halves, so that a value is found after few comparisons."""
    if len(pieces) == 1:
        return pieces[0].at(x)
    middle = len(pieces) // 2
    below: Any = x < pieces[middle].begin
    if not events:
        below = _core.no_event(below)
    return _core.where(below, _choose(pieces[:middle], x, events), _choose(pieces[middle:], x, events))
