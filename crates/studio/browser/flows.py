"""What a person does in the studio, in a real browser: `flows.py SERVE [WORD]`.

SERVE is the example `serve` of the crate; WORD chooses flows by their names. With VELAMEN, the program, in the environment, what is made
with the mouse is held against the command line's.
"""

import hashlib
import os
import random
import subprocess
import zipfile

from axe_playwright_python.sync_playwright import Axe

import studio
from studio import folder_with_table, go, linked_folder, looked_at, page, recipe, settled, tab_to, to_attributes

STEPS = ["Open", "Guide", "Attributes", "Hierarchies", "Promises", "Explore", "Table", "Compare", "Analyses", "Advice", "Risk", "Release"]


def opened_table(opened, link, name="stays.csv"):
    opened.goto(link)
    opened.get_by_role("button", name=name, exact=True).click()
    to_attributes(opened)
    settled(opened)


def digests(folder):
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(folder.iterdir())}


def from_a_table_to_a_release_with_the_mouse(serve, chromium):
    with folder_with_table() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened_table(opened, link)
        opened.get_by_label("Role of name").select_option("identifier")
        opened.get_by_label("Role of diagnosis").select_option("sensitive")
        settled(opened)
        assert 'role = "sensitive"' in recipe(opened)
        go(opened, "Explore")
        opened.locator("tr[id^=release-]").first.wait_for()
        opened.get_by_role("button", name="Choose release 2", exact=True).last.click()
        settled(opened)
        assert "level = " in recipe(opened)
        go(opened, "Release")
        opened.get_by_role("button", name="Fix a seed").click()
        settled(opened)
        opened.get_by_role("button", name="Save the recipe").click()
        settled(opened)
        opened.get_by_role("button", name="Make the release").click()
        opened.locator("#made").wait_for(timeout=60000)
        release = folder / "stays-release"
        assert (release / "data.csv").exists() and (folder / "stays.toml").read_text().strip() == recipe(opened).strip()
        before = digests(release)
        opened.get_by_label("Replace a release of this name").check()
        opened.get_by_role("button", name="Make the release").click()
        settled(opened)
        assert digests(release) == before, "one recipe, the same bytes"
        if program := os.environ.get("VELAMEN"):
            subprocess.run([program, "anonymize", "stays.toml", "--output", "by-command"], cwd=folder, check=True, capture_output=True)
            assert digests(folder / "by-command") == before, "the command line makes the same of the saved recipe"


def the_same_with_the_keyboard_alone(serve, chromium):
    with folder_with_table() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened.goto(link)
        tab_to(opened, "button[value='stays.csv']")
        opened.keyboard.press("Enter")
        opened.get_by_role("heading", name="Guide").wait_for(timeout=120_000)
        tab_to(opened, "nav.steps a[href='attributes']")
        opened.keyboard.press("Enter")
        opened.get_by_role("heading", name="Attributes").wait_for(timeout=60_000)
        settled(opened)
        tab_to(opened, "select[aria-label='Role of diagnosis']")
        opened.keyboard.press("s")
        opened.keyboard.press("Tab")
        settled(opened)
        assert 'role = "sensitive"' in recipe(opened)
        opened.keyboard.press("Control+z")
        settled(opened)
        opened.keyboard.press("Control+Shift+z")
        settled(opened)
        assert 'role = "sensitive"' in recipe(opened)
        tab_to(opened, "nav.steps a[href='release']")
        opened.keyboard.press("Enter")
        opened.get_by_role("heading", name="Release", exact=True).wait_for()
        tab_to(opened, "#run")
        opened.keyboard.press("Enter")
        opened.locator("#made").wait_for(timeout=60000)
        assert (folder / "stays-release" / "release.json").exists()


def odd_stays(path):
    """Stays of people with several each, under names of columns that a hospital may have."""
    draw = random.Random(3)
    with open(path, "w") as file:
        file.write('Pat-Nr.,Alter (Jahre),Geschlecht,PLZ,"Haupt""diagnose",Liege.Tage\n')
        for person in range(900):
            own = f"{100_000 + 37 * person},{min(99, int(abs(draw.gauss(55, 20))))},{draw.choice('mw')},{draw.choice(['10115', '10117', '20095', '80331'])}"
            for _ in range(draw.choice([1, 1, 2, 3])):
                file.write(f"{own},{draw.choices(['I10', 'E11.9', 'J45', 'C50'], [6, 3, 2, 1])[0]},{draw.randint(1, 30)}\n")


