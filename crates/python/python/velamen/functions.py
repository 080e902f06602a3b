"""The commands that are no operation as functions."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path as _Place
from typing import Any, overload

from . import _velamen
from ._call import Path, Progress, asked, common, inner, one_of, records_of, seed_text, spoken
from ._decode import build, to_records
from ._show import counted
from ._types import FolderOrRelease, LinkedTables, Table
from .exceptions import UsageError, VelamenError, VelamenWarning
from .linked import LinkedRelease
from .recipe import Recipe, core_of, read, unread
from .release import Release
from .results import Check, Explanation, Finding, Sample


@overload
def anonymize(
    table: LinkedTables,
    recipe: Recipe | Path | Mapping[str, Any],
    output: Path | None = None,
    *,
    overwrite: bool = False,
    threads: int | None = None,
    progress: Progress = False,
) -> LinkedRelease: ...
@overload
def anonymize(
    table: Table | None,
    recipe: Recipe,
    output: Path | None = None,
    *,
    seed: int | str | None = None,
    overwrite: bool = False,
    after: Path | None = None,
    redraw: bool = False,
    threads: int | None = None,
    progress: Progress = False,
) -> Release: ...
@overload
def anonymize(
    table: Recipe | Path | Mapping[str, Any],
    recipe: None = None,
    output: Path | None = None,
    *,
    seed: int | str | None = None,
    overwrite: bool = False,
    after: Path | None = None,
    redraw: bool = False,
    threads: int | None = None,
    progress: Progress = False,
) -> Any: ...
def anonymize(
    table: Table | Recipe | LinkedTables | Mapping[str, Any] | None,
    recipe: Recipe | Path | Mapping[str, Any] | None = None,
    output: Path | None = None,
    *,
    seed: int | str | None = None,
    overwrite: bool = False,
    after: Path | None = None,
    redraw: bool = False,
    threads: int | None = None,
    progress: Progress = False,
) -> Release | LinkedRelease:
    """The release that a recipe describes, certified: in the folder ``output``, or in memory where that is left out.

    - ``table``: The table, in place of the recipe's input; ``None`` reads the recipe's own, as ``anonymize(recipe)`` does. A
      column that the recipe does not name is refused, an index of pandas with a name too.
    - ``recipe``: The recipe.
    - ``output``: The release's folder; the custodian's is made beside it.
    - ``seed``: In place of the recipe's; as secret as the data.
    - ``overwrite``: Whether a release of that name is replaced.
    - ``after``: The custodian's folder of an earlier release whose counterfeits are kept.
    - ``redraw``: Where fewer than half can be kept, draw the others anew instead of refusing.
    - ``threads``: At most so many cores; the result is the same with any number.
    - ``progress``: ``True`` shows progress; a function gets (step, done, total), and an exception of it stops the run.

    A recipe of linked tables takes tables by their names, ``anonymize({"person": df, "visit_occurrence": visits}, recipe)``,
    or the path of their folder, and gives a :class:`LinkedRelease`. Its recipe can also be a file or a dictionary.

    Raises :class:`RecipeError`, :class:`DataError`, :class:`PromiseError` where no release keeps the promise,
    :class:`TooLargeError` and :class:`FileError`; nothing is then released. Remarks for the custodian are in
    ``Release.warnings``; a :class:`VelamenWarning` says how many there are, and nothing of what they say.
    """
    given: Any = None if recipe is None else table
    asked_for: Any = table if recipe is None else recipe
    # A recipe of one table that is no Recipe was never taken beside a table.
    written = read(asked_for) if recipe is None or isinstance(given, Mapping) else asked_for
    core = core_of(written)
    options = {"output": output, "seed": seed_text(seed), "overwrite": overwrite, "after": after, "redraw": redraw}
    release: Release | LinkedRelease
    if core.is_linked:
        release = LinkedRelease._of(asked(_velamen.anonymize_linked, records_of(given), core, options, common(threads, progress)))
    else:
        release = Release._of(asked(_velamen.anonymize, one_of(given), core, options, common(threads, progress)))
    if number := len(release.warnings):
        warnings.warn(f"{counted(number, 'remark')} for the custodian: see Release.warnings", VelamenWarning, stacklevel=2)
    return release


def check(
    recipe: Recipe | Path | Mapping[str, Any],
    table: Table | LinkedTables | None = None,
    *,
    data: bool = False,
    output: Path | None = None,
    overwrite: bool = False,
    threads: int | None = None,
    progress: Progress = False,
) -> Check:
    """All mistakes of a recipe that a run would refuse, without a release: ``check(recipe, df).raise_for_mistakes()``.

    - ``recipe``: A recipe, or the file or the dictionary of one, which a :class:`Recipe` with a mistake cannot be.
    - ``table``: The table, or linked tables by name, to be read.
    - ``data``: Whether the recipe's own input is read.
    - ``output``: Where the release would go; without it nothing is said of the place.
    - ``overwrite``: Whether a release of that name would be replaced.
    - ``threads``: At most so many cores; the result is the same with any number.
    - ``progress``: ``True`` shows progress; a function gets (step, done, total), and an exception of it stops the run.

    >>> found = check({"attributes": {"age": {"role": "secret"}}, "privacy": [{"model": "k-anonymity", "k": 0}]})
    >>> [(mistake.code, mistake.key) for mistake in found.mistakes]
    [('E0503', 'attributes.age.role'), ('E0523', 'privacy.0.k')]
    """
    request = {
        "recipe": unread(recipe),
        "input": records_of(table),
        "data": data or table is not None,
        "output": output,
        "overwrite": overwrite,
    }
    found = json.loads(asked(_velamen.call, "check", request, common(threads, progress)))
    for mistake in found["mistakes"]:
        for name in ("message", "flag", "help"):
            mistake[name] = mistake[name] and spoken(mistake[name])
        # The lines of a text that the caller never wrote would mislead.
        if mistake["file"] == "recipe":
            mistake["file"] = mistake["line"] = None
    return build(Check, found)


def sign(
    release: FolderOrRelease,
    key: Path,
    *,
    population: Path | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> _Place:
    """Verifies a release in a folder and signs it; the file of the signature.

    - ``release``: The release or its folder.
    - ``key``: The file of the secret key.
    - ``population``: A table of the population, for k-map and delta-presence.
    - ``threads``: At most so many cores; the result is the same with any number.
    - ``progress``: ``True`` shows progress; a function gets (step, done, total), and an exception of it stops the run.

    The variable ``VELAMEN_KEY_PASSWORD`` has the password of an encrypted key, as for the command line. ``verify(release,
    key="hospital.pub")`` checks the signature.
    """
    return asked(_velamen.sign, inner(release), key, population, common(threads, progress))


def new_keys(name: Path) -> tuple[_Place, _Place]:
    """Makes a pair of keys: ``name.key``, to be kept secret, and ``name.pub``, to give away. No file is replaced.

    - ``name``: What the files are called, without ``.key`` and ``.pub``.

    With a password in the variable ``VELAMEN_KEY_PASSWORD`` the secret key is encrypted.
    """
    return _velamen.new_keys(name)


@overload
def explain() -> dict[str, str]: ...
@overload
def explain(code: str | VelamenError) -> Explanation: ...
def explain(code: str | VelamenError | None = None) -> Explanation | dict[str, str]:
    """What an error code means, with an example and how to mend it; without a code, all codes with their titles.

    - ``code``: The code, or the error that has it.

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

    - ``kind``: ``"nps"``, a national patient sample: age, sex, length of stay, location, surgery and diagnosis.
    - ``rows``: How many records.
    - ``seed``: A whole number, or 64 hexadecimal digits; the same seed makes the same records.
    - ``distinct``: Whether most records differ.
    - ``threads``: At most so many cores; the result is the same with any number.
    - ``progress``: ``True`` shows progress; a function gets (step, done, total), and an exception of it stops the run.

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


