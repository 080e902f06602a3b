//! What everything downstream relies on: entries of a table ascend by their codes, each once, however
//! many bits a record takes.

use std::io::Write;
use std::sync::Arc;

use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::Rule;
use velamen_engine::ColumnRequest;
use velamen_engine::source::{Input, ReadOptions};
use velamen_testsuite::{on_threads, with_context};

/// A table of that many columns of that many values, the last two of them not quasi-identifiers.
fn table(columns: usize, values: u64, threads: usize) -> FrequencyTable {
    let mut file = tempfile::NamedTempFile::with_suffix(".csv").expect("a temporary file can be made");
    let header: Vec<String> = (0..columns).map(|c| format!("c{c}")).collect();
    let mut text = header.join(",") + "\n";
    let mut state = 1u64;
    for _ in 0..3000 {
        let cells: Vec<String> = (0..columns)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                ((state >> 33) % values).to_string()
            })
            .collect();
        text += &(cells.join(",") + "\n");
    }
    file.write_all(text.as_bytes()).expect("a temporary file can be written");
    let input = Input::open(file.path(), &ReadOptions::default()).expect("the table has a header");
    let request = |index: usize| ColumnRequest {
        index,
        name: header[index].clone(),
        role: if index + 2 < columns { Role::QuasiIdentifier } else { Role::Sensitive },
        rule: Arc::new(Rule::Flat),
        whole_domain: false,
    };
    let requests: Vec<ColumnRequest> = (0..columns).map(request).collect();
    on_threads(threads, || with_context(0, |context| input.read(&requests, context).expect("it has records")))
}

#[test]
fn entries_ascend_however_wide_they_are() {
    for (columns, values) in [(3, 2), (4, 5), (5, 60), (6, 700), (9, 300), (30, 40)] {
        let [one, two] = [1, 2].map(|threads| table(columns, values, threads));
        let entry = |table: &FrequencyTable, e: usize| -> Vec<u32> {
            let codes = table.codes.iter().map(|column| column[e]);
            codes.chain(std::iter::once(table.rest_index[e])).collect()
        };
        for e in 1..one.len() {
            assert!(entry(&one, e - 1) < entry(&one, e), "{columns} columns of {values} values, entry {e}");
        }
        for r in 1..one.rest.len {
            assert!(one.rest.row(r - 1) < one.rest.row(r), "{columns} columns of {values} values, rest {r}");
        }
        assert_eq!(one.records(), 3000);
        assert_eq!((one.codes, one.rest_index, one.counts), (two.codes, two.rest_index, two.counts));
    }
}
