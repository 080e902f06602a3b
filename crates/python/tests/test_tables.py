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


def test_what_is_no_table_is_a_type_error(recipe: vm.Recipe) -> None:
    for wrong in (7, [1, 2], {"age": [1]}):
        with pytest.raises(TypeError, match="no table"):
            vm.anonymize(wrong, recipe)  # type: ignore[arg-type]
