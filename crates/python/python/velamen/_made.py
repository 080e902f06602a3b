"""Hierarchies of what Python has: dictionaries, frames, maps to the parent, functions, days."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from ._checks import Hierarchy
from .exceptions import UsageError

TOP = "*"
"""The label of the highest level."""

SPANS = ("week", "week-year", "month", "quarter", "year", "5-years", "10-years")
"""The levels above days."""


def from_table(rows: Mapping[Any, Any] | Iterable[Any]) -> Hierarchy:
    """The hierarchy of a dictionary from a value to its label or labels, of a frame with a column for each level, or of rows.

    - ``rows``: The labels of each value, from the finest up. Values stand in the first column of a frame. ``*`` is added.

    >>> from_table({"I63": "I60-I69", "J18": "J09-J18"}).rows
    (('I63', 'I60-I69', '*'), ('J18', 'J09-J18', '*'))
    """
    found: Any = rows
    if isinstance(rows, str) or not isinstance(rows, (Mapping, Iterable)) and not hasattr(rows, "columns"):
        raise TypeError(f"rows: expected a dictionary such as {{\"I63\": \"I60-I69\"}}, a frame or rows, not {type(rows).__name__}")
    if isinstance(rows, Mapping):
        found = ([value, *_listed(labels)] for value, labels in rows.items())
    elif callable(getattr(found, "itertuples", None)):
        found = found.itertuples(index=False)
    elif callable(getattr(found, "iter_rows", None)):
        found = found.iter_rows()
    elif callable(getattr(found, "to_pylist", None)):
        found = (row.values() for row in found.to_pylist())
    return _nested([[_text(cell) for cell in (row.values() if isinstance(row, Mapping) else row)] for row in found])


def from_parents(parents: Mapping[Any, Any]) -> Hierarchy:
    """The hierarchy of a map from each label to its parent: ``{"I63": "I60-I69", "I60-I69": "I"}``.

    - ``parents``: The parent of each value and label. What is nobody's parent is a value; one without a parent is below ``*``.

    >>> from_parents({"cat": "mammal", "dog": "mammal", "mammal": "animal", "ant": "animal"}).rows[2]
    ('ant', 'animal', 'animal', '*')
    """
    if not isinstance(parents, Mapping):
        raise TypeError(f"parents: expected a dictionary from each label to its parent, not {type(parents).__name__}")
    for at, parent in enumerate(parents.values(), 1):
        if not isinstance(parent, str) and isinstance(parent, (Mapping, Iterable)):
            raise TypeError(f"parents: each label has one parent, a text or a number; number {at} has a {type(parent).__name__}")
    known = {_text(child): _text(parent) for child, parent in parents.items()}
    above = set(known.values())
    rows = []
    for value in known:
        if value in above:
            continue
        row = [value]
        while row[-1] in known and known[row[-1]] != row[-1]:
            row.append(known[row[-1]])
            if len(row) > len(known) + 1:
                raise UsageError("parents: a label is its own ancestor")
        rows.append(row)
    if known and not rows:
        raise UsageError("parents: every label is its own ancestor; a value is nobody's parent")
    height = max(map(len, rows), default=0)
    return _nested([row + row[-1:] * (height - len(row)) for row in rows])


def from_functions(values: Iterable[Any], *levels: Callable[[Any], Any]) -> Hierarchy:
    """The hierarchy of functions from a value to its label, the finest first.

    - ``values``: All values that can occur, such as ``range(100)`` or ``frame["zip"].unique()``.
    - ``levels``: Functions; each gets the value itself. ``*`` is added.

    >>> from_functions(range(3), lambda age: "even" if age % 2 == 0 else "odd").rows
    (('0', 'even', '*'), ('1', 'odd', '*'), ('2', 'even', '*'))
    """
    if odd := [type(level).__name__ for level in levels if not callable(level)]:
        raise TypeError(f"levels: expected functions from a value to its label, not {odd[0]}")
    distinct = list(dict.fromkeys(value for value in values if value is not None and value == value))
    columns = [_labelled(level, at, distinct) for at, level in enumerate(levels, 1)]
    return _nested([list(row) for row in zip(map(_text, distinct), *columns, strict=True)])


def _labelled(level: Callable[[Any], Any], number: int, values: Sequence[Any]) -> list[str]:
    """The labels of values at a level. What the function's own error says is left out: it can hold a value."""
    labels = []
    for at, value in enumerate(values, 1):
        try:
            labels.append(_text(level(value)))
        except UsageError:
            raise
        except Exception as error:
            problem = type(error).__name__
        else:
            continue
        raise UsageError(f"levels: function {number} fails at value {at} ({problem}); try it there by itself to see why")
    return labels


