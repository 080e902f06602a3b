"""The types that a release states of its columns: cells of text files as what they are."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

CODEBOOK = "codebook.csv"

KINDS: Mapping[str, Callable[[str], Any]] = {"whole number": int, "number": float, "date": date.fromisoformat}
"""What the codebook calls a type, and how a cell of it is read."""


def typed(cells: Mapping[str, Sequence[Any]], hidden: Sequence[bool], files: Mapping[str, bytes]) -> dict[str, list[Any]]:
    """The columns of text that the codebook calls numbers or days, as such; those that hold anything else stay as they are.

    The ``*`` of a suppressed record is missing.
    """
    rows = csv.DictReader(io.StringIO(files.get(CODEBOOK, b"").decode("utf-8", "replace"), newline=""))
    kinds = {row.get("column"): KINDS.get(row.get("type") or "") for row in rows}
    found: dict[str, list[Any]] = {}
    for name, column in cells.items():
        read = kinds.get(name)
        if read is not None and any(isinstance(cell, str) for cell in column):
            made = _read(column, hidden, read)
            if made is not None:
                found[name] = made
    return found


def _read(column: Sequence[Any], hidden: Sequence[bool], read: Callable[[str], Any]) -> list[Any] | None:
    shown = (None if hide and cell == "*" else cell for cell, hide in zip(column, hidden, strict=True))
    try:
        return [read(cell) if isinstance(cell, str) else cell for cell in shown]
    except ValueError:
        return None
