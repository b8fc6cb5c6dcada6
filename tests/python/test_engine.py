"""Models compiled once: engines, simulations in the hand."""

import copy
import math
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import daedalus as dd


@pytest.fixture
def pendulum(pendulum_text):
    return dd.parse(pendulum_text)


def decay():
    m = dd.Model("Decay")
    k, x = m.parameter("k", 1), m.variable("x", start=1, fixed=True)
    m.equation(dd.der(x) == -k * x)
    return m


BALL = """model Ball
  parameter Real e = 0.5;
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -2;
  when h < 0 then reinit(v, -e*pre(v)); end when;
end Ball;
"""


def test_a_run_is_that_of_simulate(pendulum):
    engine = pendulum.compile(free=["L", "g"], rtol=1e-8)
    assert engine.settable == ["L", "g"]
    for given in ({}, {"L": 2.0, "x": 2.0}, {"g": 1.6, "L": 1.5}):
        one = pendulum.simulate(until=3, set=given, rtol=1e-8)
        r = engine.run(until=3, set=given)
        assert np.array_equal(r.t, one.t) and r["x"] == pytest.approx(one["x"], abs=1e-6)
        assert r.parameters == one.parameters
    assert engine.run(3, L=2.0, x=2.0).parameters["L"] == 2
    assert engine.run(3)(1.5, "x") == pytest.approx(engine.run(3, dense=True)(1.5, "x"))


@pytest.mark.parametrize("formulation", sorted(dd.formulations()))
def test_every_formulation_starts_anywhere(pendulum, formulation):
    """L = 2 contradicts the start x = 1, y = 0: the nearest consistent values are found, which takes other expressions."""
    options = {"formulation": formulation, "until": 0.2, "rtol": 1e-8}
    if formulation == "symmetric-projection":
        options["step"] = 1e-3
    engine = pendulum.compile(free=["L"], **options)
    r, sim = engine.run(L=2), engine.start(L=2)
    assert r["x"][0] == pytest.approx(2, abs=1e-8) and sim["x"] == r["x"][0]
    one = pendulum.simulate(set={"L": 2}, **options)
    assert r["x"][-1] == pytest.approx(one["x"][-1], abs=1e-5)
    sim.advance_to(0.2)
    assert sim["y"] == pytest.approx(one["y"][-1], abs=1e-5)


def test_initial_equations_are_solved_anew_at_every_start():
    m = dd.parse("model I parameter Real k = 1; Real x, y; initial equation x^2 = k; equation der(x) = -x; y = 2*x; end I;")
    engine = m.compile(free=["k"], until=0.1)
    for k in (1.0, 4.0, 9.0):
        assert abs(engine.run(k=k, x=1)["x"][0]) == pytest.approx(math.sqrt(k), abs=1e-8)


def test_free_parameters_of_a_model_of_equations():
    m = decay()
    engine = m.compile(free=["k"], rtol=1e-9, atol=1e-12)
    for k in (0.5, 1.0, 3.0):
        assert engine.run(until=2, k=k)["x"][-1] == pytest.approx(math.exp(-2 * k), rel=1e-7)
        assert engine.run(until=2, k=k, x=2)["x"][-1] == pytest.approx(2 * math.exp(-2 * k), rel=1e-7)
    r = engine.run(until=1, points=11, rtol=1e-5)
    assert len(r.t) == 11
    assert "k" in repr(engine)


def test_what_follows_from_a_free_parameter_is_reported():
    m = dd.parse("model A parameter Real k = 1; parameter Real twice = 2*k; Real x(start = k, fixed = true); "
                 "equation der(x) = -twice*x; end A;")
    r = m.compile(free=["k"]).run(until=1, k=3, rtol=1e-9)
    assert r.parameters == {"k": 3, "twice": 6} and r["x"][0] == 3
    assert r["x"][-1] == pytest.approx(3 * math.exp(-6), rel=1e-6)


def test_an_engine_does_not_follow_its_model():
    m = decay()
    engine = m.compile()
    y = m.variable("y")
    m.equation(y == 1)
    assert engine.run(until=1).names == ["x"]


def test_step_by_step(pendulum):
    engine = pendulum.compile(free=["g"], rtol=1e-9)
    sim = engine.start()
    for k in range(1, 11):
        assert sim.advance(0.1)
        assert sim.time == pytest.approx(0.1 * k, abs=1e-12)
    whole = engine.run(until=1)
    assert sim["x"] == pytest.approx(whole["x"][-1], abs=1e-7)
    assert sim.names == whole.names and list(sim) == sim.names and "x" in sim
    assert np.array_equal(sim.values(), [sim[n] for n in sim.names])
    assert len(sim.drift()) == 3 and np.all(sim.drift() < 1e-6)
    assert sim["time"] == sim.time and sim.steps > 3
    before = sim.time
    assert sim.step() and sim.time > before
    sim.advance_to(2)
    assert sim.time == 2 and not sim.ended and not sim.failed and sim.reason == ""
    assert "t = 2" in repr(sim)


