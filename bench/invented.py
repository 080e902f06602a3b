#!/usr/bin/env python3
"""Invented records of velamen, mbi and dpmm from the same table under the same budget, judged alike.

    python3 -m venv A && A/bin/pip install mbi==2.0.0
    python3 -m venv B && B/bin/pip install dpmm==0.1.9
    cargo build --release
    A/bin/python bench/invented.py --velamen target/release/velamen --data FOLDER --dpmm B/bin/python

FOLDER holds `adult.csv`, codes from 0 below a line of names, and `domain.json`, the number of values of each column. The two
libraries need different versions of numpy, hence two environments; one that is missing is left out, and the output says so. Every
run is a fresh process: seconds of processor time and peak memory are the operating system's, and those of velamen include reading
the table, certifying the release and writing it. MST on mbi is the published method in a few lines (the package has no mechanism
of its own); dpmm has both. Then one judge reads all records: E2 and E3 are the mean over all pairs and triples of half the L1
distance of shares; K is 1000 less a thousand times E2, with long columns of numbers in 20 groups of equal size.
"""
import argparse
import importlib.util
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

from compare import run

DELTA = 1e-9
LONG = {"age", "fnlwgt", "capital-gain", "capital-loss", "hours-per-week"}

MBI = r"""
import itertools, json, sys
import jax
jax.config.update("jax_enable_x64", True)
import numpy as np
from mbi import Dataset, Domain, LinearMeasurement, estimation
source, domain, rho, seed, target = sys.argv[1:]
rho, rng = float(rho), np.random.default_rng(int(seed))
np.random.seed(int(seed))
sizes = json.load(open(domain))
names = open(source).readline().strip().split(",")
table = np.loadtxt(source, delimiter=",", skiprows=1, dtype=int)
whole = Domain(names, [sizes[name] for name in names])
data = Dataset({name: table[:, place] for place, name in enumerate(names)}, whole)
def noisy(data, sets):
    sigma = np.sqrt(3 * len(sets) / (2 * rho))
    counts = {s: data.project(s).datavector() for s in sets}
    return {s: np.asarray(c) + rng.normal(0, sigma, len(c)) for s, c in counts.items()}, sigma
alone, sigma = noisy(data, [(name,) for name in names])
places, measured = {}, []
for (name,), y in alone.items():
    kept = y >= 3 * sigma
    if kept.all():
        measured.append(LinearMeasurement(y, (name,), sigma))
        continue
    places[name] = np.where(kept, np.cumsum(kept) - 1, kept.sum())
    # The merged count has the noise of all of its values: scaled, so that every count has sigma.
    scale = np.append(np.ones(kept.sum()), 1 / np.sqrt((~kept).sum()))
    class Scaled:
        def __init__(self, scale): self.scale = scale
        def __call__(self, factor): return factor.datavector() * self.scale
    measured.append(LinearMeasurement(np.append(y[kept], y[~kept].sum()) * scale, (name,), sigma, Scaled(scale)))
data = data.compress(places)
total = float(np.mean([y.sum() for y in alone.values()]))
model = estimation.MirrorDescent().estimate(data.domain, measured, known_total=total, iters=1000)
score = {}
for pair in itertools.combinations(names, 2):
    expected = np.outer(*[np.asarray(model.project((name,)).datavector()) for name in pair]).ravel() / total
    score[pair] = np.abs(np.asarray(data.project(pair).datavector()) - expected).sum()
epsilon = np.sqrt(8 * rho / 3 / (len(names) - 1))
part, tree = {name: name for name in names}, []
for _ in names[1:]:
    open_ = [pair for pair in score if part[pair[0]] != part[pair[1]]]
    logs = np.array([epsilon / 2 * score[pair] for pair in open_])
    shares = np.exp(logs - logs.max())
    a, b = open_[rng.choice(len(open_), p=shares / shares.sum())]
    tree.append((a, b))
    part = {name: part[a] if of == part[b] else of for name, of in part.items()}
pairs, sigma = noisy(data, tree)
measured += [LinearMeasurement(y, pair, sigma) for pair, y in pairs.items()]
model = estimation.MirrorDescent().estimate(data.domain, measured, known_total=total, iters=5000)
records = model.synthetic_data().decompress(places).to_dict()
np.savetxt(target, np.stack([records[name] for name in names], 1), fmt="%d", delimiter=",", header=",".join(names), comments="")
"""

DPMM = r"""
import json, sys
import pandas
from dpmm.pipelines import aim, mst
source, domain, epsilon, delta, method, seed, target = sys.argv[1:]
table, sizes = pandas.read_csv(source), json.load(open(domain))
kind = mst.MSTPipeline if method == "mst" else aim.AIMPipeline
more = {} if method == "mst" else {"max_model_size": 1}
pipeline = kind(epsilon=float(epsilon), delta=float(delta), disable_processing=True, n_jobs=1, **more)
pipeline.fit(table, domain={name: sizes[name] for name in table.columns}, random_state=int(seed))
pipeline.generate(n_records=len(table), random_state=int(seed))[list(table.columns)].to_csv(target, index=False)
"""


