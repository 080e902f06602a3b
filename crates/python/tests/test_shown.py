"""What `print` and a notebook show: short, readable, in words of Python."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import velamen as vm
from conftest import RECIPE, records
from velamen._progress import Lines


def wide(number: int = 24) -> list[dict[str, Any]]:
    """Records with many columns, as those that made a comparison of 28,561 characters."""
    return [{**row, **{f"column{at}": (index * 7 + at) % 5 for at in range(number)}} for index, row in enumerate(records())]


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    table, recipe = vm.rows(records()), vm.Recipe(RECIPE)
    release = vm.anonymize(table, recipe)
    return {
        "verify": vm.verify(release), "compare": vm.compare(table, release), "attack": vm.attack(release, table, targets=20),
        "risk": vm.risk(release), "measure": vm.measure(release), "estimate": vm.estimate(table, recipe), "leak": vm.leak(table),
        "explore": vm.explore(table, recipe), "check": vm.check(recipe, table), "diff": vm.diff(release, release),
        "profile": vm.profile(table), "manifest": release.manifest, "hierarchy": vm.hierarchy.show({"interval": [5], "min": 0, "max": 99}),
        "mistaken": vm.check({**RECIPE, "method": {"name": "no"}}), "release": release, "recipe": recipe,
    }


def test_print_is_for_people(results: dict[str, Any]) -> None:
    for name, result in results.items():
        lines = str(result).splitlines()
        assert len(str(result)) < 6000 and len(lines) < 130, name
        assert not str(result).startswith("{") and '": ' not in str(result), f"{name} prints no JSON"


def test_figures_are_in_the_text(results: dict[str, Any]) -> None:
    compared = results["compare"]
    assert f"loss: {compared.utility['loss']['value']:.4g} (age " in str(compared)
    assert re.search(r"name +total variation", str(compared)) and "queries:" in str(compared)
    (linkage,) = (one for one in results["attack"].attacks if one.attack == "linkage")
    assert f"{linkage.figures[2].rate:.4g}" in str(results["attack"])
    assert str(results["measure"]).count("k: 5") == 1


def test_a_wide_comparison_is_short() -> None:
    rows = wide()
    attributes = {name: {"role": "quasi-identifier", "max-level": 1} if name in ("sex", "zip") else {"role": "sensitive"} for name in rows[0]}
    recipe = vm.Recipe({**RECIPE, "attributes": attributes})
    compared = vm.compare(vm.rows(rows), vm.anonymize(vm.rows(rows), recipe))
    assert len(str(compared)) < 12_000 and "more, in to_dict()" in str(compared)
    assert len(compared.to_dict()["associations"]["pairs"]) > 20, "nothing is lost"


def test_a_verification_is_short(results: dict[str, Any]) -> None:
    verified = results["verify"]
    assert re.fullmatch(r"<velamen.Verification: \d+ promises, all held or stated>", repr(verified))
    assert "k-anonymity" in str(verified) and max(map(len, str(verified).splitlines())) < 180
    broken = vm.results.Verification((vm.results.Finding("k-anonymity", {"k": 5}, {"k": 1}, "broken"),))
    assert repr(broken) == "<velamen.Verification: 1 promise, k-anonymity broken>" and not broken.held


def test_a_shown_release_embeds_no_report(results: dict[str, Any]) -> None:
    release = results["release"]
    assert "<iframe" not in release._repr_html_() and "k-anonymity" in release._repr_html_()
    assert len(release._repr_html_()) < 10_000 < len(release.show()._repr_html_())


def test_plots_are_labelled_and_saved(results: dict[str, Any], tmp_path: Path) -> None:
    front = results["explore"]
    plot = front.plot()
    drawn = ElementTree.fromstring(plot._repr_svg_())
    texts = [one.text for one in drawn.iter("{http://www.w3.org/2000/svg}text")]
    titles = [one.text for one in drawn.iter("{http://www.w3.org/2000/svg}title")]
    assert front.figure in texts and "highest risk" in texts and "0" in texts
    assert len(titles) == len(front.solutions) > 1 and "age" in (titles[0] or "")
    assert plot.save(tmp_path / "front.svg").read_text() == plot._repr_svg_()
    with pytest.raises(vm.FileError):
        plot.save(tmp_path / "no" / "front.svg")
    with pytest.raises(vm.UsageError, match="svg"):
        plot.save(tmp_path / "front")
    pytest.importorskip("matplotlib")
    axes = plot.figure().axes[0]
    assert axes.get_xlabel() == front.figure and axes.get_ylabel() == "highest risk"
    assert len(axes.collections[0].get_offsets()) == len(front.solutions)
    assert plot.save(tmp_path / "front.png").read_bytes()[:4] == b"\x89PNG"
    with pytest.raises(vm.UsageError, match="svg"):
        plot.save(tmp_path / "front.docx")


def test_sections_that_are_skipped_say_why(results: dict[str, Any]) -> None:
    assert "only=" in results["compare"].skipped["classifiers"] and "no classifiers:" in str(results["compare"])
    table = vm.rows(records())
    found = vm.compare(table, vm.anonymize(table, vm.Recipe(RECIPE)), only=["classifiers"], classifier_records=60, folds=2)
    assert "classifiers" not in found.skipped and "metrics" in found.skipped


def release_with_a_seed() -> vm.Release:
    return vm.anonymize(vm.rows(records()), vm.Recipe(RECIPE))


def invented_release() -> vm.Release:
    domain = {"sex": ["F", "M"], "diagnosis": ["I63", "J18", "E11", "C50"]}
    attributes = {name: vm.Attribute(role="quasi-identifier", domain=values) for name, values in domain.items()}
    recipe = vm.Recipe({"unnamed": "drop"}, attributes=attributes, privacy=vm.DifferentialPrivacy(epsilon=1, delta=1e-6), method="mst")
    return vm.anonymize(vm.rows(records()), recipe)


def test_nothing_speaks_of_the_command_line(results: dict[str, Any], tmp_path: Path) -> None:
    attacks = results["attack"]
    left_out = {one.attack: one.left_out for one in attacks.attacks}
    assert "second" in (left_out["composition"] or "") and "control" in (left_out["control"] or "")
    assert "TABLE" not in str(attacks) and "with recipe" not in str(attacks)
    assert "on the command line" not in str(release_with_a_seed().warnings)
    assert "`show_values`" in str(vm.explain("E0400")) and "--" not in str(vm.explain("E0400"))
    invented = vm.compare(vm.rows(records()), invented_release())
    assert "the release: the records are invented" in invented.skipped["metrics"], invented.skipped["metrics"]
    for name, result in results.items():
        assert not re.search(r"(?<!\w)--[a-z]", str(result)), name
    release = results["release"]
    for wrong in (
        lambda: vm.sign(release, tmp_path / "no.key"), lambda: vm.hierarchy.export(release, "nobody"), lambda: vm.attack(release, vm.rows([{"a": 1}])),
        lambda: vm.compare(vm.rows([{"a": 1}]), release), lambda: vm.risk(release, qi="age"), lambda: vm.measure(vm.rows(records())),
        lambda: vm.risk(vm.rows(records()), qi="nobody"), lambda: vm.report(release, tmp_path), lambda: vm.diff(release, tmp_path),
        lambda: vm.leak(vm.rows(records()), prior="sex"), lambda: vm.profile(tmp_path, as_="no"),
    ):
        with pytest.raises(vm.VelamenError) as told:
            wrong()
        text = f"{told.value} {told.value.hint} {getattr(told.value, '__notes__', '')}"
        assert not re.search(r"(?<!\w)--[a-z]|/velamen-\w|/\.tmp", text), text


NOTEBOOK = """
import velamen as vm
sample = vm.synth("nps", 20_000)
release = vm.anonymize(sample, sample.recipe.set("method", {"name": "mondrian"}), progress=True)
"""


def test_progress_of_a_notebook_is_one_bar_that_is_full_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import nbclient
    import nbformat

    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(NOTEBOOK)])
    nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = notebook.cells[0].outputs
    (bar,) = (output.data for output in outputs if output.output_type == "display_data")
    assert 'max="100" value="100"' in bar["text/html"] and bar["text/plain"].endswith(": 100 %")
    errors = [output.text for output in outputs if output.get("name") == "stderr"]
    assert not any("%" in text for text in errors), "no lines besides"


def test_progress_of_a_terminal_ends_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    sample = vm.synth("nps", 20_000)
    vm.anonymize(sample, sample.recipe.set("method", {"name": "mondrian"}), progress=True)
    *lines, end = capsys.readouterr().err.split("\n")
    assert end == "" and lines and all(line.endswith(": 100 %") for line in lines)


def test_each_step_has_a_line_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    """By hand, since a run on a fast machine reports only steps that last."""
    shown = Lines()
    for what, done in [("reading", 1), ("reading", 2), ("cutting", 1), ("writing", 0)]:
        shown(what, done, 4)
    shown._ended(whole=True)
    *lines, end = capsys.readouterr().err.split("\n")
    assert end == ""
    assert [line.split("\r")[-1] for line in lines] == [f"{what}: 100 %" for what in ("reading", "cutting", "writing")]
