//! The promise that a method, a metric, a format, an operation, a command and a page of the studio are one file each, a kind
//! of hierarchies two and a model three, with their checks. A program adds a toy of each and runs them: methods and their like
//! from recipe to verified release. Nothing else knows of them.

mod check;
mod command;
mod format;
mod fronts;
mod kind;
mod kind_check;
mod method;
mod metric;
mod model;
mod operation;
mod page;
#[allow(clippy::unwrap_used, reason = "tests fail by panics")]
#[path = "../../../crates/studio/tests/common/mod.rs"]
mod studio;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use velamen_checker::{CHECKS, Finding, KIND_CHECKS, State};
use velamen_core::context::Context;
use velamen_core::hierarchy::KINDS;
use velamen_engine::format::FORMATS;
use velamen_job::{Outcome, RunOptions, anonymize, verify};
use velamen_recipe::{JobError, Overrides, Recipe};
use velamen_testsuite::with_context;

/// Stays in wards of two hospitals; two stays at a third.
const TABLE: &str = "sex,ward,disease\n\
    f,A1,flu\nm,A1,flu\nf,A2,gout\nm,A2,gout\nf,B1,flu\nm,B1,gout\nf,B2,flu\nm,B2,gout\n\
    f,C1,flu\nm,C1,flu\n";

/// A search that was there, with a metric, a model, a kind of hierarchies and a format that were not.
const SEARCH: &str = r#"
    [input]
    path = "stays.csv"
    [attributes.sex]
    role = "quasi-identifier"
    hierarchy = { rows = [["f", "*"], ["m", "*"]] }
    [attributes.ward]
    role = "quasi-identifier"
    hierarchy = { toy = "ABC" }
    max-level = 1
    [attributes.disease]
    role = "sensitive"
    [[privacy]]
    model = "toy"
    least = 2
    [method]
    name = "optimal"
    metric = "toy"
    [output]
    path = "first"
    format = "toy"
"#;

/// The first release as the input of a method that was not there.
const METHOD: &str = r#"
    [input]
    path = "first/data.toy"
    [attributes.ClassID]
    role = "identifier"
    [attributes.sex]
    role = "insensitive"
    [attributes.ward]
    role = "quasi-identifier"
    hierarchy = { rows = [["A", "*"], ["B", "*"], ["C", "*"]] }
    max-level = 0
    [attributes.disease]
    role = "sensitive"
    [[privacy]]
    model = "toy"
    least = 2
    [method]
    name = "toy"
    smallest = 3
    [output]
    path = "second"
    format = "toy"
"#;

fn add() {
    // Tests of one process share the registries.
    let _ = velamen_search::method::REGISTRY.add(&method::ENTRY);
    let _ = velamen_search::method::TERMS.add(&method::TERMS);
    let _ = velamen_search::metric::REGISTRY.add(&metric::ENTRY);
    let _ = CHECKS.add(&check::ENTRY);
    let _ = velamen_contract::model::REGISTRY.add(&model::TERMS);
    let _ = velamen_search::model::REGISTRY.add(&model::ENTRY);
    let _ = FORMATS.add(&format::ENTRY);
    let _ = KINDS.add(&kind::KIND);
    let _ = KIND_CHECKS.add(&kind_check::ENTRY);
    let _ = velamen_studio::PAGES.add(&page::PAGE);
}

fn run(recipe: &str, folder: &Path, context: &Context<'_>) -> Result<Outcome, JobError> {
    let path = folder.join("recipe.toml");
    std::fs::write(&path, recipe).expect("a temporary file can be written");
    let resolved = Recipe::load(&path, &Overrides::default())?.resolve()?;
    anonymize(&resolved, &RunOptions::default(), context)
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    std::fs::write(folder.path().join("stays.csv"), TABLE).expect("a temporary file can be written");
    folder
}

