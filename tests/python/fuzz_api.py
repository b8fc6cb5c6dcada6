"""Calls the whole API with nonsense. Only documented exceptions may come out, and the interpreter must live.

    PYTHONPATH=build/release/python python tests/python/fuzz_api.py [CALLS [SEED]]

Under AddressSanitizer, with the package of build/asan: ASAN_OPTIONS=detect_leaks=0, and LD_PRELOAD with both
$(g++ -print-file-name=libasan.so) and $(g++ -print-file-name=libstdc++.so). `make asan` does this.
"""

import faulthandler
import inspect
import math
import os
import random
import sys
import tempfile
import tempfile
import time
import warnings

import numpy as np

import daedalus as dd

ALLOWED = (dd.Error, TypeError, ValueError, OverflowError, ZeroDivisionError, AttributeError, IndexError, OSError,
           MemoryError)
PENDULUM = """model P
  parameter Real L = 1;
  Real x(start = 1), y(start = 0, fixed = true), l, vx, vy(start = 0, fixed = true);
equation
  der(x) = vx; der(y) = vy; der(vx) = -l*x; der(vy) = -l*y - 9.81; x^2 + y^2 = L^2;
end P;"""


class TooLong(dd.Error):
    pass


class Deadline:
    """A progress bar that loses its patience."""

    def __init__(self):
        self.end = time.monotonic() + 0.3

    def __call__(self, **_):
        return self

    def update(self, _):
        if time.monotonic() > self.end:
            raise TooLong("too long")

    def close(self):
        pass


class Fuzzer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.folder = tempfile.mkdtemp()
        self.text = dd.parse(PENDULUM)
        self.result = self.text.simulate(until=0.1, points=11)
        self.sweep = self.text.sweep(L=[1.0], simulate={"until": 0.1})
        self.comparison = self.text.compare(formulations="ggl", until=0.1)
        self.engine = self.text.compile(free=["L"], until=0.1)
        self.fresh()

    def fresh(self):
        """Models to add nonsense to."""
        self.simulation = self.engine.start()
        self.model = dd.Model("m")
        self.x = self.model.variable("x", start=1, fixed=True)
        self.model.equation(dd.der(self.x) == -self.x)
        self.when = self.model.when(self.x < 0.5)
        self.lagrangian = dd.Lagrangian("l")
        self.q = self.lagrangian.coordinate("q", start=1)
        self.lagrangian.kinetic = dd.der(self.q) ** 2
        self.mechanism = dd.Mechanism("k", planar=self.random.random() < 0.5)
        self.body = self.mechanism.body("b")
        self.joint = self.mechanism.revolute("j", self.mechanism.ground, self.body, at=(0, 0, 0))

    def nonsense(self, depth=0):
        pick = self.random.choice
        simple = [None, True, False, 0, 1, -1, 2, 3.5, -0.0, math.nan, math.inf, -math.inf, 1e308, 1e-308, 10**400, 1j,
                  "", "x", "y", "L", "nothing", "\0", "ä\u0301", "\ud800", "x" * 5000, "ggl", "auto", "radau", "ggl:a=b,",
                  "bdf", "revolute", "angle", "all", b"", b"x", (), [], {}, object(), int, lambda *a: 3, lambda q: q,
                  np.array([]), np.array([[1.0]]), np.array([1, 2.0, np.nan]), np.float32(2), np.int64(3), np.str_("x"),
                  self.x, self.x > 0, self.x == 1, dd.der(self.x), self.q, self.body, self.joint, self.mechanism.ground,
                  self.model, self.text, self.result, self.folder, os.path.join(self.folder, "a.csv"), PENDULUM,
                  (0, 1), (0, 0, 1), [1.0], [0, 0], {"L": 2}, {"x": math.nan}, {"": ()}, range(3), slice(1)]
        if depth < 2 and self.random.random() < 0.15:
            return [self.nonsense(depth + 1) for _ in range(self.random.randrange(4))]
        return pick(simple)

    def targets(self):
        objects = [self.model, self.lagrangian, self.mechanism, self.text, self.result, self.when, self.x, self.sweep,
                   self.comparison, self.engine, self.simulation]
        functions = [getattr(dd, name) for name in dd.__all__ if callable(getattr(dd, name))]
        methods = [getattr(o, name) for o in objects for name in dir(type(o))
                   if (not name.startswith("_") or name in ("__call__", "__getitem__", "__setitem__", "__contains__",
                                                            "__add__", "__rsub__", "__pow__", "__eq__", "__lt__", "__and__",
                                                            "__array_ufunc__", "_repr_html_"))
                   and callable(getattr(o, name, None))]
        return functions + methods

    def arguments(self, target):
        positional = [self.nonsense() for _ in range(self.random.choice([0, 1, 1, 2, 2, 3, 4]))]
        keywords = {}
        try:
            parameters = inspect.signature(target).parameters.values()
        except (TypeError, ValueError):
            return positional, keywords
        if any(p.name in ("t", "duration") for p in parameters) and target.__name__.startswith("advance"):
            # A simulation has no deadline: not to the end of time.
            return [self.random.choice([0.1, -1, 0.01, math.nan, math.inf, None, "x", (), 10**400])], {}
        if self.random.random() < 0.7:  # as many as it wants, so that it gets further
            positional = [self.nonsense() for p in parameters
                          if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty]
        for p in parameters:
            if p.kind is p.KEYWORD_ONLY and self.random.random() < (0.9 if p.default is p.empty else 0.25):
                keywords[p.name] = self.nonsense()
            if p.name == "progress":
                keywords["progress"] = Deadline()
            if p.name == "points":
                keywords["points"] = self.random.choice([None, 2, 50, self.nonsense()])
            if p.name == "limit":
                keywords["limit"] = 0.2
            if p.name == "until" and p.kind is p.KEYWORD_ONLY:
                keywords["until"] = self.random.choice([0.1, self.nonsense()])
        return positional, keywords

    def call(self):
        target = self.random.choice(self.targets())
        positional, keywords = self.arguments(target)
        what = f"{getattr(target, '__qualname__', target)!s}"
        try:
            target(*positional, **keywords)
        except ALLOWED:
            return what, False
        return what, True

    def finish(self):
        """Whatever was built is used."""
        for system in (self.model, self.lagrangian, self.mechanism):
            for use in (lambda: system.simulate(until=0.1, points=5, progress=Deadline()), lambda: system.check(),
                        lambda: repr(system)):
                try:
                    use()
                except ALLOWED:
                    pass
        self.fresh()


def main():
    faulthandler.enable()
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else int(os.environ.get("DAEDALUS_FUZZ_CALLS", "1000"))
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    fuzzer = Fuzzer(seed)
    passed = 0
    with tempfile.TemporaryDirectory() as folder:  # some calls write files
        here = os.getcwd()
        os.chdir(folder)
        for k in range(calls):
            passed += fuzzer.call()[1]
            if k % 20 == 19:
                fuzzer.finish()
        os.chdir(here)
    assert fuzzer.text.simulate(until=0.1)["x"][0] == 1  # still of use
    print(f"{calls} calls of seed {seed}, {passed} of which went through")
    assert 0 < passed < calls


if __name__ == "__main__":
    main()
