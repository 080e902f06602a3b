"""What recipients compute: frames of a release, numbers for its ranges, counts without its counterfeits."""

from __future__ import annotations

import collections
import datetime
import json
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

import velamen as vm
from conftest import RECIPE, records

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

PADDED: dict[str, Any] = {**RECIPE, "method": {"name": "h-ceiling", "adversary-limit": 1, "h": 0.3, "seed": 3}}


@pytest.fixture
def padded(table: Any) -> vm.Release:
    release = vm.anonymize(table, vm.Recipe(PADDED))
    assert release.manifest.counterfeits, "without a counterfeit these tests show nothing"
    return release


def test_a_release_is_a_frame(recipe: vm.Recipe, table: Any) -> None:
    release = vm.anonymize(table, recipe)
    names = ["ClassID", "age", "sex", "zip", "diagnosis"]
    frames = [pd.DataFrame(release), release.to_pandas(), release.to_polars().to_pandas(), release.to_arrow().to_pandas()]
    frames += [pd.DataFrame(release.to_arrow()), release.to_arrow().to_arrow().to_pandas(), pa.table(release).to_pandas()]
    for frame in frames:
        assert list(frame.columns) == names and len(frame) == len(release) == 600
        assert frame["diagnosis"].tolist() == frames[0]["diagnosis"].tolist()
    assert isinstance(release.to_polars(), pl.DataFrame) and pl.DataFrame(release).equals(release.to_polars())
    assert next(iter(release)) == release.to_arrow().to_arrow().to_pylist()[0]


def test_what_has_to_arrow_is_a_frame(recipe: vm.Recipe, table: Any) -> None:
    release = vm.anonymize(table, recipe)
    for result in (
        vm.verify(release), vm.profile(table), vm.compare(table, release), vm.attack(release, table, targets=20),
        vm.risk(release), vm.leak(table), vm.estimate(table, recipe), vm.explore(table, recipe), vm.check(recipe), vm.diff(release, release),
    ):
        rows = len(result.to_arrow())
        assert len(result.to_pandas()) == len(result.to_polars()) == len(pd.DataFrame(result)) == rows, type(result)
    sample = vm.synth("nps", 30)
    assert len(pd.DataFrame(sample)) == len(sample.to_polars()) == 30


def test_a_table_without_a_package_that_it_needs_says_so(recipe: vm.Recipe) -> None:
    code = "import sys; sys.modules['polars'] = None; import velamen; velamen.rows([{'a': 1}]).to_polars()"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "polars" in told.stderr and "ImportError" in told.stderr


def test_an_index_without_a_name_can_be_an_error(recipe: vm.Recipe) -> None:
    frame = pd.DataFrame(records()).sample(300, random_state=1)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "the frame's index")
        with pytest.raises(vm.VelamenWarning):
            vm.anonymize(frame, recipe)


def test_selections_samples_and_lazy_frames_are_tables(recipe: vm.Recipe) -> None:
    frame = pd.DataFrame(records())
    for selection in (frame[frame["age"] > 30], frame.sample(300, random_state=1), frame.sort_values("age")):
        with pytest.warns(vm.VelamenWarning, match="index has no name"):
            release = vm.anonymize(selection, recipe)
        assert release.to_arrow().column_names == ["ClassID", "age", "sex", "zip", "diagnosis"]
        assert len(release) == len(selection)
    lazy = pl.DataFrame(records()).lazy().filter(pl.col("age") > 30)
    assert vm.profile(lazy).records == lazy.collect().height
    assert len(vm.anonymize(lazy, recipe)) == lazy.collect().height


def test_ranges_are_numbers(recipe: vm.Recipe, table: Any) -> None:
    release = vm.anonymize(table, recipe)
    labels = release.to_pandas()["age"]
    low, mid, high = (release.to_pandas(which)["age"] for which in ("low", "mid", "high"))
    assert str(mid.dtype) == "float64"
    for label, one, middle, other in zip(labels, low, mid, high):
        if label.startswith("["):
            assert label == f"[{one:.0f}-{other:.0f}]" and middle == (one + other) / 2
    assert release.to_polars("mid")["age"].to_list() == mid.tolist()
    with pytest.raises(vm.UsageError, match="ranges: expected"):
        release.to_pandas("middle")  # type: ignore[arg-type]


