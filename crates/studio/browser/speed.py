"""How long a person waits for a front: `speed.py SERVE ADULT`, by hand.

SERVE is the example `serve` of the crate, built with `--release`; ADULT a folder with `adult.csv` and its hierarchies. Prints seconds from
the start to the sample's front, and from a new figure to Adult's new front: the first and the median of five, until a solution is drawn and
until the front is whole, with the CPU seconds of the studio beside them, which other programs of the machine disturb less.
"""

import os
import pathlib
import shutil
import statistics
import sys
import tempfile
import time

import studio
from studio import browser, go, page, settled

RECIPE = """[input]
path = "adult.csv"
delimiter = ";"
{attributes}
[[privacy]]
model = "k-anonymity"
k = 5
{more}
[method]
name = "optimal"
suppression-limit = {limit}

[output]
path = "release"
"""

NAMES = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class", "occupation"]

DIVERSE = '\n[[privacy]]\nmodel = "distinct-l-diversity"\nattribute = "occupation"\nl = 3\n'

# What is on the page: what stands in the field, the rows that are drawn, whether the front is whole.
SEEN = """id => [document.querySelector(id)?.defaultValue, document.querySelectorAll('#front tr[id^=release-]').length,
  /from every combination/.test(document.querySelector('#front .summary')?.textContent ?? '')]"""


def recipe(name, limit, more=""):
    role = lambda name: "sensitive" if name == "occupation" else "quasi-identifier"
    section = lambda name: f'\n[attributes.{name}]\nrole = "{role(name)}"\nhierarchy = "adult_hierarchy_{name}.csv"\n'
    name.write_text(RECIPE.format(attributes="".join(map(section, NAMES)), limit=limit, more=more))


def cpu():
    """CPU seconds of the studio so far."""
    own = os.getpid()
    for child in pathlib.Path(f"/proc/{own}/task/{own}/children").read_text().split():
        stat = pathlib.Path(f"/proc/{child}/stat").read_text()
        if "(serve" in stat:
            times = stat.rpartition(")")[2].split()[11:13]
            return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")
    raise AssertionError("the studio runs")


def waited(opened, field, value):
    """Seconds until a solution is drawn, until the front is whole, and of the CPU."""
    before, began, first = cpu(), time.monotonic(), None
    while time.monotonic() < began + 600:
        stated, rows, whole = opened.evaluate(SEEN, field)
        now = time.monotonic() - began
        if str(stated) == str(value) and rows:
            first = first or now
            if whole:
                return first, now, cpu() - before
        opened.wait_for_timeout(5)
    raise AssertionError("there is no front")


def told(what, times):
    median = [statistics.median(column) for column in zip(*times)]
    row = lambda of: " | ".join(f"{seconds:.2f}" for seconds in of)
    print(f"| {what} | {row(times[0])} | {row(median)} |", flush=True)


def figure(opened, field, values):
    times = []
    for value in values:
        opened.locator(field).fill(str(value))
        opened.locator(field).press("Enter")
        times.append(waited(opened, field, value))
        settled(opened)
    return times


def adult(serve, folder, chromium):
    recipe(folder / "whole.toml", 0)
    recipe(folder / "suppressing.toml", 0.05)
    recipe(folder / "diverse.toml", 0.05, DIVERSE)
    for name, words in [("whole", "k"), ("suppressing", "k, 5 % suppression"), ("diverse", "k, 3-diversity, 5 % suppression")]:
        with studio.studio(serve, folder) as link, page(chromium) as opened:
            opened.goto(link)
            opened.get_by_role("button", name=f"{name}.toml", exact=True).click()
            opened.get_by_role("heading", name="Attributes").wait_for(timeout=600_000)
            go(opened, "Explore")
            waited(opened, "#set-privacy-0-k", 5)
            settled(opened)
            told(f"Adult, {words}", figure(opened, "#set-privacy-0-k", [10, 7, 20, 4, 15]))
            if name == "diverse":
                told("Adult, l beside k", figure(opened, "#set-privacy-1-l", [2, 4, 5, 6, 7]))


def sample(serve, chromium):
    times = []
    for _ in range(5):
        began = time.monotonic()
        with studio.studio(serve) as link, page(chromium) as opened:
            opened.goto(link)
            opened.locator("#set-privacy-0-k").wait_for(timeout=600_000)
            before = time.monotonic() - began
            first, whole, _ = waited(opened, "#set-privacy-0-k", 10)
            times.append((before + first, before + whole, cpu()))
    told("start, the sample", times)


def main():
    serve, source = sys.argv[1], pathlib.Path(sys.argv[2])
    print("| what | first: drawn | whole | CPU | median: drawn | whole | CPU |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        folder = pathlib.Path(folder)
        for file in source.glob("adult*.csv"):
            shutil.copy(file, folder)
        sample(serve, chromium)
        adult(serve, folder, chromium)


if __name__ == "__main__":
    main()
