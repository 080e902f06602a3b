"""Tables of every kind that people have, each equal to the same table through CSV and Parquet."""

from __future__ import annotations

import datetime
import decimal
from pathlib import Path
from typing import Any

import pytest

import velamen as vm
from conftest import RECIPE, records

pl = pytest.importorskip("polars")
pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
duckdb = pytest.importorskip("duckdb")


def frames() -> dict[str, Any]:
    rows = records()
    polars = pl.DataFrame(rows)
    arrow = pa.Table.from_pylist(rows)
    nullable = pd.DataFrame(rows).convert_dtypes()
    categories = pd.DataFrame(rows).astype({"sex": "category", "zip": "category", "diagnosis": "category"})
    found = {
        "polars": polars,
        "polars categorical": polars.with_columns(pl.col("sex", "zip").cast(pl.Categorical)),
        "polars enum": polars.with_columns(pl.col("sex").cast(pl.Enum(["F", "M"]))),
        "polars in chunks": pl.concat([polars[:100], polars[100:350], polars[350:]], rechunk=False),
        "polars small integers": polars.with_columns(pl.col("age").cast(pl.UInt8)),
        "pandas": pd.DataFrame(rows),
        "pandas nullable": nullable,
        "pandas categories": categories,
        "pyarrow": arrow,
        "pyarrow large text": arrow.cast(
            pa.schema([("age", pa.int64()), *((name, pa.large_string()) for name in ("sex", "zip", "diagnosis"))])
        ),
        "pyarrow dictionaries": arrow.set_column(1, "sex", arrow.column("sex").dictionary_encode()),
        "duckdb": duckdb.from_arrow(arrow),
    }
    return found


@pytest.mark.parametrize("kind", list(frames()))
def test_each_kind_gives_the_release_of_the_file(kind: str, patients: Path, tmp_path: Path) -> None:
    recipe = vm.Recipe(RECIPE).set("output.format", "csv")
    of_csv = vm.anonymize(patients, recipe).files()["data.csv"]
    pq.write_table(pa.Table.from_pylist(records()), tmp_path / "patients.parquet")
    assert vm.anonymize(tmp_path / "patients.parquet", recipe).files()["data.csv"] == of_csv
    assert vm.anonymize(frames()[kind], recipe).files()["data.csv"] == of_csv


def typed() -> Any:
    """A column of every type that a frame can have, 40 records."""
    day = datetime.date(2024, 1, 1)
    zone = datetime.timezone.utc
    return pl.DataFrame(
        {
            "age": [30 + number % 2 for number in range(40)],
            "day": [day + datetime.timedelta(days=number % 4) for number in range(40)],
            "moment": [datetime.datetime(2024, 1, 1, number % 3, tzinfo=zone) for number in range(40)],
            "price": [decimal.Decimal(number % 5) / 4 for number in range(40)],
            "flag": [number % 2 == 0 for number in range(40)],
            "share": [number % 4 / 8 for number in range(40)],
            "nothing": [None] * 40,
        },
        schema_overrides={"price": pl.Decimal(10, 2), "moment": pl.Datetime("us", "UTC"), "nothing": pl.Null},
    )


TYPED = vm.Recipe(
    {
        "attributes": {
            "age": {"role": "quasi-identifier"},
            **{
                name: {"role": "insensitive", "identifier-like": "intended"}
                for name in ("day", "moment", "price", "flag", "share", "nothing")
            },
        },
        "privacy": [{"model": "k-anonymity", "k": 5}],
        "method": {"name": "optimal"},
    }
)


def test_types_come_back_as_they_went_in() -> None:
    released = pl.DataFrame(vm.anonymize(typed(), TYPED))
    for name in ("day", "moment", "price", "flag", "share"):
        assert released.schema[name] == typed().schema[name], name
        assert sorted(released[name].to_list()) == sorted(typed()[name].to_list()), name
    assert released["nothing"].null_count() == 40


def test_typed_columns_are_those_of_the_parquet_file(tmp_path: Path) -> None:
    frame = typed().drop("nothing")
    frame.write_parquet(tmp_path / "typed.parquet")
    recipe = TYPED.set("unnamed", "drop")
    named = vm.Recipe({**{k: v for k, v in recipe.to_dict().items() if k not in ("input", "output")}, "attributes": {
        name: section for name, section in recipe.to_dict()["attributes"].items() if name != "nothing"
    }}).set("output.format", "csv")
    of_file = vm.anonymize(tmp_path / "typed.parquet", named).files()["data.csv"]
    assert vm.anonymize(frame, named).files()["data.csv"] == of_file
    frame.write_csv(tmp_path / "typed.csv", datetime_format="%Y-%m-%dT%H:%M:%SZ")
    assert vm.profile(tmp_path / "typed.csv").columns[1].type == vm.profile(frame).columns[1].type


