//! The hierarchies that recipes write, and what becomes of their short forms.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use velamen_core::context::{Context, Silent};
use velamen_core::error::{Place, Problem};
use velamen_core::frequency::Role;
use velamen_core::hierarchy::{
    Ages, Bins, Cuts, Definition, IntervalRule, NULL, Ordered, Rule, TOP, UsZip, is_area, small_areas,
};
use velamen_dp::Seed;
use velamen_engine::ColumnRequest;
use velamen_engine::source::ReadOptions;

use super::{Origin, Recipe};
use crate::JobError;
use crate::plain;

/// A hierarchy: a file in ARX's format, or a definition in place.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum HierarchySection {
    /// A file without header, `value;level 1;…;*`, separated by `;` or `,`.
    File(PathBuf),
    /// A short form of one of the others.
    Made(Made),
    /// Intervals, cuts, a mask, rows, codes or dates.
    Inline(Definition),
}

/// Forms that recipes can write and releases state in full.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Made {
    /// Ages with the oldest in one group.
    Ages(Ages),
    /// Ordered values in groups of neighbours.
    Ordered(Ordered),
    /// Intervals read off the data.
    Bins(Bins),
    /// ZIP codes of the United States with a file of populations.
    UsZip(ZipPopulations),
}

/// ZIP codes of the United States; the small areas follow from a file.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ZipPopulations {
    /// A file with one line per area of three digits: `036,12345`, area and people.
    pub us_zip: PathBuf,
    /// Whether codes can have four more digits.
    #[serde(rename = "plus-4", default)]
    pub plus_4: bool,
}

impl<'de> Deserialize<'de> for HierarchySection {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = HierarchySection;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a file's path, or a table such as { interval = [5, 10], min = 0, max = 99 }")
            }

            fn visit_str<E: serde::de::Error>(self, path: &str) -> Result<HierarchySection, E> {
                Ok(HierarchySection::File(path.into()))
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<HierarchySection, A::Error> {
                let fields = Map::deserialize(serde::de::value::MapAccessDeserializer::new(map))?;
                of_fields(fields).map_err(serde::de::Error::custom)
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// The form that the keys of a table tell.
fn of_fields(fields: Map<String, Value>) -> Result<HierarchySection, serde_json::Error> {
    let has = |key: &str| fields.contains_key(key);
    let (ages, ordered) = (has("age"), has("ordered"));
    let bins = has("equal-width") || has("equal-frequency");
    let zip = fields.get("us-zip").is_some_and(Value::is_string);
    let value = Value::Object(fields);
    Ok(HierarchySection::Made(match (ages, ordered, bins, zip) {
        (true, ..) => Made::Ages(serde_json::from_value(value)?),
        (_, true, ..) => Made::Ordered(serde_json::from_value(value)?),
        (_, _, true, _) => Made::Bins(serde_json::from_value(value)?),
        (.., true) => Made::UsZip(serde_json::from_value(value)?),
        _ => return serde_json::from_value(value).map(HierarchySection::Inline),
    }))
}

impl HierarchySection {
    /// The file that it names.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(file) | Self::Made(Made::UsZip(ZipPopulations { us_zip: file, .. })) => Some(file),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub fn path(&mut self) -> Option<&mut PathBuf> {
        match self {
            Self::File(file) | Self::Made(Made::UsZip(ZipPopulations { us_zip: file, .. })) => Some(file),
            _ => None,
        }
    }

    /// Whether it is read off the data, in whole or in part.
    pub(super) fn reads_data(&self) -> bool {
        matches!(self, Self::Made(Made::Bins(bins)) if bins.reads_data())
    }
}

/// A hierarchy in full.
#[derive(Debug, Default)]
pub struct Settled {
    /// The definition; `None` for flat attributes.
    pub definition: Option<Definition>,
    /// The file that is to blame for mistakes.
    pub(crate) source: PathBuf,
    /// From where numbers are coded, where the form says so.
    pub top: Option<f64>,
    /// Whether its domain is read off the data.
    pub from_data: bool,
}

/// Where the values of an attribute are, for forms that are read off the data.
#[derive(Debug)]
pub struct ColumnSource<'a> {
    /// Where the table lies.
    pub table: Origin,
    /// How it is read.
    pub read: ReadOptions,
    /// The column's name.
    pub name: &'a str,
    /// How many records have to share what is read off it.
    pub least: u64,
}

/// How many records have to share what is read off a column where no k is asked for.
pub const USUAL_LEAST: u64 = 5;

impl Recipe {
    /// The definition that a section stands for.
    pub(super) fn settle(
        &self,
        path: &Path,
        input: &Origin,
        name: &str,
        hierarchy: &HierarchySection,
    ) -> Result<Settled, JobError> {
        let column = match hierarchy.reads_data() {
            true => Some(ColumnSource {
                table: input.clone(),
                read: self.reading(path)?,
                name,
                least: self.least(),
            }),
            false => None,
        };
        let located = |problem: Problem| {
            let at = ["attributes", name, "hierarchy"];
            self.refuse(path, &at, problem.after(&format!("hierarchy of attribute `{name}`: ")))
        };
        settle(path, hierarchy, column.as_ref(), &located)
    }

