"""NumPy's functions on expressions and on arrays of them."""

from __future__ import annotations

import functools
from typing import Any, Callable, Iterable

import numpy as np

from . import _core
from ._core import Expr

Function = Callable[..., Any]


class ExprArray(np.ndarray[Any, np.dtype[Any]]):
    """An array of expressions. NumPy's operators and functions work on it element by element."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Function, types: Any, args: Any, kwargs: Any) -> Any:
        return apply_function(func, args, kwargs)

    def clip(self, *args: Any, **kwargs: Any) -> Any:
        return apply_function(np.clip, (self, *args), kwargs)

    def max(self, *args: Any, **kwargs: Any) -> Any:
        return apply_ufunc(np.maximum, "reduce", (self, *args), kwargs)

    def min(self, *args: Any, **kwargs: Any) -> Any:
        return apply_ufunc(np.minimum, "reduce", (self, *args), kwargs)


def array(values: Any) -> Any:
    """An array of expressions and numbers, on which all of NumPy's functions work that have a meaning for them.

    np.array([x, y]) will do for sums and products, but np.maximum, np.sign and relations need to know what it holds.
    """
    return marked(np.array(plain(values), dtype=object))


def holds_expressions(values: np.ndarray[Any, Any]) -> bool:
    return bool(values.dtype == object)


def marked(values: Any) -> Any:
    """An array of objects as an array of expressions; anything else as it is."""
    if isinstance(values, np.ndarray) and holds_expressions(values):
        return values.view(ExprArray) if values.ndim else values.item()
    if isinstance(values, (tuple, list)):
        return type(values)(marked(v) for v in values)
    return values


def plain(value: Any) -> Any:
    """What NumPy's own implementation is given: arrays of objects without an opinion of their own."""
    if isinstance(value, ExprArray):
        return value.view(np.ndarray)
    if isinstance(value, Expr):
        box = np.empty((), dtype=object)
        box[()] = value
        return box
    if isinstance(value, (tuple, list)):
        return type(value)(v if isinstance(v, Expr) else plain(v) for v in value)
    return value


def elementwise(function: Function, arguments: Iterable[Any]) -> Any:
    """The function on every element, after NumPy's rules of broadcasting."""
    given = [np.asarray(plain(a), dtype=object) if isinstance(a, (list, tuple)) else plain(a) for a in arguments]
    return marked(np.frompyfunc(function, len(given), 1)(*given))


# What NumPy calls a function of our expressions by.
UFUNCS: dict[str, Function] = {}


def apply_ufunc(ufunc: np.ufunc, method: str, inputs: Any, kwargs: dict[str, Any]) -> Any:
    out = kwargs.pop("out", None)
    if method == "__call__" and ufunc.signature is None:
        function = UFUNCS.get(ufunc.__name__)
        if function is None or kwargs:
            return NotImplemented
        result = elementwise(function, inputs)
    elif method == "__call__":  # matmul
        result = marked(ufunc(*(_objects(i) for i in inputs), **kwargs))
    else:
        result = _accumulated(ufunc, method, inputs, kwargs)
    if out is None or result is NotImplemented:
        return result
    plain(out[0])[...] = result
    return out[0]


def _accumulated(ufunc: np.ufunc, method: str, inputs: Any, kwargs: dict[str, Any]) -> Any:
    """add.reduce, maximum.accumulate, … : sums and products are Python's, the others are ours."""
    first, *rest = inputs
    if ufunc.__name__ in ("add", "multiply", "subtract"):
        return marked(getattr(ufunc, method)(np.asarray(plain(first), dtype=object), *(plain(i) for i in rest), **kwargs))
    function = UFUNCS.get(ufunc.__name__)
    if function is None or method not in ("reduce", "accumulate", "outer"):
        return NotImplemented
    kwargs.pop("initial", None)
    kwargs.pop("where", None)
    values = np.asarray(plain(first), dtype=object)
    if method == "reduce" and (kwargs.get("axis", 0) is None or rest and rest[0] is None):
        values, rest = values.ravel(), []
        kwargs.pop("axis", None)
    made = np.frompyfunc(function, 2, 1)
    return marked(getattr(made, method)(values, *(plain(i) for i in rest), **kwargs))


def _objects(value: Any) -> Any:
    return np.asarray(plain(value), dtype=object)


