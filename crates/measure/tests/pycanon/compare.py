#!/usr/bin/env python3
"""Compares `BIN measure TABLE --qi a,b --sensitive s,t --json` with pycanon 1.3.6 on the same table.

    compare.py --velamen BIN TABLE --qi a,b --sensitive s,t [--delimiter ';'] [-- further arguments for BIN]

Prints every figure that differs by more than 1e-9 and exits with 1 if there is one, 2 if BIN fails. An attribute
counts as numeric iff BIN says so; where pandas would have decided otherwise, a note is printed.
"""

import argparse
import json
import math
import subprocess
import sys

import figures
import pandas as pd

TOLERANCE = 1e-9


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--velamen", required=True, metavar="BIN")
    parser.add_argument("table")
    parser.add_argument("--qi", required=True)
    parser.add_argument("--sensitive", required=True)
    parser.add_argument("--delimiter", default=",")
    arguments = sys.argv[1:]
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser.parse_args(arguments[:cut])
    options.further = arguments[cut + 1 :]
    return options


def measured(options):
    command = [options.velamen, "measure", options.table, "--qi", options.qi, "--sensitive", options.sensitive]
    run = subprocess.run(command + ["--json"] + options.further, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        print(f"{options.velamen} ended with {run.returncode}: {run.stderr.strip()}", file=sys.stderr)
        sys.exit(2)
    return json.loads(run.stdout)


def derived(ours):
    """Figures of ours that are pycanon's under another name or in another unit, for one attribute."""
    return {
        "alpha": ours["alpha"],
        "l": ours["distinct-l"],
        "basic-beta": ours["basic-beta"],
        "delta": ours["delta"] * math.log(2),
    }


def near_whole(number):
    return abs(number - round(number)) <= 1e-9


class Comparison:
    def __init__(self):
        self.compared = self.rounded = 0
        self.differences = []

    def figure(self, path, ours, theirs):
        self.compared += 1
        if ours is None or theirs is None:
            same = ours is theirs
        else:
            same = abs(ours - theirs) <= TOLERANCE
        if not same:
            self.differences.append(f"{path}: {ours}, pycanon {theirs}")

    def entropy(self, path, ours, theirs, reals):
        """pycanon truncates a rounded number: the last bit decides where the real one is whole."""
        if abs(ours - theirs) == 1 and any(near_whole(real) for real in reals):
            self.rounded += 1
        else:
            self.figure(path, ours, theirs)

    def block(self, path, ours, theirs, reals):
        for name, figure in theirs.items():
            if name == "entropy-l":
                self.entropy(f"{path}.{name}", ours[name], figure, reals)
            elif name in ours:
                self.figure(f"{path}.{name}", ours[name], figure)

    def table(self, ours, theirs):
        for name in ("records", "classes", "least-class", "mean-class", "largest-class", "k"):
            self.figure(name, ours[name], theirs[name])
        reals = {one: ours["sensitive"][one]["entropy-l"] for one in theirs["sensitive"]}
        for one, theirs_of in theirs["sensitive"].items():
            ours_of = ours["sensitive"][one]
            self.figure(f"{one}.values", ours_of["values"], theirs_of["values"])
            self.figure(f"{one}.t-equal", ours_of["t-equal"], theirs_of["t-equal"])
            if theirs_of["t-ordered"] is not None:
                self.figure(f"{one}.t-ordered", ours_of["t-ordered"], theirs_of["t-ordered"])
            self.block(f"{one}.pycanon", ours_of["pycanon"], theirs_of["pycanon"], [reals[one]])
            self.block(one, derived(ours_of), {k: theirs_of["pycanon"][k] for k in derived(ours_of)}, [])
        self.block("pycanon", ours["pycanon"], theirs["pycanon"], list(reals.values()))


def main():
    options = parse()
    ours = measured(options)
    table = figures.read(options.table, options.delimiter)
    qi, sensitive = options.qi.split(","), options.sensitive.split(",")
    numeric = [one for one in sensitive if ours["sensitive"][one]["numeric"]]
    for one in sensitive:
        inferred = pd.to_numeric(table[one], errors="coerce").notna().all()
        if inferred != (one in numeric):
            print(f"note: pandas would take {one} as {'numbers' if inferred else 'text'}")
    comparison = Comparison()
    comparison.table(ours, figures.of_table(figures.typed(table, numeric), qi, sensitive))
    for difference in comparison.differences:
        print(difference)
    rounded = f", {comparison.rounded} differ by one at a whole entropy l" if comparison.rounded else ""
    print(f"{comparison.compared} figures compared, {len(comparison.differences)} differ{rounded}")
    sys.exit(1 if comparison.differences else 0)


if __name__ == "__main__":
    main()
