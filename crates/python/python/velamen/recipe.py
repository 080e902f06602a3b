"""Recipes."""

from __future__ import annotations

import json
import pathlib
import tomllib
from collections.abc import Mapping, Sequence
from datetime import date
from os import PathLike
from typing import Any

from . import _velamen
from ._call import ArrowTable, Path, Progress, Wrapped, asked, common, names, records_of, seed_text, spoken
from ._checks import Hierarchy, Mistake, raised_for
from ._decode import build
from ._forms import JUDGES, Form
from ._releases import Solution
from ._show import counted
from .exceptions import FileError
from .models import Attribute

__all__ = ["Recipe"]


class Recipe(Wrapped[_velamen.Recipe]):
    """What is asked of a release: the part of each attribute, the privacy models, the method.

    A dictionary has the shape of the file, and is read by the same parser with the same errors. ``[input]`` and
    ``[output]`` can be left out where a table and an output are given to the call. Recipes do not change:
    :meth:`set` gives another one.

    >>> recipe = Recipe({
    ...     "attributes": {
    ...         "age": {"role": "quasi-identifier", "hierarchy": {"interval": [10, 20], "min": 0, "max": 99}},
    ...         "diagnosis": {"role": "sensitive"},
    ...     },
    ...     "privacy": [{"model": "k-anonymity", "k": 3}],
    ...     "method": {"name": "optimal"},
    ... })
    >>> recipe
    <velamen.Recipe: 2 attributes, method optimal>
    >>> recipe.set("privacy.0.k", 5).to_dict()["privacy"][0]["k"]
    5
    """

    __slots__ = ()

    def __init__(
        self,
        recipe: Mapping[str, Any] | None = None,
        *,
        attributes: Mapping[str, Attribute | Mapping[str, Any] | str] | None = None,
        privacy: Form | Mapping[str, Any] | Sequence[Form | Mapping[str, Any]] | None = None,
        method: Form | Mapping[str, Any] | str | None = None,
    ) -> None:
        """A recipe of a dictionary, or of parts: ``Recipe(attributes={...}, privacy=KAnonymity(k=5))``.

        - ``recipe``: A dictionary of the file's shape. Short forms are as in the parts.
        - ``attributes``: In its place or besides, the attributes by name; a role alone stands for an attribute.
        - ``privacy``: The privacy models, or one.
        - ``method``: The method; its name alone if it has no settings.
        """
        if recipe is not None and not isinstance(recipe, Mapping):
            raise TypeError("expected a dictionary; Recipe.from_file reads a file, Recipe.from_text TOML")
        parts = {"attributes": _roles(attributes), "privacy": _listed(privacy), "method": _named("name", method)}
        whole = {**_in_full(recipe or {}), **{name: part for name, part in parts.items() if part is not None}}
        object.__setattr__(self, "_core", _judged(_velamen.Recipe.dict(_plain(whole))))

    @classmethod
    def from_file(cls, path: Path) -> Recipe:
        """Reads a recipe's file. Paths in it are relative to its folder.

        - ``path``: The file, in TOML.
        """
        return cls._of(_judged(asked(_velamen.Recipe.file, path)))

    @classmethod
    def from_text(cls, text: str) -> Recipe:
        """Reads TOML. Paths in it are relative to the working folder.

        - ``text``: The recipe.
        """
        return cls._of(_judged(asked(_velamen.Recipe.text, text)))

    @classmethod
    def suggest(
        cls,
        table: Path | ArrowTable,
        *,
        sample: float | int | None = None,
        seed: int | str = 1,
        null: str | Sequence[str] = (),
        format: str | None = None,
        delimiter: str | None = None,
        sheet: str | None = None,
        skip_lines: int = 0,
        encoding: str | None = None,
        no_header: bool = False,
        header: bool = False,
        decimal_comma: bool = False,
        threads: int | None = None,
        progress: Progress = False,
    ) -> Recipe:
        """A recipe to begin with. Nothing in it is decided: ``print(recipe.source)``, read every line, correct it.

        - ``table``: The table.
        - ``sample``: Look at a random sample: a share such as 0.1, or a number of records.
        - ``seed``: The seed of the sample.
        - ``null``: Cells that mean a missing value, in addition to empty cells.
        - ``format``: The file's format; detected if left out.
        - ``delimiter``: The delimiter of delimited text; detected if left out.
        - ``sheet``: The sheet of a workbook, by name or number from 1; needed if there are several.
        - ``skip_lines``: How many lines of text, or rows of a sheet, stand above the line that names the columns.
        - ``encoding``: How text is encoded, such as windows-1252; UTF-8 when left out.
        - ``no_header``: The first line is a record; the columns are called 1, 2, ….
        - ``header``: The first line names the columns, even if it looks like a record.
        - ``decimal_comma``: Numbers have a comma before their decimals: 70,5.
        - ``threads``: At most so many cores.
        - ``progress``: Whether progress is shown, or a function of (step, done, total).
        """
        request = {
            "table": records_of(table),
            "sample": seed_text(sample),
            "seed": seed_text(seed),
            "null": names(null),
            "format": format,
            "delimiter": delimiter,
            "sheet": sheet,
            "skip-lines": skip_lines,
            "encoding": encoding,
            "no-header": no_header,
            "header": header,
            "decimal-comma": decimal_comma,
        }
        _, text = asked(_velamen.suggest, request, common(threads, progress))
        return cls.from_text(_suggested(text))

    def set(self, key: str, value: object) -> Recipe:
        """The recipe with one entry changed: ``recipe.set("method.h", 0.2)``, ``recipe.set("privacy.0.k", 10)``.

        - ``key``: The entry's key, with dots between its parts; models are numbered from 0.
        - ``value``: What it becomes.
        """
        if not isinstance(key, str):
            raise TypeError(f"key: expected text such as \"privacy.0.k\", not {type(key).__name__}")
        return self._of(_judged(self._core.with_entry(key, _plain(value)), key))

    def to_toml(self) -> str:
        """The recipe as TOML, with what :meth:`set` changed.

        Comments are kept as long as nothing was changed. Paths are as they were written: relative to the recipe's file, if it
        was one.
        """
        return self._core.toml(False)

    def save(self, path: Path, *, overwrite: bool = False) -> pathlib.Path:
        """Writes the recipe to a file, from which :meth:`from_file` reads the same recipe; the file's path.

        - ``path``: The file.
        - ``overwrite``: Whether a file of that name is replaced.

        If relative paths to read would lead elsewhere from there, all are written as absolute ones.
        """
        place = pathlib.Path(path)
        text = self.to_toml()
        try:
            with place.open("w" if overwrite else "x", encoding="utf-8") as file:
                file.write(text)
            if not self.is_linked and _apart(_velamen.Recipe.file(place, checked=False)) != _apart(self._core):
                place.write_text(self._core.toml(True), encoding="utf-8")
        except FileExistsError:
            problem = "there is a file of that name; overwrite=True replaces it"
        except FileNotFoundError:
            problem = f"there is no folder {place.parent} to write it to"
        except OSError as error:
            problem = error.strerror or "cannot be written"
        else:
            return place
        raise FileError(f"{place.name}: {problem}")

    def choose(self, solution: Solution) -> Recipe:
        """The recipe that makes one of the releases that :func:`velamen.explore` found.

        - ``solution``: One of the ``solutions`` of a :class:`Front`.
        """
        if not isinstance(solution, Solution):
            raise TypeError(f"solution: expected one of explore(table, recipe).solutions, not {type(solution).__name__}")
        recipe = self
        for entry in solution.set:
            key, _, value = entry.partition("=")
            try:
                recipe = recipe.set(key, tomllib.loads(f"value = {value}")["value"])
            except tomllib.TOMLDecodeError:
                recipe = recipe.set(key, value)
        return recipe

    @property
    def is_linked(self) -> bool:
        """Whether it is one of linked tables."""
        return self._core.is_linked

    @property
    def source(self) -> str:
        """The text that was read, without what :meth:`set` changed."""
        return self._core.source

    def to_dict(self) -> dict[str, Any]:
        """The recipe as a dictionary, with absolute paths. It holds the seed, if the recipe fixes one."""
        recipe: dict[str, Any] = json.loads(self._core.json())
        return recipe

    def __eq__(self, other: object) -> bool:
        return self._core.json() == other._core.json() if isinstance(other, Recipe) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._core.json())

    def __repr__(self) -> str:
        number, method = self._core.summary()
        if self._core.is_linked:
            return f"<velamen.Recipe: linked tables, method {method}>"
        return f"<velamen.Recipe: {counted(number, 'attribute')}, method {method or 'optimal'}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_again, (self._core.pickled(),))


