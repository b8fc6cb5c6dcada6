"""Linear models and equilibria."""

import math

import numpy as np
import pytest

import daedalus as dd


def test_a_pendulum_hangs_and_swings(pendulum_text):
    sim = dd.parse(pendulum_text).compile(free=["L"]).start()
    steady = sim.steady()
    assert steady["y"] == pytest.approx(-1, abs=1e-12)
    assert steady["lambda"] == pytest.approx(9.81, abs=1e-10)
    modes = steady.linearisation.modes
    assert len(modes) == 2
    assert modes[0].frequency == pytest.approx(math.sqrt(9.81) / (2 * math.pi), rel=1e-12)
    assert "no damping" in steady.stability


def test_a_linear_model_is_its_own_linearisation():
    m = dd.Model("Linear")
    k, x, v = m.parameter("k", 4), m.variable("x", start=1, fixed=True), m.variable("v", start=0, fixed=True)
    m.equation(dd.der(x) == v)
    m.equation(dd.der(v) == -k * x - 0.5 * v)
    linear = m.compile(free=["k"]).start().linearise(inputs=["k"], outputs=["v"])
    assert list(linear.states) == ["x", "v"]
    np.testing.assert_allclose(linear.A, [[0, 1], [-4, -0.5]], rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(linear.B, [[0], [-1]], rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(linear.C, [[0, 1]], rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(linear.D, [[0]], rtol=1e-14, atol=1e-14)


def test_errors_are_pythons(pendulum_text):
    sim = dd.parse(pendulum_text).compile().start()
    with pytest.raises(dd.ModelError, match="'F' is no input"):
        sim.linearise(inputs=["F"])
    with pytest.raises(TypeError, match="list of names"):
        sim.linearise(outputs="x")


def test_no_equilibrium_is_an_error_that_names_the_equation():
    sim = dd.parse("model N Real x(start = 0, fixed = true); equation der(x) = 1 + x^2; end N;").compile().start()
    with pytest.raises(dd.SimulationError, match=r"1 \+ x\^2"):
        sim.steady()


def test_a_model_is_asked_at_once():
    m = dd.Model("Spring")
    k = m.parameter("k", 4.0)
    x, v = m.variable("x", start=1.0, fixed=True), m.variable("v", start=0.0, fixed=True)
    m.equation(dd.der(x) == v)
    m.equation(dd.der(v) == -k * x - 0.1 * v)
    lin = m.linearise(at=1.0, inputs=[k], outputs=["x"])
    # v' = -k x: by k it changes with -x, wherever the run is at that time.
    assert lin.t == 1.0
    assert sorted(lin.A.ravel()) == pytest.approx([-4, -0.1, 0, 1])
    assert lin.B[list(lin.states).index("v"), 0] == pytest.approx(-lin.states["x"])
    assert m.steady(set={"k": 9.0})["x"] == pytest.approx(0, abs=1e-9)
