//! Mechanisms with one fault each, which the audit has to find in what a run leaves.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use velamen_core::context::Silent;
use velamen_job::{Outcome, RunOptions};
use velamen_recipe::{Overrides, Recipe};

use super::neighbours::Oddity;
use super::*;

const RECIPE: &str = r#"
[input]
path = "patients.ndjson"
[attributes.age]
role = "quasi-identifier"
level = 1
hierarchy = { interval = [10], min = 0, max = 29 }
[attributes.disease]
role = "sensitive"
domain = ["A", "B", "C"]
[[privacy]]
model = "differential-privacy"
epsilon = 0.5
[method]
name = "contingency-table"
[output]
path = "release"
"#;

fn resolved(folder: &Path, text: &str) -> Resolved {
    let path = folder.join("recipe.toml");
    std::fs::write(&path, text).unwrap();
    Recipe::load(&path, &Overrides::default()).unwrap().resolve().unwrap()
}

/// The recipe's audit on the first ordinary pair with a mechanism in place of `anonymize`.
fn audited(mechanism: &Mechanism, at: usize) -> Audit {
    let folder = tempfile::tempdir().unwrap();
    let recipe = resolved(folder.path(), RECIPE);
    let pairs = [neighbours::made_up(&recipe, &[]).unwrap()[at].clone()];
    let options =
        AuditOptions { trials: 100, confidence: 0.95, from_data: 0, ordinary: false, inside: false };
    let cancel = AtomicBool::new(false);
    let context = Context { seed: &Seed::from_number(1), progress: &Silent, cancel: &cancel };
    audit_of(mechanism, &pairs, &recipe, &options, false, &context).unwrap()
}

fn table(recipe: &Resolved) -> String {
    let velamen_recipe::Origin::File(path) = &recipe.input else { panic!("tables are files") };
    std::fs::read_to_string(path).unwrap()
}

/// The pair that has a value more.
const RARE: usize = 1;

type Run = Result<Outcome, JobError>;

fn refuted(mechanism: &Mechanism, by: &str) {
    let audit = audited(mechanism, RARE);
    assert_eq!(audit.verdict, Verdict::Refuted, "{audit:?}");
    let found = audit.found.unwrap();
    assert!(found.judged.epsilon > 1.0, "{found:?}");
    assert!(found.event.contains(by), "{}", found.event);
}

#[test]
fn the_whole_run_as_it_is_holds() {
    let audit = audited(&anonymize, RARE);
    assert_eq!(audit.verdict, Verdict::NotRefuted, "{audit:?}");
}

#[test]
fn an_exit_code_that_follows_from_a_record_is_found() {
    let breaks = |recipe: &Resolved, options: &RunOptions, context: &Context<'_>| -> Run {
        if table(recipe).contains("\"C\"") {
            return Err(JobError::data("a record is not as it should be"));
        }
        anonymize(recipe, options, context)
    };
    refuted(&breaks, "runs without a release");
}

#[test]
fn a_warning_that_follows_from_a_record_is_found() {
    let warns = |recipe: &Resolved, options: &RunOptions, context: &Context<'_>| -> Run {
        let mut outcome = anonymize(recipe, options, context)?;
        if table(recipe).contains("\"C\"") {
            outcome.warnings.push("a value is rare".into());
        }
        Ok(outcome)
    };
    refuted(&warns, "lines of standard error (a value is rare)");
}

#[test]
fn a_figure_of_the_manifest_that_follows_from_a_record_is_found() {
    let tells = |recipe: &Resolved, options: &RunOptions, context: &Context<'_>| -> Run {
        let outcome = anonymize(recipe, options, context)?;
        let file = outcome.release.join("release.json");
        let mut manifest: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        manifest["utility"]["original-records"] = table(recipe).lines().count().into();
        std::fs::write(file, manifest.to_string()).unwrap();
        Ok(outcome)
    };
    refuted(&tells, "a figure of release.json, as a number (utility.original-records)");
}

