//! What a release tells those who analyse it: README, codebook, labels, metadata.

use crate::common;

use crate::common::{Folder, H_CEILING, OPTIMAL, recipe};
use serde_json::Value;

const NAMES: [&str; 4] = ["README.md", "codebook.csv", "labels.csv", "data.csv-metadata.json"];

/// Negative numbers, codes with leading zeros, days, a name with a comma, missing values.
fn folder(method: &str) -> Folder {
    let folder = Folder::new();
    let mut text = String::from("change,zip,day,\"cost, net\",diagnosis\n");
    for row in 0..120 {
        let (change, zip, day) = (row % 40 - 20, 1000 + row % 4, row % 28 + 1);
        let cost = if row % 7 == 0 { String::new() } else { format!("{}.5", row % 3) };
        text += &format!("{change},0{zip},2021-02-{day:02},{cost},{}\n", ["I63", "J18"][row as usize % 2]);
    }
    folder.write("patients.csv", text);
    let attributes = r#"[attributes.change]
role = "quasi-identifier"
hierarchy = { interval = [10, 20], min = -20, max = 19 }
level = 1
unit = "mmHg"
description = "Systolic pressure, last less first visit"
[attributes.zip]
role = "quasi-identifier"
hierarchy = { mask = "right", length = 5 }
level = 3
[attributes.day]
role = "quasi-identifier"
hierarchy = { date = ["month", "year"], min = "2021-01-01", max = "2021-12-31" }
level = 1
[attributes."cost, net"]
role = "insensitive"
[report]
title = "Blood pressure, 2021"
institution = "A hospital"
contact = "data@hospital.example"
"#;
    let whole = recipe(method);
    let (before, after) = whole.split_once("[attributes.age]").unwrap();
    let rest = &after[after.find("[attributes.diagnosis]").unwrap()..];
    folder.write("recipe.toml", format!("{before}{attributes}{rest}"));
    folder
}

fn rows(text: &str) -> Vec<Vec<String>> {
    let line = |line: &str| {
        let mut cells = vec![String::new()];
        let mut quoted = false;
        for c in line.chars() {
            match c {
                '"' => quoted = !quoted,
                ',' if !quoted => cells.push(String::new()),
                c => cells.last_mut().unwrap().push(c),
            }
        }
        cells
    };
    text.lines().map(line).collect()
}

#[test]
fn each_column_is_described() {
    let folder = folder(OPTIMAL);
    folder.ok(&["anonymize", "recipe.toml"]);
    let codebook = rows(&folder.read("release/codebook.csv"));
    let of = |name: &str| codebook.iter().find(|row| row[0] == name).unwrap().clone();
    assert_eq!(codebook[0][..5], ["column", "role", "type", "unit", "shown"]);
    let change = of("change");
    assert_eq!(change[1..5], ["quasi-identifier", "number range", "mmHg", "ranges of 10"]);
    assert_eq!(change[7], "Systolic pressure, last less first visit");
    assert_eq!(of("zip")[2..5], ["text", "", "first 2 of 5 characters"]);
    assert_eq!(of("day")[2..5], ["date range", "", "the month"]);
    let cost = of("cost, net");
    assert_eq!((&*cost[2], &*cost[6]), ("number", "empty"));
    let readme = folder.read("release/README.md");
    assert!(readme.starts_with("# Blood pressure, 2021\n\nInstitution: A hospital"), "{readme}");
    assert!(folder.read("release/report.html").contains("data@hospital.example"));
}

#[test]
fn labels_have_their_ends() {
    let folder = folder(OPTIMAL);
    folder.ok(&["anonymize", "recipe.toml"]);
    let labels = rows(&folder.read("release/labels.csv"));
    let shown: Vec<String> = labels.iter().map(|row| row.join(" ")).collect();
    assert_eq!(
        shown,
        [
            "column label low high mid",
            "change [-20--11] -20 -11 -15.5",
            "change [-10--1] -10 -1 -5.5",
            "change [0-9] 0 9 4.5",
            "change [10-19] 10 19 14.5",
            "day 2021-02 2021-02-01 2021-02-28 ",
        ]
    );
}

#[test]
fn metadata_name_every_column_in_order() {
    let folder = folder(OPTIMAL);
    folder.ok(&["anonymize", "recipe.toml"]);
    let metadata = folder.json("release/data.csv-metadata.json");
    let columns = metadata["tableSchema"]["columns"].as_array().unwrap();
    let titles: Vec<&str> = columns.iter().map(|column| column["titles"].as_str().unwrap()).collect();
    let header = &rows(&folder.read("release/data.csv"))[0];
    assert_eq!(titles, *header);
    let types: Vec<&str> = columns.iter().map(|column| column["datatype"].as_str().unwrap()).collect();
    assert_eq!(types, ["integer", "string", "string", "string", "number", "string"]);
    assert_eq!(columns[4]["name"], "cost%2C%20net");
}

