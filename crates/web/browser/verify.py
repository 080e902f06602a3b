"""The page that verifies releases, in a real browser: `verify.py PAGE`.

VELAMEN in the environment names the program: whatever it prints of a release, the page must show word for word. Forty releases are forged.
"""

import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
VELAMEN = os.environ["VELAMEN"]
FORGERIES = 40


def velamen(*words, folder, codes=(0,)):
    run = subprocess.run([VELAMEN, *words], cwd=folder, capture_output=True, text=True, encoding="utf-8")
    assert run.returncode in codes, (words, run.returncode, run.stderr)
    return run


def releases(folder):
    """Releases of several methods and formats, and one of linked tables. Nobody's data are in them."""
    velamen("synth", "nps", "--rows", "2000", "--output", "patients.csv", "--recipe", "recipe.toml", folder=folder)
    methods = {
        "optimal": ['method={name="optimal",suppression-limit=0.05}'],
        "padded": ['method={name="h-ceiling",h=0.3,adversary-limit=1}'],
        "mondrian": ['method={name="mondrian"}', "output.format=parquet"],
    }
    for name, sets in methods.items():
        given = [word for one in sets for word in ("--set", one)]
        velamen("anonymize", "recipe.toml", *given, "--output", name, "--seed", "7", folder=folder)
    velamen("synth", "patients", "--as", "omop", "--persons", "200", "--output", "export", folder=folder)
    velamen("profile", "export", "--as", "omop", "--recipe", "linked.toml", folder=folder)
    velamen("anonymize", "linked.toml", "--output", "linked", folder=folder)
    velamen("synth", "patients", "--as", "fhir", "--persons", "150", "--output", "resources", folder=folder)
    velamen("profile", "resources", "--as", "fhir", "--recipe", "fhir.toml", folder=folder)
    velamen("anonymize", "fhir.toml", "--output", "fhir", folder=folder)
    return [*methods, "linked", "fhir"]


def changed(text, draw):
    """A text with one digit changed, a line less, two lines swapped or a line twice."""
    lines = text.split(b"\n")
    way = draw.randrange(4)
    # Some files are one line, or nothing.
    at = min(draw.randrange(1, max(2, len(lines) - 1)), len(lines) - 1)
    digits = [place for place, letter in enumerate(text) if chr(letter).isdigit()]
    if way == 0 and digits:
        place = draw.choice(digits)
        return text[:place] + str((text[place] - 47) % 10).encode() + text[place + 1 :]
    if way == 1 and text:
        del lines[at]
    elif way == 2 and text:
        other = min(draw.randrange(1, max(2, len(lines) - 1)), len(lines) - 1)
        lines[at], lines[other] = lines[other], lines[at]
    else:
        lines.insert(at, lines[at])
    return b"\n".join(lines)


def forged(release, to, draw):
    """A copy of a release in which one thing is changed; what it was."""
    shutil.copytree(release, to)
    files = sorted(file for file in to.rglob("*") if file.is_file())
    file = draw.choice(files)
    way = draw.randrange(5)
    if way == 0:
        file.unlink()
        return f"{file.name} is gone"
    if way == 1:
        (to / "more.txt").write_text("more\n")
        return "a file more"
    if way == 2 and (manifest := to / "release.json").exists():
        stated = json.loads(manifest.read_text("utf-8"))
        key = draw.choice(sorted(stated))
        stated[key] = draw.choice([None, 3, "x", [], {}])
        manifest.write_text(json.dumps(stated), "utf-8")
        return f"{key} of release.json"
    before = file.read_bytes()
    after = changed(before, draw)
    file.write_bytes(after)
    return f"{file.name}, {'changed' if after != before else 'as it was'}"


def by_command(release, *more):
    """Lines of the command line, and what it says after them."""
    run = velamen("verify", release.name, *more, folder=release.parent, codes=range(9))
    return run.stdout.splitlines(), numberless(run.stderr)


def numberless(text):
    """Lines without the numbers that systems give their errors: WASI has its own."""
    return re.sub(r" \(os error \d+\)", "", text).splitlines()


def by_page(opened):
    opened.get_by_role("button", name="Verify", exact=True).click()
    opened.locator("#stop").wait_for(state="hidden", timeout=120_000)
    lines = opened.locator("#lines li").all_text_contents()
    return lines, numberless(opened.locator("#refusal").text_content())


