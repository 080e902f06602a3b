"""The twelve tasks that are held against ARX's window: `tasks.py SERVE ADULT`.

SERVE is the example `serve` of the crate, built with `--release`; ADULT a folder with `adult.csv` and its nine hierarchies, as ARX brings
them. Does each task with the mouse as a person would, counts clicks and keys, and prints a table: seconds are the studio's, from the
first click to the page at rest, since a person's are a person's.
"""

import hashlib
import pathlib
import shutil
import sys
import tempfile
import time

import studio
from studio import browser, page, recipe, settled


class Hand:
    """A page and what was done with it."""

    def __init__(self, opened):
        self.opened, self.rows = opened, []
        self.clicks = self.keys = 0

    def click(self, found):
        self.clicks += 1
        found.click()

    def choose(self, found, word):
        """Opens a list and takes one of it."""
        self.clicks += 2
        found.select_option(word)

    def type(self, found, text, *after):
        """Over what is there: a double click marks it."""
        self.clicks += 1
        found.fill(text)
        self.keys += len(text) + len(after)
        for key in after:
            found.press(key)

    def drag(self, found, to):
        self.clicks += 1
        found.drag_to(to)

    def step(self, name):
        self.click(self.opened.get_by_role("navigation", name="Steps").get_by_role("link", name=name))
        self.opened.wait_for_load_state()
        self.rest()

    def button(self, name, exact=True):
        return self.opened.get_by_role("button", name=name, exact=exact)

    def rest(self):
        settled(self.opened, 600)

    def task(self, name, done):
        self.clicks = self.keys = 0
        began = time.monotonic()
        done()
        self.rest()
        # `settled` looks three times that nothing runs.
        seconds = max(0.0, time.monotonic() - began - 0.12)
        self.rows.append((name, self.clicks, self.keys, seconds))
        print(f"{name}: {self.clicks} clicks, {self.keys} keys, {seconds:.1f} s", file=sys.stderr, flush=True)


def attribute(hand, name):
    hand.click(hand.opened.get_by_role("navigation", name="Attributes").get_by_role("link", name=name))
    hand.opened.wait_for_load_state()
    hand.opened.locator("#picture").wait_for()
    hand.rest()


def of_folder(release):
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in release.iterdir()}