def test_inputs_are_told_between_steps():
    m = dd.Model("Integrator")
    u, x = m.input("u"), m.variable("x", start=0, fixed=True)
    m.equation(dd.der(x) == u)
    engine = m.compile()
    assert engine.settable == ["u"]
    sim = engine.start(u=1)
    expected = 0.0
    for k, value in enumerate((1.0, -2.0, 0.5, 3.0)):
        sim["u"] = value
        assert sim["u"] == value
        sim.advance_to(0.25 * (k + 1))
        expected += 0.25 * value
        assert sim["x"] == pytest.approx(expected, abs=1e-9)


def test_a_variable_is_set_and_the_others_follow(pendulum):
    sim = pendulum.compile().start()
    sim.advance(0.3)
    sim["y"] = -0.6
    sim.make_consistent()
    assert sim["y"] == pytest.approx(-0.6, abs=1e-9) and abs(sim["x"]) == pytest.approx(0.8, abs=1e-9)
    assert sim["x"] * sim["vx"] + sim["y"] * sim["vy"] == pytest.approx(0, abs=1e-9)
    sim.advance(0.3)
    assert np.all(sim.drift() < 1e-6)


@pytest.mark.parametrize("options", [{"formulation": "dummy-derivatives"}, {"formulation": "orthogonal-projection"},
                                     {"integrator": "bdf"}])
def test_a_copy_goes_on_with_the_same_bits(pendulum, options):
    sim = pendulum.compile(**options).start(until=2)
    sim.advance(0.7)
    other, third = sim.copy(), copy.copy(sim)
    sim.advance_to(2)
    assert other.time == 0.7
    other.advance_to(2)
    copy.deepcopy(third).advance(5)
    third.advance_to(2)
    assert np.array_equal(sim.values(), other.values()) and np.array_equal(sim.values(), third.values())


def test_events_on_the_way_and_beyond_the_end_that_was_told():
    """Falls from 1 with acceleration 2: hits at t = 1 with speed 2, leaves with 1, hits again at t = 2."""
    sim = dd.parse(BALL).compile(free=["e"], rtol=1e-9).start(until=0.5)
    sim.advance_to(1.5)
    assert sim["h"] == pytest.approx(0.25, abs=1e-7) and sim["v"] == pytest.approx(0, abs=1e-7)
    sim.advance_to(2.25)  # leaves with 1/2 at t = 2
    assert sim["h"] == pytest.approx(0.0625, abs=1e-6)
    sim = dd.parse(BALL).compile(free=["e"]).start(e=1)
    sim.advance_to(2)
    assert sim["h"] == pytest.approx(1, abs=1e-5)


def test_the_end_of_a_simulation():
    m = decay()
    m.when(m._recipe.time() > 0.5).terminate("enough")
    sim = m.compile().start()
    assert sim.advance(1) is False and sim.ended and not sim.failed
    assert sim.time == pytest.approx(0.5, abs=1e-9)
    m = dd.Model("Blow up")
    x = m.variable("x", start=1, fixed=True)
    m.equation(dd.der(x) == x**2)
    sim = m.compile().start()
    with pytest.raises(dd.SimulationError, match="t = "):
        sim.advance(2)
    assert sim.failed and sim.ended and sim.reason and sim.time == pytest.approx(1, abs=1e-2)
    with pytest.raises(dd.SimulationError) as failed:
        m.compile().run(until=2)
    assert failed.value.result["x"][0] == 1
    assert not m.compile().run(until=2, on_failure="return").ok


