//! `velamen estimate`, and runs that have no room.

use crate::common::{Folder, OPTIMAL, program, recipe};
use serde_json::Value;

/// The sample with an insensitive column of nearly as many values as records.
fn wide(rows: u64) -> Folder {
    let folder = Folder::new();
    let rows = rows.to_string();
    folder.ok(&["synth", "nps", "--rows", &rows, "--output", "nps.csv", "--recipe", "recipe.toml"]);
    folder.write("recipe.toml", "unnamed = \"insensitive\"\n".to_owned() + &folder.read("recipe.toml"));
    let sample = folder.read("nps.csv");
    let wider = sample.lines().enumerate().map(|(number, line)| match number {
        0 => format!("{line},cost\n"),
        _ => format!("{line},{}\n", number.wrapping_mul(2_654_435_761) % 1_000_003),
    });
    let wider: String = wider.collect();
    folder.write("wide.csv", wider);
    folder
}

fn estimated(folder: &Folder, arguments: &[&str]) -> Value {
    let run = folder.ok(&[&["estimate", "recipe.toml", "--json"][..], arguments].concat());
    serde_json::from_str(&run.out).unwrap()
}

#[test]
fn what_is_counted_is_exact_and_what_is_estimated_is_near() {
    let folder = wide(40_000);
    let optimal = "method.name=optimal";
    let found = estimated(&folder, &["--input", "wide.csv", "--set", optimal]);
    assert_eq!(found["records"], 40_000);
    assert_eq!(found["nodes"], 300.0);
    let near = |found: &Value, true_value: f64| (found.as_f64().unwrap() / true_value - 1.0).abs() < 0.02;
    folder.ok(&["anonymize", "recipe.toml", "--input", "wide.csv", "--set", optimal]);
    let combinations = |folder: &Folder| {
        folder.json("release.custodian/custodian.json")["distinct-combinations"].as_f64().unwrap()
    };
    assert!(near(&found["combinations"], combinations(&folder)), "{found}");
    // What it says of the table without a column is what it says of the table that lacks it.
    let cost = found["columns"].as_array().unwrap().iter().find(|column| column["name"] == "cost").unwrap();
    folder.ok(&["anonymize", "recipe.toml", "--set", optimal, "--overwrite"]);
    assert!(near(&cost["combinations-without"], combinations(&folder)), "{found}");
    let written = std::fs::metadata(folder.path("release/data.csv")).unwrap().len() as f64;
    let disk = estimated(&folder, &["--set", optimal])["disk"]["needed"].as_f64().unwrap();
    // Every value as its longest label is more than any one level takes.
    assert!((1.0..3.0).contains(&(disk / written)), "{disk} for {written}");
}

#[test]
fn threads_and_formats_change_no_estimate() {
    let folder = wide(20_000);
    folder.ok(&["synth", "nps", "--rows", "20000", "--output", "nps.parquet"]);
    let figures = |arguments: &[&str]| {
        let found = estimated(&folder, arguments);
        (found["combinations"].clone(), found["quasi-identifiers"].clone(), found["columns"].clone())
    };
    let one = figures(&["--threads", "1"]);
    assert_eq!(one, figures(&["--threads", "3"]));
    assert_eq!(one, figures(&["--input", "nps.parquet"]));
}

#[test]
fn a_run_without_room_is_refused_before_it_is_made() {
    let folder = wide(40_000);
    let tight = "engine.memory=26 MiB";
    let wide = ["recipe.toml", "--input", "wide.csv", "--set", tight, "--set", "method.name=optimal"];
    let says = ["engine.memory allows", "without `cost`", "role = \"identifier\"", "velamen estimate"];
    folder.refused(&[&["anonymize"][..], &wide].concat(), 7, &says);
    let told = folder.run(&[&["estimate"][..], &wide].concat());
    assert_eq!(told.code, 7, "{}", told.err);
    assert!(told.out.contains("does not fit: 26 MiB available"), "{}", told.out);
    folder.ok(&[&["anonymize"][..], &wide, &["--set", "engine.memory=2 GiB"]].concat());
}

#[test]
fn reading_itself_stops_where_too_much_is_held() {
    let folder = wide(300_000);
    let tight = ["recipe.toml", "--input", "wide.csv", "--set", "engine.memory=28 MiB", "--threads", "1"];
    let optimal = ["--set", "method.name=optimal"];
    let run = [&["anonymize"][..], &tight, &optimal].concat();
    folder.refused(&run, 7, &["the run would need about", "28 MiB"]);
}

/// Few records of long texts, each a value of its own.
fn letters() -> Folder {
    let folder = Folder::with(OPTIMAL);
    let patients = folder.read("patients.csv");
    let lines = patients.lines().enumerate().map(|(number, line)| match number {
        0 => format!("{line},letter\n"),
        _ => format!("{line},{}\n", format!("text {number} ").repeat(5_000)),
    });
    let letters: String = lines.collect();
    folder.write("letters.csv", letters);
    folder
}

#[test]
fn the_bytes_of_long_values_count() {
    let folder = letters();
    let set = ["--input", "letters.csv", "--set", "attributes.letter.role=insensitive"];
    let found = estimated(&folder, &set);
    let letter =
        found["columns"].as_array().unwrap().iter().find(|column| column["name"] == "letter").unwrap();
    let bytes = letter["value-bytes"].as_f64().unwrap();
    let file = std::fs::metadata(folder.path("letters.csv")).unwrap().len() as f64;
    assert!(bytes > 0.99 * file && bytes < file, "{bytes} of {file}");
    let [with, without] =
        [&found["memory"]["needed"], &letter["memory-without"]].map(|bytes| bytes.as_f64().unwrap());
    assert!(with - without > 5.0 * bytes && with - without < 5.1 * bytes, "{found}");
    // Reading stops by the bytes alone: the few combinations fit.
    let limit = format!("engine.memory={:.0} MiB", 24.0 + bytes / 1_048_576.0);
    let run = [&["anonymize", "recipe.toml", "--threads", "1", "--set", &limit][..], &set].concat();
    folder.refused(&run, 7, &["without `letter`", "of distinct values"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_limit_of_addresses_is_a_limit_of_memory() {
    let folder = Folder::with(OPTIMAL);
    let program = program();
    let script =
        format!("ulimit -v 2000000; exec {} estimate recipe.toml --json --threads 1", program.display());
    let run = std::process::Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder.path("."))
        .output()
        .unwrap();
    let found: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert!(found["machine"]["memory"].as_u64().unwrap() < 2_048_000_000, "{found}");
}

#[test]
fn memory_without_a_unit_is_refused() {
    let folder = Folder::with(OPTIMAL);
    folder.write("recipe.toml", recipe(OPTIMAL) + "[engine]\nmemory = \"8\"\n");
    folder.refused(&["anonymize", "recipe.toml"], 5, &["engine.memory", "8 GiB"]);
}
