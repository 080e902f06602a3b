//! Texts of recipients and custodians: labels, workloads, hierarchies as files or forms.

use std::path::PathBuf;
use std::sync::OnceLock;

use tempfile::TempDir;
use velamen_assess::compare::QueryOptions;
use velamen_assess::{CompareOptions, Section, compare};
use velamen_contract::PromisedAttribute;
use velamen_core::hierarchy::Definition;
use velamen_core::label::{Open, Range, number, of_numbers, of_texts, position};
use velamen_engine::source::ReadOptions;
use velamen_job::hierarchy::{Codes, ValuesFrom, check, of_form};
use velamen_recipe::Origin;

use super::{forged, with_context, with_file};

/// Labels, then values.
pub(super) const LABELS: [&str; 6] =
    ["[5-9]\n7\n9", "[-5--1]\n-3", "[1e-5-2]\n+.5\n1", ">=90\n90\n91", "[a..b]\nab", "130**\n13012"];

/// A label, then values, one to a line: what the label covers, and that what is written reads back.
pub fn label(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.split('\n');
    let label = lines.next().unwrap_or_default();
    let values: Vec<&str> = lines.take(8).collect();
    for attribute in attributes() {
        let _ = velamen_checker::read(attribute, label);
    }
    if let Some(range) = Range::read(label) {
        let _ = (range.ends(), values.iter().filter(|value| range.has(value)).count());
        if let Some((low, high)) = range.bounds() {
            assert!(low <= high, "the bounds of {label:?}");
        }
    }
    for pair in values.windows(2) {
        numbers_read_back(pair[0], pair[1]);
        texts_read_back(pair[0], pair[1]);
    }
}

/// The range of two numbers, or of what is coded, has these ends and covers both.
fn numbers_read_back(low: &str, high: &str) {
    let (Some(from), Some(to)) = (position(low), position(high)) else { return };
    if from > to {
        return;
    }
    let label = of_numbers(low, high);
    assert_eq!(Range::read(&label), Some(Range::Numbers(low, high)), "{label:?}");
    let range = Range::Numbers(low, high);
    assert!(range.has(low) && range.has(high), "{label:?} covers its ends");
    if number(low).is_some() {
        let label = Open::Above.label(low);
        assert!(Range::read(&label).is_some_and(|range| range.has(low) && range.has(high)), "{label:?}");
    }
}

/// The range of two texts covers both, unless it reads as one of numbers.
fn texts_read_back(first: &str, last: &str) {
    let label = of_texts(first, last);
    if let (true, Some(range @ Range::Texts(_))) = (first <= last, Range::read(&label)) {
        assert!(range.has(first) && range.has(last), "{label:?} covers its ends");
    }
}

/// An attribute of each form, with and without a level.
fn attributes() -> &'static [PromisedAttribute] {
    static ATTRIBUTES: OnceLock<Vec<PromisedAttribute>> = OnceLock::new();
    ATTRIBUTES.get_or_init(|| {
        let forms = [
            r#"{"interval":[5,10],"min":-20,"max":99,"decimals":1}"#,
            r#"{"mask":"right","length":5}"#,
            r#"{"rows":[["a","x","*"],["b","x","*"],["[1-2]","y","*"]]}"#,
            r#"{"icd-10":"who"}"#,
            r#"{"date":["month","year"],"min":"1990-01-01","max":"2024-12-31"}"#,
            r#"{"prefix":[2,5],"shorter":true}"#,
            r#"{"domain":7}"#,
        ];
        let of = |(form, level): (&str, Option<u8>)| PromisedAttribute {
            name: "a".into(),
            hierarchy: serde_json::from_str::<Definition>(form).expect("the form reads"),
            level,
            top: Some(90.0),
            ..PromisedAttribute::default()
        };
        forms.into_iter().flat_map(|form| [None, Some(0), Some(1)].map(|level| of((form, level)))).collect()
    })
}

/// Workloads that read.
pub(super) const WORKLOADS: [&str; 3] = [
    "SELECT COUNT(*) WHERE age BETWEEN 30 AND 45 AND sex <> 'F'",
    "-- counts\nselect count(*) from t where age >= 31 and disease not in ('flu', 'it''s') group by sex, \"zip\";\n",
    "SELECT COUNT(*) WHERE zip IN ('13053', '14850') AND age < 50 GROUP BY disease",
];

/// A table with its release, for queries on both.
struct Pair {
    folder: TempDir,
    original: PathBuf,
}

fn pair() -> &'static Pair {
    static PAIR: OnceLock<Pair> = OnceLock::new();
    PAIR.get_or_init(|| {
        let folder = forged::good_release(0);
        let original = folder.path().join("original");
        std::fs::write(&original, forged::TABLE).expect("a temporary file can be written");
        Pair { folder, original }
    })
}

/// A workload, asked of a table and its release.
pub fn workload(bytes: &[u8]) {
    let pair = pair();
    with_file("workload.sql", bytes, |path| {
        let queries = QueryOptions { ranges: 0, workload: Some(path.to_owned()), show: true };
        let options = CompareOptions { only: vec![Section::Queries], queries, ..CompareOptions::default() };
        let original = Origin::File(pair.original.clone());
        with_context(|context| {
            let read =
                ReadOptions { format: Some("csv".parse().expect("a format")), ..ReadOptions::default() };
            let compared = compare(&original, &read, pair.folder.path(), &options, context);
            let asked = compared.ok().and_then(|compared| compared.queries);
            for query in asked.and_then(|asked| asked.queries).unwrap_or_default() {
                assert!(query.original >= 0.0 && query.released >= 0.0, "{}", query.sql);
            }
        });
    });
}

/// Hierarchies: rows as ARX writes them, or a form and values.
pub(super) const HIERARCHIES: [&str; 5] = [
    "a;x;*\nb;x;*\n\"c;d\";y;*\n",
    "1,[1-2],*\r\n2,[1-2],*\r\n",
    "{ age = 90 }\n12\n95",
    "{ ordered = [\"low\", \"mid\", \"high\"], groups = [[2, 1]] }\nlow",
    "{ date = [\"month\", \"year\"], min = \"2020-01-01\", max = \"2024-12-31\" }\n2021-02-28",
];

/// A file of rows, or a form on the first line and values on the others: checked, shown and written out.
pub fn hierarchy_file(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (form, values) = match text.starts_with('{') {
        true => text.split_once('\n').unwrap_or((&text, "")),
        false => ("", ""),
    };
    with_file("values.txt", values.as_bytes(), |codes| {
        let values = ValuesFrom { codes: Some(Codes::File(codes.to_owned())), ..ValuesFrom::default() };
        with_file("hierarchy.csv", bytes, |file| {
            with_context(|context| {
                let form = if form.is_empty() { file.to_str().unwrap_or_default() } else { form };
                drop(check(file, &ValuesFrom::default(), true, context));
                let Ok(ready) = of_form(form, &values) else { return };
                drop(ready.rows(&values, context));
                drop(ready.show(&values, true, context));
            });
        });
    });
}
