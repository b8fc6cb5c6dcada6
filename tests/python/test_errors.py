"""Bad use raises the documented exception, with the text of the command line."""

import math

import numpy as np
import pytest

import daedalus as dd


def command_line_says(program, *arguments):
    done = program(*arguments)
    assert done.returncode == 2, done.stderr
    return done.stderr.rstrip("\n")


BAD_TEXTS = {
    "syntax": "model A\n  Real x;\nequation\n  x = ;\nend A;\n",
    "unbalanced": "model A\n  Real x, y;\nequation\n  x = 1;\nend A;\n",
    "contradiction": "model A\n  Real x(start = 1, fixed = true);\nequation\n  x = 2;\nend A;\n",
    "unknown": "model A\n  Real x = yy;\nend A;\n",
    "empty": "",
    "binary": "\x00\x01\x02",
    "not a model": "hello, world\n",
    "not xml": "<mujoco><body></mujoco>",
    "html": "<!DOCTYPE html><html><body></body></html>",
}


@pytest.mark.parametrize("kind", BAD_TEXTS)
def test_the_text_is_the_command_line_s(kind, program, tmp_path):
    path = tmp_path / "model.mo"
    path.write_text(BAD_TEXTS[kind])
    with pytest.raises(dd.ModelError) as caught:
        dd.load(path).simulate()
    assert str(caught.value) == command_line_says(program, "run", path)
    assert caught.value.diagnostics and all(d.message for d in caught.value.diagnostics)


def test_diagnostics_have_places(tmp_path):
    path = tmp_path / "model.mo"
    path.write_text(BAD_TEXTS["syntax"])
    with pytest.raises(dd.ModelError) as caught:
        dd.load(path)
    first = caught.value.diagnostics[0]
    assert (first.severity, first.file, first.line, first.column) == ("error", str(path), 4, 7)
    assert "expected an expression" in first.message
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, dd.Error)


def test_related_places_are_hints():
    text = """model A
  Real x(start = 1, fixed = true), v(start = 1, fixed = true), w(start = 2, fixed = true);
equation
  der(x) = v;
  v = w;
  der(v) = -x;
end A;"""
    with pytest.raises(dd.ModelError) as caught:
        dd.parse(text).simulate()
    assert "fixed" in str(caught.value)
    hints = [d.hint for d in caught.value.diagnostics]
    assert all(isinstance(hint, str) for hint in hints)


@pytest.mark.parametrize("path", ["nothing.mo", "", "."])
def test_files_that_are_none(path, program):
    with pytest.raises(dd.ModelError) as caught:
        dd.load(path)
    if path:
        assert str(caught.value) == command_line_says(program, "run", path)


def test_a_failed_run_keeps_what_was_computed(program, tmp_path):
    path = tmp_path / "model.mo"
    path.write_text("model A\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = x^2;\nend A;\n")
    with pytest.raises(dd.SimulationError) as caught:
        dd.load(path).simulate(until=2)
    done = program("run", path, "--until", 2, "--quiet")
    assert done.returncode == 1
    assert str(caught.value) == done.stderr.rstrip("\n")
    assert isinstance(caught.value, RuntimeError)
    assert caught.value.t == pytest.approx(1, abs=1e-3)  # x = 1/(1 - t)
    kept = caught.value.result
    assert kept["x"][1] == pytest.approx(1 / (1 - kept.t[1]), rel=1e-5)
    again = dd.load(path).simulate(until=2, on_failure="return")
    assert not again.ok and len(again.t) == len(kept.t)
    with pytest.raises(ValueError):
        dd.load(path).simulate(on_failure="ignore")


@pytest.fixture
def pendulum(pendulum_text):
    return dd.parse(pendulum_text)


@pytest.mark.parametrize("arguments, message", [
    (dict(formulation="gll"), "unknown formulation 'gll'"),
    (dict(formulation="ggl:X=3"), "X"),
    (dict(formulation=("ggl", {"X": 3})), "X"),
    (dict(formulation=""), "names nothing"),
    (dict(integrator="euler"), "unknown integrator 'euler'"),
    (dict(integrator="backward-euler"), "step"),
    (dict(until=-1), "lies before the start time"),
    (dict(until=math.nan), "until is nan"),
    (dict(until=math.inf), "until is inf"),
    (dict(rtol=0), "tolerances must be positive"),
    (dict(atol=-1), "tolerances must be positive"),
    (dict(step=0, integrator="backward-euler"), "step size must be positive"),
    (dict(points=1), "not a whole number from 2"),
    (dict(points=10**12), "not a whole number from 2"),
    (dict(codegen="fast"), "codegen"),
    (dict(threads=-1), "not a whole number from 0"),
    (dict(set={"Q": 1}), "no parameter or variable of that name"),
    (dict(set={"L": math.nan}), "not a finite number"),
    (dict(set={"L": "1 +"}), "expected an expression"),
])
def test_wrong_options(pendulum, arguments, message):
    with pytest.raises(dd.ModelError, match=message):
        pendulum.simulate(**{"until": 1, **arguments})


@pytest.mark.parametrize("arguments", [dict(until="1"), dict(until=[1, 2]), dict(rtol=None, atol="a"), dict(points=2.5),
                                       dict(points="3"), dict(set=[1]), dict(set={1: 2}), dict(formulation=3),
                                       dict(integrator=None), dict(until=1j), dict(set={"L": object()})])
def test_wrong_types(pendulum, arguments):
    with pytest.raises(TypeError):
        pendulum.simulate(**{"until": 1, **arguments})


