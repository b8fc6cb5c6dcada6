"""What people who know NumPy type, on expressions and arrays of them. Each line is written down as expressions and compared
with what NumPy makes of numbers."""

import math

import numpy as np
import pytest

import daedalus as dd
from daedalus._problem import Problem

# Of a scalar s, an array x of three, and the time t.
TYPED = """
s * x; x * s; x - s; s - x
t * x; x / t; x**s; 2 - x
s * np.array([1.0, 2.0]); np.array([1.0, 2.0]) * s; np.array([1.0, 2.0]) + x[:2]; np.float64(2) * s
np.float64(2) * x; s * np.float64(2); -x; abs(x)
np.maximum(x, 0); np.maximum(x, s); np.minimum(s, x); np.fmax(s, 2)
np.clip(x, 0, 1); np.clip(s, -1, 1); x.clip(0, 1); np.clip(x, None, s)
np.sign(x); np.sign(s); np.heaviside(s, 0.5); np.square(x)
np.where(x > 1, x, -x); np.where(s > 0, 1.0, s); np.select([x > 3, x > 1], [x, 2 * x], s)
x @ x; np.eye(3) @ x; x @ np.diag([1.0, 2.0, 3.0]); x.T @ x
np.dot(np.eye(3), x); np.vdot(x, x); np.inner(x, x); np.outer(x, x)
np.linalg.norm(x); np.linalg.norm(x, 1); np.linalg.norm(x, np.inf); np.linalg.norm(x, axis=0)
np.linalg.norm(np.outer(x, x)); np.linalg.norm(np.outer(x, x), axis=1)
np.sum(x); x.sum(); np.prod(x); np.cumsum(x)
np.mean(x); np.average(x); np.max(x); x.min()
np.sin(x); np.sin(s); np.hypot(x, s); np.arctan2(x, s)
np.exp(-x); np.sqrt(x @ x); np.log1p(x); np.power(x, 2)
np.concatenate([[0.0], x, [s]]); np.stack([s, s]); np.hstack([s, x]); np.append(x, s)
np.cross(x, [0, 0, 1.0]); np.diff(x); np.roll(x, 1); np.full_like(x, s)
x % 2; s % 0.3; 7 % s; np.mod(x, 2); -x % s; x // 2; s // 0.3; np.floor_divide(x, s)
np.round(s * x); np.round(s * x, 1); round(s); np.trunc(-x); np.cbrt(-x); np.rint(s * x)
np.where(np.any(x > 3), s, 1.0); np.where(np.all(x > 3), s, 1.0); (x > 2) * 1.0
np.zeros_like(x); x.reshape(3, 1) * x; np.einsum("i,i->", x, x); np.trace(np.outer(x, x))
np.array([s, 2 * s]) @ np.array([1.0, 2.0]); np.interp(s, [0, 1, 2], [0, 1, 0])"""


def typed():
    return [text.strip() for text in TYPED.replace("\n", ";").split(";") if text.strip()]


def written_down(function, y0):
    """Raises where the expressions say something else than the function of numbers."""
    return Problem(function, (1.5, 2), y0, None, (), None, None).trace(np.ones(len(y0)))


@pytest.mark.parametrize("text", typed())
def test_what_is_typed_means_what_numpy_means(text):
    code = compile(text, text, "eval")

    def function(t, y, yp):
        values = np.ravel(eval(code, {"np": np}, {"x": y[:3], "s": y[3], "t": t}))
        return yp + np.dot(np.arange(1, len(values) + 1), values)  # every value counts, and its place

    written_down(function, [1.25, 2.5, 3.75, 0.7])


def test_conditions_on_arrays():
    def function(t, y, yp):
        return yp + np.where((y > 1) & ~(y > 3), y, 0.0) + np.where(np.logical_or(y > 3, y < 0.8), 1.0, 2.0)

    written_down(function, [1.25, 2.5, 3.75, 0.7])


def test_lists_of_expressions_become_arrays():
    def function(t, y, yp):
        a, b = y
        return yp + np.maximum(dd.array([a, b]), 1.0) + dd.max([a, b], 1.0)

    written_down(function, [0.5, 2.0])


def test_values_are_put_into_arrays_that_look_like_the_unknowns():
    def function(t, y, yp):
        out = np.zeros_like(y)
        out[0], out[1] = y[1], -y[0]
        out -= yp
        return out

    s = dd.solve_dae(function, (0, 1), [0.0, 1.0], rtol=1e-9, atol=1e-11)
    assert s.traced and s.y[0, -1] == pytest.approx(math.sin(1), abs=1e-7)  # a hundred times the tolerance


def test_an_equation_of_arrays_is_one_for_each_element():
    m = dd.Model("Arrays")
    x = m.variables("x", 3, start=[1, 2, 3])
    k = m.parameter("k", 2)
    m.equation(dd.der(x) == -k * x, label="decay")
    y = m.variables("y", 2)
    m.equation(y, [x[0], 1.0])  # both sides
    m.equation(m.variables("z", 2) - y)  # a residual
    m.initial_equation(x == np.array([1.0, 2.0, 3.0]))
    r = m.simulate(until=1, rtol=1e-9, atol=1e-11)
    for j in (1, 2, 3):
        assert r[f"x[{j}]"][-1] == pytest.approx(j * math.exp(-2), rel=1e-7)
    assert np.array_equal(r["z[1]"], r["x[1]"])
    with pytest.raises(dd.ModelError, match=r"shapes \(3,\) and \(2,\)"):
        m.equation(x, [1.0, 2.0])
    with pytest.raises(dd.ModelError, match="comparison of numbers"):
        m.equation(np.array([True, False]))


