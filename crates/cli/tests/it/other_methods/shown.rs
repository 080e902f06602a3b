//! What labels made from data show of a table that nobody prepared: nothing that fewer than k records have, unless it is a
//! multiple of a step that was declared. Labels are read here from their definition, with no help of the program.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{Folder, column};
use serde_json::Value;

const COLUMNS: [&str; 8] = ["name", "latitude", "amount", "admission", "ward", "age", "one", "change"];

/// 300 records: names, places and amounts that nobody shares, with outliers; a day; wards of which some are rare; ages of
/// which some are missing; a column of one value; negative numbers with decimals.
fn unprepared() -> String {
    let mut text = format!("{},diagnosis\n", COLUMNS.join(","));
    let mut state = 12345u64;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    for i in 0..300u64 {
        let name = format!("Patient{}{i}", ["Bauer", "Lange", "Yilmaz"][draw(3) as usize]);
        let latitude = format!("{}.{:05}", 25 + draw(6), draw(100_000));
        let amount = if i % 60 == 7 { 90_000 + 7919 * i } else { 40 + draw(90) * draw(90) + i };
        let admission = format!("{}-{:02}-{:02}", 2019 + draw(3), 1 + draw(12), 1 + draw(28));
        let ward = match i % 50 {
            3 => format!("only{i}"),
            n => ["A", "B", "C"][n as usize % 3].to_owned(),
        };
        let age = if i % 11 == 0 {
            String::new()
        } else {
            (18 + draw(40) + if i == 9 { 55 } else { 0 }).to_string()
        };
        let change = format!("-{}.{}", draw(40), draw(10));
        let diagnosis = ["I63", "J18", "E11"][draw(3) as usize];
        text += &format!("{name},{latitude},{amount},{admission},{ward},{age},1,{change},{diagnosis}\n");
    }
    text
}

/// A recipe without any hierarchy.
fn recipe(columns: &[&str], k: u64, method: &str) -> String {
    let attribute = |name: &&str| {
        format!("[attributes.{name}]\nrole = \"quasi-identifier\"\nidentifier-like = \"intended\"\n")
    };
    let attributes: String = columns.iter().map(attribute).collect();
    format!(
        "unnamed = \"drop\"\n[input]\npath = \"table.csv\"\n{attributes}[attributes.diagnosis]\nrole = \"sensitive\"\n\
         [[privacy]]\nmodel = \"k-anonymity\"\nk = {k}\n[method]\n{method}\n[output]\npath = \"release\"\n"
    )
}

fn released(table: &str, columns: &[&str], k: u64, method: &str) -> Folder {
    let folder = Folder::new();
    folder.write("table.csv", table);
    folder.write("recipe.toml", recipe(columns, k, method));
    folder.ok(&["anonymize", "recipe.toml"]);
    folder.ok(&["verify", "release"]);
    folder
}

/// Numbers by themselves, days by their place in the calendar with 31 days a month: neighbours stay neighbours.
fn place(text: &str) -> Option<f64> {
    match text.split('-').map(str::parse::<f64>).collect::<Result<Vec<f64>, _>>().as_deref() {
        Ok([year, month, day]) if text.len() == 10 => Some(year * 372.0 + (month - 1.0) * 31.0 + day - 1.0),
        _ => text.parse().ok(),
    }
}

/// The ends of a label; infinite where they are open.
fn ends(label: &str) -> Option<(String, String)> {
    let pair = |(low, high): (&str, &str)| (low.to_owned(), high.to_owned());
    if let Some(low) = label.strip_prefix(">=") {
        return Some((low.to_owned(), "inf".into()));
    }
    if let Some(high) = label.strip_prefix("<=") {
        return Some(("-inf".into(), high.to_owned()));
    }
    let inner = label.strip_prefix('[')?.strip_suffix(']')?;
    if let Some(parted) = inner.split_once("..") {
        let (low, high) = pair(parted);
        let open = |text: String, days: &str, open: &str| if text == days { open.to_owned() } else { text };
        return Some((open(low, "0001-01-01", "-inf"), open(high, "9999-12-31", "inf")));
    }
    let dashes = inner.match_indices('-').map(|(at, _)| (&inner[..at], &inner[at + 1..]));
    dashes.map(pair).find(|(low, high)| low.parse::<f64>().is_ok() && high.parse::<f64>().is_ok())
}

