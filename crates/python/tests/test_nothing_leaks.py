"""A hunt: every cell of a table is a marker, and nothing that a notebook shows by itself may hold one.

A release's page may show what its files hold, and no more.
"""

from __future__ import annotations

import io
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import velamen as vm
from test_goes_wrong import all_texts, everything_shown

MARKER = re.compile(r"zq[a-z]{2}\d{4}|7391\d{5}|2391-\d\d-\d\d")
"""Texts, whole numbers and days that stand in no other place."""

NUMBER = 240


def cells() -> list[dict[str, Any]]:
    return [
        {
            "name": f"zqna{row:04}",
            "town": f"zqto{row % 4:04}",
            "number": 739_100_000 + row % 6,
            "born": f"2391-0{1 + row % 3}-11",
            "note": f"zqno{row:04}",
            "diagnosis": f"zqdi{row % 3:04}",
        }
        for row in range(NUMBER)
    ]


RECIPE: dict[str, Any] = {
    "attributes": {
        "name": {"role": "identifier"},
        "note": {"role": "identifier"},
        "town": {"role": "quasi-identifier"},
        "number": {
            "role": "quasi-identifier",
            "identifier-like": "intended",
            "hierarchy": {"interval": [10, 100], "min": 0, "max": 999_999_999},
        },
        "born": {"role": "quasi-identifier"},
        "diagnosis": {"role": "sensitive"},
    },
    "privacy": [{"model": "k-anonymity", "k": 5}],
    "method": {"name": "optimal", "suppression-limit": 0.05},
}


def shown_by(make: Callable[[], Any]) -> str:
    """What a cell of a notebook with this expression holds afterwards: the result, warnings, an error, both streams."""
    out, streams = io.StringIO(), (sys.stdout, sys.stderr)
    sys.stdout = sys.stderr = out
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                result = make()
                shown = everything_shown(result)
                if isinstance(result, tuple):
                    shown += " ".join(everything_shown(one) for one in result)
            except Exception as error:
                shown = all_texts(error)
    finally:
        sys.stdout, sys.stderr = streams
    return " ".join([shown, out.getvalue(), *(str(one.message) for one in told)])


def of_tables() -> dict[str, Callable[[], Any]]:
    """Calls about the table alone: no marker may show."""
    table, recipe = vm.rows(cells()), vm.Recipe(RECIPE)
    quasi = ["town", "number", "born"]
    return {
        "profile": lambda: vm.profile(table, progress=True),
        "profile with values": lambda: vm.profile(table, show_values=True),
        "columns": lambda: vm.profile(table, show_values=True).columns,
        "suggestions": lambda: tuple(column.suggestion for column in vm.profile(table).columns),
        "sets": lambda: (vm.profile(table).candidates, vm.profile(table).candidates.sets),
        "suggested recipe": lambda: vm.Recipe.suggest(table),
        "recipe": lambda: recipe.set("method.seed", 739_100_001),
        "measure": lambda: vm.measure(table, qi=quasi, sensitive="diagnosis"),
        "measures": lambda: tuple(vm.measure(table, qi=quasi, sensitive="diagnosis").sensitive.values()),
        "risk": lambda: vm.risk(table, qi=[*quasi, "name"], rows=5, show_values=True, special_uniques=2),
        "risk of a population": lambda: vm.risk(table, qi=quasi, population=table),
        "leak": lambda: vm.leak(table, up_to=2),
        "leaks": lambda: vm.leak(table, up_to=2).sets,
        "explore": lambda: vm.explore(table, recipe, progress=True),
        "solutions": lambda: vm.explore(table, recipe).solutions,
        "picture": lambda: vm.explore(table, recipe).plot(),
        "estimate": lambda: vm.estimate(table, recipe),
        "columns' cost": lambda: vm.estimate(table, recipe).columns,
        "records": lambda: table,
        "check": lambda: vm.check(recipe, table, progress=True),
        "checked": lambda: (vm.check(recipe, table).check, vm.check(recipe, table)),
        "hierarchy of a column": lambda: vm.hierarchy.build({"mask": "right", "length": 8, "alphabet": 36}, table=table, column="town"),
        "levels of a column": lambda: vm.hierarchy.show(
            {"mask": "right", "length": 8, "alphabet": 36}, table=table, column="town", show_values=True
        ),
        "one level": lambda: vm.hierarchy.show(
            {"mask": "right", "length": 8, "alphabet": 36}, table=table, column="town", show_values=True
        ).by_level,
    }


