"""Where packages of this kind go wrong: an index that is released, notebooks that are mailed, Ctrl-C, forks, exceptions."""

from __future__ import annotations

import copy
import gc
import multiprocessing
import pickle
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import velamen as vm
from conftest import RECIPE, records

SECRET = "ZQ-41-SECRET"
"""A cell that nothing may show."""


def frame_with_index() -> Any:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(records())
    frame.index = [f"P{number:05}" for number in range(len(frame))]
    return frame


# 1: the index of pandas, often a patient's number, is a column.


def test_an_index_is_refused_and_never_released(recipe: vm.Recipe) -> None:
    frame = frame_with_index()
    with pytest.warns(vm.VelamenWarning, match="index has no name") as told:
        release = vm.anonymize(frame, recipe)
    assert told[0].filename == __file__, "the warning stands at the caller's line"
    assert "P00001" not in str([str(one.message) for one in told])
    assert not any(b"P00001" in content for content in release.files().values())
    frame.index.name = "patient"
    with pytest.raises(vm.RecipeError, match="patient") as refused:
        vm.anonymize(frame, recipe)
    assert "P00001" not in str(refused.value)


def test_not_even_where_unnamed_columns_would_be_released(recipe: vm.Recipe) -> None:
    with pytest.raises(vm.RecipeError, match="table in memory"):
        vm.anonymize(frame_with_index().rename_axis("patient"), recipe.set("unnamed", "insensitive"))
    dropped = vm.anonymize(frame_with_index().rename_axis("patient"), recipe.set("unnamed", "drop"))
    assert "patient" not in dropped.to_arrow().column_names


def test_a_range_as_index_is_no_column(recipe: vm.Recipe) -> None:
    pd = pytest.importorskip("pandas")
    assert vm.anonymize(pd.DataFrame(records()), recipe).manifest.records == 600


def test_mistakes_in_a_dictionary_name_their_key() -> None:
    hierarchy = {"date": ["month", "day"], "min": "2020-01-01", "max": "2024-12-31"}
    with pytest.raises(vm.RecipeError, match=r"recipe: attributes.born.hierarchy: unknown variant `day`") as told:
        vm.Recipe({**RECIPE, "attributes": {"born": {"role": "quasi-identifier", "hierarchy": hierarchy}}})
    assert told.value.place == vm.Place(attribute="born", key="attributes.born.hierarchy")


# 2: notebooks are saved and mailed.


def everything_shown(result: Any) -> str:
    shown = [repr(result)]
    for name in ("_repr_html_", "_repr_svg_"):
        if hasattr(result, name):
            shown.append(getattr(result, name)())
    return " ".join(shown)


def test_nothing_shows_a_cell_a_seed_or_a_custodians_figure(tmp_path: Path) -> None:
    rows = records()
    for number, row in enumerate(rows):
        row["name"] = SECRET if number == 0 else f"Z{number}"
    table = vm.rows(rows)
    seed = "5c" * 32
    recipe = vm.Recipe(RECIPE).set("attributes.name", {"role": "identifier"}).set("method", {"name": "h-ceiling", "h": 0.3, "adversary-limit": 1})
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        release = vm.anonymize(table, recipe, tmp_path / "release", seed=seed)
    original = vm.measure(table, qi=["age", "sex", "zip"]).to_dict()["classes"]
    plain = vm.Recipe({**recipe.to_dict()}).set("method", {"name": "optimal"})
    results = [
        recipe,
        release,
        release.manifest,
        release.findings,
        release.to_arrow(),
        vm.profile(table),
        vm.profile(table, show_values=True),
        vm.profile(table, show_values=True).columns,
        vm.Recipe.suggest(table),
        vm.explore(table, plain),
        vm.explore(table, plain).plot(),
        vm.risk(table, qi=["age", "name"], rows=3, show_values=True, special_uniques=0),
        vm.compare(table, release),
        vm.attack(release, table, targets=20, show_values=True),
        vm.attack(release, table, targets=20, show_values=True).attacks,
        vm.leak(table, attributes=["name"]),
        vm.measure(table, qi=["age", "name"]),
        vm.measure(release),
        vm.verify(release),
        vm.estimate(table, plain),
    ]
    shown = " ".join(everything_shown(result) for result in results) + " ".join(str(one.message) for one in told)
    assert SECRET not in shown and seed not in shown
    for quiet in (vm.compare(table, release), vm.attack(release, table, targets=20), vm.risk(release, before=table)):
        assert str(original) not in everything_shown(quiet)
        assert "0." not in everything_shown(quiet)
    assert len(release._repr_html_()) < 10_000 and "iframe" not in release._repr_html_(), "no report is embedded by itself"
    assert release.report().replace("&", "&amp;").replace('"', "&quot;").split("<")[0] in release.show()._repr_html_()


