"""What the functions give: small frozen classes with the fields of the command line's ``--json``.

Each has ``to_dict()``, the JSON as it came; what is a table has ``to_arrow()``, for ``polars.DataFrame``,
``pyarrow.table`` or ``pandas.DataFrame.from_arrow``.

Notebooks are saved and mailed. So what stands beside the original records, :class:`Comparison`, :class:`Attacks`,
:class:`Audit` and :class:`Risk` with ``before``, shows no figure by itself: read the attributes, or ``print`` the object.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

from ._decode import html_table, to_records
from ._velamen import Records
from .exceptions import PromiseError

__all__ = [
    "Attack",
    "Attacks",
    "AttributeMeasures",
    "Audit",
    "AuditFinding",
    "Candidates",
    "Claim",
    "Column",
    "ColumnCost",
    "Comparison",
    "Estimate",
    "Figure",
    "Finding",
    "Front",
    "Leak",
    "LeakFigures",
    "Leaks",
    "Manifest",
    "Measures",
    "Need",
    "Profile",
    "Promise",
    "Risk",
    "RiskFigures",
    "Risks",
    "SetOfColumns",
    "Solution",
    "Start",
    "Suggestion",
    "Verdict",
    "Verification",
]

Json = dict[str, Any]
"""An object of JSON."""


def _raw() -> Any:
    return field(repr=False, compare=False, default_factory=dict)


class _Result:
    """What all results have."""

    raw: Mapping[str, Any]

    def to_dict(self) -> Json:
        """The result as the command line's JSON."""
        copy: Json = json.loads(json.dumps(self.raw))
        return copy

    def __str__(self) -> str:
        return json.dumps(self.raw, indent=2, ensure_ascii=False)


class _Quiet(_Result):
    """Figures over the original records, which show themselves when they are asked for."""

    def __repr__(self) -> str:
        return f"<velamen.{type(self).__name__}: {_QUIET}>"

    def _repr_html_(self) -> str:
        return f"<p><b>{type(self).__name__}</b>: {escape(_QUIET)}</p>"


_QUIET = (
    "figures over the original records, for the custodian; not shown by themselves, since notebooks are saved and "
    "mailed: read the attributes, to_dict(), or print()"
)


@dataclass(frozen=True)
class Finding(_Result):
    """A promise, and what the released file shows of it."""

    promise: str
    """The model's or rule's name."""
    asked: Any
    """What was asked."""
    reached: Any
    """What the file shows."""
    state: str
    """``held``, ``broken``, ``not-checked`` or ``stated``."""
    raw: Mapping[str, Any] = _raw()


def _findings_html(caption: str, findings: Iterable[Finding]) -> str:
    rows = [
        (found.promise, json.dumps(found.asked), json.dumps(found.reached), found.state) for found in findings
    ]
    return html_table(caption, ["promise", "asked", "reached", "state"], rows)


@dataclass(frozen=True)
class Verification(_Result):
    """What the checker found in a release."""

    findings: tuple[Finding, ...]
    """One for each promise."""
    raw: Mapping[str, Any] = _raw()

    @property
    def held(self) -> bool:
        """Whether no promise is broken, and all that can be checked were."""
        return all(found.state in ("held", "stated") for found in self.findings)

    def raise_for_promises(self) -> None:
        """Raises :class:`PromiseError` if a promise is broken, or was not checked that could be."""
        for state, kind in (("broken", "promise"), ("not-checked", "not-checked")):
            names = [found.promise for found in self.findings if found.state == state]
            if names:
                what = "does not keep" if state == "broken" else "breaks no promise, but was not checked for"
                error = PromiseError(f"the release {what}: {', '.join(names)}")
                error.kind, error.findings = kind, self.findings
                raise error

    def to_arrow(self) -> Records:
        """One record for each promise."""
        return to_records((found.raw for found in self.findings), ["promise", "asked", "reached", "state"])

    def _repr_html_(self) -> str:
        return _findings_html("Promises of the release", self.findings)


@dataclass(frozen=True)
class Promise(_Result):
    """A promise of a release's manifest."""

    model: str
    asked: Any
    reached: Any
    raw: Mapping[str, Any] = _raw()


