//! `verify` finds what was altered after certification.

use crate::common::{Folder, H_CEILING, OPTIMAL, written};

/// A release with counterfeits.
fn released() -> Folder {
    let folder = Folder::with(H_CEILING);
    folder.ok(&["anonymize", "recipe.toml", "--set", "privacy.0.k=25", "--set", "method.h=0.3"]);
    assert!(folder.json("release/release.json")["counterfeits"].as_u64().unwrap() > 0);
    folder.ok(&["verify", "release"]);
    folder
}

/// Alters a file of the release; `verify` must say 3 and name the broken promises.
fn found(file: &str, alter: impl Fn(&str) -> String, promises: &[&str]) {
    let folder = released();
    let before = folder.read(file);
    let after = alter(&before);
    assert_ne!(before, after, "nothing was altered");
    folder.write(file, after);
    let run = folder.run(&["verify", "release"]);
    assert_eq!(run.code, 3, "{}{}", run.out, run.err);
    assert!(run.err.contains("does not keep"), "{}", run.err);
    for promise in promises {
        assert!(run.err.contains(promise), "no {promise}: {}", run.err);
        let line = format!("BROKEN       {promise} ");
        assert!(run.out.lines().any(|l| l.starts_with(&line)), "{}", run.out);
    }
}

const DATA: &str = "release/data.csv";
const CATALOG: &str = "release/catalog.csv";
const MANIFEST: &str = "release/release.json";

fn last_line_replaced(text: &str, with: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[..lines.len() - 1].join("\n") + "\n" + with
}

#[test]
fn a_changed_quasi_identifier() {
    found(DATA, |text| text.replacen(",F,", ",M,", 1), &["class-ids"]);
}

#[test]
fn a_dropped_record() {
    found(DATA, |text| last_line_replaced(text, ""), &["records"]);
}

#[test]
fn an_added_record() {
    found(DATA, |text| text.to_owned() + text.lines().last().unwrap() + "\n", &["records"]);
}

#[test]
fn a_record_moved_to_a_class_of_its_own() {
    found(DATA, |text| last_line_replaced(text, "99,[0-19],F,I63\n"), &["k-anonymity", "classes"]);
}

#[test]
fn a_suppressed_record_that_shows_something() {
    found(DATA, |text| last_line_replaced(text, ",*,F,I63\n"), &["suppressed-records", "suppressed"]);
}

#[test]
fn an_altered_catalog() {
    let one_more = |text: &str| {
        let (rest, count) = text.trim_end().rsplit_once(',').unwrap();
        format!("{rest},{}\n", count.parse::<u64>().unwrap() + 1)
    };
    found(CATALOG, one_more, &["counterfeits"]);
    found(CATALOG, |text| text.lines().next().unwrap().to_owned() + "\n", &["counterfeits"]);
    let impossible = |text: &str| {
        let (rest, _) = text.trim_end().rsplit_once(',').unwrap();
        format!("{rest},1000\n")
    };
    found(CATALOG, impossible, &["catalog", "counterfeits"]);
    let one_class = |text: &str| {
        let row = text.lines().nth(1).unwrap();
        let (_, after) = row.split_once(',').unwrap();
        format!("{}\n1,{after}\n", text.lines().next().unwrap())
    };
    found(CATALOG, one_class, &["catalog"]);
}

#[test]
fn altered_counts_in_the_manifest() {
    for count in ["records", "counterfeits", "classes", "suppressed"] {
        let alter = |text: &str| {
            let mut manifest: serde_json::Value = serde_json::from_str(text).unwrap();
            manifest[count] = (manifest[count].as_u64().unwrap() + 1).into();
            written(&manifest)
        };
        found(MANIFEST, alter, &[count]);
    }
}

#[test]
fn promises_that_are_not_kept() {
    let privacy = |position: usize, name: &'static str, asked: serde_json::Value| {
        move |text: &str| {
            let mut manifest: serde_json::Value = serde_json::from_str(text).unwrap();
            assert_eq!(manifest["privacy"][position]["model"], name);
            manifest["privacy"][position]["asked"] = asked.clone();
            written(&manifest)
        }
    };
    found(MANIFEST, privacy(0, "k-anonymity", serde_json::json!({ "k": 90 })), &["k-anonymity"]);
    found(MANIFEST, privacy(1, "h-ceiling", serde_json::json!({ "h": 0.01 })), &["h-ceiling"]);
}

