"""Recipes."""

from __future__ import annotations

import json
import pathlib
import tomllib
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from . import _velamen
from ._call import ArrowTable, Path, Progress, Wrapped, asked, common, names, records_of, seed_text
from ._releases import Solution
from ._show import counted

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

    def __init__(self, recipe: Mapping[str, Any]) -> None:
        if not isinstance(recipe, Mapping):
            raise TypeError("expected a dictionary; Recipe.from_file reads a file, Recipe.from_text TOML")
        object.__setattr__(self, "_core", _velamen.Recipe.dict(_plain(recipe)))

    @classmethod
    def from_file(cls, path: Path) -> Recipe:
        """Reads a recipe's file. Paths in it are relative to its folder."""
        return cls._of(_velamen.Recipe.file(path))

    @classmethod
    def from_text(cls, text: str) -> Recipe:
        """Reads TOML. Paths in it are relative to the working folder."""
        return cls._of(_velamen.Recipe.text(text))

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
        threads: int | None = None,
        progress: Progress = False,
    ) -> Recipe:
        """A recipe to begin with. Nothing in it is decided: ``print(recipe.source)``, read every line, correct it."""
        request = {
            "table": records_of(table),
            "sample": seed_text(sample),
            "seed": seed_text(seed),
            "null": names(null),
            "format": format,
            "delimiter": delimiter,
        }
        _, text = asked(_velamen.suggest, request, common(threads, progress))
        return cls.from_text(text)

    def set(self, key: str, value: object) -> Recipe:
        """The recipe with one entry changed: ``recipe.set("method.h", 0.2)``, ``recipe.set("privacy.0.k", 10)``."""
        return self._of(self._core.with_entry(key, _plain(value)))

    def choose(self, solution: Solution) -> Recipe:
        """The recipe that makes one of the releases that :func:`velamen.explore` found."""
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


def unread(recipe: Recipe | Path | Mapping[str, Any]) -> _velamen.Recipe:
    """A recipe's compiled part, whether or not it is one without mistakes."""
    if isinstance(recipe, Recipe):
        return recipe._core
    if isinstance(recipe, Mapping):
        return _velamen.Recipe.dict(_plain(recipe), checked=False)
    return _velamen.Recipe.file(recipe, checked=False)


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
    """Mappings and sequences of any kind as dictionaries and lists."""
    if isinstance(value, Mapping):
        if odd := [type(key).__name__ for key in value if not isinstance(key, str)]:
            raise TypeError(f"a recipe's keys are texts, no {odd[0]}; the text of a column's name is its key, such as \"0\"")
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return [_plain(item) for item in value]
    if isinstance(value, PathLike):
        return str(value)
    return value
