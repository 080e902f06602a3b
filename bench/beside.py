#!/usr/bin/env python3
"""What releases of velamen, anjana and anonypy keep and show of the same people, judged alike: the tables of docs/peers.md.

    pip install anjana anonypy pycanon
    cargo build --release
    python3 bench/beside.py --velamen target/release/velamen --adult FOLDER --heart FILE

FOLDER holds `adult.csv` (`;` between, 30 162 records) and `adult_hierarchy_*.csv` in ARX's format; FILE is the heart disease
data of Cleveland with a header (303 records). Each tool makes its release in a fresh process. Then one judge, which shares no
code with any of them, reads the files: records kept, detail lost, k (by pycanon), the input's row numbers and order, and how many
people stand in a class with a single sensitive value.
"""
import argparse
import csv
import importlib.metadata
import itertools
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

from compare import run

K, LIMIT = 5, 5

ANJANA = """
import sys
import pandas
from anjana.anonymity import k_anonymity
source, folder, k, limit, qis, target = sys.argv[1:]
table = pandas.read_csv(source, sep=";", dtype=str)
qis = qis.split(",")
def hierarchy(name):
    rows = pandas.read_csv(f"{folder}/{name}.csv", sep=";", header=None, dtype=str)
    return {level: rows[level].to_numpy() for level in rows.columns}
released = k_anonymity(table, [], qis, int(k), float(limit), {name: hierarchy(name) for name in qis})
released.to_csv(target, index=False, sep=";")
"""

ANONYPY = """
import sys
import pandas
import anonypy
source, k, qis, numbers, sensitive, target = sys.argv[1:]
qis, numbers = qis.split(","), numbers.split(",")
table = pandas.read_csv(source, sep=";", dtype=str)
for name in qis:
    table[name] = table[name].astype(int) if name in numbers else table[name].astype("category")
rows = anonypy.Preserver(table, qis, sensitive).anonymize_k_anonymity(k=int(k))
# A row stands for as many records as it counts.
rows = [row for row in rows for _ in range(row["count"])]
cells = [{name: "".join(row[name]) if isinstance(row[name], list) else row[name] for name in [*qis, sensitive]} for row in rows]
pandas.DataFrame(cells).to_csv(target, index=False, sep=";")
"""

PYCANON = """
import sys
import pandas
from pycanon import anonymity
table = pandas.read_csv(sys.argv[1], sep=";", dtype=str, keep_default_na=False)
print(anonymity.k_anonymity(table, sys.argv[2].split(",")))
"""

MEASURES = """
import sys
import pandas
from pycanon import anonymity
table = pandas.read_csv(sys.argv[1], sep=";", dtype=str)
qis, sa = sys.argv[2].split(","), [sys.argv[3]]
for measure in ("alpha_k_anonymity", "l_diversity", "entropy_l_diversity", "recursive_c_l_diversity", "basic_beta_likeness",
                "enhanced_beta_likeness", "t_closeness", "delta_disclosure"):
    getattr(anonymity, measure)(table, qis, sa)
anonymity.k_anonymity(table, qis)
"""

METHODS = {
    "velamen `optimal`": f'name = "optimal"\nsuppression-limit = {LIMIT / 100}',
    "velamen `optimal` with `local-recoding`": f'name = "optimal"\nlocal-recoding = true\nsuppression-limit = {LIMIT / 100}',
    "velamen `mondrian`": 'name = "mondrian"',
    "velamen `mondrian`, `distinct-l-diversity`, l 2": 'name = "mondrian"\n[[privacy]]\nmodel = "distinct-l-diversity"\nl = 2',
}


