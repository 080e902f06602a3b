"""The operations as functions, each written from its definition; ``print(velamen.risk.__doc__)`` shows one.

This file is not edited: ``INSTA_UPDATE=always cargo nextest run -p velamen-testsuite fronts`` writes it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ._answer import answer, pair
from ._call import Path, Progress, inner, names, records_of, seed_text
from ._result import Quiet
from ._types import FolderOrRelease, LinkedTables, Table, TableOrRelease
from .recipe import Recipe, core_of
from .results import (
    Attacks,
    Audit,
    Comparison,
    Diff,
    Estimate,
    Front,
    Leaks,
    Measures,
    Profile,
    Risk,
    Verification,
)

__all__ = [
    "advise",
    "attack",
    "audit",
    "compare",
    "diff",
    "estimate",
    "evidence",
    "explore",
    "leak",
    "measure",
    "profile",
    "risk",
    "verify",
]


@dataclass(frozen=True, repr=False)
class Advice(Quiet):
    """What each single change would keep or cost, the one that helps most first."""

    now: Any
    """The recipe as it is."""
    changes: tuple[Any, ...]
    """The changes that were measured."""
    impossible: tuple[Any, ...]
    """The changes that make no release, or none that the stated analyses can be made of."""
    not_tried: tuple[Any, ...]
    """The changes that there was no time for."""


@dataclass(frozen=True, repr=False)
class Evidence(Quiet):
    """A form, filled from checks of a release."""

    form: Any
    """The form."""
    title: str
    """Its title."""
    edition: str
    """By which edition of which text it was made."""
    not_seen: str
    """What of that text was not seen."""
    release: str
    """The release's folder."""
    velamen: str
    """The version that filled it."""
    custodian: bool
    """Whether figures of the original records are in it: it is then the custodian's, and not to be published."""
    counts: Any
    """How many items are filled, whose to write, or do not apply."""
    sections: tuple[Any, ...]
    """Its parts."""
    document: Any | None = None
    """What a machine reads of it: an entry of a registry, a card, or a statement."""


