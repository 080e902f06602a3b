//! Codes, dates and ages of a health table, released and verified by the real binary; the command that makes
//! hierarchies.

use crate::common::{CANARY, Folder};

const RECIPE: &str = r#"[input]
rows = "independent"
path = "stays.csv"
[attributes.diagnosis]
role = "quasi-identifier"
hierarchy = { icd-10 = "who" }
[attributes.drug]
role = "quasi-identifier"
hierarchy = { atc = "full" }
[attributes.zip]
role = "quasi-identifier"
hierarchy = { us-zip = "zip3.csv" }
[attributes.admitted]
role = "quasi-identifier"
hierarchy = { date = ["month", "year", "5-years"], min = 2018-01-01, max = "2024-12-31", format = "%d.%m.%Y" }
[attributes.age]
role = "quasi-identifier"
hierarchy = { age = 90 }
[attributes.severity]
role = "quasi-identifier"
hierarchy = { ordered = ["low", "medium", "high"], groups = [[2, 1]] }
[attributes.outcome]
role = "sensitive"
[[privacy]]
model = "k-anonymity"
k = 4
[method]
METHOD
[output]
path = "release"
"#;

/// 240 stays; codes with and without dot, the oldest above 90, a few values missing.
fn stays() -> String {
    let mut text = String::from("diagnosis,drug,zip,admitted,age,severity,outcome\n");
    for i in 0..240u32 {
        let diagnosis = ["E11.9", "e119", "E10.1", "I10", "J18.0", ""][(i % 6) as usize];
        let drug = ["A10BA02", "A10BB12", "C09AA05"][(i / 2 % 3) as usize];
        let zip = ["13053", "13068", "03601", "05901"][(i / 3 % 4) as usize];
        let (day, month, year) = (i % 28 + 1, i % 12 + 1, 2019 + i % 4);
        let severity = ["low", "medium", "high"][(i / 5 % 3) as usize];
        let age = 30 + i * 7 % 70;
        text += &format!("{diagnosis},{drug},{zip},{day:02}.{month:02}.{year},{age},{severity},o{}\n", i % 3);
    }
    text
}

fn folder(method: &str) -> Folder {
    let folder = Folder::new();
    folder.write("stays.csv", stays());
    folder.write("zip3.csv", "zip3,population\n130,250000\n036,12000\n059,20000\n");
    folder.write("recipe.toml", RECIPE.replace("METHOD", method));
    folder
}

fn released(method: &str) -> Folder {
    let folder = folder(method);
    folder.ok(&["anonymize", "recipe.toml"]);
    folder.ok(&["verify", "release"]);
    folder.ok(&["compare", "stays.csv", "release"]);
    folder
}

#[test]
fn full_domain_local_recoding_and_clustering_release_codes_and_dates() {
    for method in [
        "name = \"optimal\"\nsuppression-limit = 0.1",
        "name = \"datafly\"\nsuppression-limit = 0.1",
        "name = \"optimal\"\nsuppression-limit = 0.3\nlocal-recoding = true",
        "name = \"mondrian\"\nseed = 1",
        "name = \"k-member\"\nseed = 1",
        "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.8\nseed = 1",
    ] {
        let folder = released(method);
        let hierarchy = &folder.json("release/release.json")["attributes"]["zip"]["hierarchy"];
        // All areas but the one of more than 20 000 people.
        assert_eq!(hierarchy["us-zip"].as_array().unwrap().len(), 999, "{method}");
    }
}

#[test]
fn labels_are_those_of_the_standards() {
    let folder = folder("name = \"optimal\"\nsuppression-limit = 0.2");
    let levels = [("diagnosis", 3), ("drug", 4), ("zip", 1), ("admitted", 3), ("age", 3), ("severity", 1)];
    let set: Vec<String> =
        levels.iter().map(|(name, level)| format!("attributes.{name}.level={level}")).collect();
    let set: Vec<&str> = set.iter().flat_map(|set| ["--set", set]).collect();
    let relaxed = ["--set", "privacy.0.k=2", "--set", "method.suppression-limit=1.0"];
    folder.ok(&[&["anonymize", "recipe.toml"], &set[..], &relaxed].concat());
    folder.ok(&["verify", "release"]);
    let data = folder.read("release/data.csv");
    for label in
        ["E00-E90", "I00-I99", ",A,", ",C,", ",130,", ",000,", ",2020-2024,", ">=90", "[low..medium]"]
    {
        assert!(data.contains(label), "{label}");
    }
    assert!(!data.contains(",036,"), "small areas are hidden");
    let changed = data.replacen(",000,", ",036,", 1);
    folder.write("release/data.csv", changed);
    assert_eq!(folder.run(&["verify", "release"]).code, 3);
}

