"""Models by text, by equations, by energies: the same pendulum each time, so that each is a witness of the others."""

import pickle

import numpy as np
import pytest

import daedalus as dd


def pendulum_of_equations():
    m = dd.Model("Pendulum")
    L, g = m.parameter("L", 1), m.parameter("g", 9.81)
    x, y = m.variable("x", start=1), m.variable("y", start=0, fixed=True)
    vx, vy = m.variable("vx"), m.variable("vy", start=0, fixed=True)
    F = m.variable("lambda")
    m.equation(dd.der(x) == vx)
    m.equation(dd.der(y) == vy)
    m.equation(dd.der(vx) == -F * x)
    m.equation(dd.der(vy), -F * y - g)
    m.equation(x**2 + y**2 == L**2, label="rod")
    return m


def test_text_and_operators_make_the_same_model(pendulum_text):
    text = dd.parse(pendulum_text).simulate(until=3)
    built = pendulum_of_equations().simulate(until=3)
    # The same expressions: the same numbers and the same work, bit by bit.
    assert np.array_equal(text["x"], built["x"])
    for counter in ("steps", "rejected", "residual_evals", "jacobian_evals"):
        assert text.summary[counter] == built.summary[counter]


def test_a_file_is_its_text(root):
    path = root / "examples" / "pendulum.mo"
    a = dd.load(path).simulate(until=1)
    b = dd.parse(path.read_text()).simulate(until=1)
    assert np.array_equal(a["x"], b["x"])
    assert dd.load(str(path)).name == "Pendulum"
    assert dd.load(path).parameters == ["m", "L", "g"]


def test_a_mechanism_file(root):
    r = dd.load(root / "problems" / "mechanisms" / "fourbar.xml").simulate(until=1)
    energy = r["energy"]
    assert np.ptp(energy) < 1e-4 * (1 + np.max(np.abs(energy)))  # conserved to about the tolerance, 1e-6, times steps


def test_the_same_run_twice_is_the_same(pendulum_text):
    model = dd.parse(pendulum_text)
    a, b = model.simulate(until=2), model.simulate(until=2)
    assert np.array_equal(a["x"], b["x"])


def test_energies_give_the_equations(pendulum_text):
    m = dd.Lagrangian("Pendulum")
    x, y = m.coordinate("x", start=1, rate=0.0), m.coordinate("y", start=0, fixed=True, rate=0.0, rate_fixed=True)
    m.kinetic = (dd.der(x) ** 2 + dd.der(y) ** 2) / 2
    m.potential = 9.81 * y
    m.constraint(x**2 + y**2 == 1, name="rod")
    r = m.simulate(until=3, rtol=1e-10, atol=1e-10)
    text = dd.parse(pendulum_text).simulate(until=3, rtol=1e-10, atol=1e-10)
    assert np.max(np.abs(r["x"] - text["x"])) < 1e-7  # both to 1e-10 a step
    assert "multiplier of rod" in r


def test_a_generalised_force():
    m = dd.Lagrangian("Oscillator")
    q = m.coordinate("q", start=1, fixed=True, rate=0.0, rate_fixed=True)
    m.kinetic = dd.der(q) ** 2 / 2
    m.potential = 2 * q**2
    m.force(q, -0.4 * dd.der(q))
    r = m.simulate(until=5, rtol=1e-9, atol=1e-11)
    # q'' + 0.4 q' + 4 q = 0
    w = np.sqrt(4 - 0.04)
    exact = np.exp(-0.2 * r.t) * (np.cos(w * r.t) + 0.2 / w * np.sin(w * r.t))
    assert np.max(np.abs(r["q"] - exact)) < 1e-6
    with pytest.raises(dd.ModelError, match="no coordinate"):
        m.force(dd.der(q), 1.0)


def test_events():
    m = dd.Model("Ball")
    h, v = m.variable("h", start=1, fixed=True), m.variable("v", start=0, fixed=True)
    bounces = m.variable("bounces", kind="integer", start=0)
    m.equation(dd.der(h) == v)
    m.equation(dd.der(v) == -9.81)
    m.when(h < 0).reinit(v, -0.5 * dd.pre(v)).set(bounces, dd.pre(bounces) + 1)
    r = m.simulate(until=1)
    fall = np.sqrt(2 / 9.81)
    hits = [e["t"] for e in r.summary["event_log"] if "became true" in e["what"]]
    assert hits == pytest.approx([fall, 2 * fall], abs=1e-8)  # half the velocity flies as long as the fall took
    assert r["bounces"][-1] == 2


