"""What every call of the compiled part is given."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Protocol, TypeAlias, runtime_checkable

from . import _velamen

ProgressFunction: TypeAlias = Callable[[str, int, int], object]
"""Called with the step's name, what is done of it and its total, a few times a second."""

Progress: TypeAlias = bool | ProgressFunction
"""Whether progress is shown on standard error, or a function that gets it."""

Path: TypeAlias = str | PathLike[str]


@runtime_checkable
class ArrowTable(Protocol):
    """A table of polars, pandas, pyarrow or DuckDB: whatever exports Arrow's C stream."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The records as an Arrow C stream."""


def common(threads: int | None, progress: Progress) -> dict[str, Any]:
    """Threads and progress, as the compiled part takes them."""
    if progress is True:
        return {"threads": threads, "progress": _show}
    return {"threads": threads, "progress": progress or None}


def reading(null: Sequence[str], format: str | None, delimiter: str | None) -> dict[str, Any]:
    """How a table is read that no recipe describes."""
    return {"null": list(null), "format": format, "delimiter": delimiter}


def seed_text(seed: int | str | None) -> str | None:
    """A seed as the command line writes it."""
    return None if seed is None else str(seed)


def _show(what: str, done: int, total: int) -> None:
    if total:
        end = "\n" if done >= total else ""
        sys.stderr.write(f"\r{what}: {100 * done // total} %{end}")
        sys.stderr.flush()


def inner(table: Any) -> Any:
    """A release's compiled part; any other table as Arrow can take it."""
    polars: Any = sys.modules.get("polars")
    if polars is not None and isinstance(table, polars.DataFrame) and polars.Null in table.schema.values():
        # polars exports a column without a type with a buffer that Arrow's interface does not have.
        return table.cast({polars.Null: polars.String})
    return getattr(table, "_core", table)


__all__ = ["ArrowTable", "Path", "Progress", "ProgressFunction", "common", "inner", "reading", "seed_text", "_velamen"]