def test_what_numpy_cannot_do_is_an_error():
    m = dd.Model("m")
    x = m.variables("x", 2)
    for wrong in (lambda: np.linalg.inv(np.outer(x, x)), lambda: np.isfinite(x), lambda: float(x[0]),
                  lambda: math.sin(x[0]), lambda: np.linalg.norm(x, 3), lambda: np.where(x > 0)):
        with pytest.raises(TypeError):
            wrong()
    numbers = np.zeros(2)
    with pytest.raises(TypeError, match=r"x\[1\] has no value before the run.*zeros_like"):
        numbers[0] = x[0]


# -- tables ------------------------------------------------------------------------------------------------------------

POINTS, VALUES = [0.0, 1.0, 2.5, 3.0, 4.0], [0.0, 2.0, 1.0, 1.5, -1.0]


@pytest.mark.parametrize("kind", ["linear", "previous", "akima", "pchip", "cubic"])
@pytest.mark.parametrize("outside", ["hold", "linear"])
def test_tables_as_expressions_are_the_tables_of_numbers(kind, outside):
    def function(t, y, yp):
        return yp + dd.interp(y, POINTS, VALUES, kind=kind, outside=outside)

    for shift in (-0.3, 0.1, 0.6):
        written_down(function, [shift + point for point in POINTS])
    assert dd.interp(POINTS, POINTS, VALUES, kind=kind, outside=outside).tolist() == pytest.approx(VALUES)


def test_a_linear_table_is_numpy_s():
    at = np.linspace(-1, 5, 61)
    assert dd.interp(at, POINTS, VALUES).tolist() == pytest.approx(np.interp(at, POINTS, VALUES).tolist(), abs=1e-14)


def slope(kind, x, side):
    h = 1e-6 * side
    return (dd.interp(x + h, POINTS, VALUES, kind=kind) - dd.interp(x, POINTS, VALUES, kind=kind)) / h


@pytest.mark.parametrize("kind", ["akima", "pchip", "cubic"])
def test_splines_have_no_kinks(kind):
    for x in POINTS[1:-1]:  # one-sided differences over 1e-6 of curves whose curvature is below 100
        assert slope(kind, x, 1) == pytest.approx(slope(kind, x, -1), abs=1e-3)


def test_each_spline_keeps_what_it_is_for():
    at = np.linspace(0, 4, 401)
    # Between two points pchip goes beyond neither.
    values = dd.interp(at, POINTS, VALUES, kind="pchip")
    for a, b, u, v in zip(POINTS, POINTS[1:], VALUES, VALUES[1:]):
        within = values[(at >= a) & (at <= b)].astype(float)
        assert min(u, v) - 1e-12 <= within.min() and within.max() <= max(u, v) + 1e-12
    # A natural cubic spline has no curvature at its ends, and its curvature has no jumps.
    def bend(x, side):
        return (slope("cubic", x + 1e-3 * side, 1) - slope("cubic", x, side)) / (1e-3 * side)

    assert bend(0.0, 1) == pytest.approx(0, abs=0.05)
    for x in POINTS[1:-1]:
        assert bend(x, 1) == pytest.approx(bend(x, -1), abs=0.1)
    # Akima's curve through a straight part stays straight there.
    line = dd.interp(2.5, [0, 1, 2, 3, 4, 5, 6], [0, 5, 2, 3, 4, 5, 6], kind="akima")
    straight = dd.interp(4.5, [0, 1, 2, 3, 4, 5, 6], [0, 5, 2, 3, 4, 5, 6], kind="akima")
    assert straight == pytest.approx(4.5, abs=1e-12) and math.isfinite(line)


def test_a_run_stops_where_a_table_bends_and_is_exact_there():
    m = dd.Model("Table")
    x, y = m.variable("x", start=0, fixed=True), m.variable("y", start=0, fixed=True)
    m.equation(dd.der(x) == dd.interp(m.time, [0, 1, 2], [0, 1, 0]))
    m.equation(dd.der(y) == dd.interp(m.time, [0, 0.5, 1.25], [1, 3, -2], kind="previous"))
    r = m.simulate(until=2, rtol=1e-9, atol=1e-11)
    # Areas of a triangle and of steps; round-off, as polynomials are integrated exactly between the points.
    assert r["x"][-1] == pytest.approx(1, abs=1e-12)
    assert r["y"][-1] == pytest.approx(0.5 * 1 + 0.75 * 3 - 0.75 * 2, abs=1e-12)
    times = [event["t"] for event in r.summary["event_log"]]
    assert all(min(abs(t - at) for t in times) < 1e-9 for at in (0.5, 1, 1.25))


def test_tables_misused():
    m = dd.Model("m")
    for arguments, error in ((([0, 1, 1], [1, 2, 3]), "must rise, but 1 follows 1"), (([0, 1], [1]), "as many values"),
                             (([0, math.nan], [1, 2]), "finite"), (([], []), "at least one")):
        with pytest.raises(dd.ModelError, match=error):
            dd.interp(m.time, *arguments)
    with pytest.raises(dd.ModelError, match="did you mean 'linear'"):
        dd.interp(m.time, [0, 1], [0, 1], kind="liner")
    with pytest.raises(dd.ModelError, match="rule outside of a table"):
        dd.interp(m.time, [0, 1], [0, 1], outside="mirror")
    with pytest.raises(TypeError, match="known before the run"):
        dd.interp(m.time, [0, m.variable("x")], [0, 1])