def profile(
    table: TableOrRelease,
    *,
    as_: str | None = None,
    sample: float | int | str | None = None,
    seed: int | str = 1,
    by: str = "distinction",
    threshold: float | None = None,
    top: int | None = 20,
    recipe: Path | None = None,
    overwrite: bool = False,
    show_values: bool = False,
    private: bool = False,
    declare: str | Sequence[str] = (),
    missing: str | Sequence[str] = (),
    drop: str | Sequence[str] = (),
    person: str | None = None,
    records_per_person: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    method: str | None = None,
    format: str | None = None,
    delimiter: str | None = None,
    null: str | Sequence[str] = (),
    sheet: str | None = None,
    skip_lines: int = 0,
    encoding: str | None = None,
    no_header: bool = False,
    header: bool = False,
    decimal_comma: bool = False,
    threads: int | None = None,
    progress: Progress = False,
) -> Profile:
    """Report what a table holds and what may identify people, and write a first recipe.

    It reports types and missing values, flags likely direct identifiers, and lists the column sets that single people
    out.

    - ``table``: The table, in any format that can be read.
    - ``as_``: The table is a folder of linked tables, of this shape: omop, fhir or synthea.
    - ``sample``: Profile a random sample: a share such as 0.1, or a number of records.
    - ``seed``: The seed of the sample.
    - ``by``: How well attributes tell records apart: distinct combinations over records, or the share of pairs.
    - ``threshold``: What a set of attributes must reach, above 0 and at most 1; 0.5, or 0.999 by separation, if left
      out.
    - ``top``: Show only the first M sets.
    - ``recipe``: Write a first recipe.
    - ``overwrite``: Replace a recipe of that name.
    - ``show_values``: Also show each column's least, greatest and most frequent value.
    - ``private``: A recipe for invented records with differential privacy, from the names of the columns and the
      answers alone: no record is read.
    - ``declare``: With ``private``, domains of columns: NAME=A|B|C, numbers NAME=MIN..MAX or NAME=MIN..MAX/STEP,
      NAME=@FILE with a value a line.
    - ``missing``: With ``private``, columns whose cells may be missing.
    - ``drop``: With ``private``, columns to drop.
    - ``person``: With ``private``, the column that numbers the people.
    - ``records_per_person``: With ``private``, the most records of a person that are counted.
    - ``epsilon``: With ``private``, the privacy budget's epsilon, above 0.
    - ``delta``: With ``private``, the privacy budget's delta, above 0 and far below 1 over the number of people.
    - ``method``: With ``private``, the method that invents the records; aim if left out.
    - ``format``: The file's format; detected if left out.
    - ``delimiter``: The delimiter of delimited text; detected from the header if left out.
    - ``null``: Cells that mean a missing value, in addition to empty cells.
    - ``sheet``: The sheet of a workbook, by name or number from 1; needed if there are several.
    - ``skip_lines``: How many lines of text, or rows of a sheet, stand above the line that names the columns.
    - ``encoding``: How text is encoded, such as windows-1252; UTF-8 when left out.
    - ``no_header``: The first line is a record; the columns are called 1, 2, ….
    - ``header``: The first line names the columns, even if it looks like a record.
    - ``decimal_comma``: Numbers have a comma before their decimals: 70,5.
    - ``threads``: At most so many cores; the result is the same with any number.
    - ``progress``: ``True`` shows progress; a function gets (step, done, total), and an exception of it stops the run.

    >>> import velamen as vm
    >>> vm.profile(vm.rows([{"sex": "F", "age": 30}, {"sex": "M", "age": 41}])).columns[0].name
    'sex'
    """
    request = {
        "table": records_of(table),
        "as": as_,
        "sample": seed_text(sample),
        "seed": seed_text(seed),
        "by": by,
        "threshold": threshold,
        "top": top,
        "recipe": recipe,
        "overwrite": overwrite,
        "show-values": show_values,
        "private": private,
        "declare": names(declare),
        "missing": names(missing),
        "drop": names(drop),
        "person": person,
        "records-per-person": records_per_person,
        "epsilon": epsilon,
        "delta": delta,
        "method": method,
        "format": format,
        "delimiter": delimiter,
        "null": names(null),
        "sheet": sheet,
        "skip-lines": skip_lines,
        "encoding": encoding,
        "no-header": no_header,
        "header": header,
        "decimal-comma": decimal_comma,
    }
    return answer(Profile, "profile", request, threads, progress)


