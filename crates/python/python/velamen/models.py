"""Attributes and privacy models, with completion: what a recipe's dictionary says in words.

This file is not edited: ``python tests/forms.py`` writes it from the JSON Schema of recipes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from ._checks import Hierarchy
from ._forms import Form

__all__ = [
    "AlphaKAnonymity",
    "Attribute",
    "AverageRisk",
    "BasicBetaLikeness",
    "CatalogRisk",
    "DeltaDisclosure",
    "DeltaPresence",
    "DifferentialPrivacy",
    "DistinctLDiversity",
    "EnhancedBetaLikeness",
    "EntropyLDiversity",
    "InformationLeak",
    "KAnonymity",
    "KMap",
    "MsBounding",
    "PSensitiveKAnonymity",
    "PopulationUniqueness",
    "RecordsAtRisk",
    "RecursiveClDiversity",
    "SampleUniqueness",
    "TCloseness",
]


@dataclass(frozen=True, kw_only=True)
class Attribute(Form):
    """``[attributes.NAME]``.

    - ``role``: The part that the attribute plays.
    - ``hierarchy``: How its values are generalized; left out: a value or ``*``.
    - ``domain``: All values that a sensitive attribute can have, whether they occur or not: a list, or a file with one
      value a line. Where records are invented, a quasi-identifier may have it, too.
    - ``missing``: Where records are invented: that a missing value is one of its values.
    - ``weight``: How much its figure counts in the metric; weights are divided by the largest.
    - ``level``: The one level it may be released at.
    - ``min_level``: The least level it may be released at.
    - ``max_level``: The highest level it may be released at.
    - ``top``: Numbers from here up are released as ``>=top``.
    - ``bottom``: Numbers up to here are released as ``<=bottom``.
    - ``step``: What the ends of released ranges are multiples of: a number, or "day", "month", "quarter", "year", "10
      years".
    - ``pseudonym``: Identifiers: what is released in place of the value; left out: the attribute is dropped.
    - ``date_shift``: Dates: all dates of a person are moved by the same random number of days.
    - ``identifier_like``: That it is meant to be released although it looks like a direct identifier.
    - ``rows``: Numbers that repeat: that each record is of another person all the same.
    - ``records_per_person``: With the role ``person``: of each person at most so many records are kept, drawn at
      random.
    - ``description``: What it is, for recipients: one line of the codebook.
    - ``unit``: The unit of its values, for recipients: "years".
    """

    role: Literal["identifier", "quasi-identifier", "sensitive", "insensitive", "person"]
    hierarchy: Hierarchy | str | Mapping[str, Any] | None = None
    domain: Sequence[str] | str | Mapping[str, Any] | None = None
    missing: bool | None = None
    weight: float | None = None
    level: int | None = None
    min_level: int | None = None
    max_level: int | None = None
    top: float | None = None
    bottom: float | None = None
    step: float | str | None = None
    pseudonym: Literal["hmac-sha256"] | None = None
    date_shift: Mapping[str, Any] | None = None
    identifier_like: Literal["intended"] | None = None
    rows: Literal["independent"] | None = None
    records_per_person: int | None = None
    description: str | None = None
    unit: str | None = None


@dataclass(frozen=True, kw_only=True)
class KAnonymity(Form):
    """Every class has at least k records.

    - ``k``: The least number of records that share all released quasi-identifier values, at least 2.
    - ``attributes``: iab, greedy and exhaustive-rows: the quasi-identifiers that records must share; left out: all.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"model": "k-anonymity"}
    k: int
    attributes: Sequence[str] | None = None


@dataclass(frozen=True, kw_only=True)
class AlphaKAnonymity(Form):
    """Every class has at least k records and no sensitive value a share above alpha.

    - ``alpha``: The largest share of one sensitive value in a class, above 0 and at most 1.
    - ``k``: The least class size, at least 2.
    - ``attribute``: The sensitive attribute; may be left out where there is only one.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"model": "alpha-k-anonymity"}
    alpha: float
    k: int
    attribute: str | None = None


@dataclass(frozen=True, kw_only=True)
class PSensitiveKAnonymity(Form):
    """Every class has at least k records and p distinct sensitive values.

    - ``p``: The least number of distinct sensitive values in a class, at least 1.
    - ``k``: The least class size, at least 2.
    - ``attribute``: The sensitive attribute; may be left out where there is only one.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"model": "p-sensitive-k-anonymity"}
    p: int
    k: int
    attribute: str | None = None


@dataclass(frozen=True, kw_only=True)
class DistinctLDiversity(Form):
    """Every class has at least l distinct sensitive values.

    - ``l``: The least number of distinct sensitive values in a class, at least 2.
    - ``attribute``: The sensitive attribute; may be left out where there is only one.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"model": "distinct-l-diversity"}
    l: int
    attribute: str | None = None


@dataclass(frozen=True, kw_only=True)
class EntropyLDiversity(Form):
    """The entropy of the sensitive values in every class is at least ln l.

    - ``l``: The least effective number of sensitive values in a class, above 1.
    - ``attribute``: The sensitive attribute; may be left out where there is only one.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"model": "entropy-l-diversity"}
    l: float
    attribute: str | None = None


