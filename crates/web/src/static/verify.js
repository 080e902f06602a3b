// The page: takes files, has the worker check them, shows what it found.
"use strict";

const WORKER = {{worker}};
/** Where what is given beside a release lies: its own name is what messages show. */
const BESIDE = ".beside";
const byId = (id) => document.getElementById(id);
const state = { release: null, name: "", module: null, worker: null };

/** The program, from the text in the page; once. */
async function program() {
  if (!state.module) {
    const text = atob(byId("program").textContent);
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const unpacked = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
    state.module = await WebAssembly.compile(await unpacked.arrayBuffer());
  }
  return state.module;
}

/** Files of an input, with their paths within what was chosen. */
function named(list) {
  return Array.from(list, (file) => [file.webkitRelativePath || file.name, file]);
}

/** Files of a dropped folder, or of dropped files. */
async function dropped(items) {
  const found = [];
  const walk = async (entry, before) => {
    const path = before + entry.name;
    if (entry.isFile) {
      found.push([path, await new Promise((done, failed) => entry.file(done, failed))]);
      return;
    }
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((done, failed) => reader.readEntries(done, failed));
      if (some.length === 0) return;
      for (const inner of some) await walk(inner, `${path}/`);
    }
  };
  const entries = Array.from(items, (item) => item.webkitGetAsEntry()).filter(Boolean);
  for (const entry of entries) await walk(entry, "");
  return found;
}

/** The first folder of paths, or the only file; what is checked is called so. */
function topOf(files) {
  return files.length ? files[0][0].split("/")[0] : "";
}

function choose(files) {
  const top = topOf(files);
  const within = files.filter(([path]) => path.split("/")[0] === top);
  const isArchive = within.length === 1 && within[0][0] === top;
  if (files.length === 0 || within.length !== files.length || (isArchive && !/\.zip$/i.test(top))) {
    [state.release, state.name] = [null, ""];
    byId("chosen").textContent = "Choose the release’s folder, or one ZIP file of it.";
  } else {
    [state.release, state.name] = [files, top];
    const bytes = files.reduce((sum, [, file]) => sum + file.size, 0);
    byId("chosen").textContent = `${top}: ${files.length} ${files.length === 1 ? "file" : "files"}, ${size(bytes)}`;
  }
  byId("verify").disabled = !state.release;
  clear();
}

function size(bytes) {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function clear() {
  byId("lines").replaceChildren();
  byId("refusal").textContent = "";
  say("", "");
}

function say(text, kind) {
  byId("verdict").textContent = text;
  byId("verdict").className = kind;
}

/** What the worker needs: every file as bytes, and the request in the words of the command line. */
async function asked() {
  const files = [];
  const put = async (list, folder) => {
    for (const [path, file] of list) files.push([`${folder}${path}`, new Uint8Array(await file.arrayBuffer())]);
  };
  await put(state.release, "");
  const request = { release: state.name };
  const key = byId("key").value.trim();
  if (key) {
    files.push([`${BESIDE}/key.pub`, new TextEncoder().encode(`${key}\n`)]);
    request.key = key.includes("\n") ? `${BESIDE}/key.pub` : key;
  }
  const [statement, population, custodian] = ["attestation", "population", "custodian"].map((id) => named(byId(id).files));
  const main = statement.find(([path]) => path.endsWith(".json"));
  if (main) request.attestation = `${BESIDE}/statement/${main[0]}`;
  if (population.length) request.population = `${BESIDE}/population/${population[0][0]}`;
  if (custodian.length) request.custodian = `${BESIDE}/custodian/${topOf(custodian)}`;
  await put(statement, `${BESIDE}/statement/`);
  await put(population, `${BESIDE}/population/`);
  await put(custodian, `${BESIDE}/custodian/`);
  return { files, request };
}

function busy(is) {
  byId("verify").disabled = is || !state.release;
  byId("stop").hidden = !is;
}

function show({ lines, refusal, left_out: leftOut }) {
  const items = lines.map(({ state: word, text }) => {
    const item = document.createElement("li");
    item.className = word.replace(" ", "-");
    item.textContent = text;
    return item;
  });
  byId("lines").replaceChildren(...items);
  byId("refusal").textContent = refusal ? refusal.lines.join("\n") : "";
  if (!refusal) say("No promise is broken, and all that can be checked was.", "held");
  else if (refusal.exit === 3) say("A promise is broken: do not rely on this release.", "broken");
  else if (lines.length) say("No promise is broken, and not all was checked.", "open");
  else say("This cannot be checked.", "broken");
  if (leftOut) byId("verdict").append(` ${leftOut} hidden ${leftOut === 1 ? "file" : "files"} of a system (__MACOSX, .DS_Store) in the ZIP file: left out, and no part of the release.`);
}

async function verify() {
  clear();
  busy(true);
  say("Checking…", "");
  try {
    const message = { module: await program(), ...(await asked()) };
    const url = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
    state.worker = new Worker(url);
    URL.revokeObjectURL(url);
    state.worker.onmessage = ({ data }) => {
      if (data.answer) show(data.answer);
      else failed(data.failed);
      stop();
    };
    state.worker.onerror = (event) => {
      failed(event.message);
      stop();
    };
    state.worker.postMessage(message, message.files.map(([, bytes]) => bytes.buffer));
  } catch (error) {
    failed(String(error));
    stop();
  }
}

function failed(why) {
  say("The check did not end.", "broken");
  byId("refusal").textContent = why;
}

function stop() {
  state.worker?.terminate();
  state.worker = null;
  busy(false);
}

byId("folder").addEventListener("change", (event) => choose(named(event.target.files)));
byId("files").addEventListener("change", (event) => choose(named(event.target.files)));
byId("verify").addEventListener("click", verify);
byId("stop").addEventListener("click", () => {
  stop();
  say("Stopped.", "");
});
addEventListener("dragover", (event) => {
  event.preventDefault();
  byId("drop").classList.add("over");
});
addEventListener("dragleave", () => byId("drop").classList.remove("over"));
addEventListener("drop", async (event) => {
  event.preventDefault();
  byId("drop").classList.remove("over");
  choose(await dropped(event.dataTransfer.items));
});
