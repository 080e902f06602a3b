//! What everybody can see is judged, whatever a manifest calls itself, and what nobody can see is never called kept.

use serde_json::{Value, json};
use velamen_checker::{Finding, State};
use velamen_job::{Beside, verify_with};

use super::forged::{Forged, OPTIMAL};
use super::{context, run, written};

/// A release with counterfeits: each combination has 22 records or 23.
const CEILING: &str = "[[privacy]]\nmodel = \"k-anonymity\"\nk = 24\n[method]\nname = \"h-ceiling\"\nadversary-limit = 1\nh = 0.01\ncounterfeit-limit = 1\nseed = 7\n";

/// The findings with the custodian's folder or without.
fn findings(forged: &Forged, custodian: bool) -> Vec<Finding> {
    let custodian = custodian.then(|| forged.0.path().join("release.custodian"));
    let beside = Beside { custodian: custodian.as_deref(), ..Beside::default() };
    context(|context| verify_with(&forged.release(), &beside, context)).unwrap()
}

fn state(forged: &Forged, custodian: bool, promise: &str) -> Option<State> {
    let found = findings(forged, custodian);
    found.into_iter().find(|finding| finding.promise == promise).map(|finding| finding.state)
}

fn ceiling() -> Forged {
    let forged = Forged::of(CEILING, "");
    let manifest: Value = serde_json::from_str(&forged.read("release.json")).unwrap();
    assert!(manifest["counterfeits"].as_u64().unwrap() > 0 && manifest["adversary"]["auc-expected"].is_f64());
    forged
}

#[test]
fn what_rests_on_the_custodians_word_is_stated_and_checked_with_her_folder() {
    let forged = ceiling();
    for promise in ["least-real", "adversary"] {
        assert_eq!(state(&forged, false, promise), Some(State::Stated), "{promise}");
        assert_eq!(state(&forged, true, promise), Some(State::Held), "{promise}");
    }
    assert_eq!(state(&forged, false, "recorded"), None);
    assert_eq!(state(&forged, true, "recorded"), Some(State::Held));
    // Below what the custodian's folder shows, it is another statement all the same.
    forged.manifest(|manifest| manifest["method"]["least-real"] = json!(1));
    assert_eq!(state(&forged, true, "recorded"), Some(State::Broken));
    // No class has so many records, real or not.
    forged.manifest(|manifest| manifest["method"]["least-real"] = json!(500));
    assert_eq!(state(&forged, false, "least-real"), Some(State::Broken));
}

#[test]
fn the_largest_padded_class_follows_from_the_method() {
    for other in [json!(24), json!(29), json!(31), json!(4000), Value::Null] {
        let forged = ceiling();
        forged.manifest(|manifest| {
            let stated = std::mem::replace(&mut manifest["method"]["largest-padded-class"], other.clone());
            assert_eq!(stated, 30, "k records, and six more at most");
        });
        forged.is_broken("manifest");
    }
    let forged = ceiling();
    forged.manifest(|manifest| {
        manifest["method"].as_object_mut().unwrap().shift_remove("largest-padded-class").unwrap();
    });
    forged.is_broken("manifest");
}

#[test]
fn the_area_is_compared_to_its_last_digit() {
    for off in [-0.1, -0.004, 0.002] {
        let forged = ceiling();
        forged.manifest(|manifest| {
            let area = manifest["adversary"]["auc-expected"].as_f64().unwrap();
            manifest["adversary"]["auc-expected"] = json!(((area + off) * 1000.0).round() / 1000.0);
        });
        forged.is_broken("adversary");
    }
}

#[test]
fn counterfeits_are_only_where_some_can_be() {
    let forged = ceiling();
    let list = "release.custodian/counterfeits.csv";
    let path = forged.0.path().join(list);
    let text = std::fs::read_to_string(&path).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let (first, others) = rows.split_once('\n').unwrap();
    let moved = first.split_once(',').unwrap().1;
    std::fs::write(&path, format!("{header}\n999,{moved}\n{others}")).unwrap();
    let found = findings(&forged, true);
    let placed = found.iter().find(|finding| finding.promise == "placed-counterfeits").unwrap();
    assert_eq!(placed.state, State::Broken);
    assert!(placed.reached["where-none-can-be"].as_u64().unwrap() > 0, "{:?}", placed.reached);
}

