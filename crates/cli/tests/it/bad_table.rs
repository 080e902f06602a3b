//! Tables that are not what they should be: the place and the remedy are said, the value is not.

use crate::common::{CANARY, Folder, H_CEILING, OPTIMAL, patients, recipe};

const RUN: [&str; 2] = ["anonymize", "recipe.toml"];

/// Refuses a table with code 4.
fn refused(table: impl AsRef<[u8]>, says: &[&str]) {
    let folder = Folder::with(H_CEILING);
    folder.write("patients.csv", table);
    folder.refused(&RUN, 4, says);
}

/// The good table with its `record` replaced.
fn with_record(record: usize, line: &str) -> String {
    let mut lines: Vec<String> = patients().lines().map(str::to_owned).collect();
    lines[record] = line.to_owned();
    lines.join("\n") + "\n"
}

#[test]
fn a_missing_file() {
    let folder = Folder::with(H_CEILING);
    std::fs::remove_file(folder.path("patients.csv")).unwrap();
    folder.refused(&RUN, 6, &["patients.csv", "No such file"]);
    folder.refused(&["anonymize", "recipe.toml", "--input", "other.csv"], 6, &["other.csv"]);
    folder.refused(&["anonymize", "recipe.toml", "--input", "."], 6, &["directory"]);
    folder.refused(&["anonymize", "no.toml"], 6, &["no.toml", "recipe"]);
}

#[test]
fn a_value_the_hierarchy_lacks() {
    let table = with_record(7, &format!("{CANARY},F,I63"));
    refused(&table, &["patients.csv", "line 8 (record 7)", "`age`", "a whole number from 0 to 99"]);
    refused(with_record(120, "120,F,I63"), &["line 121 (record 120)", "`age`"]);
}

#[test]
fn a_value_is_shown_on_request_only() {
    let folder = Folder::with(H_CEILING);
    folder.write("patients.csv", with_record(7, &format!("{CANARY},F,I63")));
    let run = folder.run(&["anonymize", "recipe.toml", "--show-values"]);
    assert_eq!(run.code, 4);
    assert!(run.err.contains(CANARY), "{}", run.err);
    assert_eq!(folder.entries(), ["patients.csv", "recipe.toml"]);
}

#[test]
fn ragged_records() {
    refused(with_record(9, &format!("34,{CANARY}")), &["line 10 (record 9)", "2 fields; expected 3"]);
    refused(with_record(9, &format!("34,F,I63,{CANARY}")), &["line 10 (record 9)", "4 fields; expected 3"]);
}

#[test]
fn a_quote_that_is_never_closed() {
    refused(with_record(9, &format!("34,F,\"{CANARY}")), &["quoted field is never closed", "line 10"]);
}

#[test]
fn text_that_is_not_utf_8() {
    let mut latin = with_record(3, "31,F,XX").into_bytes();
    let place = latin.windows(2).position(|w| w == b"XX").unwrap();
    latin[place..place + 2].copy_from_slice(b"\xfcX");
    refused(latin, &["line 4 (record 3)", "`diagnosis`", "not UTF-8", "encoding = "]);
    let header = patients().replace("diagnosis", "diagnosX").into_bytes();
    let header: Vec<u8> = header.iter().map(|&b| if b == b'X' { 0xfc } else { b }).collect();
    refused(header, &["header is not UTF-8", "encoding = "]);
}

#[test]
fn utf_16_with_and_without_mark() {
    let wide = |mark: &[u8], bytes: fn(u16) -> [u8; 2]| {
        let units = patients().encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
        [mark, &units].concat()
    };
    refused(wide(b"\xff\xfe", u16::to_le_bytes), &["UTF-16", "encoding = "]);
    refused(wide(b"\xfe\xff", u16::to_be_bytes), &["UTF-16", "encoding = "]);
    let folder = Folder::with(H_CEILING);
    folder.write("patients.csv", wide(b"", u16::to_le_bytes));
    let code = folder.run(&RUN).code;
    assert!(matches!(code, 4 | 5), "{code}");
    assert_eq!(folder.entries(), ["patients.csv", "recipe.toml"]);
}

#[test]
fn a_byte_order_mark_is_no_fault() {
    let folder = Folder::with(H_CEILING);
    folder.write("patients.csv", format!("\u{feff}{}", patients()));
    folder.ok(&RUN);
}

#[test]
fn duplicate_and_empty_headers() {
    refused(patients().replacen("sex", "age", 1), &["columns 1 and 2", "rename"]);
    refused(patients().replacen("sex", "", 1), &["column 2 has no name"]);
}

#[test]
fn an_empty_table() {
    refused("", &["empty", "header"]);
    refused("\n\n", &["empty", "header"]);
    refused("age,sex,diagnosis\n", &["header but no record"]);
    refused("age,sex,diagnosis", &["header but no record"]);
}

#[test]
fn fewer_records_than_k() {
    let folder = Folder::with(H_CEILING);
    folder.write("patients.csv", "age,sex,diagnosis\n31,F,I63\n");
    folder.refused(&RUN, 3, &["1 record", "k = 5"]);
    folder.write("patients.csv", patients());
    folder.refused(&[&RUN[..], &["--set", "privacy.0.k=121"]].concat(), 3, &["120 records", "k = 121"]);
}