def test_names_that_are_not_there(pendulum):
    with pytest.raises(dd.ModelError, match="did you mean 'L'"):
        pendulum.compile(free=["LL"])
    with pytest.raises(dd.ModelError, match="'x' is no parameter"):
        pendulum.compile(free=["x"])
    with pytest.raises(dd.ModelError, match=r"unknown parameter to be free 'q'.*known: k"):
        decay().compile(free=["q"])
    with pytest.raises(TypeError, match="list of names"):
        pendulum.compile(free="L")
    engine = pendulum.compile(free=["L"])
    with pytest.raises(dd.ModelError, match=r"unknown name to be set 'LL'; did you mean 'L'\? \(known: L, "):
        engine.run(LL=1)
    with pytest.raises(dd.ModelError, match="unknown name to be set 'g'"):
        engine.start(g=1)  # not declared free
    with pytest.raises(dd.ModelError, match="nan"):
        engine.run(L=float("nan"))
    with pytest.raises(TypeError, match="number"):
        engine.run(L="one")
    with pytest.raises(TypeError, match="twice"):
        engine.run(set={"L": 1}, L=2)
    sim = engine.start()
    for wrong in (lambda: sim["LL"], lambda: sim.__setitem__("LL", 1)):
        with pytest.raises(dd.UnknownNameError, match="LL"):
            wrong()
    with pytest.raises(dd.ModelError):
        sim["L"] = float("inf")
    with pytest.raises(TypeError):
        sim["L"] = "one"
    with pytest.raises(dd.ModelError, match="unknown formulation"):
        pendulum.compile(formulation="ggll")


def test_mechanisms_have_start_values_only():
    m = dd.Mechanism("Pendulum", planar=True)
    m.revolute("A", m.ground, m.rod("rod", (0, 0), (1, 0)), at=(0, 0))
    with pytest.raises(dd.ModelError, match="numbers in the equations"):
        m.compile(free=["rod.mass"])
    engine = m.compile(until=1)
    assert engine.settable == []
    assert engine.run()["rod.phi"][-1] == pytest.approx(m.simulate(until=1)["rod.phi"][-1], abs=1e-5)


def test_eight_threads_on_one_engine(pendulum):
    engine = pendulum.compile(free=["L"], until=1, points=51)
    lengths = np.linspace(0.5, 2, 8)
    alone = [np.array(engine.run(L=length)["x"]) for length in lengths]
    differing = []

    def work(k):
        for _ in range(25):
            if not np.array_equal(engine.run(L=lengths[k])["x"], alone[k]):
                differing.append(k)
            sim = engine.start(L=lengths[k])
            sim.advance_to(0.5)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert differing == []


