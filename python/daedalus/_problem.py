"""The arguments of solve_dae(), checked, as F(s, y, y') = 0 with s rising: backward in time s is -t."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np

from . import _core
from ._arrays import ExprArray, array, marked
from ._errors import wrong
from ._result import Array
from ._settings import number

Function = Callable[..., Any]


class Problem:
    """The function, wrapped so that it gives what it should; called with the time of the run."""

    def __init__(self, fun: Function, t_span: Sequence[float], y0: Any, yp0: Any, args: Sequence[Any], mass: Any,
                 jac: Any) -> None:
        if not callable(fun):
            raise TypeError("fun must be a function fun(t, y, yp), or fun(t, y) with a mass matrix M")
        self.fun, self.args, self._jac = fun, tuple(args), jac
        try:
            t0, t1 = t_span
        except (TypeError, ValueError):
            raise wrong("t_span must be two numbers, the start and the end time") from None
        self.t0, self.t1 = number(t0, "the start time"), number(t1, "the end time")
        self.sign = 1 if self.t1 >= self.t0 else -1
        self.start, self.end = self.sign * self.t0, self.sign * self.t1
        self.y0 = vector(y0, "y0")
        self.yp0 = np.zeros_like(self.y0) if yp0 is None else self.sign * vector(yp0, "yp0")
        self.n = len(self.y0)
        if self.n == 0:
            raise wrong("y0 is empty: there is nothing to solve for")
        if len(self.yp0) != self.n:
            raise wrong(f"y0 has {self.n} values, but yp0 has {len(self.yp0)}")
        self.names = [f"y[{k}]" for k in range(self.n)]
        self._mass = self._mass_of(mass)
        if jac is not None and not callable(jac) and (mass is None or callable(mass)):
            raise TypeError("jac must be a function; it may be a matrix where M is one")

    def _mass_of(self, mass: Any) -> Any:
        if mass is None or callable(mass):
            return mass
        return self._matrix(mass, "M")

    def _matrix(self, values: Any, name: str) -> Array:
        try:
            matrix: Array = np.asarray(values.toarray() if hasattr(values, "toarray") else values, dtype=float)
        except (TypeError, ValueError):
            raise TypeError(f"{name} must be a matrix of numbers") from None
        if matrix.shape != (self.n, self.n):
            raise wrong(f"{name} must have {self.n} rows and {self.n} columns, but its shape is {matrix.shape}")
        return matrix

    def residual(self, t: Any, y: Any, yp: Any) -> Any:
        """By the caller's time, of numbers or of expressions."""
        if self._mass is None:
            return self.fun(t, y, yp, *self.args)
        mass = self._mass(t, y, *self.args) if callable(self._mass) else self._mass
        mass = mass.toarray() if hasattr(mass, "toarray") else mass
        right = self.fun(t, y, *self.args)
        if isinstance(y, ExprArray):
            return array(mass) @ yp - array(right).reshape(-1)
        return np.asarray(mass, dtype=float) @ yp - np.asarray(right, dtype=float).reshape(-1)

    def __call__(self, s: float, y: Array, w: Array) -> Array:
        values = np.asarray(self.residual(self.sign * s, y, self.sign * w), dtype=float)
        if values.size != self.n:
            raise wrong(f"fun must give {self.n} residuals, one for each unknown, but gave {values.size}")
        return np.ascontiguousarray(values.reshape(-1))

    @property
    def jacobian(self) -> Function | None:
        """∂F/∂y and ∂F/∂y' one after the other, by columns."""
        return None if self._jac is None else self._differentiated

    def _differentiated(self, s: float, y: Array, w: Array) -> Array:
        t = self.sign * s
        if self._mass is None:
            try:
                dy, dyp = self._jac(t, y, self.sign * w, *self.args)
            except ValueError:
                raise wrong("jac must give two matrices: the derivatives of fun with respect to y and to yp") from None
            dy, dyp = self._matrix(dy, "the first matrix of jac"), self._matrix(dyp, "the second matrix of jac")
        else:
            dyp = self._mass_at(t, y)
            given = self._jac(t, y, *self.args) if callable(self._jac) else self._jac
            dy = self._of_mass(t, y, self.sign * w) - self._matrix(given, "jac")
        return np.concatenate([dy.ravel(order="F"), self.sign * dyp.ravel(order="F")])

    def _mass_at(self, t: float, y: Array) -> Array:
        return self._matrix(self._mass(t, y, *self.args), "M") if callable(self._mass) else np.array(self._mass)

    def _of_mass(self, t: float, y: Array, yp: Array) -> Array:
        """The derivative of M(t, y) y' with respect to y: what jac does not say, by differences."""
        out = np.zeros((self.n, self.n))
        if not callable(self._mass):
            return out
        here = self._mass_at(t, y) @ yp
        for k in range(self.n):
            moved = y.copy()
            moved[k] += np.sqrt(np.finfo(float).eps) * max(abs(y[k]), 1e-3)
            out[:, k] = (self._mass_at(t, moved) @ yp - here) / (moved[k] - y[k])
        return out

    def differentiated(self, k: int) -> bool:
        """Whether the derivative of unknown k occurs in the equations, as far as two points tell."""
        moved = self.yp0.copy()
        moved[k] += 1 + abs(moved[k])
        with np.errstate(all="ignore"):
            here, there = self(self.start, self.y0.copy(), self.yp0.copy()), self(self.start, self.y0.copy(), moved)
        return not np.array_equal(here, there, equal_nan=True)

    def trace(self, nominal: Array) -> _core.Recipe:
        """The function written down. Raises whatever it raises when it is called with symbols."""
        recipe = _core.Recipe("fun")
        y, yp = np.empty(self.n, dtype=object), np.empty(self.n, dtype=object)
        for k, name in enumerate(self.names):
            y[k] = recipe.variable(name, {"start": self.y0[k], "nominal": nominal[k] if nominal[k] != 1 else None})
        for k in range(self.n):
            yp[k] = recipe.rate(k) if self.sign > 0 else -recipe.rate(k)
        time = recipe.time() if self.sign > 0 else -recipe.time()
        values = np.asarray(self.residual(time, marked(y), marked(yp)), dtype=object).ravel()
        if len(values) != self.n:
            raise TypeError("with symbols it gives another number of residuals")
        for k, value in enumerate(values):
            recipe.equation(value, 0.0, f"equation {k}")
        self._compare(recipe)
        recipe.rate_guesses(self.yp0.tolist())
        recipe.experiment(self.start, self.end, None, None)
        return recipe

    def _compare(self, recipe: _core.Recipe) -> None:
        """What was written down must give what the function gives: it may have a memory, or branch unseen."""
        random = np.random.default_rng(0)
        for scale in (0.0, 1e-3, 1e-2):
            t = self.start + scale * (self.end - self.start)
            y = self.y0 * (1 + scale * random.standard_normal(self.n)) + scale * 1e-3 * random.standard_normal(self.n)
            yp = self.yp0 + scale * random.standard_normal(self.n)
            with np.errstate(all="ignore"):
                called = self(t, y.copy(), yp.copy())
            written = np.array(recipe.evaluate(t, y.tolist(), yp.tolist()))
            size = 1 + np.maximum(np.abs(called), np.abs(written))
            if not np.all((np.abs(called - written) <= 1e-8 * size) | (np.isnan(called) & np.isnan(written))
                          | (called == written)):
                raise TypeError("it gives other values when it is called with numbers")


