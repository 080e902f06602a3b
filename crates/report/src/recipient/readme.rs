//! `README.md`: how to read the folder, for people who analyse it.

use crate::manifest::OfMethod;
use std::collections::BTreeSet;
use std::fmt::Write;

use velamen_checker::CLASS_ID;
use velamen_contract::manifest::WhereSection;
use velamen_contract::{Measurements, RECORD};
use velamen_core::release::CATALOG;
use velamen_measure::ErrorBars;

use super::codebook::role;
use super::extent::Extent;
use super::snippet::{Ranged, Snippet, identifier, quoted, ranged, to_average};
use super::types::Column;
use super::{CODEBOOK, LABELS, MEASURED, corrected};
use crate::Manifest;
use crate::number::rounded_up;
use velamen_core::number::{count, percent};

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

/// The code that reads the released file and adds the ends and the middle of the ranges in these columns.
pub(super) fn snippets(reading: &Reading, ranged: &[Ranged<'_>]) -> Vec<Snippet> {
    let of = |program, language, line: &str, code: String| {
        let ends = if ranged.is_empty() { String::new() } else { ends(program, ranged) };
        (!line.is_empty()).then(|| Snippet { program, language, code: code + &ends })
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

fn python(module: &str, line: &str) -> String {
    format!("import {module}\n\n{line}\n")
}

/// The lines that add low, mid and high of each range as numbers.
fn ends(program: &str, ranged: &[Ranged<'_>]) -> String {
    let names = ranged.iter().map(|column| quoted(column.name)).collect::<Vec<_>>().join(", ");
    let closed = closed(program, ranged);
    match program {
        "pandas" => format!(
            "labels = pd.read_csv(\"{LABELS}\", dtype=str)\n{closed}\
             for column in [{names}]:\n    \
             ends = labels[labels[\"column\"] == column].set_index(\"label\")[[\"low\", \"high\"]].apply(pd.to_numeric)\n    \
             ends[\"mid\"] = (ends[\"low\"] + ends[\"high\"]) / 2\n    \
             data = data.join(ends.add_prefix(column + \"_\"), on=column)\n"
        ),
        "polars" => format!(
            "labels = pl.read_csv(\"{LABELS}\", infer_schema=False)\n{closed}\
             low, high = pl.col(\"low\").cast(pl.Float64), pl.col(\"high\").cast(pl.Float64)\n\
             numbers = {{\"low\": low, \"mid\": (low + high) / 2, \"high\": high}}\n\
             for column in [{names}]:\n    \
             named = [number.alias(column + \"_\" + end) for end, number in numbers.items()]\n    \
             ends = labels.filter(pl.col(\"column\") == column).select(pl.col(\"label\").alias(column), *named)\n    \
             data = data.join(ends, on=column, how=\"left\")\n"
        ),
        "R" => format!(
            "labels <- read.csv(\"{LABELS}\", colClasses = \"character\")\n{closed}\
             for (column in c({names})) {{\n  \
             ends <- labels[labels$column == column, ]\n  \
             low <- as.numeric(ends$low)\n  \
             high <- as.numeric(ends$high)\n  \
             numbers <- data.frame(low, mid = (low + high) / 2, high)\n  \
             data[paste0(column, \"_\", names(numbers))] <- numbers[match(data[[column]], ends$label), ]\n\
             }}\n"
        ),
        _ => ends_in_sql(ranged, &closed),
    }
}

/// The lines that close open ends, each with a remark: the number is for the reader to choose.
fn closed(program: &str, ranged: &[Ranged<'_>]) -> String {
    let mut lines = String::new();
    for column in ranged {
        for (end, to) in column.closing() {
            let most = if end == "high" { "highest" } else { "lowest" };
            let mark = if program == "DuckDB" { "--" } else { "#" };
            let name = quoted(column.name);
            let _ = writeln!(
                lines,
                "{mark} Some labels of {name} have no {end} end. Replace {to} by the {most} value that you think possible."
            );
            let line = match program {
                "pandas" => format!(
                    "labels.loc[(labels[\"column\"] == {name}) & labels[\"{end}\"].isna(), \"{end}\"] = \"{to}\""
                ),
                "polars" => format!(
                    "is_open = (pl.col(\"column\") == {name}) & pl.col(\"{end}\").is_null()\n\
                     labels = labels.with_columns({end}=pl.when(is_open).then(pl.lit(\"{to}\")).otherwise(pl.col(\"{end}\")))"
                ),
                "R" => format!("labels${end}[labels$column == {name} & labels${end} == \"\"] <- \"{to}\""),
                _ => format!(
                    "UPDATE labels SET {end} = '{to}' WHERE \"column\" = '{}' AND {end} IS NULL;",
                    column.name.replace('\'', "''")
                ),
            };
            lines += &line;
            lines.push('\n');
        }
    }
    lines
}

fn ends_in_sql(ranged: &[Ranged<'_>], closed: &str) -> String {
    let (mut columns, mut joins) = (String::new(), String::new());
    for (number, Ranged { name, .. }) in (1..).zip(ranged) {
        let (value, column) = (name.replace('\'', "''"), name.replace('"', "\"\""));
        columns += ",\n      ";
        let (low, high) = (format!("l{number}.low::DOUBLE"), format!("l{number}.high::DOUBLE"));
        let ends = [("low", &low), ("mid", &format!("({low} + {high}) / 2")), ("high", &high)]
            .map(|(end, number)| format!(" {number} AS \"{column}_{end}\""));
        columns += &ends.join(",");
        let _ = write!(
            joins,
            "\nLEFT JOIN labels l{number} ON l{number}.\"column\" = '{value}' AND l{number}.label = data.\"{column}\""
        );
    }
    format!(
        "CREATE TABLE labels AS FROM read_csv('{LABELS}', header = true, all_varchar = true);\n{closed}\
         CREATE TABLE numbers AS\nSELECT data.*{columns}\nFROM data{joins};\nFROM numbers;\n"
    )
}

/// How to compute with the numbers that were added: a mean by group, with its bounds.
fn by_group(text: &mut String, columns: &[Column], programs: &[Snippet], is_suppressed: bool) {
    let Some((name, group)) = to_average(columns) else { return };
    let ends = ["low", "mid", "high"].map(|end| quoted(&format!("{name}_{end}"))).join(", ");
    let means = ["low", "mid", "high"].map(|end| format!("avg({})", identifier(&format!("{name}_{end}"))));
    let (means, of) = (means.join(", "), identifier(group));
    let group = quoted(group);
    let _ = write!(
        text,
        "\nEach column of numbers now has three more: `_low` and `_high` are the ends of its range, `_mid` is the middle. The mean of \
         `_mid` estimates a mean. The means of `_low` and `_high` bound it, unless records are counterfeit or lie beyond a number \
         that you chose for an open end. By group{}:\n",
        if is_suppressed { ", without the suppressed records" } else { "" }
    );
    let (pandas, polars, r, sql) = match is_suppressed {
        true => (
            format!(".dropna(subset=[\"{CLASS_ID}\"])"),
            format!(".drop_nulls(\"{CLASS_ID}\")"),
            format!("shown <- data[!is.na(data${CLASS_ID}), ]\nprint(aggregate(shown"),
            format!(" WHERE \"{CLASS_ID}\" IS NOT NULL"),
        ),
        false => (String::new(), String::new(), "print(aggregate(data".to_owned(), String::new()),
    };
    let table = if is_suppressed { "shown" } else { "data" };
    for Snippet { program, language, .. } in programs {
        let code = match *program {
            "pandas" => format!("print(data{pandas}.groupby({group})[[{ends}]].mean())"),
            "polars" => {
                format!("print(data{polars}.group_by({group}).agg(pl.col({ends}).mean()).sort({group}))")
            }
            "R" => format!("{r}[c({ends})], by = {table}[{group}], FUN = mean, na.rm = TRUE))"),
            _ => format!("SELECT {of}, {means} FROM numbers{sql} GROUP BY ALL ORDER BY ALL;"),
        };
        let _ = write!(text, "\n{program}:\n\n```{language}\n{code}\n```\n");
    }
}

pub(super) fn of(
    manifest: &Manifest,
    columns: &[Column],
    reading: &Reading,
    shares: &[(Vec<String>, f64)],
) -> String {
    let title = manifest.about.title.as_deref().unwrap_or(super::TITLE);
    let mut text = format!("# {title}\n\n");
    for (name, said) in manifest.about.rows() {
        let _ = writeln!(text, "{name}: {said}  ");
    }
    if manifest.about.rows().next().is_some() {
        text.push('\n');
    }
    let records = count(manifest.records);
    let what = if manifest.is_invented() { "invented records" } else { "records about people" };
    if manifest.is_invented() {
        let _ = writeln!(text, "{}\n", invented(manifest));
    }
    let explained = match manifest.without_report {
        true => "",
        false => " `report.html` explains what protects the people in it, and what the protection costs.",
    };
    let _ = writeln!(
        text,
        "This folder holds {records} {what}, one row each, made so that it can be shared.{explained}\n"
    );
    files(&mut text, manifest, columns, reading);
    table_of_columns(&mut text, columns);
    before(&mut text, manifest, columns);
    how_near(&mut text, manifest, shares);
    text += "## Read it\n\nRun these lines in this folder.\n";
    let programs = snippets(reading, &ranged(columns));
    for Snippet { program, language, code } in &programs {
        let _ = write!(text, "\n{program}:\n\n```{language}\n{code}```\n");
    }
    by_group(&mut text, columns, &programs, manifest.suppressed > 0);
    let corrected = corrected::section(manifest, columns, &programs, reading.delimiter.as_deref());
    text += &corrected.unwrap_or_default();
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
        (MEASURED, "the noisy counts that the records follow, for programs", manifest.is_invented()),
        (
            "report.html",
            "what the release promises, what it costs, and how it was checked",
            !manifest.without_report,
        ),
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

/// How far counts may be from the original's, for what was measured.
fn how_near(text: &mut String, manifest: &Manifest, shares: &[(Vec<String>, f64)]) {
    if shares.is_empty() {
        return;
    }
    let confidence = percent(ErrorBars::CONFIDENCE);
    let capped = manifest
        .records_per_person
        .map_or_else(String::new, |most| format!(", at most {most} of each person's"));
    let _ = write!(
        text,
        "## How near the counts are\n\nWith a probability of {confidence}, at most these shares of the records would have to change their \
         values for the counts to be those of the records that were counted, for all rows at once. These are the original's records within \
         the declared domains{capped}: how many others there are is not stated, and nothing bounds what they would add. `{MEASURED}` has the noisy counts themselves; rare \
         values that noise drowns count as one value in sets of several attributes. Sets of attributes that are not listed were \
         not measured, and nothing bounds how far their counts are off.\n\n| counts of | at most |\n| --- | ---: |\n"
    );
    let measured = manifest.method.measurements().unwrap_or_default();
    let bins = |name: &str| measured.bins(name).map_or("", |_| " in bins");
    for (set, share) in shares {
        let name = |name: &String| format!("`{}`{}", name.replace('|', "\\|"), bins(name));
        let names: Vec<String> = set.iter().map(name).collect();
        let _ = writeln!(text, "| {} | {} |", names.join(" with "), percent(rounded_up(*share)));
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
            "`{CLASS_ID}` numbers the groups of records that share all quasi-identifiers. It says nothing about a person."
        ),
    ];
    if columns.iter().any(|column| !column.extents.is_empty()) {
        notes.push(format!(
            "A range such as `[30-34]` includes both ends. `{LABELS}` lists the low, high and mid of each label: compute with \
             the middle, or bound a result by using all lows and then all highs."
        ));
    }
    notes.extend(columns.iter().filter_map(open_end));
    if !manifest.kept.is_empty() {
        let words: Vec<String> = manifest.kept.iter().map(WhereSection::words).collect();
        notes.push(format!(
            "Only some records of the original are here, those of which all of this holds: {}.",
            words.join("; ")
        ));
    }
    if manifest.suppressed > 0 {
        let share = share(manifest.suppressed);
        let values = if manifest.suppresses_records() { "values" } else { "quasi-identifiers" };
        notes.push(match manifest.suppressed {
            1 => {
                format!("1 record ({share}) is suppressed: its {values} are `*` and it has no `{CLASS_ID}`.")
            }
            number => format!(
                "{} records ({share}) are suppressed: their {values} are `*` and they have no `{CLASS_ID}`.",
                count(number)
            ),
        });
    }
    notes.extend(of_records(manifest, &share));
    for note in notes {
        let _ = writeln!(text, "- {note}");
    }
    text.push('\n');
}

/// What becomes of a mean where a column has labels such as `>=90`.
fn open_end(column: &Column) -> Option<String> {
    let is_open = |extent: &Extent| matches!(extent, Extent::Numbers(None, _) | Extent::Numbers(_, None));
    let open =
        || column.extents.iter().filter(|(_, extent)| is_open(extent)).map(|(label, _)| label.as_str());
    let label = open().find(|label| *label != "*").or_else(|| open().next())?;
    Some(format!(
        "`{}` has labels with an open end, such as `{label}`. They have no `mid` in `{LABELS}`, and a mean would leave them out: \
         the code below closes them with a number that you should check.",
        column.name
    ))
}

/// What invented records show and what they do not.
fn invented(manifest: &Manifest) -> String {
    let measured = manifest.method.measurements().unwrap_or_default();
    let together: BTreeSet<String> = (measured.tables.iter())
        .filter(|table| table.attributes.len() > 1)
        .map(|table| {
            table.attributes.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" with ")
        })
        .collect();
    let known = match together.is_empty() {
        true => "each attribute by itself; no two attributes were measured together".to_owned(),
        false => format!(
            "each attribute by itself, and of {}",
            together.into_iter().collect::<Vec<_>>().join(", ")
        ),
    };
    format!(
        "All records are invented: none is the record of a person. They follow noisy counts of {known}. Conclusions from these \
         hold as far as the noise allows, which `{MEASURED}` states; any other relation in the records is inferred from them, \
         and may not be in the original data.{}{}{}",
        in_bins(&measured),
        drowned(&measured, manifest.records),
        unit(manifest)
    )
}

/// What is not counted within bins.
fn in_bins(measured: &Measurements) -> String {
    let bins = measured.levels.keys().filter_map(|name| Some((name, measured.bins(name)?)));
    let bins: Vec<String> = bins.map(|(name, bins)| format!("`{name}` ({bins} bins)")).collect();
    match &bins[..] {
        [] => String::new(),
        bins => format!(
            " Counted in bins: {}. Numbers are drawn evenly within each bin: where in it a number lies says nothing of the original.",
            bins.join(", ")
        ),
    }
}

/// Whom the promise is about, where a person can have several records.
fn unit(manifest: &Manifest) -> String {
    let Some(most) = manifest.records_per_person else {
        return match manifest.method.unit() {
            Some(RECORD) => {
                " The promise protects one record: by the custodian's word, each is another person's.".into()
            }
            _ => String::new(),
        };
    };
    format!(
        " The promise protects a person with all of that person's records, of which at most {most} were counted: what the file \
         shows hardly depends on whether a person's records were there. That a column of the original numbers the persons, and that no \
         more of their records were counted, is the custodian's word: no release can show it."
    )
}

/// Said where noise drowns the number of records.
fn drowned(measured: &Measurements, records: u64) -> String {
    let Some(deviation) = measured.drowned(records) else { return String::new() };
    format!(
        " **Noise drowns the number of records**: it has a standard deviation of {}, and there may have been none.",
        count(deviation.round() as u64)
    )
}

fn of_records(manifest: &Manifest, share: &dyn Fn(u64) -> String) -> Option<String> {
    if manifest.is_invented() {
        return None;
    }
    if manifest.is_noisy() {
        return Some(
            "The records are noisy counts written out; none is the record of a particular person.".into(),
        );
    }
    match manifest.counterfeits {
        None => Some("Some records are counterfeits; how many is not stated.".into()),
        Some(0) if manifest.truthful == Some(false) => {
            Some("Values are means of groups and need not be those of any person.".into())
        }
        Some(0) => None,
        Some(number) => Some(format!(
            "{} records ({}) are counterfeits. `catalog.csv` counts them by value and set of groups, and names a set in the first \
             of its rows: subtract its counts from yours.",
            count(number),
            share(number)
        )),
    }
}
