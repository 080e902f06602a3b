"""CPU time and peak memory of a release from a polars frame in memory, beside the program's from Parquet.

    python bench/python.py PROGRAM [RECORDS...]

PROGRAM is an optimized build of `velamen`; the Python that runs this has polars and an optimized wheel. Runs alternate, each in
a process of its own. The call alone is counted, not the import of polars or the reading of the frame; both make the same
Parquet file. `chunks` is the frame as polars reads it, `one` a single batch, `categories` has its texts as categoricals.
"""

from __future__ import annotations

import filecmp
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

RUNS = 5

CALL = """
import resource, sys, warnings
import polars as pl, velamen as vm
warnings.simplefilter("ignore")
kind = sys.argv[1]
frame = pl.read_parquet("patients.parquet")
if kind == "one":
    frame = frame.rechunk()
if kind == "categories":
    frame = frame.with_columns(pl.col(pl.String).cast(pl.Categorical))
recipe = vm.Recipe.from_file("recipe.toml").set("output.format", "parquet")
used = lambda: resource.getrusage(resource.RUSAGE_SELF)
before = used()
vm.anonymize(frame, recipe, "by-python", overwrite=True, seed=1)
after = used()
seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
print(seconds, before.ru_maxrss / 1024, after.ru_maxrss / 1024)
"""


def by_program(program: str, folder: Path) -> tuple[float, float]:
    """CPU seconds and peak memory in MiB."""
    words = [program, "anonymize", "recipe.toml", "--quiet", "--overwrite", "--output", "by-program", "--seed", "1"]
    run = subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(run.pid, 0)
    if status:
        sys.exit(f"{' '.join(words)}: ended with {status}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def by_python(kind: str, folder: Path) -> tuple[float, float, float]:
    """CPU seconds of the call, and peak memory in MiB before and after it."""
    told = subprocess.run([sys.executable, "-c", CALL, kind], cwd=folder, check=True, capture_output=True, text=True)
    seconds, before, after = map(float, told.stdout.split())
    return seconds, before, after


def measured(program: str, records: int, folder: Path) -> None:
    words = [program, "synth", "nps", "--rows", str(records), "--output", "patients.parquet", "--recipe", "recipe.toml", "-q"]
    subprocess.run(words, cwd=folder, check=True)
    recipe = folder / "recipe.toml"
    before, rest = recipe.read_text().split("[method]")
    # The levels alone: a quick method, so that what the package adds shows.
    method = '[method]\nname = "optimal"\nsuppression-limit = 0.05\n\n'
    recipe.write_text(before + method + rest[rest.index("[output]"):])
    kinds = ["chunks", "one", "categories"]
    program_runs: list[tuple[float, float]] = []
    python_runs: dict[str, list[tuple[float, float, float]]] = {kind: [] for kind in kinds}
    for _ in range(RUNS):
        program_runs.append(by_program(program, folder))
        for kind in kinds:
            python_runs[kind].append(by_python(kind, folder))
            if not filecmp.cmp(folder / "by-program/data.parquet", folder / "by-python/data.parquet", shallow=False):
                sys.exit(f"{records} records, {kind}: the released files differ")
    base = statistics.median(seconds for seconds, _ in program_runs)
    peak = statistics.median(peak for _, peak in program_runs)
    print(f"{records} records: program {base:.2f} s, {peak:.0f} MiB")
    for kind, runs in python_runs.items():
        seconds, before, after = (statistics.median(run[at] for run in runs) for at in range(3))
        print(f"  {kind}: {seconds:.2f} s, {seconds / base:.2f} times; {after:.0f} MiB, {before:.0f} of them before the call")


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for records in map(int, sys.argv[2:] or ["300000", "1000000"]):
        with tempfile.TemporaryDirectory() as folder:
            measured(str(Path(sys.argv[1]).resolve()), records, Path(folder))


if __name__ == "__main__":
    main()