def five_questions_lead_to_a_release(serve, chromium):
    """From a table to a checked release through the guide alone."""
    wrong, axe = [], Axe()
    with folder_with_table() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        odd_stays(folder / "odd stays.csv")
        opened.goto(link)
        opened.get_by_role("button", name="odd stays.csv", exact=True).click()
        opened.get_by_role("heading", name="Guide").wait_for(timeout=120_000)
        settled(opened)
        before = recipe(opened)
        wrong += looked_at(opened, axe, "Guide")
        assert opened.locator(".unanswered:visible").count() == 4
        for answer in ["Named researchers under a contract", "Counts and means of groups", "Some are, and a column says whose row it is", "That a secret of a person becomes known, such as a diagnosis"]:
            opened.get_by_label(answer).check()
        assert opened.locator(".unanswered:visible").count() == 0
        assert opened.locator("#person").input_value() == "Pat-Nr.", "the profile found it"
        opened.get_by_label("Liege.Tage", exact=True).first.select_option("house")
        opened.get_by_role("button", name="Set up the recipe and show releases").click()
        opened.locator("#set").wait_for(timeout=60_000)
        opened.get_by_text("As you asked is in the recipe").wait_for(timeout=120_000)
        opened.locator("td.figure", has_text="%").first.wait_for(timeout=120_000)
        settled(opened, 240)
        assert "k = 11" in recipe(opened) and "l = 3" in recipe(opened), recipe(opened)
        assert "k = 11" in opened.locator("#recipe-change").inner_text() and not opened.locator("#recipe-text").is_visible()
        assert opened.locator("td.figure").count() == 21 and opened.locator("td.figure", has_text="…").count() == 0
        assert "I10" not in opened.locator("main").inner_text(), "no cell until it is asked for"
        opened.get_by_role("button", name="Show their first rows").click()
        opened.get_by_role("region", name="First rows: More detail").wait_for()
        wrong += looked_at(opened, axe, "Guide with releases")
        opened.get_by_role("button", name="Choose More detail").click()
        opened.get_by_text("More detail is in the recipe").wait_for()
        settled(opened)
        chosen = recipe(opened)
        assert "local-recoding = true" in chosen
        opened.reload()
        opened.get_by_text("More detail is in the recipe").wait_for()
        opened.get_by_role("button", name="Undo").click()
        opened.get_by_text("As you asked is in the recipe").wait_for()
        opened.get_by_role("button", name="Undo").click()
        settled(opened)
        assert recipe(opened) == before
        for _ in range(2):
            opened.get_by_role("button", name="Redo").click()
            settled(opened)
        assert recipe(opened) == chosen
        opened.get_by_role("link", name="Go on to the release").click()
        opened.get_by_role("button", name="Make the release").click()
        opened.locator("#made").wait_for(timeout=60_000)
        assert (folder / "odd stays-release" / "release.json").exists()
    assert not wrong, "\n".join(wrong)


def a_guide_that_is_stopped_goes_on(serve, chromium):
    with folder_with_table(60_000) as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened.goto(link)
        opened.get_by_role("button", name="stays.csv", exact=True).click()
        opened.get_by_role("heading", name="Guide").wait_for(timeout=120_000)
        settled(opened)
        for answer in ["Colleagues in the same house", "Models with many columns", "Nobody: each row is another person", "That somebody finds a person's row"]:
            opened.get_by_label(answer).check()
        opened.get_by_role("button", name="Set up the recipe and show releases").click()
        opened.locator("#cancel").click(timeout=120_000)
        settled(opened)
        # On a fast machine they are made before the click.
        if opened.get_by_text("You stopped it").count():
            opened.get_by_role("button", name="Make the releases").click()
        opened.get_by_text("More detail is in the recipe").wait_for()
        settled(opened, 240)
        assert opened.locator("td.figure", has_text="…").count() == 0 and opened.locator("td.figure", has_text="–").count() == 0


