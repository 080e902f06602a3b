"""What functions are given."""

from __future__ import annotations

from typing import TypeAlias

from ._call import ArrowTable, Path
from .release import Release

Table: TypeAlias = Path | ArrowTable
"""A file, or a table of polars, pandas, pyarrow, DuckDB or any other that exports Arrow's C stream."""

TableOrRelease: TypeAlias = Table | Release
"""A table, a release, or a release's folder."""

FolderOrRelease: TypeAlias = Path | Release
"""A release or its folder."""