/// The cell of the grid that an end lies in: its first place, and the first place after it.
fn cell(step: &Value, text: &str) -> (f64, f64) {
    let at = place(text).unwrap();
    let width = match step {
        Value::Number(step) => step.as_f64().unwrap(),
        _ => {
            let text = step.as_str().unwrap();
            let number = text.split_once(' ').map_or(1.0, |(number, _)| number.parse().unwrap());
            number
                * match text.rsplit(' ').next().unwrap() {
                    "day" | "days" => 1.0,
                    "month" | "months" => 31.0,
                    "quarter" => 93.0,
                    _ => 372.0,
                }
        }
    };
    let low = ((at + 1e-9 * at.abs()) / width).floor() * width;
    (low, low + width)
}

/// Fails where a label of a column shows what fewer than k records have.
fn check_column(folder: &Folder, name: &str, k: u64) -> usize {
    let originals = column(&folder.read("table.csv"), name);
    let count = |holds: &dyn Fn(&str) -> bool| originals.iter().filter(|value| holds(value)).count() as u64;
    let within = |low: f64, high: f64| {
        count(&|value| place(value).is_some_and(|at| low - 1e-9 <= at && at < high - 1e-9))
    };
    let step = folder.json("release/release.json")["attributes"][name]["step"].clone();
    let labels: BTreeSet<String> = column(&folder.read("release/data.csv"), name).into_iter().collect();
    for label in labels.iter().filter(|label| *label != "*" && !label.is_empty()) {
        if let Some(members) = label.strip_prefix('{').and_then(|label| label.strip_suffix('}')) {
            assert!(members.split('|').all(|member| count(&|value| value == member) >= k), "{name}: {label}");
        } else if let Some((low, high)) = ends(label) {
            for (end, first) in [(&low, true), (&high, false)] {
                if end.ends_with("inf") {
                    continue;
                }
                let (from, to) = cell(&step, end);
                let open = if low == "-inf" { (f64::NEG_INFINITY, to) } else { (from, f64::INFINITY) };
                let held =
                    if low == "-inf" || high == "inf" { within(open.0, open.1) } else { within(from, to) };
                assert!(held >= k, "{name}: {label} holds {held}");
                let at = place(end).unwrap();
                assert!(!first || (at - from).abs() < 1e-6, "{name}: {label} begins off the grid of {step}");
            }
        } else {
            assert!(count(&|value| value == label) >= k, "{name}: {label}");
        }
    }
    labels.len()
}

fn check(folder: &Folder, columns: &[&str], k: u64) -> BTreeMap<String, usize> {
    let listed = folder.path("release/labels.csv").exists().then(|| folder.read("release/labels.csv"));
    let released = folder.read("release/data.csv");
    for name in columns {
        let shown: BTreeSet<String> = column(&released, name).into_iter().collect();
        for row in listed.iter().flat_map(|listed| super::common::rows(listed)).filter(|row| row[0] == *name)
        {
            assert!(shown.contains(&row[1]), "{name}: {} stands in labels.csv alone", row[1]);
        }
    }
    columns.iter().map(|name| ((*name).to_owned(), check_column(folder, name, k))).collect()
}

const MONDRIAN: &str = "name = \"mondrian\"";