def _where(condition: Any, *choices: Any) -> Any:
    if len(choices) != 2:
        raise TypeError("np.where of expressions takes a condition and two values")
    return elementwise(_core.where, (condition, *choices))


def _clip(values: Any, a_min: Any = None, a_max: Any = None, **others: Any) -> Any:
    low, high = others.get("min", a_min), others.get("max", a_max)
    if low is not None:
        values = elementwise(UFUNCS["maximum"], (values, low))
    if high is not None:
        values = elementwise(UFUNCS["minimum"], (values, high))
    return values


def _select(conditions: Any, choices: Any, default: Any = 0) -> Any:
    out = default
    for condition, choice in reversed(list(zip(conditions, choices))):
        out = elementwise(_core.where, (condition, choice, out))
    return out


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    values = _objects(x)
    if values.ndim > 1 and axis is None and ord not in (None, "fro"):
        raise TypeError("norms of matrices of expressions: only that of Frobenius")
    sizes = elementwise(UFUNCS["absolute"], (values,)) if ord in (1, np.inf) else values * values
    if axis is None:
        sizes, axis = np.asarray(plain(sizes)).ravel(), 0
    if ord == np.inf:
        return apply_ufunc(np.maximum, "reduce", (sizes,), {"axis": axis, "keepdims": keepdims})
    total = apply_ufunc(np.add, "reduce", (sizes,), {"axis": axis, "keepdims": keepdims})
    if ord == 1:
        return total
    if ord not in (None, 2, "fro"):
        raise TypeError("norms of expressions: 1, 2 and infinity")
    return elementwise(UFUNCS["sqrt"], (total,))


def _extreme(name: str) -> Function:
    def of(values: Any, axis: Any = None, **kwargs: Any) -> Any:
        return apply_ufunc(getattr(np, name), "reduce", (values,), {"axis": axis, **kwargs})

    return of


def _every(name: str) -> Function:
    """np.all and np.any, of relations."""
    def of(values: Any, axis: Any = None, **kwargs: Any) -> Any:
        return apply_ufunc(getattr(np, name), "reduce", (values,), {"axis": axis, **kwargs})

    return of


def _round(values: Any, decimals: int = 0, **_: Any) -> Any:
    scale = 10.0**decimals
    return elementwise(UFUNCS["rint"], (_objects(values) * scale,)) / scale


def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    from ._tables import interp

    if left is not None or right is not None or period is not None:
        raise TypeError("np.interp of an expression takes x, xp and fp; daedalus.interp has more")
    return interp(x, xp, fp)


_FUNCTIONS: dict[Any, Function] = {
    np.where: _where, np.clip: _clip, np.select: _select, np.linalg.norm: _norm, np.interp: _interp,
    np.all: _every("logical_and"), np.any: _every("logical_or"), np.round: _round,
    np.max: _extreme("maximum"), np.amax: _extreme("maximum"), np.min: _extreme("minimum"), np.amin: _extreme("minimum"),
}


def apply_function(func: Function, args: Any, kwargs: dict[str, Any]) -> Any:
    ours = _FUNCTIONS.get(func)
    if ours is not None:
        return ours(*args, **kwargs)
    theirs = getattr(func, "_implementation", func)  # without another look at who shall do it
    return marked(theirs(*(plain(a) for a in args), **{key: plain(value) for key, value in kwargs.items()}))


def _array_ufunc(self: Expr, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    return apply_ufunc(ufunc, method, inputs, kwargs)


def _array_function(self: Expr, func: Function, types: Any, args: Any, kwargs: Any) -> Any:
    return apply_function(func, args, kwargs)


def attach(functions: dict[str, Function]) -> None:
    """Lets NumPy know its names of our functions, and call them as methods of the elements of plain arrays."""
    UFUNCS.update(functions)
    setattr(Expr, "__array_ufunc__", _array_ufunc)
    setattr(Expr, "__array_function__", _array_function)
    for name, function in UFUNCS.items():
        if not hasattr(Expr, name):
            setattr(Expr, name, functools.partialmethod(_method, function))
    setattr(Expr, "clip", lambda self, *limits, **named: _clip(self, *limits, **named))
    setattr(Expr, "conjugate", lambda self: self)


def _method(self: Expr, function: Function, *rest: Any) -> Any:
    return function(self, *rest)