#[test]
fn verify_makes_the_files_again() {
    for (method, format) in [
        (OPTIMAL, "csv"),
        (OPTIMAL, "tsv"),
        (OPTIMAL, "parquet"),
        (OPTIMAL, "ndjson"),
        ("name = \"mondrian\"", "arrow"),
    ] {
        let folder = folder(method);
        if method != OPTIMAL {
            let recipe = folder.read("recipe.toml");
            folder.write(
                "recipe.toml",
                recipe.lines().filter(|line| !line.starts_with("level")).collect::<Vec<_>>().join("\n"),
            );
        }
        folder.ok(&["anonymize", "recipe.toml", "--set", &format!("output.format={format}")]);
        folder.ok(&["verify", "release"]);
        let manifest = folder.json("release/release.json");
        let documents: Vec<&str> =
            manifest["documents"].as_array().unwrap().iter().map(|d| d.as_str().unwrap()).collect();
        let delimited = ["csv", "tsv"].contains(&format);
        assert_eq!(documents.len(), if delimited { 4 } else { 3 }, "{format}: {documents:?}");
        for name in documents {
            let path = format!("release/{name}");
            let text = folder.read(&path);
            folder.write(&path, format!("{text} "));
            let run = folder.run(&["verify", "release", "--json"]);
            assert_eq!(run.code, 3, "{format} {name}");
            let findings: Value = serde_json::from_str(&run.out).unwrap();
            let broken = findings.as_array().unwrap().iter().filter(|finding| finding["state"] == "broken");
            let named: Vec<&Value> = broken.map(|finding| &finding["reached"]).collect();
            assert_eq!(named, [&serde_json::json!({ "changed": [name] })], "{format} {name}");
            folder.write(&path, text);
        }
    }
}

