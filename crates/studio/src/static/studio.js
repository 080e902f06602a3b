// What plain pages cannot do: dropped files, keys, copying. Nothing is kept here.

const header = { "X-Velamen-Studio": "1" };

// Undo and redo from the keyboard, outside fields that have their own.
addEventListener("keydown", event => {
  const field = event.target.closest("textarea, input:not([type=checkbox]):not([type=radio])");
  if (!(event.ctrlKey || event.metaKey) || event.altKey || field) return;
  const key = event.key.toLowerCase();
  const wanted = key === "z" ? (event.shiftKey ? "redo" : "undo") : key === "y" ? "redo" : "";
  const button = wanted && document.getElementById(wanted);
  if (button && !button.disabled) {
    event.preventDefault();
    button.click();
  }
});

addEventListener("click", async event => {
  const copy = event.target.closest("[data-copy]");
  if (copy) {
    const text = document.querySelector(copy.dataset.copy).textContent;
    await navigator.clipboard.writeText(text);
    copy.textContent = copy.dataset.copied;
  }
  const check = event.target.closest("[data-check]");
  if (check) {
    const boxes = [...document.querySelectorAll(check.dataset.check)];
    const all = boxes.every(box => box.checked);
    boxes.forEach(box => { box.checked = !all; });
    check.textContent = all ? check.dataset.all : check.dataset.none;
  }
});

// Files go to the server of this machine as they are: one to its place, several to the attributes that they are named after.
async function send(zone, files) {
  const said = zone.querySelector("[role=status]");
  said.textContent = files.length > 1 ? zone.dataset.takingSeveral : zone.dataset.taking;
  const place = files.length > 1 && zone.dataset.many || zone.dataset.drop;
  const wrong = [];
  for (const [name, file] of zone.dataset.many ? files : [files[0]]) {
    const answer = await fetch(place + "?" + new URLSearchParams({ name }), {
      method: "POST", headers: header, body: file,
    });
    const next = answer.headers.get("HX-Redirect");
    if (next) {
      htmx.location.assign(next);
      return;
    }
    if (!answer.ok) wrong.push(await answer.text());
  }
  // The page that says what was wrong, or how far it is; what could not be taken is said here.
  if (wrong.length) said.textContent = wrong.join(" ");
  if (wrong.length < files.length) await htmx.ajax("GET", htmx.location.pathname.split("/").pop() + htmx.location.search, { target: "#app", select: "#app", swap: "outerHTML show:none" });
  if (wrong.length) (document.querySelector("[data-drop] [role=status]") ?? said).textContent = wrong.join(" ");
}

// Files with their names; those of a folder with their paths from it on, without hidden ones.
const isSeen = ([name]) => !name.includes("/.");
const named = files => [...files].map(file => [file.webkitRelativePath || file.name, file]).filter(isSeen);

// All files below what is dropped: a browser gives a folder as an entry, and its files some at a time.
async function below(entry) {
  if (entry.isFile) return [[entry.fullPath.slice(1), await new Promise((take, fail) => entry.file(take, fail))]];
  const [reader, found] = [entry.createReader(), []];
  for (;;) {
    const some = await new Promise((take, fail) => reader.readEntries(take, fail));
    if (!some.length) return found;
    for (const one of some) found.push(...await below(one));
  }
}

async function dropped(data) {
  const entries = [...data.items].map(item => item.webkitGetAsEntry?.()).filter(Boolean);
  const plain = named(data.files);
  return entries.some(entry => entry.isDirectory) ? (await Promise.all(entries.map(below))).flat().filter(isSeen) : plain;
}

const zone = event => event.target.closest && event.target.closest("[data-drop]");

addEventListener("change", event => {
  const target = zone(event);
  if (target && event.target.files?.length) send(target, named(event.target.files));
});
addEventListener("dragover", event => {
  event.preventDefault();
  zone(event)?.classList.add("over");
});
addEventListener("dragleave", event => zone(event)?.classList.remove("over"));
addEventListener("drop", async event => {
  event.preventDefault();
  const target = zone(event) ?? document.querySelector("[data-drop]");
  target?.classList.remove("over");
  if (!target || !event.dataTransfer.files.length) return;
  const files = target.dataset.many ? await dropped(event.dataTransfer) : named(event.dataTransfer.files);
  if (files.length) send(target, files);
});

// Two sides that scroll together.
addEventListener("scroll", event => {
  const side = event.target;
  if (!side.dataset?.together) return;
  for (const other of document.querySelectorAll(`[data-together="${side.dataset.together}"]`)) {
    if (other !== side && other.scrollTop !== side.scrollTop) other.scrollTop = side.scrollTop;
  }
}, true);

// What a slider stands at while it is moved.
addEventListener("input", event => {
  const output = document.getElementById(event.target.dataset?.shownIn ?? "");
  if (output) output.textContent = `${event.target.value} %`;
});

// The lines of the recipe that the last change made come into view, in the recipe's own pane.
function toChange() {
  const pane = document.getElementById("recipe-text");
  const line = pane?.querySelector("mark");
  if (line) pane.scrollTop = line.offsetTop - pane.offsetTop - pane.clientHeight / 3;
}

// On a narrow screen the step that is shown is among those that are seen.
function toStep() {
  const step = document.querySelector(".steps [aria-current]");
  const line = step?.closest(".steps");
  if (line && line.scrollWidth > line.clientWidth) line.scrollLeft = step.offsetLeft - (line.clientWidth - step.offsetWidth) / 2;
}

// What another window changed is shown here, too. A window that is not looked at asks once it is.
const LOOK = 2000;

async function changedElsewhere() {
  const shown = () => document.getElementById("app")?.dataset.revision;
  if (document.hidden || shown() === undefined || document.querySelector(".htmx-request, #status .busy")) return;
  const answer = await fetch("revision", { headers: header }).catch(() => null);
  if (!answer?.ok) return;
  const revision = await answer.text();
  if (revision !== shown() && !document.querySelector(".htmx-request")) htmx.trigger(document.body, "elsewhere");
}
setInterval(changedElsewhere, LOOK);
addEventListener("visibilitychange", changedElsewhere);

function shown() {
  toChange();
  toStep();
}
addEventListener("htmx:afterSwap", event => event.target.id === "app" && shown());
addEventListener("resize", toStep);
shown();
