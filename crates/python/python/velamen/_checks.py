"""What is said before a release and between releases: mistakes, differences, hierarchies, error codes."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Any

from ._decode import to_records
from ._frames import Framed
from ._result import Json, Result
from ._show import counted, html_table
from ._text import readable, spoken
from ._velamen import Records
from .exceptions import Place, RecipeError, _make


@dataclass(frozen=True)
class Mistake(Result):
    """A mistake of a recipe, or of its table."""

    kind: str
    """The class of the error: ``"recipe"``, ``"data"``, ``"usage"``, ..."""
    code: str
    """The error's code, which :func:`velamen.explain` takes."""
    exit_code: int
    """The exit code of the command line."""
    message: str
    """What is wrong, and how to mend it."""
    file: str | None = None
    """The recipe or hierarchy file."""
    line: int | None = None
    """The line there."""
    flag: str | None = None
    """What changed that place with ``set``, if anything did."""
    attribute: str | None = None
    """The attribute of the recipe that it is about."""
    key: str | None = None
    """The recipe's key, with dots between its parts."""
    help: str | None = None
    """How to mend mistakes of this code, if the message does not say so."""

    def place(self) -> str:
        """Where it is: the file and line, or the recipe's key."""
        if self.file is None:
            return self.key or ""
        return self.file if self.line is None else f"{self.file}: line {self.line}"

    def __str__(self) -> str:
        where = self.place()
        message = f"{where}: {self.message}" if where else self.message
        return f"{self.code}: {message}" + (f"\n  {self.help}" if self.help else "")


def raised_for(mistake: Mistake) -> BaseException:
    """The exception of a mistake that a check found."""
    where = mistake.place()
    message = f"{where}: {mistake.message}" if where else mistake.message
    place = Place(mistake.file, mistake.line, mistake.attribute, mistake.key)
    return _make(mistake.kind, message, place, None, (mistake.code, mistake.help))


@dataclass(frozen=True)
class CheckedData(Result):
    """What reading the table showed."""

    records: int
    """Its records; of a random sample, those drawn."""
    combinations: int
    """The distinct combinations of their released columns."""


@dataclass(frozen=True)
class Checked(Result):
    """What a recipe without a mistake comes to."""

    warnings: tuple[str, ...] = ()
    """What the custodian should know. It can say something of the original records: it is not shown by itself."""
    data: CheckedData | None = None
    """What reading the table showed, if it was read."""

    def __repr__(self) -> str:
        return f"<velamen.Checked: {counted(len(self.warnings), 'remark')}>"


@dataclass(frozen=True)
class Check(Result, Framed):
    """What a check of a recipe found."""

    mistakes: tuple[Mistake, ...]
    """The mistake that a run would name comes first."""
    check: Checked | None = None
    """What the recipe comes to, if there is no mistake."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Remarks for the custodian; none where there is a mistake."""
        return self.check.warnings if self.check else ()

    def raise_for_mistakes(self) -> None:
        """Raises the error of the first mistake, if there is one."""
        if self.mistakes:
            raise raised_for(self.mistakes[0])

    def to_arrow(self) -> Records:
        """One record for each mistake."""
        columns = ["kind", "code", "file", "line", "attribute", "key", "message", "help"]
        return to_records((mistake.raw for mistake in self.mistakes), columns)

    def __repr__(self) -> str:
        return f"<velamen.Check: {self._summary()}>"

    def __str__(self) -> str:
        remarks = readable({"remarks": list(self.warnings)})
        return "\n".join([self._summary(), *remarks, *map(str, self.mistakes)])

    def _summary(self) -> str:
        if self.check is None:
            return counted(len(self.mistakes), "mistake")
        data, remarks = self.check.data, len(self.check.warnings)
        parts = ["no mistake", counted(remarks, "remark") if remarks else "", f"{counted(data.records, 'record')} read" if data else ""]
        return ", ".join(part for part in parts if part)

    def _repr_html_(self) -> str:
        if self.check is not None:
            return f"<p>Check: {escape(self._summary())}</p>"
        rows = [(mistake.code, mistake.place(), mistake.message) for mistake in self.mistakes]
        return html_table(self._summary(), ["code", "place", "mistake"], rows)


@dataclass(frozen=True)
class Change(Result):
    """One fact of two releases that differs; ``None`` where a release has no such fact."""

    what: str
    """What it is about, with dots between its parts: ``method.h``."""
    before: Any
    after: Any


@dataclass(frozen=True)
class RecordsDiff(Result):
    """How the released records differ. They are compared by the columns that both have, without class ids."""

    both: int
    """Records that are in both."""
    only_before: int
    only_after: int
    columns: tuple[str, ...] = ()
    """The columns that were compared."""
    columns_before: tuple[str, ...] = ()
    """Columns of the first release alone."""
    columns_after: tuple[str, ...] = ()


_SECTIONS = ["recipe", "levels", "figures", "risk", "promises"]