def test_threads_take_turns_at_one_simulation(pendulum):
    sim = pendulum.compile().start()
    threads = [threading.Thread(target=lambda: [(sim.advance(0.01), sim["x"], sim.copy()) for _ in range(20)])
               for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 0.2 <= sim.time <= 0.8 + 1e-9 and np.all(sim.drift() < 1e-5)


def test_the_interpreter_is_free_while_a_simulation_advances(pendulum):
    sim = pendulum.compile(rtol=1e-10).start()
    ticks = 0
    thread = threading.Thread(target=sim.advance_to, args=(3000,))
    thread.start()
    while thread.is_alive():
        ticks += 1
        time.sleep(0.001)
    assert ticks > 20 and sim.time == 3000


DRIVEN = """model Driven
  input Real u(start = 0);
  Real x(start = 0, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = u - x;
end Driven;
"""


def test_an_input_is_a_function_of_time():
    model = dd.parse(DRIVEN)
    result = model.simulate(5, rtol=1e-9, inputs={"u": lambda t: math.sin(2 * t)})
    # x'' = sin 2t - x from rest.
    exact = (2 * np.sin(result.t) - np.sin(2 * result.t)) / 3
    assert np.abs(result["x"] - exact).max() < 1e-6
    assert np.abs(result["u"] - np.sin(2 * result.t)).max() < 1e-10


def test_an_engine_takes_functions_and_numbers_in_turn():
    engine = dd.parse(DRIVEN).compile(inputs=["u"], rtol=1e-9, until=2)
    assert engine.settable == ["u"]
    assert engine.run(inputs={"u": lambda t: 1.0})["x"][-1] == pytest.approx(1 - math.cos(2), abs=1e-7)
    assert engine.run(u=1)["x"][-1] == pytest.approx(1 - math.cos(2), abs=1e-7)
    sim = engine.start(inputs={"u": lambda t: 1.0 if t < 1 else 0.0})
    sim.advance_to(2)
    # 1 - cos from rest to t = 1, and on from there without force.
    x, v = 1 - math.cos(1), math.sin(1)
    assert sim["x"] == pytest.approx(x * math.cos(1) + v * math.sin(1), abs=1e-7)
    sim["u"] = lambda t: 0.5 * t
    sim.advance_to(2.5)
    assert sim["u"] == pytest.approx(1.25, abs=1e-10)
    sim["u"] = 3
    sim.advance_to(3)
    assert sim["u"] == 3


def test_what_a_function_raises_is_raised():
    engine = dd.parse(DRIVEN).compile(inputs=["u"], until=2)

    def late(t):
        if t > 1:
            raise KeyError("too late")
        return 0.0

    with pytest.raises(KeyError, match="too late"):
        engine.run(inputs={"u": late})
    sim = engine.start(inputs={"u": late})
    with pytest.raises(KeyError, match="too late"):
        sim.advance_to(2)
    with pytest.raises(TypeError, match="must give a number"):
        engine.run(inputs={"u": lambda t: "one"})
    with pytest.raises(TypeError, match="function of time"):
        engine.run(inputs={"u": 1})
    with pytest.raises(dd.ModelError, match="unknown input"):
        dd.parse(DRIVEN).simulate(1, inputs={"w": math.sin})


def test_functions_are_called_in_every_thread():
    engine = dd.parse(DRIVEN).compile(inputs=["u"], until=1)
    expected = [engine.run(inputs={"u": lambda t, k=k: k * t})["x"][-1] for k in range(4)]
    found = [None] * 4

    def work(k):
        found[k] = engine.run(inputs={"u": lambda t: k * t})["x"][-1]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == expected


# Run by another interpreter: makes its own engine, and loads.
OTHER_PROCESS = """
import sys
import daedalus as dd
model = dd.parse(open(sys.argv[1]).read())
engine = model.compile(formulation=sys.argv[3], integrator=sys.argv[4], rtol=1e-7)
sim = engine.load(sys.argv[2])
while sim.time < 3 and sim.step():
    pass
print(sim.time.hex(), *[float(x).hex() for x in sim.values()])
"""


@pytest.mark.parametrize("formulation, integrator", [("dummy-derivatives", "radau"), ("dummy-derivatives", "bdf"),
                                                     ("orthogonal-projection", "dop853"), ("auto", "auto")])
def test_a_saved_simulation_goes_on_in_another_process(tmp_path, formulation, integrator):
    text = """model Hit "index 3, with events"
  Real x(start = 0.6, fixed = true), y(start = -0.8), u, v(start = 0, fixed = true), l;
  Integer hits(start = 0, fixed = true);
equation
  der(x) = u; der(y) = v; der(u) = -l*x; der(v) = -l*y - 9.81; x^2 + y^2 = 1;
  when x < -0.2 then hits = pre(hits) + 1; end when;
end Hit;"""
    (tmp_path / "hit.mo").write_text(text)
    engine = dd.parse(text).compile(formulation=formulation, integrator=integrator, rtol=1e-7)
    sim = engine.start()
    while sim.time < 1.5:
        sim.step()
    saved = sim.save(tmp_path / "half")
    assert (tmp_path / "half").read_bytes() == saved
    while sim.time < 3:
        sim.step()
    expected = [sim.time.hex(), *[float(x).hex() for x in sim.values()]]
    assert sim["hits"] >= 2
    run = subprocess.run([sys.executable, "-c", OTHER_PROCESS, tmp_path / "hit.mo", tmp_path / "half", formulation,
                          integrator], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == expected


def test_bytes_that_are_no_simulation_are_refused(pendulum):
    engine = pendulum.compile()
    with pytest.raises(dd.ModelError):
        engine.load(b"nothing")
    saved = engine.start().save()
    with pytest.raises(dd.ModelError):
        dd.parse(DRIVEN).compile().load(saved)
    driven = dd.parse(DRIVEN).compile(inputs=["u"])
    with pytest.raises(dd.ModelError, match="'u' was a function of time"):
        driven.load(driven.start(inputs={"u": math.sin}).save())
    sim = driven.load(driven.start(inputs={"u": math.sin}).save(), inputs={"u": math.sin})
    sim.advance(1)
    assert sim["u"] == pytest.approx(math.sin(1), abs=1e-6)


def test_a_simulation_tells_parameters_and_derivatives():
    sim = dd.parse("model M parameter Real k = 3; Real x(start = 2, fixed = true); equation der(x) = -k*x; end M;").compile(free=["k"]).start()
    assert sim["k"] == 3
    assert sim["der(x)"] == pytest.approx(-6, rel=1e-12)
    sim["k"] = 0.5
    assert sim["k"] == 0.5
    assert sim["der(x)"] == pytest.approx(-1, rel=1e-12)
    with pytest.raises(dd.UnknownNameError):
        sim["der(k)"]


def test_a_simulation_does_not_go_back(pendulum):
    sim = pendulum.compile().start()
    sim.advance(0.5)
    for wrong in (lambda: sim.advance(-1), lambda: sim.advance_to(0.25)):
        with pytest.raises(dd.Error, match="cannot go back"):
            wrong()
    with pytest.raises(TypeError, match="'x'"):
        sim["x"] = None
