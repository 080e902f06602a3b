"""What functions are given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from ._call import ArrowTable, Path
from .linked import LinkedRelease
from .release import Release

Table: TypeAlias = Path | ArrowTable
"""A file, or a table of polars, pandas, pyarrow, DuckDB or any other that exports Arrow's C stream."""

TableOrRelease: TypeAlias = Table | Release | LinkedRelease
"""A table, a release, or a release's folder."""

FolderOrRelease: TypeAlias = Path | Release | LinkedRelease
"""A release or its folder."""

LinkedTables: TypeAlias = Mapping[str, ArrowTable]
"""Linked tables by name."""