@dataclass(frozen=True)
class Manifest(_Result):
    """``release.json``: what was done, asked and reached. It is public."""

    records: int
    """Released records, suppressed ones and counterfeits included."""
    suppressed: int
    """Records whose quasi-identifiers are all ``*``."""
    classes: int
    """Equivalence classes."""
    method: Json
    """The method and its parameters, ``name`` first."""
    privacy: tuple[Promise, ...]
    """What was asked of the release and what it reached."""
    utility: Json
    """Utility figures of the released table, by metric."""
    attributes: Json
    """The released attributes and their hierarchies."""
    data: Json
    """The released file."""
    counterfeits: int | None = None
    """Counterfeit records, where the release reports them."""
    node: Json = field(default_factory=dict)
    """The level of each quasi-identifier; none where classes have levels of their own."""
    velamen: str = ""
    """The version that made the release."""
    raw: Mapping[str, Any] = _raw()


@dataclass(frozen=True)
class Suggestion(_Result):
    """What a column could be in a recipe."""

    role: str
    why: str
    hierarchy: Json | None = None
    top: float | None = None
    levels: str | None = None
    from_data: bool = False
    raw: Mapping[str, Any] = _raw()


@dataclass(frozen=True)
class Column(_Result):
    """What is known of a column."""

    name: str
    type: str
    distinct: int
    """Distinct values."""
    missing: int
    """Records without value."""
    unique: int
    """Records that are alone with their value."""
    rarest: int
    """Records that have the rarest value."""
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
    raw: Mapping[str, Any] = _raw()

    def __repr__(self) -> str:
        return f"Column({self.name!r}, type={self.type!r}, role={self.suggestion.role!r})"


@dataclass(frozen=True)
class SetOfColumns(_Result):
    """A set of columns that tells records apart."""

    attributes: tuple[str, ...]
    distinct: int
    distinction: float
    unique: int
    separation: float
    leak: float
    raw: Mapping[str, Any] = _raw()


@dataclass(frozen=True)
class Candidates(_Result):
    """The smallest sets of columns that tell records apart."""

    measure: str
    asked: float
    threshold: float
    all: SetOfColumns
    found: int
    sets: tuple[SetOfColumns, ...]
    left_out: tuple[str, ...] = ()
    raw: Mapping[str, Any] = _raw()


_COLUMNS = ["name", "type", "distinct", "missing", "unique", "leak"]


@dataclass(frozen=True)
class Profile(_Result):
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
    raw: Mapping[str, Any] = _raw()

    def __repr__(self) -> str:
        return f"<velamen.Profile: {self.records} records, {len(self.columns)} columns>"

    def to_arrow(self) -> Records:
        """One record for each column."""
        rows = [{**column.raw, "role": column.suggestion.role, "why": column.suggestion.why} for column in self.columns]
        return to_records(rows, [*_COLUMNS, "distinction", "separation", "rarest", "role", "why"])

    def _repr_html_(self) -> str:
        rows = [
            [*(getattr(column, name) for name in _COLUMNS), column.suggestion.role, column.suggestion.why]
            for column in self.columns
        ]
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return notes + html_table(f"{self.records} records", [*_COLUMNS, "suggested role", "why"], rows)


@dataclass(frozen=True)
class Solution(_Result):
    """A release that could be made."""

    levels: dict[str, int]
    """The level of each quasi-identifier; empty where classes have levels of their own."""
    value: float
    """The figure that the method chooses by."""
    highest_risk: float
    mean_risk: float
    suppressed: int
    counterfeits: int
    changed: float
    """The share of released records that are suppressed or counterfeit."""
    classes: int
    set: tuple[str, ...] = ()
    """What makes it: ``recipe.set(*entry.split("=", 1))`` for each entry."""
    raw: Mapping[str, Any] = _raw()


_SOLUTION = ["value", "highest_risk", "mean_risk", "suppressed", "counterfeits", "classes"]


