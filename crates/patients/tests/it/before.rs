//! What is said before a run and beside it: risk, estimate, losses by code, gaps between days.

use std::collections::{BTreeMap, BTreeSet};

use velamen_patients::{EstimatedBy, LinkedRecipe, estimate, figures, load, risk_of_recipe, risk_of_release};
use velamen_recipe::Overrides;

use super::folder::{KEYS, Made, agreement, omop, public, read, with_context};

fn recipe(made: &Made, text: &str) -> LinkedRecipe {
    let path = made.path("recipe.toml");
    std::fs::write(&path, text).unwrap();
    LinkedRecipe::load(&path, &Overrides::default()).unwrap()
}

/// The codes of each person of a folder's conditions and drugs.
fn codes(made: &Made, folder: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut of: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (table, column) in
        [("CONDITION_OCCURRENCE", "condition_concept_id"), ("DRUG_EXPOSURE", "drug_concept_id")]
    {
        let path = made.path(folder).join(format!("{table}.csv"));
        for row in if path.exists() { read(&path) } else { Vec::new() } {
            of.entry(row["person_id"].clone()).or_default().insert(format!("{table}:{}", row[column]));
        }
    }
    of
}

/// How many persons have each code.
fn persons(codes: &BTreeMap<String, BTreeSet<String>>) -> BTreeMap<&String, usize> {
    let mut persons = BTreeMap::new();
    codes.values().flatten().for_each(|code| *persons.entry(code).or_default() += 1);
    persons
}

#[test]
fn risk_of_an_original_counts_who_has_a_code_that_nobody_else_has() {
    let made = omop(150);
    let asked = recipe(&made, &public("\"year\""));
    let found = with_context(|context| risk_of_recipe(&asked, &made.path("recipe.toml"), context)).unwrap();
    let codes = codes(&made, "in");
    let counts = persons(&codes);
    let alone = codes.values().filter(|own| own.iter().any(|code| counts[code] == 1)).count();
    assert_eq!((found.persons, found.by_codes.len()), (150, 3));
    assert!((found.by_codes[&1].best - alone as f64 / 150.0).abs() < 1e-9, "{alone}: {found:?}");
    // Who knows more finds more.
    for m in 1..=3 {
        assert!(found.by_columns_and_codes[&m].best >= found.by_codes[&m].best);
        assert!(found.by_codes[&m].best >= found.by_codes[&m].random);
    }
    assert!(found.with_three_days > 0 && found.alone_by_gaps <= found.with_three_days);
}

#[test]
fn risk_of_a_release_is_what_it_promises() {
    let made = omop(400);
    made.run(&agreement(5, 2)).unwrap();
    let release = made.path("release");
    let manifest = load(&release).unwrap().unwrap();
    let found = with_context(|context| risk_of_release(&release, &manifest, context)).unwrap();
    assert!(found.least_class >= 5 && found.alone_by_columns == 0);
    assert_eq!([1, 2].map(|m| found.by_columns_and_codes[&m].best), [0.0, 0.0]);
    let measured = with_context(|context| figures(&release, &manifest, context)).unwrap();
    assert_eq!(
        (found.with_three_days, found.alone_by_gaps),
        (measured.with_three_days, measured.alone_by_gaps)
    );
    // Of persons who have a code, a share has another one: never more than all, nor less for who knows more.
    let rho = &measured.largest_rho;
    assert!(rho[&1] > 0.0 && rho[&1] <= rho[&2] && rho[&2] <= 1.0, "{rho:?}");
}

