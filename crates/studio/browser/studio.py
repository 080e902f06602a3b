"""What the browser tests share: a studio that is started, a page in it, and tables that nobody's data are in."""

import contextlib
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import traceback

from playwright.sync_api import sync_playwright

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")


@contextlib.contextmanager
def studio(binary, folder=None):
    """A studio, by its link; it ends with its input."""
    command = [binary] + ([str(folder)] if folder else [])
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        assert process.wait(30) == 0, "the studio ends well"


@contextlib.contextmanager
def browser():
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-quic"])
        try:
            yield chromium
        finally:
            chromium.close()


@contextlib.contextmanager
def page(chromium, **options):
    """A page of a profile of its own; whatever its console complains of fails the test."""
    context = chromium.new_context(**options)
    opened = context.new_page()
    watched(opened)
    try:
        yield opened
        assert not opened.said, opened.said
    finally:
        context.close()


def watched(opened):
    opened.said = []
    opened.on("console", lambda message: message.type in ("error", "warning") and opened.said.append(message.text))
    opened.on("pageerror", lambda error: opened.said.append(str(error)))


@contextlib.contextmanager
def linked_folder(persons=300):
    """A folder with an export of OMOP below it. Nobody's data are in it."""
    draw = random.Random(5)
    person = ["person_id,gender_concept_id,year_of_birth,race_concept_id,ethnicity_concept_id"]
    condition = ["condition_occurrence_id,person_id,condition_concept_id,condition_start_date,condition_end_date,condition_type_concept_id"]
    for number in range(persons):
        person.append(f"{number},{draw.choice([8507, 8532])},{draw.randint(1930, 2000)},0,0")
        for code in draw.sample([201826, 320128, 317009, 255573], draw.randint(1, 3)):
            day = f"20{draw.randint(15, 19)}-0{draw.randint(1, 9)}-1{draw.randint(0, 9)}"
            condition.append(f"{len(condition)},{number},{code},{day},{day},32817")
    with tempfile.TemporaryDirectory() as folder:
        export = pathlib.Path(folder) / "export"
        export.mkdir()
        (export / "PERSON.csv").write_text("\n".join(person) + "\n")
        (export / "CONDITION_OCCURRENCE.csv").write_text("\n".join(condition) + "\n")
        yield pathlib.Path(folder)


@contextlib.contextmanager
def folder_with_table(records=3000, name="stays.csv"):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        table(folder / name, records)
        yield folder


def table(path, records, seed=1):
    """Stays in hospital, drawn by a seed."""
    draw = random.Random(seed)
    with open(path, "w") as file:
        file.write("name,age,sex,zip,diagnosis\n")
        for record in range(records):
            age, sex = min(99, int(abs(draw.gauss(50, 20)))), draw.choice("FM")
            area = draw.choice(["10115", "10117", "20095", "20097", "80331", "80333"])
            diagnosis = draw.choices(["flu", "asthma", "stroke", "cancer"], [6, 3, 2, 1])[0]
            file.write(f"person-{record},{age},{sex},{area},{diagnosis}\n")


def settled(opened, seconds=60):
    """Waits until the studio has nothing to do and the page shows it."""
    end = time.monotonic() + seconds
    quiet = 0
    # The page's policy forbids to evaluate text, which waiting for a function would do.
    while quiet < 3:
        assert time.monotonic() < end, "the studio is still at work"
        quiet = 0 if opened.locator("#status .busy, .htmx-request").count() else quiet + 1
        opened.wait_for_timeout(40)


def go(opened, step, steps="Steps"):
    opened.get_by_role("navigation", name=steps).get_by_role("link", name=step).click()
    opened.wait_for_load_state()
    settled(opened)


def to_attributes(opened, seconds=120):
    """From a table that was just opened, past the guide."""
    opened.get_by_role("heading", name="Guide").wait_for(timeout=1000 * seconds)
    go(opened, "Attributes")


def recipe(opened):
    """The whole text, though it is folded."""
    return opened.locator("#recipe-text").text_content()


def tab_to(opened, selector):
    for _ in range(150):
        opened.keyboard.press("Tab")
        if opened.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"{selector} cannot be reached by the keyboard")


# What sticks out of the page on the right.
WIDE = """[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.scroll, .steps, pre, .side, .distributions'))
  .slice(0, 4).map(e => e.tagName + '.' + e.className + '#' + e.id).join(' ')"""


def looked_at(opened, axe, name):
    """What is wrong with a page at 1280 and at 390 pixels, light and dark: axe-core's violations, and what leaves the page."""
    wrong = []
    for width in (1280, 390):
        opened.set_viewport_size({"width": width, "height": 900})
        if opened.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            wrong.append(f"{name} at {width} scrolls sideways: " + opened.evaluate(WIDE))
        for scheme in ("light", "dark"):
            opened.emulate_media(color_scheme=scheme)
            for violation in axe.run(opened).response["violations"]:
                nodes = [node["html"][:160] for node in violation["nodes"][:3]]
                wrong.append(f"{name} at {width}, {scheme}: {violation['id']}: {nodes}")
    opened.set_viewport_size({"width": 1280, "height": 900})
    opened.emulate_media(color_scheme="light")
    return wrong


def run(flows):
    """Runs each flow as `FILE.py SERVE [WORD]` asks: all, or those with the word in their names."""
    serve, words = sys.argv[1], sys.argv[2:]
    failed = 0
    with browser() as chromium:
        for flow in flows:
            name = flow.__name__.replace("_", " ")
            if words and not any(word in name for word in words):
                continue
            began = time.monotonic()
            try:
                left_out = flow(serve, chromium)
                said = f"left out: {left_out}" if left_out else f"{time.monotonic() - began:.1f} s"
                print(f"ok      {name} ({said})", flush=True)
            except Exception as error:  # noqa: BLE001, each flow is told of
                failed += 1
                print(f"FAILED  {name}: {error}", flush=True)
                traceback.print_exc()
    sys.exit(1 if failed else 0)
