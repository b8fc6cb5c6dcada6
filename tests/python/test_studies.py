"""Comparisons, sweeps, progress bars, and the distributed way."""

import os

import numpy as np
import pytest

import daedalus as dd


@pytest.fixture
def pendulum(pendulum_text):
    return dd.parse(pendulum_text)


def spring():
    m = dd.Model("Decay")
    k, x = m.parameter("k", 1), m.variable("x", start=1, fixed=True)
    m.equation(dd.der(x) == -k * x)
    return m


class Bars:
    """Looks like tqdm."""

    def __init__(self):
        self.total, self.n, self.closed = None, 0.0, False

    def __call__(self, total, desc):
        self.total = total
        return self

    def update(self, part):
        assert part > 0 and not self.closed
        self.n += part

    def close(self):
        self.closed = True


def test_a_comparison(pendulum):
    c = dd.compare(pendulum, formulations=["ggl", ("baumgarte", {"gamma": 20}), "index1"], until=1, rtol=[1e-6, 1e-8])
    assert [row["formulation"] for row in c.rows][::2] == ["ggl", "baumgarte:gamma=20", "index1"]
    assert all(row["status"] == "ok" and row["error"] < 1e-3 for row in c.rows)
    assert c.summary["model"] == "Pendulum"
    assert "ggl" in repr(c) and "<html" in c.html().lower() and c._repr_html_()
    pandas = pytest.importorskip("pandas")
    assert isinstance(c.table, pandas.DataFrame) and len(c.table) == 6
    by_rtol = c.table[c.table.formulation == "ggl"].set_index("rtol").error
    assert by_rtol[1e-8] < by_rtol[1e-6]
    assert "drift_position" in c.table


def test_a_comparison_of_a_model_of_equations():
    m = dd.Mechanism("Pendulum", planar=True)
    m.revolute("A", m.ground, m.rod("rod", (0, 0), (1, 0)), at=(0, 0))
    c = m.compare(formulations="dummy-derivatives,ggl", until=1)
    assert [row["status"] for row in c.rows] == ["ok", "ok"]
    assert "energy" in str(c.summary)


