"""FMUs that `daedalus export` writes, judged and run by FMPy."""

import os
import subprocess

import numpy as np
import pytest

import daedalus as dd

fmpy = pytest.importorskip("fmpy")
PROGRAM = os.environ.get("DAEDALUS_PROGRAM")
ROOT = os.environ["DAEDALUS_SOURCE_DIR"]
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="the program is not built")

BALL = """model Ball
  parameter Real e = 0.5;
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
  Integer n(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -2;
  when h < 0 then reinit(v, -e*pre(v)); n = pre(n) + 1; end when;
  annotation(experiment(StopTime = 2));
end Ball;
"""

CIRCUIT = """model Switched "an RC filter that a switch loads"
  parameter Real R = 1, C = 0.5, Rs = 0.1;
  input Real u(start = 1);
  Real v(start = 0, fixed = true, unit = "V"), i(unit = "A"), load(unit = "A");
  Boolean closed;
equation
  closed = v > 0.5;
  u - v = R*i;
  load = if closed then v/(1 + Rs) else 0;
  C*der(v) = i - load;
  annotation(experiment(StopTime = 3, Tolerance = 1e-8));
end Switched;
"""

MODELS = {
    "pendulum": ("examples/pendulum.mo", ["x", "y", "lambda"]),
    "four-bar with redundant joints": ("problems/mechanisms/fourbar.xml", ["crank.x", "rocker.z"]),
    "slider crank": ("problems/slider_crank.mo", []),
    "ball": (BALL, ["h", "v", "n"]),
    "circuit": (CIRCUIT, ["v", "i", "closed"]),
}