#[test]
fn spellings_of_a_code_are_one_value() {
    let folder = folder("name = \"optimal\"\nsuppression-limit = 0.2");
    let roles = ["drug", "zip", "admitted", "age", "severity"]
        .map(|name| format!("attributes.{name}.role=identifier"));
    let set: Vec<&str> = roles.iter().flat_map(|set| ["--set", set]).collect();
    folder.ok(&[&["anonymize", "recipe.toml", "--set", "attributes.diagnosis.level=0"], &set[..]].concat());
    let data = folder.read("release/data.csv");
    assert!(data.contains("E11.9") && !data.contains("e119"));
    folder.ok(&["verify", "release"]);
}

#[test]
fn what_is_no_code_or_day_is_located_and_not_shown() {
    for (from, to, says) in [
        ("E10.1", CANARY, "ICD-10"),
        ("A10BB12", "A10BB123", "ATC code"),
        ("02.02.2020", "30.02.2020", "a date"),
        ("13068", "1306", "five digits"),
    ] {
        let folder = folder("name = \"optimal\"");
        let table = stays();
        let from = if from.contains(".20") {
            table.lines().nth(2).unwrap().split(',').nth(3).unwrap().to_owned()
        } else {
            from.into()
        };
        folder.write("stays.csv", table.replacen(&from, to, 1));
        folder.refused(&["anonymize", "recipe.toml"], 4, &["line", says]);
    }
}

#[test]
fn forms_that_contradict_themselves() {
    let folder = folder("name = \"optimal\"");
    let icd = "{ icd-10 = \"who\" }";
    for (form, says) in [
        ("{ icd-10 = \"gm\" }", "who"),
        ("{ icd-10 = \"who\", lengths = [4, 2] }", "descend"),
        ("{ atc = \"full\", length = 5 }", "`length` does not go with `atc`"),
        ("{ prefix = [5, 2] }", "from the most general"),
        ("{ date = [\"week\", \"month\"], min = \"2018-01-01\", max = \"2024-12-31\" }", "two parents"),
        ("{ date = [\"month\"], min = \"2018-02-30\", max = \"2024-12-31\" }", "`min` and `max`"),
        ("{ age = 0 }", "first age"),
        ("{ ordered = [\"a\", \"b\"], groups = [[3]] }", "add up"),
        ("{ equal-frequency = [4, 3] }", "divisor"),
        ("{ us-zip = [\"36\"] }", "three digits"),
    ] {
        folder.write("recipe.toml", RECIPE.replace("METHOD", "name = \"optimal\"").replace(icd, form));
        folder.refused(&["anonymize", "recipe.toml"], 5, &[says]);
    }
}

#[test]
fn bins_are_read_off_the_data_and_said_to_be() {
    let folder = folder("name = \"optimal\"\nsuppression-limit = 0.2");
    let with = |form: &str| {
        folder.write(
            "recipe.toml",
            RECIPE
                .replace("METHOD", "name = \"optimal\"\nsuppression-limit = 0.2")
                .replace("{ age = 90 }", form),
        )
    };
    for (form, from_data) in [
        ("{ equal-width = [4, 2] }", true),
        ("{ equal-frequency = [4, 2], min = 0, max = 120 }", true),
        ("{ equal-width = [4, 2], min = 0, max = 119 }", false),
    ] {
        with(form);
        folder.ok(&["anonymize", "recipe.toml", "--overwrite"]);
        folder.ok(&["verify", "release"]);
        let age = &folder.json("release/release.json")["attributes"]["age"];
        assert_eq!(age["domain-from-data"].as_bool().unwrap_or(false), from_data, "{form}");
        assert_eq!(age["hierarchy"]["cuts"][1].as_array().unwrap().len(), 1);
    }
    with("{ equal-width = [4] }");
    let private = ["--set", "method.name=safe-pub", "--set", "attributes.outcome.role=identifier"];
    let model = [
        "--set",
        "privacy.0.model=differential-privacy",
        "--set",
        "privacy.0.epsilon=1",
        "--set",
        "privacy.0.delta=1e-5",
    ];
    let run = folder.run(&[&["anonymize", "recipe.toml"][..], &private, &model].concat());
    assert_ne!(run.code, 0);
}

