"""Methods, with completion: what a recipe's dictionary says in words.

This file is not edited: ``python tests/forms.py`` writes it from the JSON Schema of recipes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from ._forms import Form

__all__ = [
    "Aim",
    "BestFirst",
    "CeClustering",
    "CeMiClustering",
    "ContingencyTable",
    "Datafly",
    "Diffgen",
    "Dsat",
    "EntropyLClustering",
    "Exhaustive",
    "ExhaustiveRows",
    "Genetic",
    "Greedy",
    "HCeiling",
    "Iab",
    "Ipa",
    "IpaPublished",
    "IteratedLocalSearch",
    "KMember",
    "Mdav",
    "Mondrian",
    "Mst",
    "Optimal",
    "Relocation",
    "SafePub",
    "Suppression",
    "TClosenessClustering",
    "TopDown",
]


@dataclass(frozen=True, kw_only=True)
class Optimal(Form):
    """The full-domain generalization of least loss, proven optimal.

    - ``metric``: What is minimized; ``loss`` if left out.
    - ``aggregate``: How the metric puts attributes together; left out: its own way.
    - ``gs_factor``: The metric's generalization/suppression factor: 0 makes suppression count no more than
      generalization, 1 makes generalization free.
    - ``monotone``: Whether precision and entropy leave out what suppression adds.
    - ``normalised``: Whether entropy is divided by that of the original attribute.
    - ``suppression_limit``: The share of records that may be suppressed or relocated, 0 to 1.
    - ``suppress``: How much of a suppressed record is: the whole ``record`` with its sensitive and insensitive values,
      or its ``quasi-identifiers`` alone, as ARX does: then the suppressed records are a class like any other, and all
      models must hold of it. Left out: ``record``.
    - ``assume_monotone``: Whether models are taken to be monotone where they are not: faster, but the node found need
      not be optimal.
    - ``local_recoding``: Whether the search is repeated on the suppressed records, so that classes get levels of their
      own.
    - ``cell_suppression``: As ``local-recoding``, with the original values and ``*`` alone.
    - ``seed``: A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"name": "optimal"}
    metric: Literal["loss", "lm", "precision", "height", "discernibility", "discernibility-star", "average-class-size", "non-uniform-entropy", "ambiguity", "kl-divergence", "ncp", "rce", "conditional-entropy", "rows-retained"] | None = None
    aggregate: Literal["geometric-mean", "arithmetic-mean", "sum", "max", "rank"] | None = None
    gs_factor: float | None = None
    monotone: bool | None = None
    normalised: bool | None = None
    suppression_limit: float | None = None
    suppress: Literal["quasi-identifiers", "record"] | None = None
    assume_monotone: bool | None = None
    local_recoding: bool | None = None
    cell_suppression: bool | None = None
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class HCeiling(Form):
    """Bounded generalization with counterfeit records and a catalog.

    - ``h``: The most that any record may be generalized, 0 to 1; left out: found by RCE.
    - ``parts``: What the classes are.
    - ``padding``: How far small classes are padded.
    - ``draw``: Where the sensitive values of counterfeits come from; left out: ``near``, and ``empirical`` with exact
      padding.
    - ``rce``: How the reconstruction error is read.
    - ``rce_over``: Over which records it is summed.
    - ``rce_suppressed_values``: Whether the sensitive value of a suppressed record counts in it, as lost.
    - ``objective``: What is minimized; left out: ``loss``, and ``rce`` with exact padding, as published.
    - ``group_classes``: The least number of classes that can hold counterfeits in a group of the catalog; left out:
      100, and 2 with exact padding, as published.
    - ``counterfeit_limit``: The most counterfeits, as a share of the released records; left out: 0.05, and 1 with exact
      padding.
    - ``suppression_limit``: The most suppressed records, as a share of the originals; left out: 0.01, and 0 with exact
      padding.
    - ``counterfeits_count``: Whether counterfeits stand in for people in what models ask of values, as the papers read
      it; left out: only real records do.
    - ``suppress``: How much of a suppressed record is: the whole ``record``, or its ``quasi-identifiers`` alone. Left
      out: ``record``.
    - ``least_real``: The real records that a class must have to be padded; classes of fewer are suppressed. Left out:
      2, with other ``parts`` only where k real records in each class do not keep the ceiling and the limits; 1 with
      exact padding.
    - ``adversary_limit``: How well an adversary may tell counterfeits from real records, as an area under the ROC
      curve: ½ is chance. Left out: 0.6, and 1 with exact padding. 1: nobody judges.
    - ``insensitive``: What becomes of insensitive columns.
    - ``seed``: A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"name": "h-ceiling"}
    h: float | None = None
    parts: Literal["full-domain", "mondrian", "clustering"] | None = None
    padding: Literal["random", "exact"] | None = None
    draw: Literal["near", "empirical", "uniform"] | None = None
    rce: Literal["marginal", "joint"] | None = None
    rce_over: Literal["original", "released"] | None = None
    rce_suppressed_values: bool | None = None
    objective: Literal["rce", "loss", "counterfeits"] | None = None
    group_classes: int | None = None
    counterfeit_limit: float | None = None
    suppression_limit: float | None = None
    counterfeits_count: bool | None = None
    suppress: Literal["quasi-identifiers", "record"] | None = None
    least_real: int | None = None
    adversary_limit: float | None = None
    insensitive: Literal["drop", "release"] | None = None
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class Suppression(Form):
    """As ``optimal``; outlier records are suppressed up to the limit.

    - ``metric``: What is minimized; ``loss`` if left out.
    - ``aggregate``: How the metric puts attributes together; left out: its own way.
    - ``gs_factor``: The metric's generalization/suppression factor: 0 makes suppression count no more than
      generalization, 1 makes generalization free.
    - ``monotone``: Whether precision and entropy leave out what suppression adds.
    - ``normalised``: Whether entropy is divided by that of the original attribute.
    - ``suppression_limit``: The share of records that may be suppressed or relocated, 0 to 1.
    - ``suppress``: How much of a suppressed record is: the whole ``record`` with its sensitive and insensitive values,
      or its ``quasi-identifiers`` alone, as ARX does: then the suppressed records are a class like any other, and all
      models must hold of it. Left out: ``record``.
    - ``assume_monotone``: Whether models are taken to be monotone where they are not: faster, but the node found need
      not be optimal.
    - ``local_recoding``: Whether the search is repeated on the suppressed records, so that classes get levels of their
      own.
    - ``cell_suppression``: As ``local-recoding``, with the original values and ``*`` alone.
    - ``seed``: A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"name": "suppression"}
    metric: Literal["loss", "lm", "precision", "height", "discernibility", "discernibility-star", "average-class-size", "non-uniform-entropy", "ambiguity", "kl-divergence", "ncp", "rce", "conditional-entropy", "rows-retained"] | None = None
    aggregate: Literal["geometric-mean", "arithmetic-mean", "sum", "max", "rank"] | None = None
    gs_factor: float | None = None
    monotone: bool | None = None
    normalised: bool | None = None
    suppression_limit: float | None = None
    suppress: Literal["quasi-identifiers", "record"] | None = None
    assume_monotone: bool | None = None
    local_recoding: bool | None = None
    cell_suppression: bool | None = None
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class Relocation(Form):
    """As ``optimal``, but outlier records take the values of another class: untruthful, a baseline.

    - ``metric``: What is minimized; ``loss`` if left out.
    - ``aggregate``: How the metric puts attributes together; left out: its own way.
    - ``gs_factor``: The metric's generalization/suppression factor: 0 makes suppression count no more than
      generalization, 1 makes generalization free.
    - ``monotone``: Whether precision and entropy leave out what suppression adds.
    - ``normalised``: Whether entropy is divided by that of the original attribute.
    - ``suppression_limit``: The share of records that may be suppressed or relocated, 0 to 1.
    - ``suppress``: How much of a suppressed record is: the whole ``record`` with its sensitive and insensitive values,
      or its ``quasi-identifiers`` alone, as ARX does: then the suppressed records are a class like any other, and all
      models must hold of it. Left out: ``record``.
    - ``assume_monotone``: Whether models are taken to be monotone where they are not: faster, but the node found need
      not be optimal.
    - ``local_recoding``: Whether the search is repeated on the suppressed records, so that classes get levels of their
      own.
    - ``cell_suppression``: As ``local-recoding``, with the original values and ``*`` alone.
    - ``seed``: A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"name": "relocation"}
    metric: Literal["loss", "lm", "precision", "height", "discernibility", "discernibility-star", "average-class-size", "non-uniform-entropy", "ambiguity", "kl-divergence", "ncp", "rce", "conditional-entropy", "rows-retained"] | None = None
    aggregate: Literal["geometric-mean", "arithmetic-mean", "sum", "max", "rank"] | None = None
    gs_factor: float | None = None
    monotone: bool | None = None
    normalised: bool | None = None
    suppression_limit: float | None = None
    suppress: Literal["quasi-identifiers", "record"] | None = None
    assume_monotone: bool | None = None
    local_recoding: bool | None = None
    cell_suppression: bool | None = None
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class Exhaustive(Form):
    """Every node of the lattice, without bounds; the custodian gets all figures.

    - ``metric``: What is minimized; ``loss`` if left out.
    - ``aggregate``: How the metric puts attributes together; left out: its own way.
    - ``gs_factor``: The metric's generalization/suppression factor: 0 makes suppression count no more than
      generalization, 1 makes generalization free.
    - ``monotone``: Whether precision and entropy leave out what suppression adds.
    - ``normalised``: Whether entropy is divided by that of the original attribute.
    - ``suppression_limit``: The share of records that may be suppressed or relocated, 0 to 1.
    - ``suppress``: How much of a suppressed record is: the whole ``record`` with its sensitive and insensitive values,
      or its ``quasi-identifiers`` alone, as ARX does: then the suppressed records are a class like any other, and all
      models must hold of it. Left out: ``record``.
    - ``assume_monotone``: Whether models are taken to be monotone where they are not: faster, but the node found need
      not be optimal.
    - ``local_recoding``: Whether the search is repeated on the suppressed records, so that classes get levels of their
      own.
    - ``cell_suppression``: As ``local-recoding``, with the original values and ``*`` alone.
    - ``seed``: A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"name": "exhaustive"}
    metric: Literal["loss", "lm", "precision", "height", "discernibility", "discernibility-star", "average-class-size", "non-uniform-entropy", "ambiguity", "kl-divergence", "ncp", "rce", "conditional-entropy", "rows-retained"] | None = None
    aggregate: Literal["geometric-mean", "arithmetic-mean", "sum", "max", "rank"] | None = None
    gs_factor: float | None = None
    monotone: bool | None = None
    normalised: bool | None = None
    suppression_limit: float | None = None
    suppress: Literal["quasi-identifiers", "record"] | None = None
    assume_monotone: bool | None = None
    local_recoding: bool | None = None
    cell_suppression: bool | None = None
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class Datafly(Form):
    """Sweeney's greedy walk up.

    - ``metric``: What is minimized; ``loss`` if left out.
    - ``aggregate``: How the metric puts attributes together; left out: its own way.
    - ``gs_factor``: The metric's generalization/suppression factor: 0 makes suppression count no more than
      generalization, 1 makes generalization free.
    - ``monotone``: Whether precision and entropy leave out what suppression adds.
    - ``normalised``: Whether entropy is divided by that of the original attribute.
    - ``suppression_limit``: The share of records that may be suppressed or relocated, 0 to 1.
    - ``suppress``: How much of a suppressed record is: the whole ``record`` with its sensitive and insensitive values,
      or its ``quasi-identifiers`` alone, as ARX does: then the suppressed records are a class like any other, and all
      models must hold of it. Left out: ``record``.
    - ``assume_monotone``: Whether models are taken to be monotone where they are not: faster, but the node found need
      not be optimal.
    - ``local_recoding``: Whether the search is repeated on the suppressed records, so that classes get levels of their
      own.
    - ``cell_suppression``: As ``local-recoding``, with the original values and ``*`` alone.
    - ``seed``: A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"name": "datafly"}
    metric: Literal["loss", "lm", "precision", "height", "discernibility", "discernibility-star", "average-class-size", "non-uniform-entropy", "ambiguity", "kl-divergence", "ncp", "rce", "conditional-entropy", "rows-retained"] | None = None
    aggregate: Literal["geometric-mean", "arithmetic-mean", "sum", "max", "rank"] | None = None
    gs_factor: float | None = None
    monotone: bool | None = None
    normalised: bool | None = None
    suppression_limit: float | None = None
    suppress: Literal["quasi-identifiers", "record"] | None = None
    assume_monotone: bool | None = None
    local_recoding: bool | None = None
    cell_suppression: bool | None = None
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class TopDown(Form):
    """A greedy walk down from the top.

    - ``metric``: What is minimized; ``loss`` if left out.
    - ``aggregate``: How the metric puts attributes together; left out: its own way.
    - ``gs_factor``: The metric's generalization/suppression factor: 0 makes suppression count no more than
      generalization, 1 makes generalization free.
    - ``monotone``: Whether precision and entropy leave out what suppression adds.
    - ``normalised``: Whether entropy is divided by that of the original attribute.
    - ``suppression_limit``: The share of records that may be suppressed or relocated, 0 to 1.
    - ``suppress``: How much of a suppressed record is: the whole ``record`` with its sensitive and insensitive values,
      or its ``quasi-identifiers`` alone, as ARX does: then the suppressed records are a class like any other, and all
      models must hold of it. Left out: ``record``.
    - ``assume_monotone``: Whether models are taken to be monotone where they are not: faster, but the node found need
      not be optimal.
    - ``local_recoding``: Whether the search is repeated on the suppressed records, so that classes get levels of their
      own.
    - ``cell_suppression``: As ``local-recoding``, with the original values and ``*`` alone.
    - ``seed``: A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"name": "top-down"}
    metric: Literal["loss", "lm", "precision", "height", "discernibility", "discernibility-star", "average-class-size", "non-uniform-entropy", "ambiguity", "kl-divergence", "ncp", "rce", "conditional-entropy", "rows-retained"] | None = None
    aggregate: Literal["geometric-mean", "arithmetic-mean", "sum", "max", "rank"] | None = None
    gs_factor: float | None = None
    monotone: bool | None = None
    normalised: bool | None = None
    suppression_limit: float | None = None
    suppress: Literal["quasi-identifiers", "record"] | None = None
    assume_monotone: bool | None = None
    local_recoding: bool | None = None
    cell_suppression: bool | None = None
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class BestFirst(Form):
    """Bounds in best-first order, with a budget: for lattices too large to finish.

    - ``metric``: What is minimized; ``loss`` if left out.
    - ``aggregate``: How the metric puts attributes together; left out: its own way.
    - ``gs_factor``: The metric's generalization/suppression factor: 0 makes suppression count no more than
      generalization, 1 makes generalization free.
    - ``monotone``: Whether precision and entropy leave out what suppression adds.
    - ``normalised``: Whether entropy is divided by that of the original attribute.
    - ``suppression_limit``: The share of records that may be suppressed or relocated, 0 to 1.
    - ``suppress``: How much of a suppressed record is: the whole ``record`` with its sensitive and insensitive values,
      or its ``quasi-identifiers`` alone, as ARX does: then the suppressed records are a class like any other, and all
      models must hold of it. Left out: ``record``.
    - ``assume_monotone``: Whether models are taken to be monotone where they are not: faster, but the node found need
      not be optimal.
    - ``local_recoding``: Whether the search is repeated on the suppressed records, so that classes get levels of their
      own.
    - ``cell_suppression``: As ``local-recoding``, with the original values and ``*`` alone.
    - ``budget_steps``: The most nodes that are grouped.
    - ``budget_seconds``: The most seconds that the search takes; what is found then depends on the machine.
    - ``seed``: A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"name": "best-first"}
    metric: Literal["loss", "lm", "precision", "height", "discernibility", "discernibility-star", "average-class-size", "non-uniform-entropy", "ambiguity", "kl-divergence", "ncp", "rce", "conditional-entropy", "rows-retained"] | None = None
    aggregate: Literal["geometric-mean", "arithmetic-mean", "sum", "max", "rank"] | None = None
    gs_factor: float | None = None
    monotone: bool | None = None
    normalised: bool | None = None
    suppression_limit: float | None = None
    suppress: Literal["quasi-identifiers", "record"] | None = None
    assume_monotone: bool | None = None
    local_recoding: bool | None = None
    cell_suppression: bool | None = None
    budget_steps: int | None = None
    budget_seconds: float | None = None
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class Genetic(Form):
    """Nodes crossed and mutated.

    - ``metric``: What is minimized; ``loss`` if left out.
    - ``aggregate``: How the metric puts attributes together; left out: its own way.
    - ``gs_factor``: The metric's generalization/suppression factor: 0 makes suppression count no more than
      generalization, 1 makes generalization free.
    - ``monotone``: Whether precision and entropy leave out what suppression adds.
    - ``normalised``: Whether entropy is divided by that of the original attribute.
    - ``suppression_limit``: The share of records that may be suppressed or relocated, 0 to 1.
    - ``suppress``: How much of a suppressed record is: the whole ``record`` with its sensitive and insensitive values,
      or its ``quasi-identifiers`` alone, as ARX does: then the suppressed records are a class like any other, and all
      models must hold of it. Left out: ``record``.
    - ``assume_monotone``: Whether models are taken to be monotone where they are not: faster, but the node found need
      not be optimal.
    - ``local_recoding``: Whether the search is repeated on the suppressed records, so that classes get levels of their
      own.
    - ``cell_suppression``: As ``local-recoding``, with the original values and ``*`` alone.
    - ``budget_steps``: The most nodes that are grouped.
    - ``budget_seconds``: The most seconds that the search takes; what is found then depends on the machine.
    - ``seed``: A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"name": "genetic"}
    metric: Literal["loss", "lm", "precision", "height", "discernibility", "discernibility-star", "average-class-size", "non-uniform-entropy", "ambiguity", "kl-divergence", "ncp", "rce", "conditional-entropy", "rows-retained"] | None = None
    aggregate: Literal["geometric-mean", "arithmetic-mean", "sum", "max", "rank"] | None = None
    gs_factor: float | None = None
    monotone: bool | None = None
    normalised: bool | None = None
    suppression_limit: float | None = None
    suppress: Literal["quasi-identifiers", "record"] | None = None
    assume_monotone: bool | None = None
    local_recoding: bool | None = None
    cell_suppression: bool | None = None
    budget_steps: int | None = None
    budget_seconds: float | None = None
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class IteratedLocalSearch(Form):
    """Local search from many nodes, then bounds: for lattices too large to finish.

    - ``metric``: What is minimized; ``loss`` if left out.
    - ``aggregate``: How the metric puts attributes together; left out: its own way.
    - ``gs_factor``: The metric's generalization/suppression factor: 0 makes suppression count no more than
      generalization, 1 makes generalization free.
    - ``monotone``: Whether precision and entropy leave out what suppression adds.
    - ``normalised``: Whether entropy is divided by that of the original attribute.
    - ``suppression_limit``: The share of records that may be suppressed or relocated, 0 to 1.
    - ``suppress``: How much of a suppressed record is: the whole ``record`` with its sensitive and insensitive values,
      or its ``quasi-identifiers`` alone, as ARX does: then the suppressed records are a class like any other, and all
      models must hold of it. Left out: ``record``.
    - ``assume_monotone``: Whether models are taken to be monotone where they are not: faster, but the node found need
      not be optimal.
    - ``local_recoding``: Whether the search is repeated on the suppressed records, so that classes get levels of their
      own.
    - ``cell_suppression``: As ``local-recoding``, with the original values and ``*`` alone.
    - ``budget_steps``: The most nodes that are grouped.
    - ``budget_seconds``: The most seconds that the search takes; what is found then depends on the machine.
    - ``seed``: A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"name": "iterated-local-search"}
    metric: Literal["loss", "lm", "precision", "height", "discernibility", "discernibility-star", "average-class-size", "non-uniform-entropy", "ambiguity", "kl-divergence", "ncp", "rce", "conditional-entropy", "rows-retained"] | None = None
    aggregate: Literal["geometric-mean", "arithmetic-mean", "sum", "max", "rank"] | None = None
    gs_factor: float | None = None
    monotone: bool | None = None
    normalised: bool | None = None
    suppression_limit: float | None = None
    suppress: Literal["quasi-identifiers", "record"] | None = None
    assume_monotone: bool | None = None
    local_recoding: bool | None = None
    cell_suppression: bool | None = None
    budget_steps: int | None = None
    budget_seconds: float | None = None
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class Mondrian(Form):
    """Multidimensional partitioning: the space is cut as long as the models hold on every side.

    - ``partitioning``: Whether records of equal values stay together.
    - ``recoding``: What a class releases of an ordered attribute.
    - ``cuts``: Which cut is made.
    - ``seed``: A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"name": "mondrian"}
    partitioning: Literal["strict", "relaxed"] | None = None
    recoding: Literal["ranges", "nodes"] | None = None
    cuts: Literal["widest", "loss"] | None = None
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class Mdav(Form):
    """Microaggregation: clusters of similar records released by their means. Untruthful.

    - ``average``: What a cluster's numbers become.
    - ``seed``: A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"name": "mdav"}
    average: Literal["mean", "median", "mode"] | None = None
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class Iab(Form):
    """Arca & Hewett: generalizes shields so that as many distinct rows as can be are left.

    - ``recoding``: Whether an attribute has one level, or a subtree of its hierarchy can be generalized alone.
    - ``budget_steps``: The most tables that are made.
    - ``pad_to``: Groups of fewer records than this, by all quasi-identifiers, are filled up with counterfeits after the
      search; left out: none are made.
    - ``counterfeit_limit``: The most counterfeits, as a share of the released records; left out: 0.05.
    - ``least_real``: The real records that a group must have to be filled up; left out: 1.
    - ``adversary_limit``: How well an adversary may tell counterfeits from real records, as an area under the ROC
      curve: ½ is chance. Left out: 0.6. 1: nobody judges.
    - ``seed``: A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"name": "iab"}
    recoding: Literal["full-domain", "subtree"] | None = None
    budget_steps: int | None = None
    pad_to: int | None = None
    counterfeit_limit: float | None = None
    least_real: int | None = None
    adversary_limit: float | None = None
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class Greedy(Form):
    """The baseline of ``iab`` that takes the table of fewest violations.

    - ``recoding``: Whether an attribute has one level, or a subtree of its hierarchy can be generalized alone.
    - ``budget_steps``: The most tables that are made.
    - ``seed``: A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"name": "greedy"}
    recoding: Literal["full-domain", "subtree"] | None = None
    budget_steps: int | None = None
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class ExhaustiveRows(Form):
    """The baseline of ``iab`` that makes every table.

    - ``recoding``: Whether an attribute has one level, or a subtree of its hierarchy can be generalized alone.
    - ``budget_steps``: The most tables that are made.
    - ``seed``: A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"name": "exhaustive-rows"}
    recoding: Literal["full-domain", "subtree"] | None = None
    budget_steps: int | None = None
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class SafePub(Form):
    """A random sample, generalized to a privately chosen node: differentially private.

    - ``search``: How the levels are found.
    - ``search_share``: The share of epsilon that the search may spend, above 0 and below 1; 0.1 if left out.
    - ``search_steps``: In how many draws, where the lattice is too large for one; 50 if left out.
    - ``seed``: A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"name": "safe-pub"}
    search: Literal["exponential", "data-independent"] | None = None
    search_share: float | None = None
    search_steps: int | None = None
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class CeMiClustering(Form):
    """Blocks of little conditional entropy and mutual information.

    - ``lambda_``: What a bit of mutual information counts beside one of conditional entropy; 1 if left out, as
      published.
    - ``seeds``: Which record a block begins with; left out: ``random``.
    - ``order``: From where the nearness of a record is measured; left out: ``block``, as published.
    - ``seed``: A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"name": "ce-mi-clustering"}
    lambda_: float | None = None
    seeds: Literal["random", "farthest"] | None = None
    order: Literal["block", "distance"] | None = None
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class CeClustering(Form):
    """Blocks of little conditional entropy.

    - ``seeds``: Which record a block begins with; left out: ``farthest`` for k-member, else ``random``.
    - ``seed``: A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"name": "ce-clustering"}
    seeds: Literal["random", "farthest"] | None = None
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class EntropyLClustering(Form):
    """Blocks near entropy l-diversity, then of little conditional entropy.

    - ``seeds``: Which record a block begins with; left out: ``random``.
    - ``ties``: How it is chosen among records that are equal in the model; left out: ``information``.
    - ``aim``: The bound that blocks aim at without promising it, t or l of the model that the method is named after.
      Left out: that of the model in the recipe, which must then hold.
    - ``seed``: A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"name": "entropy-l-clustering"}
    seeds: Literal["random", "farthest"] | None = None
    ties: Literal["information", "random"] | None = None
    aim: float | None = None
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class TClosenessClustering(Form):
    """Blocks near t-closeness, then of little conditional entropy.

    - ``seeds``: Which record a block begins with; left out: ``random``.
    - ``ties``: How it is chosen among records that are equal in the model; left out: ``information``.
    - ``aim``: The bound that blocks aim at without promising it, t or l of the model that the method is named after.
      Left out: that of the model in the recipe, which must then hold.
    - ``seed``: A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"name": "t-closeness-clustering"}
    seeds: Literal["random", "farthest"] | None = None
    ties: Literal["information", "random"] | None = None
    aim: float | None = None
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class KMember(Form):
    """Blocks whose values are generalized to low levels.

    - ``seeds``: Which record a block begins with; left out: ``farthest`` for k-member, else ``random``.
    - ``seed``: A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"name": "k-member"}
    seeds: Literal["random", "farthest"] | None = None
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class Ipa(Form):
    """Informative attribute preserving anonymization: generalized quasi-identifiers, raw sensitive values, noisy counts
    of both together.

    - ``drop_insensitive``: Whether insensitive columns are dropped; else they are refused.
    - ``informative``: How several sensitive attributes are counted.
    - ``attribute_shares``: The share of the budget of counts that each sensitive attribute gets, by name, where each is
      counted by itself; equal shares if left out. They add up to 1.
    - ``candidates_share``: The share of epsilon for the choice of the levels, above 0 and below 1; 0.1 if left out.
      Nothing is spent where only one node is allowed.
    - ``insertion_share``: The share of epsilon for the counts; left out: what the others leave.
    - ``suppression_share``: The share of epsilon for the counts of suppressed records, above 0 and below 1; 0.1 if left
      out.
    - ``least_class``: Records that share levels and sensitive value with fewer others count as lost when nodes are
      scored; left out: the least count of the node.
    - ``least_count``: The least noisy count that is released; left out: it follows from ``false-cells`` or from delta.
    - ``false_cells``: How many combinations without a record may be released on average; 1 if left out.
    - ``seed``: A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"name": "ipa", "guarantee": "differential-privacy"}
    drop_insensitive: bool | None = None
    informative: Literal["joint", "each"] | None = None
    attribute_shares: Mapping[str, Any] | None = None
    candidates_share: float | None = None
    insertion_share: float | None = None
    suppression_share: float | None = None
    least_class: int | None = None
    least_count: int | None = None
    false_cells: float | None = None
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class IpaPublished(Form):
    """IPA exactly as published, whose guarantee does not hold: for comparison.

    - ``informative``: How the values of several sensitive attributes are drawn for counterfeits.
    - ``attribute_shares``: The share of ``epsilon-value`` that each sensitive attribute gets, by name, where each is
      drawn by itself; equal shares if left out. They add up to 1.
    - ``threshold``: Classes of up to about so many records are suppressed; 2 if left out.
    - ``epsilon_suppression``: The ε of the noisy threshold; 0.1 if left out.
    - ``epsilon_insertion``: The ε of the number of counterfeits; 0.3 if left out.
    - ``epsilon_value``: The ε of their values; 0.3 if left out.
    - ``epsilon_candidates``: The ε of the choice of levels; 0.3 if left out.
    - ``seed``: A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"name": "ipa", "guarantee": "published"}
    informative: Literal["joint", "each"] | None = None
    attribute_shares: Mapping[str, Any] | None = None
    threshold: int | None = None
    epsilon_suppression: float | None = None
    epsilon_insertion: float | None = None
    epsilon_value: float | None = None
    epsilon_candidates: float | None = None
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class ContingencyTable(Form):
    """A noisy count of every combination of values, expanded into records: a baseline.

    - ``drop_insensitive``: Whether insensitive columns are dropped; else they are refused.
    - ``least_count``: The least noisy count that is released; 1 if left out.
    - ``seed``: A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"name": "contingency-table"}
    drop_insensitive: bool | None = None
    least_count: int | None = None
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class Diffgen(Form):
    """Top-down specialization by private choices, and noisy counts of what results: a baseline for classification.

    - ``drop_insensitive``: Whether insensitive columns are dropped; else they are refused.
    - ``specializations``: How many times a value is made more specific; 10 if left out.
    - ``choices_share``: The share of epsilon for these choices, above 0 and below 1; 0.5 if left out.
    - ``utility``: What a specialization is worth; ``max`` if left out.
    - ``least_count``: The least noisy count that is released; left out: the least with which noise alone releases one
      combination on average.
    - ``seed``: A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"name": "diffgen"}
    drop_insensitive: bool | None = None
    specializations: int | None = None
    choices_share: float | None = None
    utility: Literal["max", "information-gain"] | None = None
    least_count: int | None = None
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class Dsat(Form):
    """An adaptive histogram: a noisy histogram for each time, drawn anew only where the records differ enough from the
    last one.

    - ``drop_insensitive``: Whether insensitive columns are dropped; else they are refused.
    - ``time``: The quasi-identifier whose values, in the order of its hierarchy, are the times.
    - ``most_histograms``: The most histograms that are drawn; 5 if left out.
    - ``distances_share``: The share of epsilon for the comparisons between times, above 0 and below 1; 0.2 if left out.
    - ``threshold``: By how many records a time must differ at first to get a histogram of its own; left out: by as many
      as noise alone makes.
    - ``adaptation``: By which share of the first threshold it moves where the pace is wrong by as much as is wanted;
      0.1 if left out, 0: never.
    - ``least_count``: The least noisy count that is released; 1 if left out.
    - ``seed``: A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"name": "dsat"}
    drop_insensitive: bool | None = None
    time: str | None = None
    most_histograms: int | None = None
    distances_share: float | None = None
    threshold: float | None = None
    adaptation: float | None = None
    least_count: int | None = None
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class Mst(Form):
    """Invented records that follow noisy counts of attributes and of a tree of pairs: differentially private.

    - ``model_cells``: The most cells of a pair's table; 1,048,576 if left out.
    - ``seed``: A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"name": "mst"}
    model_cells: int | None = None
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class Aim(Form):
    """Invented records that follow noisy counts of pairs chosen one after the other: differentially private.

    - ``model_cells``: The most cells of the whole model; 131,072 if left out.
    - ``max_cells``: The most cells of a pair that is measured; 10,000 if left out.
    - ``seed``: A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    """

    NAMED: ClassVar[Mapping[str, str]] = {"name": "aim"}
    model_cells: int | None = None
    max_cells: int | None = None
    seed: int | str | None = None
