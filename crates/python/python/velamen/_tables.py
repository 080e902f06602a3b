"""What is said of a table: profile, measures, risk, leaks."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html import escape

from ._decode import to_records
from ._frames import Framed
from ._result import QUIET, Json, Result, by_name, quiet_html
from ._show import counted, html_table, in_classes, text_table
from ._velamen import Records


@dataclass(frozen=True)
class Suggestion(Result):
    """What a column could be in a recipe."""

    role: str
    why: str
    hierarchy: Json | None = None
    top: float | None = None
    levels: str | None = None
    from_data: bool = False


@dataclass(frozen=True)
class Column(Result):
    """What is known of a column."""

    name: str
    type: str
    distinct: int
    """Distinct values."""
    missing: int
    """Records without value."""
    unique: int
    """Records that are alone with their value; people where the profile counts people."""
    rarest: int
    """Records that have the rarest value; people where the profile counts people."""
    distinction: float
    """Distinct values divided by records."""
    separation: float
    """The share of pairs of records that it tells apart."""
    leak: float
    """The leak, ΔS/S₀."""
    fits: float
    """The share of the values that fit the type."""
    suggestion: Suggestion
    """What it could be in a recipe."""
    findings: tuple[Json, ...] = ()
    """Suspected direct identifiers, the surest first."""
    suspected_missing: tuple[Json, ...] = ()
    """Cells that look like missing values without being empty."""
    values: Json | None = None
    """Values, if ``show_values`` asked for them; they are shown by ``print`` only."""

    def __repr__(self) -> str:
        return f"Column({self.name!r}, type={self.type!r}, role={self.suggestion.role!r})"


@dataclass(frozen=True)
class SetOfColumns(Result):
    """A set of columns that tells records apart."""

    attributes: tuple[str, ...]
    distinct: int
    distinction: float
    unique: int
    separation: float
    leak: float


@dataclass(frozen=True)
class Candidates(Result):
    """The smallest sets of columns that tell records apart."""

    measure: str
    asked: float
    threshold: float
    all: SetOfColumns
    found: int
    sets: tuple[SetOfColumns, ...]
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableProfile(Result):
    """What a table of a folder holds."""

    table: str
    file: str
    rows: int
    most_rows: int
    """The most rows of a person."""
    columns: tuple[Json, ...]
    """The role of each column."""


@dataclass(frozen=True)
class FolderProfile(Result):
    """What a folder of linked tables holds."""

    persons: int
    tables: tuple[TableProfile, ...]
    left_out: tuple[str, ...]
    """Tables that are left out."""
    codes: int
    pairs: int
    largest_set: int
    """The most codes of a person."""
    alone_by_one: int
    """Persons who have a code that nobody else has."""
    m: int
    """How many codes somebody may know by the suggested recipe."""

    def overview(self) -> tuple[list[str], list[list[object]]]:
        """The tables, as a heading and rows."""
        return ["table", "rows", "most rows of a person"], [[one.table, one.rows, one.most_rows] for one in self.tables]


_COLUMNS = ["name", "type", "distinct", "missing", "unique", "leak"]


@dataclass(frozen=True)
class Profile(Result, Framed):
    """What a table is like. No cell of it is shown."""

    records: int
    columns: tuple[Column, ...]
    """The columns, in the order of the table."""
    candidates: Candidates
    """Candidates for quasi-identifiers."""
    notes: tuple[str, ...] = ()
    """What to know before reading on."""
    sampled: int | None = None
    """Records of the random sample that all figures are about, if one was asked for."""
    folder: FolderProfile | None = None
    """What a folder of linked tables holds, if the profile is of one: ``records`` then counts persons."""
    counts_people: bool = False
    """Whether ``unique`` and ``rarest`` count people, since one column says whose the records are."""
    private: Json = field(default_factory=dict)
    """With ``private=True``, what a recipe for invented records declares, and what remains to be declared; no record was read."""

    def __repr__(self) -> str:
        return f"<velamen.Profile: {self._size()}>"

    def _size(self) -> str:
        if self.folder is not None:
            return f"{counted(self.folder.persons, 'person')}, {counted(len(self.folder.tables), 'table')}"
        return f"{counted(self.records, 'record')}, {counted(len(self.columns), 'column')}"

    def __str__(self) -> str:
        if any(column.values for column in self.columns):
            return json.dumps(self.raw, indent=2, ensure_ascii=False)
        parts = [self._size(), text_table(*self._overview())]
        found = [f"  {column.name}: {finding['title']}" for column in self.columns for finding in column.findings[:1]]
        if found:
            parts.append("\n".join(["Suspected identifiers:", *found]))
        return "\n\n".join([*parts, *self.notes])

    def _overview(self) -> tuple[list[str], list[list[object]]]:
        if self.folder is not None:
            return self.folder.overview()

        def row(column: Column) -> list[object]:
            return [*(getattr(column, name) for name in _COLUMNS), column.suggestion.role, column.suggestion.why]

        return [*_COLUMNS, "suggested role", "why"], [row(column) for column in self.columns]

    def to_arrow(self) -> Records:
        """One record for each column."""
        rows = [{**column.raw, "role": column.suggestion.role, "why": column.suggestion.why} for column in self.columns]
        return to_records(rows, [*_COLUMNS, "distinction", "separation", "rarest", "role", "why"])

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return notes + html_table(counted(self.records, "record"), *self._overview())


@dataclass(frozen=True)
class AttributeMeasures(Result):
    """The privacy parameters that a table satisfies for one sensitive attribute."""

    numeric: bool
    values: int
    alpha: float | None = None
    distinct_l: int | None = None
    entropy_l: float | None = None
    recursive_l: int | None = None
    recursive_c: float | None = None
    t_equal: float | None = None
    t_ordered: float | None = None
    basic_beta: float | None = None
    enhanced_beta: float | None = None
    delta: float | None = None


@dataclass(frozen=True)
class Measures(Result):
    """The privacy parameters that a table or a release satisfies."""

    records: int
    classes: int
    sensitive: dict[str, AttributeMeasures]
    k: int | None = None
    least_class: int | None = None
    mean_class: float | None = None
    largest_class: int | None = None
    shields: Json = field(default_factory=dict)
    utility: Json = field(default_factory=dict)
    people: int | None = None
    """People in classes, where a column says whose the records are: figures then count people."""
    promised_people: int | None = None
    """The least people of a class that are promised, where a release does not tell whose its records are."""
    similar: Json = field(default_factory=dict)
    """By sensitive attribute of a release, records or people in groups that tell a ``value``, its ``parent`` or numbers that are ``near``."""

    def __repr__(self) -> str:
        return f"<velamen.Measures: k = {self.k}, {in_classes(self.records, self.classes)}>"

    def _repr_html_(self) -> str:
        names = ["alpha", "distinct_l", "entropy_l", "t_equal", "t_ordered", "basic_beta", "delta"]
        caption = f"k = {self.k}; {in_classes(self.records, self.classes)}"
        return by_name(caption, "sensitive", names, self.sensitive)


@dataclass(frozen=True)
class Risks(Result):
    """The risk against one adversary."""

    highest: float
    mean: float
    records_at_risk: int
    share_at_risk: float


@dataclass(frozen=True)
class RiskFigures(Result):
    """The risk of re-identification of a table or a release."""

    records: int
    classes: int
    uniques: int
    """Records, or people, that are alone in their class."""
    suppressed: int = 0
    least_class: int | None = None
    risks: dict[str, Risks] | None = None
    """Against ``prosecutor``, ``journalist`` and ``marketer``."""
    class_sizes: tuple[Json, ...] = ()
    thresholds: tuple[Json, ...] = ()
    attributes: tuple[Json, ...] = ()
    special_uniques: Json | None = None
    population: Json | None = None
    people: int | None = None
    """People in classes, where a column says whose the records are: figures then count people."""
    person_picked: Risks | None = None
    """The prosecutor's risk if one of the people of a class is picked instead of a record."""

    def __repr__(self) -> str:
        return f"<velamen.RiskFigures: {counted(self.classes, 'class', 'classes')}>"