@dataclass(frozen=True)
class Front(_Result):
    """The releases that a recipe could make and that no other beats, the best figure first."""

    figure: str
    """The name of ``Solution.value``."""
    solutions: tuple[Solution, ...]
    partial: bool
    """Whether others may beat these, since not all levels were looked at."""
    nodes: bool
    """Whether the solutions are levels to choose from; else there is the one release that the method makes."""
    note: str | None = None
    """Why there are no figures, where there are none."""
    raw: Mapping[str, Any] = _raw()

    def __repr__(self) -> str:
        return f"<velamen.Front: {len(self.solutions)} solutions by {self.figure or 'none'}>"

    def to_arrow(self) -> Records:
        """One record for each solution."""
        names = [name.replace("_", "-") for name in _SOLUTION]
        return to_records((solution.raw for solution in self.solutions), [*names, "changed", "levels"])

    def plot(self) -> Plot:
        """The figure against the highest risk, as a picture for notebooks."""
        return Plot(
            tuple((one.value, one.highest_risk) for one in self.solutions), self.figure, "highest risk"
        )

    def _repr_html_(self) -> str:
        if self.note:
            return f"<p>{escape(self.note)}</p>"
        rows = [
            [*(getattr(one, name) for name in _SOLUTION), ", ".join(f"{k} {v}" for k, v in one.levels.items())]
            for one in self.solutions
        ]
        columns = [self.figure, *(name.replace("_", " ") for name in _SOLUTION[1:]), "levels"]
        return html_table("Releases that no other beats", columns, rows)


@dataclass(frozen=True)
class Plot:
    """Points in a picture."""

    points: tuple[tuple[float, float], ...]
    across: str
    up: str

    def _repr_svg_(self) -> str:
        width, height, margin = 420, 280, 45
        most = [max((point[axis] for point in self.points), default=1.0) or 1.0 for axis in (0, 1)]
        dots = "".join(
            f'<circle cx="{margin + (width - 2 * margin) * x / most[0]:.1f}" '
            f'cy="{height - margin - (height - 2 * margin) * y / most[1]:.1f}" r="4" fill="#1f6f8b"/>'
            for x, y in self.points
        )
        base = height - margin
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
            f'font-size="12"><path d="M{margin} {margin}V{base}H{width - margin}" fill="none" stroke="#555"/>{dots}'
            f'<text x="{width / 2}" y="{height - 8}" text-anchor="middle">{escape(self.across)}, up to {most[0]:.3g}'
            f'</text><text x="14" y="{height / 2}" text-anchor="middle" transform="rotate(-90 14 {height / 2})">'
            f"{escape(self.up)}, up to {most[1]:.3g}</text></svg>"
        )


@dataclass(frozen=True)
class AttributeMeasures(_Result):
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
    raw: Mapping[str, Any] = _raw()


@dataclass(frozen=True)
class Measures(_Result):
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
    raw: Mapping[str, Any] = _raw()

    def __repr__(self) -> str:
        return f"<velamen.Measures: k = {self.k}, {self.records} records in {self.classes} classes>"

    def _repr_html_(self) -> str:
        names = ["alpha", "distinct_l", "entropy_l", "t_equal", "t_ordered", "basic_beta", "delta"]
        rows = [[name, *(getattr(one, key) for key in names)] for name, one in self.sensitive.items()]
        caption = f"k = {self.k}; {self.records} records in {self.classes} classes"
        return html_table(caption, ["sensitive", *(name.replace("_", " ") for name in names)], rows)


@dataclass(frozen=True)
class Risks(_Result):
    """The risk against one adversary."""

    highest: float
    mean: float
    records_at_risk: int
    share_at_risk: float
    raw: Mapping[str, Any] = _raw()


@dataclass(frozen=True)
class RiskFigures(_Result):
    """The risk of re-identification of a table or a release."""

    records: int
    classes: int
    uniques: int
    """Records that are alone in their class."""
    suppressed: int = 0
    least_class: int | None = None
    risks: dict[str, Risks] | None = None
    """Against ``prosecutor``, ``journalist`` and ``marketer``."""
    class_sizes: tuple[Json, ...] = ()
    thresholds: tuple[Json, ...] = ()
    attributes: tuple[Json, ...] = ()
    special_uniques: Json | None = None
    population: Json | None = None
    raw: Mapping[str, Any] = _raw()

    def __repr__(self) -> str:
        return f"<velamen.RiskFigures: {self.classes} classes>"