def report(
    release: FolderOrRelease,
    output: Path,
    *,
    population: Path | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> tuple[Finding, ...]:
    """Makes the public report of a release again, from its folder.

    - ``release``: The release or its folder.
    - ``output``: The file of the page.
    - ``population``: A table of the population, for k-map and delta-presence.
    - ``threads``: At most so many cores; the result is the same with any number.
    - ``progress``: ``True`` shows progress; a function gets (step, done, total), and an exception of it stops the run.
    """
    text = asked(_velamen.report, inner(release), output, population, common(threads, progress))
    return tuple(build(Finding, found) for found in json.loads(text))


def truthful(
    release: FolderOrRelease,
    output: Path | None = None,
    *,
    threads: int | None = None,
    progress: Progress = False,
) -> _velamen.Records | int:
    """The version of a release that holds no counterfeit: its records, or how many were written.

    - ``release``: The release or its folder.
    - ``output``: The file to write them to; its extension sets the format.
    - ``threads``: At most so many cores; the result is the same with any number.
    - ``progress``: ``True`` shows progress; a function gets (step, done, total), and an exception of it stops the run.
    """
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
    """A SELECT over a release alone, with bounds on the answer of the original, as a dictionary.

    - ``release``: The release or its folder.
    - ``select``: The SELECT; the table is called ``release``.
    - ``as_released``: Whether released cells are taken as they are.
    - ``groups``: The most groups of an answer.
    - ``memory``: With ``as_released``, the most memory, in MiB.
    - ``seconds``: With ``as_released``, the most time.
    - ``threads``: At most so many cores; the result is the same with any number.
    - ``progress``: ``True`` shows progress; a function gets (step, done, total), and an exception of it stops the run.

    The wheels of releases have it; a build from source leaves it out unless the feature ``sql`` is asked for.
    """
    options = {"as_released": as_released, "groups": groups, "memory": memory, "seconds": seconds}
    return json.loads(asked(_velamen.query, inner(release), select, options, common(threads, progress)))


def schema(*, linked: bool = False) -> dict[str, Any]:
    """The JSON Schema of recipes; with ``linked`` that of recipes of linked tables.

    - ``linked``: Whether it is that of linked tables.

    >>> schema()["title"]
    'Velamen recipe'
    """
    found: dict[str, Any] = json.loads(_velamen.schema(linked))
    return found


def rows(records: Iterable[Mapping[str, Any]]) -> _velamen.Records:
    """A small table of dictionaries, for examples and tests; a cell that one of them lacks is missing.

    - ``records``: The dictionaries, from a column's name to a cell.

    >>> rows([{"age": 30, "sex": "F"}])
    <velamen.Records: 1 record, 2 columns; to_pandas(), to_polars() and to_arrow() make frames>
    """
    listed = list(records)
    if not all(isinstance(row, Mapping) and all(isinstance(name, str) for name in row) for row in listed):
        raise TypeError("rows are dictionaries from a column's name to a cell")
    return to_records(listed, list(dict.fromkeys(name for row in listed for name in row)))
