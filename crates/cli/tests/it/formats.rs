//! Every format in and every format out: the same table, the same release.

use crate::common::Folder;

/// A sample in every format, and a recipe for it.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.ok(&[
        "synth", "nps", "--rows", "2000", "--seed", "5", "--output", "nps.csv", "--recipe", "nps.toml",
    ]);
    folder
}

fn sample(folder: &Folder, format: &str) -> String {
    let file = format!("in.{format}");
    folder.ok(&["synth", "nps", "--rows", "2000", "--seed", "5", "--output", &file]);
    file
}

fn release(folder: &Folder, input: &str, format: &str, output: &str) {
    let format = format!("output.format={format}");
    let arguments =
        ["anonymize", "nps.toml", "--seed", "3", "--input", input, "--output", output, "--set", &format];
    folder.ok(&arguments);
    folder.ok(&["verify", output]);
}

fn in_and_out(formats: &[&str]) {
    let folder = folder();
    release(&folder, "nps.csv", "csv", "expected");
    let expected = folder.read("expected/data.csv");
    assert!(folder.json("expected/release.json")["records"].as_u64().unwrap() >= 2000);
    for format in formats {
        let file = sample(&folder, format);
        release(&folder, &file, "csv", &format!("from-{format}"));
        assert_eq!(folder.read(&format!("from-{format}/data.csv")), expected, "read from {format}");
        release(&folder, "nps.csv", format, &format!("to-{format}"));
        assert!(folder.path(&format!("to-{format}/data.{format}")).exists());
        folder.ok(&["truthful", &format!("to-{format}"), "--output", &format!("truthful-{format}.{format}")]);
        measured_alike(&folder, &format!("to-{format}/data.{format}"));
    }
}

/// What is written reads back as the same table.
fn measured_alike(folder: &Folder, file: &str) {
    let measure =
        |file: &str| folder.ok(&["measure", file, "--qi", "age,sex", "--sensitive", "diagnosis"]).out;
    assert_eq!(measure(file), measure("expected/data.csv"), "{file}");
}

#[test]
fn delimited_text() {
    in_and_out(&["csv", "tsv"]);
}

#[test]
fn packed_text() {
    in_and_out(&["csv.gz", "csv.zst", "tsv.gz", "tsv.zst"]);
}

#[test]
fn parquet() {
    in_and_out(&["parquet"]);
}

#[test]
fn arrow() {
    in_and_out(&["arrow"]);
}

#[test]
fn ndjson() {
    in_and_out(&["ndjson", "ndjson.gz", "ndjson.zst"]);
}

#[test]
fn the_input_tells_the_output_format() {
    let folder = folder();
    let file = sample(&folder, "tsv.gz");
    folder.ok(&["anonymize", "nps.toml", "--input", &file, "--output", "release"]);
    assert!(folder.path("release/data.tsv.gz").exists());
    folder.ok(&["verify", "release"]);
}

#[test]
fn a_delimiter_is_found_out_or_given() {
    let folder = folder();
    release(&folder, "nps.csv", "csv", "expected");
    let expected = folder.read("expected/data.csv");
    for delimiter in [";", "|", "\t"] {
        folder.write("other.csv", folder.read("nps.csv").replace(',', delimiter));
        let output = format!("release-{}", delimiter.escape_default());
        release(&folder, "other.csv", "csv", &output);
        assert_eq!(folder.read(&format!("{output}/data.csv")), expected.replace(',', delimiter));
    }
    folder.write("other.csv", folder.read("nps.csv").replace(',', "#"));
    let given = ["--set", "input.delimiter=#"];
    folder.ok(&[
        &["anonymize", "nps.toml", "--seed", "3", "--input", "other.csv", "--output", "hash"][..],
        &given,
    ]
    .concat());
    folder.ok(&["verify", "hash"]);
}

#[test]
fn a_wrong_format_is_the_datas_fault() {
    let folder = folder();
    folder.write("text.parquet", "age,sex\n1,2\n");
    folder.write("text.csv.gz", "age,sex\n1,2\n");
    let measure = |file| folder.run(&["measure", file, "--qi", "age"]);
    let run = measure("text.parquet");
    assert_eq!(run.code, 4, "{}", run.err);
    // The name says packed, the bytes do not: the bytes are right.
    assert_eq!(measure("text.csv.gz").code, 0);
}