def test_open_ends_are_missing_until_they_are_closed(table: Any) -> None:
    recipe = vm.Recipe(RECIPE).set("attributes.age.top", 80)
    received = vm.read_release(vm.anonymize(table, recipe))
    labels = received.to_arrow().to_pandas()["age"]
    is_open = labels.str.startswith(">=")
    assert is_open.any()
    frame = received.to_pandas()
    assert frame["age_high"][is_open].isna().all() and frame["age"][is_open].isna().all()
    with pytest.raises(vm.UsageError, match="open end"):
        received.mean("age")
    closed = vm.read_release(vm.anonymize(table, recipe), ends={"age": (0, 110)})
    assert (closed.to_pandas()["age_high"][is_open] == 110).all()
    mean = closed.mean("age").to_pandas().iloc[0]
    true = sum(row["age"] for row in records()) / 600
    assert mean["low"] <= true <= mean["high"]
    for wrong in ({"age": (0, 3)}, {"age": 110}, {"sex": (0, 1)}, {"age": ("a", "b")}):
        with pytest.raises(vm.UsageError, match="ends"):
            vm.read_release(vm.anonymize(table, recipe), ends=wrong)  # type: ignore[arg-type]


def test_numbers_that_are_released_as_they_are_are_numbers() -> None:
    rows = [{"age": 20 + at % 3, "born": f"1990-0{1 + at % 2}-01", "diagnosis": "ab"[at % 2]} for at in range(600)]
    quasi = {"role": "quasi-identifier", "max-level": 0}
    attributes = {
        "age": {**quasi, "hierarchy": {"interval": [5], "min": 0, "max": 99}},
        "born": {**quasi, "hierarchy": {"date": ["month"], "min": "1950-01-01", "max": "1999-12-31"}},
        "diagnosis": {"role": "sensitive"},
    }
    release = vm.anonymize(vm.rows(rows), vm.Recipe({**RECIPE, "attributes": attributes}))
    assert "labels.csv" not in release.files() and release.to_pandas()["age"].iloc[0] == "20"
    received = vm.read_release(release)
    assert received.mean("age").to_pandas().loc[0].tolist() == [21, 21, 21]
    frame = received.to_polars()
    assert frame["age"].dtype == pl.Float64 and frame["born"].dtype == pl.Date and frame["age_low"].equals(frame["age"].alias("age_low"))
    assert release.to_pandas("mid")["age"].mean() == 21


def test_days_stay_days(recipe: vm.Recipe) -> None:
    rows = [{**row, "born": f"{1950 + at % 40}-0{1 + at % 9}-1{at % 10}"} for at, row in enumerate(records())]
    born = {"role": "quasi-identifier", "hierarchy": {"date": ["month", "year", "10-years"], "min": "1940-01-01", "max": "1999-12-31"}}
    attributes = {**RECIPE["attributes"], "born": born}
    del attributes["zip"], attributes["age"]
    table = vm.rows({key: row[key] for key in attributes} for row in rows)
    # The days repeat themselves, as those of people do not.
    own = vm.Recipe({**RECIPE, "input": {"rows": "independent"}, "attributes": attributes})
    frame = vm.read_release(vm.anonymize(table, own)).to_polars()
    known = frame.filter(~pl.col("suppressed"))
    assert known.height and known.schema["born_low"] == pl.Date
    assert (known["born_low"] <= known["born"]).all() and (known["born"] <= known["born_high"]).all()
    assert known["born_low"].min() >= datetime.date(1940, 1, 1)


def test_suppressed_records_are_marked(recipe: vm.Recipe, table: Any) -> None:
    release = vm.anonymize(table, recipe)
    received = vm.read_release(release)
    assert sum(received.suppressed) == release.manifest.suppressed > 0
    hidden = received.to_pandas().query("suppressed")
    assert hidden["age"].isna().all() and (hidden["sex"] == "*").all() and (hidden["age_high"] == 99).all()
    assert received.count().to_pandas().loc[0].to_dict() == {"records": 600, "suppressed": release.manifest.suppressed, "estimate": 600}


