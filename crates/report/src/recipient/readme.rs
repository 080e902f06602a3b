//! `README.md`: how to read the folder, for people who analyse it.

use std::fmt::Write;

use velamen_checker::CLASS_ID;
use velamen_core::release::CATALOG;

use super::codebook::role;
use super::extent::Extent;
use super::types::Column;
use super::{CODEBOOK, LABELS};
use crate::Manifest;
use crate::chart::number::{count, percent};

/// How others read the released file: the line of each program, empty where it cannot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Reading {
    /// What delimits the cells of delimited text; `None` for formats with types.
    pub delimiter: Option<String>,
    pub pandas: String,
    pub polars: String,
    pub r: String,
    pub duckdb: String,
}

/// How a program reads the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    /// The program: "pandas".
    pub program: &'static str,
    /// The language of the code: "python", "r", "sql".
    pub language: &'static str,
    /// The code, to be run in the folder.
    pub code: String,
}

/// The code that reads the released file and, where a column has them, what its labels stand for.
pub(super) fn snippets(reading: &Reading, ranged: Option<&str>) -> Vec<Snippet> {
    let python = |module: &str, line: &str| format!("import {module}\n\n{line}\n");
    let of = |program, language, line: &str, code: String| {
        let middles = ranged.map_or(String::new(), |name| middles(program, name));
        (!line.is_empty()).then(|| Snippet { program, language, code: code + &middles })
    };
    let Reading { pandas, polars, r, duckdb, .. } = reading;
    let all = [
        of("pandas", "python", pandas, python("pandas as pd", pandas)),
        of("polars", "python", polars, python("polars as pl", polars)),
        of("R", "r", r, format!("{r}\n")),
        of("DuckDB", "sql", duckdb, format!("{duckdb}\n")),
    ];
    all.into_iter().flatten().collect()
}

/// The lines that add the middle of each range of a column.
fn middles(program: &str, name: &str) -> String {
    let text = |name: &str| serde_json::Value::from(name).to_string();
    let (own, mid) = (text(name), text(&format!("{name}_mid")));
    match program {
        "pandas" => format!(
            "labels = pd.read_csv(\"{LABELS}\", dtype=str)\n\
             labels = labels[labels[\"column\"] == {own}].set_index(\"label\")\n\
             data[{mid}] = data[{own}].map(pd.to_numeric(labels[\"mid\"]))\n"
        ),
        "polars" => format!(
            "labels = pl.read_csv(\"{LABELS}\", infer_schema=False).filter(pl.col(\"column\") == {own})\n\
             data = data.join(labels.select(pl.col(\"label\").alias({own}), pl.col(\"mid\").cast(pl.Float64).alias({mid})), on={own}, how=\"left\")\n"
        ),
        "R" => format!(
            "labels <- subset(read.csv(\"{LABELS}\", colClasses = \"character\"), column == {own})\n\
             data[[{mid}]] <- as.numeric(labels$mid)[match(data[[{own}]], labels$label)]\n"
        ),
        _ => {
            let (value, column, mid) = (
                name.replace('\'', "''"),
                name.replace('"', "\"\""),
                format!("{name}_mid").replace('"', "\"\""),
            );
            format!(
                "CREATE TABLE labels AS FROM read_csv('{LABELS}', header = true, all_varchar = true);\n\
                 SELECT data.*, labels.mid::DOUBLE AS \"{mid}\" FROM data\n\
                 LEFT JOIN labels ON labels.\"column\" = '{value}' AND labels.label = data.\"{column}\";\n"
            )
        }
    }
}

/// The first column whose labels have a middle.
pub(super) fn ranged(columns: &[Column]) -> Option<&str> {
    let numbers = |column: &&Column| matches!(column.extents.first(), Some((_, Extent::Numbers(..))));
    columns.iter().find(numbers).map(|column| column.name.as_str())
}

