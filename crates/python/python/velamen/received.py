"""Releases as those read them who receive them."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from . import _catalog, _codebook, _frames, _ranges, _velamen
from ._call import Path, asked, common, inner, names
from ._decode import build, to_records
from ._ranges import Ends, Labels, Ranges
from ._show import counted, html_table
from .exceptions import DataError, FileError, UsageError
from .release import Release
from .results import Manifest

__all__ = ["Received", "read_release"]

SUPPRESSED, WEIGHT = "suppressed", "weight"


@dataclass(frozen=True, repr=False, eq=False)
class Received(_frames.Framed):
    """A release with numbers in place of its ranges.

    Frames have the columns of the release and these besides: ``NAME_low`` and ``NAME_high``, the ends of a range, both
    included; ``suppressed``, whether the record shows no quasi-identifier; and ``weight``, the share of the records like it
    that is genuine. Sums of weights are counts without the counterfeits that the catalog counts.
    """

    records: _velamen.Records
    """The records as they were released."""
    manifest: Manifest
    """``release.json``."""
    ranges: Ranges
    """What stands in place of a range."""
    suppressed: tuple[bool, ...]
    """For each record, whether it is suppressed."""
    weights: tuple[float, ...]
    """For each record, the share of the records like it that is genuine."""
    notes: tuple[str, ...]
    """What to know before counting."""
    _labels: Labels
    _cells: Mapping[str, Sequence[Any]]
    _typed: Mapping[str, Sequence[Any]]

    def __len__(self) -> int:
        return len(self.records)

    @property
    def ranged(self) -> tuple[str, ...]:
        """The columns whose labels stand for ranges."""
        return tuple(name for name in self._labels if name in self._cells)

    def to_pandas(self) -> Any:
        """The records as a frame of pandas."""
        return _frames.to_pandas(self.records, self._new())

    def to_polars(self) -> Any:
        """The records as a frame of polars."""
        return _frames.to_polars(self.records, self._new())

    def to_arrow(self) -> _velamen.Records:
        """The records as they were released, with labels."""
        return self.records

    def count(self, by: str | Sequence[str] = ()) -> _velamen.Records:
        """How many records there are, by the values of columns.

        - ``by``: Columns; each combination of their values is a row.

        A row has the released ``records``, how many of them are ``suppressed``, and their ``estimate`` without counterfeits.
        """
        rows = [
            {**key, "records": len(places), "suppressed": self._hidden(places), "estimate": sum(self.weights[at] for at in places)}
            for key, places in self._groups(by)
        ]
        return to_records(rows, [*names(by), "records", "suppressed", "estimate"])

    def mean(self, column: str, by: str | Sequence[str] = ()) -> _velamen.Records:
        """The mean of a column of numbers, without counterfeits and suppressed values.

        - ``column``: The column, with ranges or with numbers.
        - ``by``: Columns; each combination of their values is a row.

        A row has the ``mean``, and the means ``low`` and ``high`` of the ends of the same records. These bound the original's
        mean of the released values if no record is counterfeit. A label with an open end needs ``ends`` of :func:`read_release`.
        """
        parts = self._numbers(column)
        rows = [
            {**key, **{name: self._mean(cells, places) for name, cells in parts.items()}} for key, places in self._groups(by)
        ]
        return to_records(rows, [*names(by), *parts])

    def __repr__(self) -> str:
        hidden = sum(self.suppressed)
        return f"<velamen.Received: {counted(len(self), 'record')}, {hidden:,} suppressed; ranges of {', '.join(self.ranged) or 'no column'}>"

    def _repr_html_(self) -> str:
        false = len(self) - sum(self.weights)
        rows: list[list[object]] = [["records", len(self)], ["suppressed", sum(self.suppressed)], ["counterfeit, by the catalog", round(false)]]
        rows.append(["columns with ranges", self.ranged])
        rows.extend(["note", note] for note in self.notes)
        return html_table("Release", ["what", "is"], rows)

    def _new(self) -> dict[str, list[Any]]:
        """The columns that replace those of the release, or follow them."""
        new: dict[str, list[Any]] = {name: list(cells) for name, cells in self._typed.items()}
        if self.ranges != "text":
            for name in self.ranged:
                new[name] = self._part(name, self.ranges)
                new |= {f"{name}_{end}": self._part(name, end, hidden=True) for end in ("low", "high")}
        new |= {SUPPRESSED: list(self.suppressed), WEIGHT: list(self.weights)}
        if taken := [name for name in new if name in self._cells and name not in self._labels and name not in self._typed]:
            raise UsageError(f"the release has a column `{taken[0]}` of its own; to_arrow() gives its records as they are")
        return new

    def _part(self, name: str, which: str, hidden: bool = False) -> list[Any]:
        """A column's numbers; those of suppressed records are missing unless they are asked for."""
        cells = _ranges.cells_of(name, self._cells[name], self._labels[name], which)
        return cells if hidden else [None if hide else cell for cell, hide in zip(cells, self.suppressed, strict=True)]

    def _numbers(self, column: str) -> dict[str, list[Any]]:
        """Mid, low and high of a column."""
        if column not in self._cells:
            raise UsageError(f"column: the release has no column `{column}`; it has {', '.join(self._cells)}")
        if column not in self._labels:
            cells = self._cells[column]
            if any(cell is not None and (isinstance(cell, bool) or not isinstance(cell, (int, float))) for cell in cells):
                raise UsageError(f"column: `{column}` has neither numbers nor ranges of numbers")
            return {"mean": list(cells), "low": list(cells), "high": list(cells)}
        visible = [cell for cell, hide in zip(self._cells[column], self.suppressed, strict=True) if not hide]
        if _ranges.open_ended(self._labels[column], visible):
            raise UsageError(
                f"column: a label of `{column}` has an open end, without which the mean would leave out just these records; "
                f"read_release(folder, ends={{{column!r}: (least, greatest)}}) closes it"
            )
        parts = {"mean": self._part(column, "mid"), "low": self._part(column, "low"), "high": self._part(column, "high")}
        if any(isinstance(cell, date) for cell in parts["low"]):
            raise UsageError(f"column: `{column}` has days; to_pandas() or to_polars() gives them")
        return parts

    def _mean(self, cells: Sequence[Any], places: Sequence[int]) -> float | None:
        known = [(cells[at], self.weights[at]) for at in places if cells[at] is not None]
        total = sum(weight for _, weight in known)
        return sum(cell * weight for cell, weight in known) / total if total > 0 else None

    def _hidden(self, places: Sequence[int]) -> int:
        return sum(self.suppressed[at] for at in places)

    def _groups(self, by: str | Sequence[str]) -> list[tuple[dict[str, Any], list[int]]]:
        """The records of each combination of values of columns, the values in order."""
        asked_for = names(by)
        if unknown := [name for name in asked_for if name not in self._cells]:
            raise UsageError(f"by: the release has no column `{unknown[0]}`; it has {', '.join(self._cells)}")
        found: dict[tuple[Any, ...], list[int]] = {} if asked_for else {(): list(range(len(self)))}
        for at, key in enumerate(zip(*(self._cells[name] for name in asked_for), strict=True)):
            found.setdefault(key, []).append(at)
        ordered = sorted(found.items(), key=lambda item: [(cell is None, str(cell)) for cell in item[0]])
        return [(dict(zip(asked_for, key, strict=True)), places) for key, places in ordered]