def estimate(
    table: Table | LinkedTables | None,
    recipe: Recipe,
    *,
    output: Path | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> Estimate:
    """Estimate what a recipe's run needs: memory, disk and time.

    Of linked tables it estimates how much is kept, for one to three known codes.

    - ``table``: The table to release, instead of the recipe's.
    - ``recipe``: The recipe.
    - ``output``: The release folder, instead of the recipe's.
    - ``threads``: At most so many cores; the result is the same with any number.
    - ``progress``: ``True`` shows progress; a function gets (step, done, total), and an exception of it stops the run.
    """
    request = {
        "input": records_of(table),
        "recipe": core_of(recipe),
        "output": output,
    }
    return answer(Estimate, "estimate", request, threads, progress)


def explore(
    table: Table | None,
    recipe: Recipe,
    *,
    top: int | None = None,
    seconds: float | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> Front:
    """List the possible releases of a recipe that no other one beats.

    Nothing is released. The exact figures are for the custodian only.

    - ``table``: The table, instead of the recipe's.
    - ``recipe``: The recipe.
    - ``top``: Show at most this many, the best figure first.
    - ``seconds``: Search for at most this many seconds.
    - ``threads``: At most so many cores; the result is the same with any number.
    - ``progress``: ``True`` shows progress; a function gets (step, done, total), and an exception of it stops the run.
    """
    request = {
        "input": records_of(table),
        "recipe": core_of(recipe),
        "top": top,
        "seconds": seconds,
    }
    return answer(Front, "explore", request, threads, progress)


def advise(
    table: Table | None,
    recipe: Recipe,
    *,
    analysis: str | Sequence[str] = (),
    within: float = 20.0,
    threads: int | None = None,
    progress: Progress = False,
) -> Advice:
    """Measure what single changes of a recipe would keep or cost.

    Nothing is released. The exact figures are for the custodian only.

    - ``table``: The table, instead of the recipe's.
    - ``recipe``: The recipe.
    - ``analysis``: Also measure how far the confidence intervals of these analyses overlap, with ranges read as
      ``fitted`` unless a file says otherwise: a file, or a formula.
    - ``within``: Try changes for at most this many seconds.
    - ``threads``: At most so many cores; the result is the same with any number.
    - ``progress``: ``True`` shows progress; a function gets (step, done, total), and an exception of it stops the run.
    """
    request = {
        "input": records_of(table),
        "recipe": core_of(recipe),
        "analysis": names(analysis),
        "within": within,
    }
    return answer(Advice, "advise", request, threads, progress)


def verify(
    release: FolderOrRelease,
    *,
    population: Path | None = None,
    custodian: Path | None = None,
    key: Path | None = None,
    attestation: Path | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> Verification:
    """Check every promise of a release again, from its files.

    - ``release``: The release folder.
    - ``population``: A table of the population, for k-map and delta-presence.
    - ``custodian``: The custodian's folder, whose list of counterfeits shows what holds of the real records.
    - ``key``: Who signed it: a public key, or its file.
    - ``attestation``: A statement about it, as ``evidence`` writes it; its signature lies beside it.
    - ``threads``: At most so many cores; the result is the same with any number.
    - ``progress``: ``True`` shows progress; a function gets (step, done, total), and an exception of it stops the run.
    """
    request = {
        "release": inner(release),
        "population": population,
        "custodian": custodian,
        "key": key,
        "attestation": attestation,
    }
    return answer(Verification, "verify", request, threads, progress)


def measure(
    table: TableOrRelease,
    *,
    qi: str | Sequence[str] = (),
    sensitive: str | Sequence[str] = (),
    person: str | None = None,
    l: int | None = None,  # noqa: E741, the literature's name
    original: Path | None = None,
    records: str | Sequence[str] = (),
    by: str | None = None,
    recipe: Recipe | None = None,
    format: str | None = None,
    delimiter: str | None = None,
    null: str | Sequence[str] = (),
    sheet: str | None = None,
    skip_lines: int = 0,
    encoding: str | None = None,
    no_header: bool = False,
    header: bool = False,
    decimal_comma: bool = False,
    threads: int | None = None,
    progress: Progress = False,
) -> Measures:
    """Report which privacy parameters a table satisfies.

    These are k, l, t, β and δ. A release names its attributes itself and adds utility figures.

    - ``table``: The table, in any format that can be read, or a release folder.
    - ``qi``: The quasi-identifiers; required for a table without ``recipe``.
    - ``sensitive``: The sensitive attributes.
    - ``person``: The column of a table that says whose its records are, where a person can have several: all figures
      count people.
    - ``l``: The l of recursive (c, l)-diversity; the table's own distinct l if left out.
    - ``original``: The table that this one was made of: reports conditional entropy and mutual information.
    - ``records``: Records to generalize together, named by the column of ``by``: reports their distance.
    - ``by``: The column that names the records, for ``original`` and ``records``.
    - ``recipe``: The table's recipe, which says how it is read and names the attributes and the person that are left
      out here.
    - ``format``: The file's format; detected if left out.
    - ``delimiter``: The delimiter of delimited text; detected from the header if left out.
    - ``null``: Cells that mean a missing value, in addition to empty cells.
    - ``sheet``: The sheet of a workbook, by name or number from 1; needed if there are several.
    - ``skip_lines``: How many lines of text, or rows of a sheet, stand above the line that names the columns.
    - ``encoding``: How text is encoded, such as windows-1252; UTF-8 when left out.
    - ``no_header``: The first line is a record; the columns are called 1, 2, ….
    - ``header``: The first line names the columns, even if it looks like a record.
    - ``decimal_comma``: Numbers have a comma before their decimals: 70,5.
    - ``threads``: At most so many cores; the result is the same with any number.
    - ``progress``: ``True`` shows progress; a function gets (step, done, total), and an exception of it stops the run.

    >>> import velamen as vm
    >>> vm.measure(vm.rows([{"age": 30}, {"age": 30}, {"age": 41}]), qi=["age"]).k
    1
    """
    request = {
        "table": inner(table),
        "qi": names(qi),
        "sensitive": names(sensitive),
        "person": person,
        "l": l,
        "original": original,
        "records": names(records),
        "by": by,
        "recipe": None if recipe is None else core_of(recipe),
        "format": format,
        "delimiter": delimiter,
        "null": names(null),
        "sheet": sheet,
        "skip-lines": skip_lines,
        "encoding": encoding,
        "no-header": no_header,
        "header": header,
        "decimal-comma": decimal_comma,
    }
    return answer(Measures, "measure", request, threads, progress)


def risk(
    table: TableOrRelease,
    *,
    qi: str | Sequence[str] = (),
    person: str | None = None,
    population: Table | None = None,
    population_size: int | None = None,
    before: TableOrRelease | None = None,
    threshold: float | None = None,
    special_uniques: int = 3,
    rows: int = 0,
    show_values: bool = False,
    recipe: Recipe | None = None,
    format: str | None = None,
    delimiter: str | None = None,
    null: str | Sequence[str] = (),
    sheet: str | None = None,
    skip_lines: int = 0,
    encoding: str | None = None,
    no_header: bool = False,
    header: bool = False,
    decimal_comma: bool = False,
    threads: int | None = None,
    progress: Progress = False,
) -> Risk:
    """Estimate the re-identification risk of each record of a table or release.

    - ``table``: The table, in any format that can be read, or a release folder.
    - ``qi``: The quasi-identifiers; required for a table without ``recipe``.
    - ``person``: The column of a table that says whose its records are, where a person can have several: people are
      counted.
    - ``population``: The population's table, which contains every record of the table.
    - ``population_size``: How many records the population has, of which the table is a random sample; people with
      ``person``.
    - ``before``: A table, such as a release's original, to show before it.
    - ``threshold``: A threshold, in addition to the usual ones.
    - ``special_uniques``: The most attributes to combine when looking for special uniques; 0 looks for none.
    - ``rows``: Also list the row numbers of the N riskiest records of a table.
    - ``show_values``: Show the quasi-identifier values of the riskiest records.
    - ``recipe``: The table's recipe, which says how it is read and names the attributes and the person that are left
      out here.
    - ``format``: The file's format; detected if left out.
    - ``delimiter``: The delimiter of delimited text; detected from the header if left out.
    - ``null``: Cells that mean a missing value, in addition to empty cells.
    - ``sheet``: The sheet of a workbook, by name or number from 1; needed if there are several.
    - ``skip_lines``: How many lines of text, or rows of a sheet, stand above the line that names the columns.
    - ``encoding``: How text is encoded, such as windows-1252; UTF-8 when left out.
    - ``no_header``: The first line is a record; the columns are called 1, 2, ….
    - ``header``: The first line names the columns, even if it looks like a record.
    - ``decimal_comma``: Numbers have a comma before their decimals: 70,5.
    - ``threads``: At most so many cores; the result is the same with any number.
    - ``progress``: ``True`` shows progress; a function gets (step, done, total), and an exception of it stops the run.
    """
    request = {
        "table": inner(table),
        "qi": names(qi),
        "person": person,
        "population": records_of(population),
        "population-size": population_size,
        "before": inner(before),
        "threshold": threshold,
        "special-uniques": special_uniques,
        "rows": rows,
        "show-values": show_values,
        "recipe": None if recipe is None else core_of(recipe),
        "format": format,
        "delimiter": delimiter,
        "null": names(null),
        "sheet": sheet,
        "skip-lines": skip_lines,
        "encoding": encoding,
        "no-header": no_header,
        "header": header,
        "decimal-comma": decimal_comma,
    }
    return answer(Risk, "risk", request, threads, progress)


def compare(
    original: Table,
    release: FolderOrRelease,
    *,
    only: str | Sequence[str] = (),
    analysis: str | Sequence[str] = (),
    by: str | Sequence[str] = (),
    ranges: str = "draws",
    html: Path | None = None,
    queries: int = 300,
    workload: Path | None = None,
    show_queries: bool = False,
    target: str | None = None,
    classifier_records: int = 5000,
    folds: int = 3,
    seed: int | str = 1,
    format: str | None = None,
    delimiter: str | None = None,
    null: str | Sequence[str] = (),
    sheet: str | None = None,
    skip_lines: int = 0,
    encoding: str | None = None,
    no_header: bool = False,
    header: bool = False,
    decimal_comma: bool = False,
    threads: int | None = None,
    progress: Progress = False,
) -> Comparison:
    """Measure what a release keeps of its original: metrics, distributions, associations, queries, classifiers.

    The figures are for the custodian.

    - ``original``: The table that the release was made of, in any format that can be read.
    - ``release``: The release folder.
    - ``only``: The sections: metrics, distributions, associations, matches, queries, classifiers, analysis; if left
      out, the analyses where any is stated, and otherwise all but the last two.
    - ``analysis``: Estimate on both tables and compare: a file of analyses, or a formula such as ``stay ~ age + sex``.
    - ``by``: Compare means and shares of all other attributes in the groups of these.
    - ``ranges``: How released ranges are read where no file of analyses says it: by random draws, as fitted to the
      release, by their middle, or by both bounds.
    - ``html``: Write the analyses to this file as a page with forest plots, for the custodian.
    - ``queries``: How many random range queries to ask.
    - ``workload``: A file with further queries, one a line.
    - ``show_queries``: Also list every query; their conditions hold values of the original.
    - ``target``: Train classifiers that predict this attribute; with ``only`` classifiers`` the first sensitive one
      with few values when left out.
    - ``classifier_records``: The most records of each table to train classifiers on.
    - ``folds``: The number of folds for cross-validation.
    - ``seed``: The seed of random queries and folds: a whole number or 64 hexadecimal digits.
    - ``format``: The file's format; detected if left out.
    - ``delimiter``: The delimiter of delimited text; detected from the header if left out.
    - ``null``: Cells that mean a missing value, in addition to empty cells.
    - ``sheet``: The sheet of a workbook, by name or number from 1; needed if there are several.
    - ``skip_lines``: How many lines of text, or rows of a sheet, stand above the line that names the columns.
    - ``encoding``: How text is encoded, such as windows-1252; UTF-8 when left out.
    - ``no_header``: The first line is a record; the columns are called 1, 2, ….
    - ``header``: The first line names the columns, even if it looks like a record.
    - ``decimal_comma``: Numbers have a comma before their decimals: 70,5.
    - ``threads``: At most so many cores; the result is the same with any number.
    - ``progress``: ``True`` shows progress; a function gets (step, done, total), and an exception of it stops the run.
    """
    request = {
        "original": records_of(original),
        "release": inner(release),
        "only": names(only),
        "analysis": names(analysis),
        "by": names(by),
        "ranges": ranges,
        "html": html,
        "queries": queries,
        "workload": workload,
        "show-queries": show_queries,
        "target": target,
        "classifier-records": classifier_records,
        "folds": folds,
        "seed": seed_text(seed),
        "format": format,
        "delimiter": delimiter,
        "null": names(null),
        "sheet": sheet,
        "skip-lines": skip_lines,
        "encoding": encoding,
        "no-header": no_header,
        "header": header,
        "decimal-comma": decimal_comma,
    }
    return answer(Comparison, "compare", request, threads, progress)


def attack(
    release: FolderOrRelease,
    original: Table | LinkedTables,
    *,
    attacks: str | Sequence[str] = (),
    targets: int = 1000,
    confidence: float = 0.95,
    background: int = 2,
    second: tuple[FolderOrRelease, Table] | None = None,
    control: Table | None = None,
    recipe: Recipe | None = None,
    trials: int = 500,
    from_data: int = 5,
    simulate: int = 0,
    seed: int | str = 1,
    show_values: bool = False,
    format: str | None = None,
    delimiter: str | None = None,
    null: str | Sequence[str] = (),
    sheet: str | None = None,
    skip_lines: int = 0,
    encoding: str | None = None,
    no_header: bool = False,
    header: bool = False,
    decimal_comma: bool = False,
    threads: int | None = None,
    progress: Progress = False,
) -> Attacks:
    """Measure what an adversary gets from a release, against its original.

    It is for the custodian: it looks for people of the original in the release.

    - ``release``: The release folder.
    - ``original``: The table that the release was made of, in any format that can be read.
    - ``attacks``: Only these attacks.
    - ``targets``: How many people to look for, drawn at random.
    - ``confidence``: The probability that an interval contains the true rate.
    - ``background``: The most values, or other people, that the adversary of ``background`` knows.
    - ``second``: A second release of some of the same people, and the table that it was made of.
    - ``control``: Records of people of the same population who are not in the release, for ``control``.
    - ``recipe``: The release's recipe, for ``membership`` and ``simulation``.
    - ``trials``: How often ``membership`` runs the method on each table.
    - ``from_data``: How many records of the recipe's input ``membership`` takes away, one at a time.
    - ``simulate``: On how many runs of the recipe ``simulation`` learns to look for counterfeits, each on a table
      drawn again from its input.
    - ``seed``: The seed of all draws, a whole number or 64 hexadecimal digits.
    - ``show_values``: Also print the values of the person about whom the most is learned.
    - ``format``: The file's format; detected if left out.
    - ``delimiter``: The delimiter of delimited text; detected from the header if left out.
    - ``null``: Cells that mean a missing value, in addition to empty cells.
    - ``sheet``: The sheet of a workbook, by name or number from 1; needed if there are several.
    - ``skip_lines``: How many lines of text, or rows of a sheet, stand above the line that names the columns.
    - ``encoding``: How text is encoded, such as windows-1252; UTF-8 when left out.
    - ``no_header``: The first line is a record; the columns are called 1, 2, ….
    - ``header``: The first line names the columns, even if it looks like a record.
    - ``decimal_comma``: Numbers have a comma before their decimals: 70,5.
    - ``threads``: At most so many cores; the result is the same with any number.
    - ``progress``: ``True`` shows progress; a function gets (step, done, total), and an exception of it stops the run.
    """
    request = {
        "release": inner(release),
        "original": records_of(original),
        "attacks": names(attacks),
        "targets": targets,
        "confidence": confidence,
        "background": background,
        "second": pair(second),
        "control": records_of(control),
        "recipe": None if recipe is None else core_of(recipe),
        "trials": trials,
        "from-data": from_data,
        "simulate": simulate,
        "seed": seed_text(seed),
        "show-values": show_values,
        "format": format,
        "delimiter": delimiter,
        "null": names(null),
        "sheet": sheet,
        "skip-lines": skip_lines,
        "encoding": encoding,
        "no-header": no_header,
        "header": header,
        "decimal-comma": decimal_comma,
    }
    return answer(Attacks, "attack", request, threads, progress)


def leak(
    table: TableOrRelease,
    *,
    attributes: str | Sequence[str] = (),
    up_to: int = 1,
    top: int | None = None,
    limit: float | None = None,
    prior: str | None = None,
    after: TableOrRelease | None = None,
    format: str | None = None,
    delimiter: str | None = None,
    null: str | Sequence[str] = (),
    sheet: str | None = None,
    skip_lines: int = 0,
    encoding: str | None = None,
    no_header: bool = False,
    header: bool = False,
    decimal_comma: bool = False,
    threads: int | None = None,
    progress: Progress = False,
) -> Leaks:
    """Estimate how much the values of attributes help to find a person in a table.

    - ``table``: The table, in any format that can be read.
    - ``attributes``: The attributes; all columns, with ``after`` those of both tables, when left out.
    - ``up_to``: Also sets of attributes, up to this size.
    - ``top``: Only the sets that leak most, largest first.
    - ``limit``: The largest share that a set may leak, 0 to 1: of those listed, with ``after`` in the other table;
      exit code 9 if one leaks more.
    - ``prior``: A column of weights: how much likelier each record is the one looked for. Left out: all are alike.
    - ``after``: A release folder, or another table, to show beside it.
    - ``format``: The file's format; detected if left out.
    - ``delimiter``: The delimiter of delimited text; detected from the header if left out.
    - ``null``: Cells that mean a missing value, in addition to empty cells.
    - ``sheet``: The sheet of a workbook, by name or number from 1; needed if there are several.
    - ``skip_lines``: How many lines of text, or rows of a sheet, stand above the line that names the columns.
    - ``encoding``: How text is encoded, such as windows-1252; UTF-8 when left out.
    - ``no_header``: The first line is a record; the columns are called 1, 2, ….
    - ``header``: The first line names the columns, even if it looks like a record.
    - ``decimal_comma``: Numbers have a comma before their decimals: 70,5.
    - ``threads``: At most so many cores; the result is the same with any number.
    - ``progress``: ``True`` shows progress; a function gets (step, done, total), and an exception of it stops the run.
    """
    request = {
        "table": records_of(table),
        "attributes": names(attributes),
        "up-to": up_to,
        "top": top,
        "limit": limit,
        "prior": prior,
        "after": inner(after),
        "format": format,
        "delimiter": delimiter,
        "null": names(null),
        "sheet": sheet,
        "skip-lines": skip_lines,
        "encoding": encoding,
        "no-header": no_header,
        "header": header,
        "decimal-comma": decimal_comma,
    }
    return answer(Leaks, "leak", request, threads, progress)


def audit(
    recipe: Recipe,
    *,
    table: Table | None = None,
    trials: int = 2000,
    confidence: float = 0.95,
    from_data: int = 0,
    ordinary: bool = False,
    inside: bool = False,
    keep: Path | None = None,
    seed: int | str | None = None,
    show_values: bool = False,
    threads: int | None = None,
    progress: Progress = False,
) -> Audit:
    """Try to refute the differential privacy that a recipe's method claims.

    Not refuted is no proof.

    - ``recipe``: The recipe; its input is read for ``from_data`` only.
    - ``table``: The table to take records from, instead of the recipe's.
    - ``trials``: How often to run the recipe on each table.
    - ``confidence``: The probability that the stated bound is not above the true epsilon.
    - ``from_data``: Also take this many records of the input, one at a time, out of small tables of others.
    - ``ordinary``: Leave out tables that few users have: equal records, none, and records that should not be there.
    - ``inside``: Replay: give the answers that a run on one table drew to a run on its neighbour, instead of many
      runs. All that both leave must be the same then.
    - ``keep``: Write the two tables that the result leads with, and a recipe for them, into this folder.
    - ``seed``: The seed of all runs, a whole number or 64 hexadecimal digits; a fresh one when left out.
    - ``show_values``: Also print the record that only one of the tables has.
    - ``threads``: At most so many cores; the result is the same with any number.
    - ``progress``: ``True`` shows progress; a function gets (step, done, total), and an exception of it stops the run.
    """
    request = {
        "recipe": core_of(recipe),
        "input": records_of(table),
        "trials": trials,
        "confidence": confidence,
        "from-data": from_data,
        "ordinary": ordinary,
        "inside": inside,
        "keep": keep,
        "seed": seed_text(seed),
        "show-values": show_values,
    }
    return answer(Audit, "audit", request, threads, progress)


def diff(
    before: FolderOrRelease,
    after: FolderOrRelease,
    *,
    threads: int | None = None,
    progress: Progress = False,
) -> Diff:
    """Show what changed from one release to another.

    Compares recipe, levels, figures, risk, promises and records, from what the two releases show.

    - ``before``: The first release's folder.
    - ``after``: The second release's folder.
    - ``threads``: At most so many cores; the result is the same with any number.
    - ``progress``: ``True`` shows progress; a function gets (step, done, total), and an exception of it stops the run.
    """
    request = {
        "before": inner(before),
        "after": inner(after),
    }
    return answer(Diff, "diff", request, threads, progress)


def evidence(
    release: FolderOrRelease,
    form: str,
    *,
    custodian: Path | None = None,
    answers: Path | None = None,
    output: Path | None = None,
    key: Path | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> Evidence:
    """Fill a form of a board or a regulator from checks of a release.

    An item is filled from a check, with the command that shows the figure again, or it is yours to write, or it does
    not apply. Nothing is invented.

    - ``release``: The release folder; it is verified first.
    - ``form``: The form.
    - ``custodian``: The custodian's folder, for items about the original records; the form is then the custodian's.
    - ``answers``: A file for what no check can fill; it is kept over runs, and what changed since is marked.
    - ``output``: Where to write the form; the name ends with .html, .md, .json or .jsonld.
    - ``key``: The secret key that signs the form ``attestation``; the signature is written beside it.
    - ``threads``: At most so many cores; the result is the same with any number.
    - ``progress``: ``True`` shows progress; a function gets (step, done, total), and an exception of it stops the run.
    """
    request = {
        "release": inner(release),
        "for": form,
        "custodian": custodian,
        "answers": answers,
        "output": output,
        "key": key,
    }
    return answer(Evidence, "evidence", request, threads, progress)
