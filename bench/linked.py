#!/usr/bin/env python3
"""Linked tables: how fast FHIR as NDJSON is read, what memory follows, and what a million persons take.

    cargo build --release -p velamen-cli
    python3 bench/linked.py --velamen target/release/velamen reading --persons 40000 --runs 5
    python3 bench/linked.py --velamen target/release/velamen memory --persons 20000 --times 4
    python3 bench/linked.py --velamen target/release/velamen million --persons 1000000 --m 2 3

`reading`: a plain copy of the resources, `check` (each line taken apart), and `check --data` (all that a run does before it
removes anything), one thread, in turn. Rates are bytes of NDJSON by seconds of the processor. With --before another build is
measured in the same turns.

`memory`: peak memory of `check --data` and `anonymize` on N persons; on as many persons whose resources have texts that nobody
releases, so that there are more bytes; and on so many times the persons, whose codes, days and numbers are the same.

`million`: `anonymize` and `verify` of OMOP tables on all cores, m by m.

Wall time, processor time and peak memory are the operating system's (wait4).
"""
import argparse
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

from compare import run

COPY = "import shutil, sys; shutil.copytree(sys.argv[1], sys.argv[2], dirs_exist_ok=True)"

RECIPE = """
[input]
folder = "{folder}"
shape = "{shape}"
[persons]
{persons}
[tables.{table}]
{column}
[[privacy]]
model = "k-km-anonymity"
k = 5
m = {m}
[method]
name = "thin"
{key}
[output]
path = "release"
"""

PUBLIC = 'tier = "public"\ndates = "year"'
SHIFT = 'tier = "agreement"\ndates = { shift = 180 }\nwindow = ["2015-01-01", "2024-12-31"]'
BIRTH_DATE = 'attributes.birthDate = { role = "quasi-identifier", hierarchy = { date = ["year", "10-years"], ' \
             'min = "1900-01-01", max = "2039-12-31" } }'
BIRTH_YEAR = 'attributes.year_of_birth = { role = "quasi-identifier", hierarchy = { interval = [5, 10, 20], ' \
             'min = 1900, max = 2039 } }'


