"""Pictures by matplotlib, which is imported only here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

if TYPE_CHECKING:
    from ._compare import Comparison
    from ._result import Result


def pyplot() -> Any:
    try:
        import matplotlib.pyplot
    except ImportError:
        raise ImportError("plot() needs matplotlib: pip install matplotlib. Without it, Result.svg() and "
                          "Comparison.html() draw pictures") from None
    return matplotlib.pyplot


def _label(result: "Result", name: str) -> str:
    unit = result.units.get(name, "")
    return f"{name} [{unit}]" if unit else name


def _marks(axes: Any, result: "Result") -> None:
    """Events thin, rank changes dashed."""
    summary = result.summary
    for event in summary["event_log"]:
        axes.axvline(event["t"], color="0.85", linewidth=0.8, zorder=0)
    for change in summary["rank_changes"]:
        axes.axvline(change["t"], color="tab:red", linewidth=0.8, linestyle="--", zorder=0)


def plot_result(result: "Result", names: Sequence[str], ax: Any, drift: bool | None) -> Any:
    plt = pyplot()
    shown = list(names) or result._default_names()
    curves = [(name, result[name]) for name in shown]  # unknown names before any figure is made
    levels = result.drift
    with_drift = ax is None and bool(levels) if drift is None else drift and bool(levels)
    if ax is None:
        rows = 2 if with_drift else 1
        figure, all_axes = plt.subplots(rows, 1, sharex=True, squeeze=False, layout="constrained",
                                        height_ratios=[2, 1][:rows])
        ax, below = all_axes[0, 0], all_axes[-1, 0]
    else:
        below, with_drift = ax, False
    for name, values in curves:
        ax.plot(result.t, values, label=_label(result, name))
    _marks(ax, result)
    ax.legend(loc="best", fontsize="small")
    if with_drift:
        for level, values in levels.items():
            below.semilogy(result.t, np.maximum(values, 1e-17), label=level)
        below.set_ylabel("drift")
        below.legend(loc="best", fontsize="small")
    below.set_xlabel("time")
    return ax


def plot_comparison(comparison: "Comparison", ax: Any) -> Any:
    """Work against error, a point a row."""
    plt = pyplot()
    if ax is None:
        _, ax = plt.subplots(layout="constrained")
    for row in comparison.rows:
        error, work = row.get("error"), row.get("seconds")
        if error and work and error > 0:
            ax.loglog(error, work, "o")
            ax.annotate(row["formulation"], (error, work), fontsize="x-small", xytext=(3, 3),
                        textcoords="offset points")
    ax.set_xlabel("error, in parts of each signal's range")
    ax.set_ylabel("seconds of the processor")
    return ax
