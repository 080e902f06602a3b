"""What every call of the compiled part is given."""

from __future__ import annotations

import importlib.util
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Generic, ParamSpec, Protocol, Self, TypeAlias, TypeVar, runtime_checkable

from . import _velamen
from ._progress import shown
from ._text import spoken
from .exceptions import DataError, UsageError, VelamenWarning

ProgressFunction: TypeAlias = Callable[[str, int, int], object]
"""Called with the step's name, what is done of it and its total, a few times a second."""

Progress: TypeAlias = bool | ProgressFunction
"""Whether progress is shown, as a bar in a notebook and on standard error elsewhere; or a function that gets it."""

Path: TypeAlias = str | PathLike[str]


@runtime_checkable
class ArrowTable(Protocol):
    """A table of polars, pandas, pyarrow or DuckDB: whatever exports Arrow's C stream."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The records as an Arrow C stream."""


Core = TypeVar("Core")
P = ParamSpec("P")
R = TypeVar("R")


class Wrapped(Generic[Core]):
    """Something of the compiled part; it does not change."""

    __slots__ = ("_core",)
    _core: Core

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a {type(self).__name__} does not change")

    @classmethod
    def _of(cls, core: Core) -> Self:
        wrapped = cls.__new__(cls)
        object.__setattr__(wrapped, "_core", core)
        return wrapped


def names(given: str | Sequence[str]) -> list[str]:
    """Names; one may stand by itself."""
    if not isinstance(given, Iterable):
        raise UsageError(f"expected a name, or a list of names, not {type(given).__name__}")
    return [given] if isinstance(given, str) else list(given)


def common(threads: int | None, progress: Progress) -> dict[str, Any]:
    """Threads and progress, as the compiled part takes them."""
    if threads is not None and (type(threads) is not int or not 0 < threads < 2**16):
        raise UsageError("threads: expected a whole number from 1, or None for all cores")
    if not (isinstance(progress, bool) or progress is None or callable(progress)):
        raise UsageError("progress: expected True, False or a function of (step, done, total)")
    if progress is True:
        return {"threads": threads, "progress": shown()}
    return {"threads": threads, "progress": progress or None}


def asked(function: Callable[P, R], *given: P.args, **named: P.kwargs) -> R:
    """Calls the compiled part. Where it refuses an option's type, the error names the option and not its own structure."""
    try:
        return function(*given, **named)
    except (TypeError, OverflowError) as error:
        reason: BaseException | None = error
        option = ""
        while reason is not None and (field := re.fullmatch(r"failed to extract field \w+\.(\w+)", str(reason))):
            option, reason = field[1], reason.__cause__
        problem = _worded(str(reason))
        if not option and problem == str(reason):
            raise
    if not option:
        raise TypeError(problem)
    raise UsageError(f"{option}: {problem}")


_KINDS = {"bool": "True or False", "str": "text", "int": "a whole number", "float": "a number"}
"""Types, as a message names what it expects."""


def _worded(reason: str) -> str:
    """Why an argument is of a wrong type, without the types of the compiled part."""
    if found := re.fullmatch(r"'(\w+)' object is not an instance of '(\w+)'", reason):
        return f"expected {_KINDS.get(found[2], found[2])}, not {found[1]}"
    if reason.startswith("failed to extract enum"):
        return "a value of another type is expected; the docstring says which"
    return reason.replace("expected str, bytes or os.PathLike object, not", "expected a path, not")


def reading(null: str | Sequence[str], format: str | None, delimiter: str | None) -> dict[str, Any]:
    """How a table is read that no recipe describes."""
    return {"null": names(null), "format": format, "delimiter": delimiter}


def seed_text(seed: float | str | None) -> str | None:
    """A seed, or a sample's size, as the command line writes it."""
    return None if seed is None else str(seed)


def inner(table: Any) -> Any:
    """A release's compiled part; any other table as Arrow can take it."""
    polars, pandas = sys.modules.get("polars"), sys.modules.get("pandas")
    if pandas is not None and isinstance(table, pandas.DataFrame):
        return _without_index(table, pandas)
    if polars is not None and isinstance(table, polars.LazyFrame):
        table = _collected(table, polars)
    if polars is not None and isinstance(table, polars.DataFrame) and polars.Null in table.schema.values():
        # polars exports a column without a type with a buffer that Arrow's interface does not have.
        return table.cast({polars.Null: polars.String})
    return getattr(table, "_core", table)


