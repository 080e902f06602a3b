"""Mutants of a crate, all compiled together, and the unit tests that none of them should survive.

    python bench/mutants.py PACKAGE COPY [--file GLOB ...] [--test PREFIX ...]

In COPY, a copy of the files that git knows, each function's body becomes a `match` over an environment variable, with one arm for
each mutant that cargo-mutants lists. Arms that the compiler refuses are taken out. Then each mutant runs those unit tests, named
from PREFIX on, that reach its function, until one fails. COPY/mutants.json has the outcome of each: caught, endless, survived,
uncompiled, or left. Constants and `const` functions cannot be compiled so: `cargo mutants --re NAME` takes those that are left.
COPY/outcomes.jsonl grows with each outcome: a run that was cut short goes on where it stood.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import tempfile
import time

# What may hold a brace that is none, then braces.
TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|b?r(#*)\".*?\"\1|b?\"(?:\\.|[^\"\\])*\"|b?'(?:\\.[^']*|[^'\\])'|[{}]", re.S
)
CHOOSER = """
/// The mutant that runs; the function of the mutants from `first` on is reached.
pub(crate) fn mutant(first: u32) -> u32 {
    static ASKED: std::sync::LazyLock<u32> =
        std::sync::LazyLock::new(|| std::env::var("MUTANT").map_or(0, |number| number.parse().unwrap()));
    static REACHED: std::sync::Mutex<std::collections::BTreeSet<u32>> = std::sync::Mutex::new(std::collections::BTreeSet::new());
    if *ASKED == u32::MAX && REACHED.lock().unwrap().insert(first) {
        let mut file = std::fs::File::options().append(true).open(std::env::var("REACHED").unwrap()).unwrap();
        std::io::Write::write_all(&mut file, format!("{first}\\n").as_bytes()).unwrap();
    }
    *ASKED
}
"""
MEMORY = (4 << 30, 4 << 30)


def said(*command):
    """What a command prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def body(function):
    """Where the last block of a function begins."""
    depth = start = 0
    for token in TOKEN.finditer(function):
        if token[0] == "{":
            start, depth = (token.start() if depth == 0 else start), depth + 1
        elif token[0] == "}":
            depth -= 1
    return start


def functions(text, mutants):
    """A file's outermost functions with mutants: where their bodies are, and by mutant its place and text."""
    starts = [0] + [match.end() for match in re.finditer("\n", text)]

    def places(span):
        return tuple(starts[span[end]["line"] - 1] + span[end]["column"] - 1 for end in ("start", "end"))

    spans, found = {}, []
    for mutant in mutants:
        spans.setdefault(places(mutant["function"]["span"]), []).append((mutant, places(mutant["span"])))
    for (start, end), changes in sorted(spans.items(), key=lambda item: (item[0][0], -item[0][1])):
        if found and end <= found[-1][1]:
            found[-1][2].extend(changes)
        else:
            found.append((start, end, list(changes)))
    return [(start, start + body(text[start:end]), end, changes) for start, end, changes in found]


def rewritten(text, mutants):
    """The file with an arm for each mutant, and by line the mutant that stands there."""
    out, lines, done = "", {}, 0
    for start, opening, end, changes in functions(text, mutants):
        signature = text[start:opening]
        # Arms that return some iterator have to return the same one.
        block = "({}).collect::<Vec<_>>().into_iter()" if re.search(r"->\s*impl Iterator\b", signature) else "{}"
        if re.search(r"\bconst fn\b", signature):
            [mutant.update(outcome="left") for mutant, _ in changes]
            continue
        numbers = [mutant["number"] for mutant, _ in changes]
        out += f"{text[done:opening]}{{ match crate::mutant({numbers[0]}) {{\n"
        out += f"n if !(&{numbers}[..]).contains(&n) => {block.format(text[opening:end])},\n"
        for mutant, (low, high) in changes:
            mutant["first"] = numbers[0]
            if mutant["outcome"] != "uncompiled":
                changed, line = text[opening:low] + mutant["replacement"] + text[high:end], out.count("\n") + 1
                out += f"{mutant['number']} => {block.format(changed)},\n"
                lines.update(dict.fromkeys(range(line, out.count("\n") + 1), mutant))
        out, done = out + "_ => unreachable!() }\n}", end
    return out + text[done:], lines


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_bytes() != text:
        path.write_bytes(text)


