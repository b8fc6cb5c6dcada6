"""One model by many formulations and integrators, side by side."""

from __future__ import annotations

import json
import os
from typing import Any, Sequence

from . import _core
from ._origin import source_of
from ._page import Page
from ._plot import plot_comparison
from ._progress import Bar, Progress
from ._settings import Settings, optional_number, points_of, selection_of, threads_of
from ._system import System

_PAGE_HEIGHT = 900  # pixels of a page in a notebook


class Comparison:
    """The rows of a comparison: `table` for reading on, `plot()`, `html()` for the page of the command line."""

    def __init__(self, found: _core.Comparison) -> None:
        self._found = found
        self._json: dict[str, Any] = json.loads(found.json())

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Every row as the command line's --json writes it."""
        rows: list[dict[str, Any]] = self._json["rows"]
        return rows

    @property
    def summary(self) -> dict[str, Any]:
        """All but the rows: the reference, what was measured, notes."""
        return {key: value for key, value in self._json.items() if key != "rows"}

    @property
    def table(self) -> Any:
        """A pandas.DataFrame, or a list of dictionaries where there is no pandas."""
        flat = [_flat(row) for row in self.rows]
        try:
            import pandas
        except ImportError:
            return flat
        return pandas.DataFrame(flat)

    def plot(self, ax: Any = None) -> Any:
        """Work against error, a point a row."""
        return plot_comparison(self, ax)

    def html(self, path: str | os.PathLike[str] | None = None) -> str:
        """The page of `daedalus compare --report`; written to a file as well if there is a path."""
        page = self._found.html()
        if path is not None:
            with open(os.fspath(path), "w", encoding="utf-8") as file:
                file.write(page)
        return page

    def report(self, path: str | os.PathLike[str] | None = None) -> Page:
        """The page of `daedalus compare --report`; a notebook shows it in place."""
        page = Page(self._found.html(), _PAGE_HEIGHT)
        if path is not None:
            page.save(path)
        return page

    def __repr__(self) -> str:
        return self._found.text().rstrip("\n")

    def _repr_html_(self) -> str:
        table = self.table
        return table._repr_html_() if hasattr(table, "_repr_html_") else f"<pre>{self!r}</pre>"


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """{"drift": {"position": 0}} is {"drift_position": 0}."""
    out: dict[str, Any] = {}
    for key, value in row.items():
        out |= {f"{key}_{inner}": v for inner, v in value.items()} if isinstance(value, dict) else {key: value}
    return out


def _list_of(given: Any, name: str) -> str:
    if given is None or given == "all":
        return "all" if given == "all" else ""
    if isinstance(given, str):
        return given
    return ",".join(selection_of(item, name) for item in given)


def compare(model: System, *, formulations: Any = None, integrators: Any = None, rtol: Any = None,
            until: float | None = None, atol: float | None = None, step: float | None = None,
            points: int | None = None, set: Settings | None = None, energy: str = "", threads: int = 0,
            limit: float = 100.0, progress: Progress = None) -> Comparison:
    """Runs a model by all formulations, or those named, and measures each against a reference.

    Names are texts "NAME:key=value" or (NAME, {key: value}); `rtol` may be several, for work-precision diagrams.
    """
    if not isinstance(model, System):
        raise TypeError(f"compare() takes a model, not {type(model).__name__}")
    tolerances: Sequence[Any] = [] if rtol is None else rtol if isinstance(rtol, (list, tuple)) else [rtol]
    options = {
        "formulations": _list_of(formulations, "formulations"), "integrators": _list_of(integrators, "integrators"),
        "rtol": [optional_number(r, "rtol") for r in tolerances], "until": optional_number(until, "until"),
        "atol": optional_number(atol, "atol"), "step": optional_number(step, "step"), "points": points_of(points),
        "energy": energy, "threads": threads_of(threads), "limit": optional_number(limit, "limit") or 0.0,
    }
    with Bar(progress, model.name) as bar:
        def news(done: int, total: int, _running: str, part: float) -> None:
            bar.to((done + min(part, 1.0)) / max(total, 1))

        origin, settings = model._prepared(set)
        found = _core.compare(source_of(origin), model.name, settings, options, news if bar else None)
    return Comparison(found)
