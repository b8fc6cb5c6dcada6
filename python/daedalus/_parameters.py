"""Parameters of mechanisms: numbers by name, whose values a run may change.

Lengths and masses are numbers in the equations of a mechanism. So a mechanism with parameters remembers how it was built,
and is built once more where other values are given.
"""

from __future__ import annotations

import functools
import operator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Callable, Iterator, Mapping, TypeVar, cast

import numpy as np

# The values while a mechanism is being built; None elsewhere.
_values: ContextVar[Mapping[str, float] | None] = ContextVar("values", default=None)


@contextmanager
def building(values: Mapping[str, float]) -> Iterator[None]:
    """Within it parameters are numbers."""
    token = _values.set(values)
    try:
        yield
    finally:
        _values.reset(token)


class Parameter:
    """A number by name, or what is computed of such numbers with operators and NumPy's functions."""

    def __init__(self, name: str, function: Callable[..., Any] | None = None, operands: tuple[Any, ...] = ()) -> None:
        self.name, self._function, self._operands = name, function, operands

    def _value(self, values: Mapping[str, float]) -> float:
        if self._function is None:
            return values[self.name]
        return float(self._function(*(o._value(values) if isinstance(o, Parameter) else o for o in self._operands)))

    def __float__(self) -> float:
        values = _values.get()
        if values is None:
            raise TypeError(f"the parameter {self.name} may have another value in another run, so what is computed of it "
                            "must be kept as an expression: use operators and NumPy's functions, not those of math")
        return self._value(values)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method != "__call__" or kwargs or ufunc.nout != 1 or any(isinstance(i, np.ndarray) and i.ndim for i in inputs):
            return NotImplemented
        return _computed(ufunc.__name__, ufunc, *inputs)

    def __repr__(self) -> str:
        return f"<parameter {self.name}>"

    def __add__(self, other: Any) -> Any:
        return _computed("sum", operator.add, self, other)

    def __radd__(self, other: Any) -> Any:
        return _computed("sum", operator.add, other, self)

    def __sub__(self, other: Any) -> Any:
        return _computed("difference", operator.sub, self, other)

    def __rsub__(self, other: Any) -> Any:
        return _computed("difference", operator.sub, other, self)

    def __mul__(self, other: Any) -> Any:
        return _computed("product", operator.mul, self, other)

    def __rmul__(self, other: Any) -> Any:
        return _computed("product", operator.mul, other, self)

    def __truediv__(self, other: Any) -> Any:
        return _computed("quotient", operator.truediv, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _computed("quotient", operator.truediv, other, self)

    def __pow__(self, other: Any) -> Any:
        return _computed("power", operator.pow, self, other)

    def __rpow__(self, other: Any) -> Any:
        return _computed("power", operator.pow, other, self)

    def __neg__(self) -> Any:
        return _computed("negative", operator.neg, self)

    def __abs__(self) -> Any:
        return _computed("absolute", operator.abs, self)


def _computed(name: str, function: Callable[..., Any], *operands: Any) -> Any:
    """Of numbers and parameters a parameter; of expressions, in a law, an expression with today's value."""
    if all(isinstance(o, (Parameter, int, float, np.number)) for o in operands):
        known = sorted({o.name for o in operands if isinstance(o, Parameter)})
        return Parameter(f"{name} of {', '.join(known)}", function, operands)
    return function(*(float(o) if isinstance(o, Parameter) else o for o in operands))


Method = TypeVar("Method", bound=Callable[..., Any])


def recorded(method: Method) -> Method:
    """Remembers the call, arguments as they were given, so that it can be made again with other values."""

    @functools.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if _values.get() is not None:  # within another call, or built again
            return method(self, *args, **kwargs)
        with building(self._parameters):
            out = method(self, *args, **kwargs)
        self._recorded.append((method.__name__, args, kwargs))
        return out

    return cast(Method, call)