def tasks(hand, digests):
    """All of them; `digests` are those of the release that was made."""
    opened = hand.opened

    def opens_adult():
        hand.click(hand.button("adult.csv"))
        opened.get_by_role("heading", name="Guide").wait_for(timeout=600_000)
        hand.step("Attributes")
        hand.rest()
        assert "whole number" in opened.get_by_role("row", name="age").first.inner_text()

    def sets_roles():
        hand.click(hand.button("Choose all"))
        hand.click(hand.button("Set"))
        hand.rest()
        hand.choose(opened.get_by_label("Role of occupation"), "sensitive")
        hand.rest()
        assert recipe(opened).count('role = "quasi-identifier"') == 8, recipe(opened)

    def loads_hierarchies():
        hand.step("Hierarchies")
        everything = hand.button("Take them all, and", exact=False)
        hand.click(everything if everything.count() else hand.button("Take them all"))
        hand.rest()
        assert recipe(opened).count("adult_hierarchy_") == 9, recipe(opened)

    def builds_intervals():
        attribute(hand, "age")
        hand.choose(opened.get_by_label("Kind"), "interval")
        hand.rest()
        assert opened.locator("#h-interval").input_value() == "5, 10, 20"
        hand.click(hand.button("Use this hierarchy"))
        hand.rest()
        assert "interval = [5, 10, 20]" in recipe(opened)

    def regroups():
        attribute(hand, "marital-status")
        before = recipe(opened)
        groups = opened.locator("[data-group]")
        last = groups.count() - 1
        hand.drag(groups.nth(0).locator("[data-item]").first, groups.nth(last))
        hand.rest()
        assert recipe(opened) != before
        hand.click(hand.button("Undo"))
        hand.rest()
        assert recipe(opened) == before

    def adds_k():
        hand.step("Promises")
        hand.choose(opened.locator("#model"), "k-anonymity")
        opened.locator("#add").wait_for()
        hand.type(opened.locator("#new-k"), "5")
        hand.click(opened.locator("#add"))
        hand.rest()
        hand.step("Explore")
        hand.choose(opened.get_by_label("Method", exact=True), "optimal")
        opened.locator("#release-1").wait_for(timeout=600_000)

    def raises_k():
        hand.type(opened.locator("#set-privacy-0-k"), "10", "Enter")
        hand.rest()
        opened.locator("#release-1").wait_for(timeout=600_000)
        assert "k = 10" in recipe(opened)

    def adds_diversity():
        hand.step("Promises")
        hand.choose(opened.locator("#model"), "distinct-l-diversity")
        opened.locator("#new-l").wait_for()
        hand.type(opened.locator("#new-l"), "3")
        hand.click(opened.locator("#add"))
        hand.rest()
        hand.click(opened.locator("#keys summary"))
        hand.type(opened.locator("#k-suppression-limit"), "0.05", "Tab")
        hand.rest()
        assert "suppression-limit = 0.05" in recipe(opened) and "l = 3" in recipe(opened)

    def chooses_the_second():
        hand.step("Explore")
        opened.locator("#release-2").wait_for(timeout=600_000)
        hand.rest()
        hand.click(hand.button("Choose release 2").last)
        hand.rest()
        assert "Release 1" in opened.locator(".pair-of").inner_text() and opened.locator("tr.chosen").count() == 1

    def looks_at_risk():
        hand.step("Risk")
        opened.locator("#adversaries-heading").wait_for(timeout=600_000)

    def compares():
        hand.step("Compare")
        hand.click(hand.button("Show distributions and records"))
        opened.locator("#distributions").wait_for(timeout=600_000)

    def exports():
        hand.step("Release")
        hand.click(hand.button("Fix a seed"))
        hand.rest()
        hand.click(hand.button("Save the recipe"))
        hand.rest()
        hand.click(hand.button("Make the release"))
        opened.locator("#made").wait_for(timeout=600_000)
        hand.rest()
        before = digests()
        hand.step("Open")
        hand.click(hand.button("adult.toml"))
        opened.get_by_role("heading", name="Attributes").wait_for(timeout=600_000)
        hand.rest()
        hand.step("Release")
        hand.click(opened.get_by_label("Replace a release of this name"))
        hand.click(hand.button("Make the release"))
        hand.rest()
        assert digests() == before

    hand.task("1 open Adult, types right", opens_adult)
    hand.task("2 set nine roles", sets_roles)
    hand.task("3 load nine ARX hierarchies", loads_hierarchies)
    hand.task("4 age intervals of 5, 10, 20", builds_intervals)
    hand.task("5 regroup one value, undo", regroups)
    # The recipe to begin with has k-anonymity already: adding it is the task.
    hand.step("Promises")
    opened.locator("#remove-0").click()
    hand.rest()
    hand.task("6 add k = 5, run", adds_k)
    hand.task("7 k from 5 to 10, the new solution", raises_k)
    hand.task("8 add 3-diversity and 5 % suppression", adds_diversity)
    hand.task("9 choose the second best, beside the best", chooses_the_second)
    hand.task("10 prosecutor risk before and after", looks_at_risk)
    hand.task("11 compare an attribute's distribution", compares)
    hand.task("12 export, open again, same bytes", exports)


def main():
    serve, adult = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        folder = pathlib.Path(folder)
        for file in adult.glob("adult*.csv"):
            shutil.copy(file, folder)
        with studio.studio(serve, folder) as link, page(chromium) as opened:
            opened.goto(link)
            hand = Hand(opened)
            tasks(hand, lambda: of_folder(folder / "adult-release"))
    print("| task | clicks | keys | seconds |\n| --- | ---: | ---: | ---: |")
    for name, clicks, keys, seconds in hand.rows:
        print(f"| {name} | {clicks} | {keys or '–'} | {seconds:.1f} |")
    print(f"| all | {sum(row[1] for row in hand.rows)} | {sum(row[2] for row in hand.rows)} | {sum(row[3] for row in hand.rows):.1f} |")


if __name__ == "__main__":
    main()
