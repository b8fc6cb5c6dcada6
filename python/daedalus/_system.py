"""What every model can do, wherever it comes from: be checked, simulated, compared, swept."""

from __future__ import annotations

import json
import os
import warnings as python_warnings
from typing import TYPE_CHECKING, Any, Callable, Iterable, Sequence

import numpy as np

from . import _core
from ._analysis import Linearisation, SteadyState
from ._engine import Engine, compiled, names_of
from ._errors import MissingFileError, ModelError, SimulationError, spoken
from ._inputs import Functions, functions_of
from ._origin import Origin, RunAgain, source_of
from ._progress import Bar, Progress
from ._result import Report, Result
from ._settings import Settings, longest_step, number, optional_number, points_of, selection_of, settings_of, threads_of, with_option

if TYPE_CHECKING:
    from ._compare import Comparison
    from ._sweep import Sweep


class System:
    """A model. `simulate()` may be called from many threads at once: every run is its own."""

    name: str = ""

    def _source(self) -> _core.Source:
        raise NotImplementedError

    def _origin(self) -> Origin:
        """The source as it is now, in a shape that can be pickled."""
        return self._source()

    def check(self, *, set: Settings | None = None) -> Report:
        """Structure, index, hidden constraints, what may be set initially, advice: as `daedalus check` says it."""
        origin, settings = self._prepared(set)
        text, shown = _core.check(source_of(origin), settings)
        return Report(json.loads(text), _in_python(shown))

    def simulate(self, until: float | None = None, *, formulation: Any = "auto", integrator: Any = "auto",
                 rtol: float | None = None, atol: float | None = None, step: float | None = None,
                 points: int | None = None, set: Settings | None = None, dense: bool = False, codegen: str = "auto",
                 threads: int = 0, progress: Progress = None, on_failure: str = "raise",
                 inputs: Functions = None, start: float | None = None, t_eval: Any = None,
                 max_step: float | None = None, sensitivities: Iterable[Any] = ()) -> Result:
        """Runs the model from `start`, by default where its experiment says, to `until`.

        `t_eval` are the output times, in place of `points` evenly spaced ones; the run ends at the last of them if there
        is no `until`. (They are values of the whole course, and have no drift of their own.) `set` gives values to
        parameters and start values for this run. `dense=True` keeps the whole course for r(t). `inputs` are what the
        inputs of the model do: {name: function of time, number or table (times, values)}, or a DataFrame. With respect to
        the parameters, and the start values of variables, that `sensitivities` names, all variables are differentiated:
        r["d(x)/d(L)"], r.sensitivity("x", "L"). No step of the integrator is longer than `max_step`. `codegen` and
        `threads` say how large models are evaluated (0: on all processors); results do not depend on them.
        `progress` is True, or is called like tqdm. A run that fails on the way raises SimulationError with what was
        computed, or returns it with `on_failure="return"`.
        """
        if on_failure not in ("raise", "return"):
            raise ValueError('on_failure must be "raise" or "return"')
        integrator = with_option(selection_of(integrator, "integrator"), "max_step", longest_step(max_step))
        if t_eval is not None:
            if points is not None:
                raise TypeError("simulate() takes points or t_eval, not both")
            if until is None and np.size(t_eval) > 0:
                until = np.ravel(t_eval)[-1]
            dense, points = True, 2
        wanted = names_of(sensitivities, "sensitivities", "parameters and variables")
        functions = functions_of(inputs)
        if functions or wanted:
            engine = self.compile(formulation=formulation, integrator=integrator, until=until, rtol=rtol, atol=atol, step=step,
                                  points=points, set=set, codegen=codegen, threads=threads, inputs=list(functions),
                                  start=start, sensitivities=wanted)
            result = engine.run(dense=dense, progress=progress, on_failure="return", inputs=functions)
        else:
            options = {
                "until": optional_number(until, "until"), "rtol": optional_number(rtol, "rtol"),
                "atol": optional_number(atol, "atol"), "step": optional_number(step, "step"), "points": points_of(points),
                "formulation": selection_of(formulation, "formulation"),
                "integrator": integrator, "dense": bool(dense), "codegen": codegen,
                "threads": threads_of(threads), "start": optional_number(start, "start"),
            }
            result = self._run(options, set, progress)
        if t_eval is not None:
            result = result._up_to_its_end(t_eval)
        if not result.ok and on_failure == "raise":
            raise SimulationError(failure_text(result), result)
        return result

    def _run(self, options: dict[str, Any], set: Settings | None, progress: Progress) -> Result:
        origin, settings = self._prepared(set)
        with Bar(progress, self.name) as bar:
            run = _core.simulate(source_of(origin), settings, options, told(bar))
        return Result(run, RunAgain(origin, settings, options), self.name)

    def _prepared(self, set: Settings | None) -> tuple[Origin, list[tuple[str, str]]]:
        """What a run with these settings is made of, and the settings that the library is told."""
        return self._origin(), settings_of(set)

    def compile(self, free: Iterable[Any] = (), *, formulation: Any = "auto", integrator: Any = "auto",
                until: float | None = None, rtol: float | None = None, atol: float | None = None,
                step: float | None = None, points: int | None = None, set: Settings | None = None,
                codegen: str = "auto", threads: int = 0, inputs: Iterable[Any] = (),
                start: float | None = None, max_step: float | None = None,
                sensitivities: Iterable[Any] = ()) -> Engine:
        """Makes the model ready to run many times: engine.run(), engine.start().

        Parameters named in `free` are given anew for every run; others keep the values they have now, or those of `set`.
        Inputs named in `inputs` may be functions of time; every input may be told values between steps. Every run has
        sensitivities with respect to what `sensitivities` names; parameters among them are free.
        """
        wanted = names_of(sensitivities, "sensitivities", "parameters and variables")
        if wanted:
            free = [*names_of(free), *self._free_among(wanted)]
        origin, settings = self._prepared(set)
        integrator = with_option(selection_of(integrator, "integrator"), "max_step", longest_step(max_step))
        return compiled(self.name, origin, free, settings, codegen, threads, formulation, integrator, inputs, wanted, until=until,
                        rtol=rtol, atol=atol, step=step, points=points, start=start)

    def _parameter_names(self) -> list[str]:
        """What may be declared free, as far as names tell."""
        return []

    def _free_among(self, names: Iterable[str]) -> list[str]:
        """The parameters among them."""
        parameters = frozenset(self._parameter_names())
        return [name for name in names if name in parameters]

    def _variable_names(self) -> list[str]:
        """Those that are known without asking the library."""
        return []

    def _check_names(self, point: Settings) -> None:
        """Raises ModelError for names that the model does not know, before anything runs."""
        known = frozenset([*self._parameter_names(), *self._variable_names()])
        unsure = {name: value for name, value in point.items() if name not in known}
        if unsure:
            origin, settings = self._prepared(unsure)
            _core.examine(source_of(origin), settings)

    def linearise(self, at: float | None = None, *, inputs: Iterable[Any] = (), outputs: Iterable[Any] = (),
                  set: Settings | None = None) -> Linearisation:
        """A, B, C, D and the modes at the time `at` of a run, by default at its start: see Simulation.linearise().

        `inputs` may name parameters, too.
        """
        names = names_of(inputs, "inputs", "inputs and parameters")
        simulation = self.compile(self._free_among(names), set=set).start()
        if at is not None:
            simulation.advance_to(at)
        return simulation.linearise(names, names_of(outputs, "outputs", "variables"))

    def steady(self, *, set: Settings | None = None) -> SteadyState:
        """An equilibrium, looked for from the start values: see Simulation.steady()."""
        return self.compile(set=set).start().steady()

    def sweep(self, points: Any = None, /, *, threads: int | None = None, progress: Progress = None,
              simulate: dict[str, Any] | None = None, executor: Any = None, **values: Sequence[Any]) -> Sweep:
        """Runs the model for all combinations of the values, on threads: model.sweep(k=np.linspace(1, 5, 9)); or for a
        list of points, or samples: model.sweep([{"k": 1, "x": 2}, …]), model.sweep({"k": ks, "x": xs})."""
        from ._sweep import sweep

        return sweep(self, points, threads=threads, progress=progress, simulate=simulate, executor=executor, **values)

    def compare(self, *, formulations: Any = None, integrators: Any = None, rtol: Any = None, until: float | None = None,
                atol: float | None = None, step: float | None = None, points: int | None = None,
                set: Settings | None = None, energy: str = "", threads: int = 0, limit: float = 100.0,
                progress: Progress = None) -> Comparison:
        """The model by many formulations and integrators, side by side: see daedalus.compare."""
        from ._compare import compare

        return compare(self, formulations=formulations, integrators=integrators, rtol=rtol, until=until, atol=atol,
                       step=step, points=points, set=set, energy=energy, threads=threads, limit=limit, progress=progress)


