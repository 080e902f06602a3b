//! The same on Adult, where its folder is named: `VELAMEN_ADULT=DIR`, with `adult.csv` and the
//! hierarchies `adult_hierarchy_NAME.csv`.

use std::path::{Path, PathBuf};

use velamen_assess::{QueryOptions, query};
use velamen_dp::Seed;

use super::naive::{Column, Query, Record};
use super::{Tally, check, release, with_context};

const QIS: [&str; 7] = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"];

/// Queries for each method.
const QUERIES: u64 = 220;

const METHODS: [&str; 5] = [
    "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.3",
    "name = \"optimal\"\nsuppression-limit = 0.02",
    "name = \"mondrian\"",
    "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.3\nparts = \"mondrian\"",
    "name = \"optimal\"\nsuppression-limit = 0.5\nlocal-recoding = true",
];

/// Level 2 of the hierarchy that comes with Adult: 1 to 10 are `0-9`, 11 to 20 are `10-19`.
fn decade(age: &str) -> String {
    let low = (age.parse::<i64>().unwrap() - 1) / 10 * 10;
    format!("{low}-{}", low + 9)
}

fn read(folder: &Path) -> (Vec<Column>, Vec<Record>) {
    let text = std::fs::read_to_string(folder.join("adult.csv")).unwrap();
    let mut lines = text.lines().map(|line| line.split(';').map(str::to_owned).collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let records: Vec<Record> = lines.map(|cells| cells.into_iter().map(Some).collect()).collect();
    let column = |(at, name): (usize, &String)| {
        let mut values: Vec<String> =
            records.iter().take(500).filter_map(|record| record[at].clone()).collect();
        values.sort();
        values.dedup();
        let age = name == "age";
        Column {
            name: name.clone(),
            numeric: age,
            values,
            few: true,
            level: age.then_some((2, decade as fn(&str) -> String)),
        }
    };
    (names.iter().enumerate().map(column).collect(), records)
}

fn recipe(folder: &Path, method: &str) -> String {
    let mut text = format!("[input]\npath = \"{}\"\ndelimiter = \";\"\n", folder.join("adult.csv").display());
    for name in QIS {
        let file = folder.join(format!("adult_hierarchy_{name}.csv"));
        text += &format!(
            "[attributes.{name}]\nrole = \"quasi-identifier\"\nhierarchy = \"{}\"\n",
            file.display()
        );
    }
    text +=
        "[attributes.occupation]\nrole = \"sensitive\"\n[attributes.salary-class]\nrole = \"insensitive\"\n";
    text + &format!(
        "[[privacy]]\nmodel = \"k-anonymity\"\nk = 5\n[method]\n{method}\nseed = 1\n[output]\npath = \"release\"\n"
    )
}

#[test]
#[ignore = "needs Adult: VELAMEN_ADULT=DIR"]
fn bounds_hold_on_adult() {
    let adult = PathBuf::from(std::env::var("VELAMEN_ADULT").expect("VELAMEN_ADULT names Adult's folder"));
    let adult = adult.canonicalize().unwrap();
    let (columns, records) = read(&adult);
    for (number, method) in (0..).zip(METHODS) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("recipe.toml"), recipe(&adult, method)).unwrap();
        release(folder.path()).unwrap();
        let mut stream = Seed::from_number(number).stream(1);
        let (mut tally, mut refused) = (Tally::default(), 0);
        for _ in 0..QUERIES {
            let asked = Query::random(&mut stream, &columns);
            let text = asked.sql(&columns, "release");
            let options = QueryOptions::default();
            match with_context(|context| query(&folder.path().join("release"), &text, &options, context)) {
                Ok(answer) => {
                    let fail = |problem| panic!("{method}: {text}\n{problem}");
                    check(&answer, &asked, &columns, &records, &mut tally).unwrap_or_else(fail);
                }
                Err(error) => {
                    assert!(error.to_string().contains("than"), "{text}\n{error}");
                    refused += 1;
                }
            }
        }
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        eprintln!(
            "{}: {} queries, {refused} refused as too large, {} bounds, none violated; counts: mean width {:.4}, mean \
             error of the estimate {:.4}, of all records",
            method.replace('\n', ", "),
            QUERIES - refused,
            tally.bounds,
            mean(&tally.widths),
            mean(&tally.errors)
        );
    }
}
