"""Calls of operations, and their answers as objects."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar, cast

from . import _velamen
from ._call import Progress, asked, common, inner
from ._decode import RAW, build

T = TypeVar("T")


def answer(cls: type[T], name: str, request: Mapping[str, Any], threads: int | None, progress: Progress) -> T:
    """The answer of an operation as an object. A list is the one field of its class."""
    found = json.loads(asked(_velamen.call, name, dict(request), common(threads, progress)))
    if isinstance(found, list):
        (field,) = (field.name for field in fields(cast(Any, cls)) if field.name != RAW)
        found = {field: found}
    return build(cls, found)


def pair(given: tuple[Any, Any] | None) -> tuple[Any, Any] | None:
    """A release and its original, as the compiled part takes them."""
    return None if given is None else (inner(given[0]), inner(given[1]))
