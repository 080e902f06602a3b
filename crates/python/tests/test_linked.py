"""Linked tables: persons and their rows in several tables, by files and by frames of every package."""

from __future__ import annotations

import gc
import random
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import velamen as vm

PERSONS = 400

SECRET = "zqse1234"
"""The key of a person, and of nobody who is released."""


def tables() -> dict[str, list[dict[str, Any]]]:
    draw = random.Random(11)
    codes = ["I10", "E11", "J45", "M54", "K21", "F32", "N18", "C50"]
    patients, stays = [], []
    for number in range(PERSONS):
        key = SECRET if number == 0 else f"zqpe{number:04}"
        patients.append({"patient_id": key, "sex": draw.choice("FM"), "town": f"zqto{draw.randrange(3):04}"})
        for code in draw.sample(codes, draw.randint(1, 3)):
            day = f"202{draw.randrange(3)}-0{draw.randint(1, 9)}-11"
            stays.append({"stay_id": 7_391_000 + len(stays), "patient_id": key, "code": code, "day": day})
    return {"patients": patients, "stays": stays}


RECIPE: dict[str, Any] = {
    "tables": {
        "patients": {"key": "patient_id", "attributes": {"sex": {"role": "quasi-identifier"}, "town": {"role": "identifier"}}},
        "stays": {
            "key": "stay_id",
            "parent": {"table": "patients", "column": "patient_id"},
            "attributes": {"code": {"role": "set"}, "day": {"role": "date"}},
        },
    },
    "privacy": [{"model": "k-km-anonymity", "k": 5, "m": 1}],
}


