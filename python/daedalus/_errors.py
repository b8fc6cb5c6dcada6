"""What can go wrong, in three kinds: the input (ModelError), the numerics (SimulationError), a name (UnknownNameError)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Sequence

if TYPE_CHECKING:
    from ._result import Result


@dataclass(frozen=True)
class Diagnostic:
    """One message about the model, with its place. Lines and columns count from 1; 0 where there is no place."""

    severity: str
    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    related: Sequence["Diagnostic"] = ()

    @property
    def hint(self) -> str:
        """What the notes that belong to the message say."""
        return "; ".join(note.message for note in self.related)


class Error(Exception):
    """The base of all errors of Daedalus. Its text is what the command line prints."""

    def __init__(self, text: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(text)
        self.diagnostics = list(diagnostics) or [Diagnostic("error", text.removeprefix("error: "))]

    def __str__(self) -> str:
        return str(self.args[0])


class ModelError(Error, ValueError):
    """The input is wrong: the model, an option, a file. (Exit code 2 of the command line.)"""


class SimulationError(Error, RuntimeError):
    """The numerics failed on the way; `result` holds what was computed. (Exit code 1 of the command line.)"""

    def __init__(self, text: str, result: "Result | None" = None) -> None:
        super().__init__(text)
        self.result = result

    @property
    def t(self) -> float:
        """The time at which the run ended."""
        return self.result.summary["t_end"] if self.result is not None else float("nan")


class UnknownNameError(Error, KeyError):
    """There is no signal of that name; the text names the nearest."""


def wrong(message: str) -> ModelError:
    """A ModelError as the library itself would write it."""
    return ModelError("error: " + message, [Diagnostic("error", message)])