#[test]
fn a_file_that_follows_from_a_record_is_found() {
    let leaves = |recipe: &Resolved, options: &RunOptions, context: &Context<'_>| -> Run {
        let outcome = anonymize(recipe, options, context)?;
        let known = if table(recipe).contains("\"C\"") { "A B C" } else { "A B" };
        std::fs::write(outcome.release.join("values.txt"), known).unwrap();
        Ok(outcome)
    };
    refuted(&leaves, "values.txt");
}

#[test]
fn ordinary_tables_lead_where_they_refute_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = resolved(folder.path(), RECIPE);
    let pairs = neighbours::made_up(&recipe, &[3]).unwrap();
    assert!(pairs[..3].iter().all(|pair| pair.ordinary && pair.records() == 41), "{pairs:?}");
    assert!(pairs[3..].iter().all(|pair| !pair.ordinary));
    let odd = neighbours::odd(&recipe).unwrap();
    assert!(odd.iter().any(|pair| pair.oddity == Oddity::Key), "the input is NDJSON");
    let [with, without] = odd.last().unwrap().files(&recipe).unwrap();
    assert!(with.starts_with(&without) && with.len() > without.len());
}

const INVENTED: &str = r#"
[input]
path = "patients.csv"
[attributes.age]
role = "quasi-identifier"
level = 1
hierarchy = { interval = [10], min = 0, max = 29 }
[attributes.disease]
role = "quasi-identifier"
domain = ["A", "B", "C"]
[attributes.sex]
role = "quasi-identifier"
domain = ["f", "m"]
[[privacy]]
model = "differential-privacy"
epsilon = 1
delta = 1e-6
[method]
name = "NAME"
[output]
path = "release"
"#;

/// The audit from inside of a method, with a mechanism in place of `anonymize`, on tables that users have.
fn replayed(mechanism: &Mechanism, method: &str, ordinary: bool) -> Result<Audit, JobError> {
    replayed_text(mechanism, &INVENTED.replace("NAME", method), ordinary)
}

/// The same of a recipe.
fn replayed_text(mechanism: &Mechanism, text: &str, ordinary: bool) -> Result<Audit, JobError> {
    let folder = tempfile::tempdir().unwrap();
    let recipe = resolved(folder.path(), text);
    let options = AuditOptions { trials: 0, confidence: 0.95, from_data: 0, ordinary, inside: true };
    let cancel = AtomicBool::new(false);
    let context = Context { seed: &Seed::from_number(2), progress: &Silent, cancel: &cancel };
    let pairs = pairs(mechanism, &recipe, &options, &context).unwrap();
    inside_of(mechanism, &pairs, &recipe, &options, &context)
}

#[test]
fn whole_runs_of_invented_records_show_nothing_past_the_door() {
    for method in ["mst", "aim"] {
        let audit = replayed(&anonymize, method, false).unwrap();
        assert_eq!(audit.verdict, Verdict::NotRefuted, "{audit:?}");
        let inside = audit.inside.unwrap();
        assert_eq!(inside.replays, 4 * audit.pairs);
        assert!(inside.queries > 4 * inside.replays, "{inside:?}");
    }
}

/// What a replay finds of a fault around the whole run.
fn replay_finds(mechanism: &Mechanism) -> String {
    let audit = replayed(mechanism, "mst", true).unwrap();
    assert_eq!(audit.verdict, Verdict::Refuted, "{audit:?}");
    audit.inside.unwrap().differences[0].what.clone()
}