@dataclass(frozen=True)
class Risk(RiskFigures, Framed):
    """The risk of a table or a release, and of what it is compared with."""

    quasi_identifiers: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    before: RiskFigures | None = None
    """The table that was asked for before it."""
    riskiest: tuple[Json, ...] = ()
    """The riskiest records, if ``rows`` asked for them; shown by ``print`` only."""

    def __repr__(self) -> str:
        if self.before is not None:
            return f"<velamen.Risk: {QUIET}>"
        return f"<velamen.Risk: {counted(self.classes, 'class', 'classes')} of {', '.join(self.quasi_identifiers)}>"

    def to_arrow(self) -> Records:
        """One record for each adversary."""
        rows = [{"adversary": name, **risk.raw} for name, risk in (self.risks or {}).items()]
        return to_records(rows, ["adversary", "highest", "mean", "records-at-risk", "share-at-risk"])

    def _repr_html_(self) -> str:
        if self.before is not None:
            return quiet_html(self)
        names = ["highest", "mean", "records_at_risk", "share_at_risk"]
        remarks = "".join(f"<p>{escape(remark)}</p>" for remark in self.remarks)
        caption = f"{in_classes(self.records, self.classes)}; {self.uniques:,} alone in theirs"
        return remarks + by_name(caption, "adversary", names, self.risks or {})


@dataclass(frozen=True)
class LeakFigures(Result):
    """What one set of attributes leaks in one table."""

    partitions: int
    """Distinct combinations of values."""
    loss: float
    """ΔS in bits."""
    normalised: float
    """ΔS/S₀."""


@dataclass(frozen=True)
class Leak(LeakFigures):
    """The leak of one set of attributes."""

    attributes: tuple[str, ...] = ()
    after: LeakFigures | None = None
    """The same in the other table."""


@dataclass(frozen=True)
class Start(Result):
    """A table before anyone asks."""

    records: int
    initial: float


@dataclass(frozen=True)
class Leaks(Result, Framed):
    """How much the values of attributes help to find a person."""

    records: int
    initial: float
    """S₀ in bits."""
    sets: tuple[Leak, ...]
    after: Start | None = None

    def __repr__(self) -> str:
        return f"<velamen.Leaks: {counted(len(self.sets), 'set')} of attributes>"

    def to_arrow(self) -> Records:
        """One record for each set."""
        return to_records((one.raw for one in self.sets), ["attributes", "partitions", "loss", "normalised"])

    def _repr_html_(self) -> str:
        rows = [
            [one.attributes, one.partitions, one.loss, one.normalised, one.after.normalised if one.after else None]
            for one in self.sets
        ]
        return html_table("Leaks", ["attributes", "partitions", "bits", "share", "share after"], rows)
