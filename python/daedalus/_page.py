"""Pages to look at: files of their own, and inline in notebooks."""

from __future__ import annotations

import html
import os


class Page:
    """One HTML file that fetches nothing from anywhere. A notebook shows it in place; `save()` writes it."""

    def __init__(self, text: str, height: int) -> None:
        self.html, self._height = text, height

    def save(self, path: str | os.PathLike[str]) -> None:
        with open(os.fspath(path), "w", encoding="utf-8") as file:
            file.write(self.html)

    def __repr__(self) -> str:
        return f"<daedalus.Page of {len(self.html) / 1e6:.1f} MB; save(path) writes it>"

    def _repr_html_(self) -> str:
        """In a frame of its own, so that neither its style nor its script meets the notebook's."""
        return (f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts allow-downloads" '
                f'style="width: 100%; height: {self._height}px; border: 0"></iframe>')
