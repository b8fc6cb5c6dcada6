"""Models compiled once: run many times, or step by step, from any number of threads."""

from __future__ import annotations

import os
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional

import numpy as np
import numpy.typing as npt

from . import _core
from ._analysis import Linearisation, SteadyState, linearisation_of, steady_of
from ._ensemble import EnsembleResult, ensemble_of
from ._errors import ModelError, SimulationError, UnknownNameError, wrong
from ._origin import Origin, source_of
from ._progress import Bar, Progress
from ._result import Result
from ._settings import number, optional_number, points_of, selection_of, threads_of


def _names(given: Iterable[str], what: str) -> list[str]:
    if isinstance(given, str):
        raise TypeError(f"{what} must be a list of names, not one name")
    return [str(name) for name in given]


class Simulation:
    """One run in the hand, made by Engine.start(): advanced, asked, told, copied.

        sim = engine.start(u=0)
        while sim.time < 10:
            sim.advance(0.1)
            sim["u"] = -sim["x"]
    """

    def __init__(self, engine: "Engine", core: _core.Simulation) -> None:
        self._engine, self._core = engine, core

    def advance(self, duration: float) -> bool:
        """Goes on for so long. False: the model ended the run on the way."""
        if number(duration, "duration") < 0:
            raise wrong(f"a simulation cannot go back: duration={duration}")
        return self._gone_on(self._core.advance_to(self._core.time() + duration))

    def advance_to(self, t: float) -> bool:
        """Goes on to this time exactly, events and all."""
        if number(t, "t") < self._core.time():
            raise wrong(f"a simulation cannot go back: it is at t = {self._core.time():.9g}, and t={t} was asked for")
        return self._gone_on(self._core.advance_to(t))

    def step(self) -> bool:
        """One step of the integrator, as long as it likes."""
        return self._gone_on(self._core.step())

    def _gone_on(self, runs: bool) -> bool:
        if not runs and self._core.failed():
            raise SimulationError(self._failure())
        return runs

    def _failure(self) -> str:
        reason = self._core.reason()
        return f"error: {reason}" if "t = " in reason else f"error: {reason} at t = {self._core.time():.9g}"

    @property
    def time(self) -> float:
        return self._core.time()

    @property
    def steps(self) -> int:
        """Steps of the integrator so far."""
        return self._core.steps()

    @property
    def ended(self) -> bool:
        """Failed, or terminated by the model."""
        return self._core.ended()

    @property
    def failed(self) -> bool:
        return self._core.failed()

    @property
    def reason(self) -> str:
        """Why it ended."""
        return self._core.reason()

    @property
    def names(self) -> list[str]:
        """The signals, in the order of values()."""
        return self._core.names()

    def values(self) -> npt.NDArray[np.float64]:
        """All signals now."""
        return self._core.values()

    def drift(self) -> npt.NDArray[np.float64]:
        """The largest residual of the constraints of each level: [0] the constraints themselves."""
        return self._core.drift()

    def __getitem__(self, name: str) -> float:
        try:
            return self._core.value(name)
        except ModelError:
            raise UnknownNameError("error: " + _core.unknown_name("variable", name, self.names)) from None

    def __setitem__(self, name: str, value: float | Callable[[float], float]) -> None:
        """An input or a free parameter from now on, or a new value of a variable; the others follow consistently.

        An input that was named in compile(inputs=…) may be a function of time.
        """
        if name not in self._engine._variables:
            message = _core.unknown_name("name to be set", name, list(self._engine._variables))
            raise UnknownNameError("error: " + message)
        if callable(value):
            self._core.set_function(name, value)
        else:
            self._core.set(name, number(value, f"the value of '{name}'"))

    def make_consistent(self) -> None:
        """Lets the other values follow what was set, now. (The next step does it, too.)"""
        self._core.make_consistent()

    def linearise(self, inputs: Iterable[str] = (), outputs: Iterable[str] = ()) -> Linearisation:
        """A, B, C, D and the modes around where the simulation stands.

        `inputs`: inputs and free parameters, by default all inputs; `outputs`: variables, "der(x)" for a derivative,
        by default the states, which are as many of the model's unknowns as it has degrees of freedom.
        """
        return linearisation_of(self._core.linearise(_names(inputs, "inputs"), _names(outputs, "outputs")))

    def steady(self) -> SteadyState:
        """An equilibrium, looked for from where the simulation stands; SimulationError where none is found."""
        found, text, linearisation = self._core.steady()
        if not found:
            raise SimulationError(f"error: {text}")
        return steady_of(text, linearisation)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def save(self, path: str | os.PathLike[str] | None = None) -> bytes:
        """A checkpoint as bytes, also written to a file if one is named; engine.load() goes on from there with the same
        bits, in another process, too."""
        saved = self._core.save()
        if path is not None:
            with open(os.fspath(path), "wb") as file:
                file.write(saved)
        return saved

    def copy(self) -> "Simulation":
        """A simulation of its own that goes on with the same bits: a checkpoint."""
        return Simulation(self._engine, self._core.copy())

    def __copy__(self) -> "Simulation":
        return self.copy()

    def __deepcopy__(self, _memo: Any) -> "Simulation":
        return self.copy()

    def __repr__(self) -> str:
        state = f"failed: {self.reason}" if self.failed else "ended by the model" if self.ended else "running"
        return f"<daedalus.Simulation {self._engine.name!r} at t = {self.time:g}, {state}>"