def compiled(package, copy, mutants):
    """The test binary, once the compiler refuses no arm."""
    by_file = collections.defaultdict(list)
    for mutant in filter(lambda mutant: mutant["outcome"] != "left", mutants):
        by_file[mutant["file"]].append(mutant)
    root = pathlib.Path(*pathlib.Path(mutants[0]["file"]).parts[:2], "src", "lib.rs")
    command = ["cargo", "test", "-p", package, "--lib", "--no-run", "--message-format=json"]
    environment = dict(os.environ, CARGO_TARGET_DIR=str(copy / "target"))
    while True:
        lines = {}
        for name in {*by_file, str(root)}:
            text, lines[name] = rewritten(pathlib.Path(name).read_text(), by_file[name])
            write(copy / name, (text + CHOOSER * (name == str(root))).encode())
        run = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)
        messages = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
        if not run.returncode:
            return next(message["executable"] for message in messages if message.get("executable"))
        errors = [m["message"] for m in messages if (m.get("message") or {}).get("level") == "error"]
        spans = [span for error in errors for span in error["spans"] if span["is_primary"]]
        refused = [lines.get(span["file_name"], {}).get(span["line_start"]) for span in spans]
        if not any(refused):
            raise SystemExit("".join(error["rendered"] for error in errors) + run.stderr)
        [mutant.update(outcome="uncompiled") for mutant in refused if mutant]


def tested(binary, folder, test, number, limit, reached=""):
    """Whether a test passes; `None` where it takes more seconds of the processor than the limit."""
    command = [binary, "--exact", test, "--test-threads=1"]
    environment = dict(os.environ, MUTANT=str(number), REACHED=reached)

    def bound():
        resource.setrlimit(resource.RLIMIT_AS, MEMORY)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))

    try:
        options = {"cwd": folder, "env": environment, "preexec_fn": bound, "capture_output": True}
        code = subprocess.run(command, timeout=20 * limit, **options).returncode
    except subprocess.TimeoutExpired:
        return None
    return None if code == -signal.SIGXCPU else code == 0


def reach(binary, folder, prefixes):
    """By function the tests that reach it, the quickest first, with their times."""
    names = [line.removesuffix(": test") for line in said(binary, "--list").splitlines() if line.endswith(": test")]
    tests = collections.defaultdict(list)
    for name in filter(lambda name: name.startswith(tuple(prefixes or [""])), names):
        with tempfile.NamedTemporaryFile(mode="r") as file:
            start = time.monotonic()
            if not tested(binary, folder, name, 2**32 - 1, 300, file.name):
                raise SystemExit(f"{name} fails without a mutant")
            for first in file.read().split():
                tests[int(first)].append((time.monotonic() - start, name))
    return {first: sorted(of) for first, of in tests.items()}


def outcome(binary, folder, tests, mutant):
    for took, test in tests.get(mutant["first"], []):
        passed = tested(binary, folder, test, mutant["number"], 3 + int(8 * took))
        if not passed:
            mutant["by"] = test
            return "endless" if passed is None else "caught"
    return "survived"


def earlier(path):
    """The outcomes of a run that was cut short, by name."""
    return dict(map(json.loads, path.read_text().splitlines())) if path.exists() else {}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package")
    parser.add_argument("copy", type=lambda name: pathlib.Path(name).resolve())
    parser.add_argument("--file", action="append", default=[])
    parser.add_argument("--test", action="append", default=[])
    asked = parser.parse_args()
    for name in said("git", "ls-files", "-co", "--exclude-standard", "-z").split("\0"):
        if name and pathlib.Path(name).is_file():
            write(asked.copy / name, pathlib.Path(name).read_bytes())
    files = [word for glob in asked.file for word in ("-f", glob)]
    mutants = json.loads(said("cargo", "mutants", "--list", "--json", "-p", asked.package, *files))
    for number, mutant in enumerate(mutants, 1):
        # A constant's value is no function's.
        mutant.update(number=number, outcome=None if mutant["function"] else "left")
    binary = compiled(asked.package, asked.copy, mutants)
    folder = asked.copy / pathlib.Path(*pathlib.Path(mutants[0]["file"]).parts[:2])
    tests = reach(binary, folder, asked.test)
    known = earlier(asked.copy / "outcomes.jsonl")
    for mutant in mutants:
        mutant["outcome"] = mutant["outcome"] or known.get(mutant["name"])
    open_ = [mutant for mutant in mutants if not mutant["outcome"]]
    with concurrent.futures.ThreadPoolExecutor(2) as workers, (asked.copy / "outcomes.jsonl").open("a") as lines:
        for mutant, found in zip(open_, workers.map(lambda one: outcome(binary, folder, tests, one), open_)):
            mutant["outcome"] = found
            print(json.dumps([mutant["name"], found]), file=lines, flush=True)
            if found == "survived":
                print(mutant["name"], flush=True)
    (asked.copy / "mutants.json").write_text(json.dumps(mutants, indent=1))
    print(collections.Counter(mutant["outcome"] for mutant in mutants))


main()
