"""The studio in one file, in a real browser: `velamen.py PAGE [WORD]`.

PAGE is velamen.html; WORD chooses flows by their names. What a person does in the studio is done on the page as well, by the same scripts.
VELAMEN in the environment names the program: releases must have its bytes. ADULT, a folder with `adult.csv` and its nine hierarchies, adds
the twelve tasks.
"""

import base64
import contextlib
import hashlib
import io
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "studio" / "browser"))

import flows  # noqa: E402
import forms  # noqa: E402
import studio  # noqa: E402
import table  # noqa: E402
import tasks  # noqa: E402
from studio import go, recipe, settled, to_attributes  # noqa: E402

VELAMEN = os.environ["VELAMEN"]

# What a person does with a folder of the disk, a link that works once, or two windows has no counterpart on the page.
SHARED = [
    flows.what_is_chosen_far_down_stays_in_sight,
    flows.a_change_of_k_shows_another_front_and_undo_the_one_before,
    flows.a_long_search_is_stopped_and_begun_again,
    flows.wrong_files,
    flows.what_is_half_typed_stays,
    flows.a_field_that_is_left_by_a_click_does_not_swallow_it,
    flows.whole_table_levels_are_offered_beside_a_method_without_a_front,
    flows.the_public_report_opens_in_the_page,
    flows.a_printed_page_is_whole,
    flows.every_page_is_looked_at,
    forms.a_refused_hierarchy_is_said_once,
    forms.values_are_moved_with_the_keyboard_alone,
    forms.intervals_are_shown_while_they_are_typed,
    forms.k_anonymity_is_added_with_the_keyboard_alone,
    forms.several_hierarchies_are_dropped_at_once,
    forms.files_of_the_folder_are_taken_with_one_click,
    table.every_record_before_and_after,
    table.the_table_alone_and_by_keyboard,
    table.the_first_rows_follow_the_form,
    table.levels_in_words_groups_of_methods_and_the_slider,
]


# Takes files as the page does when several are dropped, and shows the list of them.
TAKE = """async files => {
  for (const [name, text] of files) {
    const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
    await fetch("open/keep?" + new URLSearchParams({ name }), { method: "POST", body: new File([bytes], name) });
  }
  htmx.location.assign("open");
}"""


def shown(opened):
    opened.loads(PAGE.as_uri())
    opened.get_by_role("heading", name="Open a table").wait_for(timeout=120_000)


def given(opened, folder):
    """Opens the page from disk and gives it the files of a folder."""
    shown(opened)
    files = [(path.name, base64.b64encode(path.read_bytes()).decode()) for path in sorted(folder.iterdir()) if path.is_file()]
    opened.evaluate(TAKE, files)
    opened.locator("button[name=file]").first.wait_for(timeout=120_000)


@contextlib.contextmanager
def page(chromium, **options):
    """A page of a browser that is offline; its console must be silent, and what it asks for is counted."""
    context = chromium.new_context(offline=True, **options)
    opened = context.new_page()
    opened.asked = []
    opened.on("request", lambda request: opened.asked.append(request.url))
    studio.watched(opened)
    opened.loads = opened.goto
    opened.goto = lambda folder: given(opened, folder)
    try:
        yield opened
        # axe-core writes to frames by their origin, and a file has none.
        said = [line for line in opened.said if "'postMessage'" not in line]
        assert not said, said
        outside = [url for url in opened.asked if not url.startswith(("blob:", "data:")) and url != PAGE.as_uri()]
        assert not outside and opened.asked.count(PAGE.as_uri()) == 1, opened.asked
    finally:
        context.close()


@contextlib.contextmanager
def in_the_page(_serve, folder=None):
    """In place of a studio that listens: its link is the folder."""
    yield pathlib.Path(folder)


def saved(opened, button):
    with opened.expect_download() as download:
        opened.locator(button).click()
    return download.value.suggested_filename, download.value.path().read_bytes()


def unpacked(archive):
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        return {name: files.read(name) for name in files.namelist()}


def as_windows_1252(folder):
    draw = random.Random(4)
    lines = ["Alter;Ort;Diagnose"]
    lines += [f"{draw.randint(18, 90)};{draw.choice(['Köln', 'Bonn', 'Ulm'])};{draw.choice(['I10', 'E11', 'J45'])}" for _ in range(900)]
    (folder / "stays.csv").write_bytes(("\n".join(lines) + "\n").encode("cp1252"))
    return "stays.csv", "Diagnose"


SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def as_excel(folder):
    """The smallest workbook that spreadsheets open."""
    draw = random.Random(5)
    rows = [["age", "place", "diagnosis"]]
    rows += [[draw.randint(18, 90), draw.choice(["Köln", "Bonn"]), draw.choice(["I10", "E11", "J45"])] for _ in range(900)]
    text = lambda value: f'<c t="inlineStr"><is><t>{value}</t></is></c>' if isinstance(value, str) else f"<c><v>{value}</v></c>"
    lines = "".join(f"<row>{''.join(map(text, row))}</row>" for row in rows)
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{TYPES}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{TYPES}.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{RELATIONS}"><Relationship Id="r1" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{SHEET}" xmlns:r="{OFFICE}"><sheets><sheet name="Stays" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{RELATIONS}"><Relationship Id="r1" Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{SHEET}"><sheetData>{lines}</sheetData></worksheet>',
    }
    with zipfile.ZipFile(folder / "stays.xlsx", "w") as book:
        for name, part in parts.items():
            book.writestr(name, '<?xml version="1.0" encoding="UTF-8"?>' + part)
    return "stays.xlsx", "diagnosis"


def as_parquet(folder):
    subprocess.run([VELAMEN, "synth", "nps", "--rows", "900", "--output", "stays.parquet"], cwd=folder, check=True, capture_output=True)
    return "stays.parquet", None


def releases_have_the_bytes_of_the_command_line(_serve, chromium):
    """CSV in windows-1252, Excel and Parquet: opened, released, saved as ZIP, and made again by the program from the saved recipe."""
    for write in (as_windows_1252, as_excel, as_parquet):
        with tempfile.TemporaryDirectory() as folder, page(chromium) as opened:
            folder = pathlib.Path(folder)
            name, sensitive = write(folder)
            shown(opened)
            opened.locator("#file").set_input_files(str(folder / name))
            to_attributes(opened)
            if sensitive:
                opened.get_by_label(f"Role of {sensitive}").select_option("sensitive")
                settled(opened)
            go(opened, "Release")
            opened.get_by_role("button", name="Fix a seed").click()
            settled(opened)
            opened.get_by_role("button", name="Make the release").click()
            opened.locator("#made").wait_for(timeout=120_000)
            settled(opened)
            named, text = saved(opened, "#take-recipe")
            assert named == "stays.toml" and text.decode() == recipe(opened), name
            (folder / named).write_bytes(text)
            subprocess.run([VELAMEN, "anonymize", named], cwd=folder, check=True, capture_output=True)
            for button, made in (("#save-release", "stays-release"), ("#save-custodian", "stays-release.custodian")):
                packed, archive = saved(opened, button)
                assert packed == f"{made}.zip"
                files = {file: (folder / file).read_bytes() for file in sorted(unpacked(archive))}
                on_disk = {str(file.relative_to(folder)) for file in (folder / made).rglob("*") if file.is_file()}
                assert set(files) == on_disk, (name, made)
                # The custodian's folder says when and where the run was: its table of records is the same.
                differs = [file for file, content in unpacked(archive).items() if content != files[file]]
                assert not differs or (made.endswith(".custodian") and differs == [f"{made}/custodian.json"]), (name, differs)


