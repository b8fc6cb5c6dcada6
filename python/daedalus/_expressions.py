"""Functions of expressions, and NumPy's names for them."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from . import _core
from ._arrays import attach, elementwise
from ._core import Expr

# NumPy's names of functions that the library has under Modelica's.
_NUMPY_NAMES = {
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "absolute": "abs", "fabs": "abs",
    "minimum": "min", "maximum": "max", "fmin": "min", "fmax": "max",
}


def _on_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function on numbers and expressions, made to take arrays as well."""

    def of(*arguments: Any) -> Any:
        if any(isinstance(a, (np.ndarray, list, tuple)) for a in arguments):
            return elementwise(function, arguments)
        return function(*arguments)

    return of


def _named(name: str) -> Callable[..., Any]:
    def function(*arguments: Any) -> Any:
        return _core.apply(name, *arguments)

    out = _on_arrays(function)
    out.__name__ = out.__qualname__ = name
    out.__doc__ = f"{name} of numbers, expressions, or arrays of them."
    return out


# One function a row of the library's table.
FUNCTIONS: dict[str, Callable[..., Any]] = {name: _named(name) for name, _ in _core.functions()}


def _of_derivative(argument: Any) -> Any:
    if isinstance(argument, Expr):
        return _core.der(argument)
    if isinstance(argument, (int, float)):
        return 0.0
    raise TypeError(f"der takes an expression, not {type(argument).__name__}")


der = _on_arrays(_of_derivative)
der.__doc__ = "The derivative of an expression with respect to time."
where = _on_arrays(_core.where)
where.__doc__ = "where(condition, a, b): a while the condition holds, else b. A relation in it makes events."


def pre(variable: Expr) -> Expr:
    """The value of a variable just before the event."""
    return _core.pre(variable)


def no_event(expression: Expr) -> Expr:
    """The same expression, its relations taken literally: no event where they change."""
    return _core.no_event(expression)




def _rounded(a: Any) -> Any:
    """To the nearest whole number, a half upwards."""
    return FUNCTIONS["floor"](a + 0.5)


def _quotient(a: Any, b: Any) -> Any:
    return FUNCTIONS["floor"](a / b)


def _remainder(a: Any, b: Any) -> Any:
    return a - b * _quotient(a, b)


attach({
    "floor_divide": _quotient, "remainder": _remainder, "mod": _remainder,
    "rint": _rounded, "trunc": lambda a: FUNCTIONS["sign"](a) * FUNCTIONS["floor"](abs(a)),
    "cbrt": lambda a: FUNCTIONS["sign"](a) * abs(a) ** (1 / 3),
    "add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b, "true_divide": lambda a, b: a / b, "negative": lambda a: -a, "positive": lambda a: a,
    "power": lambda a, b: a**b, "float_power": lambda a, b: a**b, "square": lambda a: a * a,
    "reciprocal": lambda a: 1 / a, "log2": lambda a: FUNCTIONS["log"](a) / float(np.log(2)),
    "log1p": lambda a: FUNCTIONS["log"](1 + a), "expm1": lambda a: FUNCTIONS["exp"](a) - 1,
    "exp2": lambda a: FUNCTIONS["exp"](a * float(np.log(2))), "hypot": lambda a, b: FUNCTIONS["sqrt"](a * a + b * b),
    "deg2rad": lambda a: a * (np.pi / 180), "radians": lambda a: a * (np.pi / 180),
    "rad2deg": lambda a: a * (180 / np.pi), "degrees": lambda a: a * (180 / np.pi),
    "less": lambda a, b: a < b, "less_equal": lambda a, b: a <= b, "greater": lambda a, b: a > b,
    "greater_equal": lambda a, b: a >= b, "equal": lambda a, b: a == b,
    "heaviside": lambda a, b: _core.where(a < 0, 0.0, 1.0),
    "logical_and": lambda a, b: a & b, "logical_or": lambda a, b: a | b, "logical_not": lambda a: ~a,
    "bitwise_and": lambda a, b: a & b, "bitwise_or": lambda a, b: a | b, "invert": lambda a: ~a,
    "conjugate": lambda a: a,
    **FUNCTIONS,
    **{theirs: FUNCTIONS[ours] for theirs, ours in _NUMPY_NAMES.items()},
})
for _name, _of in (("floordiv", _quotient), ("mod", _remainder)):
    setattr(Expr, f"__{_name}__", lambda a, b, of=_of: elementwise(of, (a, b)) if np.ndim(b) else of(a, b))
    setattr(Expr, f"__r{_name}__", lambda a, b, of=_of: elementwise(of, (b, a)) if np.ndim(b) else of(b, a))
setattr(Expr, "__round__", _rounded)
