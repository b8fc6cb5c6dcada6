"""Results: arrays without copies, dense output, files, pictures."""

import io
import json
import pickle
import sys

import numpy as np
import pytest

import daedalus as dd


@pytest.fixture
def run(pendulum_text):
    return dd.parse(pendulum_text).simulate(until=3, rtol=1e-9, atol=1e-11)


def decay(**options):
    m = dd.Model("Decay")
    x = m.variable("x", start=1, fixed=True, unit="m")
    m.equation(dd.der(x) == -x)
    return m.simulate(until=2, **options)


def test_values_by_name(run):
    assert run.names == ["x", "y", "lambda", "vx", "vy"]
    assert run.t[0] == 0 and run.t[-1] == 3 and len(run.t) == len(run["x"]) == 2001
    assert np.array_equal(run["time"], run.t)
    assert "x" in run and "nothing" not in run and len(run) == 5 and list(run) == run.keys()
    assert np.max(np.abs(run["x"] ** 2 + run["y"] ** 2 - 1)) < 1e-12  # the constraint is kept to round-off


def address(array):
    return array.__array_interface__["data"][0]


def test_a_million_values_without_a_copy():
    m = dd.Model("Wide")
    for k in range(100):
        x = m.variable(f"x{k}", start=k, fixed=True)
        m.equation(dd.der(x) == 0 * x + 1)
    r = m.simulate(until=1, points=10_000)
    first = r["x7"]
    assert sum(r[name].size for name in r.names) == 1_000_000
    assert not first.flags.owndata and first.base is not None
    assert address(first) == address(r["x7"])  # the same memory at each reading
    assert address(r["x8"]) - address(first) == 8  # beside each other: views of one table
    assert address(r.t) == address(r.t) and not r.t.flags.owndata
    assert first[-1] == pytest.approx(8, rel=1e-9)


def test_arrays_outlive_the_result_and_cannot_be_written():
    x = decay()["x"]
    assert x[-1] == pytest.approx(np.exp(-2), rel=1e-4)
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 3


def test_memory_is_given_back():
    before = sys.getrefcount(None)
    for _ in range(50):
        decay()["x"]
    assert sys.getrefcount(None) - before < 100


def test_points(run):
    r = decay(points=5)
    assert r.t.tolist() == [0, 0.5, 1, 1.5, 2]


@pytest.mark.parametrize("integrator", ["radau", "bdf", "dop853", "dopri5", "ida"])
def test_dense_output_is_as_good_as_the_steps(integrator):
    r = decay(integrator=integrator, rtol=1e-8, atol=1e-10, points=2, dense=True)
    t = np.linspace(0, 2, 777)
    # Between the steps as at their ends: all of the run's error, which is some multiple of the tolerance.
    at_end = abs(r["x"][-1] - np.exp(-2))
    assert np.max(np.abs(r(t, "x") - np.exp(-t))) < 20 * max(at_end, 1e-8)


def test_dense_output_by_call(run):
    t = np.array([[0.1, 0.7], [1.3, 2.9]])
    values = run(t)
    assert values["x"].shape == (2, 2) and set(values) == set(run.names)
    # Every signal, algebraic ones too, satisfies the equations between the output points.
    assert np.max(np.abs(values["x"] ** 2 + values["y"] ** 2 - 1)) < 1e-8
    centripetal = values["vx"] ** 2 + values["vy"] ** 2 - 9.81 * values["y"]
    assert np.max(np.abs(values["lambda"] - centripetal)) < 1e-6
    assert run(1.0)["x"] == pytest.approx(run["x"][np.searchsorted(run.t, 1.0 - 1e-9)], abs=1e-3)
    assert isinstance(run(1.0, "x"), float)
    k = 1234  # an output point
    assert run(run.t[k], "x") == pytest.approx(run["x"][k], abs=1e-9)
    with pytest.raises(dd.ModelError, match="from 0 to 3"):
        run(3.1)
    with pytest.raises(dd.ModelError, match="from 0 to 3"):
        run(float("nan"))
    with pytest.raises(dd.UnknownNameError, match="did you mean 'x'"):
        run(1.0, "xx")


