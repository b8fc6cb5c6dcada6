"""What a run gives: arrays by name, how it went, and pictures of it."""

from __future__ import annotations

import functools
import html
import json
import os
import re
import tempfile
from typing import TYPE_CHECKING, Any, Iterator

import numpy as np
import numpy.typing as npt

from . import _core
from ._errors import UnknownNameError, spoken, wrong
from ._origin import Again
from ._page import Page
from ._settings import times_of

Array = npt.NDArray[np.float64]

if TYPE_CHECKING:
    import matplotlib.axes
    import pandas

_LEVELS = ("position", "velocity", "acceleration")
_FEW = 8  # signals drawn when none are named
_PAGE_HEIGHT = 760  # pixels of a page in a notebook


def elements_of(name: str, columns: dict[str, int]) -> dict[tuple[int, ...], int]:
    """The columns of the elements name[1], name[2], … or name[1,1], … of an array, by their indices."""
    element = re.compile(re.escape(name) + r"\[(\d+(?:,\d+)*)\]")
    found: dict[tuple[int, ...], int] = {}
    for column, k in columns.items():
        if match := element.fullmatch(column):
            found[tuple(int(index) for index in match[1].split(","))] = k
    return found if len({len(index) for index in found}) == 1 else {}


class Report(dict[str, Any]):
    """A JSON object of the command line, its entries also as attributes; shown as the command line's text."""

    def __init__(self, values: dict[str, Any], text: str) -> None:
        super().__init__(values)
        self._text = text

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __repr__(self) -> str:
        return self._text

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._text)}</pre>"


