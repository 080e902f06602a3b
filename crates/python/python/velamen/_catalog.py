"""How many counterfeits stand among the records of a class and a value, by a release's ``catalog.csv``."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from .exceptions import DataError

CATALOG = "catalog.csv"

FIRST = "ClassID list"

WRONG = f"{CATALOG}: the catalog does not fit the data; velamen.verify says where the release is broken"


def weights(text: bytes, columns: Mapping[str, Sequence[Any]]) -> list[float]:
    """For each record, the share of the records like it that is genuine: those of its group of classes with its value.

    Nobody but the custodian knows which of them are counterfeit. Sums of these weights are the counts less the
    counterfeits that the catalog counts.
    """
    lines = io.StringIO(text.decode("utf-8", "replace"), newline="")
    header, *rows = list(csv.reader(lines, delimiter=_delimiter(text))) or [[]]
    names = [_plain(name) for name in header[1:-1]]
    if len(header) < 3 or header[0] != FIRST or not {"ClassID", *names} <= set(columns):
        raise DataError(WRONG)
    group_of: dict[str, int] = {}
    false: Counter[tuple[Any, ...]] = Counter()
    group = 0
    for row in rows:
        if len(row) != len(header) or not row[-1].isdecimal():
            raise DataError(WRONG)
        # A list stands in the first row of its group alone.
        ids = row[0].split()
        if ids:
            group = group_of.setdefault(ids[0], len(group_of))
            group_of.update(dict.fromkeys(ids, group))
        false[(group, *map(_plain, row[1:-1]))] += int(row[-1])
    groups = [group_of.get(str(one)) for one in columns["ClassID"]]
    keys = list(zip(groups, *(map(_text, columns[name]) for name in names), strict=True))
    counted = Counter(keys)
    if any(number > counted[key] for key, number in false.items()):
        raise DataError(WRONG)
    return [1.0 - false[key] / counted[key] for key in keys]


def _delimiter(text: bytes) -> str:
    """The delimiter, which is that of the data file: it stands behind the first column's name."""
    found = text[len(FIRST) : len(FIRST) + 1].decode("ascii", "replace")
    return found if found in (",", ";", "\t", "|") else ","


def _plain(cell: str) -> str:
    """A cell without the apostrophe that keeps a spreadsheet from running it."""
    begins = cell.lstrip("'")[:1]
    is_escaped = cell.startswith("'") and begins and begins in "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"
    return cell[1:] if is_escaped else cell


def _text(cell: Any) -> str:
    """A released cell as delimited text has it."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
