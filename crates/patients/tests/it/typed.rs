//! Released tables in Parquet, whose columns have types.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use velamen_checker::{Finding, State};
use velamen_core::context::{Context, Silent};
use velamen_core::error::Problem;
use velamen_dp::Seed;
use velamen_engine::sink::{ColumnKind, OutColumn, OutTable};
use velamen_engine::source::{Input, ReadOptions};
use velamen_engine::{ColumnRequest, FileFormat};

use super::folder::{Made, Read, agreement, omop, with_context};
use super::originals::found;
use super::tables::{RECIPE, hospital};

fn in_parquet(recipe: &str) -> String {
    format!("{recipe}format = \"parquet\"\n")
}

/// A released table, by its columns in the file's order.
fn table(made: &Made, name: &str) -> Vec<(String, Vec<String>)> {
    let input = Input::open(&made.path("release/data").join(name), &ReadOptions::default()).unwrap();
    let requests: Vec<ColumnRequest> = input
        .columns
        .iter()
        .enumerate()
        .map(|(index, name)| ColumnRequest::as_recorded(index, name))
        .collect();
    let read = with_context(|context| input.read_in_order(&requests, context)).unwrap();
    let cells = read.values.iter().zip(&read.codes);
    let cells =
        cells.map(|(values, codes)| codes.iter().map(|code| values[*code as usize].clone()).collect());
    input.columns.iter().cloned().zip(cells).collect()
}

/// The same as rows.
fn rows(made: &Made, name: &str) -> Read {
    let columns = table(made, name);
    let number = columns.first().map_or(0, |(_, cells)| cells.len());
    let row = |row: usize| columns.iter().map(|(name, cells)| (name.clone(), cells[row].clone())).collect();
    (0..number).map(row).collect::<Vec<BTreeMap<String, String>>>()
}

/// What `verify` finds.
fn verified(made: &Made) -> Vec<Finding> {
    let manifest = velamen_patients::load(&made.path("release")).unwrap().unwrap();
    with_context(|context| velamen_patients::verify(&made.path("release"), &manifest, context)).unwrap()
}

fn broken(findings: &[Finding]) -> Vec<&str> {
    findings
        .iter()
        .filter(|finding| finding.state == State::Broken)
        .map(|finding| &*finding.promise)
        .collect()
}

#[test]
fn the_cells_are_those_of_text() {
    for (made, recipe, tables) in [
        (
            omop(120),
            agreement(3, 1),
            vec!["PERSON", "CONDITION_OCCURRENCE", "MEASUREMENT", "VISIT_OCCURRENCE"],
        ),
        (
            hospital(120),
            RECIPE.to_owned() + "[key]\nfile = \"secret.key\"\n",
            vec!["patients", "stays", "codes"],
        ),
    ] {
        made.run(&recipe).unwrap();
        let text: Vec<Read> = tables.iter().map(|name| made.released(&format!("{name}.csv"))).collect();
        made.run(&recipe.replace("[output]\n", "[output]\nformat = \"parquet\"\n")).unwrap();
        for (name, text) in tables.iter().zip(text) {
            assert!(!text.is_empty());
            assert_eq!(rows(&made, &format!("{name}.parquet")), text, "{name}");
            assert!(!made.path("release/data").join(format!("{name}.csv")).exists());
        }
        assert_eq!(broken(&verified(&made)), [""; 0]);
        assert_eq!(found(&made).state, State::Held, "{:?}", found(&made).reached);
    }
}

#[test]
fn keys_and_concepts_are_whole_numbers() {
    let made = omop(120);
    made.run(&in_parquet(&agreement(3, 1))).unwrap();
    let input = Input::open(&made.path("release/data/CONDITION_OCCURRENCE.parquet"), &ReadOptions::default())
        .unwrap();
    let kinds: BTreeMap<&str, String> = input
        .columns
        .iter()
        .zip(input.kinds().unwrap())
        .map(|(name, kind)| (name.as_str(), format!("{kind:?}")))
        .collect();
    for column in ["condition_occurrence_id", "person_id", "condition_concept_id", "visit_occurrence_id"] {
        assert_eq!(kinds[column], "Int64");
    }
    assert_eq!(kinds["condition_start_date"], "Utf8");
}

