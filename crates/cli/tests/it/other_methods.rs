//! `optimal`, the baselines, and what happens to the columns that take no part.

mod shown;

use std::collections::BTreeMap;

use crate::common::{self, Folder, OPTIMAL, column, recipe, rows};
use serde_json::Value;

/// At the top of a recipe that names only some of the columns.
const UNNAMED: &str = "unnamed = \"insensitive\"\n";

/// Nearly every record has a note of its own.
const NOTE: &str = "[attributes.note]\nrole = \"insensitive\"\nidentifier-like = \"intended\"\n";

const RUN: [&str; 3] = ["anonymize", "recipe.toml", "--overwrite"];

/// 200 patients of whom a few stand alone, with a ward and a note that is nearly unique.
fn table() -> String {
    let mut text = String::from("ward,age,sex,diagnosis,note\n");
    for i in 0..200u32 {
        let (age, sex) = if i < 4 { (90 + i, "F") } else { (20 + i * 7 % 40, ["F", "M"][i as usize % 2]) };
        let diagnosis = ["I63", "J18", "E11"][(i * i % 11 % 3) as usize];
        text += &format!("w{},{age},{sex},{diagnosis},note {}\n", i % 5, i * 3 % 190);
    }
    text
}

fn folder(method: &str) -> Folder {
    let folder = Folder::with(method);
    folder.write("patients.csv", table());
    folder.write("recipe.toml", UNNAMED.to_owned() + &recipe(method) + NOTE);
    folder
}

fn manifest(folder: &Folder) -> Value {
    folder.ok(&["verify", "release"]);
    folder.json("release/release.json")
}

#[test]
fn suppression_limits() {
    let folder = folder(OPTIMAL);
    let mut losses = Vec::new();
    for limit in ["0", "0.05", "1"] {
        folder.ok(&[&RUN[..], &["--set", &format!("method.suppression-limit={limit}")]].concat());
        let manifest = manifest(&folder);
        let suppressed = manifest["suppressed"].as_u64().unwrap();
        assert!(suppressed as f64 <= limit.parse::<f64>().unwrap() * 200.0, "{limit}: {suppressed}");
        assert_eq!(manifest["records"], 200);
        let data = folder.read("release/data.csv");
        let stars = rows(&data)[1..].iter().filter(|row| row[0].is_empty()).count() as u64;
        assert_eq!(stars, suppressed);
        assert!(!folder.path("release/catalog.csv").exists());
        losses.push(manifest["utility"]["loss"]["value"].as_f64().unwrap());
    }
    assert!(losses[0] >= losses[1] && losses[1] >= losses[2], "{losses:?}");
    assert!(losses[0] > losses[1], "the limit of 5 % buys nothing: {losses:?}");
}

#[test]
fn suppression_and_relocation() {
    let folder = folder("name = \"suppression\"\nsuppression-limit = 0.05");
    folder.ok(&RUN);
    let suppressed = manifest(&folder)["suppressed"].as_u64().unwrap();
    assert!(suppressed > 0);
    let run = folder.ok(&[&RUN[..], &["--set", "method.name=relocation"]].concat());
    assert!(run.err.contains("baseline only"), "{}", run.err);
    let relocated = manifest(&folder);
    assert_eq!((&relocated["suppressed"], &relocated["records"]), (&0.into(), &200.into()));
    // The four women in their nineties are released as if they were younger.
    let ages = column(&folder.read("release/data.csv"), "age");
    assert!(!ages.iter().any(|age| age.starts_with('9') || age.ends_with("99]")), "{ages:?}");
}

#[test]
fn insensitive_columns_are_released_unchanged() {
    let folder = folder(OPTIMAL);
    folder.ok(&RUN);
    let (before, after) = (table(), folder.read("release/data.csv"));
    for name in ["ward", "diagnosis", "note"] {
        assert_eq!(column(&before, name), column(&after, name), "{name}");
    }
    // They stay together, too.
    let together = |text: &str, from: [usize; 3]| {
        let mut triples: Vec<Vec<String>> =
            rows(text)[1..].iter().map(|row| from.map(|i| row[i].clone()).to_vec()).collect();
        triples.sort();
        triples
    };
    assert_eq!(together(&before, [0, 3, 4]), together(&after, [1, 4, 5]));
}

#[test]
fn counterfeits_have_insensitive_values_of_real_records() {
    let folder =
        folder("name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.25\nseed = 3\ninsensitive = \"release\"");
    // Notes that few have tell who is real.
    folder.refused(&RUN, 3, &["alike", "fewer than k = 5", "recognizably real"]);
    let coarse: Vec<String> = rows(&table())
        .iter()
        .map(|row| {
            let note = row[4]
                .split_once(' ')
                .map_or("note", |(_, number)| if number.len() % 2 == 0 { "a" } else { "b" });
            [&row[..4], &[note.to_owned()]].concat().join(",")
        })
        .collect();
    let table = coarse.join("\n");
    folder.write("patients.csv", &table);
    folder.ok(&RUN);
    let counterfeits = manifest(&folder)["counterfeits"].as_u64().unwrap();
    assert!(counterfeits > 0);
    let triples = |text: &str, from: [usize; 3]| {
        let mut counts: BTreeMap<Vec<String>, i64> = BTreeMap::new();
        for row in &rows(text)[1..] {
            *counts.entry(from.map(|i| row[i].clone()).to_vec()).or_default() += 1;
        }
        counts
    };
    let before = triples(&table, [0, 3, 4]);
    let mut added = 0;
    for (triple, count) in triples(&folder.read("release/data.csv"), [1, 4, 5]) {
        assert!(triple.iter().all(|cell| !cell.is_empty()));
        let real =
            before.get(&triple).copied().unwrap_or_else(|| panic!("{triple:?} belongs to no real record"));
        assert!(count >= real, "{triple:?} lost a record");
        added += count - real;
    }
    assert_eq!(added as u64, counterfeits);
}

