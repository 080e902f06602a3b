// Values and groups of a hierarchy, dragged with the mouse or moved with the keyboard. Each move is a change of the recipe.

let dragged = [];

const editor = () => document.getElementById("rows");

function send(change, items) {
  const { attribute, level } = editor().dataset;
  const values = new FormData();
  Object.entries({ attribute, part: level, ...change }).forEach(([name, value]) => values.append(name, value));
  items.forEach(item => values.append("item", item));
  // What was chosen is moved: it is not chosen any more. A name that is half typed stays.
  document.querySelectorAll("#rows [data-item] input:checked").forEach(box => { box.checked = false; });
  htmx.ajax("POST", "hierarchies/rows", { source: editor(), values, target: "#app", select: "#app", swap: "outerHTML show:none" });
}

const place = (event, kind) => event.target.closest?.(`#rows [data-${kind}]`);

function unmarked() {
  document.querySelectorAll("#rows .over").forEach(marked => marked.classList.remove("over"));
}

addEventListener("dragstart", event => {
  const item = place(event, "item");
  if (!item) return;
  const chosen = [...document.querySelectorAll("#rows [data-item]")].filter(other => other.querySelector("input").checked);
  dragged = (chosen.includes(item) ? chosen : [item]).map(other => other.dataset.item);
  event.dataTransfer.setData("text/plain", "");
  event.dataTransfer.effectAllowed = "move";
});
addEventListener("dragend", () => { dragged = []; unmarked(); });
addEventListener("dragover", event => {
  if (!dragged.length) return;
  unmarked();
  (place(event, "item") ?? place(event, "group"))?.classList.add("over");
});
addEventListener("drop", event => {
  const [group, before] = [place(event, "group"), place(event, "item")];
  if (!dragged.length || !group) return;
  const items = dragged;
  dragged = [];
  if (before && items.includes(before.dataset.item)) return;
  send({ op: "move", to: group.dataset.group, ...(before && { before: before.dataset.item }) }, items);
});

// Alt with an arrow: up and down in the group, left and right to the group beside.
addEventListener("keydown", event => {
  const item = event.altKey && place(event, "item");
  if (!item) return;
  const group = item.closest("[data-group]");
  const beside = { ArrowLeft: group.previousElementSibling, ArrowRight: group.nextElementSibling };
  if (event.key === "ArrowUp" || event.key === "ArrowDown") {
    send({ op: event.key === "ArrowUp" ? "earlier" : "later" }, [item.dataset.item]);
  } else if (beside[event.key]) {
    send({ op: "move", to: beside[event.key].dataset.group }, [item.dataset.item]);
  } else if (!(event.key in beside)) {
    return;
  }
  event.preventDefault();
});