def test_unknown_signals(pendulum):
    r = pendulum.simulate(until=0.1)
    with pytest.raises(KeyError, match="unknown variable 'lamda'; did you mean 'lambda'"):
        r["lamda"]
    with pytest.raises(dd.UnknownNameError):
        r[""]
    with pytest.raises(TypeError):
        r[0]


def test_expressions_misused():
    m, other = dd.Model("m"), dd.Model("other")
    x, y = m.variable("x"), other.variable("y")
    with pytest.raises(dd.ModelError, match="another model"):
        x + y
    with pytest.raises(dd.ModelError, match="another model"):
        m.equation(x, y)
    with pytest.raises(TypeError, match="not known before the run"):
        if x > 0:
            pass
    with pytest.raises(TypeError, match="neither true nor false"):
        assert x == 1
    with pytest.raises(TypeError):
        math.sin(x)
    with pytest.raises(TypeError):
        x + "1"
    with pytest.raises(TypeError):
        x @ x
    with pytest.raises(TypeError, match="1 argument"):
        dd.sin(x, x)
    with pytest.raises(TypeError, match="a number or an expression"):
        dd.sin("x")
    with pytest.raises(TypeError):
        dd.der("x")
    with pytest.raises(TypeError):
        m.equation("x")
    with pytest.raises(dd.ModelError, match="no unknowns"):
        m.equation(1 == 2)
    assert (x == None) is False  # noqa: E711  as of any object


def test_models_misused():
    m = dd.Model("m")
    x = m.variable("x", start=1, fixed=True)
    m.variable("x")
    m.equation(dd.der(x) == -x)
    with pytest.raises(dd.ModelError, match="'x' is used twice"):
        m.simulate()
    with pytest.raises(dd.ModelError, match="kind of variable"):
        m.variable("z", kind="continuos")
    with pytest.raises(dd.ModelError, match="start of 'z' is nan"):
        m.variable("z", start=math.nan)
    with pytest.raises(TypeError, match="must be a number"):
        m.variable("z", start="1")
    with pytest.raises(TypeError, match="must be a number"):
        m.parameter("k", None)
    with pytest.raises(dd.ModelError, match="not a finite number"):
        m.parameter("k", math.inf)
    with pytest.raises(TypeError):
        dd.Model(3)
    assert dd.Model("empty").simulate().names == []  # nothing to do, and done
    lost = dd.Model("lost")
    n = lost.variable("n", kind="integer")
    with pytest.raises(dd.ModelError, match="nothing gives the discrete variable 'n' a value"):
        lost.simulate()
    lost.when(lost.time > 1).reinit(n + 1, 2)
    with pytest.raises(dd.ModelError, match="needs a variable"):
        lost.simulate()


def test_an_unbalanced_model_of_equations():
    m = dd.Model("m")
    x = m.variable("x", start=1)
    m.variable("y")
    m.equation(dd.der(x) == -x)
    with pytest.raises(dd.ModelError, match="y is not determined"):
        m.simulate()
    with pytest.raises(dd.ModelError, match="y is not determined"):
        m.check()


def test_bytes_that_are_no_text():
    with pytest.raises(TypeError):
        dd.parse(b"model A end A;")
    with pytest.raises(dd.ModelError):
        dd.parse("model A Real \ud800; end A;")


def test_warnings_of_a_model_are_python_s(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text("""<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
      <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>""")
    with pytest.warns(UserWarning, match="limit"):
        model = dd.load(path)
    assert model.warnings and model.warnings[0].severity == "warning"


def test_a_missing_file_is_python_s_error(tmp_path):
    path = tmp_path / "nothing.mo"
    with pytest.raises(FileNotFoundError) as caught:
        dd.load(path)
    assert caught.value.filename == str(path) and isinstance(caught.value, dd.ModelError)
    import pickle

    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.filename == str(path)


@pytest.mark.parametrize("do, words", [
    (lambda p: p.simulate(set={"Q": 1}), 'set["Q"]: the model has no'),
    (lambda p: p.simulate(set={"L": "1 +"}), 'set["L"]'),
    (lambda p: p.simulate(integrator="backward-euler"), "step=H"),
    (lambda p: dd.parse("model A parameter Real k; Real x = k; end A;"), 'set={"k": …}'),
])
def test_errors_speak_python(pendulum, do, words):
    with pytest.raises(dd.ModelError) as caught:
        do(pendulum)
    assert words in str(caught.value) and "--" not in str(caught.value)
    assert "--" not in caught.value.diagnostics[0].message


def test_warnings_speak_python():
    with pytest.warns(UserWarning, match='model="NAME" takes another') as told:
        dd.parse("model A Real x = 1; end A; model B Real x = 1; end B;")
    assert "--" not in str(told[0].message)


def test_a_parameter_without_a_value_is_given_one_when_the_model_is_read():
    text = "model A parameter Real k; Real x(start = 1, fixed = true); equation der(x) = -k*x; end A;"
    model = dd.parse(text, set={"k": 2})
    assert model.simulate(until=1, rtol=1e-9)["x"][-1] == pytest.approx(math.exp(-2), rel=1e-6)
    assert model.simulate(until=1, set={"k": 3}, rtol=1e-9)["x"][-1] == pytest.approx(math.exp(-3), rel=1e-6)
    import pickle

    assert pickle.loads(pickle.dumps(model)).simulate(until=1)["x"][-1] == model.simulate(until=1)["x"][-1]


def test_advice_speaks_python(pendulum):
    shown = str(pendulum.check())
    assert 'formulation="' in shown and "--" not in shown
