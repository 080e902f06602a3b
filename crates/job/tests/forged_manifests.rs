//! Manifests of real releases with values, types and lengths changed one at a time: whatever a manifest states,
//! `verify` answers, and what it states falsely about the released file is not taken for true.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests fail by panics")]

#[path = "forged_manifests/earlier.rs"]
mod earlier;
#[path = "forged_manifests/forged.rs"]
mod forged;
#[path = "forged_manifests/forger.rs"]
mod forger;
#[path = "forged_manifests/seen.rs"]
mod seen;
#[path = "forged_manifests/targeted.rs"]
mod targeted;
#[path = "forged_manifests/unsaid.rs"]
mod unsaid;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde_json::{Value, json};
use velamen_checker::State;
use velamen_core::context::{Context, Silent};
use velamen_dp::Seed;
use velamen_job::{RunOptions, anonymize, verify};
use velamen_recipe::{Overrides, Recipe};

const TABLE: &str = r#"
[input]
path = "patients.csv"
[attributes.age]
role = "quasi-identifier"
hierarchy = { interval = [5, 10, 50], min = 0, max = 99 }
[attributes.sex]
role = "quasi-identifier"
hierarchy = { rows = [["f", "*"], ["m", "*"]] }
[attributes.disease]
role = "sensitive"
"#;

/// Name, what comes before the table's part of the recipe, and what comes after it.
const RELEASES: [(&str, &str, &str); 6] = [
    (
        "optimal",
        "preset = \"omop-5\"",
        "hierarchy = { rows = [[\"A\", \"I\", \"*\"], [\"B\", \"I\", \"*\"], [\"C\", \"J\", \"*\"], [\"D\", \"J\", \"*\"]] }
         [[privacy]]
         model = \"recursive-cl-diversity\"
         c = 4
         l = 2
         [[privacy]]
         model = \"t-closeness\"
         t = 0.9
         distance = \"ordered\"
         order = \"hierarchy\"
         [[privacy]]
         model = \"t-closeness\"
         t = 0.9
         distance = \"hierarchical\"
         [method]
         name = \"optimal\"
         suppression-limit = 0.1",
    ),
    (
        "h-ceiling",
        "",
        "[[privacy]]\nmodel = \"k-anonymity\"\nk = 9\n[method]\nname = \"h-ceiling\"\nadversary-limit = 1\nh = 0.3\nseed = 7",
    ),
    ("mondrian", "", "[[privacy]]\nmodel = \"k-anonymity\"\nk = 5\n[method]\nname = \"mondrian\""),
    (
        "ipa",
        "",
        "domain = [\"A\", \"B\", \"C\", \"D\"]\n[[privacy]]\nmodel = \"differential-privacy\"\nepsilon = 3\n[method]\nname = \"ipa\"\nseed = 4",
    ),
    (
        "safe-pub",
        "",
        "[[privacy]]\nmodel = \"differential-privacy\"\nepsilon = 3\ndelta = 1e-3\n[method]\nname = \"safe-pub\"\nseed = 4",
    ),
    ("persons", "[attributes.who]\nrole = \"person\"", "[[privacy]]\nmodel = \"k-anonymity\"\nk = 3\n[method]\nname = \"optimal\""),
];

fn patients() -> String {
    let mut text = String::from("who,age,sex,disease\n");
    for i in 0..900u32 {
        let (age, sex) = (20 + i * 7 % 40, ["f", "m"][(i / 4) as usize % 2]);
        text += &format!("{},{age},{sex},{}\n", i / 2, ["A", "A", "B", "C", "D"][(i * i) as usize % 5]);
    }
    text
}