/// What another version wrote otherwise is not called broken, nor called right.
#[test]
fn files_of_another_version_are_checked_by_that_version() {
    let folder = Folder::with(H_CEILING);
    folder.ok(&["anonymize", "recipe.toml"]);
    let manifest = folder.read("release/release.json");
    let version = format!("\"velamen\": \"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(manifest.contains(&version));
    folder.write("release/release.json", manifest.replace(&version, "\"velamen\": \"99.0.0\""));
    let readme = folder.read("release/README.md");
    folder.write("release/README.md", readme.replace(env!("CARGO_PKG_VERSION"), "99.0.0"));
    // The page names the version, too.
    let run = folder.run(&["verify", "release"]);
    assert!(run.code == 8 && run.err.contains("report.html: not what"), "{}", run.err);
    folder.write("release/README.md", "as it was worded then");
    let run = folder.run(&["verify", "release"]);
    assert_eq!(run.code, 8, "{}", run.err);
    for part in ["README.md", "velamen 99.0.0 made it", "not checked"] {
        assert!(run.err.contains(part), "{part}: {}", run.err);
    }
}

#[test]
fn counterfeits_and_suppressed_records_are_named() {
    let folder = Folder::with(H_CEILING);
    folder.ok(&["anonymize", "recipe.toml"]);
    let readme = folder.read("release/README.md");
    assert_eq!(readme.contains("are counterfeits"), folder.json("release/release.json")["counterfeits"] != 0);
    for name in ["README.md", "codebook.csv"] {
        assert!(NAMES.contains(&name) && folder.path(&format!("release/{name}")).exists());
    }
}

#[test]
fn words_are_one_line() {
    let folder = folder(OPTIMAL);
    let recipe = folder.read("recipe.toml").replace("unit = \"mmHg\"", "unit = \"mm\\nHg\"");
    folder.write("recipe.toml", recipe);
    folder.refused(&["anonymize", "recipe.toml"], 5, &["line 7", "attribute `change`", "unit", "one line"]);
    let long = "x".repeat(501);
    let recipe = folder.read("recipe.toml").replace("unit = \"mm\\nHg\"", "").replace("A hospital", &long);
    folder.write("recipe.toml", recipe);
    folder.refused(&["anonymize", "recipe.toml"], 5, &["report.institution", "1 to 500"]);
}

#[test]
fn a_signature_tells_who_made_the_folder() {
    let folder = folder(OPTIMAL);
    folder.ok(&["anonymize", "recipe.toml"]);
    folder.ok(&["sign", "new", "hospital"]);
    folder.ok(&["sign", "new", "other"]);
    folder.refused(&["sign", "new", "other"], 6, &["other.key", "already exists"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = folder.path("hospital.key").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let verified = |key: &str, code: i32, says: &str| {
        let run = folder.run(&["verify", "release", "--key", key]);
        assert_eq!(run.code, code, "{key}: {}{}", run.out, run.err);
        assert!(run.out.contains(says), "{key}: {}", run.out);
    };
    verified("hospital.pub", 3, "no signature");
    folder.ok(&["sign", "release", "--key", "hospital.key"]);
    verified("hospital.pub", 0, "held         signature");
    let public = folder.read("hospital.pub");
    verified(public.lines().last().unwrap(), 0, "held         signature");
    verified("other.pub", 3, "not signed with this key");
    // What the checker does not look at is signed, too.
    let page = folder.read("release/report.html");
    folder.write("release/report.html", format!("{page} "));
    verified("hospital.pub", 3, "report.html");
    folder.write("release/report.html", &page);
    folder.write("release/extra.txt", "x");
    verified("hospital.pub", 3, "extra.txt");
    std::fs::remove_file(folder.path("release/extra.txt")).unwrap();
    verified("hospital.pub", 0, "held         signature");
    let sums = folder.read("release/SHA256SUMS");
    folder.write("release/SHA256SUMS", sums.replace("report.html", "report.htm"));
    verified("hospital.pub", 3, "not signed with this key, or changed since");
    folder.write("release/SHA256SUMS", sums);
    folder.refused(&["verify", "release", "--key", "nokey"], 2, &["nokey", "public key"]);
    folder.refused(&["sign", "release", "--key", "recipe.toml"], 2, &["recipe.toml", "not a secret key"]);
}

#[test]
fn a_broken_release_is_not_signed_and_a_password_opens_its_key_alone() {
    let folder = folder(OPTIMAL);
    folder.ok(&["anonymize", "recipe.toml"]);
    let run =
        common::Run::of(folder.command(&["sign", "new", "locked"]).env("VELAMEN_KEY_PASSWORD", "secret"));
    assert_eq!(run.code, 0, "{}", run.err);
    folder.refused(&["sign", "release", "--key", "locked.key"], 2, &["encrypted", "VELAMEN_KEY_PASSWORD"]);
    let sign = |password: &str| {
        let mut command = folder.command(&["sign", "release", "--key", "locked.key"]);
        common::Run::of(command.env("VELAMEN_KEY_PASSWORD", password))
    };
    let wrong = sign("guess");
    assert!(wrong.code == 2 && !wrong.err.contains("guess"), "{}", wrong.err);
    assert_eq!(sign("secret").code, 0);
    folder.write("release/README.md", "another");
    let broken = sign("secret");
    assert!(broken.code == 3 && broken.err.contains("documents"), "{}", broken.err);
}

#[test]
fn the_pages_speak_the_recipes_language() {
    let folder = folder(OPTIMAL);
    folder.ok(&["anonymize", "recipe.toml"]);
    let [page, data, readme, manifest] = ["report.html", "data.csv", "README.md", "release.json"]
        .map(|name| folder.read(&format!("release/{name}")));
    assert!(page.contains("<html lang=\"en\">") && !manifest.contains("language"), "{manifest}");
    let recipe = folder.read("recipe.toml").replace("[report]\n", "[report]\nlanguage = \"de\"\n");
    folder.write("recipe.toml", recipe.replace("release", "german"));
    folder.ok(&["anonymize", "recipe.toml"]);
    let german = folder.read("german/report.html");
    assert!(german.contains("<html lang=\"de\">") && german.contains("Bericht zur Freigabe"), "{german}");
    let stated: Value = serde_json::from_str(&folder.read("german/release.json")).unwrap();
    assert_eq!(stated["about"]["language"], "de");
    assert!(folder.read("german.custodian/custodian-report.html").contains("Bericht des Datenhalters"));
    // Nothing but pages has a language.
    assert_eq!((folder.read("german/data.csv"), folder.read("german/README.md")), (data, readme));
    folder.ok(&["verify", "german"]);
    folder.ok(&["report", "german", "--output", "again.html"]);
    assert_eq!(folder.read("again.html"), german);
    folder.write("recipe.toml", folder.read("recipe.toml").replace("\"de\"", "\"xx\""));
    folder.refused(&["anonymize", "recipe.toml"], 5, &["`en` or `de`"]);
}