def test_what_was_asked_for_is_there(table: Any, recipe: vm.Recipe) -> None:
    assert '"least"' in str(vm.profile(table, show_values=True))
    assert '"least"' not in str(vm.profile(table))
    attacks = vm.attack(vm.anonymize(table, recipe), table, targets=5)
    assert "rate" in str(attacks)


def all_texts(error: BaseException) -> str:
    """What a notebook shows of an error, causes and contexts included, but for the source lines."""
    texts: list[str] = []
    seen: BaseException | None = error
    while seen is not None:
        texts += traceback.format_exception_only(seen)
        texts += [repr(seen), str(seen.args), str(getattr(seen, "hint", "")), str(getattr(seen, "place", ""))]
        seen = seen.__cause__ or seen.__context__
    return " ".join(texts)


def test_no_exception_shows_a_cell(tmp_path: Path, recipe: vm.Recipe) -> None:
    broken = tmp_path / "broken.csv"
    broken.write_text(f"age,sex,zip,diagnosis\n30,F,1,{SECRET}\n31,M\n")
    outside = vm.rows([{**row, "age": SECRET} for row in records(20)])
    calls = [
        lambda: vm.anonymize(broken, recipe),
        lambda: vm.profile(broken),
        lambda: vm.anonymize(outside, recipe),
        lambda: vm.compare(outside, vm.anonymize(vm.rows(records()), recipe)),
        lambda: vm.measure(outside, qi=["nothing"]),
    ]
    for call in calls:
        with pytest.raises(vm.VelamenError) as refused:
            call()
        assert SECRET not in all_texts(refused.value)


def test_a_producers_own_message_is_not_passed_on(recipe: vm.Recipe) -> None:
    pd = pytest.importorskip("pandas")
    mixed = pd.DataFrame({"age": [1, SECRET, 3.5, object()], "sex": list("FMFM")})
    with pytest.raises(vm.DataError) as refused:
        vm.profile(mixed)
    assert SECRET not in all_texts(refused.value)

    class Failing:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            raise RuntimeError(SECRET)

    with pytest.raises(vm.DataError) as refused:
        vm.anonymize(Failing(), recipe)
    assert SECRET not in all_texts(refused.value) and "RuntimeError" in str(refused.value)


def test_a_stream_that_breaks_off_says_nothing_of_its_records(recipe: vm.Recipe) -> None:
    pa = pytest.importorskip("pyarrow")
    schema = pa.schema([("age", pa.int64())])

    def batches() -> Any:
        yield pa.record_batch({"age": [1]}, schema=schema)
        raise ValueError(SECRET)

    with pytest.raises(vm.DataError) as refused:
        vm.profile(pa.RecordBatchReader.from_batches(schema, batches()))
    assert SECRET not in all_texts(refused.value)


