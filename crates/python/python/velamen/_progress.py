"""Progress for people: a bar in a notebook, lines elsewhere."""

from __future__ import annotations

import importlib
import sys
from html import escape
from typing import Any


class Lines:
    """Progress on standard error, a line for each step."""

    def __init__(self) -> None:
        self.step = ""

    def __call__(self, what: str, done: int, total: int) -> None:
        if not total:
            return
        if self.step != what:
            self._ended(whole=True)
        self.step = what
        sys.stderr.write(f"\r{what}: {100 * done // total} %")
        sys.stderr.flush()

    def _ended(self, whole: bool) -> None:
        """Ends the step's line; called by the compiled part when a run has ended, with whether it did all."""
        if self.step:
            sys.stderr.write(f"\r{self.step}: 100 %\n" if whole else "\n")
            sys.stderr.flush()
        self.step = ""


class Bar:
    """The step at hand as a bar that a notebook shows and changes in its place."""

    def __init__(self, display: Any) -> None:
        self._display, self._handle = display, None
        self.step, self.percent = "", 0

    def __call__(self, what: str, done: int, total: int) -> None:
        if not total:
            return
        self.step, self.percent = what, 100 * done // total
        if self._handle is None:
            self._handle = self._display(self, display_id=True)
        else:
            self._handle.update(self)

    def _ended(self, whole: bool) -> None:
        """Fills the bar; called by the compiled part when a run has ended, with whether it did all."""
        if whole and self._handle is not None:
            self(self.step, 1, 1)

    def __repr__(self) -> str:
        return f"{self.step}: {self.percent} %"

    def _repr_html_(self) -> str:
        bar = f'<progress style="width:24em" max="100" value="{self.percent}"></progress>'
        return f"<label>{bar} {self.percent} % {escape(self.step)}</label>"


def shown() -> Bar | Lines:
    """What shows progress where the caller sees it."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if getattr(shell, "kernel", None) is None:
        return Lines()
    return Bar(importlib.import_module("IPython.display").display)
