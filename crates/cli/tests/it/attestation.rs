//! `verify --attestation`: a statement of in-toto is believed as far as it is computed again.

use serde_json::{Value, json};

use crate::common::{Folder, OPTIMAL};

/// A release, keys and a signed statement of it.
fn attested() -> Folder {
    let folder = Folder::with(OPTIMAL);
    folder.ok(&["anonymize", "recipe.toml"]);
    folder.ok(&["sign", "new", "hospital"]);
    folder.ok(&["sign", "new", "forger"]);
    attest(&folder, "release", "hospital.key", "a.json");
    folder
}

fn attest(folder: &Folder, release: &str, key: &str, output: &str) {
    folder.ok(&["evidence", release, "--for", "attestation", "--key", key, "--output", output]);
}

/// What `verify` says of a statement, as its exit code and the finding.
fn found(folder: &Folder, file: &str) -> (i32, Value) {
    let run = folder.run(&["verify", "release", "--key", "hospital.pub", "--attestation", file, "--json"]);
    let findings: Vec<Value> = serde_json::from_str(&run.out).unwrap();
    let finding = findings.into_iter().find(|finding| finding["promise"] == "attestation").unwrap();
    (run.code, finding)
}

/// A statement that is changed and signed again with the right key: what only its content can betray.
fn signed_again(folder: &Folder, change: impl Fn(&mut Value)) -> (i32, Value) {
    let mut statement = folder.json("a.json");
    let before = statement.clone();
    change(&mut statement);
    assert_ne!(statement, before, "nothing was changed");
    signed_text(folder, &statement.to_string())
}

fn signed_text(folder: &Folder, text: &str) -> (i32, Value) {
    let key = std::fs::read_to_string(folder.path("hospital.key")).unwrap();
    let key = minisign::SecretKeyBox::from_string(&key).unwrap().into_unencrypted_secret_key().unwrap();
    let signature = minisign::sign(None, &key, text.as_bytes(), Some("forged"), None).unwrap();
    folder.write("forged.json", text);
    folder.write("forged.json.minisig", signature.into_string());
    found(folder, "forged.json")
}

fn unlike(folder: &Folder, change: impl Fn(&mut Value)) -> Vec<String> {
    let (code, finding) = signed_again(folder, change);
    assert_eq!((code, &finding["state"]), (3, &json!("broken")), "{finding}");
    serde_json::from_value(finding["reached"]["unlike"].clone()).unwrap()
}

#[test]
fn a_true_statement_is_held() {
    let folder = attested();
    let (code, finding) = found(&folder, "a.json");
    assert_eq!((code, finding["state"].as_str()), (0, Some("held")), "{finding}");
    let statement = folder.json("a.json");
    assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
    let subjects = statement["subject"].as_array().unwrap();
    assert_eq!(subjects.len(), std::fs::read_dir(folder.path("release")).unwrap().count());
    assert!(statement["predicate"]["program"]["sha256"].as_str().is_some_and(|sum| sum.len() == 64));
    // A signature of the folder may come later.
    folder.ok(&["sign", "release", "--key", "hospital.key"]);
    assert_eq!(found(&folder, "a.json").0, 0);
    folder.ok(&[
        "verify",
        "release",
        "--key",
        "hospital.pub",
        "--attestation",
        "a.json",
        "--custodian",
        "release.custodian",
    ]);
}

#[test]
fn a_file_added_removed_or_changed_is_found() {
    for change in ["added", "removed", "changed"] {
        let folder = attested();
        let readme = folder.path("release/README.md");
        match change {
            "added" => folder.write("release/more.csv", "a\n"),
            "removed" => std::fs::remove_file(readme).unwrap(),
            _ => folder.write("release/README.md", "Other words\n"),
        }
        let (code, finding) = found(&folder, "a.json");
        assert_eq!((code, finding["state"].as_str()), (3, Some("broken")), "{change}: {finding}");
        let name = if change == "added" { "more.csv" } else { "README.md" };
        assert!(finding["reached"]["unlike"].as_array().unwrap().contains(&json!(name)), "{finding}");
    }
}