def test_a_comparison_is_drawn(pendulum, tmp_path):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    c = pendulum.compare(formulations="ggl,index2", until=1)
    assert len(c.plot().get_lines()) == 2
    c.html(tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size > 10_000
    pyplot.close("all")


def test_comparisons_misused(pendulum):
    with pytest.raises(dd.ModelError, match="unknown formulation 'glg'"):
        dd.compare(pendulum, formulations="glg")
    with pytest.raises(TypeError, match="takes a model"):
        dd.compare("pendulum")
    with pytest.raises(dd.ModelError, match="nonsense"):
        dd.compare(pendulum, energy="nonsense", formulations="ggl")


def test_a_sweep_over_a_parameter():
    values = np.linspace(1, 3, 5)
    sweep = spring().sweep(k=values, simulate={"until": 1, "rtol": 1e-9, "atol": 1e-12})
    assert sweep.ok and len(sweep) == 5
    assert sweep.final("x") == pytest.approx(np.exp(-values), rel=1e-6)
    assert [r["x"][0] for r in sweep] == [1] * 5
    assert "5 runs, 0 failed" in repr(sweep)
    assert list(sweep.table["k"] if hasattr(sweep.table, "columns") else [row["k"] for row in sweep.table]) == list(values)


def test_a_sweep_over_a_grid_and_start_values(pendulum):
    sweep = pendulum.sweep(L=[1.0, 2.0], g=[1.0, 9.81, 20.0], threads=3, simulate={"until": 0.5, "set": {"x": 1.5}})
    assert [(p["L"], p["g"]) for p in sweep.points][:4] == [(1, 1), (1, 9.81), (1, 20), (2, 1)]
    one = pendulum.simulate(until=0.5, set={"L": 2.0, "g": 9.81, "x": 1.5})
    assert np.array_equal(sweep[4]["x"], one["x"])  # the same run, on whatever thread


def test_a_sweep_over_models():
    def make(length):
        m = dd.Mechanism("Pendulum", planar=True)
        m.revolute("A", m.ground, m.rod("rod", (0, 0), (length, 0)), at=(0, 0))
        return m

    sweep = dd.sweep(make, length=[1.0, 2.0], simulate={"until": 1})
    assert sweep.ok and sweep[1]["rod.x"][0] == 1


def test_a_sweep_shares_one_engine(pendulum):
    for model, values in ((spring(), {"k": [1.0, 2.0]}), (pendulum, {"L": [1.0, 2.0], "x": [0.5, 1.0]})):
        sweep = model.sweep(**values, simulate={"until": 1, "rtol": 1e-8})
        assert sweep.how == "one compiled engine" and sweep.how in repr(sweep)
        for point, result in zip(sweep.points, sweep):
            one = model.simulate(until=1, set=point, rtol=1e-8)
            assert result.parameters == one.parameters
            assert result["x"] == pytest.approx(one["x"], abs=1e-6)


def test_a_sweep_over_a_list_of_points_and_samples():
    points = [{"k": 1.0, "x": 1.0}, {"k": 2.0, "x": 3.0}, {"k": 0.5, "x": 2.0}]
    expected = [p["x"] * np.exp(-p["k"]) for p in points]
    simulate = {"until": 1, "rtol": 1e-9, "atol": 1e-12}
    columns = {name: np.array([p[name] for p in points]) for name in ("k", "x")}
    for given in (points, tuple(points), columns):
        sweep = spring().sweep(given, simulate=simulate)
        assert sweep.ok and sweep.points == points and sweep.names == ["k", "x"]
        assert sweep.final("x") == pytest.approx(expected, rel=1e-6)
    assert dd.sweep(spring(), points, simulate=simulate).final("x") == pytest.approx(expected, rel=1e-6)
    made = dd.sweep(lambda k, x: spring(), points[:1], simulate=simulate)
    assert made.final("x") == pytest.approx([np.exp(-1)], rel=1e-6)
    pandas = pytest.importorskip("pandas")
    assert spring().sweep(pandas.DataFrame(points), simulate=simulate).final("x") == pytest.approx(expected, rel=1e-6)


def test_parameters_that_decide_the_structure_are_swept_run_by_run():
    chain = dd.parse("model Chain parameter Integer n = 2; Real x[n](each start = 1, each fixed = true); "
                     "equation for i in 1:n loop der(x[i]) = -x[i]; end for; end Chain;")
    sweep = chain.sweep(n=[1, 2, 3], simulate={"until": 1})
    assert sweep.ok and [len(r) for r in sweep] == [1, 2, 3]
    assert sweep.how.startswith("each run by itself: ") and "n" in sweep.how
    sized = dd.parse("model Sized parameter Real r = 2; Real x(start = 1, fixed = true); "
                     "equation if r > 1 then der(x) = -x; else der(x) = -2*x; end if; end Sized;")
    sweep = sized.sweep(r=[0.5, 2.0], simulate={"until": 1, "rtol": 1e-8})
    assert sweep.final("x") == pytest.approx([np.exp(-2), np.exp(-1)], rel=1e-5)
    flags = dd.parse("model F parameter Boolean b = true; Real x(start = 1, fixed = true); "
                     "equation der(x) = if b then -x else x; end F;").sweep(b=[True, False], simulate={"until": 1})
    assert flags.ok and flags.how == "each run by itself: b = True is no real number"


def test_a_mass_that_vanishes_is_run_by_itself():
    """With m = 0 an equation for an acceleration is one for a force: another structure, which the engine has not."""
    model = dd.parse("model M parameter Real m = 1; Real x(start = 1), v(start = 0); "
                     "equation der(x) = v; m*der(v) = -x - v; end M;")
    sweep = model.sweep(m=[1.0, 0.0], simulate={"until": 1, "rtol": 1e-8})
    assert sweep.ok and sweep[1]["x"][-1] == pytest.approx(sweep[1]["x"][0] * np.exp(-1), rel=1e-5)


def test_one_bad_run_does_not_stop_a_sweep():
    m = dd.Model("Blow up")
    k, x = m.parameter("k", 1), m.variable("x", start=1, fixed=True)
    m.equation(dd.der(x) == k * x**2)
    sweep = m.sweep(k=[0.1, 2.0, float("nan")], simulate={"until": 1})
    assert not sweep.ok and sweep.errors[0] is None
    assert isinstance(sweep.errors[1], dd.SimulationError) and sweep[1].t[-1] == pytest.approx(0.5, abs=1e-2)
    assert isinstance(sweep.errors[2], dd.ModelError) and sweep[2] is None
    assert np.isnan(sweep.final("x")[2])


def test_sweeps_misused(pendulum):
    with pytest.raises(TypeError, match="values"):
        pendulum.sweep()
    with pytest.raises(TypeError, match="takes a model"):
        dd.sweep(3, k=[1])
    with pytest.raises(dd.ModelError, match="did you mean 'L'"):  # at once, before anything runs
        pendulum.sweep(LL=[1, 2])
    with pytest.raises(dd.ModelError, match="no parameter or variable of that name"):
        spring().sweep(c=[1, 2])
    with pytest.raises(TypeError, match="size|length"):
        dd.sweep(lambda size: spring(), length=[1, 2])
    with pytest.raises(TypeError, match="not both"):
        pendulum.sweep([{"L": 1}], L=[1])
    with pytest.raises(TypeError, match="dictionaries"):
        pendulum.sweep([1, 2])
    with pytest.raises(dd.ModelError, match="the same parameters"):
        pendulum.sweep([{"L": 1}, {"g": 1}])
    with pytest.raises(dd.ModelError, match="equally long: L has 2, g has 1"):
        pendulum.sweep({"L": [1, 2], "g": [1]})
    with pytest.raises(dd.ModelError, match="no points"):
        pendulum.sweep([])


def test_progress_in_tqdm_s_manner(pendulum):
    bars = Bars()
    pendulum.simulate(until=300, rtol=1e-10, progress=bars)
    assert bars.closed and bars.total == 1 and bars.n == pytest.approx(1)
    bars = Bars()
    spring().sweep(k=[1, 2, 3], progress=bars)
    assert bars.closed and bars.n == pytest.approx(1)
    bars = Bars()
    pendulum.compare(formulations="ggl", until=1, progress=bars)
    assert bars.closed and bars.n == pytest.approx(1)
    pendulum.simulate(until=1, progress=True)  # tqdm, or the plain bar
    with pytest.raises(TypeError, match="tqdm"):
        pendulum.simulate(progress=3)


def test_the_plain_bar(capsys):
    from daedalus._progress import PlainBar

    bar = PlainBar(total=1.0, desc="run")
    bar._next = 0
    bar.update(0.25)
    bar.close()
    assert "run  25 %" in capsys.readouterr().err


def test_an_error_in_a_progress_bar_comes_through(pendulum):
    class Broken(Bars):
        def update(self, part):
            raise LookupError("no terminal")

    with pytest.raises(LookupError, match="no terminal"):
        pendulum.simulate(until=1e5, rtol=1e-10, points=2, progress=Broken())


def period_of(text, length):
    """For a worker in another process: everything that it needs comes as plain values."""
    import daedalus

    r = daedalus.parse(text).simulate(until=1, set={"L": length, "x": length})
    return length, float(r["x"][-1])


def test_the_distributed_way(pendulum_text):
    dask = pytest.importorskip("dask")
    lengths = [1.0, 1.5, 2.0]
    tasks = [dask.delayed(period_of)(pendulum_text, length) for length in lengths]
    found = dask.compute(*tasks, scheduler="processes", num_workers=2)
    for length, x in found:
        assert x == dd.parse(pendulum_text).simulate(until=1, set={"L": length, "x": length})["x"][-1]


def test_a_sweep_as_one_array():
    s = spring().sweep(k=[1.0, 2.0], x=[1.0, 3.0, 5.0], simulate={"until": 1, "points": 5, "rtol": 1e-10, "atol": 1e-12})
    assert s.shape == (2, 3) and s.t.tolist() == [0, 0.25, 0.5, 0.75, 1] and s.signals == ["x"]
    exact = np.array([[x0 * np.exp(-k * s.t) for x0 in (1, 3, 5)] for k in (1, 2)])
    assert s.array("x").reshape(2, 3, 5) == pytest.approx(exact, rel=1e-8)  # a hundred times rtol
    assert s.array().shape == (6, 5, 1)


def test_runs_that_end_early_leave_nan():
    m = dd.Model("Ends")
    k, x = m.parameter("k", 1), m.variable("x", start=0, fixed=True)
    m.equation(dd.der(x) == k)
    m.when(x > 0.6).terminate("far enough")
    s = m.sweep(k=[0.5, 1.0, float("nan")], simulate={"until": 1, "points": 5})
    assert s.t.tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert s.array("x")[0] == pytest.approx(0.5 * s.t)
    assert s.array("x")[1, :3] == pytest.approx(s.t[:3]) and np.all(np.isnan(s.array("x")[1, 3:]))
    assert np.all(np.isnan(s.array("x")[2]))


def test_a_sweep_for_xarray():
    pytest.importorskip("xarray")
    data = spring().sweep(k=[1.0, 2.0], x=[1.0, 3.0], simulate={"until": 1, "points": 5}).to_xarray()
    assert dict(data.sizes) == {"k": 2, "start of x": 2, "time": 5}
    assert float(data.x.sel({"k": 2.0, "start of x": 3.0}).isel(time=-1)) == pytest.approx(3 * np.exp(-2), rel=1e-5)
    samples = spring().sweep({"k": [1.0, 2.0, 3.0]}, simulate={"until": 1, "points": 5}).to_xarray("x")
    assert dict(samples.sizes) == {"run": 3, "time": 5} and samples.k.values.tolist() == [1, 2, 3]


def test_a_latin_hypercube_has_one_sample_in_each_part():
    samples = dd.latin_hypercube({"k": (1, 3), "x": (-1, 0)}, 20, seed=7)
    for name, low, high in (("k", 1, 3), ("x", -1, 0)):
        parts = np.floor((samples[name] - low) / (high - low) * 20)
        assert sorted(parts) == list(range(20))
    again = dd.latin_hypercube({"k": (1, 3), "x": (-1, 0)}, 20, seed=7)
    assert all(np.array_equal(samples[name], again[name]) for name in samples)
    assert spring().sweep(samples, simulate={"until": 0.1}).ok
    with pytest.raises(dd.ModelError, match="must rise"):
        dd.latin_hypercube({"k": (3, 1)}, 5)
    with pytest.raises(TypeError, match="two numbers"):
        dd.latin_hypercube({"k": 3}, 5)


def spring_of(k):
    m = dd.Model("Decay")
    x = m.variable("x", start=1, fixed=True)
    m.equation(dd.der(x) == -k * x)
    return m


def same_sweeps(one, other):
    assert one.how == other.how and [str(e) for e in one.errors] == [str(e) for e in other.errors]
    for a, b in zip(one, other):
        assert (a is None) == (b is None) and (a is None or np.array_equal(a["x"], b["x"]))


def test_sweeps_in_other_processes():
    import concurrent.futures
    import multiprocessing

    bars = Bars()
    values = [1.0, 2.0, float("nan"), 3.0]
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        same_sweeps(spring().sweep(k=values, executor=pool, progress=bars), spring().sweep(k=values))
        assert bars.closed and bars.n == pytest.approx(1)
        same_sweeps(dd.sweep(spring_of, k=values[:2], executor=pool), dd.sweep(spring_of, k=values[:2]))


def test_sweeps_by_joblib():
    joblib = pytest.importorskip("joblib")
    engine = spring().compile(free=["k"])
    runs = joblib.Parallel(n_jobs=2)(joblib.delayed(engine.run)(k=k) for k in (1.0, 2.0))
    assert [r["x"][-1] for r in runs] == [engine.run(k=k)["x"][-1] for k in (1.0, 2.0)]


def test_a_sweep_takes_what_a_run_takes():
    s = spring().sweep(k=[1.0, 2.0], simulate={"t_eval": [0, 0.5, 1], "max_step": 0.1, "rtol": 1e-9, "start": 0})
    assert s.how == "one compiled engine" and s.t.tolist() == [0, 0.5, 1]
    assert s.array("x") == pytest.approx(np.exp(-np.outer([1, 2], s.t)), rel=1e-7)  # a hundred times rtol
    late = spring().sweep(k=[1.0], simulate={"start": 1, "until": 2, "points": 3})
    assert late.t.tolist() == [1, 1.5, 2] and late.array("x")[0, 0] == 1
