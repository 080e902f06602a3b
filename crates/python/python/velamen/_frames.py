"""Records as frames of pandas and polars, and as tables of pyarrow. None of these packages is needed for anything else."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from ._velamen import Records

Columns = Mapping[str, Sequence[Any]]
"""Columns by name, cell by cell."""


def _package(name: str, what: str) -> Any:
    """A package that ``what`` needs."""
    if importlib.util.find_spec(name) is None:
        raise ImportError(f"{what} needs the package {name}, which is not installed: pip install {name}", name=name)
    return importlib.import_module(name)


def to_pyarrow(records: Records) -> Any:
    """The records as a table of pyarrow."""
    return _package("pyarrow", "to_arrow()").table(records)


def to_pandas(records: Records, new: Columns | None = None) -> Any:
    """The records as a frame of pandas; columns of ``new`` replace those of their name, or follow."""
    pandas = _package("pandas", "to_pandas()")
    arrow = _package("pyarrow", "to_pandas()")
    table = arrow.table(records)
    frame = table.to_pandas()
    # Of whole numbers and truth values with missing ones, pandas would otherwise make fractions and objects.
    kept = {arrow.bool_(): pandas.BooleanDtype(), arrow.int64(): pandas.Int64Dtype()}
    for name in table.column_names:
        if table.column(name).null_count and table.column(name).type in kept:
            frame[name] = table.column(name).to_pandas(types_mapper=kept.get)
    for name, cells in (new or {}).items():
        days = any(isinstance(cell, date) for cell in cells)
        plain = pandas.to_datetime(list(cells)) if days else list(cells)
        frame[name] = pandas.Series(plain, index=frame.index, dtype=_dtype(cells))
    return frame


def _dtype(cells: Sequence[Any]) -> str | None:
    """The type of a column of pandas, where its own choice is another."""
    kinds = {type(cell) for cell in cells}
    if not kinds:
        return "float64"
    return {frozenset([int, type(None)]): "Int64", frozenset([bool, type(None)]): "boolean"}.get(frozenset(kinds))


def to_polars(records: Records, new: Columns | None = None) -> Any:
    """The records as a frame of polars; columns of ``new`` replace those of their name, or follow."""
    polars = _package("polars", "to_polars()")
    frame = polars.DataFrame(records)
    series = [polars.Series(name, list(cells), strict=False) for name, cells in (new or {}).items()]
    return frame.with_columns(series)


def columns_of(records: Records) -> dict[str, list[Any]]:
    """The cells of each column, by polars or pyarrow."""
    if importlib.util.find_spec("pyarrow") is None and importlib.util.find_spec("polars") is not None:
        frame = importlib.import_module("polars").DataFrame(records)
        return {name: frame.get_column(name).to_list() for name in frame.columns}
    table = _package("pyarrow", "reading cells, without polars,").table(records)
    return {name: table.column(name).to_pylist() for name in table.column_names}


class Framed:
    """Whatever is a table: frames take it as it is, ``pandas.DataFrame(x)`` and ``polars.DataFrame(x)``."""

    __slots__ = ()

    def to_arrow(self) -> Records:
        """The table as Arrow records."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """The table as a frame of pandas."""
        return to_pandas(self.to_arrow())

    def to_polars(self) -> Any:
        """The table as a frame of polars."""
        return to_polars(self.to_arrow())

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The table as an Arrow C stream."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iterated(self.to_arrow())


def iterated(records: Records) -> Iterator[dict[str, Any]]:
    """The records one by one: dictionaries from a column's name to a cell."""
    columns = columns_of(records)
    return (dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True))
