"""What Python costs."""

import threading
import time

import numpy as np

import daedalus as dd


def test_a_pendulum_costs_no_more_than_a_millisecond_over_the_library(root):
    model = dd.load(root / "examples" / "pendulum.mo")
    over = []
    for _ in range(50):
        began = time.perf_counter()
        r = model.simulate(until=10)
        r["x"], r["y"], r.t
        taken = time.perf_counter() - began
        # The library measures itself: parse, structure, codegen, initialise, integrate.
        over.append(taken - sum(r.summary["seconds"].values()))
    assert np.median(over) < 1e-3


def test_the_interpreter_is_free_during_a_run(root):
    """Another thread of Python goes on counting while the library works."""
    model = dd.load(root / "examples" / "pendulum.mo")
    ticks = []
    thread = threading.Thread(target=lambda: model.simulate(until=3000, rtol=1e-10, points=2))
    thread.start()
    while thread.is_alive():
        ticks.append(time.perf_counter())
        time.sleep(0.001)
    assert len(ticks) > 20  # with the lock held it would be one or two


def test_a_compiled_engine_costs_little_more_than_the_integration(root):
    """At most twice the integration and 50 microseconds, Python and all."""
    engine = dd.load(root / "examples" / "pendulum.mo").compile(free=["L"], until=1, points=101)
    taken, integration = [], []
    for _ in range(300):
        began = time.perf_counter()
        r = engine.run(L=1.0)
        r["x"], r.t
        taken.append(time.perf_counter() - began)
        integration.append(r._run.seconds()["integrate"])
    assert np.median(taken) <= 2 * np.median(integration) + 50e-6


def test_a_sweep_costs_a_fraction_of_single_runs(root):
    """It shares one engine: a run of 101 points takes less than a third of what simulate() takes, which compiles."""
    model = dd.load(root / "examples" / "pendulum.mo")
    lengths = np.linspace(0.9, 1.1, 200)
    began = time.process_time()
    for length in lengths:
        model.simulate(until=1, points=101, set={"L": length})
    single = time.process_time() - began
    began = time.process_time()
    assert model.sweep(L=lengths, threads=1, simulate={"until": 1, "points": 101}).ok
    assert time.process_time() - began < single / 3
