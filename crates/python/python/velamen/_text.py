"""JSON as people read it, for ``print``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ._show import shown, text_table

MOST = 20
"""Rows of a table and entries of a list that are shown."""

SHORT = 4
"""So many entries of an object stand on one line."""

WIDE = 60
"""Characters of a cell."""


SPOKEN = frozenset(["left-out", "note", "notes", "remarks", "warnings", "reason", "message", "flag", "help", "hint"])
"""Entries that hold sentences of the program, never cells."""

_SPELLED = {"with": "second", "as": "as_", "input": "table"}
"""Arguments whose options have another name on the command line."""


def _function(command: re.Match[str]) -> str:
    """The function of a command."""
    return f"`velamen.hierarchy.{command[2]}`" if command[1] else f"`velamen.{command[2]}`"


_CALLED: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    (r"^for: ", "form: "),
    (r"\bas_ (omop|fhir|synthea)\b", r'as_="\1"'),
    (r"give overwrite$", "give overwrite=True"),
    (r"`qi age,sex,zip`", '`qi=["age", "sex", "zip"]`'),
    (r"in the recipe or on the command line", "in the recipe or the call"),
    (r"\bcontrol TABLE\b", "control"),
    (r"\b(?:its|the) recipe with recipe\b", "its recipe as `recipe`"),
    (r"paths on the command line at the current folder", "paths in a call at the working folder"),
    # No exception shows a cell here, and options have docstrings.
    (r" ?Of a single table, `show_values` shows offending cells to the custodian\.", ""),
    (r" ?`velamen COMMAND help` lists the options with examples\.", ""),
    (r" `velamen schema` shows editors such mistakes as you type\.", ""),
    (r"; `velamen schema` shows editors such mistakes as you type", ""),
    (r' at path "[^"]*"', ""),
    (r"(^|\. )`velamen explain ([a-z-]+)`", r"\1The manual's page `docs/\2.md`"),
    (r"`velamen explain ([a-z-]+)`", r"the manual's page `docs/\1.md`"),
    (r"`velamen (?:(hierarchy) )?([a-z]+)[^`]*`", _function),
]
"""What is said of commands and their options, and what to call in their place."""


def spoken(message: str) -> str:
    """A message of the command line in words of Python: ``--show-values`` is the argument ``show_values``."""
    message = message.replace("--with, --second-original", "--with")
    message = re.sub(
        r"(?<![-'\"\w])--([a-z][a-z-]*)", lambda found: _SPELLED.get(found[1], found[1].replace("-", "_")), message
    )
    for written, said in _CALLED:
        message = re.sub(written, said, message)
    return message


def in_python(value: Any) -> Any:
    """The same with its sentences in words of Python."""
    if isinstance(value, str):
        return spoken(value)
    if isinstance(value, (list, tuple)):
        return type(value)(map(in_python, value))
    if isinstance(value, Mapping):
        return {key: in_python(part) if key in SPOKEN else part for key, part in value.items()}
    return value


def readable(data: Any, indent: str = "") -> list[str]:
    """The lines of an object: figures, and tables of what repeats."""
    lines = []
    for key, value in data.items():
        if value is None or value == [] or value == {}:
            continue
        if key in SPOKEN:
            value = in_python(value)
        label = indent + _words(key)
        if isinstance(value, Mapping):
            lines += _of_object(label, value, indent)
        elif _is_table(value):
            lines += [label + ":", *(f"{indent}  {line}" for line in _table(value))]
        elif isinstance(value, Sequence) and not isinstance(value, str) and any(isinstance(one, str) and len(one) > WIDE for one in value):
            lines += [label + ":", *(f"{indent}  {one}" for one in value[:MOST]), *_more(len(value), indent + "  ")]
        else:
            lines.append(f"{label}: {_cell(value)}")
    return lines


def _of_object(label: str, value: Mapping[str, Any], indent: str) -> list[str]:
    parts = list(value.values())
    if set(value) == {"value", "by-attribute"}:
        return [f"{label}: {_cell(value['value'])} ({_cell(value['by-attribute'])})"]
    if len(value) <= SHORT and not any(isinstance(part, (Mapping, list, tuple)) for part in parts):
        return [f"{label}: {_cell(value)}"]
    if len(value) > 1 and all(isinstance(part, Mapping) and part.keys() == parts[0].keys() for part in parts):
        return [label + ":", *(f"{indent}  {line}" for line in _table([{"": key, **part} for key, part in value.items()]))]
    if len(value) > MOST and not any(isinstance(part, (Mapping, list, tuple)) for part in parts):
        return [label + ":", *(f"{indent}  {line}" for line in _table([{"": key, "value": part} for key, part in value.items()]))]
    return [label + ":", *readable(value, indent + "  ")]


def _is_table(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) > 0 and all(isinstance(one, Mapping) for one in value)


def _table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """A table of alike objects; what has tables itself follows below it."""
    if any(_is_table(part) for row in rows for part in row.values()):
        lines = []
        for row in rows[:MOST]:
            first, *rest = readable(row) or [""]
            lines += ["- " + first, *("  " + line for line in rest)]
        return [*lines, *_more(len(rows), "")]
    keys = list(dict.fromkeys(key for row in rows for key, part in row.items() if part is not None))
    cells = [[_cell(row.get(key)) for key in keys] for row in rows[:MOST]]
    return [*text_table([_words(key) for key in keys], cells).splitlines(), *_more(len(rows), "")]


def _more(number: int, indent: str) -> Iterable[str]:
    return [f"{indent}… and {number - MOST:,} more, in to_dict()"] if number > MOST else []


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        text = ", ".join(f"{_words(key)} {_cell(part)}" for key, part in value.items() if part is not None)
    elif isinstance(value, (list, tuple)):
        text = ", ".join(map(_cell, value[:MOST])) + (f", … and {len(value) - MOST:,} more" if len(value) > MOST else "")
    else:
        return shown(value)
    return text if len(text) <= 4 * WIDE else text[: 4 * WIDE] + "…"


def _words(key: str) -> str:
    return key.replace("-", " ")
