"""Releases."""

from __future__ import annotations

import json
import pathlib
from typing import Any, NoReturn

from . import _codebook, _frames, _ranges, _velamen
from ._call import Path, Wrapped, spoken
from ._decode import build
from ._ranges import Ends, Ranges
from ._releases import verified_html
from ._show import Page, in_classes
from .results import Finding, Manifest

__all__ = ["Release"]


class Release(Wrapped[_velamen.Release], _frames.Framed):
    """A certified release, in a folder or in memory. Tables take it as it is: ``polars.DataFrame(release)``.

    A notebook shows its size and promises, and :meth:`show` its public report; nothing of the custodian's.
    """

    __slots__ = ()

    def __init__(self) -> None:
        raise TypeError("releases are made by velamen.anonymize")

    @property
    def manifest(self) -> Manifest:
        """``release.json``: what was done, asked and reached."""
        return build(Manifest, json.loads(self._core.manifest()))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the checker found: everything holds, or is stated."""
        return tuple(build(Finding, found) for found in json.loads(self._core.findings()))

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
        """The custodian's folder, never to be published. A release in memory has none before :meth:`keep`."""
        path = self._core.custodian
        if path is None:
            raise AttributeError("a release in memory has no custodian's folder; keep(folder) makes both folders")
        return pathlib.Path(path)

    def keep(self, folder: Path) -> Release:
        """Brings a release in memory to ``folder``, and the custodian's to ``folder.custodian`` beside it.

        - ``folder``: The folder to make. Nothing that exists is replaced.

        The bytes are those of a run that names the output.
        """
        return self._of(self._core.keep(folder))

    def files(self) -> dict[str, bytes]:
        """The released files by name."""
        return self._core.files()

    def report(self) -> str:
        """The public report, a page of HTML."""
        return self._core.report()

    def to_arrow(self) -> _velamen.Records:
        """The released records."""
        return self._core.records()

    def to_pandas(self, ranges: Ranges = "text", ends: Ends | None = None) -> Any:
        """The released records as a frame of pandas.

        - ``ranges``: What stands in place of a range: ``"text"`` for its label, or the number or day that is its ``"low"``,
          ``"mid"`` or ``"high"``. :func:`velamen.read_release` gives all three.
        - ``ends``: By column, the least and the greatest possible value, which close labels such as ``>=90``.
        """
        return _frames.to_pandas(self.to_arrow(), self._numbers(ranges, ends))

    def to_polars(self, ranges: Ranges = "text", ends: Ends | None = None) -> Any:
        """The released records as a frame of polars.

        - ``ranges``: As of :meth:`to_pandas`.
        - ``ends``: As of :meth:`to_pandas`.
        """
        return _frames.to_polars(self.to_arrow(), self._numbers(ranges, ends))

    def _numbers(self, ranges: Ranges, ends: Ends | None) -> dict[str, list[Any]]:
        """The columns whose labels are ranges, and those of text that the codebook calls numbers or days, as such."""
        if _ranges.chosen(ranges) == "text":
            return {}
        files, cells = self.files(), _frames.columns_of(self.to_arrow())
        labels = _ranges.labels_of(files, ends)
        found = {name: _ranges.cells_of(name, cells[name], labels[name], ranges) for name in labels if name in cells}
        hidden = [number is None for number in cells.get("ClassID", [])]
        others = {name: column for name, column in cells.items() if name not in found and len(hidden) == len(column)}
        return found | _codebook.typed(others, hidden, files)

    def __len__(self) -> int:
        return self.manifest.records

    def to_dict(self) -> dict[str, Any]:
        """``release.json`` as a dictionary."""
        return self.manifest.to_dict()

    def __copy__(self) -> Release:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Release:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Release is not pickled: keep(folder) writes it; hand over the folder, which verify, risk and others take")

    def __repr__(self) -> str:
        manifest = self.manifest
        where = f" in {self.path.name}" if self.path else ""
        return f"<velamen.Release{where}: {in_classes(manifest.records, manifest.classes)}, certified>"

    def show(self) -> Page:
        """The public report, embedded in a notebook: the notebook then holds all of it."""
        return Page(self.report())

    def _repr_html_(self) -> str:
        return verified_html(repr(self).strip("<>"), self.findings)