def of_errors() -> dict[str, Callable[[], Any]]:
    """Calls that are refused, each for something that is in the cells."""
    table = vm.rows(cells())
    other = vm.rows([{**row, "town": row["name"], "number": -1 - index} for index, row in enumerate(cells())])
    recipe = vm.Recipe(RECIPE)
    release = vm.anonymize(table, recipe)
    narrow = recipe.set("attributes.number.hierarchy", {"interval": [5], "min": 0, "max": 9})
    rows = recipe.set("attributes.town.hierarchy", {"rows": [["a", "*"], ["b", "*"]]})
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(cells())
    mixed = frame.assign(number=[cell if index % 2 else f"zqmi{index:04}" for index, cell in enumerate(frame["number"])])
    return {
        "a value outside": lambda: vm.anonymize(table, narrow),
        "a value that is not listed": lambda: vm.anonymize(table, rows),
        "explored": lambda: vm.explore(table, rows),
        "estimated": lambda: vm.estimate(table, rows),
        "the promise": lambda: vm.anonymize(table, recipe.set("privacy.0.k", 1000)),
        "a domain": lambda: vm.anonymize(table, recipe.set("attributes.diagnosis.domain", ["a", "b"])),
        "a day that is none": lambda: vm.anonymize(
            table, recipe.set("attributes.town.hierarchy", {"date": ["month", "year"]})
        ),
        "a seed": lambda: recipe.set("seed", 739_100_001),
        "an index": lambda: vm.anonymize(frame.set_index(pd.Index(frame["name"], name=None)), recipe),
        "an index of several": lambda: vm.anonymize(frame.rename(columns={"name": "n"}).set_index(["n", "note"]), recipe),
        "mixed": lambda: vm.anonymize(mixed, recipe),
        "a mixed index": lambda: vm.profile(mixed.set_index("number")),
        "as names": lambda: vm.profile(frame.set_index("name").T.reset_index(drop=True)).columns[0].role,  # type: ignore[attr-defined]
        "other records": lambda: vm.compare(other, release),
        "attacked with others": lambda: vm.attack(release, other),
        "others before": lambda: vm.risk(release, before=other),
        "another population": lambda: vm.risk(table, qi=["town"], population=other),
        "a reader": lambda: vm.rows([{"a": object()}]),
        "a check of a value outside": lambda: vm.check(narrow, table),
        "mistakes of a value outside": lambda: vm.check(narrow, table).mistakes,
        "raised for a value outside": lambda: vm.check(narrow, table).raise_for_mistakes(),
        "a check of a value that is not listed": lambda: vm.check(rows, table).mistakes,
        "a hierarchy of values outside": lambda: vm.hierarchy.build(
            {"interval": [5], "min": 0, "max": 9}, table=table, column="number"
        ),
        "a hierarchy of codes outside": lambda: vm.hierarchy.build({"icd-10": "who"}, codes=[row["town"] for row in cells()]),
        "levels of values outside": lambda: vm.hierarchy.show(
            {"icd-10": "who"}, table=table, column="note", show_values=True
        ),
    }


