// Runs the program once: its files are given, its answer is what it prints.
"use strict";

/** A tree of directories from paths and bytes. */
function tree(files) {
  const root = new Map();
  for (const [path, bytes] of files) {
    const parts = path.split("/");
    const name = parts.pop();
    let folder = root;
    for (const part of parts) {
      if (!folder.has(part)) folder.set(part, new wasi.Directory(new Map()));
      folder = folder.get(part).contents;
    }
    folder.set(name, new wasi.File(bytes));
  }
  return root;
}

/** What is written to a stream, as text. */
function stream() {
  const parts = [];
  const decoder = new TextDecoder();
  const keep = new wasi.ConsoleStdout((bytes) => parts.push(decoder.decode(bytes, { stream: true })));
  return { keep, text: () => parts.join("") };
}

onmessage = async ({ data: { module, files, request } }) => {
  const [out, err] = [stream(), stream()];
  const system = new wasi.WASI(["velamen", JSON.stringify(request)], [], [
    new wasi.OpenFile(new wasi.File([])),
    out.keep,
    err.keep,
    new wasi.PreopenDirectory(".", tree(files)),
  ]);
  try {
    const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: system.wasiImport });
    const code = system.start(instance);
    if (code !== 0) throw new Error(`exit code ${code}`);
    postMessage({ answer: JSON.parse(out.text()) });
  } catch (error) {
    postMessage({ failed: [String(error), err.text()].filter(Boolean).join("\n") });
  }
};