def test_errors_have_class_kind_place_and_hint(tmp_path: Path, recipe: vm.Recipe, table: Any) -> None:
    with pytest.raises(vm.RecipeError) as wrong:
        vm.Recipe({**RECIPE, "method": {"name": "h-ceiling", "hh": 0.3}})
    assert wrong.value.kind == "recipe" and "`hh`" in str(wrong.value) and "line" not in str(wrong.value)
    assert wrong.value.place is not None and wrong.value.place.key == "method.hh"
    assert wrong.value.hint is not None and "`h`" in wrong.value.hint
    (tmp_path / "wrong.toml").write_text('[attributes.age]\nrole = "secret"\n')
    with pytest.raises(vm.RecipeError) as located:
        vm.Recipe.from_file(tmp_path / "wrong.toml")
    assert located.value.place is not None and located.value.place.line == 2
    with pytest.raises(OSError) as missing:
        vm.Recipe.from_file(tmp_path / "none.toml")
    assert isinstance(missing.value, vm.FileError) and missing.value.kind == "io"
    with pytest.raises(ValueError) as unlike:
        vm.anonymize(vm.rows([{**row, "age": 300} for row in records(20)]), recipe)
    assert isinstance(unlike.value, vm.DataError) and unlike.value.kind == "data"
    with pytest.raises(vm.PromiseError) as promise:
        vm.anonymize(vm.rows(records(3)), recipe)
    assert promise.value.kind == "promise" and promise.value.findings == ()
    with pytest.raises(MemoryError) as large:
        vm.anonymize(table, recipe.set("engine.memory", "1 MiB"))
    assert isinstance(large.value, vm.TooLargeError) and large.value.kind == "too-large"
    with pytest.raises(vm.UsageError, match="seed"):
        vm.anonymize(table, recipe, seed="xyz")


def test_words_of_the_command_line_become_arguments(tmp_path: Path, recipe: vm.Recipe, table: Any) -> None:
    vm.anonymize(table, recipe, tmp_path / "there")
    with pytest.raises(vm.FileError, match="give overwrite") as there:
        vm.anonymize(table, recipe, tmp_path / "there")
    assert "--" not in str(there.value)
    vm.anonymize(table, recipe, tmp_path / "there", overwrite=True)


def test_a_broken_promise_has_its_findings(tmp_path: Path, recipe: vm.Recipe, table: Any) -> None:
    release = vm.anonymize(table, recipe.set("output.format", "csv"), tmp_path / "release")
    data = tmp_path / "release" / "data.csv"
    data.write_text("\n".join(data.read_text().splitlines()[:-1]) + "\n")
    found = vm.verify(tmp_path / "release")
    assert not found.held
    with pytest.raises(vm.PromiseError) as broken:
        found.raise_for_promises()
    assert any(finding.state == "broken" for finding in broken.value.findings)
    assert release.path is not None


# 3: Ctrl-C and progress.

LONG = """
import sys, velamen as vm
recipe = vm.Recipe({
    "attributes": {name: {"role": "quasi-identifier", "hierarchy": {"interval": [2, 4, 8, 16, 32], "min": 0, "max": 127}} for name in "abcdefgh"},
    "privacy": [{"model": "k-anonymity", "k": 50}],
    "method": {"name": "optimal"},
})
import random
draw = random.Random(1)
table = vm.rows([{name: draw.randrange(128) for name in "abcdefgh"} for _ in range(40000)])
print("ready", flush=True)
try:
    vm.anonymize(table, recipe, threads=1)
    print("done", flush=True)
except KeyboardInterrupt as error:
    print("interrupted", error.kind, flush=True)
"""


