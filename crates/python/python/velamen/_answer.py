"""Calls of operations, and their answers as objects."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TypeVar, cast

from . import _velamen
from ._call import Progress, asked, common, inner
from ._decode import RAW, build
from ._linked import LinkedAttacks, LinkedEstimate, LinkedMeasures, LinkedRisk
from ._releases import Attacks, Estimate
from ._tables import Measures, Risk

T = TypeVar("T")

_LINKED: dict[type, tuple[str, type, Callable[[Mapping[str, Any]], Mapping[str, Any]]]] = {
    Measures: ("largest-k", LinkedMeasures, lambda found: {"records": found["persons"], "k": found["least-class"], "sensitive": {}}),
    Risk: ("by-codes", LinkedRisk, lambda found: {"records": found["persons"], "uniques": found["alone-by-columns"]}),
    Estimate: ("largest-set", LinkedEstimate, lambda found: {}),
    Attacks: (
        "traces",
        LinkedAttacks,
        lambda found: {
            "records": found["persons"],
            "original-records": found["original-persons"],
            "attacks": [],
            "confidence": math.nan,
        },
    ),
}
"""Answers that have a form of their own for linked tables: what they are known by, their class, and what it has besides."""


def answer(cls: type[T], name: str, request: Mapping[str, Any], threads: int | None, progress: Progress) -> T:
    """The answer of an operation as an object. A list is the one field of its class."""
    found = json.loads(asked(_velamen.call, name, dict(request), common(threads, progress)))
    if isinstance(found, list):
        (field,) = (field.name for field in fields(cast(Any, cls)) if field.name != RAW)
        found = {field: found}
    return _built(cls, found)


def _built(cls: type[T], found: Mapping[str, Any]) -> T:
    """An answer as an object of its class, or of the one below it that linked tables have."""
    key, linked, besides = _LINKED.get(cls, ("", cls, dict))
    if not key or key not in found:
        return build(cls, found)
    made: T = build(cast(Any, linked), {**besides(found), **found})
    object.__setattr__(made, RAW, found)
    return made


def pair(given: tuple[Any, Any] | None) -> tuple[Any, Any] | None:
    """A release and its original, as the compiled part takes them."""
    if given is None:
        return None
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise TypeError(f"second: expected a release and the table that it was made of, such as (release, table), not {type(given).__name__}")
    return (inner(given[0]), inner(given[1]))