def a_title_and_an_old_encoding_open_at_the_first_try(serve, chromium):
    """An export as spreadsheets write it: the recipe says how it was read, the form corrects it, and the release leaves as ZIP files."""
    with folder_with_table() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        records = "".join(f"{20 + n % 60};{['Köln', 'Bonn', 'Ulm'][n % 3]};{50 + n % 40},5;{['I10', 'E11', 'J45'][n * 7 % 3]}\n" for n in range(800))
        (folder / "Entlassungen 2024.csv").write_bytes(("Entlassungen 2024;;;\nAlter;Ort;Gewicht;Diagnose\n" + records).encode("cp1252"))
        opened_table(opened, link, "Entlassungen 2024.csv")
        for line in ["skip-lines = 1", 'encoding = "windows-1252"', 'decimal = ","', "[attributes.Gewicht]"]:
            assert line in recipe(opened), recipe(opened)
        opened.locator("#reading summary").click()
        opened.locator("#null").fill("NA, ?")
        opened.get_by_role("button", name="Read it so").click()
        settled(opened)
        assert 'null = ["NA", "?"]' in recipe(opened) and "[attributes.Gewicht]" in recipe(opened), recipe(opened)
        go(opened, "Release")
        opened.get_by_role("button", name="Make the release").click()
        opened.locator("#made").wait_for(timeout=60000)
        for button, name, file in [("#save-release", "Entlassungen 2024-release", "data.csv"), ("#save-custodian", "Entlassungen 2024-release.custodian", "custodian.json")]:
            with opened.expect_download() as download:
                opened.locator(button).click()
            assert download.value.suggested_filename == f"{name}.zip"
            with zipfile.ZipFile(download.value.path()) as archive:
                assert archive.read(f"{name}/{file}") == (folder / name / file).read_bytes()


def what_is_chosen_far_down_stays_in_sight(serve, chromium):
    with folder_with_table() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened_table(opened, link)
        go(opened, "Explore")
        opened.locator("tr[id^=release-]").first.wait_for()
        button = opened.get_by_role("button", name="Choose release").last
        button.scroll_into_view_if_needed()
        opened.wait_for_timeout(200)
        field, before = button.get_attribute("id"), button.bounding_box()["y"]
        button.click()
        settled(opened)
        after = opened.locator(f"#{field}").bounding_box()["y"]
        assert abs(after - before) < 2, f"{before} before, {after} after"


def a_file_leads_into_the_studio(serve, chromium):
    """As the program opens the browser: nobody sees the link in the list of processes."""
    with folder_with_table() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        file = folder / "open.html"
        file.write_text(f'<!doctype html><meta http-equiv="refresh" content="0; url={link}"><a href="{link}">Open</a>')
        opened.goto(file.as_uri())
        opened.get_by_role("button", name="stays.csv", exact=True).click()
        to_attributes(opened)


def a_newcomer_finds_a_front(serve, chromium):
    with studio.studio(serve) as link, page(chromium) as opened:
        opened.goto(link)
        opened.locator("tr[id^=release-]").first.wait_for(timeout=60000)


def a_change_of_k_shows_another_front_and_undo_the_one_before(serve, chromium):
    with folder_with_table() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened_table(opened, link)
        go(opened, "Explore")
        opened.get_by_label("Method", exact=True).select_option("optimal")
        settled(opened)
        field = opened.locator("#set-privacy-0-k")
        before = opened.locator("#release-1").inner_text()
        old = field.input_value()
        field.fill("40")
        field.press("Enter")
        settled(opened)
        assert opened.locator("#release-1").inner_text() != before
        assert "k = 40" in recipe(opened)
        opened.get_by_role("button", name="Undo").click()
        settled(opened)
        assert opened.locator("#set-privacy-0-k").input_value() == old
        assert opened.locator("#release-1").inner_text() == before
        opened.get_by_role("button", name="Choose release 2", exact=True).last.click()
        settled(opened)
        assert opened.locator("tr.chosen").get_attribute("id") == "release-2"