def _in_python(shown: str) -> str:
    """The text of a check with Python's names of arguments, without the line about further options of the program."""
    lines = [line for line in spoken(shown).rstrip("\n").split("\n") if "--details" not in line and "--json" not in line]
    return "\n".join(lines).rstrip("\n")


def told(bar: Bar) -> Callable[..., Any] | None:
    """What the run calls now and then."""
    if not bar:
        return None

    def news(t: float, t_start: float, t_end: float, *_: Any) -> None:
        bar.to((t - t_start) / (t_end - t_start) if t_end > t_start else 1.0)

    return news


def failure_text(result: Result) -> str:
    """The line that the command line prints."""
    reason, t_end = result._run.reason, result._run.t_end
    return f"error: {reason}" if "t = " in reason else f"error: {reason} at t = {t_end:.9g}"


class TextModel(System):
    """A model read from text: Modelica, Base Modelica, MJCF or URDF. Made by load() and parse()."""

    def __init__(self, source: _core.TextSource, given: Settings | None = None) -> None:
        self._text, self._given = source, dict(given or {})
        self.name, self.variables, self.parameters, self.warnings, shown = _core.examine(source, settings_of(given))
        if shown:
            python_warnings.warn(spoken(shown.rstrip("\n")), stacklevel=3)

    def _source(self) -> _core.Source:
        return self._text

    def _prepared(self, set: Settings | None) -> tuple[Origin, list[tuple[str, str]]]:
        settings_of(set)  # says what is wrong with them
        return self._text, settings_of({**self._given, **(set or {})})

    def _parameter_names(self) -> list[str]:
        return self.parameters

    def _variable_names(self) -> list[str]:
        return self.variables

    def __reduce__(self) -> Any:
        return _restore, (self._text.name, self._text.text, self._text.options, self._given)

    def __repr__(self) -> str:
        return f"<daedalus.TextModel {self.name!r} from {self._text.name!r}>"


