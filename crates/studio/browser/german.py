"""Every page of the studio in German, in a real browser: `german.py SERVE [WORD]`. What a person reads there is German, but for code, names
of the recipe, values and what is marked as English."""

import random
import re

import studio
from studio import linked_folder, page, settled

STEPS = ["guide", "attributes", "hierarchies", "promises", "explore", "table", "compare", "analyses", "advice", "risk", "release"]

# Words that no German sentence has; names of the recipe have hyphens and stand as one word.
ENGLISH = set("the of which records record suppressed counterfeits with without value values column columns rows are is by from that this than "
              "each and or where people classes levels left out every their has have must between only".split())

# What is read, with what it stands in: texts, and what programs read aloud.
READ = """() => {
  const skipped = 'script,style,code,pre,textarea,[lang=en]';
  const read = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  // An option begins with a word of the recipe.
  const own = node => node.parentElement.tagName === 'OPTION' ? node.data.replace(node.parentElement.value, '') : node.data;
  while (walker.nextNode()) if (!walker.currentNode.parentElement.closest(skipped)) read.push(own(walker.currentNode));
  for (const name of ['title', 'aria-label', 'placeholder', 'alt'])
    for (const element of document.querySelectorAll(`[${name}]`)) if (!element.closest('[lang=en]')) read.push(element.getAttribute(name));
  return read;
}"""


def english(opened):
    """The texts of a page, and of the report in it, that have an English word."""
    found = []
    for frame in opened.frames:
        for text in frame.evaluate(READ):
            words = re.findall(r"[\w'’-]+", text)
            if any(word.lower() in ENGLISH for word in words):
                found.append(" ".join(text.split()))
    return found


def patients(path, several=False):
    """Stays in hospital under German names, drawn by a seed; with a comma before decimals, in windows-1252."""
    draw = random.Random(4)
    with open(path, "w", encoding="cp1252") as file:
        file.write("Auszug für die Forschung;;;;;\n")
        file.write("PatNr;Alter;Geschlecht;Ort;Gewicht;Diagnose\n")
        for person in range(700):
            own = f"{100_000 + 37 * person};{draw.randint(18, 95)};{draw.choice('mw')};{draw.choice(['Köln', 'Bonn', 'Ulm'])}"
            for _ in range(draw.choice([1, 2, 3]) if several else 1):
                file.write(f"{own};{draw.gauss(75, 14):.1f}".replace(".", ",") + f";{draw.choice(['I10.0', 'E11.9', 'J45.0'])}\n")


def every_page_is_german(serve, chromium):
    wrong = []
    for several in (False, True):
        with studio.folder_with_table(10) as folder, studio.studio(serve, folder) as link, page(chromium, locale="de") as opened:
            patients(folder / "Fälle.csv", several)
            opened.goto(link)
            opened.get_by_role("button", name="Fälle.csv", exact=True).click()
            opened.locator("#guide-form").wait_for(timeout=120_000)
            settled(opened)
            base = opened.url.rsplit("/", 1)[0]
            for answer in ["#who-house", "#use-groups", "#rows-column" if several else "#rows-each", "#worst-secret"]:
                if opened.locator(answer).count():
                    opened.locator(answer).check()
            opened.locator("#take").click()
            opened.locator("#chosen").wait_for(timeout=120_000)
            settled(opened, 240)
            for step in STEPS:
                opened.goto(f"{base}/{step}")
                settled(opened, 240)
                for begun in ["#learn", "#attack", "#measure", "#estimate", "#run", "#evidence"]:
                    if opened.locator(begun).count():
                        opened.locator(begun).click()
                        settled(opened, 240)
                wrong += [f"{step}: {text}" for text in english(opened)]
    assert not wrong, "\n".join(dict.fromkeys(wrong))


def linked_tables_are_german(serve, chromium):
    with linked_folder() as folder, studio.studio(serve, folder) as link, page(chromium, locale="de") as opened:
        opened.goto(link)
        opened.get_by_role("button", name="export", exact=True).click()
        opened.get_by_role("heading", name="Verknüpfte Tabellen").wait_for(timeout=120_000)
        settled(opened)
        wrong = english(opened)
        opened.locator("#run").click()
        opened.locator("#made").wait_for(timeout=60_000)
        settled(opened)
        wrong += english(opened)
        assert not wrong, "\n".join(dict.fromkeys(wrong))


if __name__ == "__main__":
    studio.run([every_page_is_german, linked_tables_are_german])