def a_long_search_is_stopped_and_begun_again(serve, chromium):
    with folder_with_table(60_000) as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened_table(opened, link)
        opened.get_by_role("navigation", name="Steps").get_by_role("link", name="Explore").click()
        opened.locator("#cancel").click(timeout=120_000)
        # On a fast machine the search is over before the click; a page that starts the program again shows neither at first.
        stopped = opened.get_by_text("You stopped the search")
        stopped.or_(opened.locator("tr[id^=release-]")).first.wait_for(timeout=120_000)
        settled(opened)
        if opened.get_by_text("You stopped the search").count():
            opened.get_by_role("button", name="Search again").click()
        opened.locator("tr[id^=release-]").first.wait_for(timeout=120000)
        settled(opened, 120)


def reload_in_the_middle_and_two_windows(serve, chromium):
    with folder_with_table() as folder, studio.studio(serve, folder) as link:
        context = chromium.new_context()
        one = context.new_page()
        opened_table(one, link)
        one.get_by_label("Role of diagnosis").select_option("sensitive")
        settled(one)
        before = recipe(one)
        one.reload()
        assert recipe(one) == before
        other = context.new_page()
        other.goto(one.url)
        one.get_by_label("Weight of age").fill("0.2")
        other.get_by_label("Role of sex").select_option("insensitive")
        settled(other)
        one.locator("#recipe-change").get_by_text('role = "insensitive"').wait_for(timeout=10_000)
        assert one.get_by_label("Weight of age").input_value() == "0.2", "what is half typed stays"
        one.get_by_label("Role of zip").select_option("identifier")
        settled(one)
        assert recipe(one).count('role = "insensitive"') == 1 and 'role = "identifier"' in recipe(one), "no window undoes the other's change"
        one.get_by_label("Weight of age").focus()
        one.keyboard.press("Tab")
        settled(one)
        other.locator("#recipe-change").get_by_text("weight = 0.2").wait_for(timeout=10_000)
        context.close()


def two_windows_that_both_search_say_so(serve, chromium):
    """The newest task goes first; the other window says what it waits for, and goes on by itself."""
    with folder_with_table(60_000) as folder, studio.studio(serve, folder) as link:
        context = chromium.new_context()
        one = context.new_page()
        opened_table(one, link)
        one.get_by_label("Role of name").select_option("identifier")
        one.get_by_label("Role of diagnosis").select_option("sensitive")
        settled(one, 60)
        other = context.new_page()
        other.goto(one.url)
        steps = lambda window: window.get_by_role("navigation", name="Steps")
        steps(one).get_by_role("link", name="Explore").click()
        one.locator("#cancel").wait_for(timeout=120_000)
        steps(other).get_by_role("link", name="Compare").click()
        # On a fast machine the search is over before the other begins.
        one.locator("#behind, tr[id^=release-]").first.wait_for(timeout=120_000)
        if one.locator("#behind").count():
            assert "another page or window began" in one.locator("#behind").inner_text()
        other.get_by_text("original records").first.wait_for(timeout=240_000)
        one.locator("tr[id^=release-]").first.wait_for(timeout=240_000)
        settled(one, 240)
        assert one.locator("#behind").count() == 0 == other.locator("#behind").count()
        context.close()


def wrong_files(serve, chromium):
    with folder_with_table() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        (folder / "broken.csv").write_bytes(b'a,b\n1,"2\n')
        (folder / "empty.csv").write_bytes(b"")
        (folder / "ragged.csv").write_bytes(b"a,b\n1,2\n3\n4,5,6\n")
        (folder / "binary.csv").write_bytes(bytes(range(256)) * 64)
        (folder / "table.parquet").write_bytes(b"PAR1 is not all of it")
        (folder / "broken.toml").write_text("[input]\npath = 3\n")
        (folder / "elsewhere.toml").write_text('[input]\npath = "/etc/passwd"\n[output]\npath = "out"\n')
        opened.goto(link)
        for name in ["broken.csv", "empty.csv", "ragged.csv", "binary.csv", "table.parquet", "broken.toml", "elsewhere.toml"]:
            # A table that does not read is open for correction, on another page.
            go(opened, "Open")
            opened.get_by_role("button", name=name, exact=True).click()
            settled(opened)
            said = opened.get_by_role("alert").first
            said.wait_for()
            assert len(said.inner_text()) > 20, name
        go(opened, "Open")
        opened.get_by_role("button", name="stays.csv", exact=True).click()
        to_attributes(opened)