def test_counts_leave_counterfeits_out(padded: vm.Release) -> None:
    received = vm.read_release(padded)
    assert len(received) == 600 + (padded.manifest.counterfeits or 0)
    assert round(sum(received.weights), 6) == 600
    true = collections.Counter(row["diagnosis"] for row in records())
    counted = received.count("diagnosis").to_pandas()
    assert {row.diagnosis: round(row.estimate, 6) for row in counted.itertuples()} == true
    assert counted["records"].sum() == len(received)
    by = received.count(["sex", "diagnosis"]).to_pandas()
    assert round(by["estimate"].sum(), 6) == 600
    weighted = received.to_pandas()
    mean = received.mean("age", by="sex").to_pandas().set_index("sex")
    part = weighted[weighted["sex"] == "F"]
    assert mean.loc["F", "mean"] == pytest.approx((part["age"] * part["weight"]).sum() / part["weight"].sum())


def test_a_folder_reads_as_the_release_in_memory(padded: vm.Release, tmp_path: Path, table: Any) -> None:
    kept = padded.keep(tmp_path / "release")
    text = vm.anonymize(table, vm.Recipe(PADDED).set("output.format", "csv"))
    one, other, third = vm.read_release(padded), vm.read_release(tmp_path / "release"), vm.read_release(text)
    assert kept.path == tmp_path / "release"
    assert one.weights == other.weights == third.weights and one.suppressed == other.suppressed
    assert one.to_polars().equals(other.to_polars())
    with pytest.raises(vm.VelamenError):
        vm.read_release(tmp_path)


def test_a_catalog_that_does_not_fit_is_refused(padded: vm.Release, tmp_path: Path) -> None:
    padded.keep(tmp_path / "release")
    catalog = (tmp_path / "release" / "catalog.csv").read_text().splitlines()
    for forged in (
        [*catalog[:1], catalog[1].rsplit(",", 1)[0] + ",99999"], [*catalog[:1], catalog[1].rsplit(",", 1)[0] + ",-1"],
        ["a,b,c", *catalog[1:]], [*catalog, "1 2"], [],
    ):
        shutil.copytree(tmp_path / "release", tmp_path / "forged", dirs_exist_ok=True)
        (tmp_path / "forged" / "catalog.csv").write_text("\n".join(forged))
        with pytest.raises(vm.DataError, match="does not fit"):
            vm.read_release(tmp_path / "forged")


def test_columns_that_are_not_there_or_no_numbers(padded: vm.Release) -> None:
    received = vm.read_release(padded)
    for column in ("weight", "sex"):
        with pytest.raises(vm.UsageError, match="column"):
            received.mean(column)
    with pytest.raises(vm.UsageError, match="by: the release has no column"):
        received.count("town")
    assert vm.read_release(padded, ranges="text").to_pandas()["age"].str.startswith("[").all()
    shown = repr(received) + received._repr_html_() + str(received)
    assert not any(cell in shown for cell in ("I63", "J18", "10115", "1011*")), "no cell is shown"
    assert "counterfeit" in received._repr_html_() and json.dumps(received.notes) == "[]"


def test_numbers_of_a_release_in_text_are_numbers(tmp_path: Path) -> None:
    rows = [{"age": 20 + at % 40, "sex": "FM"[at % 2], "stay": at % 6, "day": f"2024-01-{1 + at % 5:02}"} for at in range(600)]
    roles = {"age": "quasi-identifier", "sex": "quasi-identifier", "stay": "insensitive", "day": "insensitive"}
    (tmp_path / "stays.csv").write_text("\n".join([",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]) + "\n")
    attributes = {name: {"role": role} for name, role in roles.items()} | {
        "age": {"role": "quasi-identifier", "hierarchy": {"interval": [20, 40], "min": 0, "max": 79}},
    }
    release = vm.anonymize(tmp_path / "stays.csv", vm.Recipe({**RECIPE, "attributes": attributes, "input": {"path": "x", "rows": "independent"}}))
    received = vm.read_release(release)
    frame = received.to_pandas()
    assert frame["stay"].dtype.kind == "i" and frame["day"].dtype.kind == "M"
    (mean,) = received.mean("stay")
    assert mean["mean"] == pytest.approx(sum(row["stay"] for row in rows) / len(rows))
