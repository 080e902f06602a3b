"""Writes `velamen/models.py` and `velamen/methods.py` from the JSON Schema of recipes.

`python tests/forms.py` in `crates/python` writes them again; `test_recipes.py` says whether they are as the schema has them.
"""

from __future__ import annotations

import keyword
import re
import textwrap
from pathlib import Path
from typing import Any

import velamen as vm

PACKAGE = Path(__file__).parent.parent / "python" / "velamen"

HEAD = '''"""{what}, with completion: what a recipe's dictionary says in words.

This file is not edited: ``python tests/forms.py`` writes it from the JSON Schema of recipes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from ._checks import Hierarchy
from ._forms import Form

__all__ = [
{names}]
'''


def class_name(title: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"[-_ ]", title))


def field_name(key: str) -> str:
    name = key.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def type_of(form: dict[str, Any], defs: dict[str, Any]) -> str:
    """The type of a key's value; the parser says what is more."""
    if "$ref" in form:
        return type_of(defs[form["$ref"].rpartition("/")[2]], defs)
    choices = form.get("oneOf") or form.get("anyOf")
    if choices:
        kinds = [kind for one in choices if (kind := type_of(one, defs)) != "None"]
        constants = [kind[len("Literal[") : -1] for kind in kinds if kind.startswith("Literal[")]
        others = [kind for kind in kinds if not kind.startswith("Literal[")]
        found = ([f"Literal[{', '.join(constants)}]"] if constants else []) + others
        return "Any" if "Any" in found else " | ".join(dict.fromkeys(found))
    if "const" in form:
        return f'Literal["{form["const"]}"]'
    if "enum" in form:
        return "Literal[" + ", ".join(f'"{word}"' for word in form["enum"] if word is not None) + "]"
    kinds = form.get("type", [])
    simple = {"integer": "int", "number": "float", "boolean": "bool", "string": "str", "object": "Mapping[str, Any]", "null": "None"}
    found = [
        f"Sequence[{type_of(form.get('items', {}), defs)}]" if kind == "array" else simple[kind]
        for kind in ([kinds] if isinstance(kinds, str) else kinds)
        if kind != "null" or kinds == "null"
    ]
    return " | ".join(found) or "Any"


def wrapped(text: str, indent: str, first: str | None = None) -> str:
    words = " ".join(text.split()).replace("`", "``").replace("\\", "\\\\")
    return textwrap.fill(words, 120, initial_indent=indent if first is None else first, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def sentence(text: str) -> str:
    return (text[:1].upper() + text[1:]).rstrip(".") + "."


def written(form: dict[str, Any], title: str, defs: dict[str, Any]) -> str:
    """The class of one form. Entries with one value say which form it is."""
    constant = {name: one["const"] for name, one in form["properties"].items() if "const" in one}
    required = [name for name in form.get("required", []) if name not in constant]
    properties = {name: one for name, one in form["properties"].items() if name not in constant}
    ordered = sorted(properties.items(), key=lambda item: item[0] not in required)
    text = wrapped(sentence(form.get("description", title)), "    ", '    """')
    if ordered:
        text += "\n\n" + "\n".join(
            wrapped(f"- ``{field_name(name)}``: {one.get('description', '')}".replace("``", "`"), "      ", "    ") for name, one in ordered
        ) + "\n    "
    lines = [f"\n\n@dataclass(frozen=True, kw_only=True)\nclass {class_name(title)}(Form):", text + '"""', ""]
    if constant:
        entries = ", ".join(f'"{name}": "{value}"' for name, value in constant.items())
        lines.append(f"    NAMED: ClassVar[Mapping[str, str]] = {{{entries}}}")
    for name, one in ordered:
        kind = type_of(one, defs)
        if name == "hierarchy":
            kind = f"Hierarchy | {kind}"
        lines.append(f"    {field_name(name)}: {kind}" if name in required else f"    {field_name(name)}: {kind + ' | None' if kind != 'Any' else kind} = None")
    return "\n".join(lines).rstrip() + "\n"


def module(what: str, forms: list[tuple[dict[str, Any], str]], defs: dict[str, Any]) -> str:
    names = sorted(class_name(title) for _, title in forms)
    listed = "".join(f'    "{name}",\n' for name in names)
    body = "".join(written(form, title, defs) for form, title in forms)
    head = HEAD.replace("{what}", what).replace("{names}", listed)
    if "Hierarchy" not in body:
        head = head.replace("from ._checks import Hierarchy\n", "")
    for name in ("Mapping", "Sequence", "Literal", "Any"):
        if not re.search(rf"\b{name}\b", body):
            head = head.replace(f"{name}, ", "").replace(f", {name}", "")
    return head + body


def modules() -> dict[str, str]:
    schema = vm.schema()
    defs = schema["$defs"]
    models = [(form, form["title"]) for form in defs["PrivacySection"]["oneOf"]]
    models.insert(0, (defs["AttributeSection"], "Attribute"))
    methods = [(form, form["title"]) for form in schema["properties"]["method"]["oneOf"]]
    return {"models.py": module("Attributes and privacy models", models, defs), "methods.py": module("Methods", methods, defs)}


if __name__ == "__main__":
    for name, text in modules().items():
        (PACKAGE / name).write_text(text)