fn text(path: PathBuf) -> String {
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What is known of the toy model's promise.
fn promise(findings: &[Finding]) -> (State, &Value) {
    let finding = findings.iter().find(|finding| finding.promise == "toy").expect("the toy model's finding");
    (finding.state, &finding.reached)
}

#[test]
fn toys_run_from_recipe_to_verified_release() {
    add();
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    with_context(7, |context| {
        let first = run(SEARCH, folder.path(), context).expect("the first release");
        // One sex of a hospital has values once: no cell stays as it was.
        assert_eq!(first.manifest.utility["toy"]["by-attribute"], json!({ "sex": 1.0, "ward": 1.0 }));
        assert_eq!(promise(&first.findings), (State::Held, &json!({ "least": 2 })));
        assert!(text(path("first/data.toy")).starts_with("#toy\nClassID|sex|ward|disease\n"));

        let second = run(METHOD, folder.path(), context).expect("the second release");
        assert_eq!(promise(&second.findings), (State::Held, &json!({ "least": 2 })));
        assert_eq!(
            (second.manifest.method.entries()["smallest"].as_u64(), second.manifest.suppressed),
            (Some(3), 2)
        );
        let report = text(path("second/report.html"));
        let codebook = text(path("first/codebook.csv"));
        assert!(codebook.contains("the hospital"), "{codebook}");
        for words in ["as coarse as it may be", "No value that few of a group have", metric::ENTRY.words] {
            assert!(report.contains(words), "{words}");
        }

        let verified = |name: &str| verify(&path(name), None, context).expect("a readable release");
        assert_eq!(promise(&verified("second")).0, State::Held);
        let released = text(path("second/data.toy"));
        let forged = released.replacen("|flu\n", "|gout\n", 1);
        std::fs::write(path("second/data.toy"), forged).expect("a file can be written again");
        assert_eq!(promise(&verified("second")), (State::Broken, &json!({ "least": 1 })));
    });
}

#[test]
fn what_a_recipe_says_of_toys_is_read_and_described_as_of_others() {
    add();
    let schema = Recipe::schema();
    let entry = |section: &Value| {
        let all = section["oneOf"].as_array().expect("a schema by name").clone();
        all.into_iter().find(|one| one["title"] == "toy").expect("the toy's schema")
    };
    let of_method = entry(&schema["properties"]["method"]);
    let described = |schema: &Value, key: &str| schema["properties"][key]["description"].clone();
    assert_eq!(described(&of_method, "smallest"), "Classes of fewer records are suppressed.");
    let of_model = entry(&schema["$defs"]["PrivacySection"]);
    assert!(described(&of_model, "least").as_str().is_some_and(|text| text.starts_with("The least number")));

    let folder = folder();
    let refused = |from: &str, to: &str| {
        let error = with_context(7, |context| run(&SEARCH.replace(from, to), folder.path(), context));
        error.expect_err("a wrong recipe").to_string()
    };
    let toy = "name = \"toy\"\n    smalest = 3";
    let unknown = refused("name = \"optimal\"\n    metric = \"toy\"", toy);
    assert!(
        unknown
            .contains("unknown field `smalest`; expected a key of toy: smallest; did you mean `smallest`?"),
        "{unknown}"
    );
    let foreign = refused("name = \"optimal\"", "name = \"toy\"");
    assert!(foreign.contains("expected a key of toy: smallest"), "{foreign}");
    let wrong = refused("name = \"optimal\"\n    metric = \"toy\"", "name = \"toy\"\n    smallest = 0");
    assert!(wrong.contains("smallest must be above 0"), "{wrong}");
    let foreign = refused("toy = \"ABC\"", "toy = \"AB\"");
    assert!(foreign.contains("a ward such as A1, of one of the hospitals AB"), "{foreign}");
    let beside = refused("toy = \"ABC\"", "toy = \"ABC\", min = 0");
    assert!(beside.contains("`min` does not go with `toy`"), "{beside}");
    let near = refused("metric = \"toy\"", "metric = \"toi\"");
    assert!(near.contains("did you mean `toy`?"), "{near}");
    let near = refused("least = 2", "leest = 2");
    assert!(near.contains("privacy 1") && near.contains("`least`"), "{near}");
}

#[test]
fn a_forged_label_of_a_toy_kind_is_found() {
    add();
    let folder = folder();
    with_context(7, |context| {
        run(SEARCH, folder.path(), context).expect("a release");
        let (release, data) = (folder.path().join("first"), folder.path().join("first/data.toy"));
        let forged = text(data.clone()).replace("|A|", "|Z|");
        std::fs::write(data, forged).expect("a file can be written again");
        let findings = verify(&release, None, context).expect("a readable release");
        assert!(findings.iter().any(|finding| finding.state == State::Broken), "{findings:?}");
    });
}

/// The tables' columns are sex, ward and disease.
const REMOVED: &str = "attribute=ward";

#[test]
fn a_toy_page_stands_among_the_steps_of_a_running_studio() {
    add();
    let folder = folder();
    let studio = studio::Running::on(Some(folder.path()));
    let client = studio.entered();
    assert!(client.get("toy").0.contains("Nothing is open yet"));
    client.post("open/file", "file=stays.csv");
    client.until("toy", "Take out ward");

    let page = client.get("toy?attribute=ward").0;
    assert!(
        page.contains("<title>Toy · Velamen studio</title>") && page.contains("ward, as asked"),
        "{page}"
    );
    assert!(page.contains("<a href=\"toy\" aria-current=\"page\">Toy</a>"), "{page}");
    assert!(page.contains("Next: Hierarchies"), "{page}");
    assert!(client.get("attributes").0.contains("Next: Toy"));

    let changed = client.post("toy/remove", REMOVED);
    assert!(!changed.recipe().contains("[attributes.ward]") && changed.recipe().contains("[attributes.sex]"));
    assert!(client.post("toy/remove", "").0.contains("Name an attribute"));
    let undone = client.post("undo", "page=toy&attribute=ward");
    assert!(undone.recipe().contains("[attributes.ward]") && undone.0.contains("ward, as asked"));
}

#[test]
fn nobody_else_gets_a_toy_page() {
    add();
    let folder = folder();
    let studio = studio::Running::on(Some(folder.path()));
    let client = studio.entered();
    client.post("open/file", "file=stays.csv");
    let before = client.until("toy", "Take out ward");
    for (name, value) in [("cache-control", "no-store"), ("x-frame-options", "DENY")] {
        assert_eq!(before.header(name), Some(value));
    }
    assert!(
        before.header("content-security-policy").is_some_and(|policy| policy.contains("default-src 'none'"))
    );

    let (host, cookie) = (("Host", &*client.host), ("Cookie", &*client.cookie));
    let (get, post) = (format!("GET {}/toy", client.base), format!("POST {}/toy/remove", client.base));
    let own = format!("http://{}", client.host);
    for (what, first, headers) in [
        ("no cookie", &get, vec![host]),
        ("another host", &get, vec![("Host", "evil.test"), cookie]),
        ("another site", &get, vec![host, cookie, ("Sec-Fetch-Site", "cross-site")]),
        ("a change without our header", &post, vec![host, cookie, ("Origin", &own)]),
        (
            "a change from another origin",
            &post,
            vec![host, cookie, ("Origin", "http://evil.test"), ("X-Velamen-Studio", "1")],
        ),
    ] {
        assert_eq!(studio.ask(first, &headers, REMOVED).status(), 403, "{what}");
    }
    assert_eq!(client.get("toy/remove").status(), 405, "a link changes nothing");
    assert_eq!(client.get("toy").recipe(), before.recipe());
}

#[test]
fn every_model_has_a_check() {
    add();
    for entry in velamen_search::model::REGISTRY.iter() {
        let name = entry.terms.name;
        assert!(
            CHECKS.find(name).is_some(),
            "{name} has no check: a file and a line in velamen-checker's CHECKS"
        );
    }
}