def a_dropped_file_is_opened(serve, chromium):
    with folder_with_table() as folder, studio.studio(serve) as link, page(chromium) as opened:
        opened.goto(link)
        go(opened, "Open")
        opened.locator("#file").set_input_files(str(folder / "stays.csv"))
        to_attributes(opened)
        opened.get_by_text("stays.csv").first.wait_for()


def nothing_of_the_table_is_shown_until_it_is_asked_for(serve, chromium):
    with folder_with_table() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened_table(opened, link)
        assert "stroke" not in opened.content() and "person-1" not in opened.content()
        opened.get_by_role("button", name="Show values of the cells").click()
        settled(opened)
        opened.get_by_text("stroke").first.wait_for()


def what_is_half_typed_stays(serve, chromium):
    """A search that ends asks for the page again: in every form what was typed is still there, and so is the caret."""
    with folder_with_table(2000) as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened_table(opened, link)
        opened.get_by_label("Choose sex").check()
        opened.locator("#by-hand summary").click()
        opened.locator("#recipe-edit").press("End")
        opened.keyboard.type("# mine")
        opened.get_by_label("Role of diagnosis").select_option("insensitive")
        settled(opened)
        assert opened.get_by_label("Choose sex").is_checked(), "chosen columns"
        assert "# mine" in opened.locator("#recipe-edit").input_value() and opened.locator(".outdated").is_visible(), "the recipe by hand"
        go(opened, "Explore")
        refreshed(opened, lambda: opened.locator("#most-risk").press_sequentially("1"), "#most-risk", "1")
        go(opened, "Promises")
        opened.locator("#model").select_option("t-closeness")
        opened.locator("#new-t").wait_for()
        settled(opened)
        refreshed(opened, lambda: opened.locator("#new-t").press_sequentially("0.2"), "#new-t", "0.2")
        opened.locator("#m0-k").press("End")
        refreshed(opened, lambda: opened.keyboard.type("7"), "#m0-k", "57")
        # Left with the Tab key it is sent, though the browser never saw this field being typed into.
        opened.locator("#m0-k").focus()
        opened.keyboard.press("Tab")
        settled(opened)
        assert "k = 57" in recipe(opened), recipe(opened)
        go(opened, "Hierarchies")
        refreshed(opened, lambda: opened.locator("#save-as").fill("mine.csv"), "#save-as", "mine.csv")


def a_field_that_is_left_by_a_click_does_not_swallow_it(serve, chromium):
    """Leaving a field sends it: the answer arrives while the mouse is still pressed, and both it and the click count."""
    with folder_with_table(2000) as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened_table(opened, link)
        go(opened, "Promises")
        opened.locator("#m0-k").fill("7")
        opened.keyboard.press("Tab")
        settled(opened)
        opened.locator("#m0-k").fill("8")
        slow_click(opened, opened.get_by_role("button", name="Undo"))
        settled(opened)
        assert "k = 7" in recipe(opened), "undone is what the field sent"
        opened.locator("#m0-k").fill("9")
        slow_click(opened, opened.get_by_role("heading", name="Promises").first)
        settled(opened)
        assert "k = 9" in recipe(opened) and opened.locator("#m0-k").input_value() == "9", "the answer is shown after the click"
        opened.locator("#m0-k").fill("11")
        slow_click(opened, opened.get_by_role("navigation", name="Steps").get_by_role("link", name="Explore"))
        opened.locator("#most-risk").wait_for()
        settled(opened)
        assert "k = 11" in recipe(opened), recipe(opened)


def slow_click(opened, where):
    box = where.bounding_box()
    opened.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    opened.mouse.down()
    opened.wait_for_timeout(500)
    opened.mouse.up()


def refreshed(opened, typed, field, text):
    typed()
    # What the end of every task does.
    opened.evaluate("htmx.trigger(document.body, 'settled')")
    settled(opened)
    assert opened.locator(field).input_value() == text, field