def vector(values: Any, name: str) -> Array:
    try:
        array: Array = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be numbers") from None
    if array.ndim != 1:
        raise wrong(f"{name} must have one dimension, not {array.ndim}")
    if not np.all(np.isfinite(array)):
        raise wrong(f"{name}[{int(np.argmin(np.isfinite(array)))}] is not a finite number")
    return array


def tolerances_of(rtol: Any, atol: Any, n: int) -> tuple[float, float, Array]:
    """One relative tolerance; an absolute tolerance for each unknown is one tolerance and a typical size of each."""
    if np.ndim(rtol) == 0:
        relative = number(rtol, "rtol")
    else:
        relative = float(np.min(_for_each(rtol, "relative", n)))
    if np.ndim(atol) == 0:
        absolute, nominal = number(atol, "atol"), np.ones(n)
    else:
        each = _for_each(atol, "absolute", n)
        absolute = float(np.min(each))
        nominal = each / absolute if absolute > 0 else np.ones(n)
    if relative <= 0 or absolute <= 0:
        raise wrong(f"tolerances must be positive, but rtol = {relative:g} and atol = {absolute:g}")
    return relative, absolute, nominal


def _for_each(values: Any, what: str, n: int) -> Array:
    each = vector(values, "atol" if what == "absolute" else "rtol")
    if len(each) != n:
        raise wrong(f"there are {n} unknowns, but {len(each)} {what} tolerances")
    return each