#[test]
fn a_replay_finds_what_was_learnt_past_the_door() {
    let breaks = |recipe: &Resolved, options: &RunOptions, context: &Context<'_>| -> Run {
        if table(recipe).contains(",C,") {
            return Err(JobError::data("a record is not as it should be"));
        }
        anonymize(recipe, options, context)
    };
    assert!(replay_finds(&breaks).contains("not the same on both tables"));
    let warns = |recipe: &Resolved, options: &RunOptions, context: &Context<'_>| -> Run {
        let mut outcome = anonymize(recipe, options, context)?;
        if table(recipe).contains(",C,") {
            outcome.warnings.push("a value is rare".into());
        }
        Ok(outcome)
    };
    assert_eq!(replay_finds(&warns), "lines of standard error differ");
    let counts = |recipe: &Resolved, options: &RunOptions, context: &Context<'_>| -> Run {
        let outcome = anonymize(recipe, options, context)?;
        std::fs::write(outcome.release.join("notes.txt"), table(recipe).lines().count().to_string()).unwrap();
        Ok(outcome)
    };
    assert_eq!(replay_finds(&counts), "the file notes.txt of the release differs");
    let states = |recipe: &Resolved, options: &RunOptions, context: &Context<'_>| -> Run {
        let mut outcome = anonymize(recipe, options, context)?;
        let mut measured = outcome.manifest.method.measurements().unwrap();
        measured.tables.pop();
        let stated = serde_json::to_value(measured).unwrap();
        outcome.manifest.method = outcome.manifest.method.clone().own("measurements", stated);
        Ok(outcome)
    };
    assert_eq!(replay_finds(&states), "what the release states of its draws is not what passed the door");
}

/// A recipe of one of the methods that pay in (ε, δ).
fn noisy_recipe(method: &str, delta: &str) -> String {
    let disease = match method {
        "safe-pub" => {
            "role = \"quasi-identifier\"\nhierarchy = { rows = [[\"A\", \"*\"], [\"B\", \"*\"], [\"C\", \"*\"]] }"
        }
        _ => "role = \"sensitive\"\ndomain = [\"A\", \"B\", \"C\"]",
    };
    let own = match method {
        "dsat" => "time = \"age\"\nthreshold = 5.0",
        _ => "",
    };
    format!(
        r#"
[input]
path = "patients.csv"
[attributes.age]
role = "quasi-identifier"
level = 1
hierarchy = {{ interval = [10], min = 0, max = 29 }}
[attributes.disease]
{disease}
[[privacy]]
model = "differential-privacy"
epsilon = 2
delta = {delta}
[method]
name = "{method}"
{own}
[output]
path = "release"
"#
    )
}

const NOISY: [(&str, &str); 7] = [
    ("ipa", "0"),
    ("ipa", "0.01"),
    ("contingency-table", "0"),
    ("contingency-table", "0.01"),
    ("safe-pub", "0.05"),
    ("diffgen", "0"),
    ("dsat", "0"),
];

#[test]
fn whole_runs_of_noisy_counts_and_samples_show_nothing_past_the_door() {
    for (method, delta) in NOISY {
        let audit = replayed_text(&anonymize, &noisy_recipe(method, delta), false).unwrap();
        assert_eq!(audit.verdict, Verdict::NotRefuted, "{method}: {audit:?}");
        let inside = audit.inside.unwrap();
        assert!(inside.replays == 4 * audit.pairs && inside.queries >= inside.replays / 2, "{inside:?}");
    }
}

#[test]
fn a_replay_of_noisy_counts_finds_what_was_learnt_past_the_door() {
    let counts = |recipe: &Resolved, options: &RunOptions, context: &Context<'_>| -> Run {
        let outcome = anonymize(recipe, options, context)?;
        std::fs::write(outcome.release.join("notes.txt"), table(recipe).lines().count().to_string()).unwrap();
        Ok(outcome)
    };
    for (method, delta) in NOISY {
        let audit = replayed_text(&counts, &noisy_recipe(method, delta), true).unwrap();
        assert_eq!(audit.verdict, Verdict::Refuted, "{method}");
        assert_eq!(audit.inside.unwrap().differences[0].what, "the file notes.txt of the release differs");
    }
}

#[test]
fn a_method_without_a_door_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = resolved(
        folder.path(),
        &RECIPE
            .replace("differential-privacy\"\nepsilon = 0.5", "k-anonymity\"\nk = 3")
            .replace("contingency-table", "optimal"),
    );
    let cancel = AtomicBool::new(false);
    let context = Context { seed: &Seed::from_number(2), progress: &Silent, cancel: &cancel };
    let error = inside::inside(&anonymize, &[], &recipe, &context).unwrap_err().to_string();
    assert!(error.contains("passes no door") && error.contains("--inside"), "{error}");
}