def whole_table_levels_are_offered_beside_a_method_without_a_front(serve, chromium):
    with folder_with_table() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened_table(opened, link)
        go(opened, "Explore")
        opened.get_by_label("Method", exact=True).select_option("mondrian")
        settled(opened)
        opened.get_by_role("heading", name="What whole-table levels would give").wait_for()
        opened.locator("tr[id^=release-]").first.wait_for()
        assert opened.locator("rect.own").count() == 1, "what the recipe makes now is in the picture"
        opened.get_by_role("button", name="Choose release 1", exact=True).last.click()
        settled(opened)
        assert 'name = "optimal"' in recipe(opened) and "level = " in recipe(opened), recipe(opened)
        opened.get_by_role("button", name="Undo").click()
        settled(opened)
        assert 'name = "mondrian"' in recipe(opened) and "level = " not in recipe(opened)


def a_large_table_is_searched_once_it_is_asked_for(serve, chromium):
    """Above 200,000 records neither the promises' costs nor levels beside the method are looked for unasked."""
    with folder_with_table(200_001) as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened.goto(link)
        opened.get_by_role("button", name="stays.csv", exact=True).click()
        to_attributes(opened, 180)
        settled(opened, 60)
        go(opened, "Promises")
        opened.get_by_text("The table is large").wait_for()
        assert opened.locator("#status .busy").count() == 0
        opened.get_by_role("button", name="Look what they cost here").click()
        opened.get_by_text("All promises together").wait_for(timeout=180_000)


def the_public_report_opens_in_the_page(serve, chromium):
    with folder_with_table(500) as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened_table(opened, link)
        go(opened, "Release")
        opened.get_by_role("button", name="Make the release").click()
        opened.locator("#made").wait_for(timeout=60000)
        opened.locator("#public-report").scroll_into_view_if_needed()
        opened.frame_locator("#public-report").get_by_text("The promises are kept").first.wait_for()


def linked_tables_are_released(serve, chromium):
    """A folder of OMOP: tables as tabs, roles, the promise in words, the run, the report, both folders."""
    with linked_folder() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened.goto(link)
        opened.get_by_role("button", name="export", exact=True).click()
        opened.get_by_role("heading", name="Linked tables").wait_for(timeout=120_000)
        settled(opened)
        assert opened.locator("nav.steps a, nav.steps span.off").all_inner_texts() == ["Open", "Linked tables"]
        assert "finds at least 5 persons" in opened.locator("#promises").inner_text()
        opened.get_by_role("link", name="condition_occurrence").click()
        opened.get_by_role("region", name="Columns of condition_occurrence").wait_for()
        assert opened.get_by_label("Role of condition_concept_id").input_value() == "set"
        opened.get_by_label("Role of condition_end_date").select_option("identifier")
        settled(opened)
        assert 'role = "identifier"' in recipe(opened)
        assert opened.get_by_role("region", name="Columns of condition_occurrence").is_visible(), "the tab stays"
        opened.get_by_label("Dates become").select_option("month")
        settled(opened)
        assert "whole months" in opened.locator("#promises").inner_text()
        wrong = looked_at(opened, Axe(), "Linked tables")
        opened.get_by_role("button", name="Save the recipe").click()
        settled(opened)
        opened.get_by_role("button", name="Make the release").click()
        opened.locator("#made").wait_for(timeout=60000)
        assert opened.get_by_role("region", name="Columns of condition_occurrence").is_visible(), "the tab stays"
        wrong += looked_at(opened, Axe(), "Linked tables, released")
        assert not wrong, "\n".join(wrong)
        release = folder / "release"
        assert (release / "data" / "PERSON.csv").exists() and (folder / "release.custodian" / "keys.csv").exists()
        assert opened.frame_locator("#public-report").get_by_text("persons that fit").first.is_visible()
        with opened.expect_download() as download:
            opened.get_by_role("link", name="data/PERSON.csv").click()
        assert download.value.path().read_bytes() == (release / "data" / "PERSON.csv").read_bytes()
        if program := os.environ.get("VELAMEN"):
            subprocess.run([program, "anonymize", "export.toml", "--output", "by-command"], cwd=folder, check=True, capture_output=True)
            tables = [file.name for file in (release / "data").iterdir()]
            assert sorted(tables) == sorted(file.name for file in (folder / "by-command" / "data").iterdir())