#[test]
fn a_statement_of_another_key_or_without_a_signature_is_broken() {
    let folder = attested();
    attest(&folder, "release", "forger.key", "b.json");
    let (code, finding) = found(&folder, "b.json");
    assert_eq!((code, finding["state"].as_str()), (3, Some("broken")), "{finding}");
    std::fs::remove_file(folder.path("a.json.minisig")).unwrap();
    assert_eq!(found(&folder, "a.json").0, 3);
    // The signature of something else by the right key is none of the statement.
    folder.ok(&["sign", "release", "--key", "hospital.key"]);
    folder.write("a.json.minisig", folder.read("release/SHA256SUMS.minisig"));
    assert_eq!(found(&folder, "a.json").0, 3);
}

#[test]
fn a_changed_byte_breaks_the_signature() {
    let folder = attested();
    folder.write("a.json", folder.read("a.json") + " ");
    assert_eq!(found(&folder, "a.json").0, 3);
}

#[test]
fn the_statement_of_another_release_is_broken() {
    let folder = attested();
    folder.ok(&["anonymize", "recipe.toml", "--set", "privacy.0.k=30", "--output", "other"]);
    attest(&folder, "other", "hospital.key", "other.json");
    let (code, finding) = found(&folder, "other.json");
    assert_eq!((code, finding["state"].as_str()), (3, Some("broken")), "{finding}");
}

#[test]
fn a_signed_lie_about_files_is_found() {
    let folder = attested();
    let subject = |statement: &mut Value| statement["subject"].as_array_mut().unwrap().pop().unwrap();
    let missing = unlike(&folder, |statement| drop(subject(statement)));
    assert_eq!(missing, ["report.html"], "the last by name");
    let more = json!({ "name": "more.csv", "digest": { "sha256": "0".repeat(64) } });
    let added = |statement: &mut Value| statement["subject"].as_array_mut().unwrap().push(more.clone());
    assert_eq!(unlike(&folder, added), ["more.csv"]);
    let twice = |statement: &mut Value| {
        let first = statement["subject"][0].clone();
        statement["subject"].as_array_mut().unwrap().push(first);
    };
    assert_eq!(unlike(&folder, twice), ["the subjects"]);
    let none = |statement: &mut Value| statement["subject"][0]["digest"] = json!({ "md5": "0" });
    assert_eq!(unlike(&folder, none), ["the form of the statement"]);
    assert!(!unlike(&folder, |statement| statement["subject"] = json!([])).is_empty());
}

#[test]
fn a_signed_lie_about_promises_is_found() {
    let folder = attested();
    let promise = |statement: &mut Value| statement["predicate"]["promises"][0]["asked"]["k"] = json!(50);
    assert_eq!(unlike(&folder, promise), ["the promises"]);
    let finding = |statement: &mut Value| statement["predicate"]["findings"][0]["reached"]["k"] = json!(50);
    assert_eq!(unlike(&folder, finding), ["the finding k-anonymity"]);
    let held = |statement: &mut Value| {
        let more =
            json!({ "promise": "l-diversity", "asked": { "l": 3 }, "reached": { "l": 3 }, "state": "held" });
        statement["predicate"]["findings"].as_array_mut().unwrap().push(more);
    };
    assert_eq!(unlike(&folder, held), ["the finding l-diversity"]);
    let left_out = |statement: &mut Value| {
        statement["predicate"]["findings"].as_array_mut().unwrap().remove(0);
    };
    assert_eq!(unlike(&folder, left_out), ["the finding k-anonymity"]);
    let stated = |statement: &mut Value| {
        let findings = statement["predicate"]["findings"].as_array_mut().unwrap();
        let stated = findings.iter_mut().find(|finding| finding["state"] == "stated").unwrap();
        stated["state"] = json!("held");
    };
    assert_eq!(unlike(&folder, stated).len(), 1);
    assert!(!unlike(&folder, |statement| statement["predicate"] = json!(null)).is_empty());
}