class Table:
    """A table, its quasi-identifiers with hierarchies, and its sensitive attribute, in files that all tools read."""

    def __init__(self, name, source, qis, numbers, sensitive, folder):
        self.name, self.source, self.qis, self.numbers, self.sensitive, self.folder = name, source, qis, numbers, sensitive, folder
        self.rows = read(source)
        self.domain = {name: {row[name] for row in self.rows} for name in qis}
        self.covers = {name: self._covers(name) for name in qis}

    def _covers(self, name):
        covers = defaultdict(set)
        with open(f"{self.folder}/{name}.csv", newline="", encoding="utf-8") as file:
            for labels in csv.reader(file, delimiter=";"):
                for label in labels:
                    covers[label].add(labels[0])
        return {label: values & self.domain[name] for label, values in covers.items()}

    def covered(self, name, label):
        """The values of the table that a label can stand for."""
        if label not in self.covers[name]:
            self.covers[name][label] = self._parsed(name, label)
        return self.covers[name][label]

    def _parsed(self, name, label):
        if label == "*":
            return self.domain[name]
        inner = label.strip("[]{}")
        bounds = re.fullmatch(r"(\d+)(?:-(\d+))?", inner)
        if name in self.numbers and bounds:
            low, high = int(bounds[1]), int(bounds[2] or bounds[1])
            return {value for value in self.domain[name] if low <= int(value) <= high}
        parts = {part.strip() for part in inner.split(",")}
        values = set().union(*(self.covers[name].get(part, set()) for part in parts))
        if not values:
            sys.exit(f"{self.name}: a label of {name} says nothing of its values: {label}")
        return values


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter=";"))


def write(path, names, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=";", lineterminator="\n")
        writer.writerows(itertools.chain([names], rows))


def adult(given, scratch):
    folder = scratch / "adult"
    folder.mkdir()
    names = "sex age race marital-status education native-country workclass salary-class".split()
    for name in names:
        (folder / f"{name}.csv").write_bytes(pathlib.Path(given, f"adult_hierarchy_{name}.csv").read_bytes())
    return Table("Adult", str(pathlib.Path(given, "adult.csv").resolve()), names, ["age"], "occupation", folder)