def a_printed_page_is_whole(serve, chromium):
    with folder_with_table(500) as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened_table(opened, link)
        go(opened, "Risk")
        opened.locator("#adversaries-heading").wait_for(timeout=60000)
        opened.emulate_media(media="print", color_scheme="dark")
        assert not opened.locator("nav.steps").is_visible() and not opened.locator("#attack").is_visible()
        assert opened.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)", "ink is for letters"
        cut = "[...document.querySelectorAll('.scroll')].filter(e => getComputedStyle(e).overflowX !== 'visible').length"
        assert opened.evaluate(cut) == 0, "a table is cut on paper"
        opened.emulate_media(media="screen")
        go(opened, "Explore")
        opened.locator("#release-1").wait_for(timeout=60000)
        opened.emulate_media(media="print")
        seen = "row => [...document.querySelector(row).children].filter(cell => cell.offsetWidth).length"
        assert opened.evaluate(seen, ".releases thead tr") == opened.evaluate(seen, "#release-1"), "headings stand over their columns"


def every_page_is_looked_at(serve, chromium):
    wrong = []
    axe = Axe()
    with folder_with_table(1000) as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened_table(opened, link)
        for step in STEPS:
            go(opened, step)
            settled(opened, 120)
            wrong += looked_at(opened, axe, step)
        opened.get_by_role("button", name="Make the release").click()
        opened.locator("#made").wait_for(timeout=60000)
        wrong += looked_at(opened, axe, "a release")
        go(opened, "Compare")
        opened.get_by_role("button", name="Show distributions and records").click()
        opened.locator("#distributions").wait_for()
        opened.get_by_role("button", name="Train them").click()
        opened.get_by_role("region", name="Table of classifiers").wait_for(timeout=60000)
        wrong += looked_at(opened, axe, "Compare with values")
        go(opened, "Analyses")
        opened.locator("#formulas").fill("age ~ sex + diagnosis")
        opened.locator("#by").select_option("sex")
        opened.get_by_role("button", name="Estimate on both").click()
        opened.locator("#estimates svg").first.wait_for(timeout=60000)
        wrong += looked_at(opened, axe, "Analyses of both tables")
        opened.locator("#formulas").fill("/etc/passwd")
        opened.get_by_role("button", name="Estimate on both").click()
        opened.locator("#refused", has_text="there is no ~").wait_for(timeout=60000)
        go(opened, "Advice")
        opened.get_by_role("button", name="Measure single changes").click()
        opened.get_by_role("region", name="Table of changes").wait_for(timeout=60000)
        wrong += looked_at(opened, axe, "Advice with changes")
        go(opened, "Risk")
        opened.get_by_role("button", name="Attack the trial release").click()
        opened.get_by_role("region", name="Attack: linkage").wait_for(timeout=60000)
        wrong += looked_at(opened, axe, "Risk after attacks")
    assert not wrong, "\n".join(wrong)


if __name__ == "__main__":
    studio.run([
        from_a_table_to_a_release_with_the_mouse,
        the_same_with_the_keyboard_alone,
        five_questions_lead_to_a_release,
        a_guide_that_is_stopped_goes_on,
        a_title_and_an_old_encoding_open_at_the_first_try,
        what_is_chosen_far_down_stays_in_sight,
        a_file_leads_into_the_studio,
        a_newcomer_finds_a_front,
        a_change_of_k_shows_another_front_and_undo_the_one_before,
        a_long_search_is_stopped_and_begun_again,
        reload_in_the_middle_and_two_windows,
        wrong_files,
        a_dropped_file_is_opened,
        nothing_of_the_table_is_shown_until_it_is_asked_for,
        what_is_half_typed_stays,
        a_field_that_is_left_by_a_click_does_not_swallow_it,
        whole_table_levels_are_offered_beside_a_method_without_a_front,
        a_large_table_is_searched_once_it_is_asked_for,
        the_public_report_opens_in_the_page,
        linked_tables_are_released,
        a_printed_page_is_whole,
        every_page_is_looked_at,
    ])
