"""From the JSON that the command line prints to frozen classes of the same shape."""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, time
from decimal import Decimal
from functools import cache
from typing import Any, TypeVar, cast

from . import _velamen
from ._text import SPOKEN, in_python
from .exceptions import DataError

T = TypeVar("T")

RAW = "raw"
"""The field that holds the JSON as it came."""


@cache
def _hints(cls: type) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def build(cls: type[T], data: Mapping[str, Any]) -> T:
    """An object of a frozen class from JSON, whose keys have hyphens."""
    given: dict[str, Any] = {}
    for field in fields(cast(Any, cls)):
        if field.name == RAW:
            given[RAW] = data
            continue
        key = field.name.replace("_", "-")
        if key in data:
            value = _value(_hints(cast(Any, cls))[field.name], data[key])
            given[field.name] = in_python(value) if key in SPOKEN else value
    return cls(**given)


def _value(hint: Any, value: Any) -> Any:
    if value is None:
        return None
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        return _value(next(choice for choice in inner if choice is not type(None)), value)
    if origin is tuple:
        # A pair has its types one by one, a list one type for all.
        kinds = [inner[0]] * len(value) if inner[-1] is Ellipsis else inner
        return tuple(_value(kind, item) for kind, item in zip(kinds, value))
    if origin is dict and is_dataclass(inner[1]):
        return {name: _value(inner[1], item) for name, item in value.items()}
    if isinstance(hint, type) and is_dataclass(hint):
        return build(hint, value)
    return value


def to_records(rows: Iterable[Mapping[str, Any]], columns: list[str]) -> _velamen.Records:
    """Rows as Arrow records."""
    try:
        text = json.dumps([dict(row) for row in rows], default=_text, allow_nan=False)
    except ValueError:
        problem = "rows hold finite numbers only; None is a missing value"
    else:
        return _velamen.rows(text, columns)
    raise DataError(problem)


def _text(cell: object) -> str:
    """Days, times and decimals as text."""
    if isinstance(cell, (date, time)):
        return cell.isoformat()
    if isinstance(cell, Decimal):
        return str(cell)
    raise TypeError(f"rows hold texts, numbers, truth values, days and times, no {type(cell).__name__}")
