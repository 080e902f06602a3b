"""Seeing the data in the studio, in a real browser: `table.py SERVE [WORD]`.

The whole table before and after, its distributions, how many share a class, the first rows of a file, levels in words, methods in groups,
the limit of suppression, what a column costs and forms for sections of the recipe.
"""

from axe_playwright_python.sync_playwright import Axe

import studio
from studio import folder_with_table, go, looked_at, page, recipe, settled, tab_to, to_attributes



def opened_table(opened, link, name="stays.csv"):
    opened.goto(link)
    opened.get_by_role("button", name=name, exact=True).click()
    to_attributes(opened)
    settled(opened)
    opened.get_by_label("Role of diagnosis").select_option("sensitive")
    settled(opened)


def rows(opened):
    return opened.locator("table.records tbody tr:not(.class-of)")


def cells(opened, column):
    """The cells of a column, as they read before."""
    heads = opened.locator("table.records thead th").all_inner_texts()
    place = next(number for number, head in enumerate(heads) if head.split()[0] == column)
    return [row.locator("th, td").nth(place).inner_text() for row in rows(opened).all()]


def every_record_before_and_after(serve, chromium):
    with folder_with_table() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened_table(opened, link)
        for method in ["optimal", "mondrian", "ce-mi-clustering"]:
            go(opened, "Explore")
            choose(opened, method)
            go(opened, "Table")
            opened.get_by_role("heading", name="How many people share a class").wait_for(timeout=60_000)
            if opened.locator("#show-values").count():
                assert "asthma" not in opened.locator("main").inner_text(), "no value before it is asked for"
                opened.locator("#show-values").click()
                settled(opened)
            assert "3,000 records" in opened.locator("#records .summary").inner_text()
            assert rows(opened).count() == 50 and opened.locator("td.changed del").count() > 0, method
            assert opened.locator("tr.class-of").count() > 0, "rows of a class stand together"
        opened.get_by_label("Where").select_option(label="diagnosis")
        opened.get_by_label("Comparison").select_option("is")
        opened.locator("#text").fill("stroke")
        opened.get_by_role("button", name="Show these").click()
        settled(opened)
        assert set(cells(opened, "diagnosis")) == {"stroke"}
        go(opened, "Compare")
        go(opened, "Table")
        assert set(cells(opened, "diagnosis")) == {"stroke"}, "what was looked for stays"
        opened.locator("table.records thead").get_by_role("link", name="age").click()
        settled(opened)
        assert "stroke" not in opened.url, "no address has a value"
        ages = [int(age.split()[0]) for age in cells(opened, "age")]
        assert ages == sorted(ages) and set(cells(opened, "diagnosis")) == {"stroke"}
        opened.get_by_role("link", name="Later rows").click()
        settled(opened)
        assert int(cells(opened, "age")[0].split()[0]) >= ages[-1]
        opened.get_by_role("link", name="Show all").click()
        settled(opened)
        opened.locator("#only").select_option("changed")
        opened.locator("#side").select_option("after")
        opened.get_by_role("button", name="Show these").click()
        settled(opened)
        assert opened.locator("td.changed").count() >= rows(opened).count() and opened.locator("main del").count() == 0
        opened.get_by_label("Column", exact=True).select_option(label="age")
        settled(opened)
        assert opened.locator("table.distribution").count() == 2
        opened.get_by_role("link", name="Last rows").click()
        settled(opened)
        assert 0 < rows(opened).count() <= 50 and opened.get_by_role("link", name="Later rows").count() == 0


