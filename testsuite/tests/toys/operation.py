"""The operations as functions, each written from its definition; ``print(velamen.risk.__doc__)`` shows one.

This file is not edited: ``INSTA_UPDATE=always cargo nextest run -p velamen-testsuite fronts`` writes it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ._answer import answer, pair
from ._call import Path, Progress, inner, names, records_of, seed_text
from ._result import Quiet
from ._types import FolderOrRelease, LinkedTables, Table, TableOrRelease
from .recipe import Recipe, core_of

__all__ = [
    "toy",
]


@dataclass(frozen=True, repr=False)
class Counted(Quiet):
    """What was counted."""

    all_columns: int
    """The columns."""


def toy(
    table: TableOrRelease,
    *,
    times_each: int = 1,
    format: str | None = None,
    delimiter: str | None = None,
    null: str | Sequence[str] = (),
    sheet: str | None = None,
    skip_lines: int = 0,
    encoding: str | None = None,
    no_header: bool = False,
    header: bool = False,
    decimal_comma: bool = False,
    threads: int | None = None,
    progress: Progress = False,
) -> Counted:
    """Count the columns of a table.

    - ``table``: The table.
    - ``times_each``: How often each column counts.
    - ``format``: The file's format; detected if left out.
    - ``delimiter``: The delimiter of delimited text; detected from the header if left out.
    - ``null``: Cells that mean a missing value, in addition to empty cells.
    - ``sheet``: The sheet of a workbook, by name or number from 1; needed if there are several.
    - ``skip_lines``: How many lines of text, or rows of a sheet, stand above the line that names the columns.
    - ``encoding``: How text is encoded, such as windows-1252; UTF-8 when left out.
    - ``no_header``: The first line is a record; the columns are called 1, 2, ….
    - ``header``: The first line names the columns, even if it looks like a record.
    - ``decimal_comma``: Numbers have a comma before their decimals: 70,5.
    - ``threads``: At most so many cores; the result is the same with any number.
    - ``progress``: ``True`` shows progress; a function gets (step, done, total), and an exception of it stops the run.
    """
    request = {
        "table": records_of(table),
        "times-each": times_each,
        "format": format,
        "delimiter": delimiter,
        "null": names(null),
        "sheet": sheet,
        "skip-lines": skip_lines,
        "encoding": encoding,
        "no-header": no_header,
        "header": header,
        "decimal-comma": decimal_comma,
    }
    return answer(Counted, "toy", request, threads, progress)