/// Writes a table again with other cells.
fn forge(made: &Made, name: &str, change: impl Fn(&mut Vec<(String, Vec<String>)>)) {
    let mut columns = table(made, name);
    change(&mut columns);
    let counts = vec![1; columns[0].1.len()];
    let column = |(name, cells): (String, Vec<String>)| {
        let mut labels = cells.clone();
        labels.sort();
        labels.dedup();
        let codes = cells.iter().map(|cell| labels.binary_search(cell).unwrap() as u32).collect::<Vec<u32>>();
        let is_number = labels.iter().all(|label| label.is_empty() || label.parse::<i64>().is_ok());
        let kind = if is_number { ColumnKind::Integer } else { ColumnKind::Text };
        (OutColumn { name, labels, kind }, codes)
    };
    let (columns, codes) = columns.into_iter().map(column).unzip();
    let format: FileFormat = "parquet".parse().map_err(|error: Problem| error.to_string()).unwrap();
    let path = made.path("release/data").join(name);
    with_context(|context| OutTable { columns, codes, counts }.write(&path, format, b',', context)).unwrap();
}

fn column<'a>(columns: &'a mut [(String, Vec<String>)], name: &str) -> &'a mut Vec<String> {
    &mut columns.iter_mut().find(|(other, _)| other == name).unwrap().1
}

#[test]
fn what_is_forged_is_found() {
    let made = omop(120);
    made.run(&in_parquet(&agreement(3, 1))).unwrap();
    let name = "CONDITION_OCCURRENCE.parquet";
    let path = made.path("release/data").join(name);
    let whole = std::fs::read(&path).unwrap();
    let found = |change: &dyn Fn(&mut Vec<(String, Vec<String>)>)| {
        forge(&made, name, change);
        let findings = verified(&made);
        std::fs::write(&path, &whole).unwrap();
        broken(&findings).into_iter().map(str::to_owned).collect::<Vec<String>>()
    };
    // Written again as it is, only the checksum is another.
    assert_eq!(found(&|_| ()), ["files"]);
    let has =
        |found: Vec<String>, promise: &str| assert!(found.iter().any(|found| found == promise), "{found:?}");
    has(found(&|columns| column(columns, "condition_concept_id")[0] = "4711".into()), "k-km-anonymity");
    has(found(&|columns| column(columns, "person_id")[0] = "99999".into()), "keys");
    has(found(&|columns| columns[0].0 = "other".into()), "columns");
    has(found(&|columns| columns.iter_mut().for_each(|(_, cells)| cells.swap(0, 1))), "order");
    // Bytes behind the cells: another beginning of the footer's text, a byte at the end, half of the file.
    let mut longer = whole.clone();
    let at = longer.windows(7).rposition(|bytes| bytes == b"parquet").unwrap();
    longer[at] = b'q';
    std::fs::write(&path, longer).unwrap();
    assert!(broken(&verified(&made)).contains(&"columns"));
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let manifest = velamen_patients::load(&made.path("release")).unwrap().unwrap();
    let (seed, cancel) = (Seed::from_number(7), AtomicBool::new(false));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    let error = velamen_patients::verify(&made.path("release"), &manifest, &context).unwrap_err();
    assert_eq!(error.exit_code(), 4);
    assert!(error.to_string().contains("CONDITION_OCCURRENCE.parquet"), "{error}");
}

#[test]
fn other_formats_are_refused() {
    let made = omop(40);
    for (format, shape, what) in [
        ("xlsx", "omop", "expected csv or parquet"),
        ("ndjson", "omop", "expected csv or parquet"),
        ("csv.gz", "omop", "expected csv or parquet"),
        ("parquet", "fhir", "resources of FHIR are NDJSON"),
    ] {
        let recipe = agreement(3, 1).replace("\"omop\"", &format!("\"{shape}\""));
        let error = made.run(&format!("{recipe}format = \"{format}\"\n")).unwrap_err();
        assert_eq!(error.exit_code(), 5, "{error}");
        assert!(error.to_string().contains(what), "{format}: {error}");
    }
}