#[test]
fn no_method_shows_what_few_records_have() {
    let methods = [
        MONDRIAN,
        "name = \"mondrian\"\ncuts = \"loss\"",
        "name = \"mondrian\"\npartitioning = \"relaxed\"",
        "name = \"mondrian\"\nrecoding = \"nodes\"",
        "name = \"k-member\"",
        "name = \"optimal\"\nsuppression-limit = 1\nlocal-recoding = true",
        "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.99\nparts = \"mondrian\"\nseed = 1\ncounterfeit-limit = 1",
        "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.99\nparts = \"clustering\"\nseed = 1\ncounterfeit-limit = 1",
    ];
    let table = unprepared();
    for method in methods {
        let folder = released(&table, &COLUMNS, 5, method);
        check(&folder, &COLUMNS, 5);
    }
}

#[test]
fn one_column_by_itself_keeps_much_of_its_detail() {
    let table = unprepared();
    // Names are all different: nothing can be shown of them.
    let expected = [
        ("name", 1),
        ("latitude", 20),
        ("amount", 15),
        ("admission", 10),
        ("ward", 4),
        ("age", 12),
        ("one", 1),
        ("change", 15),
    ];
    for (name, least) in expected {
        let folder = released(&table, &[name], 5, MONDRIAN);
        let labels = check(&folder, &[name], 5)[name];
        assert!(labels >= least, "{name}: {labels} labels");
    }
}

#[test]
fn a_class_of_more_than_half_of_the_records_is_possible() {
    let folder = released(&unprepared(), &COLUMNS, 200, MONDRIAN);
    check(&folder, &COLUMNS, 200);
}

#[test]
fn a_step_of_the_recipe_is_stated_and_kept() {
    let folder = Folder::new();
    folder.write("table.csv", unprepared());
    let steps = [
        ("age", "10"),
        ("amount", "1000"),
        ("admission", "\"quarter\""),
        ("change", "0.5"),
        ("latitude", "0.1"),
    ];
    let mut text = recipe(&COLUMNS, 5, MONDRIAN);
    for (name, step) in steps {
        let section = format!("[attributes.{name}]\n");
        text = text.replace(&section, &format!("{section}step = {step}\n"));
    }
    folder.write("recipe.toml", text);
    folder.ok(&["anonymize", "recipe.toml"]);
    folder.ok(&["verify", "release"]);
    let stated = folder.json("release/release.json");
    for (name, step) in steps {
        let stated = &stated["attributes"][name]["step"];
        let written = stated.to_string();
        assert!(written == step || stated.as_f64() == step.parse().ok(), "{name}: {stated}");
    }
    let wards = column(&folder.read("release/data.csv"), "ward");
    assert!(wards.iter().all(|ward| !ward.contains("only")));
}

#[test]
fn labels_off_the_stated_grid_break_a_release() {
    let folder = released(&unprepared(), &["age"], 5, MONDRIAN);
    let manifest = folder.read("release/release.json");
    let stated = folder.json("release/release.json")["attributes"]["age"]["step"].as_f64().unwrap();
    let other = manifest.replace(&format!("\"step\": {stated:?}"), "\"step\": 7.0");
    assert_ne!(manifest, other, "{manifest}");
    folder.write("release/release.json", other);
    let run = folder.run(&["verify", "release"]);
    assert_eq!(run.code, 3, "{}", run.err);
    assert!(run.err.contains("labels"), "{}", run.err);
}

#[test]
fn a_median_needs_a_step() {
    let folder = Folder::new();
    folder.write("table.csv", unprepared());
    let text = recipe(&["amount", "ward"], 5, "name = \"mdav\"\naverage = \"median\"");
    folder.write("recipe.toml", &text);
    folder.refused(&["anonymize", "recipe.toml"], 4, &["[attributes.amount] step = 1"]);
    folder.write("recipe.toml", text.replace("[attributes.amount]\n", "[attributes.amount]\nstep = 500\n"));
    folder.ok(&["anonymize", "recipe.toml"]);
    folder.ok(&["verify", "release"]);
    let released = folder.read("release/data.csv");
    assert!(column(&released, "amount").iter().all(|amount| amount.parse::<u64>().unwrap() % 500 == 0));
    assert!(column(&released, "ward").iter().all(|ward| ["A", "B", "C", "*"].contains(&ward.as_str())));
}
