"""Numbers, cells and tables as people read them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True, repr=False)
class Page:
    """A page of HTML that a notebook embeds."""

    html: str
    """The page."""

    def __repr__(self) -> str:
        return f"<velamen.Page: {len(self.html):,} characters>"

    def _repr_html_(self) -> str:
        page = escape(self.html, quote=True)
        return f'<iframe title="Public report" srcdoc="{page}" sandbox="" style="width:100%;height:40em;border:0"></iframe>'


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number of things: ``1 record``, ``2,000 records``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def in_classes(records: int, classes: int) -> str:
    """``600 records in 30 classes``."""
    return f"{counted(records, 'record')} in {counted(classes, 'class', 'classes')}"


def shown(value: object) -> str:
    """A cell of a table for people."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return f"{value:,.0f}" if value else "0"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, (list, tuple)):
        return ", ".join(shown(item) for item in value)
    return str(value)


def html_table(caption: str, columns: list[str], rows: Iterable[Iterable[object]]) -> str:
    """A table for notebooks."""
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(shown(cell))}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def text_table(columns: list[str], rows: Iterable[Iterable[object]]) -> str:
    """A table for terminals: numbers to the right."""
    cells = [[shown(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(columns, *cells, strict=True)]
    numbers = [all(cell[:1].isdigit() for cell in column) for column in zip(*cells, strict=True)] or [False] * len(columns)

    def line(row: list[str]) -> str:
        aligned = zip(row, widths, numbers, strict=True)
        return "  ".join(cell.rjust(width) if number else cell.ljust(width) for cell, width, number in aligned).rstrip()

    return "\n".join(line(row) for row in [columns, *cells])
