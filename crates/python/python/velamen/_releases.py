"""What is said of a release: findings, manifest, front, comparison, attacks, audit, estimate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape
from typing import Any

from ._decode import to_records
from ._finding import Finding
from ._frames import Framed
from ._plot import Plot
from ._result import Json, Quiet, Result, headings
from ._show import counted, html_table, in_classes, shown, text_table
from ._velamen import Records
from .exceptions import PromiseError


def verified_html(caption: str, findings: Iterable[Finding]) -> str:
    """The promises of a release as a table for notebooks."""
    rows = [(found.promise, _brief(found.asked), _brief(found.reached), found.state) for found in findings]
    return html_table(caption, ["promise", "asked", "reached", "state"], rows)


def _brief(value: Any) -> str:
    """What was asked or reached, on one short line."""
    if isinstance(value, dict):
        text = ", ".join(f"{key} {_brief(part)}" for key, part in value.items() if part is not None)
    elif isinstance(value, bool):
        text = "yes" if value else "no"
    else:
        text = "none" if value == [] else shown(value)
    return text if len(text) <= 60 else text[:59] + "…"


@dataclass(frozen=True)
class Verification(Result, Framed):
    """What the checker found in a release."""

    findings: tuple[Finding, ...]
    """One for each promise."""

    @property
    def held(self) -> bool:
        """Whether no promise is broken, and all that can be checked were."""
        return all(found.state in ("held", "stated") for found in self.findings)

    def __repr__(self) -> str:
        return f"<velamen.Verification: {self._summary()}>"

    def __str__(self) -> str:
        rows = [[found.promise, _brief(found.asked), _brief(found.reached), found.state] for found in self.findings]
        return f"{self._summary()}\n\n" + text_table(["promise", "asked", "reached", "state"], rows)

    def _summary(self) -> str:
        """How many promises there are, and which are not kept."""
        wrong = [f"{found.promise} {found.state}" for found in self.findings if found.state not in ("held", "stated")]
        return f"{counted(len(self.findings), 'promise')}, {', '.join(wrong) or 'all held or stated'}"

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
        return verified_html("Promises of the release", self.findings)


@dataclass(frozen=True)
class Promise(Result):
    """A promise of a release's manifest."""

    model: str
    asked: Any
    reached: Any


@dataclass(frozen=True)
class Manifest(Result):
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

    def __repr__(self) -> str:
        return f"<velamen.Manifest: {in_classes(self.records, self.classes)}, method {self.method.get('name', 'unknown')}>"


@dataclass(frozen=True)
class Solution(Result):
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
    """What makes it, as the command line writes it; ``recipe.choose(solution)`` is the recipe with it."""


_SOLUTION = ["value", "highest_risk", "mean_risk", "suppressed", "counterfeits", "classes"]


@dataclass(frozen=True)
class Front(Result, Framed):
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

    def __repr__(self) -> str:
        return f"<velamen.Front: {counted(len(self.solutions), 'solution')} by {self.figure or 'none'}>"

    def to_arrow(self) -> Records:
        """One record for each solution."""
        names = [name.replace("_", "-") for name in _SOLUTION]
        return to_records((solution.raw for solution in self.solutions), [*names, "changed", "levels"])

    def plot(self) -> Plot:
        """The figure against the highest risk, as a picture: shown by notebooks, and written by its ``save``."""
        return Plot(
            tuple((one.value, one.highest_risk) for one in self.solutions),
            self.figure,
            "highest risk",
            tuple(", ".join(f"{name} {level}" for name, level in one.levels.items()) for one in self.solutions),
        )

    def _repr_html_(self) -> str:
        if self.note:
            return f"<p>{escape(self.note)}</p>"
        rows = [
            [*(getattr(one, name) for name in _SOLUTION), ", ".join(f"{k} {v}" for k, v in one.levels.items())]
            for one in self.solutions
        ]
        columns = [self.figure, *headings(_SOLUTION[1:]), "levels"]
        return html_table("Releases that no other beats", columns, rows)