def texts(values: Iterable[Any]) -> list[str]:
    """Values as the released table writes them."""
    return [_text(value) for value in values]


def dates(*levels: str, first: date | str, last: date | str) -> dict[str, Any]:
    """The form of days: ``hierarchy.dates("month", "year", first=date(2020, 1, 1), last=date(2024, 12, 31))``.

    - ``levels``: From the finest up: week, week-year, month, quarter, year, 5-years, 10-years.
    - ``first``: The first day that can occur.
    - ``last``: The last day that can occur.

    >>> dates("month", "year", first="2020-01-01", last="2024-12-31")["date"]
    ['month', 'year']
    """
    if unknown := [level for level in levels if level not in SPANS]:
        raise UsageError(f"levels: {unknown[0]!r} is no span of days; expected some of {', '.join(SPANS)}")
    ends = [_day("first", first), _day("last", last)]
    if ends[0] > ends[1]:
        raise UsageError("last: the last day is before the first")
    return {"date": list(levels), "min": ends[0], "max": ends[1]}


def _day(name: str, given: date | str) -> str:
    """A day as a recipe writes it."""
    try:
        return date.fromisoformat(_text(given)).isoformat()
    except ValueError:
        raise UsageError(f"{name}: expected a day such as \"2020-01-31\" or date(2020, 1, 31)") from None


def _listed(labels: Any) -> Sequence[Any]:
    return labels if isinstance(labels, (list, tuple)) else [labels]


def _text(cell: Any) -> str:
    """A value as the released table writes it."""
    if cell is None or cell != cell:
        raise UsageError("a label is missing; each value needs one at each level")
    if isinstance(cell, date):
        # An instant at midnight is a day.
        return cell.isoformat().removesuffix("T00:00:00")
    if isinstance(cell, float) or hasattr(cell, "is_integer") and not isinstance(cell, (int, Decimal)):
        return str(int(cell)) if cell.is_integer() else str(float(cell))
    return str(cell)


def _uneven(rows: list[list[str]]) -> str:
    """Why rows are no hierarchy. No label is shown: it can be a value."""
    if not rows:
        return "a hierarchy needs at least one value"
    odd = next((at for at, row in enumerate(rows, 1) if len(row) != len(rows[0]) or not row), 1)
    return f"each value needs a label at every level: the first has {len(rows[0]) - 1}, number {odd} has {len(rows[odd - 1]) - 1}"


def _nested(rows: list[list[str]]) -> Hierarchy:
    """Rows up to ``*``. Each label has one parent: what is alike at one level is alike above."""
    rows = [list(row) for row in dict.fromkeys(map(tuple, rows))]
    if not rows or any(len(row) != len(rows[0]) or not row for row in rows):
        raise UsageError(_uneven(rows))
    if any(row[-1] != TOP for row in rows):
        rows = [[*row, TOP] for row in rows]
    parent: dict[tuple[int, str], str] = {}
    for row in rows:
        for level, (label, above) in enumerate(zip(row, row[1:])):
            if parent.setdefault((level, label), above) != above:
                raise UsageError(f"a label of level {level} has two parents at level {level + 1}; levels go from the finest up")
    return Hierarchy(tuple(map(tuple, rows)))
