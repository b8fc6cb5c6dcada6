"""Models, engines and results go to other processes and come back the same."""

import concurrent.futures
import multiprocessing
import pickle

import numpy as np
import pytest

import daedalus as dd


def again(thing):
    return pickle.loads(pickle.dumps(thing))


def written():
    m = dd.Model("Everything")
    g, h, v = m.parameter("g", 9.81), m.variable("h", start=1, fixed=True), m.variable("v", start=0, fixed=True)
    n = m.variable("n", kind="integer", start=0)
    m.equation(dd.der(h) == v, label="speed")
    m.equation(dd.der(v) == -g + dd.where(m.time > 2, 0.1, 0.0))
    m.when(h < 0).reinit(v, -0.8 * dd.pre(v)).set(n, dd.pre(n) + 1)
    m.assertion(h > -1, "fell through")
    m.experiment(stop=1.5, tolerance=1e-8)
    return m


def energies():
    m = dd.Lagrangian("Pendulum")
    g = m.parameter("g", 9.81)
    x, y = m.coordinate("x", start=1), m.coordinate("y", start=0, rate=0.0)
    m.kinetic = (dd.der(x) ** 2 + dd.der(y) ** 2) / 2
    m.potential = g * y
    m.force(x, -0.1 * dd.der(x))
    m.constraint(x**2 + y**2 == 1, name="rod")
    return m


def mechanism():
    m = dd.Mechanism("Pendulum", planar=True, gravity=(0, -9.81))
    rod = m.rod("rod", (0, 0), (1, 0), mass=1)
    hinge = m.revolute("A", m.ground, rod, at=(0, 0))
    m.joint_force("motor", hinge, damping=0.1, law=lambda q: dd.sin(q.time) - 0.1 * q.angular_rate(hinge))
    m.load("wind", rod, at=(1, 0), force=lambda q: (0.1 * q.time, q.velocity(rod)[1], 0))
    return m


@pytest.fixture(params=["text", "written", "energies", "mechanism"])
def model(request, pendulum_text):
    return dd.parse(pendulum_text) if request.param == "text" else globals()[request.param]()


def test_models(model):
    other = again(model)
    assert type(other) is type(model) and repr(other) == repr(model)
    one, two = model.simulate(until=1), other.simulate(until=1)
    assert np.array_equal(one._run.values(), two._run.values()) and one.names == two.names


def test_a_model_can_be_continued():
    m, x = again((lambda m: (m, m.variable("x", start=1)))(written()))
    m.equation(dd.der(x) == -x)
    assert m.simulate(until=1)["x"][-1] == pytest.approx(np.exp(-1), rel=1e-5)
    m = again(mechanism())
    m.marker("tip", m.ground, (1, 0))
    assert "tip.x" in m.simulate(until=0.1).names


def test_engines(model):
    engine = model.compile(until=0.5)
    other = again(engine)
    assert np.array_equal(engine.run()._run.values(), other.run()._run.values())
    assert repr(other) == repr(engine)


def test_an_engine_keeps_what_it_was_compiled_for(pendulum_text):
    engine = dd.parse(pendulum_text).compile(free=["L"], rtol=1e-9, formulation="ggl", set={"g": 1.6})
    other = again(engine)
    assert other.settable == ["L"] and other.formulation == engine.formulation
    one, two = engine.run(until=1, L=2), other.run(until=1, L=2)
    assert np.array_equal(one["x"], two["x"]) and two.parameters == {"L": 2, "g": 1.6}


def test_an_engine_of_a_mechanism_is_as_of_its_compilation():
    m = mechanism()
    engine = m.compile(until=0.1)
    m.marker("tip", m.ground, (1, 0))
    assert "tip.x" not in again(engine).run().names


def test_results(model):
    for r in (model.simulate(until=1, points=11), model.compile().run(until=1, points=11)):
        s = again(r)
        assert np.array_equal(s.t, r.t) and s.names == r.names and s.units == r.units
        assert all(np.array_equal(s[n], r[n]) for n in r.names)
        assert s.parameters == r.parameters and s.summary == r.summary and str(s.summary) == str(r.summary)
        assert s.drift.keys() == r.drift.keys() and all(np.array_equal(s.drift[k], r.drift[k]) for k in r.drift)
        assert s.ok and repr(s) == repr(r) and s.to_csv() == r.to_csv() and s.svg() == r.svg()
        assert s(0.35) == r(0.35)
        assert again(s).summary == r.summary


def test_a_result_with_its_course(pendulum_text):
    r = dd.parse(pendulum_text).simulate(until=1, dense=True)
    assert again(r)(0.123, "x") == r(0.123, "x")


def test_errors():
    m = dd.Model("Blow up")
    x = m.variable("x", start=1, fixed=True)
    m.equation(dd.der(x) == x**2)
    with pytest.raises(dd.SimulationError) as failed:
        m.simulate(until=2)
    other = again(failed.value)
    assert str(other) == str(failed.value) and other.t == failed.value.t
    with pytest.raises(dd.ModelError) as wrong:
        dd.parse("model A Real x; equation x = y; end A;")
    assert again(wrong.value).diagnostics == wrong.value.diagnostics


def last_x(engine, length):
    return engine.run(until=1, L=length)


def test_engines_in_other_processes(pendulum_text):
    engine = dd.parse(pendulum_text).compile(free=["L"], points=11)
    lengths = [1.0, 1.5, 2.0]
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        found = list(pool.map(last_x, [engine] * 3, lengths))
    for length, r in zip(lengths, found):
        assert np.array_equal(r["x"], engine.run(until=1, L=length)["x"])
