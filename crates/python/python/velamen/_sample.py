"""The synthetic sample."""

from __future__ import annotations

from dataclasses import dataclass

from ._frames import Framed
from ._show import counted
from ._velamen import Records
from .recipe import Recipe


@dataclass(frozen=True)
class Sample(Framed):
    """Synthetic records, and a recipe for them. Tables take it as it is: ``polars.DataFrame(sample)``."""

    records: Records
    recipe: Recipe

    def to_arrow(self) -> Records:
        """The records."""
        return self.records

    def __len__(self) -> int:
        return len(self.records)

    def __repr__(self) -> str:
        records, columns = counted(len(self.records), "record"), counted(len(self.records.column_names), "column")
        return f"<velamen.Sample: {records}, {columns}, and a recipe>"