fn context<T>(run: impl FnOnce(&Context<'_>) -> T) -> T {
    let seed = Seed::from_number(4);
    run(&Context { seed: &seed, progress: &Silent, cancel: &AtomicBool::new(false) })
}

/// The manifest of a release that was made in a folder.
fn released(folder: &Path, (name, before, after): (&str, &str, &str)) -> Value {
    std::fs::write(folder.join("patients.csv"), patients()).unwrap();
    let who = if before.contains("who") { "" } else { "[attributes.who]\nrole = \"identifier\"" };
    // Neither key of the top level may come after a table, nor a table before one.
    let (keys, tables) = if before.starts_with('[') { ("", before) } else { (before, "") };
    let disease =
        if name == "safe-pub" { TABLE.replace("sensitive", "identifier") } else { TABLE.to_owned() };
    let text = format!("{keys}\n{disease}{after}\n{tables}\n{who}\n[output]\npath = \"{name}\"\n");
    run(folder, name, &text).unwrap();
    let text = std::fs::read(folder.join(name).join("release.json")).unwrap();
    serde_json::from_slice(&text).unwrap()
}

/// Runs a recipe in a folder; `None`, with a word, if it is refused.
fn run(folder: &Path, name: &str, text: &str) -> Option<()> {
    let path = folder.join(format!("{name}.toml"));
    std::fs::write(&path, text).unwrap();
    let recipe = Recipe::load(&path, &Overrides::default()).and_then(|recipe| recipe.resolve());
    let made =
        recipe.and_then(|recipe| context(|context| anonymize(&recipe, &RunOptions::default(), context)));
    made.map_err(|error| eprintln!("{name}: {error}")).ok().map(drop)
}

/// Every place in a value, as a JSON pointer.
fn places(value: &Value, at: String, all: &mut Vec<String>) {
    all.push(at.clone());
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                places(inner, format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), all);
            }
        }
        // One entry of a list stands for the others, the last for where it ends.
        Value::Array(list) => {
            for index in [0, list.len().saturating_sub(1)].into_iter().take(list.len().min(2)) {
                places(&list[index], format!("{at}/{index}"), all);
            }
        }
        _ => {}
    }
}

/// Other values for a place: of its type and of others, too small, too large, too short and too long.
fn others(value: &Value) -> Vec<Value> {
    let mut others = vec![
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(-1),
        json!(255),
        json!(256),
        json!(u64::MAX),
        json!(-0.5),
        json!(0.1),
        json!(1e300),
        json!(""),
        json!("x"),
        json!("-"),
        json!("["),
        json!([]),
        json!([[]]),
        json!([[[]], 0]),
        json!({}),
        json!({ "rows": [] }),
        json!({ "rows": [[]] }),
    ];
    match value {
        Value::Array(list) => {
            let cut = list.split_last().map(|(_, rest)| rest.to_vec());
            others.extend(cut.map(Value::from));
            others.push([list.clone(), list.clone()].concat().into());
            others.extend(list.first().map(|first| vec![first.clone(); 300].into()));
        }
        Value::Object(map) => {
            for key in map.keys() {
                let mut without = map.clone();
                without.remove(key);
                others.push(without.into());
            }
        }
        Value::Number(number) => {
            others.extend(number.as_u64().map(|number| json!(number.wrapping_add(1))));
            others.extend(number.as_f64().map(|number| json!(number * 0.9)));
        }
        Value::String(text) => others.extend([json!(format!("{text}{text}")), json!(format!("-{text}"))]),
        _ => {}
    }
    others.retain(|other| other != value);
    others
}