def of_releases(folder: Path) -> dict[str, Callable[[], Any]]:
    """Calls about a release: what its files hold may show."""
    table = vm.rows(cells())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        release = vm.anonymize(table, vm.Recipe(RECIPE), folder / "release")
        padded = vm.Recipe(RECIPE).set("method", {"name": "h-ceiling", "h": 0.3, "adversary-limit": 1})
        counterfeited = vm.anonymize(table, padded)
    return {
        "release": lambda: release,
        "with counterfeits": lambda: counterfeited,
        "manifest": lambda: (release.manifest, *release.manifest.privacy),
        "findings": lambda: release.findings,
        "verification": lambda: vm.verify(release),
        "released records": lambda: release.to_arrow(),
        "measures": lambda: vm.measure(release),
        "risk": lambda: vm.risk(release, rows=3, show_values=True),
        "risk and before": lambda: (vm.risk(release, before=table), vm.risk(release, before=table).before),
        "comparison": lambda: vm.compare(table, release),
        "attacks": lambda: vm.attack(counterfeited, table, targets=50, show_values=True),
        "single attacks": lambda: vm.attack(counterfeited, table, targets=50, show_values=True).attacks,
        "leaks": lambda: vm.leak(table, after=release),
        "truthful": lambda: vm.truthful(counterfeited),
        "made again": lambda: vm.report(release, folder / "page.html"),
        "differences": lambda: (vm.diff(release, counterfeited), vm.diff(release, release)),
        "missing values": lambda: _checked(folder, show_values=True),
        "missing values, raised": lambda: _checked(folder).raise_for_mistakes(),
    }


def _checked(folder: Path, show_values: bool = False) -> Any:
    """A hierarchy's file that lacks values of the table."""
    (folder / "towns.csv").write_text("a;*\nb;*\n")
    return vm.hierarchy.check(folder / "towns.csv", table=vm.rows(cells()), column="town", show_values=show_values)


def test_nothing_about_a_table_shows_a_cell() -> None:
    for name, make in of_tables().items():
        assert not MARKER.findall(shown_by(make)), name


def test_no_refusal_shows_a_cell() -> None:
    for name, make in of_errors().items():
        shown = shown_by(make)
        # A column's name is none, even where a table stands on its side.
        assert name == "as names" or not MARKER.findall(shown), name


def test_releases_show_what_their_files_hold(tmp_path: Path) -> None:
    made = of_releases(tmp_path)
    for name, make in made.items():
        released: set[str] = set()
        for release in (made["release"](), made["with counterfeits"]()):
            text = " ".join(str(column) for column in release.files().values())
            released |= set(MARKER.findall(text))
        assert "zqna" not in " ".join(released)
        found = set(MARKER.findall(shown_by(make)))
        assert found <= released, name
        assert not found or name in {"release", "with counterfeits", "manifest"}, name


def test_a_notebook_that_is_mailed_holds_no_cell(tmp_path: Path) -> None:
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    here = str(Path(__file__).parent)
    code = [
        f"import sys; sys.path.insert(0, {here!r})\n"
        "import velamen as vm, test_nothing_leaks as hunt, pathlib\n"
        "made = {**hunt.of_tables(), **hunt.of_errors()}; del made['as names']\n"
        f"releases = hunt.of_releases(pathlib.Path({str(tmp_path)!r}))\n"
        "quiet = [name for name in releases if name not in ('release', 'with counterfeits', 'manifest')]",
        *(f"made[{name!r}]()" for name in (*of_tables(), *of_errors()) if name != "as names"),
        *(f"releases[{name!r}]()" for name in ("verification", "comparison", "attacks", "risk", "leaks", "findings")),
    ]
    cells = [nbformat.v4.new_code_cell(text) for text in code]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=300, allow_errors=True).execute()
    assert not any(output.output_type == "error" for output in notebook.cells[0].outputs), notebook.cells[0].outputs
    shown = 0
    for cell in notebook.cells[1:]:
        for output in cell.outputs:
            shown += 1
            # The lines of the program that a traceback quotes hold no cell: those of this file hold patterns.
            assert not MARKER.findall(str(output)), (cell.source, str(output)[:2000])
    assert shown > 30
