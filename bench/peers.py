#!/usr/bin/env python3
"""Whole processes side by side: velamen against what the Python registries offer for the same work.

    pip install anjana anonypy pycanon
    cargo build --release
    python3 bench/peers.py --velamen target/release/velamen --adult FOLDER --runs 3

FOLDER holds `adult.csv` (`;` between, 30 162 records) and `adult_hierarchy_*.csv` in ARX's format. Each
run starts a fresh process; ours and theirs alternate, so that a drift of the machine meets both. The
peers do not do quite the same: anjana stops at the first node its greedy walk finds, anonypy's Mondrian
does not use the hierarchies, and neither checks its release afterwards, as velamen does.
"""
import argparse
import os
import pathlib
import sys
import tempfile

from compare import compare

COLUMNS = "sex age race marital-status education native-country workclass occupation salary-class".split()

ANJANA = """
import sys
import pandas
from anjana.anonymity import k_anonymity
source, folder, suppressed, target = sys.argv[1:]
table = pandas.read_csv(source, sep=";", dtype=str)
qis = list(table.columns)
def hierarchy(name):
    rows = pandas.read_csv(f"{folder}/adult_hierarchy_{name}.csv", sep=";", header=None, dtype=str)
    return {level: rows[level].to_numpy() for level in rows.columns}
released = k_anonymity(table, [], qis, 5, float(suppressed), {name: hierarchy(name) for name in qis})
released.to_csv(target, index=False)
"""

MONDRIAN = """
import sys
import pandas
import anonypy
source, target = sys.argv[1:]
table = pandas.read_csv(source, sep=";", dtype=str)
table["age"] = table["age"].astype(int)
qis = list(table.columns)
for name in qis:
    if name != "age":
        table[name] = table[name].astype("category")
table["id"] = "x"
rows = anonypy.Preserver(table, qis, "id").anonymize_k_anonymity(k=5)
pandas.DataFrame(rows).to_csv(target, index=False)
"""

PYCANON = """
import sys
import pandas
from pycanon import anonymity
table = pandas.read_csv(sys.argv[1], sep=";", dtype=str)
qis = [c for c in table.columns if c != "occupation"]
sa = ["occupation"]
print(anonymity.k_anonymity(table, qis), anonymity.alpha_k_anonymity(table, qis, sa),
      anonymity.l_diversity(table, qis, sa), anonymity.entropy_l_diversity(table, qis, sa),
      anonymity.recursive_c_l_diversity(table, qis, sa), anonymity.basic_beta_likeness(table, qis, sa),
      anonymity.enhanced_beta_likeness(table, qis, sa), anonymity.t_closeness(table, qis, sa),
      anonymity.delta_disclosure(table, qis, sa))
"""


def recipe(folder, adult, method):
    lines = ["[input]", f'path = "{adult}/adult.csv"']
    for name in COLUMNS:
        lines += [f"[attributes.{name}]", 'role = "quasi-identifier"',
                  f'hierarchy = "{adult}/adult_hierarchy_{name}.csv"']
    lines += ["[[privacy]]", 'model = "k-anonymity"', "k = 5", "[method]", method, "[output]", 'path = "release"', "sync = false"]
    path = folder / "recipe.toml"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--velamen", required=True)
    arguments.add_argument("--adult", required=True)
    arguments.add_argument("--runs", type=int, default=3)
    given = arguments.parse_args()
    velamen = str(pathlib.Path(given.velamen).resolve())
    adult = str(pathlib.Path(given.adult).resolve())
    source = f"{adult}/adult.csv"
    os.environ["PYTHONWARNINGS"] = "ignore"
    print("| work | velamen | memory | peer | memory | ratio (least–most) |")
    print("| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        target = str(folder / "theirs.csv")
        for limit in (0, 5):
            method = f'name = "optimal"\nsuppression-limit = {limit / 100}'
            ours = [velamen, "anonymize", recipe(folder, adult, method), "--overwrite"]
            theirs = [sys.executable, "-c", ANJANA, source, adult, str(limit), target]
            compare(f"Adult, 9 QIs, k 5, limit {limit} %; anjana", ours, theirs, given.runs)
        for method in ('name = "mondrian"', 'name = "mondrian"\npartitioning = "relaxed"'):
            ours = [velamen, "anonymize", recipe(folder, adult, method), "--overwrite"]
            theirs = [sys.executable, "-c", MONDRIAN, source, target]
            name = "relaxed" if "relaxed" in method else "strict"
            compare(f"Adult, 9 QIs, k 5, Mondrian ({name}); anonypy", ours, theirs, 1)
        qis = [column for column in COLUMNS if column != "occupation"]
        ours = [velamen, "measure", source, "--qi", ",".join(qis), "--sensitive", "occupation"]
        theirs = [sys.executable, "-c", PYCANON, source]
        compare("Adult, 8 QIs and occupation, all measures; pycanon", ours, theirs, given.runs)


if __name__ == "__main__":
    main()