def read_release(
    folder: Path | Release,
    *,
    ranges: Ranges = "mid",
    ends: Ends | None = None,
    threads: int | None = None,
) -> Received:
    """A release as a recipient computes with it: numbers for ranges, suppressed records marked, counterfeits counted out.

    - ``folder``: The release's folder, or a release.
    - ``ranges``: What stands in place of a range: ``"mid"``, ``"low"``, ``"high"``, or ``"text"`` for the label.
    - ``ends``: By column, the least and the greatest value that you think possible, such as ``{"age": (0, 110)}``. They
      close labels with an open end.
    - ``threads``: At most so many cores.

    It does not check the release: :func:`velamen.verify` does, first. Cells are read by pyarrow or polars.

    >>> import velamen as vm
    >>> sample = vm.synth("nps", 1000)
    >>> release = vm.anonymize(sample, sample.recipe.set("method", {"name": "optimal"}))
    >>> received = vm.read_release(release)
    >>> len(received) == len(release)
    True
    """
    _ranges.chosen(ranges)
    records = asked(_velamen.records, inner(folder), common(threads, False))
    files = folder.files() if isinstance(folder, Release) else _small_files(pathlib.Path(folder))
    manifest = build(Manifest, json.loads(files["release.json"]))
    cells = _frames.columns_of(records)
    notes = []
    if _catalog.CATALOG in files:
        weights = _catalog.weights(files[_catalog.CATALOG], cells)
    else:
        weights = [1.0] * len(records)
        if manifest.counterfeits:
            notes.append(f"{manifest.counterfeits:,} records are counterfeit, and no catalog says among which: counts include them")
    hidden, labels = suppressed(cells), _ranges.labels_of(files, ends)
    unranged = {name: column for name, column in cells.items() if name not in labels}
    typed = _codebook.typed(unranged, hidden, files)
    return Received(records, manifest, ranges, hidden, tuple(weights), tuple(notes), labels, cells | typed, typed)


def suppressed(cells: Mapping[str, Sequence[Any]]) -> tuple[bool, ...]:
    """For each record, whether it has no class: then all its quasi-identifiers are hidden."""
    number = max((len(column) for column in cells.values()), default=0)
    classes = cells.get("ClassID")
    return (False,) * number if classes is None else tuple(one is None or one == "" for one in classes)


def _small_files(folder: pathlib.Path) -> dict[str, bytes]:
    """The files beside the data."""
    try:
        found = {name: folder / name for name in ("release.json", _codebook.CODEBOOK, _ranges.LABELS, _catalog.CATALOG)}
        files = {name: path.read_bytes() for name, path in found.items() if path.is_file()}
    except OSError as error:
        problem = error.strerror or "cannot be read"
    else:
        if "release.json" in files:
            return files
        raise DataError(f"{folder.name}: no release: release.json is missing")
    raise FileError(f"{folder.name}: {problem}")