def test_dense_output_across_events():
    m = dd.Model("Ball")
    h, v = m.variable("h", start=1, fixed=True), m.variable("v", start=0, fixed=True)
    n = m.variable("n", kind="integer", start=0)
    m.equation(dd.der(h) == v)
    m.equation(dd.der(v) == -9.81)
    m.when(h < 0).reinit(v, -dd.pre(v)).set(n, dd.pre(n) + 1)
    r = m.simulate(until=1.3, rtol=1e-9, atol=1e-11, dense=True)
    fall = np.sqrt(2 / 9.81)
    assert r(fall - 1e-6, "v") == pytest.approx(-9.81 * fall, rel=1e-5)
    assert r(fall + 1e-6, "v") == pytest.approx(9.81 * fall, rel=1e-5)
    assert r(np.array([0.4, 0.5, 1.29]), "n").tolist() == [0, 1, 1]


def test_redundant_reactions_are_the_same_between_the_points():
    m = dd.Mechanism("Door", gravity=(0, -9.81, 0))
    door = m.body("door", mass=10, inertia=(1, 1, 1), position=(0.5, 0, 0))
    m.revolute("lower", m.ground, door, at=(0, 0, -1))
    m.revolute("upper", m.ground, door, at=(0, 0, 1))
    r = m.simulate(until=1, dense=True)
    k = 1000
    for name in r.names:
        assert r(r.t[k], name) == pytest.approx(r[name][k], abs=1e-5 * (1 + abs(r[name][k]))), name


def test_summary_is_the_command_line_s(root, program, tmp_path):
    path = root / "examples" / "pendulum.mo"
    ours = dict(dd.load(path).simulate().summary)
    program("run", path, "--summary", tmp_path / "s.json", "--quiet")
    theirs = json.loads((tmp_path / "s.json").read_text())
    assert ours.keys() == theirs.keys()
    for summary in (ours, theirs):
        del summary["seconds"]
    assert ours == theirs


def test_summary_and_drift(run):
    assert run.ok and run.summary.status == "ok" and run.summary["index"] == 3
    assert list(run.drift) == ["position", "velocity", "acceleration"]
    assert run.drift["position"].max() == run.summary["drift"]["position"] < 1e-12
    assert "steps" in str(run.summary)
    with pytest.raises(AttributeError):
        run.summary.nothing


