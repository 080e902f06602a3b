"""The synthetic sample."""

from __future__ import annotations

from dataclasses import dataclass

from ._show import counted
from ._velamen import Records
from .recipe import Recipe


@dataclass(frozen=True)
class Sample:
    """Synthetic records, and a recipe for them. Tables take it as it is: ``polars.DataFrame(sample)``."""

    records: Records
    recipe: Recipe

    def to_arrow(self) -> Records:
        """The records."""
        return self.records

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The records as an Arrow C stream."""
        return self.records.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self.records)

    def __repr__(self) -> str:
        records, columns = counted(len(self.records), "record"), counted(len(self.records.column_names), "column")
        return f"<velamen.Sample: {records}, {columns}, and a recipe>"
