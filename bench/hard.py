#!/usr/bin/env python3
"""Hard tables: many quasi-identifiers, few records. Every method on a wide table, and searches with free suppression.

    cargo build --release
    python3 bench/hard.py --velamen target/release/velamen wide
    python3 bench/hard.py --velamen target/release/velamen free --seconds 3

`wide` is 3,000 records of 14 columns, ten of them quasi-identifiers, as a registry has them: each method of the schema runs once,
and must answer within five seconds or say at once why not. `free` has 30,000 records of 24 quasi-identifiers (A) and 73,489 of 16 (B),
with a suppression limit of 1. The columns depend on four factors that they share; hierarchies halve. All of it is made up here.
"""
import argparse
import json
import pathlib
import random
import re
import resource
import subprocess
import tempfile
import time

SHAPES = {"wide": (3_000, 10), "A": (30_000, 24), "B": (73_489, 16)}


def made(shape, folder):
    """Writes a table, its hierarchies and a recipe; the recipe."""
    records, width = SHAPES[shape]
    draw = random.Random(f"{shape} 1")
    sizes = [draw.choice([2, 4, 8, 9, 16, 40, 64, 72]) for _ in range(width)]
    weights = [[draw.random() ** 3 for _ in range(4)] for _ in range(width)]
    sensitive = shape == "wide"
    names = [f"q{at}" for at in range(width)] + ["diagnosis", "score", "visits", "unit"] * sensitive
    lines = [",".join(names)]
    for _ in range(records):
        factors = [draw.gauss(0, 1) for _ in range(4)]
        row = []
        for size, weight in zip(sizes, weights):
            value = sum(w * f for w, f in zip(weight, factors)) / sum(weight) + draw.gauss(0, 0.4)
            row.append(str(min(size - 1, max(0, int((value + 2) / 4 * size)))))
        if sensitive:
            row += [f"D{int(abs(factors[0]) * 3)}", str(int(factors[1] * 2)), str(draw.randrange(4)), f"U{draw.randrange(5)}"]
        lines.append(",".join(row))
    (folder / "table.csv").write_text("\n".join(lines) + "\n")
    recipe = ['[input]\npath = "table.csv"\nrows = "independent"\n']
    for name, size in zip(names, sizes):
        (folder / f"{name}.csv").write_text("".join(halving(value, size) + "\n" for value in range(size)))
        recipe.append(f'[attributes.{name}]\nrole = "quasi-identifier"\nhierarchy = "{name}.csv"\n')
    if sensitive:
        recipe.append('[attributes.diagnosis]\nrole = "sensitive"\n')
        recipe += [f'[attributes.{name}]\nrole = "insensitive"\n' for name in names[-3:]]
    recipe.append('[[privacy]]\nmodel = "k-anonymity"\nk = 5\n\n[method]\nname = "optimal"\n\n[output]\npath = "release"\n')
    (folder / "recipe.toml").write_text("\n".join(recipe))
    return folder / "recipe.toml"


def halving(value, size):
    """A value's ancestors: ranges of two, four and so on."""
    levels, width = [str(value)], 2
    while width < size:
        low = value // width * width
        levels.append(f"{low}..{min(low + width, size) - 1}")
        width *= 2
    return ",".join([*levels, "*"])


def run(velamen, recipe, name, *sets):
    """Prints a row: wall and processor seconds, the mean loss of the attributes, the bound if there is one, or why there is no release."""
    words = [word for text in sets for word in ("--set", text)]
    begin, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([velamen, "anonymize", recipe, "--overwrite", "--quiet", *words], capture_output=True, text=True)
    seconds, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode:
        said = re.sub(r"/\S+/", "", next(line for line in done.stderr.splitlines() if line.startswith("error")))
    else:
        utility = json.loads((recipe.parent / "release" / "release.json").read_text())["utility"]
        loss = [*utility.get("loss", {}).get("by-attribute", {}).values()]
        search = json.loads((recipe.parent / "release.custodian" / "custodian.json").read_text())["search"]
        bound = {key: value for key, value in search.items() if "bound" in key or "proven" in key}
        said = (f"loss {sum(loss) / len(loss):.4f}" if loss else "no figure of loss") + (f", {bound}" if bound else "")
    print(f"| {name} | {seconds:.2f} s | {spent:.2f} s | {said} |", flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--velamen", required=True)
    arguments.add_argument("--seconds", type=int, default=3)
    arguments.add_argument("work", choices=["wide", "free"])
    given = arguments.parse_args()
    velamen = str(pathlib.Path(given.velamen).resolve())
    schema = json.loads(subprocess.run([velamen, "schema"], capture_output=True, text=True, check=True).stdout)
    print("| work | wall | CPU | result |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        if given.work == "wide":
            recipe = made("wide", pathlib.Path(folder))
            for name in schema["properties"]["method"]["properties"]["name"]["enum"]:
                run(velamen, recipe, name, f'method={{name="{name}"}}')
            run(velamen, recipe, "optimal, limit 1, local recoding", 'method={name="optimal",suppression-limit=1,local-recoding=true}')
            run(velamen, recipe, "mondrian by loss, nodes", 'method={name="mondrian",cuts="loss",recoding="nodes"}')
            run(velamen, recipe, "mondrian by loss", 'method={name="mondrian",cuts="loss"}')
            for model, limit, methods in (
                ("distinct-l-diversity", "l=3", ["optimal", "mondrian", "ce-mi-clustering"]),
                ("entropy-l-diversity", "l=2", ["optimal", "mondrian", "entropy-l-clustering"]),
                ("t-closeness", "t=0.3", ["optimal", "mondrian", "t-closeness-clustering"]),
            ):
                both = f'privacy=[{{model="k-anonymity",k=5}},{{model="{model}",{limit},attribute="diagnosis"}}]'
                for method in methods:
                    run(velamen, recipe, f"{method}, {model} {limit}", both, f'method={{name="{method}"}}')
        else:
            for shape in "AB":
                recipe = made(shape, pathlib.Path(folder))
                search = f'name="iterated-local-search",suppression-limit=1,budget-seconds={given.seconds}'
                run(velamen, recipe, shape, f"method={{{search}}}")
                run(velamen, recipe, f"{shape}, local recoding", f"method={{{search},local-recoding=true}}")


if __name__ == "__main__":
    main()
