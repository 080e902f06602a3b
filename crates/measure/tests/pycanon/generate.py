#!/usr/bin/env python3
"""Writes tables/*.csv and expected.json: small tables and what pycanon says of them.

Needs pycanon 1.3.6 (pip install pycanon==1.3.6). Deterministic; run it again only to add a table.
"""

import csv
import json
import pathlib
import random

import figures

HERE = pathlib.Path(__file__).parent


def skewed(rng):
    """Several quasi-identifiers, a text and a number with long tails."""
    for _ in range(240):
        age = rng.choice(["[0, 30[", "[30, 60[", "[60, 100["])
        diagnosis = rng.choices(["J45", "E11", "I10", "C50", "F32", "Z99"], [40, 25, 15, 8, 4, 1])[0]
        yield rng.choice("FM"), age.replace(", ", "-"), rng.choice("NS"), diagnosis, int(rng.paretovariate(1.2) * 10)


def uniform(rng):
    """Every class holds equally many of each of its values: entropies of whole numbers."""
    values = [f"D{i:02}" for i in range(30)]
    for size, area in [(5, "a"), (8, "b"), (12, "c"), (30, "d")]:
        for value in rng.sample(values, size) * 2:
            yield area, value, 1 + values.index(value) % 3


def three_even(_rng):
    """One class of three equally frequent values."""
    for value in "xyz" * 4:
        yield "q", value


def one_value_class(rng):
    """A class in which everybody has the same value."""
    for i in range(60):
        area = "abc"[i % 3]
        yield area, "only" if area == "b" else rng.choice(["u", "v", "w"]), 7 if area == "c" else i % 5


def all_equal(_rng):
    """All rows are the same."""
    for _ in range(9):
        yield "F", "40", "flu", 3


def one_row(_rng):
    """A single record."""
    yield "F", "40", "flu", 3


def numbers(rng):
    """Negative numbers, fractions, 9 before 10."""
    for i in range(120):
        yield f"w{i % 7}", rng.choice([-10, -9, 0, 2, 9, 10, 100, 1000]), rng.choice([0.5, 0.25, 1.5, 10.75, -0.125])


def many_values(rng):
    """Classes with hundreds of values."""
    for i in range(700):
        yield "xy"[i % 2 if i < 600 else 0], f"v{rng.randrange(400)}", rng.randrange(500)


def texts(rng):
    """Texts beyond ASCII, empty cells, null markers: all are values."""
    for _ in range(90):
        yield rng.choice(["", "NA", "é", "Z"]), rng.choice(["", "null", "Ärzte", "zebra", "漢字", "🙂", "A b"])


def unique(rng):
    """Every record is a class of its own."""
    for i in range(40):
        yield f"q{i}", rng.choice("abcd"), rng.randrange(6)


def independent(_rng):
    """Every class has the table's distribution."""
    for i in range(96):
        yield "pqr"[i % 3], "ABCD"[i // 3 % 4], i // 3 % 4


TABLES = [
    (skewed, ["sex", "age", "area"], ["diagnosis", "cost"], ["cost"]),
    (uniform, ["area"], ["diagnosis", "days"], ["days"]),
    (three_even, ["area"], ["diagnosis"], []),
    (one_value_class, ["area"], ["diagnosis", "days"], ["days"]),
    (all_equal, ["sex", "age"], ["diagnosis", "days"], ["days"]),
    (one_row, ["sex", "age"], ["diagnosis", "days"], ["days"]),
    (numbers, ["week"], ["balance", "dose"], ["balance", "dose"]),
    (many_values, ["area"], ["code", "cost"], ["cost"]),
    (texts, ["area"], ["remark"], []),
    (unique, ["id"], ["group", "days"], ["days"]),
    (independent, ["area"], ["group", "days"], ["days"]),
]


def main():
    (HERE / "tables").mkdir(exist_ok=True)
    expected = {"pycanon": figures.VERSION, "tables": []}
    for make, qi, sensitive, numeric in TABLES:
        name = make.__name__.replace("_", "-") + ".csv"
        path = HERE / "tables" / name
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_NONE)
            writer.writerow(qi + sensitive)
            writer.writerows(make(random.Random(20)))
        table = figures.typed(figures.read(path), numeric)
        measures = figures.of_table(table, qi, sensitive)
        entry = {"table": name, "qi": qi, "sensitive": sensitive, "numeric": numeric, "measures": measures}
        expected["tables"].append(entry)
    text = json.dumps(expected, indent=1, ensure_ascii=False)
    (HERE / "expected.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