    /// The k that is asked for.
    fn least(&self) -> u64 {
        let asked = self.privacy.iter().filter_map(|section| {
            let terms = velamen_contract::model::find(&section.model)?;
            terms.least_records(&serde_json::Value::Object(section.parameters.clone()))
        });
        let preset = self.preset.and_then(|preset| preset.least_k());
        asked.chain(preset).max().unwrap_or(USUAL_LEAST)
    }
}

/// The definition that a section stands for; `column` is looked at by forms that need data.
pub fn settle(
    path: &Path,
    hierarchy: &HierarchySection,
    column: Option<&ColumnSource<'_>>,
    located: &dyn Fn(Problem) -> JobError,
) -> Result<Settled, JobError> {
    let wrong = |error: velamen_core::hierarchy::HierarchyError| located(error.problem()).coded(error.code());
    let of =
        |definition| Settled { definition: Some(definition), source: path.to_owned(), ..Settled::default() };
    Ok(match hierarchy {
        HierarchySection::Inline(Definition::Flat { .. }) => {
            let problem = "`domain` is for manifests";
            return Err(located(
                Problem::of(&["domain"], problem).mend("leave `hierarchy` out for a value or `*`"),
            ));
        }
        HierarchySection::Inline(Definition::Table { rows }) => {
            of(Definition::Table { rows: under_one(rows.clone()) })
        }
        HierarchySection::Inline(definition) => of(definition.clone()),
        HierarchySection::File(file) => {
            Settled { source: file.clone(), ..of(Definition::Table { rows: under_one(read_file(file)?) }) }
        }
        HierarchySection::Made(Made::Ages(ages)) => {
            let (definition, top) = ages.definition().map_err(wrong)?;
            Settled { top: Some(top), ..of(definition) }
        }
        HierarchySection::Made(Made::Ordered(ordered)) => of(ordered.definition().map_err(wrong)?),
        HierarchySection::Made(Made::UsZip(zip)) => {
            let us_zip = small_areas(&read_populations(&zip.us_zip)?);
            of(Definition::of(&UsZip { us_zip, plus_4: zip.plus_4 }))
        }
        HierarchySection::Made(Made::Bins(bins)) => {
            bins.check().map_err(wrong)?;
            let values = match column {
                Some(column) if bins.reads_data() => read_numbers(column, bins.decimals)?,
                _ if bins.reads_data() => return Err(located("bins need a table to be read off".into())),
                _ => Vec::new(),
            };
            let least = column.map_or(USUAL_LEAST, |column| column.least);
            let definition = bins.definition(&values, least).map_err(wrong)?;
            Settled { from_data: bins.reads_data(), ..of(definition) }
        }
    })
}

/// Rows with `*` above a top level of several labels: everything is to have one ancestor. Rows of different
/// lengths are for others to refuse.
fn under_one(mut rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let even = rows.windows(2).all(|pair| pair[0].len() == pair[1].len());
    if even && rows.windows(2).any(|pair| pair[0].last() != pair[1].last()) {
        rows.iter_mut().for_each(|row| row.push(TOP.to_owned()));
    }
    rows
}

/// The numbers of a column in units of 10^−decimals, ascending, with their records.
fn read_numbers(column: &ColumnSource<'_>, decimals: u32) -> Result<Vec<(i64, u64)>, JobError> {
    const WIDEST: i64 = 1 << 53;
    let input = column.table.open(&column.read)?;
    let index =
        input.columns.iter().position(|name| name == column.name).ok_or_else(|| {
            JobError::data(format!("{} has no column `{}`", column.table.label(), column.name))
        })?;
    let rule = IntervalRule::new(Cuts::Sizes(Vec::new()), -WIDEST, WIDEST, decimals)
        .expect("the bounds are in order");
    let (name, role, rule) = (column.name.to_owned(), Role::QuasiIdentifier, Arc::new(Rule::Interval(rule)));
    let request = ColumnRequest { index, name, role, rule: Arc::clone(&rule), whole_domain: false };
    let (seed, cancel) = (Seed::from_number(0), AtomicBool::new(false));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    // Threads of its own: how many the run gets is not settled yet.
    let threads = rayon::ThreadPoolBuilder::new().build();
    let threads = threads.map_err(|error| JobError::unusable(format!("cannot start threads: {error}")))?;
    let table = threads.install(|| input.read(&[request], &context))?;
    let mut numbers: BTreeMap<i64, u64> = BTreeMap::new();
    for (value, count) in table.qis[0].hierarchy.labels(0).iter().zip(table.marginal(0)) {
        if let (Rule::Interval(rule), true) = (&*rule, value != NULL) {
            *numbers.entry(rule.units(value).expect("the reader checked the value")).or_default() += count;
        }
    }
    Ok(numbers.into_iter().collect())
}

