// What a server is elsewhere: requests of the studio's pages go to the program in a worker, and its answers into the page.
"use strict";

(() => {
  const WORKER = {{worker}};
  const byId = (id) => document.getElementById(id);
  const encoded = (fields) => new URLSearchParams(fields).toString();
  const FORM = [["content-type", "application/x-www-form-urlencoded"]];
  /** What stays when the program is started again: files by their names, what was opened last, the page that is shown. */
  const kept = { module: null, files: new Map(), opened: null, address: "open" };
  const state = { worker: null, waiting: new Map(), calls: 0, page: 0, before: null, restarting: null };

  /** An answer that changes nothing. */
  const NOTHING = { isNone: true, status: 204, headers: new Map(), content: new Uint8Array() };

  async function program() {
    const text = atob(byId("program").textContent);
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const unpacked = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
    kept.module = await WebAssembly.compile(await unpacked.arrayBuffer());
    byId("program").remove();
  }

  function start() {
    const url = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
    state.worker = new Worker(url);
    URL.revokeObjectURL(url);
    state.worker.onmessage = ({ data }) => {
      if (data.line !== undefined) progress(data.line);
      else if (data.broken) restart(data.broken);
      else done(data);
    };
    state.worker.postMessage({ module: kept.module, files: [...kept.files] });
  }

  function call(message) {
    return new Promise((tell) => {
      const id = ++state.calls;
      state.waiting.set(id, tell);
      state.worker.postMessage({ id, ...message });
    });
  }

  function done({ id, answer, content }) {
    const tell = state.waiting.get(id);
    if (!state.waiting.delete(id)) return;
    if (state.before) byId("status")?.replaceChildren(...state.before);
    state.before = null;
    if (answer.failed) tell({ status: 500, headers: new Map(), content: new TextEncoder().encode(answer.failed) });
    else tell({ ...answer, headers: new Map(answer.headers), content });
  }

  /** An answer to a request; what it began and did not wait for is done once nothing else is asked. */
  async function ask(method, address, headers = [], body = null) {
    const { pathname, search, searchParams } = new URL(address, "https://studio/");
    if (pathname === "/cancel") return restart();
    // What is not there yet is not changed.
    await state.restarting;
    const own = [["accept-language", navigator.languages.join(",")], ...headers];
    const found = await call({ call: { call: "answer", method, address: pathname + search, headers: own }, body });
    if (found.isNone) return found;
    if (found.status < 400 && method === "POST") keep(pathname, searchParams.get("name"), body);
    if (state.waiting.size === 0) call({ call: { call: "work" } });
    return found;
  }

  function keep(path, name, body) {
    if (body instanceof File && path.startsWith("/open/")) kept.files.set(name, body);
    if (path === "/open/drop") kept.opened = ["open/file", encoded({ file: name })];
    else if (/^\/open\/(file|folder|sample)$/.test(path)) kept.opened = [path.slice(1), body ?? ""];
  }

  /** Ends the program, whatever it does, and starts it again with the table and the recipe: by the person, or since it broke off. */
  function restart(broken) {
    // A second click of the same hand stops nothing more.
    if (!broken && state.restarting && performance.now() - state.restarted < 1500) return NOTHING;
    state.restarted = performance.now();
    state.worker.terminate();
    if (state.restarting) kept.opened = null;
    const text = byId("recipe-edit")?.defaultValue;
    const stopped = [...state.waiting.values()];
    state.waiting.clear();
    state.before = null;
    start();
    const own = (state.restarting = replay(text));
    own.then(() => {
      if (state.restarting !== own) return;
      state.restarting = null;
      if (kept.opened) htmx.trigger(document.body, "settled");
      else go("open", false);
      if (broken) alert(broken);
    });
    stopped.forEach((tell) => tell(NOTHING));
    return NOTHING;
  }

  async function replay(recipe) {
    const answer = (method, address, body) => call({ call: { call: "answer", method, address: `/${address}`, headers: FORM }, body });
    if (!kept.opened) return;
    await answer("POST", ...kept.opened);
    if (recipe) await answer("POST", "recipe", encoded({ text: recipe }));
    // What the page began once more is left as stopped.
    await answer("GET", kept.address.split("#")[0]);
    await call({ call: { call: "stop" } });
  }

  function alert(text) {
    const said = document.createElement("div");
    said.className = "alert";
    said.setAttribute("role", "alert");
    said.textContent = text;
    byId("status")?.replaceChildren(said);
  }

  /** The line of a task that runs. The button stays the same one: it may be pressed just now. */
  function progress(line) {
    const status = byId("status");
    if (!status) return;
    const fresh = document.createElement("template");
    fresh.innerHTML = line;
    const [busy, ...rest] = fresh.content.querySelectorAll(":scope > :not(button)");
    // Nothing is said yet.
    if (!busy) return;
    if (!status.querySelector(".busy")) {
      state.before ??= [...status.childNodes];
      status.replaceChildren(busy, ...rest, fresh.content.querySelector("button"));
      htmx.process(status);
      return;
    }
    status.querySelectorAll(":scope > :not(button, .busy)").forEach((part) => part.remove());
    status.querySelector(".busy").after(...rest);
  }

  /** Pages that stand in a frame are put there by hand: the page's policy loads none. */
  const text = (content) => new TextDecoder().decode(content).replace(/(<iframe[^>]*?) src="([^"]*)"( sandbox)?/g, '$1 data-page="$2"');

  async function frames() {
    for (const frame of document.querySelectorAll("iframe[data-page]")) {
      const address = frame.dataset.page;
      frame.removeAttribute("data-page");
      const { status, content } = await ask("GET", address);
      if (status === 200) fill(frame.contentWindow, content);
    }
  }

  /** A page within another window, with its own style and without scripts. */
  function fill(target, content) {
    // Taken out before: even where it is only read, the page's policy speaks of a style that stands in it.
    const sheets = [];
    const rest = text(content).replace(/<style>([^]*?)<\/style>/g, (_, rules) => {
      sheets.push(new target.CSSStyleSheet());
      sheets.at(-1).replaceSync(rules);
      return "";
    });
    const page = new DOMParser().parseFromString(rest, "text/html");
    page.querySelectorAll("script, meta[http-equiv], link").forEach((element) => element.remove());
    target.document.replaceChild(target.document.adoptNode(page.documentElement), target.document.documentElement);
    target.document.adoptedStyleSheets = sheets;
  }

  /** Shows a page, as a link does. */
  async function go(address, isNew = true) {
    const number = ++state.page;
    document.body.classList.add("htmx-request");
    const { status, content } = await ask("GET", address);
    if (number !== state.page) return;
    document.body.classList.remove("htmx-request");
    if (status === 204) return;
    kept.address = address;
    if (isNew) history.pushState(null, "", `#${address}`);
    const page = new DOMParser().parseFromString(text(content), "text/html");
    document.title = page.title;
    document.documentElement.lang = page.documentElement.lang;
    for (const { name, value } of page.body.attributes) document.body.setAttribute(name, value);
    document.body.replaceChildren(...page.body.childNodes);
    htmx.process(document.body);
    byId("app")?.dispatchEvent(new CustomEvent("htmx:afterSwap", { bubbles: true }));
    scrollTo(0, 0);
    byId(address.split("#")[1] ?? "")?.scrollIntoView();
  }

  async function save(address, name) {
    const { status, content, headers } = await ask("GET", address);
    if (status === 204) return;
    if (status !== 200) return alert(text(content));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([content], { type: headers.get("content-type") }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  function follow(link) {
    const address = link.getAttribute("href");
    if (address.startsWith("#")) {
      byId(address.slice(1))?.focus();
      byId(address.slice(1))?.scrollIntoView();
    } else if (link.hasAttribute("download")) save(address, link.download);
    else if (link.target === "_blank") {
      const opened = open("", "_blank");
      ask("GET", address).then(({ content }) => fill(opened, content));
    } else go(address);
  }

  /** What htmx asks by. */
  class Asked extends EventTarget {
    upload = new EventTarget();
    headers = [];
    answer = new Map();
    status = 0;
    open(method, address) { [this.method, this.address] = [method, address]; }
    overrideMimeType() {}
    setRequestHeader(name, value) { if (name.toLowerCase() === "content-type") this.headers.push(["content-type", value]); }
    getResponseHeader(name) { return this.answer.get(name.toLowerCase()) ?? null; }
    getAllResponseHeaders() { return [...this.answer].map(([name, value]) => `${name}: ${value}\r\n`).join(""); }
    abort() { this.isOver = true; this.onabort?.(); }
    async send(body) {
      const page = state.page;
      const { status, headers, content } = await ask(this.method, this.address, this.headers, body);
      // What asked is gone with its page.
      if (this.isOver || page !== state.page) return;
      [this.status, this.answer] = [status, headers];
      this.response = this.responseText = text(content);
      this.onload?.();
      this.dispatchEvent(new Event("loadend"));
    }
  }

  const outside = globalThis.fetch;
  globalThis.XMLHttpRequest = Asked;
  globalThis.fetch = async (address, { method = "GET", body } = {}) => {
    if (/^[a-z]+:/i.test(address)) return outside(address);
    // There is no other window.
    if (address === "revision") return new Response(byId("app")?.dataset.revision);
    const { status, headers, content } = await ask(method, address, [], body);
    return new Response(status === 204 ? null : content, { status, headers: [...headers] });
  };

  addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || /^[a-z]+:/i.test(link.getAttribute("href"))) return;
    event.preventDefault();
    follow(link);
  });
  addEventListener("htmx:afterSwap", frames);
  addEventListener("popstate", () => go(location.hash.slice(1) || "open", false));
  addEventListener("beforeunload", (event) => kept.opened && event.preventDefault());
  addEventListener("DOMContentLoaded", async () => {
    const [path, search] = [() => `/${kept.address.split(/[?#]/)[0]}`, () => kept.address.match(/\?[^#]*/)?.[0] ?? ""];
    htmx.location = {
      get pathname() { return path(); },
      get search() { return search(); },
      set href(address) { go(address); },
      assign: go,
      reload: () => go(kept.address, false),
    };
    await program();
    start();
    await go("open", false);
  });
})();