def test_time_samples_assertions_and_termination():
    m = dd.Model("Clock")
    x, n = m.variable("x", start=0, fixed=True), m.variable("n", kind="discrete", start=0)
    m.equation(dd.der(x) == m.time)
    m.when(m.sample(0.25, 0.25)).set(n, dd.pre(n) + 1)
    m.when(x > 0.125).terminate("half")
    m.assertion(x < 10, "too far")
    r = m.simulate(until=5)
    assert r.t[-1] == pytest.approx(0.5, abs=1e-6)  # x = t²/2
    assert r["n"][-1] >= 1
    assert "half" in r.summary["reason"]


def test_initial_equations_and_unknown_parameters():
    m = dd.Model("Start")
    x, k = m.variable("x"), m.variable("k", kind="parameter", start=1)
    m.equation(dd.der(x) == -k * x)
    m.initial_equation(x == 2)
    m.initial_equation(dd.der(x), -6)
    r = m.simulate(until=1, rtol=1e-9)
    assert r["x"][-1] == pytest.approx(2 * np.exp(-3), rel=1e-7)


def test_functions_of_numbers_expressions_and_arrays():
    assert dd.sin(0.5) == np.sin(0.5)
    assert np.allclose([float(v) for v in dd.atan2(np.array([1.0, 2.0]), 3.0)], np.arctan2([1, 2], 3))
    m = dd.Model()
    q = m.variables("q", 3, start=[1, 2, 3], fixed=True)
    assert [v.name for v in q] == ["q[1]", "q[2]", "q[3]"]
    for e, v in zip(q, [1, 2, 3]):
        m.equation(dd.der(e) == 0 * e)
    outputs = [np.sin(q).sum(), np.dot(q, q), np.hypot(q[0], q[1]), np.maximum(q[0], q[2]), np.float64(2) * q[1],
               dd.where(q[0] > 0, q[1], q[2]), abs(-q[0]), np.exp2(q[1]), 2 / q[2], 2 - q[2], 2**q[2]]
    for k, value in enumerate(outputs):
        m.equation(m.variable(f"o{k}") == value)
    r = m.simulate(until=1)
    v = np.array([1.0, 2.0, 3.0])
    expected = [np.sin(v).sum(), v @ v, np.hypot(1, 2), 3, 4, 2, 1, 4, 2 / 3, -1, 8]
    assert [r[f"o{k}"][-1] for k in range(len(outputs))] == pytest.approx(expected, rel=1e-12)


def test_expressions_are_shown_as_text():
    m = dd.Model()
    x, k = m.variable("x"), m.parameter("k", 2)
    assert repr(k * dd.der(x)) in ("k * der(x)", "der(x) * k")
    assert "==" in repr(x == k)
    assert x.name == "x" and (x + 1).name == ""


def test_set_changes_parameters_and_start_values(pendulum_text):
    r = dd.parse(pendulum_text).simulate(until=1, set={"L": 2.0, "x": 2.0})
    assert r["x"][0] == 2.0 and r.parameters["L"] == 2.0
    m = dd.Model()
    k, x = m.parameter("k", 1), m.variable("x", start=1, fixed=True)
    m.equation(dd.der(x) == -k * x)
    r = m.simulate(until=1, rtol=1e-9, set={"k": 2, "x": 3})
    assert r["x"][-1] == pytest.approx(3 * np.exp(-2), rel=1e-7)
    assert m.simulate(until=1)["x"][0] == 1  # the model is as it was
    assert dd.parse("model A parameter Real c[2] = {1, 2}; Real x = c[1] + time; end A;").simulate(
        set={"c": np.array([5.0, 6.0])})["x"][0] == 5


def test_experiment():
    m = dd.Model()
    x = m.variable("x", start=1, fixed=True)
    m.equation(dd.der(x) == -x)
    m.experiment(start=1, stop=3, interval=0.5)
    assert m.simulate().t.tolist() == [1, 1.5, 2, 2.5, 3]


def test_check_is_the_command_line_s(root, program):
    import json

    path = root / "examples" / "pendulum.mo"
    found = dd.load(path).check()
    assert found == json.loads(program("check", path, "--json").stdout)
    shown = program("check", path).stdout
    until = shown.index("Recommended")  # from there on it is about options, which have other names in Python
    assert str(found)[:until] == shown[:until] and 'formulation="' in str(found)[until:]
    assert found.index == 3 and found["dof"] == 2
    assert "<pre>" in found._repr_html_()


def test_text_models_can_be_pickled(pendulum_text):
    model = pickle.loads(pickle.dumps(dd.parse(pendulum_text, name="p.mo")))
    assert model.name == "Pendulum" and model.simulate(until=0.1).ok


def test_many_threads_share_a_model(pendulum_text):
    from concurrent.futures import ThreadPoolExecutor

    model = dd.parse(pendulum_text)
    alone = model.simulate(until=1)["x"]
    with ThreadPoolExecutor(4) as pool:
        for r in pool.map(lambda _: model.simulate(until=1), range(16)):
            assert np.array_equal(r["x"], alone)


