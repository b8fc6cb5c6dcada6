"""What can go wrong, in three kinds: the input (ModelError), the numerics (SimulationError), a name (UnknownNameError)."""

from __future__ import annotations

import errno
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Sequence

if TYPE_CHECKING:
    from ._result import Result


# What the library calls by its names on the command line, as Python has it.
_SPOKEN = [
    (re.compile(r"with --set ([^\s=]+)=\.\.\."), r'with set={"\1": …}'),
    (re.compile(r"--set NAME=VALUE"), 'set={"NAME": VALUE}'),
    (re.compile(r"--set ([^\s:=]+)=([^\s:]+)"), r'set={"\1": \2}'),
    (re.compile(r"--set ([^\s:=]+)(?=:|$)"), r'set["\1"]'),
    (re.compile(r"--(formulation|integrator|keyframe|model|coordinates) ([\w-]+(?::[^\s;,)]*)?)"), r'\1="\2"'),
    (re.compile(r"--(ignore|inputs) ([\w-]+)"), r'\1=["\2"]'),
    (re.compile(r"--(until|rtol|atol|step|points|threads) ([0-9HRATN][\w.+-]*)"), r"\1=\2"),
    (re.compile(r"--out FILE\.json"), "write(FILE.json)"),
    (re.compile(r"--float\b"), "floating=True"),
    (re.compile(r"--(strict|outside)\b"), r"\1=True"),
    (re.compile(r"--(set|until|rtol|atol|step|points|threads|formulation|integrator|keyframe|model|coordinates|ignore|inputs"
                r"|energy)\b"), r"\1="),
]


def spoken(text: str) -> str:
    """A message of the library with Python's names for what the command line calls --set, --until, …"""
    if "--" not in text:
        return text
    for pattern, words in _SPOKEN:
        text = pattern.sub(words, text)
    return text


@dataclass(frozen=True)
class Diagnostic:
    """One message about the model, with its place. Lines and columns count from 1; 0 where there is no place."""

    severity: str
    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    related: Sequence["Diagnostic"] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", spoken(self.message))
        object.__setattr__(self, "file", spoken(self.file))

    @property
    def hint(self) -> str:
        """What the notes that belong to the message say."""
        return "; ".join(note.message for note in self.related)


class Error(Exception):
    """The base of all errors of Daedalus. Its text is what the command line prints, with Python's names of arguments."""

    def __init__(self, text: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        text = spoken(text)
        super().__init__(text)
        self.diagnostics = list(diagnostics) or [Diagnostic("error", text.removeprefix("error: "))]

    def __str__(self) -> str:
        return str(self.args[0])


class ModelError(Error, ValueError):
    """The input is wrong: the model, an option, a file. (Exit code 2 of the command line.)"""


class MissingFileError(ModelError, FileNotFoundError):
    """There is no such file."""

    def __init__(self, text: str, diagnostics: Sequence[Diagnostic] = (), path: str = "") -> None:
        ModelError.__init__(self, text, diagnostics)
        self.errno, self.strerror, self.filename = errno.ENOENT, os.strerror(errno.ENOENT), path

    def __reduce__(self) -> Any:
        return MissingFileError, (str(self), self.diagnostics, self.filename)


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