@dataclass(frozen=True)
class Risk(RiskFigures):
    """The risk of a table or a release, and of what it is compared with."""

    quasi_identifiers: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    before: RiskFigures | None = None
    """The table that was asked for before it."""
    riskiest: tuple[Json, ...] = ()
    """The riskiest records, if ``rows`` asked for them; shown by ``print`` only."""

    def __repr__(self) -> str:
        if self.before is not None:
            return f"<velamen.Risk: {_QUIET}>"
        return f"<velamen.Risk: {self.classes} classes of {', '.join(self.quasi_identifiers)}>"

    def to_arrow(self) -> Records:
        """One record for each adversary."""
        rows = [{"adversary": name, **risk.raw} for name, risk in (self.risks or {}).items()]
        return to_records(rows, ["adversary", "highest", "mean", "records-at-risk", "share-at-risk"])

    def _repr_html_(self) -> str:
        if self.before is not None:
            return f"<p><b>Risk</b>: {escape(_QUIET)}</p>"
        names = ["highest", "mean", "records_at_risk", "share_at_risk"]
        rows = [[name, *(getattr(risk, key) for key in names)] for name, risk in (self.risks or {}).items()]
        remarks = "".join(f"<p>{escape(remark)}</p>" for remark in self.remarks)
        caption = f"{self.records} records in {self.classes} classes; {self.uniques} alone in theirs"
        return remarks + html_table(caption, ["adversary", *(name.replace("_", " ") for name in names)], rows)


@dataclass(frozen=True, repr=False)
class Comparison(_Quiet):
    """A release beside its original."""

    original_records: int
    records: int
    suppressed: int
    counterfeits: int
    classes: int
    over_original: bool | None = None
    utility: Json | None = None
    distributions: Json | None = None
    associations: Json | None = None
    queries: Json | None = None
    classifiers: Json | None = None
    left_out: tuple[Json, ...] = ()
    notes: tuple[str, ...] = ()
    raw: Mapping[str, Any] = _raw()

    def to_arrow(self) -> Records:
        """How far each attribute's distribution moved, one record for each."""
        columns = ["name", "total-variation", "jensen-shannon", "hellinger", "earth-mover", "hidden-share"]
        return to_records((self.distributions or {}).get("attributes", []), columns)


@dataclass(frozen=True)
class Figure(_Result):
    """How often an attack succeeds."""

    what: str
    rate: float
    interval: tuple[float, float] | None = None
    baseline: float | None = None
    """The same adversary without the release."""
    at_least: float | None = None
    raw: Mapping[str, Any] = _raw()


@dataclass(frozen=True)
class Attack(_Result):
    """What one attack came to."""

    attack: str
    summary: str
    figures: tuple[Figure, ...] = ()
    targets: int | None = None
    left_out: str | None = None
    notes: tuple[str, ...] = ()
    person: tuple[tuple[str, str], ...] | None = None
    """Whom most is learnt of, if ``show_values`` asked for it; shown by ``print`` only."""
    raw: Mapping[str, Any] = _raw()

    def __repr__(self) -> str:
        return f"<velamen.Attack: {self.attack}>"


@dataclass(frozen=True, repr=False)
class Attacks(_Quiet):
    """What attacks on a release came to."""

    original_records: int
    records: int
    confidence: float
    attacks: tuple[Attack, ...]
    raw: Mapping[str, Any] = _raw()

    def to_arrow(self) -> Records:
        """One record for each figure."""
        rows = [{"attack": one.attack, **figure.raw} for one in self.attacks for figure in one.figures]
        return to_records(rows, ["attack", "what", "rate", "interval", "baseline"])


@dataclass(frozen=True)
class LeakFigures(_Result):
    """What one set of attributes leaks in one table."""

    partitions: int
    """Distinct combinations of values."""
    loss: float
    """ΔS in bits."""
    normalised: float
    """ΔS/S₀."""
    raw: Mapping[str, Any] = _raw()


@dataclass(frozen=True)
class Leak(LeakFigures):
    """The leak of one set of attributes."""

    attributes: tuple[str, ...] = ()
    after: LeakFigures | None = None
    """The same in the other table."""