#[test]
fn the_estimate_is_what_the_method_keeps() {
    let made = omop(400);
    let text = public("\"year\"");
    let asked = recipe(&made, &text);
    let found = with_context(|context| estimate(&asked, &made.path("recipe.toml"), context)).unwrap();
    assert!(found.kept.iter().all(|kept| kept.by == EstimatedBy::Thin));
    let share = |m, in_classes| {
        let kept = found.kept.iter().find(|kept| (kept.m, kept.in_classes) == (m, in_classes)).unwrap();
        kept.share.unwrap()
    };
    for m in 1..=3 {
        assert!(share(m, true) <= share(m, false));
    }
    assert!(share(3, false) <= share(2, false) && share(2, false) <= share(1, false));
    let outcome = made.run(&text).unwrap();
    let [before, after] = outcome.survived.pairs;
    assert_eq!((before, found.persons), (found.pairs, outcome.survived.persons[0]));
    // The run also caps rows and drops what lies outside a window.
    assert!(share(1, true) + 1e-9 >= after as f64 / before as f64);
    assert!(share(1, true) <= after as f64 / before as f64 + 0.25);
}

#[test]
fn losses_are_counted_by_code() {
    let made = omop(400);
    let row = format!("1,{KEYS},777777,2014-01-05,,38000175,,,\n");
    made.change("CONDITION_OCCURRENCE.csv", |text| text + &row);
    made.run(&public("\"year\"")).unwrap();
    let (before, after) = (codes(&made, "in"), codes(&made, "release/data"));
    let (before, after) = (persons(&before), persons(&after));
    let losses = read(&made.path("release.custodian/losses.csv"));
    let mut seen = 0;
    for row in losses.iter().filter(|row| row["table"] != "procedure_occurrence") {
        let code = format!("{}:{}", row["table"].to_uppercase(), row["code"]);
        let Some(had) = before.get(&code) else { continue };
        assert_eq!(row["persons before"], had.to_string(), "{code}");
        assert_eq!(row["persons after"], after.get(&code).copied().unwrap_or(0).to_string(), "{code}");
        seen += 1;
    }
    assert_eq!(seen, before.len());
    let lost: Vec<_> = losses.iter().filter(|row| row["persons after"] == "0").collect();
    assert_eq!((lost.len(), lost[0]["code"].as_str()), (1, "777777"));
}

#[test]
fn the_page_says_who_is_alone_by_gaps() {
    let made = omop(400);
    made.run(&agreement(5, 1)).unwrap();
    let release = made.path("release");
    let manifest = load(&release).unwrap().unwrap();
    let found = with_context(|context| figures(&release, &manifest, context)).unwrap();
    let page = std::fs::read_to_string(release.join("report.html")).unwrap();
    assert!(found.alone_by_gaps > 1);
    let words = format!(
        "{} of {} persons with three different days or more are alone",
        found.alone_by_gaps, found.with_three_days
    );
    assert!(page.contains(&words), "{words}");
    // Another figure is no page of this release.
    std::fs::write(release.join("report.html"), page.replace(&words, "Nobody is alone")).unwrap();
    let findings = with_context(|context| velamen_patients::verify(&release, &manifest, context)).unwrap();
    let broken: Vec<&str> = findings
        .iter()
        .filter(|found| found.state == velamen_checker::State::Broken)
        .map(|found| found.promise.as_str())
        .collect();
    assert_eq!(broken, ["files", "documents"]);
}

#[test]
fn the_page_is_german_where_the_recipe_says_so() {
    let made = omop(400);
    made.run(&format!("{}[report]\nlanguage = \"de\"\n", agreement(5, 1))).unwrap();
    let release = made.path("release");
    let page = std::fs::read_to_string(release.join("report.html")).unwrap();
    for words in [
        "lang=\"de\"",
        "findet mindestens 5 Personen",
        "Eine Verschiebung macht nicht anonym",
        "wie im Manifest",
    ] {
        assert!(page.contains(words), "{words}");
    }
    for words in ["Someone who knows", "as in the manifest", "Keys are new;", "whoever knows"] {
        assert!(!page.contains(words), "{words}");
    }
    assert!(std::fs::read_to_string(release.join("README.md")).unwrap().contains("Someone who knows"));
    let manifest = load(&release).unwrap().unwrap();
    let findings = with_context(|context| velamen_patients::verify(&release, &manifest, context)).unwrap();
    assert!(findings.iter().all(|found| found.state != velamen_checker::State::Broken), "{findings:?}");
}