def test_ctrl_c_ends_a_run_soon() -> None:
    run = subprocess.Popen([sys.executable, "-c", LONG], stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None and run.stdout.readline() == "ready\n"
    time.sleep(1.5)
    run.send_signal(signal.SIGINT)
    begun = time.monotonic()
    out, _ = run.communicate(timeout=60)
    assert out == "interrupted interrupted\n"
    assert time.monotonic() - begun < 20


def test_progress_is_told_and_its_errors_stop_the_run(recipe: vm.Recipe) -> None:
    scope: dict[str, Any] = {}
    exec(textwrap.dedent(LONG).split("print(\"ready\"")[0], scope)
    seen: list[tuple[str, int, int]] = []

    class Enough(Exception):
        pass

    def progress(what: str, done: int, total: int) -> None:
        seen.append((what, done, total))
        raise Enough

    with pytest.raises(Enough):
        vm.anonymize(scope["table"], scope["recipe"], progress=progress, threads=1)
    assert seen and 0 <= seen[0][1] <= seen[0][2]


# 4: other threads run meanwhile; processes that are spawned work.


def test_other_threads_run_meanwhile() -> None:
    scope: dict[str, Any] = {}
    exec(textwrap.dedent(LONG).split("print(\"ready\"")[0], scope)
    ticks = 0
    ended = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not ended.wait(0.01):
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    begun = time.monotonic()
    vm.profile(scope["table"])
    taken = time.monotonic() - begun
    ended.set()
    thread.join()
    assert ticks >= min(10, taken / 0.1)


def _classes(number: int) -> int:
    return vm.anonymize(vm.rows(records()), vm.Recipe(RECIPE)).manifest.classes


def test_spawned_processes_work() -> None:
    here = _classes(0)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(_classes, range(3)) == [here] * 3


def test_threads_of_python_work() -> None:
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(_classes(0))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1 and len(found) == 4


def test_any_number_of_threads_gives_the_same_bytes(recipe: vm.Recipe, table: Any) -> None:
    one, two = (vm.anonymize(table, recipe, threads=threads).files() for threads in (1, 2))
    assert one == two


# 6: the custodian's folder.


def test_a_release_in_memory_has_no_custodians_folder(recipe: vm.Recipe, table: Any) -> None:
    release = vm.anonymize(table, recipe)
    with pytest.raises(AttributeError, match="keep"):
        _ = release.custodian
    assert not hasattr(release, "custodian")
    assert not any("custodian" in name for name in release.files())


def test_temporary_folders_hold_nothing_of_the_custodians_and_go(
    recipe: vm.Recipe, table: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    release = vm.anonymize(table, recipe)
    vm.measure(release)
    vm.verify(release)
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_an_option_of_the_wrong_type_is_named(table: Any) -> None:
    calls: dict[str, Callable[[], object]] = {
        "top": lambda: vm.profile(table, top=-1),
        "null": lambda: vm.profile(table, null=[3]),  # type: ignore[list-item]
        "rows": lambda: vm.risk(table, qi="age", rows=1.5),  # type: ignore[arg-type]
        "up_to": lambda: vm.leak(table, up_to=-1),
        "threads": lambda: vm.profile(table, threads=True),
        "progress": lambda: vm.profile(table, progress="yes"),  # type: ignore[arg-type]
    }
    for option, call in calls.items():
        with pytest.raises(vm.UsageError, match=f"^{option}: ") as refused:
            call()
        assert refused.value.kind == "usage" and refused.value.__context__ is None


def test_what_is_no_table_yet_says_what_to_hand_over() -> None:
    batches = (batch for batch in ())
    with pytest.raises(TypeError, match="RecordBatchReader.from_batches"):
        vm.profile(batches)  # type: ignore[arg-type]
    with pytest.raises(vm.DataError, match="finite numbers"):
        vm.rows([{"a": float("nan")}])
    for rows in ("abc", [[1]], [{1: 2}]):
        with pytest.raises(TypeError, match="rows are dictionaries"):
            vm.rows(rows)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="keys are texts, no int"):
        vm.Recipe({"attributes": {0: {"role": "sensitive"}}})


def test_messages_say_what_was_expected_in_words_of_python(table: Any, recipe: vm.Recipe, tmp_path: Path) -> None:
    release = vm.anonymize(table, recipe)
    wrong: Any = 5
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: vm.anonymize(table, recipe, overwrite=wrong), "overwrite: expected True or False, not int"),
        (lambda: vm.Recipe.from_file(wrong), "expected a path, not int"),
        (lambda: vm.Recipe.from_text(wrong), "expected text, not int"),
        (lambda: vm.check(wrong), "recipe: expected a Recipe, the path of its file or a dictionary, not int"),
        (lambda: vm.attack(release, table, second=wrong), "second: expected a release and the table"),
        (lambda: vm.attack(release, table, second=release), "second: .*, not Release"),  # type: ignore[arg-type]
        (lambda: recipe.save(tmp_path / "nowhere" / "recipe.toml"), "recipe.toml: there is no folder .*nowhere"),
        (lambda: vm.explore(table, recipe).plot().save(tmp_path / "nowhere" / "front.svg"), "front.svg: there is no folder .*nowhere"),
        (lambda: recipe.set(wrong, 1), "key: expected text"),
        (lambda: recipe.choose(wrong), "solution: expected one of explore"),
        (lambda: vm.measure(table, qi=wrong), "expected a name, or a list of names, not int"),
        (lambda: vm.evidence(release, "gdpr"), "^form: a wrong value; expected ema-0070"),
        (lambda: vm.Recipe(attributes=wrong), "attributes: expected a dictionary"),
        (lambda: vm.Recipe(privacy="k-anonymity"), "privacy: expected a model with its parameters"),  # type: ignore[arg-type]
        (lambda: vm.Recipe(privacy=vm.KAnonymity), "privacy: expected a model with its parameters"),  # type: ignore[arg-type]
        (lambda: vm.hierarchy.build(wrong), "form: expected a dictionary"),
        (lambda: vm.hierarchy.export(wrong, "age"), "place: expected a Recipe, a Release or a path"),
        (lambda: vm.hierarchy.from_parents(wrong), "parents: expected a dictionary"),
        (lambda: vm.hierarchy.from_parents({"a": "b", "b": "a"}), "parents: every label is its own ancestor"),
        (lambda: vm.hierarchy.from_parents({"a": ["b", "c"]}), "parents: each label has one parent, .*; number 1 has a list"),
        (lambda: vm.hierarchy.from_table(wrong), "rows: expected a dictionary"),
        (lambda: vm.hierarchy.from_table({"a": ["x"], "b": ["x", "y"]}), "the first has 1, number 2 has 2"),
        (lambda: vm.hierarchy.from_functions(["a"], wrong), "levels: expected functions"),
        (lambda: vm.hierarchy.dates("jear", first="2020-01-01", last="2020-12-31"), "no span of days; expected some of week"),
        (lambda: vm.hierarchy.dates("year", first="01.01.2020", last="2020-12-31"), "first: expected a day such as"),
        (lambda: vm.hierarchy.dates("year", first="2021-01-01", last="2020-12-31"), "last: the last day is before the first"),
        (lambda: vm.report(release, tmp_path / "nowhere" / "page.html"), "nowhere: "),
        (lambda: vm.profile({"a": table}), "several tables by name"),  # type: ignore[dict-item]
    ]
    internal = re.compile(r"failed to extract|instance of|not iterable|has no attribute '|\.velamen-|`velamen |command line|--")
    for call, expected in calls:
        with pytest.raises((vm.VelamenError, TypeError), match=expected) as refused:
            call()
        said = "\n".join([str(refused.value), *getattr(refused.value, "__notes__", ())])
        assert not internal.search(said), said