def frames(kind: str) -> dict[str, Any]:
    make = {
        "rows": vm.rows,
        "pandas": pd.DataFrame,
        "polars": pl.DataFrame,
        "pyarrow": pa.Table.from_pylist,
        "categories": lambda rows: pd.DataFrame(rows).astype({"patient_id": "category"}),
        "days": lambda rows: pl.DataFrame(rows).with_columns(pl.col(pl.String).cast(pl.Categorical)),
    }[kind]
    return {name: make(rows) for name, rows in tables().items()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The same as files, with a recipe beside them."""
    for name, rows in tables().items():
        pd.DataFrame(rows).to_csv(tmp_path / f"{name}.csv", index=False)
    return tmp_path


def with_files(folder: Path) -> dict[str, Any]:
    named = {name: {**section, "path": f"{name}.csv"} for name, section in RECIPE["tables"].items()}
    return {**RECIPE, "tables": named, "input": {"folder": str(folder)}}


KEY = {"key": {"environment": "VELAMEN_TEST_KEY"}}
"""New keys follow from it: runs with it can be compared."""


@pytest.mark.parametrize("kind", ["rows", "pandas", "polars", "pyarrow", "categories", "days"])
def test_frames_give_the_release_of_the_files(kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VELAMEN_TEST_KEY", "5c" * 32)
    by_files = vm.anonymize({**with_files(folder), **KEY})
    by_frames = vm.anonymize(frames(kind), {**RECIPE, **KEY})
    assert by_files.files() == by_frames.files()
    assert by_frames.verification.held


def test_a_release_gives_its_tables_by_name(tmp_path: Path) -> None:
    release = vm.anonymize(frames("polars"), vm.Recipe(RECIPE))
    assert list(release.tables) == ["patients", "stays"] and "stays" in release and len(release) == 2
    patients, stays = pl.DataFrame(release["patients"]), pl.DataFrame(release.tables["stays"])
    assert release.records == {"patients": len(patients), "stays": len(stays)}
    assert patients.columns == ["patient_id", "sex"] and patients["patient_id"].dtype == pl.Int64
    assert stays["day"].dtype == pl.Date and set(stays["patient_id"]) <= set(patients["patient_id"])
    assert release.manifest.persons["records"] == len(patients) > 0.9 * PERSONS
    assert release.survived.persons == (PERSONS, len(patients))
    assert release.path is None and "certified" in repr(release) and "<iframe" not in release._repr_html_() and "<iframe" in release.show()._repr_html_()
    with pytest.raises(KeyError):
        release["nothing"]
    saved = release.save(tmp_path / "release")
    assert saved.files() == release.files() and (saved.custodian / "keys.csv").exists()
    assert vm.verify(tmp_path / "release").held


def test_operations_take_releases_of_linked_tables(tmp_path: Path) -> None:
    given = frames("pandas")
    release = vm.anonymize(given, RECIPE)
    vm.verify(release).raise_for_promises()
    measured = vm.measure(release)
    assert isinstance(measured, vm.results.LinkedMeasures)
    assert measured.largest_k_in_classes["1"] >= 5 and measured.k is not None and measured.k >= 5
    assert measured.records == measured.persons == release.records["patients"] and "largest k" in measured._repr_html_()
    for original in (given, frames("polars")):
        attacked = vm.attack(release, original=original, background=1, targets=50)
        assert isinstance(attacked, vm.results.LinkedAttacks) and attacked.released is not None
        assert attacked.released.targets == 50 and attacked.released.codes.alone == 0
        assert len(attacked.to_arrow()) >= 4 and "alone" not in repr(attacked)
    kept = release.save(tmp_path / "kept")
    assert vm.attack(kept, original=given, background=1, targets=50).to_dict() == vm.attack(release, original=given, background=1, targets=50).to_dict()


def test_risk_and_estimate_know_linked_tables(folder: Path) -> None:
    recipe = vm.Recipe(with_files(folder))
    before, after = vm.risk(folder, recipe=recipe), vm.risk(vm.anonymize(recipe))
    for found in (before, after):
        assert isinstance(found, vm.results.LinkedRisk) and found.records == found.persons
        assert set(found.by_codes) == {"1", "2", "3"} and len(found.to_arrow()) == 9 and "alone" in found._repr_html_()
    assert isinstance(after, vm.results.LinkedRisk) and after.by_columns_and_codes["1"].best == 0 and after.least_class is not None
    for given in (None, frames("polars")):
        kept: object = vm.estimate(given, recipe)
        assert isinstance(kept, vm.results.LinkedEstimate) and kept.persons == PERSONS
        assert [(one.m, one.in_classes, one.by) for one in kept.kept] == [(m, c, "thin") for m in (1, 2, 3) for c in (False, True)]
        assert all(one.share is not None and 0 < one.share <= 1 for one in kept.kept)
    assert vm.schema(linked=True)["title"] == "Velamen recipe of linked tables"


def test_recipes_of_linked_tables_are_recipes(folder: Path) -> None:
    recipe = vm.Recipe(with_files(folder)).set("privacy.0.k", 7)
    assert recipe.is_linked and repr(recipe) == "<velamen.Recipe: linked tables, method thin>"
    assert recipe.to_dict()["privacy"][0]["k"] == 7 and recipe != vm.Recipe(with_files(folder))
    assert vm.anonymize(recipe).manifest.privacy[0]["k"] == 7
    path = folder / "recipe.toml"
    path.write_text(
        '[input]\nfolder = "."\n[tables.patients]\npath = "patients.csv"\nkey = "patient_id"\n[tables.patients.attributes]\n'
        'sex = { role = "quasi-identifier" }\ntown = { role = "identifier" }\n[[privacy]]\n'
        'model = "k-anonymity"\nk = 5\n[output]\npath = "../out-of-it"\n'
    )
    assert vm.anonymize(path).records == {"patients": PERSONS}
    assert vm.check(path).mistakes == () and vm.check({**RECIPE}, frames("rows")).mistakes == ()


def test_a_set_in_a_cell_of_one_table_needs_no_name() -> None:
    rows = [{"sex": "FM"[n % 2], "codes": ["I10;E11", "I10", "E11;J45"][n % 3]} for n in range(300)]
    recipe = {
        "attributes": {"sex": {"role": "quasi-identifier"}, "codes": {"role": "set", "items": ";"}},
        "privacy": [{"model": "k-km-anonymity", "k": 5, "m": 2}],
    }
    one = vm.anonymize(pd.DataFrame(rows), vm.Recipe(recipe))
    assert isinstance(one, vm.LinkedRelease) and one.records == {"persons": 300}
    assert vm.anonymize({"anything": pd.DataFrame(rows)}, recipe).records == {"persons": 300}


def test_missing_keys_of_pandas_are_no_fractions() -> None:
    """A column of whole numbers with a gap is one of fractions there: its keys lead to rows all the same."""
    persons = pd.DataFrame({"id": range(60), "sex": ["F", "M"] * 30})
    visits = pd.DataFrame({"visit": range(100, 160), "id": range(60)})
    codes = pd.DataFrame({"id": list(range(60)) * 2, "visit": [float(v) for v in range(100, 160)] + [None] * 60, "code": ["I10"] * 120})
    parent = {"table": "persons", "column": "id"}
    recipe = {
        "tables": {
            "persons": {"key": "id", "attributes": {"sex": {"role": "quasi-identifier"}}},
            "visits": {"key": "visit", "parent": parent, "is-referred-to": True},
            "codes": {"parent": parent, "attributes": {"visit": {"role": "reference", "table": "visits"}, "code": {"role": "set"}}},
        },
        "privacy": [{"model": "k-km-anonymity", "k": 5, "m": 1}],
    }
    release = vm.anonymize({"persons": persons, "visits": visits, "codes": codes}, recipe)
    assert release.records == {"persons": 60, "visits": 60, "codes": 120}
    assert pl.DataFrame(release["codes"])["visit"].null_count() == 60


def test_a_folder_is_profiled(folder: Path) -> None:
    omop = folder / "omop"
    omop.mkdir()
    person = {"person_id": range(40), "gender_concept_id": 8507, "year_of_birth": 1960, "race_concept_id": 0, "ethnicity_concept_id": 0}
    pd.DataFrame(person).to_csv(omop / "person.csv", index=False)
    condition = {
        "condition_occurrence_id": range(40), "person_id": range(40), "condition_concept_id": 201826,
        "condition_start_date": "2020-01-02", "condition_type_concept_id": 32817,
    }
    pd.DataFrame(condition).to_csv(omop / "condition_occurrence.csv", index=False)
    found = vm.profile(omop, as_="omop", recipe=folder / "omop.toml")
    assert found.folder is not None and found.folder.persons == found.records == 40
    assert {one.table for one in found.folder.tables} == {"person", "condition_occurrence"}
    assert "40 persons" in repr(found) and "condition_occurrence" in found._repr_html_()
    assert vm.anonymize(folder / "omop.toml", output=folder / "released").records["person"] == 40
    frames = {"person": pd.read_csv(omop / "person.csv"), "CONDITION_OCCURRENCE": pd.read_csv(omop / "condition_occurrence.csv")}
    recipe = {"input": {"shape": "omop"}, "privacy": [{"model": "k-km-anonymity", "k": 5, "m": 1}], "persons": {"window": ["2020-01-01", "2020-12-31"]}}
    assert vm.anonymize(frames, recipe).records["condition_occurrence"] == 40


WRONG: dict[str, tuple[dict[str, Any], type[Exception]]] = {
    "a row without a parent": ({"stays": [{"stay_id": 1, "patient_id": "zqpe9999", "code": "I10", "day": "2020-01-02"}]}, vm.DataError),
    "an empty key": ({"patients": [{"patient_id": None, "sex": "F", "town": SECRET}]}, vm.DataError),
    "two equal keys": ({"patients": [{"patient_id": SECRET, "sex": "F", "town": "x"}] * 9}, vm.DataError),
    "a day that is none": ({"stays": [{"stay_id": 1, "patient_id": SECRET, "code": "I10", "day": "zqda0001"}]}, vm.DataError),
    "a column without a role": ({"stays": [{"stay_id": 1, "patient_id": SECRET, "code": "I10", "day": "2020-01-02", "note": SECRET}]}, vm.VelamenError),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_no_message_shows_a_cell_or_the_temporary_folder(wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    changed, kind = WRONG[wrong]
    given = {name: vm.rows(changed.get(name, rows)) for name, rows in tables().items()}
    with pytest.raises(kind) as refused:
        vm.anonymize(given, RECIPE)
    said = " ".join([str(refused.value), repr(refused.value.__dict__), *getattr(refused.value, "__notes__", [])])
    found = vm.check(RECIPE, given)
    said += " ".join(str(mistake) for mistake in found.mistakes) + repr(found)
    assert len(found.mistakes) == 1
    assert "zq" not in said and str(tmp_path) not in said and "velamen-" not in said, said
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_what_is_given_must_be_what_the_recipe_names(recipe: vm.Recipe) -> None:
    given = frames("polars")
    for wrong, words in (
        ({"patients": given["patients"]}, "table `stays` of the recipe is not given"),
        ({**given, "wards": given["stays"]}, "no table `wards`"),
        ({**given, "a/b": given["stays"]}, "letters, digits"),
        ({**given, "stays": "stays.csv"}, "is a file beside tables in memory"),
    ):
        with pytest.raises(vm.UsageError, match=words):
            vm.anonymize(wrong, RECIPE)
    with pytest.raises(vm.UsageError, match="no input"):
        vm.anonymize(RECIPE)
    with pytest.raises(vm.UsageError, match="seed"):
        vm.anonymize(given, vm.Recipe(RECIPE), seed=1)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="no table"):
        vm.anonymize({"age": [1, 2]}, RECIPE)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="no table"):
        vm.anonymize(given, recipe)
    with pytest.raises(vm.UsageError, match="several tables"):
        vm.check(recipe, given)


def test_nothing_is_left_in_temporary_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    given = frames("pandas")
    release = vm.anonymize(given, RECIPE)
    vm.measure(release)
    vm.verify(release)
    vm.attack(release, original=given, targets=5)
    with pytest.raises(vm.PromiseError):
        vm.anonymize(given, vm.Recipe(RECIPE).set("privacy.0.k", PERSONS + 1))

    def stop(what: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        vm.anonymize(given, RECIPE, progress=stop)
    saved = release.save(tmp_path / "out")
    record = (saved.custodian / "custodian.json").read_text()
    assert "velamen-" not in record and '"patients.arrow"' in record
    gc.collect()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.custodian"]
