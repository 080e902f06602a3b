"""What is said of linked tables: manifest, figures, attacks, the profile of a folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ._decode import to_records
from ._releases import Attacks
from ._frames import Framed
from ._result import QUIET, Json, Result
from ._show import counted, html_table, shown
from ._tables import Measures, Risk
from ._velamen import LinkedRelease, Records

@dataclass(frozen=True)
class Alone(Result):
    """Shares of the persons."""

    best: float
    """Alone by those of their codes that show most."""
    random: float
    """Expected alone by codes drawn at random."""


_FOUND = ["alone", "chance", "misled", "nobody"]


@dataclass(frozen=True)
class LinkedManifest(Result):
    """``release.json`` of linked tables: what was done and asked. It is public."""

    shape: str
    """What kind of folder the tables came from."""
    tier: str
    """``public`` or ``agreement``."""
    persons: Json
    """The table of persons, those released and those left out."""
    privacy: tuple[Json, ...]
    """The privacy models."""
    code_floor: int
    """The least number of persons of every released code that is in no set."""
    counts: str
    """What holds of numbers of rows."""
    dates: object
    """What became of dates."""
    not_covered: tuple[str, ...]
    """What the promises are not about."""
    tables: Json
    """The released tables and their columns."""
    method: Json
    window: tuple[str, str] | None = None
    """The first and the last day that the data are about, as declared."""
    ages: Json | None = None
    generalized_codes: Json = field(default_factory=dict)
    """How many codes of each column stand at an ancestor."""
    velamen: str = ""
    """The version that made the release."""

    def __repr__(self) -> str:
        return f"<velamen.LinkedManifest: {counted(len(self.tables), 'table')}, method {self.method.get('name', 'unknown')}>"

    @property
    def records(self) -> dict[str, int]:
        """How many rows each table has."""
        return {name: table["records"] for name, table in self.tables.items()}


@dataclass(frozen=True)
class Survived(Result):
    """How much of the original survived, before and after. It is the custodian's."""

    persons: tuple[int, int]
    pairs: tuple[int, int]
    """Pairs of person and code."""
    rows: tuple[int, int]

    def __repr__(self) -> str:
        return f"<velamen.Survived: {QUIET}>"


@dataclass(frozen=True)
class LinkedMeasures(Measures):
    """What a release of linked tables shows of persons. ``records`` counts persons, ``k`` is that of their columns."""

    persons: int = 0
    codes: int = 0
    """Different codes of sets."""
    pairs: int = 0
    """Pairs of person and code."""
    largest_k: Json = field(default_factory=dict)
    """By the number of codes that somebody knows: the largest k of km-anonymity."""
    largest_k_in_classes: Json = field(default_factory=dict)
    """The same inside classes of person columns: the largest k of k-km-anonymity."""
    alone_by_best: Json = field(default_factory=dict)
    """The share of persons alone in their class by the codes that show most."""
    alone_by_random: Json = field(default_factory=dict)
    """The expected share of persons alone in their class by codes drawn at random."""
    largest_rho: Json = field(default_factory=dict)
    """By the number of codes that somebody knows: the largest probability of another code, inside classes."""
    with_three_days: int = 0
    """Persons with three different days or more."""
    alone_by_gaps: int = 0
    """Those of them who are alone by the gaps between their first three days."""

    def _rows(self) -> list[list[object]]:
        columns = [self.largest_k, self.largest_k_in_classes, self.alone_by_best, self.alone_by_random]
        return [[m, *(column.get(m) for column in columns)] for m in self.largest_k]

    def __repr__(self) -> str:
        return f"<velamen.LinkedMeasures: {counted(self.persons, 'person')}, {counted(self.pairs, 'pair')} of person and code>"

    def _repr_html_(self) -> str:
        names = ["codes known", "largest k", "in classes", "alone by the best codes", "alone by random codes"]
        return html_table(f"{counted(self.persons, 'person')} in {counted(self.classes, 'class', 'classes')}", names, self._rows())


@dataclass(frozen=True)
class Found(Result):
    """Shares of the persons who are looked for."""

    alone: float
    """One candidate, and it is the person."""
    chance: float
    """The mean probability that a candidate drawn at random is the person."""
    misled: float
    """One candidate, and it is another person."""
    nobody: float
    """No candidate."""


@dataclass(frozen=True)
class Targets(Result):
    """What becomes of persons who are looked for."""

    targets: int
    codes: Found
    """By codes drawn at random."""
    codes_and_day: Found
    """By codes drawn at random and the day of one of them."""
    worst_codes: Found | None = None
    """By the codes that leave the fewest candidates."""
    worst_codes_and_day: Found | None = None
    """By the codes and the day that leave the fewest candidates."""