def heart(given, scratch):
    """Five columns of whole numbers; intervals of three widths."""
    folder = scratch / "heart"
    folder.mkdir()
    with open(given, newline="", encoding="utf-8") as file:
        records = list(csv.DictReader(file))
    names = ["age", "sex", "trestbps", "chol", "target"]
    rows = [[str(int(float(record[name]))) for name in names] for record in records]
    write(folder / "heart.csv", names, rows)
    widths = {"age": (5, 10, 20), "trestbps": (10, 20, 40), "chol": (25, 50, 100)}
    for place, name in enumerate(names[:4]):
        values = sorted({int(row[place]) for row in rows})
        levels = [[f"{value // width * width}-{value // width * width + width - 1}" for width in widths.get(name, ())] for value in values]
        with open(folder / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
            csv.writer(file, delimiter=";", lineterminator="\n").writerows([value, *labels, "*"] for value, labels in zip(values, levels))
    return Table("Heart", str(folder / "heart.csv"), names[:4], ["age", "trestbps", "chol"], "target", folder)


def recipe(table, method, scratch):
    lines = ['unnamed = "drop"', "[input]", f'path = "{table.source}"']
    for name in table.qis:
        lines += [f"[attributes.{name}]", 'role = "quasi-identifier"', f'hierarchy = "{table.folder}/{name}.csv"']
    lines += [f"[attributes.{table.sensitive}]", 'role = "sensitive"', "[[privacy]]", 'model = "k-anonymity"', f"k = {K}"]
    lines += ["[method]", method, "[output]", f'path = "{scratch}/release"']
    (scratch / "recipe.toml").write_text("\n".join(lines) + "\n")
    return str(scratch / "recipe.toml")


def releases(table, velamen, scratch):
    """Each release's name, seconds and file."""
    for name, method in METHODS.items():
        seconds, _, _ = run([velamen, "anonymize", recipe(table, method, scratch), "--overwrite", "--quiet", "--seed", "1"])
        yield name, seconds, scratch / "release" / "data.csv"
    target = str(scratch / "theirs.csv")
    qis = ",".join(table.qis)
    seconds, _, _ = run([sys.executable, "-c", ANJANA, table.source, str(table.folder), str(K), str(LIMIT), qis, target])
    yield "anjana `k_anonymity`", seconds, target
    seconds, _, _ = run([sys.executable, "-c", ANONYPY, table.source, str(K), qis, ",".join(table.numbers), table.sensitive, target])
    yield "anonypy `anonymize_k_anonymity`", seconds, target


def is_hidden(table, row):
    return row[table.sensitive] == "*" or row.get("ClassID") == ""


def loss(table, released):
    """The mean share of detail that a cell loses: 0 for a value, 1 for all values or for a record that is gone."""
    lost = len(table.qis) * (len(table.rows) - len(released))
    for row in released:
        lost += sum((len(table.covered(name, row[name])) - 1) / (len(table.domain[name]) - 1) for name in table.qis)
    return lost / len(table.qis) / len(table.rows)


def fits(table, row, original):
    own = row[table.sensitive] == original[table.sensitive]
    return own and all(original[name] in table.covered(name, row[name]) for name in table.qis)


def found_by_number(table, released):
    """The share of released records in which another column is the number of a row of the input that fits them."""
    best = 0
    for name in set(released[0]) - set(table.rows[0]):
        numbers = [int(row[name]) if row[name].isdecimal() else -1 for row in released]
        # Numbers of classes are no numbers of rows: many records share one.
        if len(set(numbers)) == len(numbers):
            best = max(best, sum(0 <= at < len(table.rows) and fits(table, row, table.rows[at]) for at, row in zip(numbers, released)))
    return best / len(released)


def keeps_order(table, released):
    """Whether the released records are, one after the other, records of the input in its order."""
    rest = iter(table.rows)
    return all(any(fits(table, row, original) for original in rest) for row in released)


def certain(table, released):
    """The share of released people in whose class all have one sensitive value."""
    classes = defaultdict(Counter)
    for row in released:
        classes[tuple(row[name] for name in table.qis)][row[table.sensitive]] += 1
    return sum(sum(values.values()) for values in classes.values() if len(values) == 1) / len(released)


def judged(table, path, scratch):
    released = [row for row in read(path) if not is_hidden(table, row)]
    shown = scratch / "shown.csv"
    write(shown, table.qis, ([row[name] for name in table.qis] for row in released))
    command = [sys.executable, "-W", "ignore", "-c", PYCANON, str(shown), ",".join(table.qis)]
    k = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    return [
        f"{len(released):,}", f"{loss(table, released):.3f}", k, f"{found_by_number(table, released):.0%}",
        "yes" if keeps_order(table, released) else "no", f"{certain(table, released):.1%}",
    ]


def versions(velamen):
    own = subprocess.run([velamen, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    others = [f"{name} {importlib.metadata.version(name)}" for name in ("anjana", "anonypy", "pycanon", "pandas", "numpy")]
    return ", ".join([own, *others, f"Python {platform.python_version()}"])


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("velamen", "adult", "heart"):
        arguments.add_argument(f"--{name}", required=True)
    given = arguments.parse_args()
    velamen = str(pathlib.Path(given.velamen).resolve())
    os.environ["PYTHONWARNINGS"] = "ignore"
    print(versions(velamen))
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        tables = [heart(given.heart, scratch), adult(given.adult, scratch)]
        for table in tables:
            print(f"\n{table.name}, {len(table.rows):,} records, {len(table.qis)} quasi-identifiers, k = {K}:\n")
            print("| release | seconds | records | loss | k | by row number | in order | certain |")
            print("| --- | --- | --- | --- | --- | --- | --- | --- |")
            for name, seconds, path in releases(table, velamen, scratch):
                print("| " + " | ".join([name, f"{seconds:.2f}", *judged(table, path, scratch)]) + " |", flush=True)
        print("\n| all measures of the original | velamen, seconds | pycanon, seconds |\n| --- | --- | --- |")
        for table in tables:
            ours, _, _ = run([velamen, "measure", table.source, "--qi", ",".join(table.qis), "--sensitive", table.sensitive])
            theirs, _, _ = run([sys.executable, "-c", MEASURES, table.source, ",".join(table.qis), table.sensitive])
            print(f"| {table.name} | {ours:.2f} | {theirs:.2f} |", flush=True)


if __name__ == "__main__":
    main()
