"""Each command has its function, and gives what the command prints."""

from __future__ import annotations

import datetime
import decimal
import json
import pickle
import subprocess
import warnings
from pathlib import Path
from typing import Any

import pytest

import velamen as vm
from conftest import records


def test_a_release_in_memory_is_certified_and_a_table(recipe: vm.Recipe, table: Any) -> None:
    release = vm.anonymize(table, recipe)
    assert release.findings and all(found.state in ("held", "stated") for found in release.findings)
    assert release.manifest.privacy[0].reached["k"] >= 5
    assert release.manifest.method["name"] == "optimal"
    records = release.to_arrow()
    assert len(records) == release.manifest.records == 600
    assert records.column_names[0] == "ClassID"
    assert set(release.files()) >= {"data.arrow", "release.json", "report.html"}
    assert release.to_dict() == json.loads(release.files()["release.json"])
    assert release.path is None


def test_keep_gives_the_bytes_of_a_run_with_an_output(recipe: vm.Recipe, table: Any, tmp_path: Path) -> None:
    kept = vm.anonymize(table, recipe).keep(tmp_path / "kept")
    named = vm.anonymize(table, recipe, tmp_path / "named")
    assert kept.path == tmp_path / "kept" and kept.custodian == tmp_path / "kept.custodian"
    assert kept.files() == named.files()
    assert {file.name for file in kept.custodian.iterdir()} == {file.name for file in named.custodian.iterdir()}
    vm.verify(kept).raise_for_promises()
    with pytest.raises(vm.FileError):
        vm.anonymize(table, recipe).keep(tmp_path / "kept")


def test_the_program_and_the_package_give_the_same_bytes(patients: Path, program: str) -> None:
    folder = patients.parent
    for method, output in (("h-ceiling", "csv"), ("optimal", "parquet"), ("mondrian", "arrow")):
        name = f"{method}-{output}"
        change = [("method.name", method), ("output.format", output)]
        recipe = vm.Recipe.from_file(folder / "recipe.toml")
        for key, value in change:
            recipe = recipe.set(key, value)
        ours = _of(recipe, None, folder / name)
        command = [program, "anonymize", folder / "recipe.toml", "--quiet", "--output", folder / f"cli-{name}"]
        sets = [word for key, value in change for word in ("--set", f"{key}={value}")]
        subprocess.run([*map(str, command), *map(str, sets)], check=True, capture_output=True)
        theirs = {file.name: file.read_bytes() for file in (folder / f"cli-{name}").iterdir()}
        assert ours.files() == theirs, name
        in_memory = _of(recipe, None)
        assert in_memory.files() == theirs, name


