"""How long the page of the studio takes beside the program on one thread: `speed.py PAGE ADULT [RECORDS]`.

ADULT is a folder with `adult.csv` and its nine hierarchies; RECORDS of synthetic patients are released, 1,400,000 if nothing is said. VELAMEN in
the environment names the program. Prints a table of seconds; what the page takes for a release is from the click to the shown findings.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import velamen

COLUMNS = 6


def given_and_opened(opened, folder, name):
    velamen.shown(opened)
    opened.locator("#file").set_input_files([str(file) for file in sorted(folder.iterdir()) if file.is_file()])
    opened.get_by_role("button", name=name, exact=True).click(timeout=600_000)
    opened.get_by_role("heading", name="Attributes").wait_for(timeout=600_000)
    velamen.settled(opened, 600)


def by_command(folder, recipe):
    began = time.monotonic()
    subprocess.run([velamen.VELAMEN, "anonymize", recipe, "--threads", "1"], cwd=folder, check=True, capture_output=True)
    return time.monotonic() - began


def front(chromium, adult):
    """From a new k to the whole front of Adult."""
    with tempfile.TemporaryDirectory() as folder, velamen.page(chromium) as opened:
        folder = pathlib.Path(folder)
        for file in adult.glob("adult*.csv"):
            (folder / file.name).write_bytes(file.read_bytes())
        text = ['[input]\npath = "adult.csv"\n']
        for file in sorted(adult.glob("adult_hierarchy_*.csv")):
            name = file.stem.removeprefix("adult_hierarchy_")
            text.append(f'[attributes.{json.dumps(name)}]\nrole = "quasi-identifier"\nhierarchy = "{file.name}"\n')
        text.append('[[privacy]]\nmodel = "k-anonymity"\nk = 5\n[method]\nname = "optimal"\n[output]\npath = "release"\n')
        (folder / "recipe.toml").write_text("\n".join(text))
        given_and_opened(opened, folder, "recipe.toml")
        velamen.go(opened, "Explore")
        opened.locator("#release-1").wait_for(timeout=600_000)
        velamen.settled(opened, 600)
        began = time.monotonic()
        opened.locator("#set-privacy-0-k").fill("10")
        opened.locator("#set-privacy-0-k").press("Enter")
        velamen.settled(opened, 600)
        # `settled` looks three times that nothing runs.
        return time.monotonic() - began - 0.12


def release(chromium, records):
    """A release of synthetic patients: the page's seconds, and the program's."""
    with tempfile.TemporaryDirectory() as folder, velamen.page(chromium) as opened:
        folder = pathlib.Path(folder)
        words = [velamen.VELAMEN, "synth", "nps", "--rows", str(records), "--output", "patients.csv", "--recipe", "recipe.toml"]
        subprocess.run(words, cwd=folder, check=True, capture_output=True)
        columns = len((folder / "patients.csv").open().readline().split(","))
        assert columns == COLUMNS, columns
        given_and_opened(opened, folder, "recipe.toml")
        velamen.go(opened, "Release")
        began = time.monotonic()
        opened.get_by_role("button", name="Make the release").click()
        opened.locator("#made").wait_for(timeout=1_800_000)
        return time.monotonic() - began, by_command(folder, "recipe.toml")


def main():
    adult, records = pathlib.Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1_400_000
    with velamen.studio.browser() as chromium:
        print(f"Adult, a new k, the whole front: {front(chromium, adult):.2f} s", flush=True)
        page, command = release(chromium, records)
        print(f"{records} records of {COLUMNS} columns: {page:.1f} s in the page, {command:.1f} s by the program, {page / command:.2f} times")


if __name__ == "__main__":
    main()
