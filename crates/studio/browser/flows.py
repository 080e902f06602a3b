"""What a person does in the studio, in a real browser: `flows.py SERVE [PICTURES]`.

SERVE is the example `serve` of the crate; pictures of every page go into the folder PICTURES.
"""

import hashlib
import pathlib
import sys

from axe_playwright_python.sync_playwright import Axe

import studio
from studio import browser, folder_with_table, go, page, settled

STEPS = ["Open", "Attributes", "Hierarchies", "Promises", "Explore", "Compare", "Risk", "Release"]


def recipe(opened):
    return opened.locator("#recipe-text").inner_text()


def opened_table(opened, link, name="stays.csv"):
    opened.goto(link)
    opened.get_by_role("button", name=name, exact=True).click()
    opened.get_by_role("heading", name="Attributes").wait_for()
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
        # The recipe to begin with takes the method that keeps most, which need not have a front.
        opened.get_by_label("Method", exact=True).select_option("optimal")
        settled(opened)
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


def the_same_with_the_keyboard_alone(serve, chromium):
    with folder_with_table() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened.goto(link)
        tab_to(opened, "button[value='stays.csv']")
        opened.keyboard.press("Enter")
        opened.get_by_role("heading", name="Attributes").wait_for()
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


def tab_to(opened, selector):
    for _ in range(120):
        opened.keyboard.press("Tab")
        if opened.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"{selector} cannot be reached by the keyboard")


def a_change_of_k_shows_another_front_and_undo_the_one_before(serve, chromium):
    with studio.studio(serve) as link, page(chromium) as opened:
        opened.goto(link)
        opened.locator("tr[id^=release-]").first.wait_for(timeout=60000)
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


def a_long_search_is_stopped_and_begun_again(serve, chromium):
    with folder_with_table(200_000) as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened_table(opened, link)
        opened.get_by_role("navigation", name="Steps").get_by_role("link", name="Explore").click()
        opened.locator("#cancel").click()
        settled(opened)
        # On a fast machine the search is over before the click.
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
        other.get_by_label("Role of sex").select_option("insensitive")
        settled(other)
        one.get_by_label("Role of zip").select_option("identifier")
        settled(one)
        assert recipe(one).count('role = "insensitive"') == 1 and 'role = "identifier"' in recipe(one), "no window undoes the other's change"
        context.close()


def wrong_files(serve, chromium):
    with folder_with_table() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        (folder / "broken.csv").write_bytes(b'a,b\n1,"2\n')
        (folder / "empty.csv").write_bytes(b"")
        (folder / "broken.toml").write_text("[input]\npath = 3\n")
        (folder / "elsewhere.toml").write_text('[input]\npath = "/etc/passwd"\n[output]\npath = "out"\n')
        opened.goto(link)
        for name in ["broken.csv", "empty.csv", "broken.toml", "elsewhere.toml"]:
            opened.get_by_role("button", name=name, exact=True).click()
            settled(opened)
            opened.get_by_role("alert").first.wait_for()
        opened.get_by_role("button", name="stays.csv", exact=True).click()
        opened.get_by_role("heading", name="Attributes").wait_for()


def a_dropped_file_is_opened(serve, chromium):
    with folder_with_table() as folder, studio.studio(serve) as link, page(chromium) as opened:
        opened.goto(link)
        go(opened, "Open")
        opened.locator("#file").set_input_files(str(folder / "stays.csv"))
        opened.get_by_role("heading", name="Attributes").wait_for()
        opened.get_by_text("stays.csv").first.wait_for()


def nothing_of_the_table_is_shown_until_it_is_asked_for(serve, chromium):
    with folder_with_table() as folder, studio.studio(serve, folder) as link, page(chromium) as opened:
        opened_table(opened, link)
        assert "stroke" not in opened.content() and "person-1" not in opened.content()
        opened.get_by_role("button", name="Show values of the cells").click()
        settled(opened)
        opened.get_by_text("stroke").first.wait_for()