@pytest.fixture
def export(tmp_path):
    def make(model, *arguments, version=3):
        if "\n" in model:
            path = tmp_path / "model.mo"
            path.write_text(model)
        else:
            path = os.path.join(ROOT, model)
        fmu = str(tmp_path / f"unit{len(os.listdir(tmp_path))}.fmu")
        done = subprocess.run([PROGRAM, "export", str(path), "--fmu", fmu, "--fmi", str(version), *arguments],
                              capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return fmu

    return make


def loaded(model, **free):
    return (dd.parse(model) if "\n" in model else dd.load(os.path.join(ROOT, model))).compile(**free)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("name", MODELS)
def test_validates_and_agrees_with_our_own_steps(export, name, version):
    model, outputs = MODELS[name]
    fmu = export(model, "--parameters", "none", version=version)
    from fmpy.validation import validate_fmu

    assert validate_fmu(fmu) == []
    times = np.linspace(0, 1.5, 31)
    rows = fmpy.simulate_fmu(fmu, stop_time=1.5, step_size=times[1], output_interval=times[1], output=outputs or None,
                             set_stop_time=False, fmi_type="CoSimulation")
    sim = loaded(model).start()
    for k, t in enumerate(times):
        sim.advance_to(t)
        for column in rows.dtype.names[1:]:
            assert rows[column][k] == pytest.approx(sim[column], rel=1e-9, abs=1e-9), (column, t)


EXCHANGED = {
    "pendulum": ("examples/pendulum.mo", ["x", "y", "vx"]),
    "four-bar with redundant joints": ("problems/mechanisms/fourbar.xml", ["crank.x", "rocker.z"]),
    "slider crank": ("problems/slider_crank.mo", ["theta1", "theta2"]),
    "ball": (BALL, ["h", "v", "n"]),
    "circuit": (CIRCUIT, ["v", "i", "closed"]),
}


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("name", EXCHANGED)
def test_model_exchange_with_cvode_agrees_to_the_tolerance(export, name, version):
    model, outputs = EXCHANGED[name]
    fmu = export(model, "--parameters", "none", "--rtol", "1e-9", version=version)
    times = np.linspace(0, 1.47, 22)  # the ball bounces at 1 and 2
    rows = fmpy.simulate_fmu(fmu, fmi_type="ModelExchange", solver="CVode", stop_time=1.47, output_interval=times[1],
                             output=outputs, relative_tolerance=1e-8, set_stop_time=False)
    model = dd.parse(model) if "\n" in model else dd.load(os.path.join(ROOT, model))
    own = model.simulate(until=1.47, points=22, rtol=1e-9)
    for k, t in enumerate(times):
        # After an event FMPy has a row before and one after it: the last of each time is compared.
        row = rows[np.flatnonzero(np.isclose(rows["time"], t, rtol=0, atol=1e-9))[-1]]
        for column in outputs:
            assert row[column] == pytest.approx(own[column][k], rel=1e-4, abs=1e-5), (column, t)


def test_model_exchange_holds_the_constraints(export):
    # Ten seconds of CVode at 1e-5: its states drift, and what is read does not.
    fmu = export("examples/pendulum.mo", "--parameters", "none")
    rows = fmpy.simulate_fmu(fmu, fmi_type="ModelExchange", solver="CVode", stop_time=10, output_interval=0.05,
                             output=["x", "y", "vx", "vy"], relative_tolerance=1e-5)
    assert np.abs(rows["x"] ** 2 + rows["y"] ** 2 - 1).max() < 1e-10
    assert np.abs(rows["x"] * rows["vx"] + rows["y"] * rows["vy"]).max() < 1e-10


def test_model_exchange_differentiates_by_states(export):
    # x'' = -l x, l = v² - g y on the unit circle, at (1, 0) with v = (0, 2): ∂(vx')/∂vy = -2 vy. A change of vx leaves the
    # tangent δvx = -2 δy; the nearest on it is δy = -2/5, δvx = 4/5, and ∂(vx')/∂y = g.
    text = """model P
      Real x(start = 1, fixed = true), y(start = 0), vx, vy(start = 2, fixed = true), l;
    equation
      der(x) = vx; der(y) = vy; der(vx) = -l*x; der(vy) = -l*y - 9.81; x^2 + y^2 = 1;
    end P;"""
    unit = Unit(export(text), exchange=True).initialise()
    assert derivative(unit, ["der(vx)"], ["vy"], [1.0]) == [pytest.approx(-4, rel=1e-9)]
    assert derivative(unit, ["der(vx)"], ["vx"], [1.0]) == [pytest.approx(-0.4 * 9.81, rel=1e-9)]


def test_parameters_and_inputs(export):
    fmu = export(CIRCUIT, "--outputs", "v")
    description = fmpy.read_model_description(fmu)
    kinds = {v.name: (v.causality, v.variability) for v in description.modelVariables}
    assert kinds["R"] == ("parameter", "tunable")
    assert kinds["u"] == ("input", "continuous")
    assert kinds["v"] == ("output", "continuous")
    assert kinds["i"] == ("local", "continuous")
    # Below the switch's threshold it is v = u (1 - exp(-t / (R C))).
    rows = fmpy.simulate_fmu(fmu, stop_time=1, output_interval=0.1, start_values={"R": 2.0, "u": 0.4},
                             relative_tolerance=1e-9)
    np.testing.assert_allclose(rows["v"], 0.4 * (1 - np.exp(-rows["time"])), atol=1e-7)
    # A step of the input at 0.5.
    signal = np.array([(0.0, 0.0), (0.5, 0.0), (0.5, 0.4), (1.0, 0.4)], dtype=[("time", float), ("u", float)])
    rows = fmpy.simulate_fmu(fmu, stop_time=1, output_interval=0.1, start_values={"R": 2.0}, input=signal,
                             relative_tolerance=1e-9)
    late = rows["time"] > 0.55
    np.testing.assert_allclose(rows["v"][late], 0.4 * (1 - np.exp(-(rows["time"][late] - 0.5))), atol=1e-6)


class Unit:
    """An FMU in the hand."""

    def __init__(self, path, exchange=False):
        self.description = fmpy.read_model_description(path)
        folder = fmpy.extract(path)
        from fmpy.fmi3 import FMU3Model, FMU3Slave

        self.fmu = (FMU3Model if exchange else FMU3Slave)(
            guid=self.description.guid, unzipDirectory=folder,
            modelIdentifier=self.description.coSimulation.modelIdentifier, instanceName="unit")
        self.references = {v.name: v.valueReference for v in self.description.modelVariables}
        self.fmu.instantiate()

    def initialise(self, **values):
        for name, value in values.items():
            self.set(name, value)
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()
        return self

    def get(self, name):
        return self.fmu.getFloat64([self.references[name]])[0]

    def set(self, name, value):
        self.fmu.setFloat64([self.references[name]], [value])

    def step(self, t, h):
        self.fmu.doStep(currentCommunicationPoint=t, communicationStepSize=h)


def test_states_are_checkpoints_also_as_bytes(export):
    fmu = export(BALL)
    unit = Unit(fmu).initialise()
    unit.step(0, 0.7)
    state = unit.fmu.getFMUState()
    saved = unit.fmu.serializeFMUState(state)
    unit.step(0.7, 1.0)
    end = unit.get("h"), unit.get("v")
    unit.fmu.setFMUState(state)
    assert unit.get("time") == 0.7
    unit.step(0.7, 1.0)
    assert (unit.get("h"), unit.get("v")) == end
    other = Unit(fmu).initialise()
    other.fmu.setFMUState(other.fmu.deserializeFMUState(saved))
    other.step(0.7, 1.0)
    assert (other.get("h"), other.get("v")) == end


def test_directional_derivatives(export):
    unit = Unit(export(CIRCUIT)).initialise(R=2.0)
    assert derivative(unit, ["i"], ["u"], [1.0]) == [pytest.approx(0.5, rel=1e-12)]  # i = (u - v) / R
    assert derivative(unit, ["i"], ["R"], [1.0]) == [pytest.approx(-0.25, rel=1e-12)]


def derivative(unit, unknowns, knowns, seed):
    import ctypes

    references = (ctypes.c_uint32 * len(unknowns))(*(unit.references[n] for n in unknowns))
    with_respect_to = (ctypes.c_uint32 * len(knowns))(*(unit.references[n] for n in knowns))
    seeds = (ctypes.c_double * len(seed))(*seed)
    result = (ctypes.c_double * len(unknowns))()
    unit.fmu.fmi3GetDirectionalDerivative(unit.fmu.component, references, len(unknowns), with_respect_to, len(knowns),
                                          seeds, len(seed), result, len(unknowns))
    return list(result)


def test_two_coupled_units_hold_their_constraints(export):
    # Two pendulums, index 3, each pulled by a spring to where the other one is: forces pass at communication points.
    text = """model Pull
      parameter Real L = 1, k = 2;
      input Real other;
      Real x(start = 0.6, fixed = true), y(start = -0.8), vx(start = 0, fixed = true), vy, l;
    equation
      der(x) = vx; der(y) = vy; der(vx) = -l*x + k*(other - x); der(vy) = -l*y - 9.81; x^2 + y^2 = L^2;
      annotation(experiment(StopTime = 180, Tolerance = 1e-8));
    end Pull;"""
    fmu = export(text, "--outputs", "x,y")
    a, b = Unit(fmu).initialise(other=-0.2), Unit(fmu).initialise(x=-0.2, other=0.6)
    h, worst = 0.05, 0.0
    for k in range(int(180 / h)):
        a.step(k * h, h)
        b.step(k * h, h)
        a.set("other", b.get("x"))
        b.set("other", a.get("x"))
        for unit in (a, b):
            worst = max(worst, abs(unit.get("x") ** 2 + unit.get("y") ** 2 - 1))
    assert worst <= 1e-10


def test_what_is_wrong_is_said(export, tmp_path):
    unit = Unit(export(BALL)).initialise()
    with pytest.raises(Exception):
        unit.set("h", 2.0)  # a state is not set after the initialisation
    done = subprocess.run([PROGRAM, "export", os.path.join(ROOT, "examples/pendulum.mo"), "--fmu",
                           str(tmp_path / "p.fmu"), "--outputs", "q"], capture_output=True, text=True)
    assert done.returncode == 2 and "'q' cannot be an output" in done.stderr
