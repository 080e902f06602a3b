"""Pictures of every page of the studio: `pictures.py SERVE FOLDER [--docs]`.

SERVE is the example `serve` of the crate. Into FOLDER go all pages, whole, at 1280 and at 390 pixels, light and dark, to be looked at.
With `--docs` it is the pictures of docs/studio-tutorial.md, a window each, small: those in docs/pictures are made by it.
"""

import base64
import contextlib
import pathlib
import shutil
import sys
import tempfile

import studio
from studio import browser, go, page, settled, table

# Widths, colour schemes.
LOOKS = [(width, scheme) for width in (1280, 390) for scheme in ("light", "dark")]

# What all pictures of the docs may have together.
MOST_BYTES = 600_000


class Looked:
    """Every page, whole, in all looks."""

    def __init__(self, folder):
        self.folder = folder

    def take(self, opened, name, *_, **__):
        for width, scheme in LOOKS:
            seen(opened, width, 900, scheme)
            opened.evaluate("scrollTo(0, 0)")
            opened.wait_for_timeout(80)
            opened.screenshot(path=self.folder / f"{name}-{width}-{scheme}.png", full_page=True, caret="initial")
        seen(opened, 1280, 900, "light")


class Docs:
    """A window of each page, as WebP."""

    def __init__(self, folder):
        self.folder = folder

    def take(self, opened, name, top=None, height=860, width=1280, scheme="light", skip=False):
        if skip:
            return
        seen(opened, width, height, scheme)
        opened.evaluate("scrollTo(0, 0)")
        if top:
            opened.locator(top).first.evaluate("element => scrollTo(0, element.getBoundingClientRect().top + scrollY - 24)")
        opened.wait_for_timeout(150)
        session = opened.context.new_cdp_session(opened)
        shot = session.send("Page.captureScreenshot", {"format": "webp", "quality": 48})
        session.detach()
        (self.folder / f"studio-{name}.webp").write_bytes(base64.b64decode(shot["data"]))
        seen(opened, 1280, 900, "light")


def seen(opened, width, height, scheme):
    opened.set_viewport_size({"width": width, "height": height})
    opened.emulate_media(color_scheme=scheme)
    opened.wait_for_timeout(80)


def ready(opened):
    settled(opened, 300)
    opened.wait_for_timeout(500)
    settled(opened, 300)


def tour(opened, link, taken):
    """The studio's own tutorial: from a table of stays to a release."""
    opened.goto(link)
    ready(opened)
    taken.take(opened, "open")
    opened.get_by_role("button", name="stays.csv", exact=True).click()
    opened.get_by_role("heading", name="Guide").wait_for(timeout=120_000)
    ready(opened)
    taken.take(opened, "guide", height=980)
    go(opened, "Attributes")
    opened.get_by_label("Role of name").select_option("identifier")
    opened.get_by_label("Role of diagnosis").select_option("sensitive")
    ready(opened)
    taken.take(opened, "attributes")
    go(opened, "Hierarchies")
    opened.get_by_role("navigation", name="Attributes").get_by_role("link", name="age").click()
    opened.locator("#picture").wait_for()
    ready(opened)
    opened.get_by_label("Kind").select_option("interval")
    ready(opened)
    opened.get_by_role("button", name="Use this hierarchy").click()
    ready(opened)
    taken.take(opened, "hierarchies", height=980)
    opened.get_by_role("navigation", name="Attributes").get_by_role("link", name="zip").click()
    opened.locator("#picture").wait_for()
    ready(opened)
    opened.get_by_label("Kind").select_option("mask")
    ready(opened)
    opened.get_by_role("button", name="Use this hierarchy").click()
    ready(opened)
    opened.get_by_role("button", name="Group and rename by hand").click()
    ready(opened)
    taken.take(opened, "hierarchies-by-hand", top="#rows", height=620)
    opened.get_by_role("button", name="Undo").click()
    ready(opened)
    go(opened, "Promises")
    ready(opened)
    opened.locator("#model").select_option("distinct-l-diversity")
    opened.locator("#new-l").fill("2")
    opened.locator("#try").click()
    ready(opened)
    taken.take(opened, "promises", top="#models-heading", height=980)
    opened.locator("#add").click()
    ready(opened)
    taken.take(opened, "promises-two", skip=True)
    go(opened, "Explore")
    ready(opened)
    taken.take(opened, "explore", height=960)
    opened.get_by_label("Method", exact=True).select_option("optimal")
    ready(opened)
    taken.take(opened, "explore-levels", skip=True)
    opened.get_by_role("button", name="Choose release 1", exact=True).last.click()
    ready(opened)
    taken.take(opened, "explore-chosen", skip=True)
    go(opened, "Compare")
    ready(opened)
    opened.get_by_role("button", name="Train them").click()
    ready(opened)
    taken.take(opened, "compare", height=900)
    opened.get_by_role("button", name="Show distributions and records").click()
    ready(opened)
    taken.take(opened, "compare-records", skip=True)
    go(opened, "Risk")
    ready(opened)
    taken.take(opened, "risk", height=960)
    opened.get_by_role("button", name="Attack the trial release").click()
    ready(opened)
    taken.take(opened, "risk-attacked", skip=True)
    go(opened, "Release")
    ready(opened)
    opened.get_by_role("button", name="Fix a seed").click()
    ready(opened)
    opened.get_by_role("button", name="Estimate memory").click()
    ready(opened)
    taken.take(opened, "release-before", skip=True)
    opened.get_by_role("button", name="Make the release").click()
    opened.locator("#made").wait_for(timeout=120000)
    ready(opened)
    opened.locator("#public-report").scroll_into_view_if_needed()
    opened.wait_for_timeout(800)
    taken.take(opened, "release", top="#made", height=980)


def phone(opened, link, taken):
    """The sample, as it is found on the first start, and on a narrow screen."""
    opened.goto(link)
    opened.locator("tr[id^=release-]").first.wait_for(timeout=120000)
    ready(opened)
    taken.take(opened, "first", height=820)
    taken.take(opened, "narrow", height=780, width=390)


@contextlib.contextmanager
def folder_of_stays():
    """A folder whose name looks well in a picture."""
    folder = pathlib.Path(tempfile.gettempdir()) / "stays"
    folder.mkdir()
    try:
        table(folder / "stays.csv", 3000)
        yield folder
    finally:
        shutil.rmtree(folder)


def main():
    serve, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    taken = Docs(folder) if "--docs" in sys.argv else Looked(folder)
    with browser() as chromium:
        with studio.studio(serve) as link, page(chromium) as opened:
            phone(opened, link, taken)
        with folder_of_stays() as stays, studio.studio(serve, stays) as link, page(chromium) as opened:
            tour(opened, link, taken)
    if "--docs" in sys.argv:
        made = sum(file.stat().st_size for file in folder.glob("studio-*.webp"))
        assert made < MOST_BYTES, f"{made} bytes of pictures"
        print(f"{made} bytes")


if __name__ == "__main__":
    main()