@dataclass(frozen=True, repr=False)
class Comparison(Quiet, Framed):
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
    analyses: Json | None = None
    """Stated analyses: estimates on both tables, and how far their intervals overlap."""
    left_out: tuple[Json, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def skipped(self) -> dict[str, str]:
        """The sections that there are no figures of, and why."""
        sections = ("metrics", "distributions", "associations", "queries", "classifiers")
        absent = [name for name in sections if getattr(self, "utility" if name == "metrics" else name) is None]
        reasons = {one["section"]: one["reason"] for one in self.left_out}
        asks = 'were not asked for; only=["{}"] does'
        return {name: reasons.get(name, asks.format(name)) for name in absent}

    def __str__(self) -> str:
        return "\n".join([super().__str__(), *(f"no {name}: {why}" for name, why in self.skipped.items())])

    def to_arrow(self) -> Records:
        """How far each attribute's distribution moved, one record for each."""
        columns = ["name", "total-variation", "jensen-shannon", "hellinger", "earth-mover", "hidden-share"]
        return to_records((self.distributions or {}).get("attributes", []), columns)


@dataclass(frozen=True)
class Figure(Result):
    """How often an attack succeeds."""

    what: str
    rate: float
    interval: tuple[float, float] | None = None
    baseline: float | None = None
    """The same adversary without the release."""
    at_least: float | None = None


@dataclass(frozen=True)
class Attack(Result):
    """What one attack came to."""

    attack: str
    summary: str
    figures: tuple[Figure, ...] = ()
    targets: int | None = None
    left_out: str | None = None
    notes: tuple[str, ...] = ()
    person: tuple[tuple[str, str], ...] | None = None
    """Whom most is learnt of, if ``show_values`` asked for it; shown by ``print`` only."""

    def __repr__(self) -> str:
        return f"<velamen.Attack: {self.attack}>"


@dataclass(frozen=True, repr=False)
class Attacks(Quiet, Framed):
    """What attacks on a release came to."""

    original_records: int
    records: int
    confidence: float
    attacks: tuple[Attack, ...]
    notes: tuple[str, ...] = ()
    """What a reader of the figures has to know."""
    original_people: int | None = None
    """People of the original, where a column says whose its records are."""

    def to_arrow(self) -> Records:
        """One record for each figure."""
        rows = [{"attack": one.attack, **figure.raw} for one in self.attacks for figure in one.figures]
        return to_records(rows, ["attack", "what", "rate", "interval", "baseline"])


@dataclass(frozen=True)
class Claim(Result):
    """What a recipe's method claims."""

    epsilon: float
    delta: float


@dataclass(frozen=True)
class AuditFinding(Result):
    """The pair of tables and the event with the largest bound."""

    tables: str
    event: str
    epsilon: float
    """At least so large is the true ε, with the confidence of the audit."""
    record: tuple[tuple[str, str], ...] | None = None

    def __repr__(self) -> str:
        return "<velamen.AuditFinding>"


@dataclass(frozen=True)
class Verdict(Result):
    """What an audit comes to."""

    says: str
    """``refuted``, ``not-refuted``, ``cannot-tell`` or ``nothing-claimed``."""
    needed: int | None = None
    """The least number of runs that could refute the claim, where so few cannot."""


@dataclass(frozen=True)
class Unlike(Result):
    """What differs between two tables by more than is paid for."""

    tables: str
    answers: str
    """Where the answers came from."""
    what: str

    def __repr__(self) -> str:
        return "<velamen.Unlike>"


@dataclass(frozen=True)
class AuditInside(Result):
    """What replays found."""

    replays: int
    queries: int
    """Queries that were compared."""
    differences: tuple[Unlike, ...]
    """What refutes the claim."""

    def __repr__(self) -> str:
        return "<velamen.AuditInside>"


@dataclass(frozen=True, repr=False)
class Audit(Quiet):
    """What an audit found."""

    verdict: Verdict
    confidence: float
    trials: int
    pairs: int
    found: AuditFinding | None = None
    """None of an audit from inside."""
    most_shown: float | None = None
    """The largest ε that so many runs can show of any mechanism."""
    inside: AuditInside | None = None
    """What replays found, if the audit is one from inside."""
    claimed: Claim | None = None
    largest: AuditFinding | None = None
    warnings: tuple[str, ...] = ()

    def raise_for_promises(self) -> None:
        """Raises :class:`PromiseError` if the claim is refuted."""
        if self.verdict.says == "refuted":
            error = PromiseError("the audit refutes the differential privacy that the recipe claims")
            error.kind = "promise"
            raise error


@dataclass(frozen=True)
class Need(Result):
    """What is needed beside what there may be, in bytes."""

    needed: float
    fits: bool
    most: int | None = None


@dataclass(frozen=True)
class ColumnCost(Result):
    """What one column adds to a run."""

    name: str
    role: str
    values: int
    combinations_without: float
    memory_without: float


@dataclass(frozen=True)
class Estimate(Result, Framed):
    """What a run will take."""

    records: int
    combinations: float
    nodes: float
    memory: Need
    disk: Need
    columns: tuple[ColumnCost, ...]
    cpu_seconds: float | None = None

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
        return html_table(counted(self.records, "record"), ["what", "needed", "fits"], rows)
