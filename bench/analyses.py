#!/usr/bin/env python3
"""Whether an analyst's conclusions change: the same estimates on the original and on the releases of three programs, in one run.

    pip install anjana anonypy scipy pyarrow velamen
    cargo build --release
    python3 bench/analyses.py --velamen target/release/velamen --heart processed.cleveland.data

k is 5 everywhere, over the quasi-identifiers of the recipe that `velamen profile` writes. anonypy runs its Mondrian, anjana its walk over
the hierarchies of that recipe with up to a tenth of the records suppressed. One estimator reads all three: a range by what its values are
expected to be, a set of values or a suppressed cell as missing. The overlap of two 95 % intervals is that of Karr et al. (2006).
"""
import argparse
import contextlib
import io
import itertools
import json
import math
import pathlib
import re
import subprocess
import tempfile
import tomllib

import numpy
import pandas
import velamen
from scipy import stats

K = 5
STEPS = 50
"""Of self-consistency."""
NUMBER = r"-?\d+(?:\.\d+)?"
RANGE = re.compile(rf"[\[(\]]?\s*({NUMBER})\s*(?:-|,|\.\.| to )\s*({NUMBER})\s*[\])\[]?")


def run(*words, folder):
    made = subprocess.run([str(word) for word in words], cwd=folder, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    return made.stdout


def ends(cell):
    """The ends of a range, or a number twice; nothing of anything else."""
    text = str(cell).strip("[]")
    with contextlib.suppress(ValueError):
        return float(text), float(text)
    found = RANGE.fullmatch(str(cell))
    return (float(found[1]), float(found[2])) if found else (math.nan, math.nan)


def read(table, name):
    """Each cell as what it is expected to be, by how the values of the whole column lie in its ranges (Turnbull 1976)."""
    if f"{name}_low" in table:
        both = pandas.DataFrame({"low": table[f"{name}_low"], "high": table[f"{name}_high"]})
    else:
        both = pandas.DataFrame([ends(cell) for cell in table[name]], columns=["low", "high"], index=table.index)
    ranges = both.dropna().value_counts()
    if ranges.empty:
        return both["low"]
    low, high = (ranges.index.get_level_values(side).to_numpy(float) for side in ("low", "high"))
    step = 1.0 if (low == low.round()).all() and (high == high.round()).all() else 0.1
    grid = numpy.arange(low.min(), high.max() + step / 2, step)
    inside = (grid >= low[:, None] - 1e-9) & (grid <= high[:, None] + 1e-9)
    shares = numpy.full(len(grid), 1 / len(grid))
    for _ in range(STEPS):
        spread = inside * shares
        spread /= spread.sum(axis=1, keepdims=True)
        shares = ranges.to_numpy() @ spread / ranges.sum()
    expected = pandas.Series(spread @ grid, index=ranges.index, name="expected")
    return both.join(expected, on=["low", "high"])["expected"]


def ours(source, folder, velamen_program):
    """The release by the recipe that `profile` writes, and that recipe's quasi-identifiers and hierarchies."""
    run(velamen_program, "profile", source.name, "--recipe", "recipe.toml", folder=folder)
    run(velamen_program, "anonymize", "recipe.toml", "--set", 'input.rows="independent"', "--output", "ours", "--seed", "1", folder=folder)
    recipe = tomllib.loads((folder / "recipe.toml").read_text())
    qis = [name for name, one in recipe["attributes"].items() if one["role"] == "quasi-identifier"]
    return velamen.read_release(folder / "ours").to_pandas(), {name: "hierarchy" in recipe["attributes"][name] for name in qis}


def hierarchies(qis, table, folder, velamen_program):
    """The levels of each column's values, as anjana takes them; `*` alone where the recipe has no hierarchy."""
    made = {}
    for name, has_hierarchy in qis.items():
        values = numpy.array(sorted(set(table[name])))
        made[name] = {0: values, 1: numpy.full(len(values), "*")}
        if not has_hierarchy:
            continue
        run(velamen_program, "hierarchy", "export", "recipe.toml", "--attribute", name, "--output", f"{name}.csv", folder=folder)
        rows = pandas.read_csv(folder / f"{name}.csv", sep=";", dtype=str, header=None, keep_default_na=False)
        rows = rows[rows.iloc[:, 0].isin(set(table[name]))]
        made[name] = {level: rows.iloc[:, level].to_numpy() for level in range(rows.shape[1])}
    return made


def by_anjana(table, qis, levels):
    from anjana.anonymity import k_anonymity

    return k_anonymity(table.astype(str), [], qis, K, 10.0, levels)


def by_anonypy(table, qis):
    import anonypy

    own = table.copy()
    for name in qis:
        numbers = pandas.to_numeric(own[name], errors="coerce")
        own[name] = numbers if numbers.notna().all() else own[name].astype("category")
    rest = [name for name in table.columns if name not in qis]
    # It counts the values of one further column: here a value of its own for each combination of them.
    own["rest"] = own[rest].astype(str).agg("\t".join, axis=1) if rest else "x"
    rows = pandas.DataFrame(anonypy.Preserver(own[[*qis, "rest"]], qis, "rest").anonymize_k_anonymity(k=K))
    rows = rows.loc[rows.index.repeat(rows["count"])].reset_index(drop=True)
    rows = rows.apply(lambda column: column.map(lambda cell: "..".join(map(str, cell)) if isinstance(cell, list) else cell))
    parts = rows["rest"].str.split("\t", expand=True)
    return rows[qis].assign(**{name: parts[at] for at, name in enumerate(rest)})


def columns(table, names):
    return pandas.DataFrame({name: read(table, name) for name in names}).dropna()


def means(table, outcome, group):
    """The mean in each group that is shown, with its interval by Student's t."""
    cells = pandas.DataFrame({"y": read(table, outcome), "g": table[group].astype(str).str.strip("[]")}).dropna()
    for value, part in cells.groupby("g"):
        y, n = part["y"], len(part)
        if n > 2:
            half = stats.t.ppf(0.975, n - 1) * y.std(ddof=1) / math.sqrt(n)
            yield f"mean {outcome} | {group}={value}", y.mean(), half


def slopes(table, outcome, terms):
    """Least squares, with intervals by Student's t; without the intercept."""
    cells = columns(table, [outcome, *terms])
    x = numpy.column_stack([numpy.ones(len(cells)), cells[terms]])
    if len(cells) <= x.shape[1] or numpy.linalg.matrix_rank(x) < x.shape[1]:
        return
    beta, *_ = numpy.linalg.lstsq(x, cells[outcome], rcond=None)
    free = len(cells) - x.shape[1]
    residual = cells[outcome] - x @ beta
    errors = numpy.sqrt(numpy.diag(numpy.linalg.inv(x.T @ x)) * (residual @ residual) / free)
    for name, value, error in list(zip(terms, beta[1:], errors[1:])):
        yield f"slope {outcome} ~ {name}", value, stats.t.ppf(0.975, free) * error


def estimates(table, group, numbers):
    """All estimates; those of columns that are not there are left out."""
    shown = [name for name in numbers if name in table]
    found = itertools.chain.from_iterable(means(table, name, group) for name in shown if group in table)
    pairs = ((one, [name for name in numbers if name != one]) for one in numbers)
    return {name: (value, half) for name, value, half in itertools.chain(found, *(slopes(table, *pair) for pair in pairs if set(numbers) <= set(table)))}


def overlap(one, other):
    (a, da), (b, db) = one, other
    common = min(a + da, b + db) - max(a - da, b - db)
    return max(0.0, (common / (2 * da) + common / (2 * db)) / 2) if da and db else float(a == b)


def compared(original, release):
    """Estimates that the release has, the mean overlap over all of them, significant effects of the other sign."""
    shares = [overlap(one, release[name]) if name in release else 0.0 for name, one in original.items()]
    turned = 0
    for name, (value, half) in original.items():
        if name.startswith("slope") and name in release:
            other, margin = release[name]
            turned += abs(value) > half and abs(other) > margin and value * other < 0
    return {"estimates": len(original), "in release": sum(name in release for name in original), "overlap": sum(shares) / len(shares), "turned": turned}


def table_of(name, given, folder):
    if name == "heart":
        table = pandas.read_csv(given.heart, dtype=str, na_values="?").dropna()
        table.to_csv(folder / "table.csv", index=False)
    else:
        run(given.velamen, "synth", "nps", "--rows", given.rows, "--output", "table.csv", "--recipe", "own.toml", folder=folder)
    return pandas.read_csv(folder / "table.csv", dtype=str)


TABLES = {"heart": ("sex", ["age", "trestbps", "thalach", "oldpeak"]), "sample": ("sex", ["age", "length_of_stay"])}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--velamen", type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("--heart", type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("--rows", type=int, default=5000, help="records of the sample")
    given = parser.parse_args()
    print("| table | release | records shown | estimates | in the release | mean overlap | turned |\n| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for name, (group, numbers) in TABLES.items():
        with tempfile.TemporaryDirectory() as made:
            folder = pathlib.Path(made)
            table = table_of(name, given, folder)
            release, qis = ours(folder / "table.csv", folder, given.velamen)
            table = table[[column for column in table.columns if column in set(qis) | {group, *numbers} or column in release.columns]]
            original = estimates(table, group, numbers)
            levels = hierarchies(qis, table, folder, given.velamen)
            makers = {
                "velamen `mondrian`": lambda: release,
                "anonypy Mondrian": lambda: by_anonypy(table, list(qis)),
                "anjana `k_anonymity`": lambda: by_anjana(table, list(qis), levels),
            }
            for program, make in makers.items():
                try:
                    with contextlib.redirect_stdout(io.StringIO()):
                        released = make()
                except Exception as error:
                    print(f"| {name} | {program} | ends with {type(error).__name__} | | | | |")
                    continue
                shown = len(released) - (int(released["suppressed"].sum()) if "suppressed" in released else 0)
                found = compared(original, estimates(released, group, numbers))
                print(f"| {name} | {program} | {shown} of {len(table)} | {found['estimates']} | {found['in release']} | {100 * found['overlap']:.0f} % | {found['turned']} |")


if __name__ == "__main__":
    main()
