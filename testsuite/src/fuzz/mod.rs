//! Bodies of the fuzz targets: each takes any bytes and must not panic.
//!
//! `fuzz/` gives them to cargo-fuzz; `tests/it/fuzz_smoke.rs` runs a fixed set of cases with the
//! stable compiler. What the code under test answers matters little here: it has to answer, and a body
//! asserts only what holds of every answer.
//!
//! Most bodies take the text that a reader reads. Those whose names end in `_made`, and `release`, draw
//! structured inputs from the bytes, which get past the readers.

mod damaged;
mod forged;
mod linked;
mod recipes;
mod signature;
mod source;
mod sql;
mod text;

pub use damaged::{columnar, packed, release_bytes, workbook};
pub use forged::{TABLE, good_release, release};
pub use linked::linked;
pub use recipes::{recipe_made, set};
pub use signature::signature;
pub use sql::{query, query_made};
pub use text::{hierarchy_file, label, workload};

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use velamen_core::context::{Context, Silent};
use velamen_core::frequency::Role;
use velamen_core::hierarchy::{Definition, Rule, TableRule};
use velamen_dp::Seed;
use velamen_engine::source::{Input, ReadOptions};
use velamen_engine::{ColumnRequest, FileFormat};
use velamen_measure::profile::finding::{Column, findings};
use velamen_measure::profile::{Cells, kind, missing};
use velamen_recipe::{Overrides, Recipe};

/// A body: its name, what it does with bytes, and valid inputs to begin from.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The name, as that of the file in `fuzz/fuzz_targets`.
    pub name: &'static str,
    /// Must return for any bytes.
    pub body: fn(&[u8]),
    /// Inputs that are right, for mutation.
    pub examples: &'static [&'static str],
}

/// Every target.
pub const TARGETS: [Target; 22] = [
    Target { name: "csv", body: csv, examples: &["a,b\n1,x\n2,\"y\n\"\"z\"\r\n", "\u{feff}a;b\n1;2\n3;4"] },
    Target { name: "recipe", body: recipe, examples: &[RECIPE] },
    Target { name: "hierarchy_table", body: hierarchy_table, examples: &["a;x;*\nb;x;*\nc;y;*\n"] },
    Target { name: "manifest", body: manifest, examples: &[MANIFEST] },
    Target { name: "catalog", body: catalog, examples: &["ClassID list,s,Count\n1 2,u,1\n3 4,v,2\n"] },
    Target {
        name: "definition",
        body: definition,
        examples: &[
            "{\"interval\":[5,10,20],\"min\":0,\"max\":99}\n35\n-7\n99.5",
            "{\"cuts\":[[35,67]],\"min\":-5,\"max\":99.5,\"decimals\":1}\n35.5\n+3",
            "{\"icd-10\":\"who\"}\nI63.9\nI63\nz999",
            "{\"icd-10\":\"cm\",\"longest\":7,\"lengths\":[5,4,3]}\nS72.001A\nO09.9X",
            "{\"atc\":\"any-level\"}\nC09AA05\nC09",
            "{\"us-zip\":[\"036\"],\"plus-4\":true}\n03601-1234\n10001",
            "{\"uk-postcode\":\"any\"}\nSW1A 1AA\nm1",
            "{\"prefix\":[2,5,8,10],\"shorter\":true}\n1101053\n11",
            "{\"date\":[\"month\",\"year\",\"10-years\"],\"min\":\"1990-01-01\",\"max\":\"2024-12-31\",\"format\":\"%d.%m.%Y\"}\n29.02.2024\n31.4.2020",
            "{\"date\":[\"week\",\"week-year\"],\"min\":\"1990-01-01\",\"max\":\"2024-12-31\"}\n2020-12-31",
            "{\"mask\":\"left\",\"length\":5,\"alphabet\":36,\"levels\":[2,5]}\nA1234\nnine",
        ],
    },
    Target {
        name: "profile",
        body: profile,
        examples: &[
            "ssn\n219-09-9999\n078-05-1120\n123-45-6789",
            "주민등록번호\n900101-1234568\n850505-2345678",
            "birth_date\n1990-02-29\n31/12/1985\n1985년 3월 1일",
            "contact\na@b.org\n+82 10-1234-5678\nhttps://example.org/x\n192.168.0.1\nfe80::1",
        ],
    },
    Target {
        name: "json_lines",
        body: json_lines,
        examples: &[
            "{\"a\":1,\"b\":\"x\"}\n{\"b\":null,\"a\":2.5}\n",
            "{\"a\":\"\\u00e9\\n\",\"c\":true}\r\n\n{\"a\":\"NA\"}",
        ],
    },
    Target { name: "query", body: query, examples: &sql::EXAMPLES },
    Target { name: "query_made", body: query_made, examples: &source::BYTES },
    Target { name: "workload", body: workload, examples: &text::WORKLOADS },
    Target { name: "label", body: label, examples: &text::LABELS },
    Target { name: "hierarchy_file", body: hierarchy_file, examples: &text::HIERARCHIES },
    Target { name: "set", body: set, examples: &recipes::PAIRS },
    Target { name: "recipe_made", body: recipe_made, examples: &source::BYTES },
    Target { name: "release", body: release, examples: &source::BYTES },
    Target { name: "columnar", body: columnar, examples: &source::BYTES },
    Target { name: "packed", body: packed, examples: &source::BYTES },
    Target { name: "workbook", body: workbook, examples: &source::BYTES },
    Target { name: "release_bytes", body: release_bytes, examples: &source::BYTES },
    Target { name: "signature", body: signature, examples: &signature::EXAMPLES },
    Target { name: "linked", body: linked, examples: &linked::EXAMPLES },
];

