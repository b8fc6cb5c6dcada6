"""Ensembles: many trajectories of one engine, with reductions, chunks and workers."""

import concurrent.futures
import multiprocessing
import os
import signal
import threading

import numpy as np
import pytest

import daedalus as dd


@pytest.fixture
def engine(pendulum_text):
    return dd.parse(pendulum_text).compile(free=["L", "g"], until=2, rtol=1e-6)


LENGTHS = np.linspace(0.8, 1.4, 40)


def test_every_trajectory_is_that_of_the_engine(engine):
    r = engine.ensemble({"L": LENGTHS, "g": 9.81}, outputs=["x", "lambda"], at=[0.5, 2])
    assert r.outputs == ["x", "lambda"] and list(r.times) == [0.5, 2] and r.values.shape == (40, 2, 2)
    assert r.ok.all() and (r.drift <= 1e-10).all() and not r.failures and not r.interrupted
    one = engine.run(L=LENGTHS[7], dense=True)
    assert r["x"][7] == pytest.approx(one([0.5, 2], "x"), abs=1e-5)
    scalar = engine.ensemble({"L": LENGTHS[:5]}, outputs=["x"], backend="scalar")
    assert scalar.backend == "scalar" and scalar["x"] == pytest.approx(r["x"][:5, 1], abs=1e-5)
    assert scalar.scalar.all()


def test_inputs_may_be_numbers_arrays_or_a_frame(engine):
    r = engine.ensemble({"L": [1.0, 1.2], "g": 5})
    assert len(r) == 2 and len(engine.ensemble({"g": 5})) == 1 and len(engine.ensemble({})) == 1
    pandas = pytest.importorskip("pandas")
    framed = engine.ensemble(pandas.DataFrame({"L": [1.0, 1.2], "g": [5, 5]}))
    assert np.array_equal(framed.values, r.values)


def test_what_is_wrong_is_said(engine):
    for wrong in ({"L": [[1, 2]]}, {"L": [1, 2], "g": [1, 2, 3]}, {"M": [1]}):
        with pytest.raises(dd.ModelError):
            engine.ensemble(wrong)
    for arguments in ({"outputs": ["z"]}, {"at": [5]}, {"backend": "gpu"}, {"reduce": {"x": (0, 0, 1)}}):
        with pytest.raises(dd.ModelError):
            engine.ensemble({"L": LENGTHS}, **arguments)
    for arguments in ({"outputs": "x"}, {"threads": "two"}):
        with pytest.raises(TypeError):
            engine.ensemble({"L": LENGTHS}, **arguments)
    with pytest.raises(TypeError):
        engine.ensemble([1, 2])
    failed = engine.ensemble({"L": [1, np.nan]}, outputs=["x"])
    assert list(failed.status) == [0, 1] and list(failed.failures) == [1] and np.isnan(failed["x"][1])


def test_chunks_change_nothing(engine):
    many = {"L": np.linspace(0.8, 1.4, 9000)}
    whole = engine.ensemble(many, 0.3, outputs=["x"])
    cut = engine.ensemble(many, 0.3, outputs=["x"], chunk=4096, threads=1)
    assert np.array_equal(whole.values, cut.values) and np.array_equal(whole.steps, cut.steps)
    reduced = engine.ensemble(many, 0.3, outputs=["x"], chunk=4096, reduce={"x": (200, 0.5, 1.5)})
    again = engine.ensemble(many, 0.3, outputs=["x"], reduce={"x": (200, 0.5, 1.5)})
    for name in ("mean", "std", "min", "max"):
        a, b = getattr(reduced, name)(), getattr(again, name)()
        assert np.array_equal(a, b) and a == pytest.approx(getattr(whole, name)(), rel=1e-12)
    assert np.array_equal(reduced.histogram("x")[0], whole.histogram("x", 200, (0.5, 1.5))[0])
    # Within a bin.
    assert reduced.quantiles([0.1, 0.5]) == pytest.approx(whole.quantiles([0.1, 0.5]), abs=1 / 200)
    with pytest.raises(dd.ModelError, match="reduce"):
        reduced["x"]


def test_workers_give_the_same(engine):
    many = {"L": np.linspace(0.8, 1.4, 9000)}
    here = engine.ensemble(many, 0.1, outputs=["x"])
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        there = engine.ensemble(many, 0.1, outputs=["x"], executor=pool)
    assert np.array_equal(here.values, there.values) and len(there) == 9000


def test_dask_workers_that_die_are_made_up_for(engine, tmp_path):
    distributed = pytest.importorskip("distributed")
    many = {"L": np.linspace(0.8, 1.4, 9000)}
    here = engine.ensemble(many, 0.1, outputs=["x"])
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None,
                                  local_directory=str(tmp_path)) as cluster, distributed.Client(cluster) as client:
        os.kill(client.run(os.getpid).popitem()[1], signal.SIGKILL)
        there = engine.ensemble(many, 0.1, outputs=["x"], executor=client)
    assert np.array_equal(here.values, there.values)


def test_the_keyboard_ends_it_and_what_is_done_is_kept(engine):
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    r = engine.ensemble({"L": np.linspace(0.8, 1.4, 400_000)}, 20, outputs=["x"], threads=1)
    timer.cancel()
    assert r.interrupted and 0 < r.ok.sum() < 400_000
    assert np.isnan(r["x"][r.status == 2]).all() and np.isfinite(r["x"][r.ok]).all()


def test_models_that_cannot_go_there_are_told_why():
    ball = dd.parse("""model Ball
  parameter Real e = 0.5;
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -2;
  when h < 0 then reinit(v, -e*pre(v)); end when;
end Ball;
""").compile(free=["e"], until=1.5)
    r = ball.ensemble({"e": [0.5, 0.8]}, outputs=["h"])
    assert r.backend == "scalar" and r.why and r["h"][1] == pytest.approx(ball.run(e=0.8)["h"][-1])
