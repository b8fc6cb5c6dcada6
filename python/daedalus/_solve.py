"""F(t, y, y') = 0, or M y' = f(t, y), given as a Python function, in SciPy's manner.

The function is called once with symbols, which writes it down as expressions: index reduction and exact Jacobians work
on these. What cannot be written down (a branch on a value, a call that wants numbers) is called as it is, with
differences for derivatives unless `jac` gives them, for equations of index 1; a warning says so.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Callable, Sequence

import numpy as np

from . import _core
from ._errors import ModelError, wrong
from ._event_search import EventSearch
from ._problem import Problem, tolerances_of
from ._progress import Bar, Progress
from ._result import Array, Report, Result
from ._settings import longest_step, optional_number, selection_of, times_of, with_option
from ._system import failure_text

Function = Callable[..., Any]
_ON_INCONSISTENT = ("warn", "raise", "ignore")
_SHOWN = 6  # values of y0 that a warning lists


class TraceWarning(UserWarning):
    """A function could not be traced and is called with numbers: index 1 only, Jacobians by differences."""


class StartWarning(UserWarning):
    """y0 contradicts the equations and was moved; the text has both values."""


class DaeResult(dict[str, Any]):
    """What solve_dae() found; entries are also attributes."""

    t: Array
    y: Array
    sol: DaeSolution | None
    t_events: list[Array] | None
    y_events: list[Array] | None
    nfev: int
    njev: int
    nlu: int
    status: int
    message: str
    success: bool
    traced: bool
    summary: Report

    if not TYPE_CHECKING:
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

    def __init__(self, run: _core.Run, columns: list[int], end: float, direction: int = 1) -> None:
        self._run, self._columns, self._sign = run, columns, direction
        self.t_min, self.t_max = sorted((direction * run.dense_range()[0], direction * end))

    def __call__(self, t: Any) -> Array:
        times = np.asarray(t, dtype=float)
        slack = 1e-12 * max(abs(self.t_min), abs(self.t_max))
        if not np.all((times >= self.t_min - slack) & (times <= self.t_max + slack)):
            raise wrong(f"the solution goes from {self.t_min:g} to {self.t_max:g}; asked for was a time outside of it")
        values: Array = self._run.dense((self._sign * times).ravel().tolist())[:, self._columns].T
        return values[:, 0] if times.ndim == 0 else values


def solve_dae(fun: Function, t_span: Sequence[float], y0: Any, yp0: Any = None, *, M: Any = None, jac: Any = None,
              rtol: Any = 1e-6, atol: Any = 1e-9, events: Any = None, dense_output: bool = False, t_eval: Any = None,
              args: Sequence[Any] = (), max_step: float | None = None, formulation: Any = "auto",
              integrator: Any = "auto", step: float | None = None, trace: bool = True, progress: Progress = None,
              on_inconsistent: str = "warn") -> DaeResult:
    """Solves fun(t, y, yp) = 0 from t_span[0] to t_span[1], which may lie before it.

    With a mass matrix `M` (a matrix, or a function M(t, y)), which may be singular, it solves M y' = fun(t, y). `args` are
    further arguments of fun, M, jac and events. y0 and yp0 are guesses: where they contradict the equations, the hidden
    ones included, the nearest values that do not are taken, and a StartWarning has both; `on_inconsistent="raise"`
    forbids that and "ignore" says nothing. Unknowns whose derivative does not occur may be guessed freely. `events` are
    functions event(t, y) whose zeros are found, with SciPy's attributes `terminal` and `direction`. `rtol` and `atol` may be
    vectors: of `rtol` the smallest counts for all. `trace=False` calls the function with numbers at once; then
    `jac(t, y, yp)` gives the matrices of its derivatives with respect to y and yp, and with M jac(t, y) that of fun.
    """
    if on_inconsistent not in _ON_INCONSISTENT:
        raise ValueError(f"on_inconsistent must be one of {', '.join(map(repr, _ON_INCONSISTENT))}")
    problem = Problem(fun, t_span, y0, yp0, args, M, jac)
    relative, absolute, nominal = tolerances_of(rtol, atol, problem.n)
    times = None if t_eval is None else times_of(t_eval, problem.t0, problem.t1)
    problem(problem.start, problem.y0.copy(), problem.yp0.copy())  # what is wrong with it is said here
    search = EventSearch(events, problem.n, args, problem.sign)
    check = _StartCheck(problem, relative, absolute * nominal, on_inconsistent)
    recipe = _traced(problem, nominal) if trace else None
    longest = longest_step(max_step)
    if recipe is not None:
        options: dict[str, Any] = {"until": problem.end, "rtol": relative, "atol": absolute, "points": 2, "dense": True,
                   "step": optional_number(step, "step"),
                   "formulation": selection_of(formulation, "formulation"),
                   "integrator": with_option(selection_of(integrator, "integrator"), "max_step", longest)}
        run, calls = _run_traced(recipe, options, search, check, progress), None
    else:
        chosen = selection_of(integrator, "integrator")
        options = {"rtol": relative, "atol": absolute, "step": optional_number(step, "step"), "jacobian": problem.jacobian,
                   "integrator": with_option("radau" if chosen == "auto" else chosen, "max_step", longest)}
        run, calls = _run_called(problem, options, search, check, progress)
    check.report(run)
    return _result(problem, run, search, times, dense_output, calls)


class _StartCheck:
    """Whether y0 was what the run began with."""

    def __init__(self, problem: Problem, relative: float, absolute: Array, reaction: str) -> None:
        self._problem, self._reaction = problem, reaction
        self._slack = absolute + relative * np.abs(problem.y0)  # what the tolerances call the same
        self._pending = True

    @property
    def first(self) -> bool:
        """Whether the first step is to be looked at: the run shall not go on in vain."""
        return self._pending and self._reaction == "raise"

    def look(self, run: _core.Run) -> None:
        if self.first:
            self._raise_or_warn(run)

    def report(self, run: _core.Run) -> None:
        if self._pending and run.has_dense:
            self._raise_or_warn(run)

    def _raise_or_warn(self, run: _core.Run) -> None:
        self._pending = False
        if self._reaction == "ignore":
            return
        begin = run.dense_range()[0]
        values = run.dense_in(0, begin)
        where = {name: k for k, name in enumerate(run.dense_names())}
        start = np.array([values[where[name]] for name in self._problem.names])
        moved = [int(k) for k in np.flatnonzero(np.abs(start - self._problem.y0) > self._slack)]
        moved = [k for k in moved if self._problem.differentiated(k)]
        if not moved:
            return
        shown = [f"y[{k}] from {self._problem.y0[k]:.6g} to {start[k]:.6g}" for k in moved[:_SHOWN]]
        more = f" and {len(moved) - _SHOWN} more" if len(moved) > _SHOWN else ""
        text = f"y0 contradicts the equations and is moved: {', '.join(shown)}{more}"
        if self._reaction == "raise":
            raise wrong(text + "; give values that fulfil them, or let them be moved with on_inconsistent=\"warn\"")
        warnings.warn(text + "; on_inconsistent=\"raise\" forbids it", StartWarning, stacklevel=4)


def _traced(problem: Problem, nominal: Array) -> _core.Recipe | None:
    try:
        return problem.trace(nominal)
    except ModelError:
        raise
    except Exception as reason:
        derivatives = "those of jac" if problem.jacobian else "differences"
        warnings.warn(f"the function could not be traced into expressions ({type(reason).__name__}: {reason}); it is "
                      f"called with numbers, for equations of index 1 only, with Jacobians by {derivatives}",
                      TraceWarning, stacklevel=3)
        return None


def _run_traced(recipe: _core.Recipe, options: dict[str, Any], search: EventSearch, check: _StartCheck,
                progress: Progress) -> _core.Run:
    with Bar(progress, "solve_dae") as bar:
        if search or check.first:
            def on_step(run: _core.Run) -> bool:
                check.look(run)
                return search.look(run) if search else True

            return _core.simulate(recipe.source(), [], {**options, "every_step": True}, on_step)

        def news(t: float, t_start: float, t_end: float, *_: Any) -> None:
            bar.to((t - t_start) / (t_end - t_start) if t_end > t_start else 1.0)

        return _core.simulate(recipe.source(), [], options, news if bar else None)


def _run_called(problem: Problem, options: dict[str, Any], search: EventSearch, check: _StartCheck,
                progress: Progress) -> tuple[_core.Run, int]:
    with Bar(progress, "solve_dae") as bar:
        def on_step(run: _core.Run) -> bool:
            check.look(run)
            bar.to((run.dense_range()[1] - problem.start) / (problem.end - problem.start))
            return search.look(run) if search else True

        run, _start, calls = _core.solve_function(problem, problem.start, problem.end, problem.y0.tolist(),
                                                  problem.yp0.tolist(), {**options, "on_step": on_step})
    return run, calls


def _result(problem: Problem, run: _core.Run, search: EventSearch, wanted: list[float] | None, dense_output: bool,
            calls: int | None) -> DaeResult:
    if not run.has_dense:
        if run.ok and problem.t0 == problem.t1:
            values = np.array([float(run.column(k)[0]) for k in _columns(problem, [s[0] for s in run.signals()])])
            return _as_result(run, np.array([problem.t0]), values.reshape(-1, 1), None, search, calls, 0)
        return _as_result(run, np.empty(0), np.empty((problem.n, 0)), None, search, calls, -1)
    columns = _columns(problem, run.dense_names())
    ended = search.terminal is not None
    end = run.dense_range()[1] if search.terminal is None else search.terminal
    solution = DaeSolution(run, columns, end, problem.sign)
    if wanted is None:
        steps = [run.segment(k)[0] for k in range(run.segments())]
        times = problem.sign * np.array([t for t in steps if t < end] + [end])
    else:
        times = np.array([t for t in wanted if problem.sign * t <= end])
    values = solution(times)
    status = 1 if ended else 0 if run.ok else -1
    return _as_result(run, times, values, solution if dense_output else None, search, calls, status)


def _columns(problem: Problem, names: list[str]) -> list[int]:
    where = {name: k for k, name in enumerate(names)}
    return [where[name] for name in problem.names]


def _as_result(run: _core.Run, t: Array, y: Array, solution: DaeSolution | None, search: EventSearch,
               calls: int | None, status: int) -> DaeResult:
    whole = Result(run, None, "solve_dae")
    summary: Report = whole.summary
    message = {0: "The solver successfully reached the end of the integration interval.",
               1: "A termination event occurred."}.get(status) or failure_text(whole).removeprefix("error: ")
    return DaeResult(t=t, y=y, sol=solution, t_events=search.times, y_events=search.values,
                     nfev=calls if calls is not None else summary["residual_evals"], njev=summary["jacobian_evals"],
                     nlu=summary["factorizations"], status=status, message=message, success=status >= 0,
                     traced=calls is None, summary=summary)
