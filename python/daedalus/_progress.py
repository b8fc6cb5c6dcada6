"""Progress bars: tqdm, or anything that is called and updated like it."""

from __future__ import annotations

import sys
import time
from typing import Any, Callable, Union

Progress = Union[None, bool, Callable[..., Any]]


class PlainBar:
    """A bar for terminals without tqdm; shows itself after half a second."""

    def __init__(self, total: float = 1.0, desc: str = "", **_: Any) -> None:
        self.total, self.desc, self.n = total, desc, 0.0
        self._next = time.monotonic() + 0.5
        self._drawn = False

    def update(self, part: float) -> None:
        self.n += part
        now = time.monotonic()
        if now >= self._next:
            self._next = now + 0.1
            self._drawn = True
            print(f"\r{self.desc} {100 * self.n / self.total:3.0f} %", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self._drawn:
            print("\r" + " " * (len(self.desc) + 6) + "\r", end="", file=sys.stderr, flush=True)


class Bar:
    """From 0 to 1, whatever draws it. Does nothing when no bar is wanted."""

    def __init__(self, progress: Progress, desc: str) -> None:
        self._bar = self._make(progress, desc)
        self._done = 0.0

    @staticmethod
    def _make(progress: Progress, desc: str) -> Any:
        if progress is None or progress is False:
            return None
        make: Any = progress
        if progress is True:
            try:
                import tqdm.auto

                make = tqdm.auto.tqdm
            except ImportError:
                make = PlainBar
        if not callable(make):
            raise TypeError("progress must be True, or be called like tqdm: progress(total=…, desc=…)")
        return make(total=1.0, desc=desc)

    def __bool__(self) -> bool:
        return self._bar is not None

    def to(self, part: float) -> None:
        if self._bar is not None and part > self._done:
            self._bar.update(part - self._done)
            self._done = part

    def close(self, complete: bool = True) -> None:
        if self._bar is not None:
            if complete:
                self.to(1.0)
            self._bar.close()
            self._bar = None

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        self.close(complete=kind is None)