def bought(epsilon):
    """The rho of (epsilon, DELTA), by halving, as MST takes it."""
    from math import exp, log1p

    def delta(rho):
        low, high = 1.0001, (epsilon + 1) / (2 * rho) + 2
        for _ in range(200):
            alpha = (low + high) / 2
            low, high = (alpha, high) if (2 * alpha - 1) * rho - epsilon + log1p(-1 / alpha) < 0 else (low, alpha)
        return exp((alpha - 1) * (alpha * rho - epsilon) + alpha * log1p(-1 / alpha)) / (alpha - 1)

    low, high = 0.0, epsilon + 1
    for _ in range(200):
        rho = (low + high) / 2
        low, high = (rho, high) if delta(rho) <= DELTA else (low, rho)
    return low


def recipe(method, epsilon, seed, sizes, table, release):
    """Every column with its codes as domain."""
    text = f'[input]\npath = "{table}"\n[output]\npath = "{release}"\n[method]\nname = "{method}"\nseed = {seed}\n'
    text += '[[privacy]]\nmodel = "differential-privacy"\n'
    text += f"epsilon = {epsilon}\ndelta = {DELTA}\n"
    for name, size in sizes.items():
        text += f'[attributes."{name}"]\nrole = "quasi-identifier"\ndomain = {json.dumps([str(v) for v in range(size)])}\n'
    return text


class Judge:
    """The original's shares of each set of columns beside those of other records."""

    def __init__(self, path, sizes):
        import numpy

        self.np, self.names, self.sizes = numpy, list(sizes), sizes
        self.original = self.read(path)
        self.groups = {}
        for name in self.names:
            counts = numpy.bincount(self.original[name], minlength=sizes[name])
            below = numpy.cumsum(counts) - counts
            of_long = numpy.minimum(20 * below // counts.sum(), 19)
            self.groups[name] = of_long if name in LONG else numpy.arange(sizes[name])

    def read(self, path):
        names = open(path).readline().strip().split(",")
        table = self.np.loadtxt(path, delimiter=",", skiprows=1, dtype=int)
        return {name: table[:, names.index(name)] for name in self.names}

    def shares(self, records, names):
        key, cells = 0, 1
        for name in names:
            key, cells = key * self.sizes[name] + records[name], cells * self.sizes[name]
        return self.np.bincount(key, minlength=cells) / len(key)

    def apart(self, records, size, groups=None):
        grouped = lambda table: {name: groups[name][column] for name, column in table.items()} if groups else table
        ours, theirs, distances = grouped(self.original), grouped(records), []
        for names in itertools.combinations(self.names, size):
            distances.append(self.np.abs(self.shares(ours, names) - self.shares(theirs, names)).sum() / 2)
        return sum(distances) / len(distances)

    def line(self, path):
        records = self.read(path)
        k = 1000 * (1 - self.apart(records, 2, self.groups))
        return f"{self.apart(records, 2):.4f} | {self.apart(records, 3):.4f} | {k:.0f}"


def can(python, module):
    return subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode == 0


def runs(args, sizes, folder):
    """Name, command, and where the records will be, of each run."""
    table, domain = args.data / "adult.csv", args.data / "domain.json"
    for seed in range(1, args.seeds + 1):
        for method in "mst", "aim":
            path = folder / f"{method}.toml"
            release = folder / f"velamen-{method}-{seed}"
            path.write_text(recipe(method, args.epsilon, seed, sizes, table.resolve(), release))
            yield f"velamen {method}", [args.velamen, "anonymize", path], release / "data.csv"
        if can(sys.executable, "mbi"):
            target = folder / f"mbi-{seed}.csv"
            rho = str(bought(args.epsilon))
            yield "mbi, MST", [sys.executable, "-W", "ignore", "-c", MBI, table, domain, rho, str(seed), target], target
        if args.dpmm and can(args.dpmm, "dpmm"):
            for method in ("mst", "aim") if args.slow else ("mst",):
                target = folder / f"dpmm-{method}-{seed}.csv"
                budget = [str(args.epsilon), str(DELTA)]
                yield f"dpmm, {method.upper()}", [args.dpmm, "-c", DPMM, table, domain, *budget, method, str(seed), target], target


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--velamen", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--dpmm", help="a Python that has dpmm")
    parser.add_argument("--slow", action="store_true", help="AIM of dpmm, too: several minutes a run")
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--seeds", type=int, default=1)
    args = parser.parse_args()
    if importlib.util.find_spec("numpy") is None:
        sys.exit("the judge needs numpy")
    sizes = json.loads((args.data / "domain.json").read_text())
    for python, module in (sys.executable, "mbi"), (args.dpmm, "dpmm"):
        if not python or not can(python, module):
            print(f"{module}: no Python that has it; left out")
    judge = Judge(args.data / "adult.csv", sizes)
    print(f"epsilon = {args.epsilon}\n\n| what | E2 | E3 | K | CPU | memory |\n| --- | ---: | ---: | ---: | ---: | ---: |", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, command, target in runs(args, sizes, pathlib.Path(folder)):
            _, memory, cpu = run(list(map(str, command)))
            print(f"| {name} | {judge.line(target)} | {cpu:.2f} s | {memory:,.0f} MiB |", flush=True)


if __name__ == "__main__":
    main()
