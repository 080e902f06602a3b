// What is typed and not sent yet stays when the page is asked for again, as far as the server did not change it meanwhile.

const kinds = "input:not([type=file]):not([type=hidden]), textarea, select, details";
let drafts = [];

const isTick = field => field.type === "checkbox" || field.type === "radio";
const stated = field => field.matches("select") ? ([...field.options].find(option => option.defaultSelected) ?? field.options[0])?.value
  : isTick(field) ? field.defaultChecked : field.defaultValue;
const stands = field => isTick(field) ? field.checked : field.value;

// What the person clicked stays where it was on the screen, though the page around it is longer or shorter then.
let stood = 0;
let clicked = null;

function stay() {
  // On what is never exchanged: the page's policy forbids that a style is copied from an element to the next one.
  document.body.style.minHeight = document.querySelector("#status .busy") ? `${stood + innerHeight}px` : "";
  const again = clicked && document.getElementById(clicked.id);
  const wanted = again ? scrollY + again.getBoundingClientRect().top - clicked.top : stood;
  if (Math.abs(scrollY - wanted) >= 1) scrollTo(0, wanted);
}

function keep({ target, requestConfig }) {
  stood = scrollY;
  const active = document.activeElement;
  clicked = active?.id && active.closest("#app main") ? { id: active.id, top: active.getBoundingClientRect().top } : null;
  const sent = requestConfig?.elt;
  const form = sent?.closest("form");
  drafts = [];
  for (const field of target.querySelectorAll?.(kinds) ?? []) {
    // What was sent is answered.
    if (!field.id || field === sent || (form && field.form === form)) continue;
    if (field.matches("details")) {
      if (field.open) drafts.push({ id: field.id, open: true });
    } else if (stands(field) !== stated(field)) {
      const at = field === document.activeElement && field.matches("textarea, [type=text]") ? field.selectionStart : null;
      drafts.push({ id: field.id, stated: stated(field), stands: stands(field), at });
    }
  }
}

// What is exchanged between pressing and letting go of the mouse loses the click: answers wait until it is done. Leaving a field
// by a click on something else sends the field, so that this is the common case.
let pressed = false;
let latest = null;
const held = new Map();

addEventListener("htmx:beforeRequest", event => {
  if (event.detail.target?.id !== "app") return;
  // The page that is asked for last shows what the ones before it did.
  latest = event.detail.xhr;
  held.delete("app");
});

addEventListener("htmx:beforeSwap", event => {
  const { target, xhr } = event.detail;
  const outdated = target.id === "app" && xhr !== latest;
  if (!outdated && !pressed) return keep(event.detail);
  event.preventDefault();
  if (!outdated) held.set(target.id, event.detail);
});

function released() {
  pressed = false;
  const answers = [...held.values()];
  held.clear();
  for (const answer of answers) {
    if (!answer.target.isConnected) continue;
    keep(answer);
    htmx.swap(answer.target, answer.serverResponse, { swapStyle: "outerHTML", show: "none", swapDelay: 0, settleDelay: 0 }, { select: `#${answer.target.id}` });
  }
}

addEventListener("pointerdown", () => { pressed = true; }, true);
// After the click, which comes after these.
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => setTimeout(released), true);
// The window's own; that of a field does not come so far.
addEventListener("blur", () => setTimeout(released));

addEventListener("htmx:afterSwap", () => {
  for (const draft of drafts) {
    const field = document.getElementById(draft.id);
    if (!field) continue;
    if (draft.open) {
      field.open = true;
    } else if (stated(field) === draft.stated) {
      if (isTick(field)) field.checked = draft.stands; else field.value = draft.stands;
      if (draft.at !== null) field.setSelectionRange(draft.at, draft.at);
      unsent.add(field);
    } else if (field.matches("textarea")) {
      // A long text is not thrown away: it is said that it is of before.
      field.value = draft.stands;
      const said = field.parentElement.querySelector(".outdated");
      if (said) said.hidden = false;
    }
  }
  drafts = [];
  stay();
});

// A field that sends itself when it is left was typed into before the swap: the browser knows nothing of that.
const unsent = new WeakSet();
addEventListener("change", event => unsent.delete(event.target), true);
addEventListener("focusout", event => {
  const field = event.target;
  if (!unsent.delete(field) || stands(field) === stated(field)) return;
  field.dispatchEvent(new Event("change", { bubbles: true }));
});
