"""A million records in the studio: `million.py SERVE [WORD]`, by hand, with VELAMEN, the program, in the environment.

SERVE is the example `serve` of the crate, built with `--release`. Prints how long it takes to open the table, to the first front, and from
a new k to its answer, without and with counterfeits; a search is stopped in the middle.
"""

import os
import pathlib
import subprocess
import tempfile
import time

import studio
from studio import go, page, recipe, settled, to_attributes

RECORDS = 1_000_000


def a_million_records(serve, chromium):
    program = os.environ.get("VELAMEN")
    if not program:
        return "VELAMEN names no program"
    with tempfile.TemporaryDirectory() as folder, page(chromium) as opened:
        folder = pathlib.Path(folder)
        subprocess.run([program, "synth", "nps", "--rows", str(RECORDS), "--output", str(folder / "patients.csv")], check=True, capture_output=True)
        with studio.studio(serve, folder) as link:
            opened.goto(link)
            timed("opened", lambda: opened_table(opened))
            go(opened, "Promises")
            opened.get_by_text("The table is large").wait_for()
            assert opened.locator("#status .busy").count() == 0, "nothing is looked for unasked"
            go(opened, "Explore")
            opened.get_by_label("Method", exact=True).select_option("optimal")
            timed("first front", lambda: front(opened))
            field = opened.locator("#set-privacy-0-k")

            def new_k(k):
                field.fill(str(k))
                field.press("Enter")
                opened.get_by_text(f"k = {k}").first.wait_for()
                front(opened)

            for k in (25, 15, 50, 12, 30):
                timed(f"k = {k}", lambda: new_k(k))
            opened.get_by_label("Method", exact=True).select_option("h-ceiling")
            timed("first front with counterfeits", lambda: front(opened))
            for k in (25, 15):
                timed(f"k = {k}", lambda: new_k(k))
            field.fill("26")
            field.press("Enter")
            opened.locator("#cancel").click()
            timed("stopped", lambda: settled(opened, 60))
            assert "k = 26" in recipe(opened)
            opened.reload()
            assert "k = 26" in recipe(opened), "reloaded in the middle"


def opened_table(opened):
    opened.get_by_role("button", name="patients.csv", exact=True).click()
    to_attributes(opened, 600)
    settled(opened, 600)


def front(opened):
    opened.locator("#release-1").wait_for(timeout=600_000)
    settled(opened, 600)


def timed(what, done):
    began = time.monotonic()
    done()
    # `settled` looks three times.
    print(f"{what}: {max(0.0, time.monotonic() - began - 0.12):.2f} s", flush=True)


if __name__ == "__main__":
    studio.run([a_million_records])