def decay():
    m = dd.Model("Decay")
    u, x = m.input("u"), m.variable("x", start=1, fixed=True)
    m.equation(dd.der(x) == -x + u)
    return m


def test_output_times_of_the_caller():
    r = decay().simulate(t_eval=[0, 0.1, 0.5, 2], rtol=1e-9, atol=1e-11)
    assert r.t.tolist() == [0, 0.1, 0.5, 2] and r.ok and set(r.names) == {"x", "u"}
    assert r["x"] == pytest.approx(np.exp(-r.t), rel=1e-7)  # a hundred times rtol
    longer = decay().simulate(until=3, t_eval=[0.5, 1])
    assert longer.t.tolist() == [0.5, 1] and longer.summary["t_end"] == 3
    assert longer(2.0)["x"] == pytest.approx(np.exp(-2), rel=1e-5)
    assert decay().simulate(until=3, dense=True).at([1, 2])["x"] == pytest.approx(np.exp([-1, -2]), rel=1e-5)
    with pytest.raises(TypeError, match="not both"):
        decay().simulate(t_eval=[0, 1], points=5)
    with pytest.raises(dd.ModelError, match="must rise"):
        decay().simulate(t_eval=[0, 1, 0.5])
    with pytest.raises(dd.ModelError, match="the run ends at 3"):
        longer.at([1, 4])


def test_a_run_may_begin_later():
    m = dd.Model("Ramp")
    x = m.variable("x", start=0, fixed=True)
    m.equation(dd.der(x) == 2 * m.time)
    r = m.simulate(start=1, until=3, rtol=1e-9, atol=1e-11)
    assert (r.t[0], r.t[-1]) == (1, 3) and r["x"][-1] == pytest.approx(8, abs=1e-8)  # 3² - 1²
    assert m.simulate(start=-1, t_eval=[-1, 0]).t.tolist() == [-1, 0]
    assert m.compile(start=1).run(until=3)["x"][-1] == pytest.approx(8, abs=1e-5)
    with pytest.raises(dd.ModelError, match="lies before the start time"):
        m.simulate(start=4, until=3)


def test_inputs_at_the_times_of_the_caller():
    r = decay().simulate(t_eval=[0, 1, 2], start=0, inputs={"u": lambda t: 1.0}, rtol=1e-9, atol=1e-11)
    assert r.t.tolist() == [0, 1, 2] and r["x"] == pytest.approx(np.ones(3), abs=1e-9)


def test_a_run_that_the_model_ends_keeps_what_it_reached():
    m = decay()
    m.when(m.time > 1).terminate("enough")
    r = m.simulate(t_eval=[0, 0.5, 1.5])
    assert r.t.tolist() == [0, 0.5]


def test_no_step_is_longer_than_asked_for():
    for made in (decay().simulate(until=1, max_step=0.05, dense=True), decay().compile(max_step=0.05).run(until=1, dense=True),
                 decay().simulate(until=1, max_step=0.05, dense=True, inputs={"u": lambda t: 0.0})):
        steps = [made._run.segment(k) for k in range(made._run.segments())]
        assert max(end - begin for begin, end in steps) <= 0.05 * (1 + 1e-9)
    assert decay().simulate(until=1, max_step=np.inf).ok
    with pytest.raises(dd.ModelError, match="max_step must be positive"):
        decay().simulate(until=1, max_step=-1)


def lag():
    m = dd.Model("Lag")
    u, x = m.input("u"), m.variable("x", start=0, fixed=True)
    m.equation(dd.der(x) == u)
    return m


def test_inputs_are_numbers_tables_or_frames():
    m = lag()
    table = ([0.0, 1.0, 1.0, 3.0], [0.0, 2.0, 5.0, 5.0])  # a jump at 1, and held after 3
    for inputs, area in (({"u": 2}, 8), ({"u": table}, 1 + 10 + 5), ({"u": np.float64(1.5)}, 6)):
        assert m.simulate(until=4, inputs=inputs, rtol=1e-9)["x"][-1] == pytest.approx(area, rel=1e-8)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"time": table[0], "u": table[1]})
    for given in (frame, frame.set_index("time")):
        assert m.simulate(until=4, inputs=given, rtol=1e-9)["x"][-1] == pytest.approx(16, rel=1e-8)


@pytest.mark.parametrize("inputs", [[1, 2], {"u": "sin"}, {"u": [1, 2]}, {3: np.sin}])
def test_inputs_of_the_wrong_kind(inputs):
    with pytest.raises(TypeError, match="inputs must be a dictionary"):
        lag().simulate(until=1, inputs=inputs)


def test_tables_that_are_none():
    for times, values in (([0, 1], [1]), ([], []), ([1, 0], [1, 2]), ([0, np.nan], [1, 2])):
        with pytest.raises(dd.ModelError, match="of the input 'u'"):
            lag().simulate(until=1, inputs={"u": (times, values)})