def test_csv_is_the_command_line_s(root, program, tmp_path):
    path = root / "examples" / "pendulum.mo"
    program("run", path, "--out", tmp_path / "a.csv", "--quiet")
    r = dd.load(path).simulate()
    r.to_csv(tmp_path / "b.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    table = np.loadtxt(io.StringIO(r.to_csv()), delimiter=",", skiprows=1)
    assert np.array_equal(table[:, 1], r["x"])  # 17 digits: exactly
    r.write(tmp_path / "b.json")
    assert json.loads((tmp_path / "b.json").read_text())
    with pytest.raises(dd.ModelError):
        r.write(tmp_path / "b.xls")
    with pytest.raises(dd.ModelError, match="cannot"):
        r.write(tmp_path / "no" / "b.csv")


def test_pandas(run):
    pandas = pytest.importorskip("pandas")
    frame = run.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame.index.name == "time"
    assert list(frame.columns) == run.names
    assert np.array_equal(frame["x"].to_numpy(), run["x"])
    frame["x"] = 0.0  # a copy: the run stays
    assert run["x"][0] == 1
    assert decay().to_pandas().attrs["units"] == {"x": "m"}


def test_plots(run, tmp_path):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    axes = run.plot("x", "y")
    assert [line.get_label() for line in axes.get_lines()] == ["x", "y"]
    assert len(axes.figure.axes) == 2  # the drift is below
    axes.figure.savefig(tmp_path / "p.png")
    assert (tmp_path / "p.png").stat().st_size > 5000
    _, given = pyplot.subplots()
    assert run.plot(ax=given) is given
    assert decay().plot("x").get_lines()[0].get_label() == "x [m]"
    with pytest.raises(dd.UnknownNameError):
        run.plot("nothing")
    pyplot.close("all")


def test_display(run):
    assert "<svg" in run.svg("x") and "5 signals" in repr(run)
    page = run._repr_html_()
    assert "<svg" in page and "formulation" in page


def test_a_report_is_the_page_of_the_command_line(root, program, tmp_path, pendulum_text):
    result = dd.load(root / "examples/pendulum.mo").simulate(until=1)
    page = result.report("x", path=tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page.html
    program("run", root / "examples/pendulum.mo", "--until", 1, "--report", tmp_path / "its.html", "-q")
    its = (tmp_path / "its.html").read_text(encoding="utf-8")
    assert page.html.startswith("<!DOCTYPE html>") and '"plotted":["x"]' in page.html
    head = page.html.index("<body>")
    assert page.html[:head] == its[:head]  # the same look; the numbers differ by the times that the runs took
    assert "http://" not in page.html.replace("http://www.w3.org", "")
    with pytest.raises(dd.UnknownNameError):
        result.report("z")
    other = pickle.loads(pickle.dumps(result)).report("x")  # of a pickle the run is made once more
    assert '"plotted":["x"]' in other.html
    assert "iframe" in dd.parse(pendulum_text).compile(free=["L"]).run(until=1).report()._repr_html_()
    with pytest.raises(dd.ModelError, match="does not know its model"):
        dd.Result(result._run).report()


def test_a_report_of_a_mechanism_moves(root):
    page = dd.load(root / "problems/mechanisms/fourbar.xml").simulate(until=0.5).report()
    m = dd.Mechanism("Pendulum", planar=True)
    m.revolute("A", m.ground, m.rod("rod", (0, 0), (1, 0)), at=(0, 0))
    built = m.simulate(until=0.5, set={"A.angle": 0.3}).report()
    plain = dd.load(root / "examples/pendulum.mo").simulate(until=0.5).report()
    for made, moves in ((page, True), (built, True), (plain, False)):
        assert ('"scene":' in made.html) == moves
        assert 'sandbox="allow-scripts' in made._repr_html_() and "<body>" not in made._repr_html_()
        assert "Page of" in repr(made)


def test_a_report_of_a_comparison(root, tmp_path):
    compared = dd.load(root / "examples/pendulum.mo").compare(until=1, formulations=["ggl"])
    assert compared.report(tmp_path / "c.html").html == compared.html() == (tmp_path / "c.html").read_text(encoding="utf-8")
    assert "<iframe" in compared.report()._repr_html_()


def test_an_array_of_unknowns_by_its_name():
    m = dd.Model("Arrays")
    x = m.variables("x", 3, start=[1, 2, 3], fixed=True)
    m.equation(dd.der(x) == -x)
    r = m.simulate(until=1, points=5, set={"x": [1, 4, 3]})
    assert r["x"].shape == (3, 5) and np.array_equal(r["x"][1], r["x[2]"])
    assert list(r["x"][:, 0]) == [1, 4, 3]
    assert list(m.simulate(until=1, set={"x": 2})["x"][:, 0]) == [2, 2, 2]
    with pytest.raises(dd.ModelError, match=r'set\["x"\] must be 3 numbers, not 2'):
        m.simulate(until=1, set={"x": [1, 2]})
    with pytest.raises(dd.UnknownNameError, match="'y'"):
        r["y"]


def test_a_matrix_of_unknowns_by_its_name():
    r = dd.parse("model A Real a[2,3]; equation for i in 1:2, j in 1:3 loop a[i,j] = 10*i + j; end for; end A;").simulate(until=1)
    assert r["a"][..., -1].tolist() == [[11, 12, 13], [21, 22, 23]]
