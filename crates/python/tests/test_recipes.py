"""Recipes: checked when they are made, of parts with completion, written as files; hierarchies of what Python has."""

from __future__ import annotations

import dataclasses
import datetime
import re
from pathlib import Path
from typing import Any

import pytest

import forms
import velamen as vm
from conftest import RECIPE, TOML, records
from velamen import hierarchy, methods


def test_the_generated_parts_are_those_of_the_schema() -> None:
    for name, text in forms.modules().items():
        assert (forms.PACKAGE / name).read_text() == text, f"python tests/forms.py writes {name} again"


def test_all_models_and_methods_have_a_class_with_all_keys() -> None:
    schema = vm.schema()
    for module, key, listed in ((vm.models, "model", schema["$defs"]["PrivacySection"]["oneOf"]), (methods, "name", schema["properties"]["method"]["oneOf"])):
        for form in listed:
            found = getattr(module, forms.class_name(form["title"]))
            names = {field.name.rstrip("_").replace("_", "-") for field in dataclasses.fields(found)}
            assert names | set(found.NAMED) == set(form["properties"]), form["title"]
            assert found.NAMED[key] == form["properties"][key]["const"] and len(vars(module)["__all__"]) >= len(listed)


def test_published_ipa_has_both_its_names() -> None:
    assert methods.IpaPublished().to_dict() == {"name": "ipa", "guarantee": "published"}


def test_parts_make_the_recipe_that_a_dictionary_makes(table: Any) -> None:
    of_parts = vm.Recipe(
        attributes={
            "age": vm.Attribute(role="quasi-identifier", hierarchy={"interval": [5, 10, 20], "min": 0, "max": 99}),
            "sex": vm.Attribute(role="quasi-identifier"),
            "zip": vm.Attribute(role="quasi-identifier", hierarchy={"mask": "right", "length": 5}),
            "diagnosis": vm.Attribute(role="sensitive"),
        },
        privacy=vm.KAnonymity(k=5),
        method=methods.Optimal(suppression_limit=0.05, seed=3),
    )
    assert of_parts == vm.Recipe(RECIPE)
    assert vm.Recipe({**RECIPE, "privacy": [vm.KAnonymity(k=5)]}) == of_parts
    changed = of_parts.set("privacy", [vm.KAnonymity(k=5), vm.DistinctLDiversity(l=2)])
    assert changed.to_dict()["privacy"][1] == {"model": "distinct-l-diversity", "l": 2}
    assert vm.anonymize(table, changed).manifest.privacy[1].model == "distinct-l-diversity"
    with pytest.raises(TypeError, match="kk"):
        vm.KAnonymity(kk=5)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    "change, key",
    [
        ({"privacy": [{"model": "k-anonymit", "k": 5}]}, "privacy.0.model"),
        ({"privacy": [{"model": "k-anonymity", "k": 0}]}, "privacy.0.k"),
        ({"privacy": [{"model": "k-anonymity", "kk": 5}]}, "privacy.0.kk"),
        ({"method": {"name": "optima"}}, "method.name"),
        ({"method": {"name": "optimal", "h": 0.3}}, "method.h"),
    ],
)
def test_a_recipe_is_checked_when_it_is_made(change: dict[str, Any], key: str, tmp_path: Path) -> None:
    with pytest.raises(vm.RecipeError) as told:
        vm.Recipe({**RECIPE, **change})
    assert told.value.place is not None and told.value.place.key == key and told.value.code
    (section,) = change
    with pytest.raises(vm.VelamenError):
        vm.Recipe(RECIPE).set(section, change[section])
    assert vm.check({**RECIPE, **change}).mistakes, "check takes a dictionary that is no recipe"


def test_no_mistake_speaks_of_the_command_line() -> None:
    for key, value in (("attributes.age.weight", -1), ("attributes.age.level", 99), ("attributes.nobody.role", "person")):
        for mistake in vm.check(vm.Recipe(RECIPE).set(key, value)).mistakes:
            assert "--" not in f"{mistake.message} {mistake.flag} {mistake.help}"


def test_a_file_is_checked_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_text(TOML.replace('"k-anonymity"', '"k-anonymous"'))
    with pytest.raises(vm.RecipeError, match="unknown model") as told:
        vm.Recipe.from_file(tmp_path / "recipe.toml")
    assert told.value.place is not None and told.value.place.line == TOML.splitlines().index('model = "k-anonymity"') + 1