def people_are_counted_on_every_page(serve, chromium):
    """Several records of a person: Explore's front counts people, the highest risk is one figure, in German with nothing cut off."""
    with folder_with_table() as folder, studio.studio(serve, folder) as link, page(chromium, locale="de") as opened:
        stays = "".join(
            f"{7000 + n // 2},{20 + n // 2 % 50},{'mw'[n // 2 % 2]},{['10115', '20095'][n // 2 % 2]},{['I10', 'J45', 'C50'][n * 7 % 3]}\n"
            for n in range(1200)
        )
        (folder / "aufenthalte.csv").write_text("PatNr,Alter,Geschlecht,PLZ,Hauptdiagnose\n" + stays)
        opened.goto(link)
        opened.get_by_role("button", name="aufenthalte.csv", exact=True).click()
        opened.locator("#guide-form").wait_for(timeout=120_000)
        for answer in ["#who-house", "#use-groups", "#rows-column", "#worst-found"]:
            opened.locator(answer).check()
        opened.locator("#person").select_option("PatNr")
        opened.locator("#take").click()
        opened.locator("#chosen").wait_for(timeout=120_000)
        settled(opened, 120)
        go(opened, "Erkunden", "Schritte")
        opened.locator("#of-people").wait_for(timeout=60_000)
        settled(opened)
        assert opened.locator("tr[id^=release-]").count() > 1, "there is something to choose"
        opened.locator("#release-1 button").first.click()
        settled(opened)
        highest = opened.locator("#release-1 td.number").nth(1).inner_text()
        go(opened, "Vergleich", "Schritte")
        opened.locator("#show-records, #records").first.wait_for(timeout=60_000)
        if opened.locator("#show-records").count():
            opened.locator("#show-records").click()
        opened.locator("#records .side").first.wait_for()
        for side in opened.locator("#records .side").all():
            assert side.evaluate("side => side.scrollWidth <= side.clientWidth + 1"), "a side is cut off"
        go(opened, "Risiko", "Schritte")
        opened.locator(".facts.large dd strong").first.wait_for(timeout=60_000)
        assert opened.locator(".facts.large dd strong").first.inner_text() == highest
        opened.get_by_role("link", name="Wegweiser").wait_for()


def the_table_alone_and_by_keyboard(serve, chromium):
    with folder_with_table() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened_table(opened, link)
        go(opened, "Table")
        tab_to(opened, "a[href='table?of=original']")
        opened.keyboard.press("Enter")
        opened.locator("#show-values").wait_for()
        # What is shown anew meanwhile takes the key.
        settled(opened)
        tab_to(opened, "#show-values")
        opened.keyboard.press("Enter")
        opened.locator("table.records").wait_for()
        settled(opened)
        assert "3,000 records" in opened.locator("#records .summary").inner_text()
        assert opened.locator("table.distribution").count() == 1 and opened.locator(".class-of").count() == 0
        assert "person-17" not in opened.content(), "identifiers are not read"


def pages_can_be_used_by_everybody(serve, chromium):
    axe = Axe()
    with folder_with_table() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened_table(opened, link)
        opened.locator("#reading summary").click()
        opened.locator("#show-first-rows").click()
        opened.locator("table.first-rows").wait_for()
        wrong = looked_at(opened, axe, "first rows")
        go(opened, "Explore")
        wrong += looked_at(opened, axe, "explore")
        go(opened, "Table")
        opened.locator("table.records").wait_for(timeout=60_000)
        wrong += looked_at(opened, axe, "table")
        assert not wrong, "\n".join(wrong)


def the_first_rows_follow_the_form(serve, chromium):
    with folder_with_table() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        records = "".join(f"{20 + n % 60};{['Köln', 'Bonn', 'Ulm'][n % 3]};{50 + n % 40},5\n" for n in range(800))
        (folder / "old.csv").write_bytes(("Liste\nAlter;Ort;Gewicht\n" + records).encode("cp1252"))
        opened.goto(link)
        opened.get_by_role("button", name="old.csv", exact=True).click()
        to_attributes(opened)
        settled(opened)
        opened.locator("#reading summary").click()
        opened.locator("#show-first-rows").click()
        table = opened.locator("table.first-rows")
        table.wait_for()
        assert table.locator("tbody tr").count() == 20 and "Köln" in table.inner_text()
        before = recipe(opened)
        opened.locator("#encoding").select_option("macintosh")
        opened.get_by_text("Kˆln").first.wait_for()
        opened.locator("#skip-lines").fill("4")
        opened.locator("table.first-rows th", has_text="Bonn").or_(opened.locator("#first-rows-shown .care")).first.wait_for()
        assert recipe(opened) == before, "looking changes nothing"


