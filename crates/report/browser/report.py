"""The report's first screen, its print and its narrow page in a real browser: `report.py PROGRAM [WORD] [--all]`.

Eight tables are released by eight methods, each by one of them; with `--all` each by all. Of each report the named figures are in
sight at 1280 x 800 without scrolling, at most six pages are printed before the appendix, no sentence stands twice, and at 390 pixels
nothing is cut, in light and dark. WORD chooses methods by their names.
"""

import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from playwright.sync_api import sync_playwright

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")

MOST_PAGES = 6

METHODS = {
    "optimal": {"suppression-limit": "0.2"},
    "local": {"name": '"optimal"', "suppression-limit": "0.2", "local-recoding": "true"},
    "mondrian": {},
    "suppression": {"suppression-limit": "1"},
    "ce-mi-clustering": {},
    "h-ceiling": {"h": "0.9", "counterfeit-limit": "1", "suppression-limit": "1", "adversary-limit": "1", "least-real": "1", "group-classes": "2"},
    "safe-pub": {},
    "mst": {},
}

PRIVATE = ["safe-pub", "mst"]

# What a reader has to find without scrolling; a private release shows no risk.
NAMED = 7

# More columns of numbers beside the usual ones, and records.
SHAPES = [(0, 900), (1, 900), (2, 1200), (3, 1200), (4, 1500), (5, 1500), (7, 2000), (10, 3000)]

REGIONS = ["North", "South", "East", "West"]
DIAGNOSES = ["I10", "E11", "J45", "C50", "N18"]


def table(extra, records):
    draw = random.Random(extra)
    names = ["age", "sex", "region", "diagnosis"] + [f"laboratory value {number}" for number in range(extra)]
    lines = [",".join(names)]
    for _ in range(records):
        row = [draw.randint(18, 89), draw.choice("fm"), draw.choice(REGIONS), draw.choice(DIAGNOSES)]
        lines.append(",".join(map(str, row + [draw.randint(0, 9) for _ in range(extra)])))
    return "\n".join(lines) + "\n"


def recipe(method, extra):
    """A column of numbers in two is a quasi-identifier, of a private method all are."""
    private = method in PRIVATE
    role = lambda quasi: 'role = "quasi-identifier"\n' if quasi or private else 'role = "insensitive"\n'
    numbers = lambda high: (
        f"domain = {{ min = 0, max = {high} }}\n" if method == "mst" else f"hierarchy = {{ interval = [5, 10, 20], min = 0, max = 119 }}\n"
    )
    listed = lambda values: (
        f"domain = {values}\n".replace("'", '"')
        if method == "mst"
        else "hierarchy = { rows = [" + ", ".join(f'["{value}", "*"]' for value in values) + "] }\n"
    )
    text = f'[input]\npath = "table.csv"\nrows = "independent"\n[attributes.age]\n{role(True)}{numbers(119)}'
    text += f"[attributes.sex]\n{role(True)}{listed(['f', 'm'])}[attributes.region]\n{role(True)}{listed(REGIONS)}"
    text += f"[attributes.diagnosis]\n{role(True) + listed(DIAGNOSES) if private else 'role = ' + chr(34) + 'sensitive' + chr(34) + chr(10)}"
    for number in range(extra):
        text += f'[attributes."laboratory value {number}"]\n{role(number % 2 == 0 and method != "h-ceiling")}'
        if private:
            text += listed([str(value) for value in range(10)])
    if private:
        text += '[[privacy]]\nmodel = "differential-privacy"\nepsilon = 2.0\ndelta = 1e-3\n'
    else:
        text += '[[privacy]]\nmodel = "k-anonymity"\nk = 3\n'
    keys = {"name": f'"{method}"'} | METHODS[method]
    text += "[method]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items())
    return text + '[output]\npath = "release"\n[report]\nrisk = 0.2\n'


def released(program, folder, method, extra):
    """The report of a release, or why there is none."""
    (folder / "recipe.toml").write_text(recipe(method, extra))
    run = subprocess.run([program, "anonymize", "recipe.toml", "--overwrite"], cwd=folder, capture_output=True, text=True)
    report = folder / "release" / "report.html"
    assert run.returncode == 0, f"{method} with {extra} more columns: {run.stderr}"
    return report


def pages(pdf):
    return len(re.findall(rb"/Type\s*/Page[^s]", pdf))


def in_sight(opened):
    """The named figures, and how far down the last of them ends."""
    return opened.evaluate(
        "() => { const all = [...document.querySelectorAll('.glance > div')];"
        " return [all.length, Math.max(...all.map(one => one.getBoundingClientRect().bottom))]; }"
    )


def cut(opened):
    """Charts and figures that end beyond the page, and whether the page scrolls sideways."""
    return opened.evaluate(
        "() => { const width = document.documentElement.clientWidth;"
        " const beyond = [...document.querySelectorAll('figure, figure svg, .glance > div, .promises > li')];"
        " return document.documentElement.scrollWidth > width || beyond.some(one => one.getBoundingClientRect().right > width + 1); }"
    )


def twice(opened):
    """The sentences that stand in the text more than once; what tables and folded parts hold is no text."""
    text = opened.evaluate(
        "() => [...document.querySelectorAll('header p, main p, main li, figcaption, dd')]"
        ".filter(one => !one.closest('details, table') && !one.querySelector('p, li, dd')).map(one => one.innerText).join('\\n')"
    )
    sentences = [sentence.strip() for sentence in re.split(r"(?<=[.!?:])\s+|\n", text)]
    long = [sentence for sentence in sentences if len(sentence.split()) >= 6]
    return sorted({sentence for sentence in long if long.count(sentence) > 1})


def looked_at(chromium, report, private):
    opened = chromium.new_page(viewport={"width": 1280, "height": 800})
    opened.goto(report.as_uri())
    figures, bottom = in_sight(opened)
    assert bottom <= 800 and (private or figures >= NAMED), (figures, bottom)
    assert not twice(opened), twice(opened)
    for scheme in ["light", "dark"]:
        opened.emulate_media(color_scheme=scheme)
        opened.set_viewport_size({"width": 390, "height": 844})
        assert not cut(opened), scheme
    opened.emulate_media(color_scheme="light")
    opened.evaluate("() => document.querySelector('.appendix')?.remove()")
    printed = pages(opened.pdf(format="A4"))
    opened.close()
    assert printed <= MOST_PAGES, f"{printed} pages before the appendix"
    return figures, bottom, printed


def main():
    words = [word for word in sys.argv[2:] if word != "--all"]
    program, word = os.path.abspath(sys.argv[1]), words[0] if words else ""
    pairs = [(method, *shape) for place, method in enumerate(METHODS) for shape in (SHAPES if "--all" in sys.argv else [SHAPES[place]])]
    failed = 0
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-quic"])
        for method, extra, records in [pair for pair in pairs if word in pair[0]]:
            with tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                (folder / "table.csv").write_text(table(extra, records))
                try:
                    found = looked_at(chromium, released(program, folder, method, extra), method in PRIVATE)
                    print("ok  ", method, extra, *found, flush=True)
                except AssertionError as wrong:
                    failed += 1
                    print("FAIL", method, extra, str(wrong)[:300], flush=True)
        chromium.close()
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
