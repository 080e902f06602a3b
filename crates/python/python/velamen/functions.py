"""The commands as functions."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path as _Place
from typing import Any, TypeAlias, overload

from . import _velamen
from ._call import ArrowTable, Path, Progress, asked, common, inner, names, reading, records_of, seed_text
from ._decode import build, to_records
from ._show import counted
from .exceptions import UsageError, VelamenError, VelamenWarning
from .recipe import Recipe, core_of, profiling, unread
from .release import Release
from .results import (
    Attacks,
    Audit,
    Check,
    Comparison,
    Diff,
    Estimate,
    Explanation,
    Finding,
    Front,
    Leaks,
    Measures,
    Profile,
    Risk,
    Sample,
    Verification,
)

Table: TypeAlias = Path | ArrowTable
"""A file, or a table of polars, pandas, pyarrow, DuckDB or any other that exports Arrow's C stream."""

TableOrRelease: TypeAlias = Table | Release
"""A table, a release, or a release's folder."""

FolderOrRelease: TypeAlias = Path | Release
"""A release or its folder."""


def profile(
    table: Table,
    *,
    sample: float | int | None = None,
    seed: int | str = 1,
    by: str = "distinction",
    threshold: float | None = None,
    top: int | None = 20,
    show_values: bool = False,
    null: str | Sequence[str] = (),
    format: str | None = None,
    delimiter: str | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> Profile:
    """Column types and missing values, likely direct identifiers, and the column sets that single people out.

    ``sample`` looks at a share of the records (``0.1``) or a number of them. ``by`` is ``"distinction"`` or
    ``"separation"``. With ``show_values`` the result holds some values, which only ``print`` shows.

    >>> profile(rows([{"sex": "F", "age": 30}, {"sex": "M", "age": 41}])).columns[0].name
    'sex'
    """
    read = reading(null, format, delimiter)
    options = profiling(sample, seed, read, by=by, threshold=threshold, top=top, show_values=show_values)
    return build(Profile, json.loads(asked(_velamen.profile, records_of(table), options, common(threads, progress))))


def anonymize(
    table: Table | None,
    recipe: Recipe,
    output: Path | None = None,
    *,
    seed: int | str | None = None,
    overwrite: bool = False,
    after: Path | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> Release:
    """The release that a recipe describes, certified: in the folder ``output``, or in memory where that is left out.

    ``table`` takes the place of the recipe's input; ``None`` reads the recipe's own. A column that the recipe does not
    name is refused, an index of pandas too. ``after`` is the custodian's folder of an earlier release whose
    counterfeits are kept. ``seed`` takes the place of the recipe's and is as secret as the data; ``overwrite`` replaces a
    release of that name; ``threads`` limits the cores; ``progress`` is ``True`` or a function of (step, done, total).

    Raises :class:`RecipeError`, :class:`DataError`, :class:`PromiseError` where no release keeps the promise,
    :class:`TooLargeError` and :class:`FileError`; nothing is then released. Remarks for the custodian are in ``Release.warnings``; a :class:`VelamenWarning` says how
    many there are, and nothing of what they say.
    """
    options = {"output": output, "seed": seed_text(seed), "overwrite": overwrite, "after": after}
    core = asked(_velamen.anonymize, records_of(table), core_of(recipe), options, common(threads, progress))
    release = Release._of(core)
    if number := len(release.warnings):
        warnings.warn(f"{counted(number, 'remark')} for the custodian: see Release.warnings", VelamenWarning, stacklevel=2)
    return release


def verify(
    release: FolderOrRelease,
    *,
    population: Path | None = None,
    key: Path | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> Verification:
    """Checks what a release promises, from its files: ``verify("release").raise_for_promises()``.

    ``key`` is the public key of whoever should have signed it, as text or as its file.
    """
    found = json.loads(asked(_velamen.verify, inner(release), population, key, common(threads, progress)))
    return build(Verification, {"findings": found})


def check(
    recipe: Recipe | Path | Mapping[str, Any],
    table: Table | None = None,
    *,
    data: bool = False,
    output: Path | None = None,
    overwrite: bool = False,
    threads: int | None = None,
    progress: Progress = False,
) -> Check:
    """All mistakes of a recipe that a run would refuse, without a release: ``check(recipe, df).raise_for_mistakes()``.

    ``recipe`` can also be the file or the dictionary of a recipe, which a :class:`Recipe` with a mistake cannot be. A table
    is read; ``data=True`` reads the recipe's own. ``output`` is where the release would go; without one nothing is said of
    the place.

    >>> found = check({"attributes": {"age": {"role": "secret"}}, "privacy": [{"model": "k-anonymity", "k": 0}]})
    >>> [(mistake.code, mistake.key) for mistake in found.mistakes]
    [('E0503', 'attributes.age.role'), ('E0523', 'privacy.0.k')]
    """
    options = {"data": data or table is not None, "output": output, "overwrite": overwrite}
    text = asked(_velamen.check, unread(recipe), records_of(table), options, common(threads, progress))
    return build(Check, json.loads(text))


def diff(
    before: FolderOrRelease,
    after: FolderOrRelease,
    *,
    threads: int | None = None,
    progress: Progress = False,
) -> Diff:
    """What changed from one release to another, from what they show: recipe, levels, figures, risk, promises, records."""
    text = asked(_velamen.diff, inner(before), inner(after), common(threads, progress))
    return build(Diff, json.loads(text))


def sign(
    release: FolderOrRelease,
    key: Path,
    *,
    population: Path | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> _Place:
    """Verifies a release in a folder and signs it with the secret key in the file ``key``; the file of the signature.

    The variable ``VELAMEN_KEY_PASSWORD`` has the password of an encrypted key, as for the command line. ``verify(release,
    key="hospital.pub")`` checks the signature.
    """
    return asked(_velamen.sign, inner(release), key, population, common(threads, progress))


def new_keys(name: Path) -> tuple[_Place, _Place]:
    """Makes a pair of keys: ``name.key``, to be kept secret, and ``name.pub``, to give away. No file is replaced.

    With a password in the variable ``VELAMEN_KEY_PASSWORD`` the secret key is encrypted.
    """
    return _velamen.new_keys(name)


@overload
def explain() -> dict[str, str]: ...
@overload
def explain(code: str | VelamenError) -> Explanation: ...
def explain(code: str | VelamenError | None = None) -> Explanation | dict[str, str]:
    """What an error code means, with an example and how to mend it; without a code, all codes with their titles.

    >>> explain("E0409").title
    "a value is not in the attribute's hierarchy"
    >>> try:
    ...     Recipe({"attributes": {"age": {"role": "secret"}}})
    ... except VelamenError as error:
    ...     print(explain(error).code)
    E0503
    """
    if code is None:
        return dict(_velamen.codes())
    named = code.code if isinstance(code, VelamenError) else code
    if not isinstance(named, str):
        raise UsageError("expected an error code such as \"E0409\", or an error that has one")
    return Explanation(*_velamen.explain(named))


def synth(
    kind: str,
    rows: int,
    *,
    seed: int | str = 1,
    distinct: bool = False,
    threads: int | None = None,
    progress: Progress = False,
) -> Sample:
    """Synthetic health data, and a recipe for them. No record is of a person.

    ``kind`` is ``"nps"``, a national patient sample: age, sex, length of stay, location, surgery and diagnosis. With
    ``distinct`` most records differ.

    >>> sample = synth("nps", 1000)
    >>> sample
    <velamen.Sample: 1,000 records, 6 columns, and a recipe>
    >>> anonymize(sample, sample.recipe.set("method", {"name": "optimal"})).manifest.records
    1000
    """
    if kind != "nps":
        raise UsageError("kind: expected \"nps\", the national patient sample")
    if type(rows) is not int or not 0 <= rows < 2**48:
        raise UsageError("rows: expected a whole number of records")
    records, text = asked(_velamen.synth_nps, rows, str(seed), distinct, common(threads, progress))
    return Sample(records, Recipe.from_text(text))


def explore(
    table: Table | None,
    recipe: Recipe,
    *,
    top: int | None = None,
    seconds: float | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> Front:
    """The releases that a recipe could make and that no other beats. Nothing is released.

    The exact figures are for the custodian only.
    """
    text = asked(_velamen.explore, records_of(table), core_of(recipe), seconds, common(threads, progress))
    found = json.loads(text)
    found["solutions"] = found["solutions"][:top]
    return build(Front, found)


def estimate(
    table: Table | None,
    recipe: Recipe,
    *,
    threads: int | None = None,
    progress: Progress = False,
) -> Estimate:
    """What a run of the recipe will take: memory, disk and time."""
    text = asked(_velamen.estimate, records_of(table), core_of(recipe), common(threads, progress))
    return build(Estimate, json.loads(text))


def measure(
    table: TableOrRelease,
    *,
    qi: str | Sequence[str] = (),
    sensitive: str | Sequence[str] = (),
    l: int | None = None,  # noqa: E741, the literature's name
    null: str | Sequence[str] = (),
    format: str | None = None,
    delimiter: str | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> Measures:
    """The privacy parameters k, l, t, β and δ that a table satisfies; a release names its attributes itself.

    >>> measure(rows([{"age": 30}, {"age": 30}, {"age": 41}]), qi=["age"]).k
    1
    """
    options = {
        "qi": names(qi),
        "sensitive": names(sensitive),
        "l": l,
        "reading": reading(null, format, delimiter),
    }
    return build(Measures, json.loads(asked(_velamen.measure, inner(table), options, common(threads, progress))))


def risk(
    table: TableOrRelease,
    *,
    qi: str | Sequence[str] = (),
    before: TableOrRelease | None = None,
    population: Table | None = None,
    population_size: int | None = None,
    threshold: float | None = None,
    special_uniques: int = 3,
    rows: int = 0,
    show_values: bool = False,
    null: str | Sequence[str] = (),
    format: str | None = None,
    delimiter: str | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> Risk:
    """The re-identification risk of the records of a table or a release, beside ``before`` if that is given."""
    options = {
        "qi": names(qi),
        "population_size": population_size,
        "threshold": threshold,
        "special_uniques": special_uniques,
        "rows": rows,
        "show_values": show_values,
        "reading": reading(null, format, delimiter),
    }
    text = asked(
        _velamen.risk, inner(table), inner(before), inner(population), options, common(threads, progress)
    )
    return build(Risk, json.loads(text))


def compare(
    original: Table,
    release: FolderOrRelease,
    *,
    only: str | Sequence[str] = (),
    queries: int = 300,
    workload: Path | None = None,
    show_queries: bool = False,
    target: str | None = None,
    classifier_records: int = 5000,
    folds: int = 3,
    seed: int | str = 1,
    null: str | Sequence[str] = (),
    format: str | None = None,
    delimiter: str | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> Comparison:
    """What a release keeps of its original. The figures are for the custodian.

    Sections for ``only``: metrics, distributions, associations, queries, classifiers.
    """
    options = {
        "only": names(only),
        "queries": queries,
        "workload": workload,
        "show_queries": show_queries,
        "target": target,
        "classifier_records": classifier_records,
        "folds": folds,
        "seed": seed_text(seed),
        "reading": reading(null, format, delimiter),
    }
    text = asked(_velamen.compare, records_of(original), inner(release), options, common(threads, progress))
    return build(Comparison, json.loads(text))


def attack(
    release: FolderOrRelease,
    original: Table,
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
    seed: int | str = 1,
    show_values: bool = False,
    null: str | Sequence[str] = (),
    format: str | None = None,
    delimiter: str | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> Attacks:
    """What an adversary gets from a release, by who has its original. ``second`` is another release and its original.

    ``recipe`` is the release's, for the attack ``membership``, which runs it many times. ``control`` has records of
    persons who are not in the release, for the attack ``control``.
    """
    options = {
        "attacks": names(attacks),
        "targets": targets,
        "confidence": confidence,
        "background": background,
        "trials": trials,
        "from_data": from_data,
        "seed": seed_text(seed),
        "show_values": show_values,
        "reading": reading(null, format, delimiter),
    }
    other = None if second is None else (inner(second[0]), inner(second[1]))
    core = None if recipe is None else core_of(recipe)
    group = None if control is None else inner(control)
    work = common(threads, progress)
    text = asked(_velamen.attack, inner(release), records_of(original), other, group, core, options, work)
    return build(Attacks, json.loads(text))


def leak(
    table: TableOrRelease,
    *,
    attributes: str | Sequence[str] = (),
    up_to: int = 1,
    top: int | None = None,
    after: TableOrRelease | None = None,
    null: str | Sequence[str] = (),
    format: str | None = None,
    delimiter: str | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> Leaks:
    """How much the values of attributes help to find a person in a table, beside ``after`` if that is given."""
    options = {
        "attributes": names(attributes),
        "up_to": up_to,
        "top": top,
        "reading": reading(null, format, delimiter),
    }
    text = asked(_velamen.leak, records_of(table), inner(after), options, common(threads, progress))
    return build(Leaks, json.loads(text))


def audit(
    recipe: Recipe,
    *,
    table: Table | None = None,
    trials: int = 2000,
    confidence: float = 0.95,
    from_data: int = 0,
    ordinary: bool = False,
    seed: int | str | None = None,
    show_values: bool = False,
    threads: int | None = None,
    progress: Progress = False,
) -> Audit:
    """Tries to refute the differential privacy that a recipe claims. Not refuted is no proof.

    ``from_data`` takes so many records of the input, or of ``table``, away, one at a time.
    """
    options = {
        "trials": trials,
        "confidence": confidence,
        "from_data": from_data,
        "ordinary": ordinary,
        "seed": seed_text(seed),
        "show_values": show_values,
    }
    text = asked(_velamen.audit, core_of(recipe), inner(table), options, common(threads, progress))
    return build(Audit, json.loads(text))


def report(
    release: FolderOrRelease,
    output: Path,
    *,
    population: Path | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> tuple[Finding, ...]:
    """Makes the public report of a release again, from its folder."""
    text = asked(_velamen.report, inner(release), output, population, common(threads, progress))
    return tuple(build(Finding, found) for found in json.loads(text))


def truthful(
    release: FolderOrRelease,
    output: Path | None = None,
    *,
    threads: int | None = None,
    progress: Progress = False,
) -> _velamen.Records | int:
    """The version of a release that holds no counterfeit: its records, or how many were written to ``output``."""
    if output is None:
        return asked(_velamen.truthful, inner(release), common(threads, progress))
    return asked(_velamen.truthful_file, inner(release), output, common(threads, progress))


def query(
    release: FolderOrRelease,
    select: str,
    *,
    as_released: bool = False,
    groups: int = 10_000,
    memory: int = 1024,
    seconds: float = 60,
    threads: int | None = None,
    progress: Progress = False,
) -> Any:
    """A SELECT over a release alone, with bounds on the answer of the original, as the command's JSON.

    The wheels of releases have it; a build from source leaves it out unless the feature ``sql`` is asked for.
    """
    options = {"as_released": as_released, "groups": groups, "memory": memory, "seconds": seconds}
    return json.loads(asked(_velamen.query, inner(release), select, options, common(threads, progress)))


def schema() -> dict[str, Any]:
    """The JSON Schema of recipes.

    >>> schema()["title"]
    'Velamen recipe'
    """
    found: dict[str, Any] = json.loads(_velamen.schema())
    return found


def rows(records: Iterable[Mapping[str, Any]]) -> _velamen.Records:
    """A small table of dictionaries, for examples and tests; columns are those of the first one.

    >>> rows([{"age": 30, "sex": "F"}])
    <velamen.Records: 1 record, 2 columns; hand it to polars.DataFrame or pyarrow.table>
    """
    listed = list(records)
    if not all(isinstance(row, Mapping) and all(isinstance(name, str) for name in row) for row in listed):
        raise TypeError("rows are dictionaries from a column's name to a cell")
    return to_records(listed, list(listed[0]) if listed else [])
