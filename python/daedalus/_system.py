"""What every model can do, wherever it comes from: be checked, simulated, compared, swept."""

from __future__ import annotations

import json
import os
import warnings as python_warnings
from typing import Any, Callable, Iterable, Sequence

from . import _core
from ._engine import Engine, Functions, compiled, functions_of
from ._errors import SimulationError
from ._origin import Origin, RunAgain, source_of
from ._progress import Bar, Progress
from ._result import Report, Result
from ._settings import Settings, number, optional_number, points_of, selection_of, settings_of, threads_of


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
        text, shown = _core.check(self._source(), settings_of(set))
        return Report(json.loads(text), shown.rstrip("\n"))

    def simulate(self, until: float | None = None, *, formulation: Any = "auto", integrator: Any = "auto",
                 rtol: float | None = None, atol: float | None = None, step: float | None = None,
                 points: int | None = None, set: Settings | None = None, dense: bool = False, codegen: str = "auto",
                 threads: int = 0, progress: Progress = None, on_failure: str = "raise",
                 inputs: Functions = None) -> Result:
        """Runs the model to `until`.

        `set` gives values to parameters and start values for this run. `dense=True` keeps the whole course for r(t).
        `inputs` are functions of time {name: function} for inputs of the model.
        `codegen` and `threads` say how large models are evaluated (0: on all processors); results do not depend on them.
        `progress` is True, or is called like tqdm. A run that fails on the way raises SimulationError with what was
        computed, or returns it with `on_failure="return"`.
        """
        if on_failure not in ("raise", "return"):
            raise ValueError('on_failure must be "raise" or "return"')
        if inputs is not None:
            engine = self.compile(formulation=formulation, integrator=integrator, until=until, rtol=rtol, atol=atol, step=step,
                                  points=points, set=set, codegen=codegen, threads=threads, inputs=list(functions_of(inputs)))
            return engine.run(dense=dense, progress=progress, on_failure=on_failure, inputs=inputs)
        options = {
            "until": optional_number(until, "until"), "rtol": optional_number(rtol, "rtol"),
            "atol": optional_number(atol, "atol"), "step": optional_number(step, "step"), "points": points_of(points),
            "formulation": selection_of(formulation, "formulation"),
            "integrator": selection_of(integrator, "integrator"), "dense": bool(dense), "codegen": codegen,
            "threads": threads_of(threads),
        }
        result = self._run(options, settings_of(set), progress)
        if not result.ok and on_failure == "raise":
            raise SimulationError(failure_text(result), result)
        return result

    def _run(self, options: dict[str, Any], settings: list[tuple[str, str]], progress: Progress) -> Result:
        origin = self._origin()
        with Bar(progress, self.name) as bar:
            run = _core.simulate(source_of(origin), settings, options, told(bar))
        return Result(run, RunAgain(origin, settings, options), self.name)

    def compile(self, free: Iterable[Any] = (), *, formulation: Any = "auto", integrator: Any = "auto",
                until: float | None = None, rtol: float | None = None, atol: float | None = None,
                step: float | None = None, points: int | None = None, set: Settings | None = None,
                codegen: str = "auto", threads: int = 0, inputs: Iterable[Any] = ()) -> Engine:
        """Makes the model ready to run many times: engine.run(), engine.start().

        Parameters named in `free` are given anew for every run; others keep the values they have now, or those of `set`.
        Inputs named in `inputs` may be functions of time; every input may be told values between steps.
        """
        return compiled(self.name, self._origin(), free, set, codegen, threads, formulation, integrator, inputs, until=until,
                        rtol=rtol, atol=atol, step=step, points=points)

    def _parameter_names(self) -> list[str]:
        """What may be declared free, as far as names tell."""
        return []

    def sweep(self, points: Any = None, /, *, threads: int | None = None, progress: Progress = None,
              simulate: dict[str, Any] | None = None, **values: Sequence[Any]) -> "Any":
        """Runs the model for all combinations of the values, on threads: model.sweep(k=np.linspace(1, 5, 9)); or for a
        list of points, or samples: model.sweep([{"k": 1, "x": 2}, …]), model.sweep({"k": ks, "x": xs})."""
        from ._sweep import sweep

        return sweep(self, points, threads=threads, progress=progress, simulate=simulate, **values)

    def compare(self, **options: Any) -> "Any":
        """The model by many formulations and integrators, side by side: see daedalus.compare."""
        from ._compare import compare

        return compare(self, **options)


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

    def __init__(self, source: _core.TextSource) -> None:
        self._text = source
        self.name, self.variables, self.parameters, self.warnings, shown = _core.examine(source, [])
        if shown:
            python_warnings.warn(shown.rstrip("\n"), stacklevel=3)

    def _source(self) -> _core.Source:
        return self._text

    def _parameter_names(self) -> list[str]:
        return self.parameters

    def __reduce__(self) -> Any:
        return _restore, (self._text.name, self._text.text, self._text.ignore)

    def __repr__(self) -> str:
        return f"<daedalus.TextModel {self.name!r} from {self._text.name!r}>"


def _restore(name: str, text: bytes, ignore: list[str]) -> TextModel:
    return TextModel(_core.text_source(name, text, ignore))


def load(path: str | os.PathLike[str], *, ignore: Sequence[str] = ()) -> TextModel:
    """Reads a model file (.mo, .bmo) or a mechanism file (.xml MJCF, .urdf).

    `ignore` names what a mechanism file may ask for in vain, as the command line's --ignore does.
    """
    name = os.fspath(path)
    if isinstance(name, bytes):
        name = os.fsdecode(name)
    if name == "-":
        raise ValueError("load() reads files; give the text itself to parse()")
    return TextModel(_core.text_source(name, _core.read_text(name), list(ignore)))


def parse(text: str, *, name: str = "text", ignore: Sequence[str] = ()) -> TextModel:
    """A model from its text. `name` stands for the file in messages."""
    if not isinstance(text, str):
        raise TypeError(f"parse() takes a text, not {type(text).__name__}")
    return TextModel(_core.text_source(name, text.encode("utf-8", "surrogatepass"), list(ignore)))


def experiment_of(start: Any, stop: Any, tolerance: Any, interval: Any) -> tuple[Any, ...]:
    return (number(start, "start"), optional_number(stop, "stop"), optional_number(tolerance, "tolerance"),
            optional_number(interval, "interval"))