@dataclass(frozen=True)
class Start(_Result):
    """A table before anyone asks."""

    records: int
    initial: float
    raw: Mapping[str, Any] = _raw()


@dataclass(frozen=True)
class Leaks(_Result):
    """How much the values of attributes help to find a person."""

    records: int
    initial: float
    """S₀ in bits."""
    sets: tuple[Leak, ...]
    after: Start | None = None
    raw: Mapping[str, Any] = _raw()

    def __repr__(self) -> str:
        return f"<velamen.Leaks: {len(self.sets)} sets of attributes>"

    def to_arrow(self) -> Records:
        """One record for each set."""
        return to_records((one.raw for one in self.sets), ["attributes", "partitions", "loss", "normalised"])

    def _repr_html_(self) -> str:
        rows = [
            [one.attributes, one.partitions, one.loss, one.normalised, one.after.normalised if one.after else None]
            for one in self.sets
        ]
        return html_table("Leaks", ["attributes", "partitions", "bits", "share", "share after"], rows)


@dataclass(frozen=True)
class Claim(_Result):
    """What a recipe's method claims."""

    epsilon: float
    delta: float
    raw: Mapping[str, Any] = _raw()


@dataclass(frozen=True)
class AuditFinding(_Result):
    """The pair of tables and the event with the largest bound."""

    tables: str
    event: str
    epsilon: float
    """At least so large is the true ε, with the confidence of the audit."""
    record: tuple[tuple[str, str], ...] | None = None
    raw: Mapping[str, Any] = _raw()

    def __repr__(self) -> str:
        return "<velamen.AuditFinding>"


@dataclass(frozen=True)
class Verdict(_Result):
    """What an audit comes to."""

    says: str
    """``refuted``, ``not-refuted``, ``cannot-tell`` or ``nothing-claimed``."""
    needed: int | None = None
    """The least number of runs that could refute the claim, where so few cannot."""
    raw: Mapping[str, Any] = _raw()


@dataclass(frozen=True, repr=False)
class Audit(_Quiet):
    """What an audit found."""

    verdict: Verdict
    found: AuditFinding
    confidence: float
    trials: int
    pairs: int
    most_shown: float
    """The largest ε that so many runs can show of any mechanism."""
    claimed: Claim | None = None
    largest: AuditFinding | None = None
    warnings: tuple[str, ...] = ()
    raw: Mapping[str, Any] = _raw()

    def raise_for_promises(self) -> None:
        """Raises :class:`PromiseError` if the claim is refuted."""
        if self.verdict.says == "refuted":
            error = PromiseError("the audit refutes the differential privacy that the recipe claims")
            error.kind = "promise"
            raise error


@dataclass(frozen=True)
class Need(_Result):
    """What is needed beside what there may be, in bytes."""

    needed: float
    fits: bool
    most: int | None = None
    raw: Mapping[str, Any] = _raw()


@dataclass(frozen=True)
class ColumnCost(_Result):
    """What one column adds to a run."""

    name: str
    role: str
    values: int
    combinations_without: float
    memory_without: float
    raw: Mapping[str, Any] = _raw()


@dataclass(frozen=True)
class Estimate(_Result):
    """What a run will take."""

    records: int
    combinations: float
    nodes: float
    memory: Need
    disk: Need
    columns: tuple[ColumnCost, ...]
    cpu_seconds: float | None = None
    raw: Mapping[str, Any] = _raw()

    @property
    def fits(self) -> bool:
        """Whether memory and disk are enough."""
        return self.memory.fits and self.disk.fits

    def __repr__(self) -> str:
        return f"<velamen.Estimate: {'fits' if self.fits else 'does not fit'}>"

    def to_arrow(self) -> Records:
        """One record for each column."""
        columns = ["name", "role", "values", "combinations-without", "memory-without"]
        return to_records((one.raw for one in self.columns), columns)

    def _repr_html_(self) -> str:
        rows = [
            ("memory, MiB", self.memory.needed / 2**20, self.memory.fits),
            ("disk, MiB", self.disk.needed / 2**20, self.disk.fits),
            ("processor time, s", self.cpu_seconds, ""),
        ]
        return html_table(f"{self.records} records", ["what", "needed", "fits"], rows)