#[test]
fn all_records_equal() {
    let folder = Folder::with(OPTIMAL);
    folder.write("patients.csv", "age,sex,diagnosis\n".to_owned() + &"31,F,I63\n".repeat(9));
    folder.ok(&RUN);
    let manifest = folder.json("release/release.json");
    assert_eq!((manifest["classes"].as_u64(), manifest["records"].as_u64()), (Some(1), Some(9)));
    assert!(folder.read("release/data.csv").contains("1,31,F,I63"));
    // One sensitive value only: counterfeits would be known.
    folder.refused(
        &[&RUN[..], &["--overwrite", "--set", "method.name=h-ceiling"]].concat(),
        4,
        &["`diagnosis`", "at least two values"],
    );
}

#[test]
fn all_records_equal_with_a_public_sensitive_domain() {
    let folder = Folder::with(H_CEILING);
    folder.write("patients.csv", "age,sex,diagnosis\n".to_owned() + &"31,F,I63\n".repeat(9));
    folder.write("diagnosis.csv", "I63;*\nJ18;*\n");
    let recipe = folder.read("recipe.toml");
    folder.write(
        "recipe.toml",
        recipe.replace("\"sensitive\"", "\"sensitive\"\nhierarchy = \"diagnosis.csv\""),
    );
    let run = folder.run(&[&RUN[..], &["--set", "method.padding=exact"]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    folder.ok(&["verify", "release"]);
}

#[test]
fn an_attribute_the_table_lacks() {
    let folder = Folder::with(H_CEILING);
    folder.write("patients.csv", patients().replacen("age", "Age", 1));
    folder.refused(&RUN, 5, &["`age`", "not a column of", "did you mean `Age`"]);
    folder.write("patients.csv", patients().replacen("age", "years", 1));
    folder.refused(&RUN, 5, &["`age`", "its columns are: years, sex, diagnosis"]);
}

#[test]
fn a_column_named_like_the_class_ids() {
    let folder = Folder::with(H_CEILING);
    folder.write(
        "patients.csv",
        patients()
            .replacen("diagnosis", "diagnosis,ClassID", 1)
            .replace("63\n", "63,1\n")
            .replace("18\n", "18,1\n"),
    );
    let run = [&RUN[..], &["--set", "unnamed=insensitive", "--set", "method.insensitive=release"]].concat();
    folder.refused(&run, 4, &["`ClassID`", "rename"]);
}

#[test]
fn a_packed_file_that_is_cut_off() {
    let folder = Folder::with(H_CEILING);
    folder.ok(&["synth", "nps", "--rows", "500", "--output", "whole.csv.gz"]);
    let mut packed = std::fs::read(folder.path("whole.csv.gz")).unwrap();
    packed.truncate(packed.len() / 2);
    folder.write("half.csv.gz", &packed);
    folder.refused(
        &["anonymize", "recipe.toml", "--input", "half.csv.gz"],
        4,
        &["half.csv.gz", "cut off or damaged"],
    );
}

/// How many values are missing, and what may be wrong with them: the first fault is not all there is to mend.
#[test]
fn values_that_a_hierarchy_lacks_are_counted_and_hinted_at() {
    let folder = Folder::with(OPTIMAL);
    let named = recipe(OPTIMAL).replace(
        "[attributes.sex]\nrole = \"quasi-identifier\"",
        "[attributes.sex]\nrole = \"quasi-identifier\"\nhierarchy = \"sex.csv\"",
    );
    folder.write("recipe.toml", named);
    folder.write("sex.csv", "F;*\nM;*\nDi\u{e4}r;*\n");
    let patients = patients();
    for (instead, says) in [
        (" M", &["white space", "trim = true"][..]),
        ("\u{a0}M", &["no-break"]),
        ("m", &["letter case"]),
        ("NA", &["`null`"]),
        ("Dia\u{308}r", &["Unicode form"]),
        (CANARY, &["--show-values"]),
    ] {
        folder.write("patients.csv", patients.replace(",M,", &format!(",{instead},")));
        let count = [
            "line 12 (record 11), column `sex`",
            "lacks 1 different value of the column, in 60 records",
            "Hint: ",
        ];
        let run = folder.refused(&["anonymize", "recipe.toml"], 4, &[&count[..], says].concat());
        assert!(!run.err.contains("Dia\u{308}"), "{}", run.err);
    }
    let mut two = patients.replace(",M,", ",m,").replacen(",m,", &format!(",{CANARY},"), 1);
    folder.write("patients.csv", &two);
    folder.refused(
        &["anonymize", "recipe.toml"],
        4,
        &["lacks 2 different values of the column, in 60 records", "letter case"],
    );
    two += "a record of one cell\n";
    folder.write("patients.csv", &two);
    let run = folder.refused(&["anonymize", "recipe.toml"], 4, &["line 12", "--show-values"]);
    assert!(!run.err.contains("lacks"), "{}", run.err);
    let decimal = recipe(OPTIMAL).replace("max = 99", "max = 99.9, decimals = 1");
    folder.write("recipe.toml", decimal);
    folder.write("patients.csv", patients.replace("31,", "\"31,5\","));
    folder.refused(&["anonymize", "recipe.toml"], 4, &["in 20 records", "decimal comma"]);
}