def test_no_records_are_refused_and_not_released() -> None:
    with pytest.raises(vm.DataError):
        vm.anonymize(pl.DataFrame(records()).clear(), vm.Recipe(RECIPE))


def test_missing_values_are_missing() -> None:
    frame = pl.DataFrame(records()).with_columns(pl.when(pl.col("age") > 80).then(None).otherwise(pl.col("age")).alias("age"))
    column = vm.profile(frame).columns[0]
    assert (column.name, column.missing) == ("age", frame["age"].null_count())
    nullable = frame.to_pandas().convert_dtypes()
    assert vm.profile(nullable).columns[0].missing == column.missing


def test_released_columns_go_to_every_reader(recipe: vm.Recipe) -> None:
    release = vm.anonymize(pl.DataFrame(records()), recipe)
    assert pl.DataFrame(release).height == 600
    assert pa.table(release).num_rows == 600
    assert pa.RecordBatchReader.from_stream(release).read_all().num_rows == 600
    assert len(pa.table(release).to_pandas()) == 600
    released = release.to_arrow()
    assert duckdb.sql("SELECT count(*) FROM released").fetchall() == [(600,)]


def test_a_release_in_a_folder_is_the_same_table(recipe: vm.Recipe, tmp_path: Path) -> None:
    for output in ("arrow", "parquet", "csv", "ndjson"):
        release = vm.anonymize(pl.DataFrame(records()), recipe.set("output.format", output), tmp_path / output)
        released = pl.DataFrame(release).cast(pl.String)
        in_memory = pl.DataFrame(vm.anonymize(pl.DataFrame(records()), recipe)).cast(pl.String)
        assert released.equals(in_memory), output


def released(frame: Any, **roles: str) -> Any:
    """A release of 40 records of two ages, with columns of these roles."""
    attributes: dict[str, Any] = {"age": {"role": "quasi-identifier"}}
    for name, role in roles.items():
        attributes[name] = {"role": role, **({"identifier-like": "intended"} if role == "insensitive" else {})}
    recipe = vm.Recipe({"attributes": attributes, "privacy": [{"model": "k-anonymity", "k": 5}], "method": {"name": "optimal"}})
    return pa.table(vm.anonymize(frame, recipe))


AGES = [30 + number % 2 for number in range(40)]


@pytest.mark.parametrize(
    "column, kind",
    [
        (pl.Series("d", [[1, 2]] * 40), "LargeList"),
        (pl.Series("d", [{"a": 1}] * 40), "Struct"),
        (pl.Series("d", [[1, 2]] * 40, dtype=pl.Array(pl.Int8, 2)), "FixedSizeList"),
        (pl.Series("d", [b"ab"] * 40), "Binary"),
        (pl.Series("d", [object()] * 40, dtype=pl.Object), "FixedSizeBinary"),
        (pd.Series(pd.cut(pd.Series(range(40)), 3), name="d"), "Dictionary of Struct"),
        (pd.Series([[1]] * 40, name="d"), "List"),
    ],
)
def test_nested_columns_are_refused_by_name_and_can_be_dropped(column: Any, kind: str) -> None:
    frame = pl.DataFrame({"age": AGES}) if isinstance(column, pl.Series) else pd.DataFrame({"age": AGES})
    frame = frame.with_columns(column) if isinstance(frame, pl.DataFrame) else frame.assign(d=column)
    with pytest.raises(vm.DataError, match=f"column `d` has the type {kind}"):
        released(frame, d="insensitive")
    assert released(frame, d="identifier").column_names == ["ClassID", "age"]


def test_periods_of_pandas_are_no_numbers() -> None:
    frame = pd.DataFrame({"age": AGES, "month": pd.period_range("2024-01", periods=40, freq="M")})
    with pytest.raises(vm.DataError, match="column `month` has a type of pandas"):
        released(frame, month="insensitive")
    assert "2024-01" in released(frame.assign(month=frame["month"].astype(str)), month="insensitive")["month"].to_pylist()