#[test]
fn what_runs_is_broken_whatever_version_is_claimed() {
    for (name, from, to) in [
        ("report.html", "</body>", "<script>x()</script></body>"),
        ("README.md", "#", "<script>x()</script>\n#"),
        ("codebook.csv", "column,", "=1+1,"),
        ("catalog.csv", "Count\n", "Count\n1 2,@SUM(1),1\n"),
    ] {
        let forged = ceiling();
        forged.alter(name, |text| text.replacen(from, to, 1));
        forged.manifest(|manifest| manifest["velamen"] = json!("99.0.0"));
        assert_eq!(forged.code(), 3, "{name}: {}", forged.broken());
    }
    let forged = Forged::of(OPTIMAL, "");
    forged.alter("data.csv", |text| text.replacen(",A\n", ",=A\n", 1));
    forged.manifest(|manifest| manifest["velamen"] = json!("99.0.0"));
    forged.is_broken("data");
    // And in a form that is no longer written.
    forged.manifest(|manifest| manifest["format"] = json!(2));
    forged.is_broken("data");
}

/// Formulas that the recipe keeps are stated, and nothing else calls them kept.
#[test]
fn formulas_are_kept_by_name_alone() {
    let forged = Forged::of(OPTIMAL, "formulas = \"keep\"\n");
    assert_eq!(forged.code(), 0, "no cell is one: {}", forged.broken());
    let folder = forged.0.path();
    std::fs::write(folder.join("patients.csv"), super::patients().replace(",A\n", ",=A\n")).unwrap();
    let who = "[attributes.who]\nrole = \"identifier\"\n";
    let output = "[output]\npath = \"kept\"\nformulas = \"keep\"\n";
    run(folder, "kept", &format!("{}{OPTIMAL}{who}{output}", super::TABLE)).unwrap();
    let release = folder.join("kept");
    let states = || {
        let found = context(|context| velamen_job::verify(&release, None, context)).unwrap();
        let of = |name: &str| found.iter().find(|finding| finding.promise == name).cloned().unwrap();
        (of("data").state, of("parameters").asked["formulas-kept"].clone())
    };
    assert_eq!(states(), (State::Held, json!(true)));
    let path = release.join("release.json");
    let mut manifest: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    manifest["data"].as_object_mut().unwrap().shift_remove("formulas-kept").unwrap();
    std::fs::write(&path, written(&manifest)).unwrap();
    assert_eq!(states(), (State::Broken, Value::Null));
}

#[test]
fn a_proof_is_stated_either_way() {
    for method in ["optimal", "exhaustive", "suppression", "relocation"] {
        let forged = Forged::of(
            &format!("[[privacy]]\nmodel = \"k-anonymity\"\nk = 4\n[method]\nname = \"{method}\"\n"),
            "",
        );
        forged.manifest(|manifest| {
            let proven = manifest["method"].as_object_mut().unwrap().shift_remove("proven");
            assert_eq!(proven, Some(json!(true)), "{method}");
        });
        forged.is_broken("manifest");
    }
    let local = Forged::of(&format!("{OPTIMAL}local-recoding = true\n"), "");
    assert_eq!(local.code(), 0, "{}", local.broken());
}

#[test]
fn a_manifest_has_one_form() {
    let forged = Forged::new();
    let text = forged.read("release.json");
    let manifest: Value = serde_json::from_str(&text).unwrap();
    let mut turned = manifest.clone();
    let records = turned.as_object_mut().unwrap().shift_remove("records").unwrap();
    turned["records"] = records;
    for other in [
        text.clone() + "\n",
        text.trim_end().to_owned(),
        format!("\u{20}{text}"),
        text.replacen("  ", "\t", 1),
        text.replace('\n', "\r\n"),
        text.replacen("\"records\"", "\"r\\u0065cords\"", 1),
        manifest.to_string(),
        written(&turned),
    ] {
        assert_ne!(other, text);
        forged.write("release.json", &other);
        forged.is_broken("manifest-form");
    }
    forged.write("release.json", &text);
    assert_eq!(forged.code(), 0, "{}", forged.broken());
}

#[test]
fn the_lists_of_a_catalog_ascend() {
    let forged = ceiling();
    let text = forged.read("catalog.csv");
    let list = text.lines().nth(1).unwrap().split(',').next().unwrap();
    let mut ids: Vec<&str> = list.split(' ').collect();
    ids.swap(0, 1);
    forged.write("catalog.csv", text.replacen(list, &ids.join(" "), 1));
    forged.is_broken("data");
}
