"""What is said of linked tables: manifest, figures, attacks, the profile of a folder."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ._decode import to_records
from ._releases import Attacks
from ._result import QUIET, Json, Result
from ._show import counted, html_table, shown
from ._tables import Measures
from ._velamen import LinkedRelease, Records

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
    """What an adversary who knows codes, and the day of one of them, gets from a release of linked tables."""

    confidence: float = math.nan
    """No interval is given."""
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