class Engine:
    """A model made ready to run. It does not change; any number of threads may run and start simulations of it at once.

        engine = model.compile(free=["L"])
        r = engine.run(until=10, L=2)
    """

    def __init__(self, name: str, origin: Origin, settings: list[tuple[str, str]], free: list[str],
                 options: dict[str, Any]) -> None:
        self.name = name
        self._recipe = (name, origin, settings, free, options)
        self._core = _core.compile(source_of(origin), settings, free, options)
        self._variables = frozenset(self._core.variables())

    def __reduce__(self) -> Any:
        return Engine, self._recipe

    @property
    def settable(self) -> list[str]:
        """The free parameters and the inputs. Start values of variables can be set as well, when a run starts."""
        return self._core.settable()

    @property
    def formulation(self) -> str:
        return self._core.formulation()

    @property
    def integrator(self) -> str:
        return self._core.integrator()

    def run(self, until: float | None = None, *, set: Mapping[str, float] | None = None, rtol: float | None = None,
            atol: float | None = None, points: int | None = None, dense: bool = False, progress: Progress = None,
            on_failure: str = "raise", inputs: Functions = None, **values: float) -> Result:
        """A whole run: what is not given is as the engine was compiled for.

        `set`, and further arguments by name, give values to free parameters and inputs, and start values to variables.
        `inputs` are functions of time {name: function} for inputs that compile(inputs=…) has named. The rest means what
        it means for simulate().
        """
        if on_failure not in ("raise", "return"):
            raise ValueError('on_failure must be "raise" or "return"')
        given = _merged(set, values)
        arguments = (given, optional_number(until, "until"), optional_number(rtol, "rtol"),
                     optional_number(atol, "atol"), points_of(points))
        functions = functions_of(inputs)
        if progress is None:
            run = self._core.run(*arguments, bool(dense), None, functions)
        else:
            from ._system import told

            with Bar(progress, self.name) as bar:
                run = self._core.run(*arguments, bool(dense), told(bar), functions)
        result = Result(run, _Again(self, arguments, functions), self.name)
        if on_failure == "raise" and not run.ok:
            from ._system import failure_text

            raise SimulationError(failure_text(result), result)
        return result

    def start(self, *, set: Mapping[str, float] | None = None, until: float | None = None, rtol: float | None = None,
              atol: float | None = None, inputs: Functions = None, **values: float) -> Simulation:
        """A simulation at consistent initial values. `until` says how long it will go on, as far as is known."""
        core = _core.start(self._core, _merged(set, values), optional_number(until, "until"),
                           optional_number(rtol, "rtol"), optional_number(atol, "atol"), functions_of(inputs))
        simulation = Simulation(self, core)
        if core.failed():
            raise SimulationError(simulation._failure())
        return simulation

    def ensemble(self, values: Any, until: float | None = None, *, outputs: Iterable[str] | None = None,
                 at: Iterable[float] | None = None, backend: str = "auto", rtol: float | None = None,
                 atol: float | None = None, threads: int = 0, chunk: int | None = None, reduce: Any = None,
                 progress: Progress = None, executor: Any = None) -> EnsembleResult:
        """Many runs at once, each with its own error control: engine.ensemble({"L": lengths}, outputs=["x"], at=[1, 2]).

        `values` are {name: one number a run} for free parameters, inputs and start values, or a DataFrame; a single number
        is that of all runs. `outputs` are signals, by default all; `at` ascending times, by default the end. `backend` is
        "lanes" (several trajectories in the processor's vector registers), "cuda", "scalar" (the engine's own runs), or
        "auto", the fastest that can take the model; `why` of the result says why it is no faster one. `chunk` runs are done
        at a time. With `reduce=True`, or reduce={output: (bins, low, high)} for histograms, values are not kept, but their
        mean, standard deviation and extremes. The keyboard's interrupt ends it, and what was done is given back
        (`interrupted`). `executor` is anything with submit() whose workers take the chunks: a ProcessPoolExecutor, a Dask
        client.
        """
        return ensemble_of(self, values, until=until, outputs=outputs, at=at, backend=backend, rtol=rtol, atol=atol,
                           threads=threads, chunk=chunk, reduce=reduce, progress=progress, executor=executor)

    def load(self, saved: bytes | str | os.PathLike[str], *, inputs: Functions = None) -> Simulation:
        """A simulation that Simulation.save() gave as bytes or wrote to a file, by this engine or by one of the same model
        and options. Functions of time are not saved: they are given again."""
        if not isinstance(saved, (bytes, bytearray, memoryview)):
            with open(os.fspath(saved), "rb") as file:
                saved = file.read()
        return Simulation(self, _core.load(self._core, bytes(saved), functions_of(inputs)))

    def __repr__(self) -> str:
        free = f", free: {', '.join(self.settable)}" if self.settable else ""
        return f"<daedalus.Engine {self.name!r}: {self.formulation}, {self.integrator}{free}>"