@dataclass(frozen=True, repr=False)
class LinkedAttacks(Attacks):
    """What an adversary who knows codes, and the day of one of them, gets from a release of linked tables. No interval is given."""

    m: int = 0
    """How many codes the adversary knows, at most."""
    persons: int = 0
    """Released persons."""
    original_persons: int = 0
    released: Targets | None = None
    """Persons who are released."""
    left_out: Targets | None = None
    """Persons who were left out: whoever is found is another."""
    traces: Json = field(default_factory=dict)
    """Rows that stand where codes were removed."""

    def to_arrow(self) -> Records:
        """One record for each adversary and group of persons."""
        return to_records(self._rows(), ["persons", "knows", "targets", *_FOUND])

    def _rows(self) -> Iterator[Mapping[str, object]]:
        for name, targets in (("released", self.released), ("left out", self.left_out)):
            for knows in ("codes", "codes_and_day", "worst_codes", "worst_codes_and_day"):
                found: Found | None = getattr(targets, knows, None)
                if targets is not None and found is not None:
                    yield {"persons": name, "knows": knows.replace("_", " "), "targets": targets.targets, **found.raw}


@dataclass(frozen=True)
class LinkedRisk(Risk):
    """Who is alone in linked tables. ``records`` counts persons, ``uniques`` those alone by their person columns."""

    persons: int = 0
    alone_by_columns: int = 0
    """Persons alone by their person columns."""
    by_codes: dict[str, Alone] = field(default_factory=dict)
    """By the number of codes that somebody knows and nothing else."""
    by_columns_and_codes: dict[str, Alone] = field(default_factory=dict)
    """By the number of codes that somebody knows beside the person columns."""
    with_three_days: int = 0
    """Persons with three different days or more."""
    alone_by_gaps: int = 0
    """Those of them who are alone by the gaps between their first three days."""
    by_gaps_and_codes: dict[str, Alone] = field(default_factory=dict)
    """By the number of codes that somebody knows beside these gaps."""

    def __repr__(self) -> str:
        return f"<velamen.LinkedRisk: {counted(self.persons, 'person')} in {counted(self.classes, 'class', 'classes')}>"

    def to_arrow(self) -> Records:
        """One record for each number of codes and what is known beside."""
        parts = [("nothing", self.by_codes), ("person columns", self.by_columns_and_codes), ("gaps", self.by_gaps_and_codes)]
        rows = [{"codes": int(m), "beside": beside, **one.raw} for beside, shares in parts for m, one in shares.items()]
        return to_records(rows, ["codes", "beside", "best", "random"])

    def _repr_html_(self) -> str:
        rows = [
            [m, *(getattr(part[m], name) for part in (self.by_codes, self.by_columns_and_codes, self.by_gaps_and_codes) for name in ("best", "random"))]
            for m in self.by_codes
        ]
        names = ["codes known", "by codes", "random ones", "and columns", "random ones", "and gaps", "random ones"]
        return html_table(f"{counted(self.persons, 'person')}; {self.alone_by_columns:,} alone by person columns", names, rows)


@dataclass(frozen=True)
class Kept(Result):
    """What a number of known codes leaves."""

    m: int
    """How many codes somebody may know."""
    in_classes: bool
    """Whether they are known together with the person columns."""
    by: str
    """``thin``, the method on the folder's codes, or ``table``, figures of made-up patients."""
    share: float | None = None
    """The share of the pairs of person and code that is kept."""


@dataclass(frozen=True)
class LinkedEstimate(Result, Framed):
    """How much of linked tables a run would keep. It is what ``estimate`` gives of their recipes."""

    persons: int
    codes: int
    pairs: int
    largest_set: int
    k: int
    classes: int
    """The classes of the person columns that a run would release."""
    left_out: int
    """The persons that it would leave out."""
    kept: tuple[Kept, ...]

    def __repr__(self) -> str:
        return f"<velamen.LinkedEstimate: {QUIET}>"

    def to_arrow(self) -> Records:
        """One record for each number of known codes, without person columns and with them."""
        return to_records((one.raw for one in self.kept), ["m", "in-classes", "share", "by"])


class Tables(Mapping[str, Records]):
    """The tables of a release by name. Each is read when it is asked for."""

    __slots__ = ("_core",)

    def __init__(self, core: LinkedRelease) -> None:
        self._core = core

    def __getitem__(self, name: str) -> Records:
        return self._core.table(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._core.names)

    def __len__(self) -> int:
        return len(self._core.names)

    def __repr__(self) -> str:
        return f"<velamen.Tables: {shown(self._core.names)}>"