def another_page_in_the_same_browser_gets_nothing(serve, chromium):
    """Of another port of the same address, which is the same site: it has no cookie, reads nothing and changes nothing."""
    import http.server
    import threading

    class Evil(http.server.BaseHTTPRequestHandler):
        cookies = []

        def do_GET(self):
            Evil.cookies.append(self.headers.get("Cookie"))
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>Evil</title><link rel=icon href='data:,'>")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Evil)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with folder_with_table() as folder, studio.studio(serve, folder) as link:
        context = chromium.new_context()
        own = context.new_page()
        opened_table(own, link)
        before = recipe(own)
        base = own.url.rsplit("/", 1)[0]
        evil = context.new_page()
        evil.goto(f"http://127.0.0.1:{server.server_port}/")
        assert Evil.cookies == [None], Evil.cookies
        tries = """async base => {
            const tried = [];
            for (const [path, options] of [
              ["/attributes", { credentials: "include" }],
              ["/undo", { method: "POST", credentials: "include", body: "page=attributes" }],
              ["/undo", { method: "POST", mode: "no-cors", credentials: "include" }],
              ["/undo", { method: "POST", credentials: "include", headers: { "X-Velamen-Studio": "1" } }],
            ]) {
              try {
                const answer = await fetch(base + path, options);
                tried.push(answer.type === "opaque" ? "opaque" : answer.status);
              } catch { tried.push("refused"); }
            }
            const frame = document.createElement("iframe");
            frame.src = base + "/attributes";
            document.body.append(frame);
            await new Promise(done => { frame.onload = done; setTimeout(done, 2000); });
            let text = "";
            try { text = frame.contentDocument?.body?.innerText ?? ""; } catch { }
            return [tried, text];
        }"""
        tried, text = evil.evaluate(tries, base)
        assert tried[0] == "refused" and tried[1] == "refused" and tried[3] == "refused", tried
        assert "diagnosis" not in text
        own.reload()
        assert recipe(own) == before
        context.close()
    server.shutdown()


def every_page_is_looked_at(serve, chromium, pictures):
    """At 1280 and at 390 pixels, light and dark: nothing leaves its page, and axe-core finds no violation."""
    wrong = []
    with studio.studio(serve) as link, page(chromium) as opened:
        opened.goto(link)
        opened.locator("tr[id^=release-]").first.wait_for(timeout=60000)
        for step in STEPS:
            go(opened, step)
            settled(opened, 120)
            opened.wait_for_timeout(500)
            settled(opened, 120)
            for width in (1280, 390):
                for scheme in ("light", "dark"):
                    opened.set_viewport_size({"width": width, "height": 900})
                    opened.emulate_media(color_scheme=scheme)
                    if opened.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
                        wrong.append(f"{step} at {width} scrolls sideways: " + opened.evaluate(WIDE))
                    if pictures:
                        opened.screenshot(path=pictures / f"{step.lower()}-{width}-{scheme}.png", full_page=True)
                    found = Axe().run(opened)
                    for violation in found.response["violations"]:
                        nodes = [node["html"][:160] for node in violation["nodes"][:3]]
                        wrong.append(f"{step} at {width}, {scheme}: {violation['id']}: {nodes}")
    assert not wrong, "\n".join(wrong)


WIDE = """[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.scroll, .steps, pre, .side'))
  .slice(0, 4).map(e => e.tagName + '.' + e.className + '#' + e.id).join(' ')"""


def main():
    serve = sys.argv[1]
    pictures = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    flows = [
        from_a_table_to_a_release_with_the_mouse,
        the_same_with_the_keyboard_alone,
        a_change_of_k_shows_another_front_and_undo_the_one_before,
        a_long_search_is_stopped_and_begun_again,
        reload_in_the_middle_and_two_windows,
        wrong_files,
        a_dropped_file_is_opened,
        nothing_of_the_table_is_shown_until_it_is_asked_for,
        another_page_in_the_same_browser_gets_nothing,
        lambda *of: every_page_is_looked_at(*of, pictures),
    ]
    failed = 0
    with browser() as chromium:
        for flow in flows:
            name = flow.__name__.replace("_", " ").replace("<lambda>", "every page is looked at")
            try:
                flow(serve, chromium)
                print(f"ok      {name}", flush=True)
            except Exception as error:  # noqa: BLE001, each flow is told of
                failed += 1
                print(f"FAILED  {name}: {error}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
