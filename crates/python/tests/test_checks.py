"""Recipes are checked, releases compared and signed, hierarchies made, samples drawn: as by the program."""

from __future__ import annotations

import base64
import json
import stat
import subprocess
import warnings
from pathlib import Path
from typing import Any

import pytest

import velamen as vm
from velamen._text import spoken
from conftest import RECIPE, TOML, records

WRONG = TOML.replace('role = "sensitive"', 'role = "secret"').replace("k = 5", "k = 0")


def printed(program: str, *words: object) -> Any:
    run = subprocess.run([program, *map(str, words), "--json"], capture_output=True, text=True)
    return json.loads(run.stdout)


def made(recipe: vm.Recipe, table: Any, output: Path) -> vm.Release:
    """A release whose remarks are not looked at."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vm.VelamenWarning)
        return vm.anonymize(table, recipe, output)


# check


def test_mistakes_are_those_of_the_program(patients: Path, program: str) -> None:
    wrong = patients.parent / "wrong.toml"
    wrong.write_text(WRONG)
    found = vm.check(wrong)
    said = printed(program, "check", wrong)
    # Advice speaks of functions and pages in place of commands.
    said["mistakes"] = [{**mistake, "help": spoken(mistake["help"])} for mistake in said["mistakes"]]
    assert found.to_dict() == said and "`velamen explain" not in str(found)
    assert str(found).splitlines()[0] == "2 mistakes" and "E0523: " in str(found)
    assert [mistake.code for mistake in found.mistakes] == ["E0503", "E0523"]
    assert found.mistakes[1].line == WRONG.splitlines().index("k = 0") + 1 and found.check is None
    good = patients.parent / "recipe.toml"
    assert vm.check(good).to_dict() == printed(program, "check", good)
    read = vm.check(good, patients)
    assert str(read).startswith("no mistake, 1 remark, 600 records read\nremarks:\n") and "command line" not in str(read)
    assert read.to_dict() == printed(program, "check", good, "--data", "--input", patients)
    assert read.check is not None and read.check.data is not None and read.check.data.records == 600
    assert vm.check(vm.Recipe.from_file(good), data=True).to_dict() == read.to_dict()
    outside = patients.parent / "outside.csv"
    outside.write_text(patients.read_text().replace("\n", "\n300,F,10115,I63\n", 1))
    assert vm.check(good, outside).to_dict() == printed(program, "check", good, "--data", "--input", outside)


def test_a_mistake_is_raised_as_a_run_would(table: Any, recipe: vm.Recipe, tmp_path: Path) -> None:
    vm.check(recipe, table).raise_for_mistakes()
    outside = vm.rows([{**row, "age": 300} for row in records()])
    for call in (lambda: vm.check(recipe, outside).raise_for_mistakes(), lambda: vm.anonymize(outside, recipe)):
        with pytest.raises(vm.DataError, match="record 1, column `age`") as refused:
            call()
        assert refused.value.code == "E0409" and refused.value.kind == "data"
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(WRONG)
    with pytest.raises(vm.RecipeError, match=r"wrong.toml: line \d+: .*secret") as told:
        vm.check(wrong).raise_for_mistakes()
    assert told.value.place is not None and told.value.place.line == WRONG.splitlines().index('role = "secret"') + 1


def test_a_dictionary_has_no_lines_and_needs_no_place(table: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = vm.check({**RECIPE, "privacy": [{"model": "k-anonymity", "k": 0}]})
    assert [(one.key, one.line, one.file) for one in found.mistakes] == [("privacy.0.k", None, None)]
    assert len(found.to_arrow()) == 1 and repr(found) == "<velamen.Check: 1 mistake>"
    # In memory, whatever has the name of a place does not matter.
    monkeypatch.chdir(tmp_path)
    (tmp_path / "memory").mkdir()
    assert not vm.check(RECIPE, table).mistakes
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_text("x")
    # What stands in the way of a run is no mistake of the recipe's.
    standing = vm.check(RECIPE, table, output=tmp_path / "there")
    assert not standing.mistakes and "already exists" in standing.check.warnings[-1]
    with pytest.raises(vm.UsageError, match="names no input"):
        vm.check(RECIPE, data=True)
    with pytest.raises(vm.FileError):
        vm.check(tmp_path / "missing.toml")
    with pytest.raises(vm.UsageError, match="overwrite"):
        vm.check(RECIPE, table, overwrite="yes")  # type: ignore[arg-type]


# diff


def test_a_diff_is_that_of_the_program(patients: Path, program: str) -> None:
    recipe = vm.Recipe.from_file(patients.parent / "recipe.toml").set("method.name", "optimal")
    june, july = (patients.parent / name for name in ("june", "july"))
    first = made(recipe, None, june)
    made(recipe.set("privacy.0.k", 9), None, july)
    found = vm.diff(june, july)
    assert found.to_dict() == printed(program, "diff", june, july)
    assert not found.same and any(change.what == "k-anonymity.asked" for change in found.promises)
    assert len(found.to_arrow()) == len(found._changes()) > 0
    again = vm.diff(first, made(recipe, None, patients.parent / "again"))
    assert again.same and repr(again) == "<velamen.Diff: nothing changed>"
    assert again._repr_html_() == "<p>Diff: nothing changed</p>"
    assert "<table" in found._repr_html_() and "only before" in repr(found)
    in_memory = vm.anonymize(patients, recipe)
    assert vm.diff(in_memory, june).same
    with pytest.raises(TypeError, match="not a release"):
        vm.diff(june, vm.rows(records(10)))  # type: ignore[arg-type]


# explain


def test_pages_of_codes_are_those_of_the_program(program: str) -> None:
    codes = vm.explain()
    assert codes["E0409"] == vm.explain("e409").title
    for code in list(codes)[::12]:
        page = subprocess.run([program, "explain", code], capture_output=True, text=True, check=True).stdout
        assert vm.explain(code).page.strip() == page.strip()
    with pytest.raises(vm.UsageError, match="no error code"):
        vm.explain("E9999")
    with pytest.raises(vm.UsageError, match="error code"):
        vm.explain(vm.VelamenError("of no code"))


# sign and verify


def test_a_signature_is_that_of_the_program(recipe: vm.Recipe, table: Any, tmp_path: Path, program: str) -> None:
    release = made(recipe, table, tmp_path / "release")
    secret, public = vm.new_keys(tmp_path / "hospital")
    assert (secret, public) == (tmp_path / "hospital.key", tmp_path / "hospital.pub")
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert vm.sign(release, secret) == tmp_path / "release" / "SHA256SUMS.minisig"
    found = vm.verify(release, key=public)
    assert found.held and found.findings[-1].promise == "signature"
    assert found.to_dict()["findings"] == printed(program, "verify", tmp_path / "release", "--key", public)
    text = public.read_text().splitlines()[1]
    assert vm.verify(release, key=text).to_dict() == found.to_dict()
    _, other = vm.new_keys(tmp_path / "other")
    with pytest.raises(vm.PromiseError, match="signature"):
        vm.verify(release, key=other).raise_for_promises()
    with pytest.raises(vm.FileError, match="already exists"):
        vm.new_keys(tmp_path / "hospital")
    with pytest.raises(vm.UsageError, match="in memory"):
        vm.sign(vm.anonymize(table, recipe), secret)


def test_passwords_are_where_the_program_looks_and_no_key_is_shown(
    recipe: vm.Recipe, table: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = made(recipe, table, tmp_path / "release")
    secret = tmp_path / "hospital.key"
    # Of the form of an encrypted key, with little work for the password: whatever it is, it is wrong.
    work = (32_768).to_bytes(8, "little") + (1 << 20).to_bytes(8, "little")
    data = base64.b64encode(b"EdScB2" + b"zq" * 16 + work + b"zq" * 52).decode()
    secret.write_text(f"untrusted comment: velamen secret key\n{data}\n")
    monkeypatch.setenv("VELAMEN_KEY_PASSWORD", "zq-password")
    refusals = [lambda: vm.sign(release, secret), lambda: vm.verify(release, key=secret.read_text())]
    for refused in (*refusals, lambda: vm.verify(release, key=data)):
        with pytest.raises(vm.UsageError) as error:
            refused()
        shown = f"{error.value!r} {error.value.hint} {error.value.place} {getattr(error.value, '__notes__', '')}"
        assert data[10:30] not in shown and "zq-password" not in shown
    monkeypatch.delenv("VELAMEN_KEY_PASSWORD")
    with pytest.raises(vm.UsageError, match="VELAMEN_KEY_PASSWORD"):
        vm.sign(release, secret)


# synth


def test_a_sample_is_that_of_the_program(tmp_path: Path, program: str) -> None:
    pl = pytest.importorskip("polars")
    # More than one block, and most records distinct.
    for rows, distinct in ((66_000, False), (2_000, True)):
        file = tmp_path / f"{distinct}.csv"
        words = [program, "synth", "nps", "--rows", str(rows), "--seed", "7", "--output", str(file)]
        subprocess.run([*words, "--distinct"] if distinct else words, check=True, capture_output=True)
        sample = vm.synth("nps", rows, seed=7, distinct=distinct)
        assert pl.DataFrame(sample).write_csv() == file.read_text()
    assert vm.profile(sample).to_dict() == vm.profile(file).to_dict()
    recipe = sample.recipe.set("method", {"name": "optimal"}).set("output.format", "csv")
    assert vm.anonymize(sample, recipe).files() == vm.anonymize(file, recipe).files()


def test_samples_go_everywhere_and_wrong_ones_are_refused() -> None:
    sample = vm.synth("nps", 1)
    assert repr(sample) == "<velamen.Sample: 1 record, 6 columns, and a recipe>" and len(sample) == 1
    assert vm.profile(sample.to_arrow()).records == 1
    empty = vm.synth("nps", 0)
    assert len(empty) == 0 and len(empty.records.column_names) == 6
    assert vm.synth("nps", 50, seed="7").to_arrow().column_names == sample.records.column_names
    for wrong in ("other", 7):
        with pytest.raises(vm.UsageError, match="kind: expected"):
            vm.synth(wrong, 10)  # type: ignore[arg-type]
    for rows in (-1, 1.5, True, "10"):
        with pytest.raises(vm.UsageError, match="rows: expected"):
            vm.synth("nps", rows)  # type: ignore[arg-type]
    with pytest.raises(vm.UsageError, match="seed"):
        vm.synth("nps", 10, seed="no seed")


# hierarchy

FORMS: list[dict[str, Any]] = [
    {"interval": [5, 10], "min": 0, "max": 99},
    {"mask": "right", "length": 5},
    {"icd-10": "who"},
    {"date": ["month", "year"], "min": "2024-01-01", "max": "2024-12-31"},
    {"ordered": ["low", "middle", "high"], "groups": [2]},
]

CODES: list[list[str] | None] = [None, ["10115", "10117"], ["I63", "J18"], None, None]


@pytest.mark.parametrize("form, codes", list(zip(FORMS, CODES)), ids=[next(iter(form)) for form in FORMS])
def test_hierarchies_are_those_of_the_program(
    form: dict[str, Any], codes: list[str] | None, tmp_path: Path, program: str
) -> None:
    text = vm.hierarchy._text(form)
    words: list[object] = []
    if codes is not None:
        (tmp_path / "codes").write_text("\n".join(codes) + "\n")
        words = ["--codes", tmp_path / "codes"]
    theirs = tmp_path / "theirs.csv"
    command = [program, "hierarchy", "build", text, *words, "--output", theirs]
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    built = vm.hierarchy.build(form, tmp_path / "ours.csv", codes=codes)
    assert (tmp_path / "ours.csv").read_bytes() == theirs.read_bytes()
    assert built == vm.hierarchy.build(text, codes=tmp_path / "codes" if codes else None)
    # Read again, the file is the same hierarchy: by path, in a recipe, and as rows.
    assert vm.hierarchy.build(theirs, codes=codes).rows == built.rows
    assert vm.hierarchy.show(form, codes=codes).to_dict() == printed(program, "hierarchy", "show", text, *words)
    shown = vm.hierarchy.show(form, codes=codes, show_values=True)
    assert shown.to_dict() == printed(program, "hierarchy", "show", text, *words, "--show-values")
    assert shown.by_level[0].examples and str(shown.by_level[0].examples) not in repr(shown) + repr(shown.by_level)
    checked = vm.hierarchy.check(theirs)
    assert checked.sound and checked.to_dict() == printed(program, "hierarchy", "check", theirs)
    checked.raise_for_mistakes()
    with pytest.raises(vm.FileError, match="already exists"):
        vm.hierarchy.build(form, theirs, codes=codes)


def test_columns_of_tables_give_the_values(patients: Path, table: Any, tmp_path: Path, program: str) -> None:
    form = {"mask": "right", "length": 5}
    built = vm.hierarchy.build(form, table=table, column="zip")
    assert built == vm.hierarchy.build(form, table=patients, column="zip") and len(built.rows) == 5
    assert built.to_arrow().column_names == [f"level {level}" for level in range(6)]
    file = tmp_path / "lacking.csv"
    file.write_text("10115;1****;*\n10117;1****;*\n")
    found = vm.hierarchy.check(file, table=table, column="zip")
    words = ["hierarchy", "check", file, "--table", patients, "--column", "zip"]
    assert found.to_dict() == printed(program, *words)
    valued = vm.hierarchy.check(file, table=patients, column="zip", show_values=True)
    assert valued.to_dict() == printed(program, *words, "--show-values")
    assert found.missing_values == 3 and not found.sound and "20095" in str(valued)
    assert "20095" not in repr(valued) + valued._repr_html_() + str(found)
    with pytest.raises(vm.RecipeError, match="lacks 3 values"):
        found.raise_for_mistakes()
    file.write_text("10115;1****;*\n10115;2****;*\n10117;*\n")
    faulty = vm.hierarchy.check(file)
    assert faulty.to_dict() == printed(program, "hierarchy", "check", file) and len(faulty.faults) == 2
    with pytest.raises(vm.RecipeError, match="2 faults"):
        faulty.raise_for_mistakes()


def test_a_hierarchy_goes_into_a_recipe_and_comes_out_of_recipes_and_releases(
    recipe: vm.Recipe, table: Any, patients: Path, tmp_path: Path, program: str
) -> None:
    built = vm.hierarchy.build({"mask": "right", "length": 5}, table=table, column="zip")
    rows = recipe.set("attributes.zip.hierarchy", built.to_dict())
    assert vm.hierarchy.export(rows, "zip") == built
    # The rows know five postcodes, the mask all that there can be: the same labels lose less.
    released = vm.anonymize(table, rows), vm.anonymize(table, recipe)
    assert released[0].manifest.utility != released[1].manifest.utility
    file = patients.parent / "recipe.toml"
    theirs = tmp_path / "age.csv"
    command = [program, "hierarchy", "export", file, "--attribute", "age", "--output", theirs]
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    exported = vm.hierarchy.export(file, "age", tmp_path / "ours.csv")
    assert (tmp_path / "ours.csv").read_bytes() == theirs.read_bytes()
    kept = made(recipe, table, tmp_path / "release")
    assert vm.hierarchy.export(kept, "age") == exported == vm.hierarchy.export(released[1], "age")
    assert exported == vm.hierarchy.export(tmp_path / "release", "age") == vm.hierarchy.export(recipe, "age")
    for place in (recipe, kept, file):
        with pytest.raises(vm.UsageError, match="no attribute `agee` with a hierarchy"):
            vm.hierarchy.export(place, "agee")


def test_wrong_calls_of_hierarchy_name_the_option(table: Any, tmp_path: Path) -> None:
    mask = {"mask": "right", "length": 5}
    calls: list[tuple[Any, str]] = [
        (lambda: vm.hierarchy.build(mask), "give them with codes"),
        (lambda: vm.hierarchy.build(mask, table=table), "column: none; name"),
        (lambda: vm.hierarchy.build(mask, column="zip"), "table: none; give"),
        (lambda: vm.hierarchy.build(mask, codes=["10115"], table=table, column="zip"), "do not go together"),
        (lambda: vm.hierarchy.build(mask, codes=7), "codes"),  # type: ignore[arg-type]
        (lambda: vm.hierarchy.build({"maks": "right"}), "form of the hierarchy"),
        (lambda: vm.hierarchy.show("{ mask = "), "form of the hierarchy"),
        (lambda: vm.hierarchy.build(mask, table=table, column="zipp"), "did you mean `zip`"),
    ]
    for call, hint in calls:
        with pytest.raises(vm.UsageError, match=hint):
            call()
    with pytest.raises(vm.DataError, match="the values: number 2: a wrong value; expected") as refused:
        vm.hierarchy.build({"interval": [5], "min": 0, "max": 9}, codes=["3", "ZQ"])
    assert "ZQ" not in str(refused.value)
    with pytest.raises(vm.FileError):
        vm.hierarchy.check(tmp_path / "missing.csv")
