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