def synth(velamen, shape, persons, folder):
    command = [velamen, "synth", "patients", "--as", shape, "--persons", str(persons), "--output", folder, "--quiet"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def size(folder):
    return sum(file.stat().st_size for file in folder.iterdir()) / 1e6


def fhir_recipe(folder, path):
    path.write_text(RECIPE.format(folder=folder, shape="fhir", persons=PUBLIC, table="Patient", column=BIRTH_DATE, m=1, key=""))


def reading(given, folder):
    export, released = folder / "export", folder / "release"
    synth(given.velamen, "fhir", given.persons, export)
    recipe = folder / "recipe.toml"
    fhir_recipe(export, recipe)
    recipe.write_text(recipe.read_text().replace('path = "release"', f'path = "{released}"'))
    subprocess.run([given.velamen, "anonymize", recipe, "--quiet"], check=True)
    read, written = size(export), size(released / "data")
    print(f"{given.persons:,} persons, {read:.0f} MB of NDJSON, {written:.0f} MB released, one thread, {given.runs} runs in turn; "
          f"load {os.getloadavg()[0]:.1f}\n")
    works = {"a plain copy": (read, ["python3", "-c", COPY, str(export), str(folder / "copy")])}
    for name, program in [("", given.velamen), (", before", given.before)]:
        if program:
            check = [program, "check", str(recipe), "--overwrite", "--threads", "1", "--quiet"]
            works["`check`" + name] = (read, check)
            works["`check --data`" + name] = (read, check + ["--data"])
            works["`verify`" + name] = (written, [program, "verify", str(released), "--threads", "1", "--quiet"])
    taken = {name: [] for name in works}
    for _ in range(given.runs):
        for name, (_, command) in works.items():
            taken[name].append(run(command))
    print("| work | processor | MB/s | wall | memory |\n| --- | --- | --- | --- | --- |")
    for name, runs in taken.items():
        megabytes = works[name][0]
        processor = sorted(cpu for _, _, cpu in runs)
        median = statistics.median(processor)
        print(f"| {name} | {median:.2f} s ({processor[0]:.2f}–{processor[-1]:.2f}) | {megabytes / median:.0f} "
              f"({megabytes / processor[-1]:.0f}–{megabytes / processor[0]:.0f}) | {statistics.median(w for w, _, _ in runs):.2f} s "
              f"| {max(memory for _, memory, _ in runs):.0f} MiB |")
    steps(given, recipe, written)


def steps(given, recipe, written):
    """Wall time of a run's steps by its log: writing and checking, in MB of what is released."""
    log = recipe.with_name("log")
    command = [given.velamen, "anonymize", recipe, "--overwrite", "--threads", "1", "--quiet", "--log", log]
    subprocess.run(command, check=True)
    times = {}
    for line in log.read_text().splitlines():
        at, _, said = line.partition(" ")
        if not at[:1].isdigit():
            continue
        times[said.replace("INFO", "").split(" persons=")[0].strip()] = datetime.datetime.fromisoformat(at.replace("Z", "+00:00"))
    named = ["the released tables are in memory", "the tables were written", "the release was checked"]
    began, wrote, checked = (times[name] for name in named)
    for name, seconds in [("writing", (wrote - began).total_seconds()), ("checking", (checked - wrote).total_seconds())]:
        print(f"| a run's {name} | | {written / seconds:.0f} | {seconds:.2f} s | |")


def padded(export, target, times):
    """The same resources with a narrative that makes them so many times as long."""
    target.mkdir()
    for file in sorted(export.iterdir()):
        with file.open() as lines, (target / file.name).open("w") as out:
            for line in lines:
                narrative = json.dumps({"status": "generated", "div": "x" * ((times - 1) * len(line))})
                out.write(line.rstrip("\n")[:-1] + f',"text":{narrative}}}\n' if '"text":{"status"' not in line else line)


def memory(given, folder):
    few, many, longer = folder / "few", folder / "many", folder / "longer"
    synth(given.velamen, "fhir", given.persons, few)
    repeated(few, many, given.times)
    padded(few, longer, given.times)
    print(f"load {os.getloadavg()[0]:.1f}\n\n| resources | NDJSON | `check --data` | `anonymize` |\n| --- | --- | --- | --- |")
    for name, export in [("N persons", few), ("the same, padded", longer), (f"{given.times} N persons", many)]:
        recipe = folder / "recipe.toml"
        fhir_recipe(export, recipe)
        common = [str(recipe), "--threads", "1", "--quiet"]
        checked = run([given.velamen, "check", *common, "--data"])
        made = run([given.velamen, "anonymize", *common, "--overwrite"])
        print(f"| {name} | {size(export):.0f} MB | {checked[1]:.0f} MiB | {made[1]:.0f} MiB |", flush=True)


def repeated(export, target, times):
    """Each resource so many times, with ids of its own; all else is the same."""
    target.mkdir()
    for file in sorted(export.iterdir()):
        with file.open() as lines, (target / file.name).open("w") as out:
            for line in lines:
                for copy in range(times):
                    out.write(line if copy == 0 else again(line, copy))


def again(line, copy):
    """The line with other last digits in its ids and references: those that `synth` writes end in 12 digits, the first of them 0."""
    resource = json.loads(line)
    for element in [resource, resource.get("subject", {}), resource.get("encounter", {})]:
        for name in ["id", "reference"]:
            if name in element and len(element[name]) > 36 - (name == "id"):
                text = element[name]
                element[name] = text[:-12] + f"{copy:x}" + text[-11:]
    return json.dumps(resource, separators=(",", ":")) + "\n"


def million(given, folder):
    tables = folder / "omop"
    synth(given.velamen, "omop", given.persons, tables)
    (folder / "secret.key").write_text("5" * 64)
    print(f"{given.persons:,} persons, {size(tables):.0f} MB; {os.cpu_count()} cores\n")
    print("| work | wall | processor | memory | load |\n| --- | --- | --- | --- | --- |")
    for m in given.m:
        recipe = folder / "recipe.toml"
        recipe.write_text(RECIPE.format(folder=tables, shape="omop", persons=SHIFT, table="person", column=BIRTH_YEAR, m=m,
                                        key='[key]\nfile = "secret.key"'))
        works = [("anonymize", [str(recipe), "--overwrite"]), ("verify", [str(folder / "release")])]
        for name, rest in works:
            wall, megabytes, processor = run([given.velamen, name, *rest, "--quiet"])
            print(f"| `{name}`, m = {m} | {wall:.0f} s | {processor:.0f} s | {megabytes / 1024:.1f} GiB | {os.getloadavg()[1]:.1f} |",
                  flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--velamen", required=True)
    arguments.add_argument("--before", help="another build, for `reading`")
    arguments.add_argument("--folder", help="where to work; a temporary folder if left out")
    arguments.add_argument("work", choices=["reading", "memory", "million"])
    arguments.add_argument("--persons", type=int, required=True)
    arguments.add_argument("--runs", type=int, default=5)
    arguments.add_argument("--times", type=int, default=4)
    arguments.add_argument("--m", type=int, nargs="+", default=[2, 3])
    given = arguments.parse_args()
    given.velamen = str(pathlib.Path(given.velamen).resolve())
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        {"reading": reading, "memory": memory, "million": million}[given.work](given, pathlib.Path(folder))


if __name__ == "__main__":
    main()