class Result:
    """A run: `r["x"]` is an array over `r.t`, without a copy; `r(t)` is the solution at any time.

    Of an array of unknowns x[1], x[2], … `r["x"]` is a row for each, copied. Other arrays are views of the run's memory and cannot be written to; copy them to change them.
    """

    def __init__(self, run: _core.Run, again: Again | None = None, title: str = "") -> None:
        self._run = run
        self._again = again
        self._title = title
        self._whole: _core.Run | None = None  # the same run with its whole course

    @functools.cached_property
    def _signals(self) -> list[tuple[str, str, str, bool]]:
        return self._run.signals()

    @functools.cached_property
    def _column(self) -> dict[str, int]:
        return {row[0]: k for k, row in enumerate(self._signals)}

    # -- values ------------------------------------------------------------------------------------------------------

    @property
    def t(self) -> Array:
        """The output times."""
        return self._run.times()

    @property
    def names(self) -> list[str]:
        """The signals, in the order of declaration."""
        return list(self._column)

    @property
    def units(self) -> dict[str, str]:
        """The units of the signals that have one."""
        return {row[0]: row[1] for row in self._signals if row[1]}

    @property
    def parameters(self) -> dict[str, float]:
        """The values of the parameters in this run."""
        return dict(self._run.parameters())

    def _index(self, name: str) -> int:
        if not isinstance(name, str):
            raise TypeError(f"signals are named by texts, not by {type(name).__name__}")
        found = self._column.get(name)
        if found is None:
            raise UnknownNameError("error: " + _core.unknown_name("variable", name, self.names))
        return found

    def __getitem__(self, name: str) -> Array:
        if isinstance(name, str) and name == "time" and name not in self._column:
            return self.t
        if isinstance(name, str) and name not in self._column and (elements := elements_of(name, self._column)):
            return self._array(elements)
        return self._run.column(self._index(name))

    def _array(self, elements: dict[tuple[int, ...], int]) -> Array:
        shape = tuple(int(n) for n in np.max(list(elements), axis=0))
        made = np.full((*shape, len(self.t)), np.nan)
        for index, column in elements.items():
            made[tuple(k - 1 for k in index)] = self._run.column(column)
        return made

    def sensitivity(self, name: str, parameter: str) -> Array:
        """The derivative of a variable with respect to a parameter or a start value that simulate(sensitivities=…) named."""
        self._index(name)
        wanted = f"d({name})/d({parameter})"
        if wanted not in self._column:
            raise UnknownNameError(f"error: this run has no sensitivity of '{name}' with respect to '{parameter}'; "
                                   f"simulate with sensitivities=[\"{parameter}\"]")
        return self._run.column(self._column[wanted])

    def __contains__(self, name: object) -> bool:
        return name in self._column

    def __iter__(self) -> Iterator[str]:
        return iter(self._column)

    def __len__(self) -> int:
        return len(self._column)

    def keys(self) -> list[str]:
        return self.names

    def __call__(self, t: Any, name: str | None = None) -> Any:
        """The solution at a time or an array of times, to the order of the method: {name: value}, or of one name.

        A run made with `dense=True` has it at hand. Of another the first call makes the run once more.
        """
        times = np.asarray(t, dtype=float)
        column = None if name is None else self._index(name)
        dense = self._dense()
        begin, end = dense.dense_range()
        slack = 1e-12 * max(abs(begin), abs(end))
        if not np.all((times >= begin - slack) & (times <= end + slack)):
            raise wrong(f"the run goes from {begin:g} to {end:g}; asked for was a time outside of it")
        values = dense.dense(times.ravel().tolist())
        if column is not None:
            values = values[:, dense.dense_names().index(self.names[column])]
            return float(values[0]) if times.ndim == 0 else values.reshape(times.shape)
        if times.ndim == 0:
            return dict(zip(dense.dense_names(), values[0].tolist()))
        return {n: values[:, k].reshape(times.shape) for k, n in enumerate(dense.dense_names())}

    def at(self, times: Any) -> "Result":
        """The same run with output points at these times: values of its whole course, as r(t) gives them.

        They have no drift of their own.
        """
        wanted = self._within(times)
        if wanted and wanted[-1] > self._dense().dense_range()[1] + 1e-12 * max(map(abs, wanted)):
            raise wrong(f"the run ends at {self._dense().dense_range()[1]:g}; asked for was {wanted[-1]:g}")
        return self._resampled(wanted)

    def _up_to_its_end(self, times: Any) -> "Result":
        """The same, without the times that the run did not reach."""
        end = self._dense().dense_range()[1] if self._run.has_dense else -np.inf
        return self._resampled([t for t in self._within(times) if t <= end + 1e-12 * abs(end)])

    def _within(self, times: Any) -> list[float]:
        begin = self._dense().dense_range()[0] if self._run.has_dense else float(np.min(times))
        return times_of(times, begin, float(np.max(times)) if np.size(times) else begin)

    def _resampled(self, times: list[float]) -> "Result":
        return Result(self._dense().at(times), self._again, self._title) if times else self

    def _dense(self) -> _core.Run:
        if not self._run.has_dense:
            if self._again is None:
                raise wrong("this result has no dense output; simulate with dense=True")
            if self._whole is None:
                self._whole = self._again()
            if not self._whole.has_dense:
                raise wrong("the run ended where it began: there is nothing between its output points")
            return self._whole
        return self._run

    def __reduce__(self) -> Any:
        """Values and summary. The course between output points is found again by another run, as of any result."""
        return Result, (self._run, self._again, self._title)

    # -- how it went ---------------------------------------------------------------------------------------------------

    @property
    def ok(self) -> bool:
        """Whether the run came to its end."""
        return self._run.ok

    @property
    def summary(self) -> Report:
        """The summary of the command line: counters, drift, events, rank changes, final values."""
        return Report(json.loads(self._run.summary_json()), self._run.summary_text().rstrip("\n"))

    @property
    def warnings(self) -> list[str]:
        return [spoken(warning) for warning in self._run.warnings()]

    @property
    def drift(self) -> dict[str, Array]:
        """How far the constraints of each level are violated, at each output point: "position", "velocity", …"""
        return {
            _LEVELS[level] if level < len(_LEVELS) else f"level {level}": self._run.drift(level)
            for level in range(self._run.drift_levels())
        }

    # -- to other tools --------------------------------------------------------------------------------------------------

    def to_pandas(self) -> "pandas.DataFrame":
        """A DataFrame over time. (pandas copies.)"""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_pandas() needs pandas: pip install pandas") from None
        values = self._run.values().reshape(len(self.t), len(self))
        frame = pandas.DataFrame(values.copy(), columns=self.names, index=pandas.Index(self.t.copy(), name="time"))
        frame.attrs["units"] = self.units
        return frame

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes .csv, .json or .mat, as the command line's --out does."""
        self._run.write(os.fspath(path))

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Writes the file, or returns its text when there is no path."""
        if path is not None:
            if not os.fspath(path).endswith(".csv"):
                raise wrong(f"'{os.fspath(path)}' must end with .csv")
            self.write(path)
            return None
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "run.csv")
            self.write(file)
            with open(file, encoding="utf-8") as text:
                return text.read()

    def svg(self, *names: str) -> str:
        """The picture that the command line's --plot draws."""
        return self._run.svg(self._title, list(names))

    def report(self, *names: str, path: str | os.PathLike[str] | None = None) -> Page:
        """The page of the command line's --report: curves to zoom into, drift, structure, summary, of mechanisms the motion.

        A notebook shows it in place. `names` are drawn at first. (It has no step sizes, which only --report writes.)
        """
        for name in names:
            self._index(name)
        if self._again is None:
            raise wrong("this result does not know its model; a report needs it")
        run = self._again() if self._run.restored else self._run
        source, settings = self._again.made_of
        page = Page(run.page(source, settings, list(names)), _PAGE_HEIGHT)
        if path is not None:
            page.save(path)
        return page

    def plot(self, *names: str, ax: "matplotlib.axes.Axes | None" = None, drift: bool | None = None) -> Any:
        """Draws signals over time with matplotlib, and below them the drift of the constraints if there is any."""
        from ._plot import plot_result

        return plot_result(self, names, ax, drift)

    def _default_names(self) -> list[str]:
        moving = [n for n in self.names if len(self.t) and np.ptp(self[n]) > 0]
        return (moving or self.names)[:_FEW]

    # -- display -----------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        state = "ok" if self.ok else f"failed: {self._run.reason}"
        return (f"<daedalus.Result {self._title!r}: {len(self)} signals at {len(self.t)} times up to "
                f"t = {self._run.t_end:g}, {state}>")

    def _repr_html_(self) -> str:
        try:
            picture = self.svg()
        except Exception:  # a picture is no reason to show nothing
            picture = ""
        return f"{picture}<pre>{html.escape(str(self.summary))}</pre>"