pub(super) fn of(manifest: &Manifest, columns: &[Column], reading: &Reading) -> String {
    let title = manifest.about.title.as_deref().unwrap_or(super::TITLE);
    let mut text = format!("# {title}\n\n");
    for (name, said) in manifest.about.rows() {
        let _ = writeln!(text, "{name}: {said}  ");
    }
    if manifest.about.rows().next().is_some() {
        text.push('\n');
    }
    let records = count(manifest.records);
    let _ = writeln!(
        text,
        "This folder holds {records} records about people, one row each, made so that it can be shared. `report.html` \
         explains what protects the people in it, and what the protection costs.\n"
    );
    files(&mut text, manifest, columns, reading);
    table_of_columns(&mut text, columns);
    before(&mut text, manifest, columns);
    text += "## Read it\n\nRun these lines in this folder.\n";
    for Snippet { program, language, code } in snippets(reading, ranged(columns)) {
        let _ = write!(text, "\n{program}:\n\n```{language}\n{code}```\n");
    }
    let _ = write!(
        text,
        "\n## Check it\n\n`velamen verify .` checks every promise again from these files. Velamen {} made them.\n",
        manifest.velamen
    );
    text
}

fn files(text: &mut String, manifest: &Manifest, columns: &[Column], reading: &Reading) {
    let catalog = manifest.privacy.iter().any(|promise| promise.model == CATALOG);
    let labels = columns.iter().any(|column| !column.extents.is_empty());
    let metadata = format!("{}-metadata.json", manifest.data.file);
    let rows = [
        (manifest.data.file.as_str(), "the records", true),
        (CODEBOOK, "one row per column: role, type, what is shown, how to read it", true),
        (LABELS, "the numbers or days that each label stands for", labels),
        (&metadata, "the columns, for programs (CSV on the Web)", reading.delimiter.is_some()),
        ("catalog.csv", "how many counterfeit records of which value a set of groups holds", catalog),
        ("report.html", "what the release promises, what it costs, and how it was checked", true),
        (crate::manifest::FILE, "the same for programs", true),
    ];
    text.push_str("## Files\n\n| file | holds |\n| --- | --- |\n");
    for (file, holds, _) in rows.iter().filter(|(.., there)| *there) {
        let _ = writeln!(text, "| `{file}` | {holds} |");
    }
    text.push('\n');
}

fn table_of_columns(text: &mut String, columns: &[Column]) {
    text.push_str("## Columns\n\n| column | role | type | shown |\n| --- | --- | --- | --- |\n");
    for Column { name, role: part, kind, shown, .. } in columns {
        let name = name.replace('|', "\\|").replace(['\n', '\r'], " ");
        let _ = writeln!(text, "| {name} | {} | {} | {shown} |", role(*part), kind.name());
    }
    text.push('\n');
}

/// What an analysis must know.
fn before(text: &mut String, manifest: &Manifest, columns: &[Column]) {
    let share = |part: u64| percent(part as f64 / manifest.records.max(1) as f64);
    text.push_str("## Before you analyse it\n\n");
    let mut notes = vec![
        "Read labels as text: codes keep their leading zeros, and `*` stands for any value.".to_owned(),
        format!(
            "`{CLASS_ID}` numbers the groups of records that share all quasi-identifiers. It is no attribute of a person."
        ),
    ];
    if columns.iter().any(|column| !column.extents.is_empty()) {
        notes.push(format!(
            "A range such as `[30-34]` includes both ends. `{LABELS}` lists low, high and mid of each label, so that you can \
             compute with the middle, or bound a result by using all lows and then all highs."
        ));
    }
    if manifest.suppressed > 0 {
        notes.push(format!(
            "{} records ({}) are suppressed: their quasi-identifiers are `*` and they have no `{CLASS_ID}`.",
            count(manifest.suppressed),
            share(manifest.suppressed)
        ));
    }
    notes.extend(of_records(manifest, &share));
    for note in notes {
        let _ = writeln!(text, "- {note}");
    }
    text.push('\n');
}

fn of_records(manifest: &Manifest, share: &dyn Fn(u64) -> String) -> Option<String> {
    if manifest.is_noisy() {
        return Some(
            "The records are noisy counts written out; none is the record of a certain person.".into(),
        );
    }
    match manifest.counterfeits {
        None => Some("Some records are counterfeits; how many is not told.".into()),
        Some(0) if manifest.truthful == Some(false) => {
            Some("Values are means of groups and need not be those of any person.".into())
        }
        Some(0) => None,
        Some(number) => Some(format!(
            "{} records ({}) are counterfeits. `catalog.csv` counts them by value and set of groups: subtract its counts \
             from yours.",
            count(number),
            share(number)
        )),
    }
}
