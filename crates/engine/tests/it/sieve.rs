//! Records that do not meet the conditions count for nothing, in every format, with derived columns and on any number of threads.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use velamen_core::derived::{Derivation, Formula, Step};
use velamen_core::frequency::Role;
use velamen_core::hierarchy::Rule;
use velamen_engine::source::{Input, ReadOptions};
use velamen_engine::{CellTest, ColumnRequest, Condition, Derived, EngineError, KeptRecords};

use crate::common::{on_threads, with_context};

fn table() -> String {
    let rows = (0..5000).map(|n| format!("{},{},{}\n", n % 90, ["DE", "FR", ""][n % 3], n % 11));
    "age,land,nights\n".to_owned() + &rows.collect::<String>()
}

fn wanted(conditions: &[(&str, CellTest)]) -> ReadOptions {
    let of = |(column, test): &(&str, CellTest)| Condition { column: (*column).into(), test: test.clone() };
    let tens = Formula::Rounded { of: "age".into(), to: Step::new(10.0).unwrap() };
    ReadOptions {
        wanted: KeptRecords { conditions: conditions.iter().map(of).collect(), where_absent: false },
        derived: Derived {
            columns: vec![Derivation { name: "tens".into(), formula: tens }],
            where_absent: false,
        },
        ..ReadOptions::default()
    }
}

/// The values of a quasi-identifier and of another column that a table shows, and their counts.
type Seen = (BTreeSet<String>, BTreeSet<String>, BTreeMap<(String, String), u64>);

/// Age as a quasi-identifier and nights, of all records that meet the conditions.
fn seen(content: &str, options: &ReadOptions) -> Result<Seen, EngineError> {
    let input = Input::of_bytes(Path::new("t.csv"), content.to_owned().into_bytes(), options)?;
    let request = |name: &str, role| ColumnRequest {
        index: input.columns.iter().position(|column| column == name).unwrap(),
        name: name.into(),
        role,
        rule: Arc::new(Rule::Flat),
        whole_domain: false,
    };
    let requests = [request("age", Role::QuasiIdentifier), request("nights", Role::Insensitive)];
    let table = with_context(|context| input.read(&requests, context))?;
    let (ages, nights) = (table.qis[0].hierarchy.labels(0).to_vec(), table.rest.columns[0].values.clone());
    let mut counts = BTreeMap::new();
    for entry in 0..table.counts.len() {
        let age = ages[table.codes[0][entry] as usize].clone();
        let night = nights[table.rest.codes[0][table.rest_index[entry] as usize] as usize].clone();
        *counts.entry((age, night)).or_default() += table.counts[entry];
    }
    Ok((ages.into_iter().collect(), nights.into_iter().collect(), counts))
}

fn values(values: &[&str]) -> BTreeSet<String> {
    values.iter().map(|value| (*value).to_owned()).collect()
}

/// Conditions by column, and whether a record by its number and text meets them.
type Case<'a> = (&'a [(&'a str, CellTest)], fn(u32, &str) -> bool);

#[test]
fn what_is_kept_is_what_a_table_of_those_records_alone_holds() {
    let french = CellTest::Among(values(&["FR", ""]));
    let cases: [Case<'_>; 4] = [
        (&[("land", french)], |_, land| land != "DE"),
        (&[("land", CellTest::Not(values(&["FR"]))), ("age", CellTest::Between(18.0, 40.0))], |age, land| {
            land != "FR" && (18..=40).contains(&age)
        }),
        (&[("tens", CellTest::Between(50.0, f64::INFINITY))], |age, _| age >= 45),
        (&[("age", CellTest::Among(values(&["7"])))], |age, _| age == 7),
    ];
    for (conditions, is_kept) in cases {
        let lines = |line: &&str| {
            let cells: Vec<&str> = line.split(',').collect();
            is_kept(cells[0].parse().unwrap(), cells[1])
        };
        let alone: Vec<String> = table().lines().skip(1).filter(lines).map(str::to_owned).collect();
        let alone = format!("age,land,nights\n{}\n", alone.join("\n"));
        let expected = seen(&alone, &wanted(&[])).unwrap();
        for threads in [1, 4] {
            let found = on_threads(threads, || seen(&table(), &wanted(conditions)).unwrap());
            assert_eq!(found, expected, "{conditions:?}");
        }
    }
}

#[test]
fn a_column_that_is_not_there_and_conditions_that_nobody_meets_are_refused() {
    let lacking = seen(&table(), &wanted(&[("town", CellTest::Among(values(&["Ulm"])))])).unwrap_err();
    assert!(lacking.to_string().contains("no column `town`"), "{lacking}");
    let nobody = seen(&table(), &wanted(&[("land", CellTest::Among(values(&["AT"])))])).unwrap_err();
    assert!(nobody.to_string().contains("no record meets"), "{nobody}");
    let mut absent = wanted(&[("town", CellTest::Among(values(&["Ulm"])))]);
    absent.wanted.where_absent = true;
    assert_eq!(seen(&table(), &absent).unwrap(), seen(&table(), &wanted(&[])).unwrap());
}
