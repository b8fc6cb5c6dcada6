"""Where the equations of a run come from, in a shape that can be pickled."""

from __future__ import annotations

from typing import Any, Protocol, Union

from . import _core


class Rebuilt(Protocol):
    """Something that can be pickled and has a source, where the source itself cannot."""

    source: _core.Source


Origin = Union[_core.Source, Rebuilt]


def source_of(origin: Origin) -> _core.Source:
    return origin if isinstance(origin, _core.Source) else origin.source


class Again(Protocol):
    """How a result is made once more."""

    @property
    def made_of(self) -> tuple[_core.Source, list[tuple[str, str]]]: ...

    def __call__(self) -> _core.Run: ...


class RunAgain:
    """The same run once more, with its whole course."""

    def __init__(self, origin: Origin, settings: list[tuple[str, str]], options: dict[str, Any]) -> None:
        self._origin, self._settings, self._options = origin, settings, options

    @property
    def made_of(self) -> tuple[_core.Source, list[tuple[str, str]]]:
        """The source and the settings, for pictures."""
        return source_of(self._origin), self._settings

    def __call__(self) -> _core.Run:
        return _core.simulate(source_of(self._origin), self._settings, {**self._options, "dense": True}, None)


class RecordedBuilder:
    """A MechanismBuilder that remembers how it was called, so that a pickle can call another one likewise."""

    def __init__(self, name: str, planar: bool, calls: tuple[tuple[str, tuple[Any, ...]], ...] = ()) -> None:
        self._given = (name, planar)
        self._builder = _core.MechanismBuilder(name, planar)
        self._calls: list[tuple[str, tuple[Any, ...]]] = []
        for method, arguments in calls:
            self.call(method, *arguments)

    def call(self, method: str, *arguments: Any) -> Any:
        out = getattr(self._builder, method)(*arguments)
        self._calls.append((method, arguments))
        return out

    def source(self) -> _core.Source:
        return self._builder.source()

    def __reduce__(self) -> Any:
        return RecordedBuilder, (*self._given, tuple(self._calls))


class Built:
    """A mechanism as it was when a run or an engine was made of it."""

    def __init__(self, name: str, planar: bool, calls: tuple[tuple[str, tuple[Any, ...]], ...],
                 source: _core.Source | None = None) -> None:
        self._given = (name, planar, calls)
        self.source = source or RecordedBuilder(name, planar, calls).source()

    @staticmethod
    def of(builder: RecordedBuilder) -> "Built":
        return Built(*builder._given, tuple(builder._calls), builder.source())

    def __reduce__(self) -> Any:
        return Built, self._given