def test_to_toml_has_what_set_changed() -> None:
    recipe = vm.Recipe.from_text("# why\n" + TOML)
    assert recipe.to_toml().startswith("# why\n")
    changed = recipe.set("privacy.0.k", 10)
    assert "k = 10" in changed.to_toml() and changed != recipe
    assert vm.Recipe.from_text(changed.to_toml()) == changed
    assert vm.Recipe.from_text(vm.Recipe(RECIPE).to_toml()).to_dict()["attributes"] == vm.Recipe(RECIPE).to_dict()["attributes"]


def test_save_writes_the_same_recipe_wherever_it_goes(patients: Path, tmp_path: Path) -> None:
    recipe = vm.Recipe.from_file(patients.parent / "recipe.toml").set("privacy.0.k", 7)
    beside, elsewhere = patients.parent / "beside.toml", tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert recipe.save(beside) == beside and 'path = "patients.csv"' in beside.read_text()
    recipe.save(elsewhere / "recipe.toml")
    for file in (beside, elsewhere / "recipe.toml"):
        assert vm.Recipe.from_file(file) == recipe
        assert vm.anonymize(patients, vm.Recipe.from_file(file).set("method", methods.Optimal())).manifest.privacy[0].asked == {"k": 7}
    with pytest.raises(vm.FileError, match="overwrite=True"):
        recipe.save(beside)
    assert vm.Recipe.from_file(recipe.set("privacy.0.k", 8).save(beside, overwrite=True)).to_dict()["privacy"][0]["k"] == 8


def test_a_suggested_recipe_keeps_its_comments_and_shows_its_hierarchies(table: Any, patients: Path, tmp_path: Path) -> None:
    for given in (table, patients):
        recipe = vm.Recipe.suggest(given)
        saved = vm.Recipe.from_file(recipe.save(tmp_path / "suggested.toml", overwrite=True))
        assert saved.source == recipe.source and "# " in saved.source
        assert saved.to_dict()["attributes"] == recipe.to_dict()["attributes"]
        assert ("path" in recipe.to_dict()["input"]) is (given is patients)
        exported = hierarchy.export(recipe, "age", table=given, column="age")
        assert {row[0] for row in exported.rows} >= {str(row["age"]) for row in records()}


def test_a_dictionary_is_saved(tmp_path: Path) -> None:
    recipe = vm.Recipe(RECIPE)
    assert vm.Recipe.from_file(recipe.save(tmp_path / "recipe.toml")) == recipe
    assert "memory" not in recipe.to_toml() and "memory" not in str(recipe.to_dict())
    (tmp_path / "zips.csv").write_text("10115;1011*;*\n10117;1011*;*\n")
    (tmp_path / "here").mkdir()
    relative = vm.Recipe.from_file(recipe.set("attributes.zip.hierarchy", "zips.csv").save(tmp_path / "other.toml"))
    moved = vm.Recipe.from_file(relative.save(tmp_path / "here" / "other.toml"))
    assert moved.to_dict()["attributes"] == relative.to_dict()["attributes"] and str(tmp_path / "zips.csv") in moved.source


def test_hierarchies_of_what_python_has(table: Any) -> None:
    zips = sorted({row["zip"] for row in records()})
    expected = hierarchy.build({"mask": "right", "length": 5}, codes=zips)
    functions = [lambda code, kept=kept: code[:kept] + "*" * (5 - kept) for kept in (4, 3, 2, 1)]
    made = hierarchy.from_functions(zips, *functions)
    assert made.rows == tuple(row[:5] + ("*",) for row in expected.rows)
    assert hierarchy.from_table({row[0]: row[1:] for row in made.rows}) == made
    assert hierarchy.from_table(list(made.rows)) == made
    parents = {label: above for row in made.rows for label, above in zip(row, row[1:])}
    assert sorted(hierarchy.from_parents(parents).rows) == sorted(made.rows)
    released = [vm.anonymize(table, vm.Recipe(RECIPE).set("attributes.zip.hierarchy", one)) for one in (made, expected)]
    assert [row["zip"] for row in released[0].to_arrow()] == [row["zip"] for row in released[1].to_arrow()]


