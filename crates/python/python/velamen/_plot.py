"""Points in a picture: for notebooks and files, by matplotlib where it is installed."""

from __future__ import annotations

import importlib
import importlib.util
import pathlib
from dataclasses import dataclass
from html import escape
from typing import Any

from ._call import Path
from ._show import shown
from .exceptions import FileError, UsageError

WIDTH, HEIGHT, LEFT, BELOW, REST = 460, 320, 70, 55, 25
"""Pixels of the picture and its margins."""

TICKS = 4
"""Parts of an axis."""

COLOUR = "#1f6f8b"


@dataclass(frozen=True)
class Plot:
    """Points in a picture. A notebook shows it."""

    points: tuple[tuple[float, float], ...]
    across: str
    up: str
    labels: tuple[str, ...] = ()
    """What each point is."""

    def figure(self) -> Any:
        """The picture as a ``Figure`` of matplotlib, to be changed: ``plot.figure().axes[0].set_xscale("log")``."""
        if importlib.util.find_spec("matplotlib") is None:
            raise ImportError("figure() needs the package matplotlib, which is not installed: pip install matplotlib", name="matplotlib")
        figure = importlib.import_module("matplotlib.figure").Figure(figsize=(6, 4), layout="constrained")
        axes = figure.subplots()
        axes.scatter([x for x, _ in self.points], [y for _, y in self.points], color=COLOUR)
        axes.set(xlabel=self.across, ylabel=self.up, xlim=(0, None), ylim=(0, None))
        return figure

    def save(self, path: Path) -> pathlib.Path:
        """Writes the picture; the file's path.

        - ``path``: A file whose name ends in ``.svg``. With matplotlib also ``.png``, ``.pdf`` and what else it writes.
        """
        place = pathlib.Path(path)
        has = importlib.util.find_spec("matplotlib") is not None
        if place.suffix.lower() != ".svg" and not (has and place.suffix):
            raise UsageError("path: expected a file .svg; with the package matplotlib also .png and .pdf")
        try:
            if place.suffix.lower() == ".svg":
                place.write_text(self._repr_svg_(), encoding="utf-8")
            else:
                self.figure().savefig(place)
        except FileNotFoundError:
            problem = f"there is no folder {place.parent} to write it to"
        except OSError as error:
            problem = error.strerror or "cannot be written"
        except ValueError:
            raise UsageError(f"path: matplotlib writes no {place.suffix}; expected .svg, .png or .pdf") from None
        else:
            return place
        raise FileError(f"{place.name}: {problem}")

    def _repr_svg_(self) -> str:
        most = [max((point[axis] for point in self.points), default=1.0) or 1.0 for axis in (0, 1)]
        base, right = HEIGHT - BELOW, WIDTH - REST

        def across(x: float) -> float:
            return LEFT + (right - LEFT) * x / most[0]

        def up(y: float) -> float:
            return base - (base - REST) * y / most[1]

        parts = [f'<path d="M{LEFT} {REST}V{base}H{right}" fill="none" stroke="#555"/>']
        for tick in range(TICKS + 1):
            x, y = most[0] * tick / TICKS, most[1] * tick / TICKS
            parts.append(f'<text x="{across(x):.1f}" y="{base + 18}" text-anchor="middle">{shown(float(x))}</text>')
            parts.append(f'<text x="{LEFT - 6}" y="{up(y) + 4:.1f}" text-anchor="end">{shown(float(y))}</text>')
        for at, (x, y) in enumerate(self.points):
            title = f"{self.labels[at]}; " if at < len(self.labels) and self.labels[at] else ""
            title += f"{self.across} {shown(x)}, {self.up} {shown(y)}"
            parts.append(f'<circle cx="{across(x):.1f}" cy="{up(y):.1f}" r="4" fill="{COLOUR}"><title>{escape(title)}</title></circle>')
        middle = (base + REST) / 2
        parts.append(f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 12}" text-anchor="middle">{escape(self.across)}</text>')
        parts.append(f'<text x="16" y="{middle}" text-anchor="middle" transform="rotate(-90 16 {middle})">{escape(self.up)}</text>')
        head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12">'
        return head + "".join(parts) + "</svg>"