@pytest.mark.parametrize(
    "frame, hint",
    [
        (pd.DataFrame({"age": AGES, "d": ["x", 1] * 20}), "`d` mixes types"),
        (pd.DataFrame({"age": AGES, "d": [1j] * 40}), "`d` mixes types"),
        (pd.DataFrame({"age": AGES}, index=pd.Index(["x", 1] * 20, name="p")), "its index mixes types"),
        (pd.DataFrame([[1, 2]] * 40, columns=["age", "age"]), "two columns have the name `age`"),
        (pl.DataFrame({"age": AGES, "d": AGES}, schema_overrides={"d": pl.Int128}), "`d` mixes types or has one that Arrow lacks"),
        (pd.Series(AGES), "to_frame"),
        (pl.Series(AGES), "to_frame"),
        (duckdb.sql("SELECT CAST('x' || i AS INT) AS age FROM range(40) t(i)"), "ConversionException"),
    ],
)
def test_what_cannot_be_handed_over_is_named(frame: Any, hint: str) -> None:
    with pytest.raises(vm.DataError) as refused:
        vm.profile(frame)
    assert hint in str(refused.value)


def test_indices_of_several_levels_are_columns_to_judge() -> None:
    several = pd.DataFrame({"age": AGES}).set_index(pd.MultiIndex.from_product([range(20), ["Z1", "Z2"]], names=["p", None]))
    with pytest.raises(vm.RecipeError, match="`p`, `__index_level_1__`") as refused:
        released(several)
    assert "reset_index" in str(refused.value) and "insensitive\" to release" not in str(refused.value)
    # A selection of a range is no range any more; nobody gave it a name.
    with pytest.warns(vm.VelamenWarning, match="left out"):
        assert released(pd.DataFrame({"age": AGES}).iloc[[3, 1, 2, 0] * 10]).num_rows == 40
    assert released(pd.DataFrame({"age": AGES}).iloc[::2].reset_index(drop=True)).num_rows == 20


def test_names_of_columns_are_texts() -> None:
    numbers, pairs = pd.DataFrame({0: AGES, 1: AGES}), pd.DataFrame({("a", "x"): AGES, ("a", "y"): AGES})
    assert [column.name for column in vm.profile(numbers).columns] == ["0", "1"]
    assert [column.name for column in vm.profile(pairs).columns] == ["('a', 'x')", "('a', 'y')"]


def test_zoned_days_times_and_missing_values_keep_their_types() -> None:
    zoned = pd.to_datetime(["2024-07-01" if number % 3 else None for number in range(40)]).tz_localize("Europe/Berlin")
    frame = pd.DataFrame({"age": AGES, "at": zoned, "share": [0.5, None] * 20})
    found = released(frame, at="insensitive", share="insensitive")
    assert found.schema.field("at").type == pa.timestamp("us", "Europe/Berlin")
    assert sorted(map(str, found["at"].to_pylist())) == sorted(map(str, pa.table(frame)["at"].to_pylist()))
    assert found["share"].null_count == 20
    other = pl.DataFrame({"age": AGES, "t": [datetime.time(number % 3) for number in range(40)]})
    assert set(released(other, t="insensitive")["t"].to_pylist()) == {datetime.time(hour) for hour in range(3)}


def test_whole_numbers_and_truth_values_with_missing_ones_stay_what_they_are(tmp_path: Path) -> None:
    frame = pd.DataFrame({
        "age": AGES,
        "grade": pd.array([0, 1, 2, None] * 10, dtype="Int64"),
        "smoker": pd.array([True, False, None, None] * 10, dtype="boolean"),
    })
    roles = {"age": "quasi-identifier", "grade": "insensitive", "smoker": "insensitive"}
    release = vm.anonymize(frame, vm.Recipe(attributes=roles, privacy=vm.KAnonymity(k=2)))
    for made in (release.to_pandas(), release.to_pandas("mid"), vm.read_release(release.keep(tmp_path / "release")).to_pandas()):
        assert (str(made["grade"].dtype), str(made["smoker"].dtype)) == ("Int64", "boolean")
        assert made["grade"].isna().sum() >= 10 and made["smoker"].isna().sum() >= 20
    assert str(vm.rows([{"n": 1}, {"n": 2}]).to_pandas()["n"].dtype) == "int64"


