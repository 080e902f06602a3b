"""The package's public names as a page of Markdown, for the site: signatures, docstrings, fields and methods.

    python crates/python/reference.py >page.md

The sources are read by griffe and not run: no wheel is needed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import griffe

SOURCES = Path(__file__).parent / "python"

PARTS = {
    "velamen": "Functions",
    "velamen.hierarchy": "Hierarchies",
    "velamen.models": "Attributes and privacy models",
    "velamen.methods": "Methods",
    "velamen.results": "Results",
    "velamen.exceptions": "Exceptions",
}
"""The modules that have public names, in the page's order."""

WIDTH = 100
"""A longer signature has a line for each parameter."""


def main() -> None:
    package = griffe.load("velamen", search_paths=[SOURCES], resolve_aliases=True)
    print("# Python: every function\n\nMade from the package's docstrings. [Velamen in Python](python.md) is the guide.")
    shown: set[str] = set()
    for module, title in PARTS.items():
        print(f"\n## {title}")
        for name, thing in public(package, module):
            if thing.path not in shown:
                shown.add(thing.path)
                print("\n".join(described(f"{module}.{name}", thing)))


def public(package: griffe.Object, module: str) -> Iterator[tuple[str, griffe.Object]]:
    """The functions and classes that a module offers: of the package, what no other module of the page has."""
    own = package if module == package.path else package[module.removeprefix("velamen.")]
    others = tuple(part for part in PARTS if part != "velamen") if module == "velamen" else ()
    for name in own.exports or sorted(own.members):
        thing = own.members.get(str(name))
        thing = thing.final_target if thing is not None and thing.is_alias else thing
        if thing is None or str(name).startswith("_") or not (thing.is_function or thing.is_class):
            continue
        if not thing.path.startswith(others) if others else thing.path.startswith("velamen."):
            yield str(name), thing


def described(name: str, thing: griffe.Object) -> Iterator[str]:
    """The lines of a function or a class with its public methods."""
    yield f"\n### {name}\n"
    yield from code(signature(name.removeprefix("velamen."), thing))
    yield from text(thing)
    if not thing.is_class:
        return
    for own, member in thing.all_members.items():
        member = member.final_target if member.is_alias else member
        if own.startswith("_") or not member.path.startswith("velamen."):
            continue
        if member.is_function or "property" in member.labels:
            yield f"\n**`{own}`**\n"
            yield from code(signature(own, member))
            yield from text(member)
        elif member.docstring and member.is_attribute:
            yield f"- `{own}`: {member.docstring.value}"


def code(text: str) -> Iterator[str]:
    yield from ("```python", text, "```")


def signature(name: str, thing: griffe.Object) -> str:
    """A call as one writes it, with types and defaults."""
    if thing.is_attribute:
        return f"{name}: {thing.annotation}"
    parts = list(parameters(thing))
    end = f" -> {thing.returns}" if thing.is_function and thing.returns else ""
    line = f"{name}({', '.join(parts)}){end}"
    if len(line) <= WIDTH:
        return line
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){end}"


def parameters(thing: griffe.Object) -> Iterator[str]:
    kind = griffe.ParameterKind
    by_name = False
    for parameter in thing.parameters:
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is kind.keyword_only and not by_name:
            by_name = True
            yield "*"
        by_name |= parameter.kind is kind.var_positional
        stars = {kind.var_positional: "*", kind.var_keyword: "**"}.get(parameter.kind, "")
        annotation = f": {parameter.annotation}" if parameter.annotation else ""
        default = f" = {parameter.default}" if parameter.default is not None and not stars else ""
        yield f"{stars}{parameter.name}{annotation}{default}"


def text(thing: griffe.Object) -> Iterator[str]:
    """A docstring with its examples as code."""
    yield ""
    example = False
    for line in (thing.docstring.value if thing.docstring else "").splitlines():
        begins = line.startswith(">>> ") and not example
        if begins or (example and not line):
            example = begins
            yield "```python" if begins else "```"
        yield line if example else re.sub(r":(?:meth|func|class):`", "`", line.replace("``", "`"))
    if example:
        yield "```"


if __name__ == "__main__":
    sys.exit(main())
