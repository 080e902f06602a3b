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
    copy.textContent = "Copied";
  }
  const check = event.target.closest("[data-check]");
  if (check) {
    const boxes = [...document.querySelectorAll(check.dataset.check)];
    const all = boxes.every(box => box.checked);
    boxes.forEach(box => { box.checked = !all; });
    check.textContent = all ? "Choose all" : "Choose none";
  }
});

// A file goes to the server of this machine as it is.
async function send(zone, file) {
  const said = zone.querySelector("[role=status]");
  said.textContent = "Taking the file…";
  const answer = await fetch(zone.dataset.drop + "?" + new URLSearchParams({ name: file.name }), {
    method: "POST", headers: header, body: file,
  });
  const next = answer.headers.get("HX-Redirect");
  if (next) {
    location.assign(next);
  } else if (answer.ok) {
    // The page that says what was wrong, or how far it is.
    location.reload();
  } else {
    said.textContent = await answer.text();
  }
}

const zone = event => event.target.closest && event.target.closest("[data-drop]");

addEventListener("change", event => {
  const target = zone(event);
  if (target && event.target.files?.length) send(target, event.target.files[0]);
});
addEventListener("dragover", event => {
  event.preventDefault();
  zone(event)?.classList.add("over");
});
addEventListener("dragleave", event => zone(event)?.classList.remove("over"));
addEventListener("drop", event => {
  event.preventDefault();
  const target = zone(event) ?? document.querySelector("[data-drop]");
  target?.classList.remove("over");
  if (target && event.dataTransfer.files.length) send(target, event.dataTransfer.files[0]);
});

// Two sides that scroll together.
addEventListener("scroll", event => {
  const side = event.target;
  if (!side.dataset?.together) return;
  for (const other of document.querySelectorAll(`[data-together="${side.dataset.together}"]`)) {
    if (other !== side && other.scrollTop !== side.scrollTop) other.scrollTop = side.scrollTop;
  }
}, true);