/// Whether a place states something that the released file shows: another value there is false.
fn is_shown(place: &str, stated: &Value) -> bool {
    let counted = ["/records", "/classes", "/suppressed", "/counterfeits"].contains(&place);
    let reached = place.starts_with("/privacy/") && place.contains("/reached");
    let utility =
        ["/utility/lm", "/utility/loss", "/utility/rce", "/utility/discernibility", "/utility/height"];
    let of = |figure: &str| {
        place.strip_prefix(figure).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let figure = utility.iter().any(|figure| of(figure));
    let level = place.starts_with("/node/") || place.ends_with("/level") || place.ends_with("/levels");
    let method = ["epsilon", "delta", "h"].map(|key| format!("/method/{key}"));
    let budget = method.iter().any(|key| key == place) || place.starts_with("/method/expected-");
    (counted || reached || figure || level || budget) && !stated.is_null()
}

/// Whether a value says something: what is left out or null says nothing.
fn says_otherwise(stated: &Value, other: &Value) -> bool {
    match (stated.as_f64(), other.as_f64()) {
        (Some(stated), Some(other)) => (stated - other).abs() > 1e-6,
        _ => stated.is_number() && !other.is_null(),
    }
}

/// A manifest's bytes as a release has them.
fn written(manifest: &Value) -> String {
    serde_json::to_string_pretty(manifest).unwrap() + "\n"
}

/// `None` for a panic, else whether the release is taken for right.
fn is_accepted(folder: &Path, manifest: &Value) -> Option<bool> {
    std::fs::write(folder.join("release.json"), written(manifest)).unwrap();
    let verified = || context(|context| verify(folder, None, context));
    match catch_unwind(AssertUnwindSafe(verified)) {
        Err(_) => None,
        Ok(Err(_)) => Some(false),
        Ok(Ok(findings)) => Some(findings.iter().all(|f| f.state == State::Held || f.state == State::Stated)),
    }
}

/// One in so many of the other values is tried, at every place; all of them in `cargo xtask nightly`.
fn share() -> usize {
    if std::env::var_os("VELAMEN_NIGHTLY").is_some() { 1 } else { 16 }
}

#[test]
fn no_manifest_ends_the_check_and_no_false_one_passes() {
    let (mut tried, mut shown, mut wrong) = (0, 0, Vec::new());
    let mut dice = forger::Dice(20_261_125);
    for release in RELEASES {
        let folder = tempfile::tempdir().unwrap();
        let manifest = released(folder.path(), release);
        let release_folder = folder.path().join(release.0);
        let verified = context(|context| verify(&release_folder, None, context)).unwrap();
        let broken: Vec<_> = verified.iter().filter(|f| f.state == State::Broken).collect();
        assert_eq!(
            is_accepted(&release_folder, &manifest),
            Some(true),
            "{} as it was made: {broken:?}",
            release.0
        );
        let mut all = Vec::new();
        places(&manifest, String::new(), &mut all);
        for place in all {
            let stated = manifest.pointer(&place).unwrap();
            for other in others(stated) {
                if dice.below(share()) > 0 {
                    continue;
                }
                let mut forged = manifest.clone();
                *forged.pointer_mut(&place).unwrap() = other.clone();
                let accepted = is_accepted(&release_folder, &forged);
                let lies = is_shown(&place, stated) && says_otherwise(stated, &other);
                (tried, shown) = (tried + 1, shown + usize::from(lies));
                if accepted.is_none() || (lies && accepted == Some(true)) {
                    wrong.push(format!("{}{place} = {other}: {accepted:?}", release.0));
                }
            }
        }
    }
    let enough = tried * share() > 4000 && shown * share() > 500;
    assert!(enough, "{tried} forged manifests, {shown} of them false");
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
}

/// A pipe has no writer and a device no end: whoever opens one of a release's files as such waits for ever.
#[cfg(unix)]
#[test]
fn links_pipes_and_devices_in_a_release_are_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    released(folder.path(), RELEASES[2]);
    let release = folder.path().join(RELEASES[2].0);
    let refused = |what: &str, said: velamen_recipe::JobError| {
        assert!(
            said.exit_code() == 4 && said.to_string().contains("link, a pipe or a device"),
            "{what}: {said}"
        );
    };
    for name in ["data.csv", "release.json", "README.md", "foreign.pdf"] {
        let (place, aside) = (release.join(name), folder.path().join("aside"));
        let was_there = std::fs::rename(&place, &aside).is_ok();
        for target in ["/dev/zero", "/dev/stdin", "../patients.csv", "nowhere"] {
            std::os::unix::fs::symlink(target, &place).unwrap();
            refused(target, context(|context| verify(&release, None, context)).unwrap_err());
            std::fs::remove_file(&place).unwrap();
        }
        assert!(std::process::Command::new("mkfifo").arg(&place).status().unwrap().success());
        refused("a pipe", context(|context| verify(&release, None, context)).unwrap_err());
        let read =
            context(|context| velamen_job::published::Published::load(&release, None, context).map(drop));
        refused("a pipe", read.unwrap_err());
        std::fs::remove_file(&place).unwrap();
        if was_there {
            std::fs::rename(&aside, &place).unwrap();
        }
    }
    assert!(context(|context| verify(&release, None, context)).is_ok());
}

/// A hierarchy of a few kilobytes that unpacks to gigabytes is not unpacked.
#[test]
fn a_hierarchy_that_unpacks_to_too_much_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut manifest = released(folder.path(), RELEASES[2]);
    let release = folder.path().join(RELEASES[2].0);
    let sum = "0".repeat(64);
    std::fs::write(release.join("hierarchy-1.json.gz"), "x").unwrap();
    manifest["attributes"]["age"]["hierarchy"] =
        json!({ "file": "hierarchy-1.json.gz", "sha256": sum, "bytes": 300u64 << 20 });
    std::fs::write(release.join("release.json"), manifest.to_string()).unwrap();
    let said = context(|context| verify(&release, None, context)).unwrap_err();
    assert!(said.exit_code() == 4 && said.to_string().contains("at most 268435456"), "{said}");
}
