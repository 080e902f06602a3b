"""What labels stand for: the numbers and days of a release's ``labels.csv``."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, TypeAlias

from .exceptions import DataError, UsageError

Ranges: TypeAlias = Literal["text", "low", "mid", "high"]
"""What stands in place of a range: its label, its least number or day, the middle, or the greatest."""

Ends: TypeAlias = Mapping[str, tuple[float | date | None, float | date | None]]
"""By column, the least and the greatest value that you think possible. They close labels such as ``>=90``."""

CHOICES = ("text", "low", "mid", "high")

LABELS = "labels.csv"

TOP = "*"
"""The label of a value that is not shown."""


@dataclass(frozen=True)
class Range:
    """What a label stands for; both ends are included, ``None`` is an open end."""

    low: Any
    high: Any

    def part(self, which: str) -> Any:
        """``low``, ``mid`` or ``high``."""
        if which == "mid":
            return None if self.low is None or self.high is None else self.low + (self.high - self.low) / 2
        return self.low if which == "low" else self.high


Labels: TypeAlias = dict[str, dict[str, Range]]
"""By column, what its labels stand for."""


def labels_of(files: Mapping[str, bytes], ends: Ends | None = None) -> Labels:
    """The labels of a release's files, open ends closed by ``ends``."""
    found: Labels = {}
    rows = list(csv.DictReader(io.StringIO(files.get(LABELS, b"").decode("utf-8", "replace"), newline="")))
    if rows and not {"column", "label", "low", "high"} <= set(rows[0]):
        raise DataError(f"{LABELS}: expected the columns column, label, low, high and mid; verify the release")
    for row in rows:
        found.setdefault(row["column"], {})[row["label"]] = Range(_end(row["low"]), _end(row["high"]))
    found |= {name: {TOP: one} for name, one in _unranged(files) if name not in found}
    for name, pair in (ends or {}).items():
        if name not in found:
            known = ", ".join(found) or "none"
            raise UsageError(f"ends: no label of a column `{name}` is a range; columns with ranges: {known}")
        if not (isinstance(pair, Sequence) and len(pair) == 2):
            raise UsageError(f"ends: expected the least and the greatest value of `{name}`, such as (0, 110)")
        found[name] = {label: _closed(name, one, pair) for label, one in found[name].items()}
    return found


def _unranged(files: Mapping[str, bytes]) -> Iterator[tuple[str, Range]]:
    """Quasi-identifiers of numbers or days that are released as they are, with their domain: their cells are texts."""
    for name, entry in json.loads(files.get("release.json", b"{}")).get("attributes", {}).items():
        form = entry.get("hierarchy")
        if entry.get("role") == "quasi-identifier" and isinstance(form, dict) and not {"interval", "cuts", "date"}.isdisjoint(form):
            yield name, Range(_end(str(form.get("min"))), _end(str(form.get("max"))))


def chosen(ranges: str) -> str:
    """One of the four words."""
    if ranges not in CHOICES:
        raise UsageError('ranges: expected "text", "low", "mid" or "high"')
    return ranges


def cells_of(name: str, cells: Sequence[Any], labels: Mapping[str, Range], which: str) -> list[Any]:
    """A column's labels as numbers or days; a missing cell and an open end are missing."""
    parts = {label: one.part(which) for label, one in labels.items()}
    missing = [cell for cell in set(cells) if cell is not None and str(cell) not in parts]
    # Masked cells say nothing of a number, and a missing value can have a spelling of its own.
    parts |= {str(cell): _end(str(cell)) for cell in missing if not str(cell).startswith("*")}
    return [None if cell is None else parts.get(str(cell)) for cell in cells]


def open_ended(labels: Mapping[str, Range], cells: Sequence[Any]) -> bool:
    """Whether a label that occurs has an open end."""
    return any(one.low is None or one.high is None for one in map(labels.get, set(map(str, cells))) if one is not None)


def _end(text: str) -> Any:
    """A number or a day; ``None`` where it is neither."""
    try:
        number = float(text)
    except ValueError:
        try:
            return date.fromisoformat(text)
        except ValueError:
            return None
    return number if number - number == 0 else None


def _closed(name: str, one: Range, ends: Sequence[Any]) -> Range:
    low: Any
    high: Any
    try:
        low, high = (end if end is None or isinstance(end, date) else float(end) for end in ends)
        wrong = None not in (low, high) and low > high
        # An end that contradicts the labels would turn bounds around.
        wrong = wrong or (one.low is None and None not in (low, one.high) and low > one.high)
        wrong = wrong or (one.high is None and None not in (high, one.low) and high < one.low)
    except (TypeError, ValueError):
        wrong = True
    if wrong:
        raise UsageError(f"ends: the ends of `{name}` are of another kind than its labels, or inside them: give (least, greatest)")
    return Range(low if one.low is None else one.low, high if one.high is None else one.high)