class _Again:
    """The same run once more, with its whole course."""

    def __init__(self, engine: Engine,
                 arguments: tuple[dict[str, float], float | None, float | None, float | None, int | None],
                 functions: dict[str, Callable[[float], float]]) -> None:
        self._engine, self._arguments, self._functions = engine, arguments, functions

    @property
    def made_of(self) -> tuple[_core.Source, list[tuple[str, str]]]:
        """The source and the settings that the engine was compiled with, for pictures."""
        _name, origin, settings, _free, _options = self._engine._recipe
        return source_of(origin), settings

    def __call__(self) -> _core.Run:
        return self._engine._core.run(*self._arguments, True, None, self._functions)


Functions = Optional[Mapping[str, Callable[[float], float]]]


def functions_of(inputs: Functions) -> dict[str, Callable[[float], float]]:
    """{name: function of time}"""
    if inputs is None:
        return {}
    if not isinstance(inputs, Mapping):
        raise TypeError("inputs must be a dictionary {name: function of time}")
    for name, function in inputs.items():
        if not isinstance(name, str) or not callable(function):
            raise TypeError("inputs must be a dictionary {name: function of time}")
    return dict(inputs)


def _merged(set: Mapping[str, float] | None, values: dict[str, float]) -> dict[str, float]:
    if set is None:
        return values
    if not isinstance(set, Mapping):
        raise TypeError("set must be a dictionary {name: value}")
    for name in set:
        if not isinstance(name, str):
            raise TypeError("the names in set must be texts")
        if name in values:
            raise TypeError(f"'{name}' is given twice")
    return {**set, **values}


def names_of(free: Iterable[str], what: str = "free", kind: str = "parameters") -> list[str]:
    """The names of `free`, which may be variables of a model written in Python."""
    if isinstance(free, str):
        raise TypeError(f"{what} must be a list of names")
    names = [f.name if isinstance(f, _core.Expr) else f for f in free]
    for name in names:
        if not isinstance(name, str) or not name:
            raise TypeError(f"{what} must be a list of names of {kind}")
    return list(dict.fromkeys(names))


def compiled(name: str, origin: Origin, free: Iterable[str], settings: list[tuple[str, str]], codegen: str, threads: int,
             formulation: Any, integrator: Any, inputs: Iterable[Any] = (), sensitivities: Iterable[Any] = (), **options: Any) -> Engine:
    """What System.compile() makes of its arguments."""
    given: dict[str, Any] = {key: optional_number(options[key], key) for key in ("until", "rtol", "atol", "step", "start")}
    given |= {"points": points_of(options["points"]), "formulation": selection_of(formulation, "formulation"),
              "integrator": selection_of(integrator, "integrator"), "codegen": codegen, "threads": threads_of(threads),
              "inputs": names_of(inputs, "inputs", "inputs"),
              "sensitivities": names_of(sensitivities, "sensitivities", "parameters and variables")}
    return Engine(name, origin, settings, names_of(free), given)