def _in_full(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """A dictionary with its short forms written out. What has another form is the parser's to refuse."""
    whole = dict(recipe)
    if isinstance(attributes := whole.get("attributes"), Mapping):
        whole["attributes"] = _roles(attributes)
    if isinstance(privacy := whole.get("privacy"), (Form, Mapping)):
        whole["privacy"] = [privacy]
    if "method" in whole:
        whole["method"] = _named("name", whole["method"])
    return whole


_SUGGESTED = {
    "`velamen profile`": "Recipe.suggest",
    "`velamen anonymize` with it": "velamen.anonymize(table, recipe)",
    "velamen explain choose-a-method.": "the manual's page docs/choose-a-method.md.",
}
"""What the comments of a first recipe say of commands, and what to call in their place."""


def _suggested(text: str) -> str:
    """A first recipe without what is for editors of the file, which the command writes."""
    lines = [line for line in text.splitlines(keepends=True) if not line.startswith(("#:schema", "# Editors complete"))]
    text = "".join(lines)
    for written, said in _SUGGESTED.items():
        text = text.replace(written, said)
    return text


def _roles(attributes: Any) -> Any:
    """Attributes by name, of which a role alone stands for one."""
    if attributes is None:
        return None
    if not isinstance(attributes, Mapping):
        raise TypeError(f"attributes: expected a dictionary such as {{\"age\": \"quasi-identifier\"}}, not {type(attributes).__name__}")
    return {name: _named("role", one) for name, one in attributes.items()}


def _listed(models: Any) -> Any:
    """Privacy models; one may stand by itself."""
    if isinstance(models, (str, type)):
        raise TypeError("privacy: expected a model with its parameters, such as velamen.KAnonymity(k=5), or a list of models")
    return [models] if isinstance(models, (Form, Mapping)) else models


def _named(key: str, part: Any) -> Any:
    """A part of a recipe that may be its name alone."""
    return {key: part} if isinstance(part, str) else part


def _judged(core: _velamen.Recipe, key: str | None = None) -> _velamen.Recipe:
    """A recipe whose privacy models and method are known, with keys and values that they take.

    Of a recipe that was changed, the changed entry alone is looked at: the next change may mend another.
    """
    request = {"recipe": core, "input": None, "data": False, "output": None, "overwrite": False}
    for found in json.loads(asked(_velamen.call, "check", request, common(None, False)))["mistakes"]:
        at = found["key"] or ""
        found["message"] = spoken(found["message"])
        # What a changed entry says wrongly stands in the call, not in the recipe.
        if found["kind"] == "usage" and key is not None and found["message"].startswith(f"set {key}="):
            raise raised_for(build(Mistake, found))
        touched = key is None or f"{at}.".startswith(f"{key}.") or f"{key}.".startswith(f"{at}.")
        if at.partition(".")[0] in ("privacy", "method") and touched:
            if found["file"] == "recipe":
                found["file"] = found["line"] = None
            raise raised_for(build(Mistake, found))
    return core


_ELSEWHERE = ("attribute", "attributes", "time", "attribute-shares", "hierarchy", "domain", "pseudonym", "date-shift")
"""Entries of parts that name attributes, files or a key, of which a part alone knows none."""


def judged_alone(part: Form) -> None:
    """Refuses a part with a value that it does not take; what other parts make of it is a recipe's to say."""
    section = {"model": "privacy.0", "name": "method"}.get(next(iter(part.NAMED), ""), "attributes.column")
    entry = _plain(part.to_dict())
    roles = {"column": {"role": "quasi-identifier"}, "other": {"role": "sensitive"}}
    whole = {"attributes": roles, "privacy": [{"model": "k-anonymity", "k": 2}]}
    whole |= {"privacy.0": {"privacy": [entry]}, "method": {"method": entry}}.get(section, {"attributes": {"column": entry}})
    request = {"recipe": _velamen.Recipe.dict(whole, checked=False), "input": None, "data": False, "output": None, "overwrite": False}
    for found in json.loads(asked(_velamen.call, "check", request, common(None, False)))["mistakes"]:
        own = [f"{section}.{name}" for name in entry if name not in part.NAMED and name not in _ELSEWHERE]
        if any(f"{found['key'] or ''}.".startswith(f"{name}.") for name in own):
            found["message"] = spoken(found["message"])
            found["file"] = found["line"] = None
            raise raised_for(build(Mistake, found))


JUDGES.append(judged_alone)


def _apart(core: _velamen.Recipe) -> dict[str, Any]:
    """A recipe without its output, whose folder is made where the recipe is."""
    recipe: dict[str, Any] = json.loads(core.json())
    recipe.pop("output", None)
    return recipe


def unread(recipe: Recipe | Path | Mapping[str, Any]) -> _velamen.Recipe:
    """A recipe's compiled part, whether or not it is one without mistakes."""
    if isinstance(recipe, Recipe):
        return recipe._core
    if isinstance(recipe, Mapping):
        return _velamen.Recipe.dict(_plain(_in_full(recipe)), checked=False)
    if not isinstance(recipe, (str, PathLike)):
        raise TypeError(f"recipe: expected a Recipe, the path of its file or a dictionary, not {type(recipe).__name__}")
    return asked(_velamen.Recipe.file, recipe, checked=False)


def read(recipe: Recipe | Path | Mapping[str, Any]) -> Recipe:
    """A recipe of whatever describes one."""
    if isinstance(recipe, Mapping):
        return Recipe(recipe)
    if isinstance(recipe, (str, PathLike)):
        return Recipe.from_file(recipe)
    return recipe


def toml_of(form: Mapping[str, Any]) -> str:
    """A dictionary as a table of TOML on one line."""
    return _velamen.form_text(_plain(form))


def core_of(recipe: Recipe) -> _velamen.Recipe:
    """A recipe's compiled part."""
    if not isinstance(recipe, Recipe):
        kind = type(recipe).__qualname__
        raise TypeError(f"{kind} is no recipe: Recipe.from_file(path), Recipe(dictionary) or Recipe.suggest(table) makes one")
    return recipe._core


def _again(state: tuple[str, pathlib.Path, list[str]]) -> Recipe:
    return Recipe._of(_velamen.Recipe.unpickled(*state))


def _plain(value: Any) -> Any:
    """Mappings, sequences and parts of any kind as dictionaries and lists; days as texts."""
    if isinstance(value, (Form, Hierarchy)):
        value = value.to_dict()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        if odd := [type(key).__name__ for key in value if not isinstance(key, str)]:
            raise TypeError(f"a recipe's keys are texts, no {odd[0]}; the text of a column's name is its key, such as \"0\"")
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return [_plain(item) for item in value]
    if isinstance(value, PathLike):
        return str(value)
    return value