/// What else stands in a statement would seem to be checked, too.
#[test]
fn a_statement_that_says_more_is_broken() {
    let folder = attested();
    let places = ["", "/predicate", "/predicate/program", "/subject/0", "/subject/0/digest"];
    for place in places {
        let more = |statement: &mut Value| {
            let place = statement.pointer_mut(place).unwrap().as_object_mut().unwrap();
            place.insert("certified-by".into(), json!("the ministry"));
        };
        assert_eq!(unlike(&folder, more), ["the form of the statement"], "{place}");
    }
}

/// Readers take the first or the last of two values of one name.
#[test]
fn a_statement_with_a_name_twice_is_broken() {
    let folder = attested();
    let text = folder.json("a.json").to_string();
    for (once, twice) in [
        ("\"promises\":", "\"promises\":[],\"promises\":"),
        ("\"version\":", "\"version\":\"9.9.9\",\"version\":"),
        ("\"state\":\"held\"", "\"state\":\"broken\",\"state\":\"held\""),
    ] {
        assert!(text.contains(once), "{text}");
        let (code, finding) = signed_text(&folder, &text.replacen(once, twice, 1));
        assert_eq!((code, finding["state"].as_str()), (3, Some("broken")), "{twice}: {finding}");
    }
}

#[test]
fn another_kind_or_version_is_not_held() {
    let folder = attested();
    let kind = |statement: &mut Value| statement["predicateType"] = json!("https://slsa.dev/provenance/v1");
    assert_eq!(unlike(&folder, kind), ["the kind of the statement"]);
    // A check that only one of both versions has.
    let version = |statement: &mut Value| {
        statement["predicate"]["program"]["version"] = json!("0.1.0");
        let findings = statement["predicate"]["findings"].as_array_mut().unwrap();
        let place = findings.iter().position(|finding| finding["promise"] == "class-ids").unwrap();
        findings[place]["promise"] = json!("numbers-of-classes");
    };
    let (code, finding) = signed_again(&folder, version);
    assert_eq!((code, finding["state"].as_str()), (8, Some("not-checked")), "{finding}");
    let changes: [fn(&mut Vec<Value>); 5] = [
        |findings| findings[0]["reached"]["k"] = json!(50),
        |findings| findings[0]["state"] = json!("stated"),
        |findings| findings.clear(),
        |findings| findings.push(json!(5)),
        |findings| {
            let promised = json!({ "promise": "differential-privacy", "asked": { "epsilon": 0.1 }, "reached": {}, "state": "held" });
            findings.push(promised);
        },
    ];
    for change in changes {
        let worse = |statement: &mut Value| {
            version(statement);
            change(statement["predicate"]["findings"].as_array_mut().unwrap());
        };
        assert!(!unlike(&folder, worse).is_empty());
    }
}

/// What is called unchecked says no more than what was found.
#[test]
fn a_finding_stated_as_unchecked_or_twice_is_broken() {
    let folder = attested();
    let changes: [fn(&mut Vec<Value>); 4] = [
        |findings| {
            findings[0]["state"] = json!("not-checked");
            findings[0]["reached"] = json!({ "k": 5000 });
        },
        |findings| {
            let mut more = findings[0].clone();
            more["state"] = json!("not-checked");
            more["reached"] = json!("guaranteed by the ministry");
            findings.push(more);
        },
        |findings| findings.iter_mut().for_each(|finding| finding["state"] = json!("not-checked")),
        |findings| findings.push(findings[0].clone()),
    ];
    for change in changes {
        let forged =
            |statement: &mut Value| change(statement["predicate"]["findings"].as_array_mut().unwrap());
        assert!(!unlike(&folder, forged).is_empty());
    }
}

#[test]
fn a_statement_needs_a_key() {
    let folder = attested();
    let words = ["evidence", "release", "--for", "attestation", "--output", "c.json"];
    folder.refused(&words, 2, &["proves nothing without a signature", "--key"]);
    folder.refused(&["verify", "release", "--attestation", "a.json"], 2, &["--key"]);
    let inside = ["--key", "hospital.key", "--output", "release/c.json"];
    folder.refused(&[&words[..4], &inside[..]].concat(), 2, &["lies inside the release"]);
}