def test_numbers_of_text_are_numbers_beside_numbers_for_ranges(tmp_path: Path) -> None:
    path = tmp_path / "weights.csv"
    path.write_text("age,weight\n" + "".join(f"{age},{60 + at / 4}\n" for at, age in enumerate(AGES)))
    roles = {"age": "quasi-identifier", "weight": "insensitive"}
    release = vm.anonymize(path, vm.Recipe(attributes=roles, privacy=vm.KAnonymity(k=2)))
    assert release.to_pandas()["weight"].dtype == release.to_pandas("text")["weight"].dtype != "float64"
    assert release.to_pandas("mid")["weight"].dtype == "float64" and release.to_polars("mid").schema["weight"] == pl.Float64


def test_relations_of_duckdb_have_types_of_their_own() -> None:
    relation = duckdb.sql(
        "SELECT 30 + i % 2 AS age, (i % 3)::HUGEINT AS h, 'x'::ENUM('x', 'y') AS e, 1.5::DECIMAL(18, 3) AS d,"
        " TIMESTAMPTZ '2024-01-01 00:00:00+00' AS t, true AS b FROM range(40) t(i)"
    )
    found = released(relation, **dict.fromkeys("hedtb", "insensitive"))
    assert found["d"].to_pylist() == [decimal.Decimal("1.500")] * 40
    assert sorted(map(int, found["h"].to_pylist())) == sorted(number % 3 for number in range(40))
    assert found["e"].to_pylist() == ["x"] * 40 and found["b"].to_pylist() == [True] * 40


@pytest.mark.parametrize("rows", [1, 65_535, 65_536, 65_537, 200_000])
def test_large_batches_are_read_in_parts_in_their_order(rows: int) -> None:
    frame = pl.DataFrame({"age": pl.int_range(rows, eager=True) % 7, "town": [f"town-{row % 9}" for row in range(rows)]})
    assert frame.n_chunks() == 1
    assert vm.measure(frame, qi=["age", "town"]).classes == min(rows, 63)
    late = frame.with_columns(pl.when(pl.int_range(rows) == rows - 1).then(-1).otherwise(pl.col("age")).alias("age"))
    recipe = {"role": "quasi-identifier", "hierarchy": {"interval": [5], "min": 0, "max": 9}}
    attributes = {"age": recipe, "town": {"role": "identifier"}}
    wanted = vm.Recipe({"attributes": attributes, "privacy": [{"model": "k-anonymity", "k": 2}], "method": {"name": "optimal"}})
    with pytest.raises(vm.DataError, match=f"record {rows}, column `age`"):
        vm.anonymize(late, wanted)


def test_texts_of_every_length_are_those_of_the_file(tmp_path: Path) -> None:
    texts = ["", "a", "1234567", "12345678", "123456789012", "1234567890123", "é" * 20, "12345678\0", None]
    frame = pl.DataFrame({"t": texts * 20, "u": [text and text[::-1] for text in texts] * 20})
    frame.write_parquet(tmp_path / "t.parquet")
    of_file = vm.measure(tmp_path / "t.parquet", qi=["t", "u"]).to_dict()
    categories = frame.cast(pl.Categorical)
    for kind in (frame, frame.to_arrow(), frame.to_pandas(), categories, pa.table(frame).cast(pa.schema({"t": pa.string(), "u": pa.large_string()}))):
        assert vm.measure(kind, qi=["t", "u"]).to_dict() == of_file, type(kind)


def test_no_columns_and_streams_that_were_read() -> None:
    with pytest.raises(vm.DataError, match="has no column"):
        vm.profile(pl.DataFrame())
    with pytest.raises(vm.DataError, match="no record"):
        vm.profile(pd.DataFrame({"age": []}))
    reader = pa.table({"age": AGES}).to_reader()
    assert vm.profile(reader).records == 40
    with pytest.raises(vm.DataError, match="a stream can be read once"):
        vm.profile(reader)


@pytest.mark.parametrize(
    "wrong, hint",
    [
        (7, ""),
        ([1, 2], "velamen.rows"),
        ({"age": [1]}, "make a frame of it"),
        (pd.DataFrame({"age": [1]}).to_numpy(), "make a frame of it"),
        (pl.DataFrame({"age": [1]}).group_by("age"), ""),
    ],
)
def test_what_is_no_table_is_a_type_error(wrong: Any, hint: str, recipe: vm.Recipe) -> None:
    with pytest.raises(TypeError, match="no table") as refused:
        vm.anonymize(wrong, recipe)
    assert hint in str(refused.value)
