"""Ctrl-C ends whatever is running, soon, and leaves the interpreter usable."""

import os
import signal
import subprocess
import sys
import time

import pytest

BEGIN = """
import sys, daedalus as dd, numpy as np
model = dd.parse('''model P
  Real x(start = 1), y(start = 0, fixed = true), l, vx, vy(start = 0, fixed = true);
equation
  der(x) = vx; der(y) = vy; der(vx) = -l*x; der(vy) = -l*y - 9.81; x^2 + y^2 = 1;
end P;''')
long = dict(until=1e6, rtol=1e-10, points=2)
def opaque(t, y, yp):
    return [yp[0] - float(y[1]), yp[1] + float(y[0])]
print("ready", flush=True)
try:
    {call}
except KeyboardInterrupt:
    assert model.simulate(until=0.1).ok
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize("call", [
    "model.simulate(**long)",
    "model.compare(formulations='ggl,index1', until=1e6, rtol=1e-10)",
    "model.sweep(g=[1.0], simulate=long) if False else dd.sweep(lambda k: model, k=[1, 2, 3], simulate=long)",
    "dd.solve_dae(opaque, (0, 1e6), [1, 0], rtol=1e-10, trace=False)",
    "dd.solve_dae(lambda t, y, yp: [yp[0] - y[1], yp[1] + y[0]], (0, 1e7), [1, 0], events=lambda t, y: y[0] - 5)",
], ids=["simulate", "compare", "sweep", "called function", "traced function"])
def test_ctrl_c(call):
    process = subprocess.Popen([sys.executable, "-c", BEGIN.replace("{call}", call)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        taken = time.monotonic() - sent
    finally:
        process.kill()
    assert out == "interrupted\n", err
    # Asked for every 0.05 s; the rest is left to a busy machine.
    assert taken < 10 if "ASAN_OPTIONS" in os.environ else taken < 5