@dataclass(frozen=True)
class Diff(Result, Framed):
    """What changed from one release to another. It holds nothing but what the releases show."""

    recipe: tuple[Change, ...]
    """What the recipe asked for."""
    levels: tuple[Change, ...]
    """What is shown of each attribute, in words."""
    figures: tuple[Change, ...]
    """Counts and utility figures."""
    risk: tuple[Change, ...]
    """The risk of re-identification."""
    promises: tuple[Change, ...]
    """What was asked for, and what was reached."""
    records: RecordsDiff

    @property
    def same(self) -> bool:
        """Whether both have the same facts, and the same records in any order."""
        records = self.records
        other = records.columns_before or records.columns_after or records.only_before or records.only_after
        return not self._changes() and not other

    def _changes(self) -> list[tuple[str, Change]]:
        return [(section, change) for section in _SECTIONS for change in getattr(self, section)]

    def to_arrow(self) -> Records:
        """One record for each fact that differs."""
        rows = [{"section": section, **change.raw} for section, change in self._changes()]
        return to_records(rows, ["section", "what", "before", "after"])

    def __repr__(self) -> str:
        records = self.records
        if self.same:
            return "<velamen.Diff: nothing changed>"
        facts = counted(len(self._changes()), "fact")
        alone = [
            f"{counted(number, 'record')} only {where}"
            for number, where in [(records.only_before, "before"), (records.only_after, "after")]
            if number
        ]
        parts = [f"{facts} changed", f"{counted(records.both, 'record')} in both releases", *alone]
        return f"<velamen.Diff: {', '.join(parts)}>"

    def _repr_html_(self) -> str:
        rows = [(section, change.what, change.before, change.after) for section, change in self._changes()]
        caption = repr(self)[len("<velamen.") : -1]
        if not rows:
            return f"<p>{escape(caption)}</p>"
        return html_table(caption, ["section", "what", "before", "after"], rows)


@dataclass(frozen=True)
class Explanation:
    """What an error code means, with an example and how to mend it."""

    code: str
    title: str
    page: str = field(repr=False)
    """The page, in Markdown."""

    def __str__(self) -> str:
        return spoken(self.page)

    def _repr_markdown_(self) -> str:
        return spoken(self.page)


@dataclass(frozen=True)
class Level(Result):
    """A level of a hierarchy."""

    level: int
    labels: int
    """Different labels."""
    least_leaves: int
    """The fewest leaves under a label."""
    most_leaves: int
    """The most leaves under a label."""
    examples: tuple[str, ...] = field(default=(), repr=False)
    """Some labels, if ``show_values`` asked for them; shown by ``print`` only."""


@dataclass(frozen=True)
class Levels(Result, Framed):
    """What a hierarchy is."""

    levels: int
    """How many levels it has, the values and ``*`` included."""
    leaves: int
    """The values that can occur or, where they cannot be listed, those that were given."""
    values: str
    """What a value looks like."""
    from_data: bool
    """Whether it is read off the data."""
    by_level: tuple[Level, ...] = ()
    """The levels, if the values were given or can be listed."""

    def __repr__(self) -> str:
        return f"<velamen.Levels: {counted(self.levels, 'level')} over {counted(self.leaves, 'leaf', 'leaves')}>"

    def to_arrow(self) -> Records:
        """One record for each level."""
        return to_records((level.raw for level in self.by_level), ["level", "labels", "least-leaves", "most-leaves"])

    def _repr_html_(self) -> str:
        rows = [(one.level, one.labels, one.least_leaves, one.most_leaves) for one in self.by_level]
        caption = repr(self)[len("<velamen.Levels: ") : -1]
        return html_table(caption, ["level", "labels", "fewest leaves", "most leaves"], rows)


@dataclass(frozen=True)
class HierarchyCheck(Result):
    """What is wrong with the file of a hierarchy."""

    rows: int
    """Rows of the file."""
    faults: tuple[str, ...]
    """All faults, in words."""
    missing_values: int
    """Values of the table's column that the file lacks."""
    missing_records: int
    """Records of the table that have one of them."""
    examples: tuple[str, ...] = ()
    """Some of them, if ``show_values`` asked for them; shown by ``print`` only."""

    @property
    def sound(self) -> bool:
        """Whether the file can be used, with the table if one was given."""
        return not self.faults and not self.missing_values

    def raise_for_mistakes(self) -> None:
        """Raises :class:`RecipeError` unless the file can be used."""
        if self.faults:
            raise RecipeError(f"the hierarchy has {counted(len(self.faults), 'fault')}: {'; '.join(self.faults)}")
        if self.missing_values:
            raise RecipeError(f"the hierarchy lacks {counted(self.missing_values, 'value')} of the table; add a row for each")

    def __repr__(self) -> str:
        faults, missing = counted(len(self.faults), "fault"), counted(self.missing_values, "missing value")
        return f"<velamen.HierarchyCheck: {counted(self.rows, 'row')}, {faults}, {missing}>"

    def _repr_html_(self) -> str:
        faults = "".join(f"<li>{escape(fault)}</li>" for fault in self.faults)
        return f"<p>{escape(repr(self)[len('<velamen.') : -1])}</p>" + (f"<ul>{faults}</ul>" if faults else "")


@dataclass(frozen=True)
class Hierarchy:
    """A hierarchy written out: a row for each value, from the value up to ``*``.

    The rows can hold values of a table. They are not shown by themselves.
    """

    rows: tuple[tuple[str, ...], ...] = field(repr=False)

    def to_dict(self) -> Json:
        """What a recipe has after ``hierarchy =``: ``recipe.set("attributes.zip.hierarchy", found.to_dict())``."""
        return {"rows": [list(row) for row in self.rows]}

    def to_arrow(self) -> Records:
        """One record for each value, with a column for each level."""
        columns = [f"level {level}" for level in range(len(self.rows[0]) if self.rows else 0)]
        return to_records((dict(zip(columns, row)) for row in self.rows), columns)

    def __repr__(self) -> str:
        levels = counted(len(self.rows[0]) if self.rows else 0, "level")
        return f"<velamen.Hierarchy: {counted(len(self.rows), 'value')} in {levels}>"
