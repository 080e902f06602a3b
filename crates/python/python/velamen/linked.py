"""Releases of linked tables."""

from __future__ import annotations

import json
import pathlib
from typing import Any, NoReturn

from . import _velamen
from ._call import Path, Wrapped, spoken
from ._decode import build
from ._linked import LinkedManifest, Survived, Tables
from ._releases import verified_html
from ._show import Page, counted
from .results import Finding, Verification

__all__ = ["LinkedRelease"]


class LinkedRelease(Wrapped[_velamen.LinkedRelease]):
    """A certified release of linked tables, in a folder or in memory: ``polars.DataFrame(release["person"])``.

    A notebook shows its size and promises, and :meth:`show` its public report; nothing of the custodian's.
    """

    __slots__ = ()

    def __init__(self) -> None:
        raise TypeError("releases are made by velamen.anonymize")

    @property
    def tables(self) -> Tables:
        """The released tables by name, that of persons first."""
        return Tables(self._core)

    def __getitem__(self, table: str) -> _velamen.Records:
        """The rows of a table, with types: numbers, days and texts."""
        return self._core.table(table)

    def __contains__(self, table: object) -> bool:
        return table in self._core.names

    def __len__(self) -> int:
        return len(self._core.names)

    @property
    def records(self) -> dict[str, int]:
        """How many rows each table has."""
        return self.manifest.records

    @property
    def manifest(self) -> LinkedManifest:
        """``release.json``: what was done and asked."""
        return build(LinkedManifest, json.loads(self._core.manifest()))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the checker found: everything holds, or is stated."""
        return tuple(build(Finding, found) for found in json.loads(self._core.findings()))

    @property
    def verification(self) -> Verification:
        """The same as one object: ``release.verification.held``."""
        return Verification(self.findings, raw={"findings": [found.raw for found in self.findings]})

    @property
    def survived(self) -> Survived:
        """How much of the original survived. It is the custodian's: it is not shown by itself."""
        return build(Survived, json.loads(self._core.survived()))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the custodian should know. It can tell of the original records: it is not shown by itself."""
        return tuple(map(spoken, self._core.warnings))

    @property
    def path(self) -> pathlib.Path | None:
        """The release's folder; ``None`` for a release in memory."""
        path = self._core.path
        return None if path is None else pathlib.Path(path)

    @property
    def custodian(self) -> pathlib.Path:
        """The custodian's folder, never to be published. A release in memory has none before :meth:`save`."""
        path = self._core.custodian
        if path is None:
            raise AttributeError("a release in memory has no custodian's folder; save(folder) makes both folders")
        return pathlib.Path(path)

    def keep(self, folder: Path) -> LinkedRelease:
        """Brings a release in memory to ``folder``, and the custodian's to ``folder.custodian`` beside it.

        - ``folder``: The folder to make. Nothing that exists is replaced.
        """
        return self._of(self._core.keep(folder))

    def save(self, folder: Path) -> LinkedRelease:
        """As :meth:`keep`.

        - ``folder``: The folder to make.
        """
        return self.keep(folder)

    def files(self) -> dict[str, bytes]:
        """The released files by their paths in the release: ``data/person.csv``."""
        return self._core.files()

    def report(self) -> str:
        """The public report, a page of HTML."""
        return self._core.report()

    def to_dict(self) -> dict[str, Any]:
        """``release.json`` as a dictionary."""
        return self.manifest.to_dict()

    def __copy__(self) -> LinkedRelease:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> LinkedRelease:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("a LinkedRelease is not pickled: save(folder) writes it; hand over the folder")

    def __repr__(self) -> str:
        persons = counted(self.manifest.persons["records"], "person")
        where = f" in {self.path.name}" if self.path else ""
        return f"<velamen.LinkedRelease{where}: {persons} in {counted(len(self), 'table')}, certified>"

    def show(self) -> Page:
        """The public report, embedded in a notebook: the notebook then holds all of it."""
        return Page(self.report())

    def _repr_html_(self) -> str:
        return verified_html(repr(self).strip("<>"), self.findings)
