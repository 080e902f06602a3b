"""Somebody has a page of his own open in the browser in which the studio is used: `attacker.py SERVE [WORD]`.

His page comes from another port of the same address, which browsers call the same site, and from a name that resolves to the studio's
address. Whatever he tries, the recipe stays, he reads nothing, and he gets no cookie. He is told the studio's random path, which he
could not know.
"""

import contextlib
import http.client
import http.server
import threading
import urllib.parse

import studio
from studio import folder_with_table, recipe, settled, to_attributes

PAGE = b"<!doctype html><title>Evil</title><link rel=icon href='data:,'><iframe name=hole></iframe>"


class Evil(http.server.BaseHTTPRequestHandler):
    cookies = []

    def do_GET(self):
        Evil.cookies.append(self.headers.get("Cookie"))
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def attacked(serve, chromium):
    """A page of the studio in use, the attacker's page beside it, and the studio's base address; afterwards the recipe is as it was."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Evil)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    Evil.cookies.clear()
    context = chromium.new_context()
    try:
        with folder_with_table(300) as folder, studio.studio(serve, folder) as link:
            own = context.new_page()
            own.goto(link)
            own.get_by_role("button", name="stays.csv", exact=True).click()
            to_attributes(own)
            own.get_by_label("Role of diagnosis").select_option("insensitive")
            settled(own)
            before = recipe(own)
            evil = context.new_page()
            evil.goto(f"http://127.0.0.1:{server.server_port}/")
            yield own, evil, own.url.rsplit("/", 1)[0]
            assert set(Evil.cookies) == {None}, "a cookie of the studio came to another port"
            own.reload()
            assert recipe(own) == before, "somebody else changed the recipe"
            assert not (folder / "stays-release").exists(), "somebody else made a release"
    finally:
        context.close()
        server.shutdown()


CHANGES = ["undo", "redo", "end", "cancel", "recipe", "attributes/role", "explore/set", "release/run", "release/save", "open/sample", "open/file"]


def fetches_change_and_read_nothing(serve, chromium):
    with attacked(serve, chromium) as (_, evil, base):
        got = evil.evaluate(
            """async ([base, changes]) => {
              const got = [];
              const tried = async (what, promise) => {
                try {
                  const answer = await promise;
                  if (answer.type !== "opaque") got.push([what, answer.status, await answer.text()]);
                } catch { }
              };
              for (const path of ["/", "/attributes", "/status", "/static/studio.js", "/file?name=data.csv", "/report"])
                for (const mode of ["cors", "no-cors"])
                  await tried(`GET ${path} ${mode}`, fetch(base + path, { mode, credentials: "include" }));
              for (const change of changes)
                for (const options of [
                  { mode: "cors" }, { mode: "no-cors" }, { mode: "cors", headers: { "X-Velamen-Studio": "1" } },
                  { mode: "no-cors", headers: { "Content-Type": "text/plain" } },
                ])
                  await tried(`POST ${change}`, fetch(`${base}/${change}`, { method: "POST", credentials: "include", body: "page=attributes&name=zip&role=insensitive&text=", ...options }));
              for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS"])
                await tried(method, fetch(`${base}/attributes`, { method, credentials: "include" }));
              for (const change of changes) navigator.sendBeacon(`${base}/${change}`, "page=attributes");
              await new Promise(done => setTimeout(done, 500));
              return got;
            }""",
            [base, CHANGES],
        )
        assert got == [], got


def forms_change_nothing(serve, chromium):
    with attacked(serve, chromium) as (_, evil, base):
        evil.evaluate(
            """async ([base, changes]) => {
              for (const change of changes)
                for (const enctype of ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"]) {
                  const form = Object.assign(document.createElement("form"), { method: "POST", action: `${base}/${change}`, enctype, target: "hole" });
                  for (const [name, value] of [["page", "attributes"], ["name", "zip"], ["role", "insensitive"], ["text", "x"], ["file", "stays.csv"]])
                    form.append(Object.assign(document.createElement("input"), { name, value }));
                  document.body.append(form);
                  form.submit();
                  await new Promise(done => setTimeout(done, 60));
                }
            }""",
            [base, CHANGES],
        )
        text = evil.frame("hole").locator("body").inner_text()
        assert "diagnosis" not in text, text


def pictures_scripts_and_frames_show_nothing(serve, chromium):
    with attacked(serve, chromium) as (_, evil, base):
        loaded = evil.evaluate(
            """async base => {
              const made = [["img", "src", "/static/icon.svg"], ["script", "src", "/static/studio.js"], ["link", "href", "/static/studio.css"],
                            ["iframe", "src", "/attributes"], ["object", "data", "/attributes"], ["embed", "src", "/report"]];
              const loaded = [];
              for (const [kind, key, path] of made) {
                const element = document.createElement(kind);
                if (kind === "link") element.rel = "stylesheet";
                const done = new Promise(done => { element.onload = () => done(true); element.onerror = () => done(false); setTimeout(() => done(false), 1500); });
                element[key] = base + path;
                document.body.append(element);
                const fired = await done;
                let text = "";
                try { text = element.contentDocument?.body?.innerText ?? ""; } catch { }
                // Frames fire for their error page, too: what counts is what is in them.
                if (text || (fired && ["img", "script", "link"].includes(kind))) loaded.push([kind, text]);
              }
              return loaded;
            }""",
            base,
        )
        assert loaded == [], loaded
        for frame in evil.frames:
            assert "diagnosis" not in frame.content(), frame.url


def a_window_of_it_has_no_opener_and_can_be_read_by_nobody(serve, chromium):
    with attacked(serve, chromium) as (_, evil, base):
        with evil.context.expect_page() as popup:
            evil.evaluate("base => { window.studio = window.open(base + '/attributes'); }", base)
        popup.value.wait_for_load_state()
        read = evil.evaluate(
            """() => { try { return window.studio.document.body.innerText; } catch { return ""; } }"""
        )
        assert read == "", read
        assert "diagnosis" not in popup.value.content(), "the cookie was sent for another site's navigation"


def sockets_are_not_spoken(serve, chromium):
    with attacked(serve, chromium) as (_, evil, base):
        opened = evil.evaluate(
            """async base => {
              const socket = new WebSocket(base.replace("http", "ws") + "/status");
              return await new Promise(done => { socket.onopen = () => done("opened"); socket.onerror = () => done("refused"); setTimeout(() => done("nothing"), 3000); });
            }""",
            base,
        )
        assert opened == "refused", opened
        events = evil.evaluate(
            """async base => {
              const events = new EventSource(base + "/status", { withCredentials: true });
              return await new Promise(done => { events.onopen = () => done("opened"); events.onerror = () => done("refused"); setTimeout(() => done("nothing"), 3000); });
            }""",
            base,
        )
        assert events == "refused", events


def a_name_that_resolves_to_this_machine_is_another_host(serve, chromium):
    """DNS rebinding: by raw requests with the attacker's name, and in the browser by `localhost`, which resolves to the studio."""
    with attacked(serve, chromium) as (own, evil, base):
        address = urllib.parse.urlsplit(base)
        cookie = "; ".join(f"{one['name']}={one['value']}" for one in own.context.cookies())
        assert "velamen-studio" in cookie, "even with the cookie it is refused"
        for host in ["evil.test", f"evil.test:{address.port}", f"localhost:{address.port}", "127.0.0.1", f"127.0.0.1.evil.test:{address.port}", f"[::1]:{address.port}", f"0.0.0.0:{address.port}"]:
            connection = http.client.HTTPConnection("127.0.0.1", address.port)
            connection.request("GET", address.path + "/attributes", headers={"Host": host, "Cookie": cookie})
            answer = connection.getresponse()
            assert answer.status == 403 and b"diagnosis" not in answer.read(), host
        answer = evil.goto(f"http://localhost:{address.port}{address.path}/attributes")
        assert answer.status == 403 and "diagnosis" not in evil.content()


if __name__ == "__main__":
    studio.run([
        fetches_change_and_read_nothing,
        forms_change_nothing,
        pictures_scripts_and_frames_show_nothing,
        a_window_of_it_has_no_opener_and_can_be_read_by_nobody,
        sockets_are_not_spoken,
        a_name_that_resolves_to_this_machine_is_another_host,
    ])