#[test]
fn built_files_are_used_like_the_form() {
    let folder = folder("name = \"optimal\"\nsuppression-limit = 0.2\nseed = 1");
    let form = "{ icd-10 = \"who\" }";
    folder.ok(&[
        "hierarchy",
        "build",
        form,
        "--table",
        "stays.csv",
        "--column",
        "diagnosis",
        "--output",
        "icd.csv",
    ]);
    let built = folder.read("icd.csv");
    assert!(built.lines().any(|row| row == "E11.9;E11;E10-E14;E00-E90;*"));
    assert!(built.lines().any(|row| row == "e119;E11;E10-E14;E00-E90;*"));
    folder.ok(&["hierarchy", "check", "icd.csv", "--table", "stays.csv", "--column", "diagnosis"]);
    folder.ok(&["hierarchy", "show", "icd.csv"]);
    folder.write("recipe.toml", RECIPE.replace("METHOD", "name = \"optimal\"").replace(form, "\"icd.csv\""));
    folder.ok(&["hierarchy", "export", "recipe.toml", "--attribute", "diagnosis", "--output", "again.csv"]);
    assert_eq!(folder.read("again.csv"), built);
}

#[test]
fn a_file_is_checked_whole() {
    let folder = folder("name = \"optimal\"");
    folder.write("bad.csv", format!("low;x;p;*\nmedium;x;q;*\nlow;y;q;*\n{CANARY} ;y;q;all\n"));
    let run = folder.run(&["hierarchy", "check", "bad.csv", "--table", "stays.csv", "--column", "severity"]);
    assert_eq!(run.code, 5);
    for says in [
        "row 3 repeats",
        "row 2, column 2",
        "row 4: a label begins",
        "row 4: the last level",
        "1 value of the table, of 80 records, is not in the hierarchy",
    ] {
        assert!(run.out.contains(says), "{says}: {}", run.out);
    }
    assert!(!run.out.contains(CANARY) && !run.err.contains(CANARY));
}

#[test]
fn forms_are_shown_and_written_without_a_table() {
    let folder = Folder::new();
    let date = "{ date = [\"month\", \"year\"], min = \"2020-01-01\", max = \"2021-12-31\" }";
    let shown = folder.ok(&["hierarchy", "show", date, "--json"]);
    let shown: serde_json::Value = serde_json::from_str(&shown.out).unwrap();
    assert_eq!((&shown["leaves"], &shown["by-level"][1]["labels"]), (&731.into(), &24.into()));
    folder.ok(&["hierarchy", "build", date, "--output", "date.csv"]);
    assert_eq!(folder.read("date.csv").lines().next(), Some("2020-01-01;2020-01;2020;*"));
    folder.ok(&["hierarchy", "build", "{ age = 90, max = 99 }", "--output", "age.csv"]);
    assert_eq!(folder.read("age.csv").lines().last(), Some("99;>=90;>=90;>=90;>=90;*"));
    assert_eq!(folder.run(&["hierarchy", "build", "{ atc = \"full\" }", "--output", "atc.csv"]).code, 2);
    assert_eq!(folder.run(&["hierarchy", "show", "{ atc = 5 }"]).code, 2);
}

/// Moved dates are generalized as they are, in whatever spelling they came.
#[test]
fn moved_dates_climb_the_calendar() {
    let folder = Folder::new();
    let mut table = String::from("patient,admitted,outcome\n");
    (0..60).for_each(|i| table += &format!("p{i},{:02}.{:02}.2021,o{}\n", i % 28 + 1, i % 12 + 1, i % 2));
    folder.write("stays.csv", table);
    folder.write("secret.key", "a key of more than thirty-two characters\n");
    folder.write(
        "recipe.toml",
        r#"key = { file = "secret.key" }
[input]
path = "stays.csv"
[attributes.patient]
role = "identifier"
[attributes.outcome]
role = "insensitive"
[attributes.admitted]
role = "quasi-identifier"
hierarchy = { date = ["year"], min = "2019-01-01", max = "2023-12-31", format = "%d.%m.%Y" }
date-shift = { days = 30, person = "patient" }
level = 1
[[privacy]]
model = "k-anonymity"
k = 2
[method]
name = "optimal"
suppression-limit = 0.5
[output]
path = "release"
"#,
    );
    folder.ok(&["anonymize", "recipe.toml"]);
    folder.ok(&["verify", "release"]);
    assert!(folder.read("release/data.csv").contains("2021"));
}
