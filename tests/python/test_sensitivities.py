"""Sensitivities of runs, and parameters from measurements."""

import numpy as np
import pytest

import daedalus as dd

DECAY = """model Decay
  parameter Real k = 0.7;
  Real x(start = 2, fixed = true);
equation
  der(x) = -k*x;
end Decay;
"""


def test_a_decay_is_its_formula():
    r = dd.parse(DECAY).simulate(until=3, sensitivities=["k", "x"], rtol=1e-9, points=31)
    assert r.names == ["x", "d(x)/d(k)", "d(x)/d(x)"]
    np.testing.assert_allclose(r["d(x)/d(k)"], -r.t * 2 * np.exp(-0.7 * r.t), atol=1e-7)
    np.testing.assert_allclose(r["d(x)/d(x)"], np.exp(-0.7 * r.t), atol=1e-7)


def test_they_are_asked_for_by_both_names():
    r = dd.parse(DECAY).simulate(until=3, sensitivities=["k"])
    assert np.array_equal(r.sensitivity("x", "k"), r["d(x)/d(k)"])
    with pytest.raises(dd.UnknownNameError, match="no sensitivity of 'x' with respect to 'x'"):
        r.sensitivity("x", "x")


def pendulum():
    m = dd.Model("Pendulum")
    L, g = m.parameter("L", 1), m.parameter("g", 9.81)
    x, y = m.variable("x", start=1), m.variable("y", start=0, fixed=True)
    F = m.variable("F")
    m.equation(dd.der(dd.der(x)) == -F * x)
    m.equation(dd.der(dd.der(y)) == -F * y - g)
    m.equation(x**2 + y**2 == L**2)
    return m


def test_of_a_model_in_python_at_other_times_and_values():
    m = pendulum()
    times = np.linspace(0, 1, 11)
    r = m.simulate(sensitivities=["L"], t_eval=times, set={"L": 1.1}, rtol=1e-9)
    h = 1e-4
    near = [m.simulate(t_eval=times, set={"L": 1.1 + s}, rtol=1e-12, atol=1e-13)["x"] for s in (h, -h)]
    np.testing.assert_allclose(r["d(x)/d(L)"], (near[0] - near[1]) / (2 * h), atol=1e-6)


def test_an_engine_has_them_in_every_run():
    engine = pendulum().compile(sensitivities=["L"], until=1, rtol=1e-8, points=2)
    short, long = (engine.run(L=L)["d(F)/d(L)"][-1] for L in (1.0, 2.0))
    assert np.isfinite(short) and np.isfinite(long) and short != long


def test_unknown_names_are_named():
    with pytest.raises(dd.ModelError, match="'q'"):
        dd.parse(DECAY).simulate(until=1, sensitivities=["q"])
    with pytest.raises(TypeError, match="sensitivities must be a list"):
        dd.parse(DECAY).simulate(until=1, sensitivities="k")


class TestFit:
    @pytest.fixture(autouse=True)
    def scipy(self):
        pytest.importorskip("scipy")

    def test_without_noise_it_finds_what_made_the_data(self):
        t = np.linspace(0, 3, 20)
        f = dd.fit(dd.parse(DECAY), {"time": t, "x": 5 * np.exp(-1.3 * t)}, {"k": 0.5, "x": 2})
        assert f.success
        assert f.parameters["k"] == pytest.approx(1.3, rel=1e-6)
        assert f.parameters["x"] == pytest.approx(5, rel=1e-6)
        assert f.result["x"][0] == pytest.approx(5, rel=1e-6)
        assert "k = 1.3" in repr(f)

    def test_errors_are_those_of_linear_regression(self):
        # x = x0 + a t is linear in both: SciPy's curve_fit knows the covariance.
        from scipy.optimize import curve_fit

        model = dd.parse("model Line parameter Real a = 1; Real x(start = 0, fixed = true); "
                         "equation der(x) = a; end Line;")
        t = np.linspace(0, 1, 25)
        x = 0.3 + 2 * t + 0.05 * np.random.default_rng(3).normal(size=25)
        f = dd.fit(model, {"t": t, "x": x}, ["a", "x"])
        best, covariance = curve_fit(lambda t, a, b: b + a * t, t, x)
        assert list(f.parameters.values()) == pytest.approx(list(best), rel=1e-6)
        np.testing.assert_allclose(f.covariance, covariance, rtol=1e-5)

    def test_missing_measurements_bounds_and_weights(self):
        t = np.linspace(0, 2, 21)
        x = 2 * np.exp(-0.9 * t)
        x[5] = np.nan
        x[8] = 100.0  # an outlier of known uncertainty
        sigma = np.full(21, 0.01)
        sigma[8] = 1e6
        f = dd.fit(dd.parse(DECAY), {"time": t, "x": x}, {"k": (0.5, 0.1, 2.0)}, sigma={"x": sigma})
        assert f.parameters["k"] == pytest.approx(0.9, rel=1e-6)
        limited = dd.fit(dd.parse(DECAY), {"time": t, "x": x}, {"k": (0.5, 0.1, 0.6)}, sigma={"x": sigma})
        assert limited.parameters["k"] == pytest.approx(0.6, rel=1e-6)

    def test_what_is_wrong_is_said(self):
        model = dd.parse(DECAY)
        with pytest.raises(ValueError, match="no column 'time'"):
            dd.fit(model, {"x": [1.0]}, ["k"])
        with pytest.raises(ValueError, match="2 values for 3 times"):
            dd.fit(model, {"time": [0, 1, 2], "x": [1.0, 2.0]}, ["k"])
        with pytest.raises(dd.UnknownNameError, match="z"):
            dd.fit(model, {"time": [0, 1], "z": [1.0, 2.0]}, ["k"])