def test_frames_are_hierarchies() -> None:
    rows = [{"age": age, "decade": age // 10 * 10, "half": "young" if age < 50 else "old"} for age in range(20, 80)]
    made = hierarchy.from_functions(range(20, 80), lambda age: age // 10 * 10, lambda age: "young" if age < 50 else "old")
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    for frame in (pd.DataFrame(rows), pd.DataFrame(rows).astype({"age": "float64"}), pl.DataFrame(rows), pa.Table.from_pylist(rows), vm.rows(rows)):
        assert hierarchy.from_table(frame) == made, type(frame)


def test_days_are_hierarchies(table: Any) -> None:
    form = hierarchy.dates("month", "year", first=datetime.date(2020, 1, 1), last="2024-12-31")
    assert form == {"date": ["month", "year"], "min": "2020-01-01", "max": "2024-12-31"}
    recipe = vm.Recipe(RECIPE).set("attributes.born", vm.Attribute(role="quasi-identifier", hierarchy=form))
    assert recipe.to_dict()["attributes"]["born"]["hierarchy"]["date"] == ["month", "year"]


def test_what_is_no_hierarchy_is_refused() -> None:
    for make in (
        lambda: hierarchy.from_functions(range(4), lambda age: age // 2, lambda age: age % 2),
        lambda: hierarchy.from_parents({"a": "b", "b": "c", "c": "b"}),
        lambda: hierarchy.from_table({}),
        lambda: hierarchy.from_table({"a": ["x", "y"], "b": ["x"]}),
        lambda: hierarchy.from_table({"a": None}),
    ):
        with pytest.raises(vm.UsageError):
            make()


def test_a_role_and_a_method_can_stand_by_their_names() -> None:
    short = vm.Recipe(attributes={"age": "quasi-identifier"}, privacy=vm.KAnonymity(k=5), method="optimal")
    long = vm.Recipe(
        attributes={"age": vm.Attribute(role="quasi-identifier")}, privacy=[vm.KAnonymity(k=5)], method={"name": "optimal"}
    )
    assert short == long


def test_a_part_is_checked_when_it_is_made() -> None:
    wrong: Any = "five"
    for make, key in (
        (lambda: vm.KAnonymity(k=1), "privacy.0.k"),
        (lambda: vm.KAnonymity(k=wrong), "privacy.0.k"),
        (lambda: vm.TCloseness(t=3), "privacy.0.t"),
        (lambda: methods.HCeiling(h=2), "method.h"),
        (lambda: methods.Optimal(metric=wrong), "method.metric"),
        (lambda: vm.Attribute(role=wrong), "attributes.column.role"),
    ):
        with pytest.raises(vm.RecipeError, match="expected|must be|is a share") as refused:
            make()
        assert refused.value.place is not None and refused.value.place.key == key
    # What other parts decide is none of a part's.
    vm.DistinctLDiversity(l=2, attribute="diagnosis")
    vm.Attribute(role="quasi-identifier", date_shift={"days": 3, "person": "patient"})
    vm.Attribute(role="quasi-identifier", hierarchy="not-there-yet.csv")
    methods.Dsat(time="year")


def test_a_dictionary_takes_the_same_short_forms() -> None:
    short = {"attributes": {"age": "quasi-identifier"}, "privacy": {"model": "k-anonymity", "k": 5}, "method": "optimal"}
    assert vm.Recipe(short) == vm.Recipe(attributes={"age": "quasi-identifier"}, privacy=vm.KAnonymity(k=5), method="optimal")
    assert [mistake.key for mistake in vm.check({**short, "attributes": {"age": "secret"}}).mistakes] == ["attributes.age.role"]


def test_a_first_recipe_speaks_of_functions(table: Any) -> None:
    source = vm.Recipe.suggest(table).source
    assert "velamen.anonymize(table, recipe)" in source and "docs/choose-a-method.md" in source
    assert not re.search(r"`velamen |velamen [a-z]|--|schema", source)


def test_a_first_recipe_reads_what_profile_reads(tmp_path: Path) -> None:
    table = tmp_path / "wards.csv"
    lines = "".join(f"{150 + at % 40},5;{'mw'[at % 2]};{'xyz'[at % 3]}\n" for at in range(200))
    table.write_text("Größe;Geschlecht;Befund\n" + lines, encoding="windows-1252")
    recipe = vm.Recipe.suggest(table, encoding="windows-1252", decimal_comma=True)
    assert recipe.to_dict()["input"]["decimal"] == "," and vm.anonymize(None, recipe).manifest.records == 200


def test_a_hierarchy_is_exported_for_the_values_of_its_column() -> None:
    table = vm.rows([{"zip": code} for code in ("10115", "10117", "20095")])
    masked = {"zip": vm.Attribute(role="quasi-identifier", hierarchy={"mask": "right", "length": 5})}
    recipe = vm.Recipe(attributes=masked, privacy=vm.KAnonymity(k=2))
    assert [row[0] for row in hierarchy.export(recipe, "zip", table=table).rows] == ["10115", "10117", "20095"]
    assert len(hierarchy.build({"interval": [5], "min": 0, "max": 9}, codes=range(3)).rows) == 3


def test_rows_have_the_columns_of_all_dictionaries() -> None:
    assert list(vm.rows([{"a": 1}, {"b": 2}])) == [{"a": 1, "b": None}, {"a": None, "b": 2}]