#[test]
fn the_truthful_version_has_as_many_records_as_the_original() {
    let folder = folder("name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.25\nseed = 3");
    folder.ok(&RUN);
    folder.ok(&["truthful", "release", "--output", "truthful.tsv.gz"]);
    folder.ok(&["truthful", "release", "--output", "truthful.csv"]);
    let (before, after) = (table(), folder.read("truthful.csv"));
    assert_eq!(column(&before, "diagnosis"), column(&after, "diagnosis"));
}

#[test]
fn missing_values_are_a_value_of_their_own() {
    let folder = folder(OPTIMAL);
    let with_gaps = table().replace("w2,", "NA,").replacen("41,F", "NA,F", 9).replacen("34,M", ",M", 9);
    folder.write("patients.csv", with_gaps);
    folder.write(
        "recipe.toml",
        UNNAMED.to_owned() + &recipe(OPTIMAL).replace("[input]", "[input]\nnull = [\"NA\"]") + NOTE,
    );
    for limit in ["0", "0.2"] {
        folder.ok(&[&RUN[..], &["--set", &format!("method.suppression-limit={limit}")]].concat());
        manifest(&folder);
        let data = folder.read("release/data.csv");
        assert!(!data.contains("NA"), "a marker of missing values is released");
        let wards = rows(&data);
        let hidden = wards.iter().filter(|row| row[0].is_empty()).count();
        let missing = column(&data, "ward").iter().filter(|ward| ward.is_empty()).count();
        assert!((40 - hidden..=40).contains(&missing), "{missing} of 40, {hidden} suppressed");
    }
}

#[test]
fn masks_by_levels() {
    let folder = Folder::new();
    let mut text = String::from("zip,diagnosis\n");
    for i in 0..300 {
        text += &format!("{:05},I{}\n", 10_000 + i * 37 % 97 * 131, i % 3);
    }
    folder.write("patients.csv", text);
    let zip = "[attributes.zip]\nrole = \"quasi-identifier\"\nhierarchy = { mask = \"right\", length = 5, levels = [2, 3, 5] }";
    let text = recipe(OPTIMAL);
    let (start, end) = (text.find("[attributes.age]").unwrap(), text.find("[attributes.diagnosis]").unwrap());
    folder.write("recipe.toml", format!("{}{zip}\n{}", &text[..start], &text[end..]));
    folder.ok(&RUN);
    let released = column(&folder.read("release/data.csv"), "zip");
    let stars = |zip: &String| zip.bytes().filter(|&b| b == b'*').count();
    assert!(released.iter().all(|zip| zip == "*" || matches!(stars(zip), 0 | 2 | 3)), "{released:?}");
    manifest(&folder);
    folder.ok(&[&RUN[..], &["--set", "method.name=h-ceiling", "--set", "method.h=0.01"]].concat());
    manifest(&folder);
}

#[test]
fn awkward_cells_survive() {
    let folder = Folder::new();
    let cells = ["\"a, b\"", "\"say \"\"hi\"\"\"", "\"two\nlines\"", "ünï", " space ", "*", "\"\"\"\""];
    let mut text = String::from("age,sex,diagnosis,note\r\n");
    for i in 0..70 {
        text += &format!("{},F,I{},{}\r\n", 30 + i % 3, i % 2, cells[i % 7]);
    }
    folder.write("patients.csv", text);
    folder.write("recipe.toml", UNNAMED.to_owned() + &recipe(OPTIMAL));
    folder.ok(&RUN);
    manifest(&folder);
    let data = folder.read("release/data.csv");
    for cell in cells {
        assert_eq!(data.matches(&format!(",{cell}\n")).count(), 10, "{cell}");
    }
}

#[test]
fn without_header_and_with_spaces() {
    let folder = Folder::with(OPTIMAL);
    let body = common::patients().split_once('\n').unwrap().1.replace(',', " ;  ");
    folder.write("patients.csv", body);
    let input = "[input]\nheader = false\ncolumns = [\"age\", \"sex\", \"diagnosis\"]\ntrim = true\ndelimiter = \";\"";
    folder.write("recipe.toml", recipe(OPTIMAL).replace("[input]", input));
    folder.ok(&RUN);
    manifest(&folder);
    let data = folder.read("release/data.csv");
    assert!(data.starts_with("ClassID;age;sex;diagnosis\n1;"), "{data}");
}