def _of(recipe: vm.Recipe, table: Any, output: Path | None = None) -> vm.Release:
    """A release whose remarks are not looked at."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vm.VelamenWarning)
        return vm.anonymize(table, recipe, output)


def test_results_are_those_of_the_program(patients: Path, program: str) -> None:
    def told(*words: object) -> Any:
        run = subprocess.run([program, *map(str, words), "--json"], capture_output=True, text=True)
        return json.loads(run.stdout)

    folder = patients.parent
    release = _with_output(folder)
    assert vm.profile(patients).to_dict() == told("profile", patients)
    assert vm.measure(patients, qi=["age", "sex"], sensitive="diagnosis").to_dict() == told(
        "measure", patients, "--qi", "age,sex", "--sensitive", "diagnosis"
    )
    assert vm.measure(release).to_dict() == told("measure", release.path)
    assert vm.risk(release, before=patients).to_dict() == told("risk", release.path, "--before", patients)
    assert vm.compare(patients, release).to_dict() == told("compare", patients, release.path)
    assert vm.attack(release, patients, targets=50).to_dict() == told(
        "attack", release.path, "--original", patients, "--targets", 50
    )
    assert vm.leak(patients, after=release).to_dict() == told("leak", patients, "--after", release.path)
    assert vm.verify(release).to_dict()["findings"] == told("verify", release.path)
    recipe = vm.Recipe.from_file(folder / "recipe.toml").set("method.name", "optimal")
    assert vm.explore(None, recipe).to_dict() == told(
        "explore", folder / "recipe.toml", "--set", "method.name=optimal"
    )
    estimated = vm.estimate(None, recipe)
    assert estimated.fits and estimated.records == 600


def _with_output(folder: Path) -> vm.Release:
    return _of(vm.Recipe.from_file(folder / "recipe.toml"), None, folder / "release")


def test_in_memory_tables_and_releases_go_everywhere(recipe: vm.Recipe, table: Any, patients: Path) -> None:
    release = vm.anonymize(table, recipe)
    assert vm.verify(release).held
    assert vm.measure(release).k == release.manifest.privacy[0].reached["k"]
    assert vm.measure(table, qi=["age", "sex", "zip"], sensitive="diagnosis").k == 1
    risk = vm.risk(release, before=table)
    assert risk.before is not None and risk.before.uniques > risk.uniques == 0
    assert vm.risk(table, qi=["sex"]).to_dict() == vm.risk(patients, qi=["sex"]).to_dict()
    assert vm.compare(table, release).original_records == 600
    assert vm.compare(table, release).to_dict() == vm.compare(patients, release).to_dict()
    attacks = vm.attack(release, table, targets=20, attacks=["linkage"])
    assert attacks.attacks[0].figures[0].rate <= 1
    leaks = vm.leak(table, after=release, attributes=["age", "sex"])
    assert leaks.sets[0].after is not None
    assert vm.profile(table).records == 600
    front = vm.explore(table, recipe)
    assert front.solutions and len(front.to_arrow()) == len(front.solutions)
    assert "<svg" in front.plot()._repr_svg_()
    assert vm.anonymize(table, recipe.choose(front.solutions[0])).manifest.classes == front.solutions[0].classes
    assert vm.estimate(table, recipe).fits
    assert vm.schema()["title"] == "Velamen recipe"


def test_reports_truthful_versions_and_pages(patients: Path) -> None:
    release = _with_output(patients.parent)
    assert release.manifest.counterfeits is not None
    genuine = vm.truthful(release)
    assert not isinstance(genuine, int) and len(genuine) == 600
    assert vm.truthful(release, patients.parent / "truthful.csv") == 600
    vm.report(release, patients.parent / "page.html")
    assert (patients.parent / "page.html").read_text() == release.report()


def test_an_audit_says_what_it_found(patients: Path) -> None:
    private = {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"interval": [50], "min": 0, "max": 99}},
            "diagnosis": {"role": "sensitive", "domain": ["I63", "J18"]},
        },
        "privacy": [{"model": "differential-privacy", "epsilon": 1.0, "delta": 0.0}],
        "method": {"name": "contingency-table"},
    }
    try:
        found = vm.audit(vm.Recipe(private), trials=4, ordinary=True, seed=1)
    except vm.VelamenError as error:
        pytest.fail(f"{error.kind}: {error}")
    assert found.verdict.says in {"not-refuted", "cannot-tell"}
    assert found.claimed is not None and found.claimed.epsilon == 1.0
    found.raise_for_promises()


def test_an_audit_from_inside_replays_what_was_drawn() -> None:
    invented = {
        "attributes": {
            "age": {"role": "quasi-identifier", "domain": {"min": 0, "max": 99, "bins": 5}},
            "diagnosis": {"role": "quasi-identifier", "domain": ["I63", "J18"]},
        },
        "privacy": [{"model": "differential-privacy", "epsilon": 1.0, "delta": 1e-6}],
        "method": {"name": "mst"},
    }
    found = vm.audit(vm.Recipe(invented), inside=True, ordinary=True, seed=1)
    assert found.verdict.says == "not-refuted" and found.found is None
    assert found.inside is not None and found.inside.differences == ()
    assert found.inside.replays == 4 * found.pairs
    found.raise_for_promises()


def test_recipes_are_files_text_dictionaries_and_suggestions(table: Any, patients: Path) -> None:
    suggested = vm.Recipe.suggest(table)
    assert "[attributes.age]" in suggested.source and "[output]" not in suggested.source
    assert _of(suggested, table).manifest.records > 0
    assert _of(vm.Recipe.suggest(patients), None).manifest.records > 0
    recipe = vm.Recipe.from_text(suggested.source)
    changed = recipe.set("method.name", "optimal").set("privacy.0.k", 10).set("method.suppression-limit", 0.2)
    assert changed.to_dict()["privacy"][0]["k"] == 10
    assert recipe.to_dict()["privacy"][0]["k"] == 5
    again = pickle.loads(pickle.dumps(changed))
    assert again.to_dict() == changed.to_dict()
    with pytest.raises(AttributeError):
        recipe.source = "other"  # type: ignore[misc]


def test_results_are_frozen(table: Any) -> None:
    measures = vm.measure(table, qi=["sex"])
    with pytest.raises(AttributeError):
        measures.k = 7  # type: ignore[misc]


def test_a_recipe_without_an_input_wants_a_table(recipe: vm.Recipe) -> None:
    with pytest.raises(vm.UsageError, match="names no input"):
        vm.anonymize(None, recipe)


def test_one_name_needs_no_list(table: Any) -> None:
    assert vm.measure(table, qi="sex", sensitive="diagnosis").to_dict() == vm.measure(
        table, qi=["sex"], sensitive=["diagnosis"]
    ).to_dict()
    assert [one.attributes for one in vm.leak(table, attributes="age").sets] == [("age",)]


def test_calls_that_mistake_one_thing_for_another_are_told_which(recipe: vm.Recipe, table: Any, tmp_path: Path) -> None:
    for wrong in ("recipe.toml", {"attributes": {}}, None):
        with pytest.raises(TypeError, match="no recipe: Recipe.from_file"):
            vm.anonymize(table, wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="velamen._velamen.Records is not a release: expected a Release"):
        vm.compare(vm.anonymize(table, recipe), table)
    for threads in (0, -1, "2", 1.5):
        with pytest.raises(vm.UsageError, match="threads: expected a whole number from 1"):
            vm.profile(table, threads=threads)  # type: ignore[arg-type]
    with pytest.raises(vm.UsageError, match="`agee` is not a column of the table; did you mean `age`"):
        vm.measure(table, qi="agee")
    outside = vm.rows([{**row, "age": 300} for row in records(20)])
    with pytest.raises(vm.DataError, match="the table: record 1, column `age`"):
        vm.anonymize(outside, recipe)


def test_queries_are_answered_or_it_is_said_which_build_does(recipe: vm.Recipe, table: Any) -> None:
    release = vm.anonymize(table, recipe)
    try:
        assert vm.query(release, "SELECT sex, count(*) FROM release GROUP BY sex")
    except vm.UsageError as refused:
        assert "docs/python.md says how to build one" in str(refused)


def test_rows_hold_what_json_has_and_days() -> None:
    day = datetime.date(2024, 2, 29)
    made = vm.rows([{"day": day, "at": datetime.time(12), "price": decimal.Decimal("1.50")}] * 3)
    assert [column.type for column in vm.profile(made).columns][0] == "date"
    with pytest.raises(TypeError, match="no set"):
        vm.rows([{"a": {1}}])


def test_a_profile_prints_as_a_table() -> None:
    table = vm.rows([{"age": 30 + n % 3, "email": f"a{n}@example.org"} for n in range(1_200)])
    printed = str(vm.profile(table)).splitlines()
    assert printed[0] == "1,200 records, 2 columns"
    assert printed[2].split()[:4] == ["name", "type", "distinct", "missing"]
    assert printed[3].split()[:3] == ["age", "whole-number", "3"]
    assert any(line.startswith("  email: ") for line in printed)
    assert str(vm.profile(table, show_values=True)).startswith("{")
