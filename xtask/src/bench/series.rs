//! What is run, and what it took.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::Plan;
use super::measure::{Taken, run};
use super::table::{BenchTable, QIS};

/// Settings of a recipe, as `--set` takes them.
type Settings<'a> = &'a [&'a str];

const OPTIMAL: Settings<'_> = &["method={name=\"optimal\"}"];

/// The methods that are run over records; the last is only run up to [`Plan::most_padded`].
const METHODS: [(&str, Settings<'_>); 4] = [
    ("optimal", OPTIMAL),
    ("ipa as published", &["method={name=\"ipa\",guarantee=\"published\"}", "privacy=[]"]),
    ("ipa", &["method={name=\"ipa\"}", "privacy=[{model=\"differential-privacy\",epsilon=1.0}]"]),
    ("h-ceiling", &["method={name=\"h-ceiling\",objective=\"loss\"}"]),
];

/// DuckDB reads the file, groups by the same columns and writes it.
const DUCKDB: &str = "
import duckdb, sys
source, target = sys.argv[1:]
connection = duckdb.connect()
reader = 'read_parquet' if source.endswith('parquet') else 'read_csv'
connection.execute(f\"CREATE TABLE t AS SELECT * FROM {reader}('{source}')\")
connection.execute('CREATE TABLE g AS SELECT age, sex, length_of_stay, location, surgery, count(*) AS n FROM t GROUP BY ALL')
connection.execute(f\"COPY t TO '{target}' \" + ('' if source.endswith('parquet') else '(HEADER)'))
";

/// One run.
pub(super) struct Point {
    /// What was varied.
    pub(super) at: String,
    pub(super) records: u64,
    /// Distinct combinations of the released columns.
    pub(super) combinations: u64,
    pub(super) taken: Taken,
    /// MiB of memory by `velamen estimate`.
    pub(super) estimated: f64,
    pub(super) duckdb: Option<Taken>,
}

/// Runs that differ in the number of records.
pub(super) struct Line {
    pub(super) name: String,
    pub(super) points: Vec<Point>,
}

pub(super) struct Growth {
    pub(super) records: Vec<Line>,
    pub(super) values: Vec<Point>,
    pub(super) qis: Vec<Point>,
    pub(super) k: Vec<Point>,
}

pub(super) fn all(plan: &Plan) -> Result<Growth, String> {
    let records = over_records(plan)?;
    let table = BenchTable::sample(plan, plan.rows, "csv")?;
    let point = |at: String, input: &Path, set: Vec<String>| point(plan, &table, at, input, plan.rows, &set);
    let optimal: Vec<String> = OPTIMAL.iter().map(|s| (*s).to_owned()).collect();
    let (mut values, mut qis, mut k) = (Vec::new(), Vec::new(), Vec::new());
    values.push(point("none".into(), &table.file, optimal.clone())?);
    for number in [100, 10_000, 1_000_000] {
        let wider = table.with_values(plan, number)?;
        // The recipe does not name the column that is added.
        let set = [optimal.clone(), vec!["unnamed=insensitive".to_owned()]].concat();
        values.push(point(number.to_string(), &wider, set)?);
    }
    for number in 1..=QIS.len() {
        let dropped: Vec<String> = cut(&QIS[..number]);
        qis.push(point(number.to_string(), &table.file, [optimal.clone(), dropped].concat())?);
    }
    for least in [2, 10, 50, 250] {
        let set = [optimal.clone(), vec![format!("privacy.0.k={least}")]].concat();
        k.push(point(least.to_string(), &table.file, set)?);
    }
    Ok(Growth { records, values, qis, k })
}

fn cut(qis: &[&str]) -> Vec<String> {
    let dropped = QIS.iter().filter(|q| !qis.contains(q)).map(|q| format!("attributes.{q}.role=identifier"));
    // The sample's impossible pairs are about attributes that are dropped.
    dropped.chain(["impossible=[]".to_owned()]).collect()
}

fn over_records(plan: &Plan) -> Result<Vec<Line>, String> {
    let formats = ["csv", "parquet"];
    let names = METHODS.iter().flat_map(|(name, _)| formats.map(|format| format!("{name}, {format}")));
    let mut lines: Vec<Line> = names.map(|name| Line { name, points: Vec::new() }).collect();
    for &rows in &plan.sizes {
        for (f, format) in formats.into_iter().enumerate() {
            let table = BenchTable::sample(plan, rows, format)?;
            for (m, (name, set)) in METHODS.iter().enumerate() {
                if *name == "h-ceiling" && rows > plan.most_padded {
                    continue;
                }
                let set: Vec<String> = set.iter().map(|s| (*s).to_owned()).collect();
                let mut point = point(plan, &table, rows.to_string(), &table.file, rows, &set)?;
                if m == 0 {
                    point.duckdb = duckdb(plan, &table.file)?;
                }
                lines[m * formats.len() + f].points.push(point);
            }
        }
    }
    Ok(lines)
}

/// Runs a recipe once, and estimates it.
fn point(
    plan: &Plan,
    table: &BenchTable,
    at: String,
    input: &Path,
    records: u64,
    set: &[String],
) -> Result<Point, String> {
    let release = plan.work.join("release");
    let common = |verb: &str| {
        let mut command = Command::new(&plan.velamen);
        command
            .arg(verb)
            .arg(&table.recipe)
            .arg("--quiet")
            .arg("--input")
            .arg(input)
            .arg("--output")
            .arg(&release);
        command.args(set.iter().flat_map(|pair| ["--set", pair]));
        command
    };
    let taken = run(common("anonymize").arg("--overwrite"))?;
    let estimate = parse(&super::output(common("estimate").arg("--json"))?)?;
    let path = plan.work.join("release.custodian/custodian.json");
    let custodian = parse(&std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?)?;
    let combinations = custodian["distinct-combinations"].as_u64().unwrap_or(0);
    let estimated = estimate["memory"]["needed"].as_f64().unwrap_or(f64::NAN) / 1_048_576.0;
    eprintln!(
        "{at}: {:.2} s, {:.2} s of CPU, {:.0} MiB, {}",
        taken.wall,
        taken.cpu,
        taken.mebibytes,
        set.join(" ")
    );
    Ok(Point { at, records, combinations, taken, estimated, duckdb: None })
}

fn parse(text: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(text).map_err(|error| format!("the program's JSON: {error}"))
}

fn duckdb(plan: &Plan, file: &Path) -> Result<Option<Taken>, String> {
    let Some(python) = &plan.python else { return Ok(None) };
    let format = file.extension().unwrap_or_default();
    let target = plan.work.join("duckdb").with_extension(format);
    run(Command::new(python).args(["-c", DUCKDB]).arg(file).arg(target)).map(Some)
}