@dataclass(frozen=True, kw_only=True)
class RecursiveClDiversity(Form):
    """In every class the commonest sensitive value is rarer than c times the l-th and rarer ones.

    - ``c``: How much more frequent the commonest value may be than the rarer ones together, above 0.
    - ``l``: From which value in descending order the rarer ones begin, at least 2.
    - ``attribute``: The sensitive attribute; may be left out where there is only one.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"model": "recursive-cl-diversity"}
    c: float
    l: int
    attribute: str | None = None


@dataclass(frozen=True, kw_only=True)
class TCloseness(Form):
    """The sensitive values of every class are distributed as in the table, up to a distance t.

    - ``t``: The largest distance between a class's distribution and the table's, above 0 and at most 1.
    - ``distance``: How far values lie apart.
    - ``order``: In which order the values stand, for ``ordered``.
    - ``attribute``: The sensitive attribute; may be left out where there is only one.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"model": "t-closeness"}
    t: float
    distance: Literal["equal", "ordered", "hierarchical"] | None = None
    order: Literal["type", "hierarchy"] | None = None
    attribute: str | None = None


@dataclass(frozen=True, kw_only=True)
class DeltaDisclosure(Form):
    """No share in a class differs from the table's by a factor of 2^delta or more.

    - ``delta``: The bound on the change of any share, in bits, above 0.
    - ``attribute``: The sensitive attribute; may be left out where there is only one.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"model": "delta-disclosure"}
    delta: float
    attribute: str | None = None


@dataclass(frozen=True, kw_only=True)
class BasicBetaLikeness(Form):
    """No share in a class exceeds the table's by more than a factor of 1 + beta.

    - ``beta``: The largest relative gain of any share, above 0.
    - ``attribute``: The sensitive attribute; may be left out where there is only one.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"model": "basic-beta-likeness"}
    beta: float
    attribute: str | None = None


@dataclass(frozen=True, kw_only=True)
class EnhancedBetaLikeness(Form):
    """As basic beta-likeness, with a bound of -ln p for common values.

    - ``beta``: The largest relative gain of any share, above 0.
    - ``attribute``: The sensitive attribute; may be left out where there is only one.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"model": "enhanced-beta-likeness"}
    beta: float
    attribute: str | None = None


@dataclass(frozen=True, kw_only=True)
class MsBounding(Form):
    """Every class has at least k records and each sensitive value a share of at most its own theta.

    - ``k``: The least class size, at least 2.
    - ``theta``: The largest share of each sensitive value named, above 0 and at most 1; others are not bounded.
    - ``attribute``: The sensitive attribute; may be left out where there is only one.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"model": "ms-bounding"}
    k: int
    theta: Mapping[str, Any]
    attribute: str | None = None


@dataclass(frozen=True, kw_only=True)
class KMap(Form):
    """The values of every class are those of at least k records of the population.

    - ``k``: The least number of records of the population that share a class's values, at least 2.
    - ``estimate``: How the population's classes are estimated from its size.
    - ``significance``: How often the estimate may be wrong, above 0 and below 1.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"model": "k-map"}
    k: int
    estimate: Literal["poisson", "zero-truncated-poisson"] | None = None
    significance: float | None = None


@dataclass(frozen=True, kw_only=True)
class DeltaPresence(Form):
    """Whether a person of the population is in the table is known with a probability of min to max only.

    - ``max``: The largest one, at most 1.
    - ``min``: The least probability that a person of the population is in the table, from 0.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"model": "delta-presence"}
    max: float
    min: float | None = None


@dataclass(frozen=True, kw_only=True)
class AverageRisk(Form):
    """The mean class size is at least 1/risk.

    - ``risk``: The largest mean risk of re-identification, above 0 and at most 1.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"model": "average-risk"}
    risk: float


@dataclass(frozen=True, kw_only=True)
class RecordsAtRisk(Form):
    """At most a share of the records is in classes of fewer than 1/risk records.

    - ``share``: The largest share of records at risk, from 0 and below 1.
    - ``risk``: A record is at risk if its risk of re-identification is above this, above 0 and at most 1.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"model": "records-at-risk"}
    share: float
    risk: float


@dataclass(frozen=True, kw_only=True)
class SampleUniqueness(Form):
    """At most a share of the records is alone in its class.

    - ``share``: The largest share of unique records, from 0 and below 1.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"model": "sample-uniqueness"}
    share: float


@dataclass(frozen=True, kw_only=True)
class InformationLeak(Form):
    """The quasi-identifiers together leak at most a share of the bits that find a record.

    - ``share``: The largest share of the bits, ΔS/S₀: from 0 and below 1.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"model": "information-leak"}
    share: float


@dataclass(frozen=True, kw_only=True)
class CatalogRisk(Form):
    """Release and catalog together leave a risk of re-identification of at most ``risk``, if counterfeits lie
    uniformly.

    - ``risk``: The largest risk of re-identification that release and catalog may leave, above 0 and at most 1.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"model": "catalog-risk"}
    risk: float


@dataclass(frozen=True, kw_only=True)
class PopulationUniqueness(Form):
    """The estimated share of the population's records that are unique is at most a bound.

    - ``share``: The largest share of the population's records that are unique, from 0 and below 1.
    - ``estimator``: How the share is estimated.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"model": "population-uniqueness"}
    share: float
    estimator: Literal["pitman", "zayatz", "snb", "dankar"] | None = None


@dataclass(frozen=True, kw_only=True)
class DifferentialPrivacy(Form):
    """One record changes the probability of any release by a factor of at most e^epsilon, but for delta.

    - ``epsilon``: The logarithm of the ratio by which one record may change a probability, above 0.
    - ``delta``: The probability that may fall outside that ratio, from 0 and below 1; 0 if left out.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"model": "differential-privacy"}
    epsilon: float
    delta: float | None = None
