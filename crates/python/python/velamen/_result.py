"""What all results have."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

from ._show import html_table
from ._text import readable

Json = dict[str, Any]
"""An object of JSON."""

QUIET = (
    "figures over the original records, for the custodian; not shown by themselves, since notebooks are saved and "
    "mailed: read the attributes, to_dict(), or print()"
)


@dataclass(frozen=True)
class Result:
    """Attributes, and the JSON they came from."""

    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False, kw_only=True)

    def to_dict(self) -> Json:
        """The result as the command line's JSON."""
        copy: Json = json.loads(json.dumps(self.raw))
        return copy

    def __str__(self) -> str:
        return "\n".join(readable(self.raw))


class Quiet(Result):
    """Figures over the original records, which show themselves when they are asked for."""

    def __repr__(self) -> str:
        return f"<velamen.{type(self).__name__}: {QUIET}>"

    def _repr_html_(self) -> str:
        return quiet_html(self)


def quiet_html(result: Result) -> str:
    """What stands in a notebook for figures over the original records."""
    return f"<p><b>{type(result).__name__}</b>: {escape(QUIET)}</p>"


def headings(names: Iterable[str]) -> list[str]:
    """Attributes as headings."""
    return [name.replace("_", " ") for name in names]


def by_name(caption: str, what: str, names: list[str], items: Mapping[str, object]) -> str:
    """A table with a row for each item: its name, and these of its attributes."""
    rows = [[name, *(getattr(item, attribute) for attribute in names)] for name, item in items.items()]
    return html_table(caption, [what, *headings(names)], rows)
