// The studio's program, with its files in memory: one call after the other.
"use strict";

/** Folders of the program: what the person sees, the studio's own, temporary files, and what passes between it and the page. */
const ROOT = new Map(["files", "own", "tmp", "exchange"].map((name) => [name, new wasi.Directory(new Map())]));
const contents = (folder) => ROOT.get(folder).contents;
const errors = [];
let instance = null;
let queue = Promise.resolve();

async function begin(module) {
  const decoder = new TextDecoder();
  const system = new wasi.WASI(["velamen"], [], [
    new wasi.OpenFile(new wasi.File([])),
    wasi.ConsoleStdout.lineBuffered((line) => postMessage({ line })),
    new wasi.ConsoleStdout((bytes) => errors.push(decoder.decode(bytes))),
    new wasi.PreopenDirectory("/", ROOT),
  ], { debug: false });
  instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: system.wasiImport });
  system.initialize(instance);
}

/** A call: what is asked stands in a file, and so does what is answered. */
function called(call, body) {
  const exchange = contents("exchange");
  exchange.set("call.json", new wasi.File(new TextEncoder().encode(JSON.stringify(call))));
  if (body) exchange.set("body", new wasi.File(body));
  instance.exports.velamen_studio_call();
  const take = (name) => {
    const bytes = exchange.get(name)?.data.slice() ?? new Uint8Array();
    exchange.delete(name);
    return bytes;
  };
  exchange.delete("body");
  return { answer: JSON.parse(new TextDecoder().decode(take("answer.json"))), content: take("content") };
}

const bytesOf = async (body) => body && new Uint8Array(await new Blob([body]).arrayBuffer());

/** A file of the person, within the folders that its name has. */
async function put(name, file) {
  const [last, ...folders] = name.split("/").reverse();
  let place = ROOT.get("files");
  for (const folder of folders.reverse()) {
    if (!place.contents.has(folder)) {
      const made = new wasi.Directory(new Map());
      made.parent = place;
      place.contents.set(folder, made);
    }
    place = place.contents.get(folder);
  }
  place.contents.set(last, new wasi.File(await bytesOf(file)));
}

async function handle({ id, module, files, call, body }) {
  if (module) await begin(module);
  for (const [name, file] of files ?? []) await put(name, file);
  if (!call) return;
  const { answer, content } = called(call, await bytesOf(body));
  postMessage({ id, answer, content }, [content.buffer]);
}

onmessage = ({ data }) => {
  // What breaks off leaves the program in no state to go on: the page starts another one.
  queue = queue.then(() => handle(data)).catch((error) => postMessage({ broken: [String(error), ...errors].join("\n") }));
};
