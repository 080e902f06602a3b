"""Parts of a recipe as objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, ClassVar


JUDGES: list[Callable[[Form], None]] = []
"""What looks at a part when it is made: the parser is that of recipes, which are made of parts."""


class Form:
    """A part of a recipe; what is ``None`` is left out."""

    NAMED: ClassVar[Mapping[str, str]] = {}
    """The entries that say which form it is."""

    def __post_init__(self) -> None:
        """Refuses a value that the part does not take, by the program's own parser."""
        for judge in JUDGES:
            judge(self)

    def to_dict(self) -> dict[str, Any]:
        """The part as a recipe's dictionary has it."""
        given = ((field.name, getattr(self, field.name)) for field in fields(self))  # type: ignore[arg-type]
        return {**self.NAMED} | {name.rstrip("_").replace("_", "-"): value for name, value in given if value is not None}