def same(opened, release, *more):
    expected, found = by_command(release, *more), by_page(opened)
    assert found == expected, json.dumps({"page": found, "command": expected}, indent=1)
    return expected


@contextlib.contextmanager
def page(chromium, file):
    """The page, opened from disk by a browser that is offline; whatever it asks for is counted."""
    context = chromium.new_context(offline=True)
    opened = context.new_page()
    opened.asked, opened.said = [], []
    opened.on("request", lambda request: opened.asked.append(request.url))
    opened.on("pageerror", lambda error: opened.said.append(str(error)))
    opened.goto(file.resolve().as_uri())
    yield opened
    outside = [url for url in opened.asked if not url.startswith(("file:", "blob:"))]
    assert not outside and len([url for url in opened.asked if url.startswith("file:")]) == 1, opened.asked
    assert not opened.said, opened.said
    context.close()


def choose(opened, release):
    opened.locator("#folder").set_input_files(release)
    opened.locator("#verify:not([disabled])").wait_for()


def releases_are_kept(opened, folder, names):
    for name in names:
        choose(opened, folder / name)
        lines, said = same(opened, folder / name)
        assert lines and not said, (name, said)
        assert opened.locator("#verdict").text_content().startswith("No promise is broken")


def forged_ones_are_found(opened, folder, names):
    draw = random.Random(20261128)
    broken = 0
    for number in range(FORGERIES):
        name = names[number % len(names)]
        place = folder / f"forged-{number}" / name
        place.parent.mkdir()
        what = forged(folder / name, place, draw)
        choose(opened, place)
        _, said = same(opened, place)
        assert bool(said) == (not opened.locator("#verdict").text_content().startswith("No promise is broken, and all")), what
        broken += bool(said)
    print(f"{broken} of {FORGERIES} forged releases are refused, as by the command line")
    assert broken > FORGERIES // 2


def a_zip_file_is_a_release(opened, folder, names):
    archive = shutil.make_archive(str(folder / "packed"), "zip", folder, names[0])
    lines, _ = by_command(folder / names[0])
    opened.locator("#files").set_input_files(archive)
    opened.locator("#verify:not([disabled])").wait_for()
    assert by_page(opened) == (lines, [])
    (folder / "no.zip").write_text("text")
    opened.locator("#files").set_input_files(folder / "no.zip")
    lines, said = by_page(opened)
    assert not lines and "no ZIP file" in said[0], said


def a_signature_is_checked(opened, folder, names):
    velamen("sign", "new", "hospital", folder=folder)
    velamen("sign", "new", "other", folder=folder)
    velamen("sign", names[0], "--key", "hospital.key", folder=folder)
    opened.locator("summary").click()
    choose(opened, folder / names[0])
    for owner in ("hospital", "other"):
        key = (folder / f"{owner}.pub").read_text("utf-8").splitlines()[-1]
        opened.locator("#key").fill(key)
        lines, said = same(opened, folder / names[0], "--key", key)
        assert any("signature" in line for line in lines) and bool(said) == (owner == "other"), (owner, said)
    opened.locator("#key").fill("")


def the_browser_refuses_a_connection(opened, *_):
    refused = "(async () => { try { await fetch('https://example.org'); return 'sent' } catch (e) { return 'refused' } })()"
    asked = list(opened.asked)
    assert opened.evaluate(refused) == "refused"
    assert opened.asked == asked, "the policy refuses it before the network does"


def everybody_can_use_it(opened, folder, names):
    choose(opened, folder / names[0])
    by_page(opened)
    for width in (1280, 390):
        opened.set_viewport_size({"width": width, "height": 900})
        assert not opened.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"), width
        for scheme in ("light", "dark"):
            opened.emulate_media(color_scheme=scheme)
            wrong = [violation["id"] for violation in Axe().run(opened).response["violations"]]
            assert not wrong, (width, scheme, wrong)


def main(file):
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        folder = pathlib.Path(place)
        names = releases(folder)
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-quic"])
        with page(chromium, file) as opened:
            for check in (
                releases_are_kept,
                forged_ones_are_found,
                a_zip_file_is_a_release,
                a_signature_is_checked,
                everybody_can_use_it,
                the_browser_refuses_a_connection,
            ):
                begin = time.monotonic()
                check(opened, folder, names)
                print(f"{check.__name__.replace('_', ' ')}: {time.monotonic() - begin:.1f} s", flush=True)
        chromium.close()


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