/// A column: its name, then its cells, one to a line.
pub fn profile(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.split('\n');
    let name = lines.next().unwrap_or_default();
    let counted: Vec<(&str, u64)> = lines.filter(|cell| !cell.is_empty()).map(|cell| (cell, 1)).collect();
    let cells = Cells(&counted);
    let (kind, _) = kind::of(cells);
    drop(findings(Column { name, kind: &kind, cells }));
    drop(missing::markers(cells));
}

const RECIPE: &str = r#"[input]
path = "missing.csv"
null = ["NA"]
[attributes.age]
role = "quasi-identifier"
hierarchy = { interval = [5, 10], min = 0, max = 99 }
[attributes.zip]
role = "quasi-identifier"
hierarchy = { mask = "right", length = 5 }
[[privacy]]
model = "k-anonymity"
k = 5
[method]
name = "h-ceiling"
adversary-limit = 1
h = 0.3
seed = 42
[output]
path = "release"
"#;

/// Runs `work` on a file with this content.
fn with_file(name: &str, content: &[u8], work: impl FnOnce(&Path)) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join(name);
    std::fs::write(&path, content).expect("a temporary file can be written");
    work(&path);
}

/// Runs `work` with a seed, and nobody who asks it to stop.
fn with_context(work: impl FnOnce(&Context<'_>)) {
    let cancel = AtomicBool::new(false);
    work(&Context { seed: &Seed::from_number(0), progress: &Silent, cancel: &cancel });
}

/// Delimited text, whole, with every column asked for.
pub fn csv(bytes: &[u8]) {
    table("csv", bytes);
}

/// One JSON object a line, with every key asked for.
pub fn json_lines(bytes: &[u8]) {
    table("ndjson", bytes);
}

fn table(format: &str, bytes: &[u8]) {
    let format = format.parse::<FileFormat>().expect("a known format");
    let options = ReadOptions { format: Some(format), null: vec!["NA".into()], ..ReadOptions::default() };
    with_file("table", bytes, |path| {
        let Ok(input) = Input::open(path, &options) else { return };
        let request = |(index, name): (usize, &String)| ColumnRequest {
            index,
            name: name.clone(),
            role: if index == 0 { Role::QuasiIdentifier } else { Role::Insensitive },
            rule: Arc::new(Rule::Flat),
            whole_domain: false,
        };
        let requests: Vec<ColumnRequest> = input.columns.iter().enumerate().map(request).collect();
        with_context(|context| drop(input.read(&requests, context)));
    });
}

/// A recipe's text, parsed and checked.
pub fn recipe(bytes: &[u8]) {
    with_file("recipe.toml", bytes, |path| {
        if let Ok(recipe) = Recipe::load(path, &Overrides::default()) {
            drop(recipe.resolve());
        }
    });
}

/// A hierarchy's rows, one to a line, levels between semicolons.
pub fn hierarchy_table(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let rows: Vec<Vec<String>> =
        text.lines().map(|line| line.split(';').map(str::to_owned).collect()).collect();
    let leaves: Vec<String> = rows.iter().filter_map(|row| row.first().cloned()).collect();
    if let Ok(rule) = TableRule::new(rows) {
        let rule = Rule::Table(rule);
        drop(rule.over(leaves, true));
    }
}

const MANIFEST: &str = r#"{
  "velamen": "0.1.0", "method": { "name": "h-ceiling", "largest-padded-class": 10 },
  "data": { "file": "data.csv", "format": "csv", "delimiter": "," },
  "node": { "a": 0 }, "records": 4, "suppressed": 0, "counterfeits": 1, "classes": 2,
  "privacy": [
    { "model": "k-anonymity", "asked": { "k": 2 }, "reached": { "k": 2 } },
    { "model": "h-ceiling", "asked": { "h": 1.0 }, "reached": { "h": 0.0 } },
    { "model": "catalog", "asked": {}, "reached": {} }
  ],
  "utility": {},
  "attributes": {
    "a": { "role": "quasi-identifier", "level": 0, "levels": 2, "hierarchy": { "rows": [["x", "*"], ["y", "*"]] } },
    "s": { "role": "sensitive" }
  }
}"#;

const CATALOG: &str = "ClassID list,s,Count\n1 2,u,1\n";

/// Verifies a release with this manifest and this catalog.
fn verify(manifest: &[u8], catalog: &[u8]) {
    with_file("release.json", manifest, |path| {
        let folder = path.parent().expect("a file is in a folder");
        let write = |name: &str, content: &[u8]| {
            std::fs::write(folder.join(name), content).expect("a file is written")
        };
        write("catalog.csv", catalog);
        write("data.csv", b"ClassID,a,s\n1,x,u\n1,x,v\n2,y,u\n2,y,v\n");
        with_context(|context| drop(velamen_job::verify(folder, None, context)));
    });
}

/// A catalog, read as part of a release and checked against it.
pub fn catalog(bytes: &[u8]) {
    verify(MANIFEST.as_bytes(), bytes);
}

/// A manifest, read and checked against a release.
pub fn manifest(bytes: &[u8]) {
    verify(bytes, CATALOG.as_bytes());
}

/// A hierarchy's definition in JSON on the first line, values on the others.
pub fn definition(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (json, values) = text.split_once('\n').unwrap_or((&text, ""));
    let Ok(definition) = serde_json::from_str::<Definition>(json) else { return };
    let Ok(rule) = Rule::try_from(&definition) else { return };
    let mut values: Vec<String> =
        values.lines().filter(|value| rule.contains(value)).map(str::to_owned).collect();
    values.sort_unstable();
    values.dedup();
    drop(rule.over(values, false));
}