def test_what_a_function_or_a_lazy_frame_says_of_a_cell_is_left_out(recipe: vm.Recipe) -> None:
    with pytest.raises(vm.UsageError, match="function 1 fails at value 2 .ValueError") as refused:
        vm.hierarchy.from_functions(["1", "Secret"], int)
    assert "Secret" not in str(refused.value) and refused.value.__context__ is None
    polars = pytest.importorskip("polars")
    lazy = polars.LazyFrame({"age": ["Secret"]}).with_columns(polars.col("age").cast(polars.Int64))
    with pytest.raises(vm.DataError, match="cannot be collected") as failed:
        vm.anonymize(lazy, recipe)
    assert "Secret" not in str(failed.value) and failed.value.__context__ is None


def test_recipes_are_values_and_releases_are_not_pickled(table: Any, recipe: vm.Recipe) -> None:
    assert copy.deepcopy(recipe) == recipe and len({recipe, copy.copy(recipe)}) == 1
    assert recipe.set("privacy.0.k", 9) != recipe and recipe != 1
    release = vm.anonymize(table, recipe)
    assert copy.copy(release) is release and copy.deepcopy(release) is release
    with pytest.raises(TypeError, match="keep"):
        pickle.dumps(release)
    assert dir(vm) == sorted(vm.__all__)
    # Where a table is expected, a release stands for its records.
    assert vm.profile(release).records == release.manifest.records
    assert vm.leak(release, attributes="age").records == release.manifest.records