def choose(opened, method):
    opened.get_by_label("Method", exact=True).select_option(method)
    settled(opened)


def levels_in_words_groups_of_methods_and_the_slider(serve, chromium):
    with folder_with_table() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened_table(opened, link)
        go(opened, "Explore")
        choose(opened, "optimal")
        opened.locator("tr[id^=release-]").first.wait_for(timeout=60_000)
        shown = opened.locator("table.releases").inner_text()
        assert "ranges of" in shown and "characters" in shown or "only *" in shown, shown
        groups = opened.locator("#method optgroup").evaluate_all("all => all.map(one => one.label)")
        assert groups == ["for everyday use", "for a recipient under contract", "differentially private", "from papers"], groups
        assert not opened.locator("#baseline").is_visible()
        slider = opened.locator("#at-most")
        slider.focus()
        first = opened.locator("#at-most-shown").inner_text()
        for _ in range(4):
            opened.keyboard.press("ArrowRight")
        settled(opened)
        opened.wait_for_timeout(300)
        settled(opened)
        assert opened.locator("#at-most-shown").inner_text() != first and "suppression-limit = " in recipe(opened)
        opened.locator("#baselines summary").click()
        opened.get_by_label("Baseline", exact=True).select_option("datafly")
        settled(opened)
        assert 'name = "datafly"' in recipe(opened) and opened.locator("#baseline").is_visible()


def sections_have_forms_and_a_column_its_price(serve, chromium):
    axe = Axe()
    with folder_with_table() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened_table(opened, link)
        opened.get_by_role("link", name="What age costs").click()
        opened.locator("#cost table").wait_for(timeout=60_000)
        assert "highest risk" in opened.locator("#cost").inner_text()
        opened.locator("#derived summary").click()
        opened.get_by_label("Name of the new column").fill("decade")
        opened.get_by_label("Role of the new column").select_option("insensitive")
        opened.locator("#derived-round").fill("age")
        opened.locator("#derived-to").fill("10")
        opened.get_by_role("button", name="Add the column").click()
        settled(opened)
        assert "[derived.decade]" in recipe(opened) and 'round = "age"' in recipe(opened)
        wrong = looked_at(opened, axe, "attributes")
        opened.get_by_role("button", name="Remove decade").click()
        settled(opened)
        assert "decade" not in recipe(opened)
        go(opened, "Promises")
        opened.locator("#population summary").click()
        opened.locator("#population-size").fill("80000")
        opened.locator("#population-take").click()
        settled(opened)
        assert "[population]\nsize = 80000" in recipe(opened)
        opened.locator("#impossible summary").click()
        wrong += looked_at(opened, axe, "promises")
        go(opened, "Release")
        opened.locator("#report summary").click()
        opened.locator("#report-title").fill("Stays 2024")
        opened.locator("#report-risk").fill("7")
        opened.locator("#report-take").click()
        settled(opened)
        assert "[report]" not in recipe(opened) and opened.locator("#report-title").input_value() == "Stays 2024", "what was typed stays"
        opened.locator("#report-risk").fill("0.2")
        opened.locator("#report-take").click()
        settled(opened)
        assert 'title = "Stays 2024"' in recipe(opened) and "risk = 0.2" in recipe(opened)
        wrong += looked_at(opened, axe, "release")
        assert not wrong, "\n".join(wrong)


if __name__ == "__main__":
    studio.run([
        every_record_before_and_after,
        people_are_counted_on_every_page,
        the_table_alone_and_by_keyboard,
        the_first_rows_follow_the_form,
        levels_in_words_groups_of_methods_and_the_slider,
        sections_have_forms_and_a_column_its_price,
        pages_can_be_used_by_everybody,
    ])