def linked_tables_are_handed_back(_serve, chromium):
    """A folder of an export is chosen whole; its release, saved as ZIP, verifies, and the program makes the same tables by the saved recipe."""
    with studio.linked_folder() as folder, page(chromium) as opened:
        shown(opened)
        opened.locator("#files").set_input_files(str(folder / "export"))
        opened.get_by_role("button", name="export", exact=True).click(timeout=120_000)
        opened.get_by_role("heading", name="Linked tables").wait_for(timeout=120_000)
        settled(opened, 120)
        opened.get_by_role("button", name="Make the release").click()
        opened.locator("#made").wait_for(timeout=120_000)
        settled(opened, 120)
        packed, archive = saved(opened, "#save-release")
        named, text = saved(opened, "#take-recipe")
        (folder / named).write_bytes(text)
        with zipfile.ZipFile(io.BytesIO(archive)) as files:
            files.extractall(folder)
        subprocess.run([VELAMEN, "verify", packed.removesuffix(".zip")], cwd=folder, check=True, capture_output=True)
        command = [VELAMEN, "anonymize", named, "--output", "by-command"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        tables = {file.split("/", 1)[1] for file in unpacked(archive) if "/data/" in file}
        assert tables and tables == {f"data/{file.name}" for file in (folder / "by-command" / "data").iterdir()}
        _, kept = saved(opened, "#save-custodian")
        assert any(file.endswith("/keys.csv") for file in unpacked(kept))


def opened_stays(opened, folder):
    given(opened, folder)
    opened.get_by_role("button", name="stays.csv", exact=True).click()
    to_attributes(opened, 300)


def stop_ends_a_search_at_once(_serve, chromium):
    """The page stays alive while the program works, and has its table and recipe afterwards."""
    with studio.folder_with_table(150_000) as folder, page(chromium) as opened:
        opened_stays(opened, folder)
        opened.get_by_label("Role of diagnosis").select_option("sensitive")
        settled(opened, 120)
        before = recipe(opened)
        opened.get_by_role("navigation", name="Steps").get_by_role("link", name="Explore").click()
        opened.locator("#cancel").wait_for(timeout=120_000)
        # The one that is stopped hears nothing any more: Chromium takes its core from it within two seconds, and tells of that then.
        begun = []
        opened.on("worker", lambda _: begun.append(time.monotonic()))
        began = time.monotonic()
        # A click by the mouse waits until the page is at rest, which a line that counts is not.
        opened.evaluate("document.getElementById('cancel').click()")
        while not begun:
            assert time.monotonic() - began < 30
            opened.wait_for_timeout(5)
        assert begun[0] - began < 0.5, f"{begun[0] - began:.2f} s until another program runs"
        settled(opened, 300)
        assert recipe(opened) == before
        opened.get_by_text("You stopped the search").wait_for(timeout=120_000)
        opened.get_by_role("button", name="Search again").click()
        settled(opened, 600)
        opened.locator("tr[id^=release-]").first.wait_for(timeout=600_000)


def links_go_back_and_forth(_serve, chromium):
    with studio.folder_with_table(500) as folder, page(chromium) as opened:
        opened_stays(opened, folder)
        go(opened, "Promises")
        opened.go_back()
        opened.get_by_role("heading", name="Attributes").first.wait_for()
        opened.go_forward()
        opened.get_by_role("heading", name="Promises").first.wait_for()
        assert "Promises" in opened.title()


def the_browser_refuses_a_connection(_serve, chromium):
    with studio.folder_with_table(500) as folder, studio.page(chromium) as opened:
        opened.loads = opened.goto
        given(opened, folder)
        refused = "(async () => { try { await fetch('https://example.org'); return 'sent' } catch (e) { return 'refused' } })()"
        assert opened.evaluate(refused) == "refused"
        assert any("Content Security Policy" in line for line in opened.said), opened.said
        opened.said.clear()


def the_twelve_tasks(adult):
    def tasks_of_arx(_serve, chromium):
        with tempfile.TemporaryDirectory() as folder, page(chromium) as opened:
            folder = pathlib.Path(folder)
            for file in adult.glob("adult*.csv"):
                (folder / file.name).write_bytes(file.read_bytes())
            opened.goto(folder)
            hand = tasks.Hand(opened)
            tasks.tasks(hand, lambda: released(opened, "#save-release"))
            for name, clicks, keys, seconds in hand.rows:
                print(f"  {name}: {clicks} clicks, {keys} keys, {seconds:.1f} s")

    return tasks_of_arx


def released(opened, button):
    """The digests of a release's files, as its ZIP file has them."""
    _, archive = saved(opened, button)
    return {name.split("/")[-1]: hashlib.sha256(content).hexdigest() for name, content in unpacked(archive).items()}


def main():
    own = [
        releases_have_the_bytes_of_the_command_line,
        linked_tables_are_handed_back,
        stop_ends_a_search_at_once,
        links_go_back_and_forth,
        the_browser_refuses_a_connection,
    ]
    if adult := os.environ.get("ADULT"):
        own.append(the_twelve_tasks(pathlib.Path(adult)))
    for module in (flows, forms, table):
        module.page = page
    studio.studio = in_the_page
    studio.run(own + SHARED)


PAGE = pathlib.Path(sys.argv[1]).resolve()

if __name__ == "__main__":
    main()