/// Reads ARX's format: no header, `;` or `,` between, one row per leaf.
pub fn read_file(file: &Path) -> Result<Vec<Vec<String>>, JobError> {
    let text = plain::read(file, "read the hierarchy")?;
    read_rows(file, &text, "the hierarchy")
}

fn read_rows(file: &Path, text: &[u8], what: &str) -> Result<Vec<Vec<String>>, JobError> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let first = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let delimiter = if first.contains(&b';') { b';' } else { b',' };
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(text);
    let row = |record: Result<csv::StringRecord, csv::Error>| {
        record.map(|record| record.iter().map(str::to_owned).collect()).map_err(|error| {
            let line = error.position().map_or(0, csv::Position::line);
            JobError::recipe(file, format!("{what} is not UTF-8 text"))
                .mend("convert it to UTF-8")
                .at(Place::line(file, line))
        })
    };
    reader.records().map(row).collect()
}

/// Reads `area,people`, one line each; a first line with neither an area nor a number of people is a header.
fn read_populations(file: &Path) -> Result<BTreeMap<String, u64>, JobError> {
    let text = plain::read(file, "read the populations")?;
    let rows = read_rows(file, &text, "the table of populations")?;
    let is_named = |row: &Vec<String>| {
        !row.first().is_some_and(|area| is_area(area.trim()))
            && row.get(1).is_none_or(|people| people.trim().parse::<u64>().is_err())
    };
    let header = rows.first().is_some_and(is_named);
    let mut populations = BTreeMap::new();
    for (number, row) in (1..).zip(&rows).skip(usize::from(header)) {
        let wrong = |problem: Problem| JobError::recipe(file, problem.after(&format!("row {number}: ")));
        let [area, people] = &row[..] else {
            return Err(wrong("not two cells".into()).expected("an area and its people, such as 036,12345"));
        };
        let area = Some(area.trim()).filter(|area| is_area(area));
        let area = area.ok_or_else(|| {
            let expected = "the first three digits of its ZIP codes, leading zeros included";
            wrong(Problem::new("no area").expected(expected))
        })?;
        let people = people
            .trim()
            .parse()
            .map_err(|_| wrong(Problem::new("no number of people").expected("a whole number from 0")))?;
        if populations.insert(area.to_owned(), people).is_some() {
            return Err(wrong(
                Problem::new("the area stands in an earlier row already").mend("give each area once"),
            ));
        }
    }
    if populations.is_empty() {
        return Err(
            JobError::recipe(file, "no area").expected("lines such as 036,12345: three digits, people")
        );
    }
    Ok(populations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_tell_the_form() {
        let of = |json: &str| of_fields(serde_json::from_str(json).unwrap());
        assert!(matches!(of(r#"{"age":90}"#), Ok(HierarchySection::Made(Made::Ages(_)))));
        assert!(matches!(of(r#"{"us-zip":"zip3.csv"}"#), Ok(HierarchySection::Made(Made::UsZip(_)))));
        assert!(matches!(of(r#"{"us-zip":["036"]}"#), Ok(HierarchySection::Inline(Definition::Kind(_)))));
        assert!(of(r#"{"equal-width":[4]}"#).unwrap().reads_data());
        assert!(!of(r#"{"equal-width":[4],"min":0,"max":9}"#).unwrap().reads_data());
        assert!(of(r#"{"age":90,"interval":[5],"mask":"left"}"#).unwrap_err().to_string().contains("`mask`"));
    }

    #[test]
    fn a_top_level_of_several_labels_gets_one_above() {
        let rows = |text: &str| -> Vec<Vec<String>> {
            text.lines().map(|line| line.split(';').map(str::to_owned).collect()).collect()
        };
        assert_eq!(under_one(rows("a;x\nb;y")), rows("a;x;*\nb;y;*"));
        for text in ["a;x\nb;x", "a;*\nb;*", "a;x\nb", "a"] {
            assert_eq!(under_one(rows(text)), rows(text), "{text}");
        }
    }

    #[test]
    fn populations_are_read_line_by_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("zip3.csv");
        let of = |text: &str| {
            std::fs::write(&file, text).unwrap();
            read_populations(&file)
        };
        assert_eq!(of("zip3,population\n036, 15000\n130,90000\n").unwrap()["036"], 15_000);
        assert_eq!(of("036;15000\n").unwrap().len(), 1);
        for (text, says) in [
            ("", "no area"),
            ("036,15000\n36,1\n", "row 2: no area"),
            ("36,15000\n037,1\n", "row 1: no area"),
            ("036,many\n", "row 1: no number of people"),
            ("036,1\n036,2\n", "row 2: the area stands"),
            ("036,1,2\n", "row 1: not two cells; expected"),
        ] {
            assert!(of(text).unwrap_err().to_string().contains(says), "{text}");
        }
    }
}
