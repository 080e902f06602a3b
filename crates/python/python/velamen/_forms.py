"""Parts of a recipe as objects."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, ClassVar


class Form:
    """A part of a recipe; what is ``None`` is left out."""

    NAMED: ClassVar[tuple[str, str] | None] = None
    """The entry that says which form it is."""

    def to_dict(self) -> dict[str, Any]:
        """The part as a recipe's dictionary has it."""
        entries = {} if self.NAMED is None else {self.NAMED[0]: self.NAMED[1]}
        given = ((field.name, getattr(self, field.name)) for field in fields(self))  # type: ignore[arg-type]
        return entries | {name.rstrip("_").replace("_", "-"): value for name, value in given if value is not None}
