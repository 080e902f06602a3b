"""The calls of the manual, for the type checkers: this file is checked and not run."""

from __future__ import annotations

from pathlib import Path

import velamen as vm
from velamen.results import Check, Comparison, Finding, Front, Hierarchy, Measures, Sample, Solution


def custodian(patients: Path) -> vm.Release:
    recipe = vm.Recipe.from_file("recipe.toml").set("privacy.0.k", 10).set("method.h", 0.2)
    front: Front = vm.explore(patients, recipe, seconds=10)
    best: Solution = front.solutions[0]
    assert best.highest_risk <= 1.0
    release = vm.anonymize(patients, recipe, output="release", progress=True)
    comparison: Comparison = vm.compare(patients, release)
    print(comparison.records, release.manifest.records, release.custodian.name)
    attacked = vm.attack(release, original=patients, second=("other", "other.parquet"))
    rates: list[float] = [figure.rate for attack in attacked.attacks for figure in attack.figures]
    assert rates
    return release


def recipient(folder: str) -> Measures:
    vm.verify(folder).raise_for_promises()
    findings: tuple[Finding, ...] = vm.verify(folder).findings
    assert findings
    return vm.measure(folder)


def of_parts(parents: dict[str, str]) -> vm.Recipe:
    icd: Hierarchy = vm.hierarchy.from_parents(parents)
    recipe = vm.Recipe(
        attributes={"age": vm.Attribute(role="quasi-identifier"), "icd": vm.Attribute(role="sensitive", hierarchy=icd)},
        privacy=[vm.KAnonymity(k=5), vm.TCloseness(t=0.2, attribute="icd")],
        method=vm.methods.Optimal(suppression_limit=0.05),
    )
    place: Path = recipe.save("recipe.toml", overwrite=True)
    print(place, recipe.to_toml())
    return recipe


def received(folder: str) -> float:
    read: vm.Received = vm.read_release(folder, ranges="mid", ends={"age": (0, 110)})
    print(read.to_pandas(), read.to_polars(), read.count("sex").to_arrow(), read.notes, len(read))
    means: vm.Records = read.mean("age", by=["sex"])
    print([row["mean"] for row in means], vm.verify(folder).to_pandas())
    return sum(read.weights)


def prepared(patients: Path) -> vm.Recipe:
    recipe = vm.Recipe.from_file("recipe.toml")
    found: Check = vm.check(recipe, patients)
    found.raise_for_mistakes()
    lines: list[int | None] = [mistake.line for mistake in vm.check("other.toml").mistakes]
    icd: Hierarchy = vm.hierarchy.build({"icd-10": "who"}, table=patients, column="diagnosis")
    levels: int = vm.hierarchy.show("icd.csv").levels
    print(lines, levels, vm.hierarchy.check("icd.csv").sound, vm.hierarchy.export(recipe, "age").rows[0])
    sample: Sample = vm.synth("nps", 1000)
    print(vm.profile(sample).records, len(sample.records), vm.explain()["E0409"], vm.explain("E0409").page)
    return recipe.set("attributes.diagnosis.hierarchy", icd.to_dict())


def signed(release: vm.Release) -> vm.results.Verification:
    secret, public = vm.new_keys("hospital")
    signature: Path = vm.sign(release, secret)
    print(signature, vm.diff("before", release).same)
    return vm.verify(release, key=public)


def mistakes(table: vm.Records) -> str | None:
    try:
        vm.profile(table, progress=lambda what, done, total: None)
    except vm.DataError as error:
        place: vm.Place | None = error.place
        return error.hint if place is None else place.key
    except vm.PromiseError as error:
        return ", ".join(finding.promise for finding in error.findings)
    k: int | None = vm.measure(table, qi=["age"], sensitive="diagnosis").k
    return str(k)


def linked(persons: vm.Records, visits: vm.Records) -> vm.results.LinkedMeasures | None:
    recipe = vm.Recipe.from_file("recipe.toml")
    release: vm.LinkedRelease = vm.anonymize({"person": persons, "visit_occurrence": visits}, recipe)
    rows: vm.Records = release["person"]
    print(rows, release.tables["visit_occurrence"], release.records["person"], release.verification.held)
    vm.verify(release.save("release")).raise_for_promises()
    vm.check("recipe.toml", {"person": persons}).raise_for_mistakes()
    attacked = vm.attack(release, original={"person": persons, "visit_occurrence": visits})
    print(len(attacked.to_arrow()), vm.profile("export", as_="omop").folder)
    measured = vm.measure(release)
    return measured if isinstance(measured, vm.results.LinkedMeasures) else None
