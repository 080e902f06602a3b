"""Every parameter of every public function and method stands in its docstring."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import velamen as vm
from velamen import exceptions, hierarchy, methods, models, results


def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """The functions, constructors and methods that people call."""
    for place in (vm, hierarchy, methods, models, results, exceptions):
        for name in place.__all__:
            found = getattr(place, name)
            path = f"{place.__name__}.{name}"
            if inspect.isfunction(found):
                yield path, found
            elif inspect.isclass(found) and found.__module__.startswith("velamen") and not issubclass(found, BaseException):
                yield from ((f"{path}.{key}", method) for key, method in vars(found).items() if inspect.isfunction(method) and not key.startswith("_"))
                yield from ((f"{path}.{key}", method.__func__) for key, method in vars(found).items() if isinstance(method, classmethod) and not key.startswith("_"))


def constructed() -> Iterator[tuple[str, type]]:
    """The classes that people make objects of."""
    yield "velamen.Recipe", vm.Recipe
    for place in (methods, models):
        yield from ((f"{place.__name__}.{name}", getattr(place, name)) for name in place.__all__)


def undocumented(path: str, called: Any, text: str | None) -> list[str]:
    names = [name for name in inspect.signature(called).parameters if name not in ("self", "cls")]
    return [f"{path}: {name}" for name in names if not re.search(rf"^\s*- ``{name}``: \S", text or "", re.MULTILINE)]


def test_every_parameter_is_in_its_docstring() -> None:
    functions = dict(public())
    lacking = [one for path, called in functions.items() for one in undocumented(path, called, called.__doc__)]
    lacking += [one for path, made in constructed() for one in undocumented(path, made, f"{made.__doc__}\n{made.__init__.__doc__}")]
    counted = sum(len(inspect.signature(called).parameters) for called in functions.values())
    assert counted > 250, "the hunt finds the functions"
    assert not lacking, f"{len(lacking)} of {counted}: " + "; ".join(lacking)


def test_everything_public_has_a_docstring() -> None:
    assert [path for path, called in public() if not (called.__doc__ or "").strip()] == []