def _collected(lazy: Any, polars: Any) -> Any:
    """The frame of a LazyFrame. What polars says of a failure is left out: it can hold cells."""
    try:
        return lazy.collect()
    except polars.exceptions.PolarsError as error:
        problem = type(error).__name__
    raise DataError(f"the LazyFrame cannot be collected ({problem}); its own message is left out, since it can hold cells: collect() it to see why")


def _without_index(table: Any, pandas: Any) -> Any:
    """A frame of pandas without an index that has no name, as a selection or a sample of rows leaves it."""
    if isinstance(table.index, pandas.RangeIndex) or any(name is not None for name in table.index.names):
        return table
    note("the frame's index has no name and was left out; reset_index(names=...) makes a column of it")
    return table.reset_index(drop=True)


def note(text: str) -> None:
    """A warning at the line that called the package."""
    depth, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "velamen":
        depth, frame = depth + 1, frame.f_back
    warnings.warn(text, VelamenWarning, stacklevel=depth)


def records_of(table: Any) -> Any:
    """A table where no release is expected: of a release, its records; of several tables by name, each."""
    if isinstance(table, Mapping) and table and all(isinstance(name, str) for name in table):
        return {name: records_of(one) for name, one in table.items()}
    core = inner(table)
    return core.records() if isinstance(core, _velamen.Release) else core


def one_of(table: Any) -> Any:
    """A table where one is expected; several by name are none."""
    return table if isinstance(table, Mapping) else records_of(table)


def _instead(given: object) -> str:
    """What to hand over in place of what is no table; called by the compiled part."""
    if callable(getattr(given, "collect", None)):
        return "; hand over its collect()"
    if not hasattr(given, "columns") and callable(getattr(given, "to_frame", None)):
        return "; it is one column: hand over its to_frame()"
    if isinstance(given, Iterator) or (isinstance(given, (list, tuple)) and hasattr(next(iter(given), None), "__arrow_c_array__")):
        return "; pyarrow.RecordBatchReader.from_batches(schema, batches) makes a table of batches"
    if callable(getattr(given, "to_table", None)):
        return "; hand over its to_table()"
    if type(given).__name__ == "DuckDBPyConnection":
        return "; hand over a relation: connection.sql(query)"
    if isinstance(given, (list, tuple)):
        return "; velamen.rows makes a small table of dictionaries"
    if isinstance(given, Mapping) and any(hasattr(table, "__arrow_c_stream__") for table in given.values()):
        return "; several tables by name are taken where the docstring says so: give one of them here, or their folder"
    if isinstance(given, Mapping) or hasattr(given, "__array__"):
        return "; make a frame of it, whose columns have names"
    return ""


def _hindered(given: Any) -> str:
    """Why a table cannot be handed over, if that can be found out; called by the compiled part.

    Columns are tried one by one. Their names are shown and nothing of their cells.
    """
    package = type(given).__module__.partition(".")[0]
    if not hasattr(given, "columns") and callable(getattr(given, "to_frame", None)):
        return ": it is one column; hand over its to_frame()"
    if package not in ("pandas", "polars"):
        return ": reading it fails in its own package, too; read it there by itself to see why"
    if package == "pandas" and importlib.util.find_spec("pyarrow") is None:
        return ": pandas needs the package pyarrow for it"
    columns = [str(name) for name in given.columns]
    for name in columns:
        if columns.count(name) > 1:
            return f": two columns have the name `{name}`"
    if package == "pandas" and not _velamen.is_taken(given[[]].assign(column=0)):
        return ": its index mixes types or has one that Arrow lacks; reset_index(drop=True) leaves it out"
    plain = given.reset_index(drop=True) if package == "pandas" else given
    refused = [f"`{name}`" for name in plain.columns if not _velamen.is_taken(plain[[name]])]
    if not refused:
        return ""
    named = ", ".join(refused[:3]) + (f" and {len(refused) - 3} more" if len(refused) > 3 else "")
    mixes = "mix types or have one" if len(refused) > 1 else "mixes types or has one"
    return f": {named} {mixes} that Arrow lacks; cast before, or drop"


__all__ = [
    "ArrowTable",
    "Path",
    "Progress",
    "ProgressFunction",
    "Wrapped",
    "asked",
    "common",
    "inner",
    "names",
    "one_of",
    "reading",
    "records_of",
    "seed_text",
    "spoken",
    "_velamen",
]
