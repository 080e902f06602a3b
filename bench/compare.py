#!/usr/bin/env python3
"""Whole processes side by side: velamen against DuckDB doing only the read, the GROUP BY and the write.

    pip install duckdb
    cargo build --release
    python3 bench/compare.py --velamen target/release/velamen --rows 1375900 --runs 7

Each run starts a fresh process; the two alternate, so that a drift of the machine meets both. Wall
time and peak memory are the operating system's (wait4). Medians and the ratio pair by pair are
printed as a table for bench/RESULTS.md.
"""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

DUCKDB = """
import duckdb, sys
source, target, threads = sys.argv[1:]
connection = duckdb.connect()
connection.execute(f"SET threads = {threads}")
connection.execute(f"CREATE TABLE t AS SELECT * FROM read_csv('{source}')")
connection.execute("CREATE TABLE g AS SELECT age, sex, length_of_stay, location, surgery, count(*) AS n FROM t GROUP BY ALL")
connection.execute(f"COPY t TO '{target}' (HEADER)")
"""


def run(command):
    """Wall seconds, peak memory in MiB and CPU seconds of one process."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - begin
    if status != 0:
        sys.exit(f"{command[0]} failed: {process.stderr.read().decode()}")
    process.stderr.close()
    return wall, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime


def first(command, folder):
    """A run that finds no earlier release, whose seed and counterfeits it would keep."""
    for name in "release", "release.custodian":
        shutil.rmtree(folder / name, ignore_errors=True)
    return run(command)


def compare(name, ours, theirs, folder, runs):
    pairs = [(first(ours, folder), run(theirs)) for _ in range(runs + 1)][1:]
    ratios = sorted(a[0] / b[0] for a, b in pairs)
    ours_wall, ours_memory, ours_cpu = (statistics.median(a[i] for a, _ in pairs) for i in range(3))
    duck_wall, duck_memory, duck_cpu = (statistics.median(b[i] for _, b in pairs) for i in range(3))
    print(f"| {name} | {ours_wall:.3f} s | {ours_cpu:.3f} s | {ours_memory:,.0f} MiB | {duck_wall:.3f} s | {duck_cpu:.3f} s "
          f"| {duck_memory:,.0f} MiB | {statistics.median(ratios):.2g} ({ratios[0]:.2g}–{ratios[-1]:.2g}) |", flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--velamen", required=True)
    arguments.add_argument("--rows", type=int, default=1_375_900)
    arguments.add_argument("--runs", type=int, default=7)
    arguments.add_argument("--threads", type=int, default=os.cpu_count())
    arguments.add_argument("--distinct", action="store_true", help="a table in which most records are distinct")
    given = arguments.parse_args()
    velamen = str(pathlib.Path(given.velamen).resolve())
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        source, recipe = folder / "nps.csv", folder / "recipe.toml"
        subprocess.run([velamen, "synth", "nps", "--rows", str(given.rows), "--seed", "1", "--output", source,
                        "--recipe", recipe, "--quiet"] + ["--distinct"] * given.distinct,
                       check=True, stdout=subprocess.DEVNULL)
        duckdb = [sys.executable, "-c", DUCKDB, str(source), str(folder / "duckdb.csv"), str(given.threads)]
        common = [velamen, "anonymize", str(recipe), "--overwrite", "--quiet", "--threads", str(given.threads)]
        size = source.stat().st_size / 1e6
        print(f"{given.rows:,} synthetic records{', most distinct' * given.distinct}, {size:.1f} MB of CSV, {given.threads} threads, "
              f"{given.runs} runs after one warm-up, medians\n")
        print("| work | velamen | CPU | memory | DuckDB read, group, write | CPU | memory | ratio of wall time (least–most) |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- |")
        optimal = ["--set", 'method={name="optimal"}', "--set", "privacy.0.k=10"]
        padded = ["--set", 'method={name="h-ceiling"}', "--set", "privacy.0.k=10"]
        compare("optimal, k 10, limit 0", common + optimal, duckdb, folder, given.runs)
        compare("optimal, k 10, limit 5 %", common + optimal + ["--set", "method.suppression-limit=0.05"],
                duckdb, folder, given.runs)
        compare("h-ceiling, k 10", common + padded, duckdb, folder, given.runs)
        compare("h-ceiling, k 10, by RCE", common + padded + ["--set", "method.objective=rce"], duckdb, folder, given.runs)


if __name__ == "__main__":
    main()
