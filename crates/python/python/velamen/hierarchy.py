"""Hierarchies: made, checked, shown and exported. The functions are those of ``velamen hierarchy``.

:func:`from_table`, :func:`from_parents`, :func:`from_functions` and :func:`dates` make hierarchies of what Python has; a recipe takes
them as they are.

A form is what a recipe has after ``hierarchy =``, as a dictionary or as text in TOML, or the path of a file.

>>> import velamen as vm
>>> made = vm.hierarchy.build({"interval": [5, 10], "min": 0, "max": 19})
>>> made
<velamen.Hierarchy: 20 values in 4 levels>
>>> made.rows[7]
('7', '[5-9]', '[0-9]', '*')
>>> vm.hierarchy.show({"icd-10": "who"}, codes=["I63", "I64", "J18"]).by_level[2].labels
2
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fspath
from typing import Any

from . import _velamen
from ._call import ArrowTable, Path, Progress, asked, common, reading, records_of
from ._checks import Hierarchy, HierarchyCheck, Levels
from ._decode import build as _build
from ._made import dates, from_functions, from_parents, from_table, texts
from .exceptions import UsageError
from .recipe import Recipe, toml_of
from .release import Release

__all__ = ["build", "check", "dates", "export", "from_functions", "from_parents", "from_table", "show"]

Form = Path | Mapping[str, Any]
"""What a recipe has after ``hierarchy =``, as a dictionary or text, or a file."""


def build(
    form: Form,
    output: Path | None = None,
    *,
    codes: Path | Iterable[Any] | None = None,
    table: Path | ArrowTable | None = None,
    column: str | None = None,
    null: str | Sequence[str] = (),
    format: str | None = None,
    delimiter: str | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> Hierarchy:
    """The hierarchy of a form, written out for the values that can occur, or for those that are given.

    - ``form``: The form, as a dictionary, as text in TOML, or the path of a file.
    - ``output``: A file to write it to, which recipes read, with ``;`` between and no header. No file is replaced.
    - ``codes``: The values, or a file with one a line.
    - ``table``: The table that has the values.
    - ``column``: Its column.
    - ``null``: Cells that mean a missing value, in addition to empty cells.
    - ``format``: The table's format; detected if left out.
    - ``delimiter``: The delimiter of delimited text; detected if left out.
    - ``threads``: At most so many cores; the result is the same with any number.
    - ``progress``: ``True`` shows progress; a function gets (step, done, total), and an exception of it stops the run.
    """
    options = _valued(codes, column, False, null, format, delimiter)
    work = common(threads, progress)
    rows = asked(_velamen.hierarchy_build, _text(form), records_of(table), options, output, work)
    return Hierarchy(tuple(map(tuple, rows)))


def check(
    file: Path,
    *,
    table: Path | ArrowTable | None = None,
    column: str | None = None,
    show_values: bool = False,
    null: str | Sequence[str] = (),
    format: str | None = None,
    delimiter: str | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> HierarchyCheck:
    """All faults of a hierarchy's file, and how many values of a table's column it lacks.

    - ``file``: The hierarchy's file.
    - ``table``: The table whose values it should have.
    - ``column``: Its column.
    - ``show_values``: Whether the result holds some of the values that it lacks, which only ``print`` shows.
    - ``null``: Cells that mean a missing value, in addition to empty cells.
    - ``format``: The table's format; detected if left out.
    - ``delimiter``: The delimiter of delimited text; detected if left out.
    - ``threads``: At most so many cores; the result is the same with any number.
    - ``progress``: ``True`` shows progress; a function gets (step, done, total), and an exception of it stops the run.
    """
    options = _valued(None, column, show_values, null, format, delimiter)
    work = common(threads, progress)
    text = asked(_velamen.hierarchy_check, file, records_of(table), options, work)
    return _build(HierarchyCheck, json.loads(text))


def show(
    form: Form,
    *,
    codes: Path | Iterable[Any] | None = None,
    table: Path | ArrowTable | None = None,
    column: str | None = None,
    show_values: bool = False,
    null: str | Sequence[str] = (),
    format: str | None = None,
    delimiter: str | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> Levels:
    """The levels of a form or file.

    - ``form``: The form, as a dictionary, as text in TOML, or the path of a file.
    - ``codes``: The values, or a file with one a line.
    - ``table``: The table that has the values.
    - ``column``: Its column.
    - ``show_values``: Whether the result holds some labels of each level, which only ``print`` shows.
    - ``null``: Cells that mean a missing value, in addition to empty cells.
    - ``format``: The table's format; detected if left out.
    - ``delimiter``: The delimiter of delimited text; detected if left out.
    - ``threads``: At most so many cores; the result is the same with any number.
    - ``progress``: ``True`` shows progress; a function gets (step, done, total), and an exception of it stops the run.
    """
    options = _valued(codes, column, show_values, null, format, delimiter)
    work = common(threads, progress)
    text = asked(_velamen.hierarchy_show, _text(form), records_of(table), options, work)
    return _build(Levels, json.loads(text))


def export(
    place: Recipe | Release | Path,
    attribute: str,
    output: Path | None = None,
    *,
    codes: Path | Iterable[Any] | None = None,
    table: Path | ArrowTable | None = None,
    column: str | None = None,
    null: str | Sequence[str] = (),
    format: str | None = None,
    delimiter: str | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> Hierarchy:
    """The hierarchy of an attribute of a recipe or of a release, written out as by :func:`build`.

    - ``place``: The recipe, or the release or its folder.
    - ``attribute``: The attribute.
    - ``output``: A file to write it to, which recipes read, with ``;`` between and no header. No file is replaced.
    - ``codes``: The values, or a file with one a line.
    - ``table``: The table that has the values.
    - ``column``: Its column; the attribute's if left out.
    - ``null``: Cells that mean a missing value, in addition to empty cells.
    - ``format``: The table's format; detected if left out.
    - ``delimiter``: The delimiter of delimited text; detected if left out.
    - ``threads``: At most so many cores; the result is the same with any number.
    - ``progress``: ``True`` shows progress; a function gets (step, done, total), and an exception of it stops the run.
    """
    from_table = attribute if table is not None and column is None else column
    options = _valued(codes, from_table, False, null, format, delimiter)
    if not isinstance(place, (Recipe, Release, str, PathLike)):
        raise TypeError(f"place: expected a Recipe, a Release or a path, not {type(place).__name__}")
    core = place._core if isinstance(place, (Recipe, Release)) else place
    if isinstance(place, Recipe) and not place.is_linked and {"path", "database"}.isdisjoint(place.to_dict().get("input", {})):
        # A recipe for tables that are given: the hierarchy is read without one.
        core = place._core.with_entry("input.path", "memory")
    work = common(threads, progress)
    rows = asked(_velamen.hierarchy_export, core, attribute, records_of(table), options, output, work)
    return Hierarchy(tuple(map(tuple, rows)))


def _text(form: Form) -> str:
    """A form as the command line takes it."""
    if isinstance(form, Hierarchy):
        form = form.to_dict()
    if not isinstance(form, (Mapping, str, PathLike)):
        raise TypeError(f"form: expected a dictionary such as {{\"icd-10\": \"who\"}}, its text or a path, not {type(form).__name__}")
    return toml_of(form) if isinstance(form, Mapping) else fspath(form)


def _valued(
    codes: Path | Iterable[Any] | None,
    column: str | None,
    show_values: bool,
    null: str | Sequence[str],
    format: str | None,
    delimiter: str | None,
) -> dict[str, Any]:
    read = reading(null, format, delimiter)
    if codes is not None and not isinstance(codes, (str, PathLike)):
        if not isinstance(codes, Iterable):
            raise UsageError(f"codes: expected the values that can occur, or a file with one a line, not {type(codes).__name__}")
        codes = texts(codes)
    return {"codes": codes, "column": column, "show_values": show_values, "reading": read}