#[test]
fn figures_that_are_embellished() {
    let reached = |text: &str| {
        let mut manifest: serde_json::Value = serde_json::from_str(text).unwrap();
        manifest["privacy"][0]["reached"] = serde_json::json!({ "k": 50 });
        written(&manifest)
    };
    found(MANIFEST, reached, &["manifest"]);
    let level = |text: &str| {
        let mut manifest: serde_json::Value = serde_json::from_str(text).unwrap();
        manifest["node"]["age"] = 0.into();
        written(&manifest)
    };
    found(MANIFEST, level, &["manifest"]);
}

#[test]
fn counterfeits_where_none_are_promised() {
    let folder = Folder::with(OPTIMAL);
    folder.ok(&["anonymize", "recipe.toml"]);
    folder.ok(&["verify", "release"]);
    let manifest = folder.read(MANIFEST);
    folder.write(MANIFEST, manifest.replace("\"counterfeits\": 0", "\"counterfeits\": 5"));
    let run = folder.run(&["verify", "release"]);
    assert_eq!(run.code, 3, "{}", run.out);
    folder.write(MANIFEST, manifest);
    folder.write(CATALOG, "ClassID list,diagnosis,Count\n1 2,I63,4\n");
    let run = folder.run(&["verify", "release"]);
    assert_eq!(run.code, 3, "{}", run.out);
}

#[test]
fn promises_that_were_taken_out() {
    let without = |name: &'static str| {
        move |text: &str| {
            let mut manifest: serde_json::Value = serde_json::from_str(text).unwrap();
            manifest["privacy"].as_array_mut().unwrap().retain(|promise| promise["model"] != name);
            written(&manifest)
        }
    };
    found(MANIFEST, without("h-ceiling"), &["manifest"]);
    found(MANIFEST, without("catalog"), &["manifest"]);
}

#[test]
fn what_cannot_be_read_is_the_datas_fault() {
    let folder = released();
    let manifest = folder.read(MANIFEST);
    for (file, text) in [
        (MANIFEST, "{}".to_owned()),
        (MANIFEST, manifest.replace("data.csv", "../patients.csv")),
        (MANIFEST, manifest.replace("data.csv", "/etc/passwd")),
        (MANIFEST, manifest.replace("\"k-anonymity\"", "\"k-anonimity\"")),
        (CATALOG, "ClassID list,diagnosis,Count\none two,I63,3\n".to_owned()),
        (DATA, folder.read(DATA).replacen("age", "years", 1)),
        (DATA, String::new()),
    ] {
        let before = folder.read(file);
        folder.write(file, &text);
        folder.refused(&["verify", "release"], 4, &["release/"]);
        folder.write(file, before);
    }
    std::fs::remove_file(folder.path(DATA)).unwrap();
    folder.refused(&["verify", "release"], 6, &["data.csv"]);
}

#[test]
fn a_missing_catalog_is_named() {
    let folder = released();
    std::fs::remove_file(folder.path(CATALOG)).unwrap();
    for command in [&["verify", "release"][..], &["truthful", "release", "--output", "t.csv"]] {
        let run = folder.run(command);
        assert_eq!(run.code, 3, "{}", run.err);
        assert!(run.err.contains("release/catalog.csv: is missing"), "{}", run.err);
    }
}

#[test]
fn a_catalog_that_does_not_belong_to_the_data_gives_no_truthful_version() {
    let folder = released();
    let catalog = folder.read(CATALOG);
    folder.write(CATALOG, catalog.lines().next().unwrap().to_owned() + "\n");
    folder.refused(&["truthful", "release", "--output", "t.csv"], 3, &["catalog", "velamen verify"]);
}

#[test]
fn findings_as_json() {
    let folder = released();
    let run = folder.ok(&["verify", "release", "--json"]);
    let findings: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let findings = findings.as_array().unwrap();
    assert!(
        findings.len() > 6
            && findings.iter().all(|finding| finding["state"] == "held" || finding["state"] == "stated")
    );
    let stated: Vec<_> = findings.iter().filter(|finding| finding["state"] == "stated").collect();
    assert_eq!(
        stated.len(),
        5,
        "real records, Lemma 1, draws, parameters and the adversary's area: {stated:?}"
    );
}
