"""Hierarchies and promises in a real browser: `forms.py SERVE [WORD]`.

SERVE is the example `serve` of the crate; WORD chooses flows by their names.
"""

import contextlib
import pathlib
import tempfile

from axe_playwright_python.sync_playwright import Axe

import studio
from studio import go, looked_at, page, recipe, settled, tab_to

ARX = "9th;School;*\n10th;School;*\nBSc;College;*\nMSc;College;*\nPhD;College;*\n"

RECIPE = """[input]
path = "people.csv"

[attributes.age]
role = "quasi-identifier"

[attributes.school]
role = "quasi-identifier"
hierarchy = "school.csv"

[attributes.sex]
role = "quasi-identifier"

[attributes.diagnosis]
role = "sensitive"

[method]
name = "optimal"
seed = 1

[output]
path = "people-release"
"""


@contextlib.contextmanager
def people():
    """A folder with a table, a hierarchy of ARX and a recipe."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        schools, ills = ["9th", "10th", "BSc", "MSc", "PhD"], ["flu", "flu", "asthma", "stroke"]
        rows = [f"{17 + n * 7 % 74},{schools[n % 5]},{'FM'[n % 2]},{ills[n % 4]}" for n in range(2000)]
        (folder / "people.csv").write_text("age,school,sex,diagnosis\n" + "\n".join(rows) + "\n")
        (folder / "school.csv").write_text(ARX)
        (folder / "people_hierarchy_sex.csv").write_text("F;*\nM;*\n")
        (folder / "recipe.toml").write_text(RECIPE)
        yield folder


def opened_recipe(opened, link, step):
    opened.goto(link)
    opened.get_by_role("button", name="recipe.toml", exact=True).click()
    opened.get_by_role("heading", name="Attributes").wait_for(timeout=120_000)
    settled(opened)
    go(opened, step)


def attribute(opened, name):
    opened.get_by_role("navigation", name="Attributes").get_by_role("link", name=name).click()
    opened.wait_for_load_state()
    opened.locator("#picture").wait_for()
    settled(opened)


def an_arx_hierarchy_is_edited_and_opened_again(serve, chromium):
    with people() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened_recipe(opened, link, "Hierarchies")
        attribute(opened, "school")
        opened.locator("[data-item=PhD]").drag_to(opened.locator("[data-group=School]"))
        settled(opened)
        assert '["PhD", "School", "*"]' in recipe(opened), recipe(opened)
        opened.get_by_label("Name of the group School").fill("Basic")
        opened.keyboard.press("Enter")
        settled(opened)
        assert '["9th", "Basic", "*"]' in recipe(opened)
        opened.get_by_role("button", name="Undo").click()
        settled(opened)
        assert '["9th", "School", "*"]' in recipe(opened) and '["PhD", "School", "*"]' in recipe(opened)
        opened.get_by_role("button", name="Save", exact=True).click()
        settled(opened)
        assert 'hierarchy = "school.hierarchy.csv"' in recipe(opened)
        saved = (folder / "school.hierarchy.csv").read_text()
        assert "PhD;School;*\n" in saved and (folder / "school.csv").read_text() == ARX
        (folder / "recipe.toml").write_text(recipe(opened))
        with studio.studio(serve, folder) as other, page(chromium) as again:
            opened_recipe(again, other, "Hierarchies")
            attribute(again, "school")
            assert "PhD" in again.locator("[data-group=School]").inner_text()


def a_name_that_is_half_typed_outlives_a_dropped_value(serve, chromium):
    with people() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened_recipe(opened, link, "Hierarchies")
        attribute(opened, "school")
        name = opened.get_by_label("Name of the group College")
        name.click()
        name.press_sequentially(" or univ")
        opened.locator("[data-item='10th'] input").check()
        opened.locator("[data-item='10th']").drag_to(opened.locator("[data-group^=College]"))
        settled(opened)
        opened.locator("#rows-how").click()
        settled(opened)
        assert '["10th", "College or univ", "*"]' in recipe(opened) and "College\"" not in recipe(opened), recipe(opened)
        assert opened.locator("[data-item] input:checked").count() == 0


def a_refused_hierarchy_is_said_once(serve, chromium):
    with people() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened_recipe(opened, link, "Hierarchies")
        attribute(opened, "age")
        opened.get_by_label("Kind").select_option("interval")
        settled(opened)
        opened.locator("#h-interval").fill("5, 7")
        opened.wait_for_timeout(600)
        opened.get_by_role("button", name="Use this hierarchy").click()
        settled(opened)
        assert opened.locator(".alert").count() == 1, opened.locator(".alert").all_inner_texts()
        assert "interval" not in recipe(opened)


def values_are_moved_with_the_keyboard_alone(serve, chromium):
    with people() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened_recipe(opened, link, "Hierarchies")
        attribute(opened, "school")
        tab_to(opened, "[data-item=BSc] input")
        opened.keyboard.press("Alt+ArrowLeft")
        settled(opened)
        assert '["BSc", "School", "*"]' in recipe(opened)
        assert opened.evaluate("document.activeElement.value") == "BSc", "what was moved keeps the focus"
        opened.keyboard.press("Alt+ArrowUp")
        settled(opened)
        before = recipe(opened)
        assert before.index('"BSc"') < before.index('"10th"')
        opened.keyboard.press("Control+z")
        settled(opened)
        assert recipe(opened).index('"BSc"') > recipe(opened).index('"10th"')
        opened.keyboard.press("Space")
        tab_to(opened, "#group-name")
        opened.keyboard.type("Bachelor")
        opened.keyboard.press("Enter")
        settled(opened)
        assert '["BSc", "Bachelor", "*"]' in recipe(opened)


def intervals_are_shown_while_they_are_typed(serve, chromium):
    with people() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened_recipe(opened, link, "Hierarchies")
        attribute(opened, "age")
        before = recipe(opened)
        opened.get_by_label("Kind").select_option("interval")
        settled(opened)
        assert opened.locator("#h-interval").input_value() == "5, 10, 20", "the column suggests them"
        opened.locator("#h-interval").fill("25, 50")
        opened.locator("#picture caption", has_text="Level 2").wait_for()
        settled(opened)
        assert recipe(opened) == before, "a preview changes nothing"
        opened.locator("#h-interval").fill("25, 60")
        opened.locator("#picture .alert").wait_for()
        opened.locator("#h-interval").fill("5, 10, 20")
        settled(opened)
        opened.get_by_role("button", name="Use this hierarchy").click()
        settled(opened)
        assert "interval = [5, 10, 20], min = 0, max = 99" in recipe(opened), recipe(opened)


def k_anonymity_is_added_with_the_keyboard_alone(serve, chromium):
    with people() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened_recipe(opened, link, "Promises")
        tab_to(opened, "#model")
        opened.keyboard.type("k-anonymity")
        opened.locator("#add", has_text="Add k-anonymity").wait_for()
        settled(opened)
        tab_to(opened, "#new-k")
        opened.keyboard.type("5")
        opened.keyboard.press("Enter")
        settled(opened)
        assert '[[privacy]]\nmodel = "k-anonymity"\nk = 5' in recipe(opened), recipe(opened)
        opened.get_by_text("All promises together").wait_for(timeout=60000)
        assert "it is the only promise" in opened.locator("article.card").inner_text()
        opened.locator("#m0-k").fill("10")
        opened.keyboard.press("Tab")
        settled(opened)
        assert "k = 10" in recipe(opened)
        opened.keyboard.press("Control+z")
        settled(opened)
        assert "k = 5" in recipe(opened)
        opened.keyboard.press("Control+z")
        settled(opened)
        assert "k-anonymity" not in recipe(opened)


def several_hierarchies_are_dropped_at_once(serve, chromium):
    """Each goes to the attribute that it is named after; one undo takes the last of them back."""
    with people() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened_recipe(opened, link, "Hierarchies")
        (folder / "age.csv").write_text("".join(f"{age};{age // 10 * 10}er;*\n" for age in range(100)))
        opened.locator("#hierarchy-file").set_input_files([str(folder / "age.csv"), str(folder / "people_hierarchy_sex.csv")])
        opened.locator("#recipe-change mark").first.wait_for()
        settled(opened)
        text = recipe(opened)
        assert '["17", "10er", "*"]' in text and '["F", "*"]' in text, text
        opened.get_by_role("button", name="Undo").click()
        settled(opened)
        assert '["17", "10er", "*"]' in recipe(opened) and '["F", "*"]' not in recipe(opened)


def files_of_the_folder_are_taken_with_one_click(serve, chromium):
    with people() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened_recipe(opened, link, "Hierarchies")
        opened.get_by_text("1 file of the folder is named after attributes").wait_for()
        opened.get_by_role("button", name="Take it").click()
        settled(opened)
        assert 'hierarchy = "people_hierarchy_sex.csv"' in recipe(opened)
        assert opened.locator("#match").count() == 0


def both_pages_are_looked_at(serve, chromium):
    wrong = []
    axe = Axe()
    with people() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        text = RECIPE.replace("[method]", '[[privacy]]\nmodel = "k-anonymity"\nk = 5\n\n[[privacy]]\nmodel = "distinct-l-diversity"\nl = 2\n\n[method]')
        text = text.replace("[attributes.school]", "hierarchy = { interval = [5, 10, 20], min = 0, max = 99 }\n\n[attributes.school]")
        (folder / "recipe.toml").write_text(text)
        opened_recipe(opened, link, "Hierarchies")
        attribute(opened, "age")
        wrong += looked_at(opened, axe, "intervals")
        attribute(opened, "school")
        wrong += looked_at(opened, axe, "rows")
        go(opened, "Promises")
        opened.get_by_text("All promises together").wait_for(timeout=60000)
        opened.locator("#model").select_option("t-closeness")
        opened.locator("#new-t").wait_for()
        settled(opened)
        opened.locator("#keys summary").click()
        wrong += looked_at(opened, axe, "promises")
    assert not wrong, "\n".join(wrong)


if __name__ == "__main__":
    studio.run([
        an_arx_hierarchy_is_edited_and_opened_again,
        a_name_that_is_half_typed_outlives_a_dropped_value,
        a_refused_hierarchy_is_said_once,
        values_are_moved_with_the_keyboard_alone,
        intervals_are_shown_while_they_are_typed,
        k_anonymity_is_added_with_the_keyboard_alone,
        several_hierarchies_are_dropped_at_once,
        files_of_the_folder_are_taken_with_one_click,
        both_pages_are_looked_at,
    ])
