"""F(t, y, y') = 0 given as a Python function, in SciPy's manner.

The function is called once with symbols, which writes it down as expressions: index reduction and exact Jacobians work
on these. What cannot be written down (a branch on a value, a call that wants numbers) is called as it is, with
differences for derivatives, for equations of index 1; a warning says so.
"""

from __future__ import annotations

import warnings
from typing import Any, Callable, Sequence

import numpy as np

from . import _core
from ._errors import ModelError, wrong
from ._event_search import EventSearch
from ._progress import Bar, Progress
from ._result import Report
from ._settings import number, optional_number, selection_of
from ._system import failure_text
from ._result import Result

Function = Callable[..., Any]


class TraceWarning(UserWarning):
    """A function could not be traced and is called with numbers: index 1 only, Jacobians by differences."""


class DaeResult(dict):
    """t, y, sol, t_events, y_events, nfev, njev, nlu, status, message, success, traced, summary; also as attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __repr__(self) -> str:
        width = max(map(len, self))
        return "\n".join(f"{key:>{width}}: {value!r}" for key, value in self.items() if key != "summary")


class DaeSolution:
    """The solution between t_min and t_max: sol(t) has one row an unknown."""

    def __init__(self, run: _core.Run, columns: list[int], t_max: float) -> None:
        self._run, self._columns = run, columns
        self.t_min, self.t_max = run.dense_range()[0], t_max

    def __call__(self, t: Any) -> np.ndarray:
        times = np.asarray(t, dtype=float)
        slack = 1e-12 * max(abs(self.t_min), abs(self.t_max))
        if not np.all((times >= self.t_min - slack) & (times <= self.t_max + slack)):
            raise wrong(f"the solution goes from {self.t_min:g} to {self.t_max:g}; asked for was a time outside of it")
        values = self._run.dense(times.ravel().tolist())[:, self._columns].T
        return values[:, 0] if times.ndim == 0 else values


class _Problem:
    """The arguments, checked; the function, wrapped so that it gives what it should."""

    def __init__(self, fun: Function, t_span: Sequence[float], y0: Any, yp0: Any, args: Sequence[Any]) -> None:
        if not callable(fun):
            raise TypeError("fun must be a function fun(t, y, yp)")
        self.fun, self.args = fun, tuple(args)
        try:
            t0, t1 = t_span
        except (TypeError, ValueError):
            raise wrong("t_span must be two numbers, the start and the end time") from None
        self.t0, self.t1 = number(t0, "the start time"), number(t1, "the end time")
        if self.t1 < self.t0:
            raise wrong(f"the end time {self.t1:g} lies before the start time {self.t0:g}")
        self.y0 = _vector(y0, "y0")
        self.yp0 = np.zeros_like(self.y0) if yp0 is None else _vector(yp0, "yp0")
        self.n = len(self.y0)
        if self.n == 0:
            raise wrong("y0 is empty: there is nothing to solve for")
        if len(self.yp0) != self.n:
            raise wrong(f"y0 has {self.n} values, but yp0 has {len(self.yp0)}")
        self.names = [f"y[{k}]" for k in range(self.n)]

    def __call__(self, t: float, y: np.ndarray, yp: np.ndarray) -> np.ndarray:
        values = np.asarray(self.fun(t, y, yp, *self.args), dtype=float)
        if values.size != self.n:
            raise wrong(f"fun must give {self.n} residuals, one for each unknown, but gave {values.size}")
        return np.ascontiguousarray(values.reshape(-1))

    def trace(self, nominal: np.ndarray) -> _core.Recipe:
        """The function written down. Raises whatever it raises when it is called with symbols."""
        recipe = _core.Recipe("fun")
        y, yp = np.empty(self.n, dtype=object), np.empty(self.n, dtype=object)
        for k, name in enumerate(self.names):
            y[k] = recipe.variable(name, {"start": self.y0[k], "nominal": nominal[k] if nominal[k] != 1 else None})
        for k in range(self.n):
            yp[k] = recipe.rate(k)
        values = np.asarray(self.fun(recipe.time(), y, yp, *self.args), dtype=object).ravel()
        if len(values) != self.n:
            raise TypeError("with symbols it gives another number of residuals")
        for k, value in enumerate(values):
            recipe.equation(value, 0.0, f"equation {k}")
        self._compare(recipe)
        recipe.rate_guesses(self.yp0.tolist())
        recipe.experiment(self.t0, self.t1, None, None)
        return recipe

    def _compare(self, recipe: _core.Recipe) -> None:
        """What was written down must give what the function gives: it may have a memory, or branch unseen."""
        random = np.random.default_rng(0)
        for scale in (0.0, 1e-3, 1e-2):
            t = self.t0 + scale * (self.t1 - self.t0)
            y = self.y0 * (1 + scale * random.standard_normal(self.n)) + scale * 1e-3 * random.standard_normal(self.n)
            yp = self.yp0 + scale * random.standard_normal(self.n)
            with np.errstate(all="ignore"):
                called = self(t, y.copy(), yp.copy())
            written = np.array(recipe.evaluate(t, y.tolist(), yp.tolist()))
            size = 1 + np.maximum(np.abs(called), np.abs(written))
            if not np.all((np.abs(called - written) <= 1e-8 * size) | (np.isnan(called) & np.isnan(written))
                          | (called == written)):
                raise TypeError("it gives other values when it is called with numbers")


def _vector(values: Any, name: str) -> np.ndarray:
    try:
        array = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be numbers") from None
    if array.ndim != 1:
        raise wrong(f"{name} must have one dimension, not {array.ndim}")
    if not np.all(np.isfinite(array)):
        raise wrong(f"{name}[{int(np.argmin(np.isfinite(array)))}] is not a finite number")
    return array


def _tolerances(rtol: Any, atol: Any, n: int) -> tuple[float, float, np.ndarray]:
    """A tolerance for each unknown is one tolerance and a typical size of each."""
    relative = number(rtol, "rtol")
    if np.ndim(atol) == 0:
        absolute, nominal = number(atol, "atol"), np.ones(n)
    else:
        each = _vector(atol, "atol")
        if len(each) != n:
            raise wrong(f"there are {n} unknowns, but {len(each)} absolute tolerances")
        absolute = float(np.min(each))
        nominal = each / absolute if absolute > 0 else np.ones(n)
    if relative <= 0 or absolute <= 0:
        raise wrong(f"tolerances must be positive, but rtol = {relative:g} and atol = {absolute:g}")
    return relative, absolute, nominal


def solve_dae(fun: Function, t_span: Sequence[float], y0: Any, yp0: Any = None, *, rtol: float = 1e-6,
              atol: Any = 1e-9, events: Any = None, dense_output: bool = False, t_eval: Any = None,
              args: Sequence[Any] = (), formulation: Any = "auto", integrator: Any = "auto",
              step: float | None = None, trace: bool = True, progress: Progress = None) -> DaeResult:
    """Solves fun(t, y, yp) = 0 from t_span[0] to t_span[1].

    y0 and yp0 are guesses: where they contradict the equations, the hidden ones included, the nearest values that do not
    are taken. `events` are functions event(t, y) whose zeros are found, with SciPy's attributes `terminal` and
    `direction`. `trace=False` calls the function with numbers at once.
    """
    problem = _Problem(fun, t_span, y0, yp0, args)
    relative, absolute, nominal = _tolerances(rtol, atol, problem.n)
    times = None if t_eval is None else _times(t_eval, problem)
    problem(problem.t0, problem.y0.copy(), problem.yp0.copy())  # what is wrong with it is said here
    search = EventSearch(events, problem.n)
    recipe = _traced(problem, nominal) if trace else None
    if recipe is not None:
        options = {"until": problem.t1, "rtol": relative, "atol": absolute, "points": 2, "dense": True,
                   "step": optional_number(step, "step"),
                   "formulation": selection_of(formulation, "formulation"),
                   "integrator": selection_of(integrator, "integrator")}
        run, calls = _run_traced(recipe, options, search, progress), None
    else:
        chosen = selection_of(integrator, "integrator")
        options = {"rtol": relative, "atol": absolute, "step": optional_number(step, "step"),
                   "integrator": "radau" if chosen == "auto" else chosen}
        run, calls = _run_called(problem, options, search, progress)
    return _result(problem, run, search, times, dense_output, calls)


def _times(t_eval: Any, problem: _Problem) -> np.ndarray:
    times = _vector(t_eval, "t_eval")
    if np.any(np.diff(times) <= 0) or len(times) and (times[0] < problem.t0 or times[-1] > problem.t1):
        raise wrong("t_eval must rise, within t_span")
    return times


def _traced(problem: _Problem, nominal: np.ndarray) -> _core.Recipe | None:
    try:
        return problem.trace(nominal)
    except ModelError:
        raise
    except Exception as reason:
        warnings.warn(f"the function could not be traced into expressions ({type(reason).__name__}: {reason}); it is "
                      "called with numbers, for equations of index 1 only, with Jacobians by differences",
                      TraceWarning, stacklevel=3)
        return None


def _run_traced(recipe: _core.Recipe, options: dict[str, Any], search: EventSearch, progress: Progress) -> _core.Run:
    with Bar(progress, "solve_dae") as bar:
        if search:
            return _core.simulate(recipe.source(), [], {**options, "every_step": True}, search.look)

        def news(t: float, t_start: float, t_end: float, *_: Any) -> None:
            bar.to((t - t_start) / (t_end - t_start) if t_end > t_start else 1.0)

        return _core.simulate(recipe.source(), [], options, news if bar else None)


def _run_called(problem: _Problem, options: dict[str, Any], search: EventSearch,
                progress: Progress) -> tuple[_core.Run, int]:
    with Bar(progress, "solve_dae") as bar:
        def on_step(run: _core.Run) -> bool:
            bar.to((run.dense_range()[1] - problem.t0) / (problem.t1 - problem.t0))
            return search.look(run) if search else True

        run, _start, calls = _core.solve_function(problem, problem.t0, problem.t1, problem.y0.tolist(),
                                                  problem.yp0.tolist(), {**options, "on_step": on_step})
    return run, calls


def _result(problem: _Problem, run: _core.Run, search: EventSearch, times: np.ndarray | None, dense_output: bool,
            calls: int | None) -> DaeResult:
    if not run.has_dense:
        if run.ok and problem.t0 == problem.t1:
            values = np.array([float(run.column(k)[0]) for k in _columns(problem, [s[0] for s in run.signals()])])
            return _as_result(run, np.array([problem.t0]), values.reshape(-1, 1), None, search, calls, 0)
        return _as_result(run, np.empty(0), np.empty((problem.n, 0)), None, search, calls, -1)
    columns = _columns(problem, run.dense_names())
    ended = search.terminal is not None
    end = run.dense_range()[1] if search.terminal is None else search.terminal
    solution = DaeSolution(run, columns, end)
    if times is None:
        steps = [run.segment(k)[0] for k in range(run.segments())]
        times = np.array([t for t in steps if t < end] + [end])
    else:
        times = times[times <= end]
    values = solution(times)
    status = 1 if ended else 0 if run.ok else -1
    return _as_result(run, times, values, solution if dense_output else None, search, calls, status)


def _columns(problem: _Problem, names: list[str]) -> list[int]:
    where = {name: k for k, name in enumerate(names)}
    return [where[name] for name in problem.names]


def _as_result(run: _core.Run, t: np.ndarray, y: np.ndarray, solution: DaeSolution | None, search: EventSearch,
               calls: int | None, status: int) -> DaeResult:
    whole = Result(run, None, "solve_dae")
    summary: Report = whole.summary
    message = {0: "The solver successfully reached the end of the integration interval.",
               1: "A termination event occurred."}.get(status) or failure_text(whole).removeprefix("error: ")
    return DaeResult(t=t, y=y, sol=solution, t_events=search.times, y_events=search.values,
                     nfev=calls if calls is not None else summary["residual_evals"], njev=summary["jacobian_evals"],
                     nlu=summary["factorizations"], status=status, message=message, success=status >= 0,
                     traced=calls is None, summary=summary)