def _restore(name: str, text: bytes, options: dict[str, Any], given: dict[str, Any]) -> TextModel:
    return TextModel(_core.text_source(name, text, options), given)


def _reading(ignore: Sequence[str], keyframe: str | int, strict: bool, floating: bool, outside: bool, coordinates: str,
             model: str) -> dict[str, Any]:
    return {"ignore": list(ignore), "keyframe": str(keyframe), "strict": bool(strict), "floating": bool(floating),
            "outside": bool(outside), "coordinates": coordinates, "model": model}


def load(path: str | os.PathLike[str], *, set: Settings | None = None, ignore: Sequence[str] = (),
         keyframe: str | int = "", strict: bool = False, floating: bool = False, outside: bool = False,
         coordinates: str = "auto", model: str = "") -> TextModel:
    """Reads a model file (.mo, .bmo) or a mechanism file (.xml MJCF, .urdf).

    `set` gives values to parameters for all that is done with the model, and must where the file gives them none. `model`
    chooses one of several models in a file. Of mechanism files: `ignore` names what a file may ask for in vain,
    `strict` makes errors of what is left out with a warning, `keyframe` is where an MJCF file starts from, `floating` lets
    the root link of a URDF file move, `outside` allows files outside of the model's folder, and `coordinates` are those of
    the equations: "joint", "body" or "auto".
    """
    name = os.fspath(path)
    if isinstance(name, bytes):
        name = os.fsdecode(name)
    if name == "-":
        raise ValueError("load() reads files; give the text itself to parse()")
    if not os.path.lexists(name) and name:
        raise _missing(name)
    options = _reading(ignore, keyframe, strict, floating, outside, coordinates, model)
    return TextModel(_core.text_source(name, _core.read_text(name), options), set)


def _missing(name: str) -> Exception:
    """The library's words for it, as an error that is a FileNotFoundError too."""
    try:
        _core.read_text(name)
    except ModelError as error:
        return MissingFileError(str(error), error.diagnostics, name)
    return FileNotFoundError(name)


def parse(text: str, *, name: str = "text", set: Settings | None = None, ignore: Sequence[str] = (),
          keyframe: str | int = "", strict: bool = False, floating: bool = False, outside: bool = False,
          coordinates: str = "auto", model: str = "") -> TextModel:
    """A model from its text. `name` stands for the file in messages. The rest is as for load()."""
    if not isinstance(text, str):
        raise TypeError(f"parse() takes a text, not {type(text).__name__}")
    options = _reading(ignore, keyframe, strict, floating, outside, coordinates, model)
    return TextModel(_core.text_source(name, text.encode("utf-8", "surrogatepass"), options), set)


def experiment_of(start: Any, stop: Any, tolerance: Any, interval: Any) -> tuple[Any, ...]:
    return (number(start, "start"), optional_number(stop, "stop"), optional_number(tolerance, "tolerance"),
            optional_number(interval, "interval"))
