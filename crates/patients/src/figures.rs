//! What a release of linked tables shows of persons, from the released tables alone.

use std::collections::BTreeMap;
use std::path::Path;

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;
use velamen_contract::linked::{Column, LinkedManifest, Table};
use velamen_core::context::Context;
use velamen_engine::ColumnRequest;
use velamen_engine::source::Input;
use velamen_recipe::JobError;
use velamen_sets::{Sets, alone, largest_k};

use crate::days;
use crate::fhir;
use crate::plan::folder::reading;

/// The most codes that are looked at together.
const M: u8 = 3;

/// What linked tables show of persons.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct LinkedFigures {
    /// Persons.
    pub persons: u64,
    /// Distinct combinations of person columns.
    pub classes: u64,
    /// The persons of the smallest.
    pub least_class: u64,
    /// Different codes of sets.
    pub codes: u64,
    /// Pairs of person and code.
    pub pairs: u64,
    /// By the number of codes that somebody knows: the largest k of km-anonymity.
    pub largest_k: BTreeMap<u8, u64>,
    /// The same inside classes of person columns: the largest k of k-km-anonymity.
    pub largest_k_in_classes: BTreeMap<u8, u64>,
    /// By the number of codes: the share of persons alone in their class by the codes that tell most.
    pub alone_by_best: BTreeMap<u8, f64>,
    /// By the number of codes: the expected share of persons alone in their class by codes drawn at random.
    pub alone_by_random: BTreeMap<u8, f64>,
    /// Persons with three different days or more.
    pub with_three_days: u64,
    /// Those of them who are alone by the gaps between their first three days, which a shift keeps.
    pub alone_by_gaps: u64,
}

/// Measures a release.
///
/// # Errors
/// [`JobError::io`] or [`JobError::data`] if a table cannot be read.
pub fn figures(
    release: &Path,
    manifest: &LinkedManifest,
    context: &Context<'_>,
) -> Result<LinkedFigures, JobError> {
    let shown = Shown::read(release, manifest, context)?;
    let (classes, sizes) = shown.classes();
    let whole = vec![0; classes.len()];
    let by_m = |classes: &[u32]| -> BTreeMap<u8, u64> {
        (1..=M).filter_map(|m| Some((m, u64::from(largest_k(&shown.sets, classes, m)?)))).collect()
    };
    let told = alone(&shown.sets, &classes, M);
    let shares = |share: &dyn Fn(usize) -> f64| (1..=M).map(|m| (m, share(usize::from(m)))).collect();
    let mut codes: Vec<u32> = shown.sets.items().to_vec();
    codes.sort_unstable();
    codes.dedup();
    let (with_three_days, alone_by_gaps) = gaps(shown.days);
    Ok(LinkedFigures {
        persons: classes.len() as u64,
        classes: sizes.len() as u64,
        least_class: sizes.iter().min().copied().unwrap_or(0),
        codes: codes.len() as u64,
        pairs: shown.sets.len() as u64,
        largest_k: by_m(&whole),
        largest_k_in_classes: by_m(&classes),
        alone_by_best: shares(&|m| told.share_by_best(m)),
        alone_by_random: shares(&|m| told.share_by_random(m)),
        with_three_days,
        alone_by_gaps,
    })
}

/// What the tables show, by person.
struct Shown {
    /// The values of the person columns.
    columns: Vec<Vec<u32>>,
    sets: Sets,
    /// The days of each person.
    days: Vec<Vec<i32>>,
}

/// A column's texts and the text of each row.
type Texts = (Vec<String>, Vec<u32>);

/// The columns of a table that are looked at.
struct Cells<'a> {
    table: &'a Table,
    texts: FxHashMap<&'a str, Texts>,
    rows: usize,
}

impl Shown {
    fn read(release: &Path, manifest: &LinkedManifest, context: &Context<'_>) -> Result<Self, JobError> {
        let mut tables = BTreeMap::new();
        let files = fhir::Released::of(release, manifest)?;
        for (name, table) in &manifest.tables {
            context.check()?;
            tables.insert(name.as_str(), Cells::read(&files.file(name, table), table, context)?);
        }
        let persons = tables.get(manifest.persons.table.as_str()).map_or(0, |cells| cells.rows);
        let mut shown = Self {
            columns: Vec::new(),
            sets: Sets::from_pairs(persons, Vec::new()),
            days: vec![Vec::new(); persons],
        };
        let (mut pairs, mut items) = (Vec::new(), FxHashMap::default());
        for (name, table) in &manifest.tables {
            let whose = whose(name, manifest, &tables, 0);
            shown.take(name, &tables[name.as_str()], &whose, &mut items, &mut pairs);
            if table.is_person_column {
                let mut has = vec![0; persons];
                for &person in &whose {
                    if let Some(has) = has.get_mut(person as usize) {
                        *has = 1;
                    }
                }
                shown.columns.push(has);
            }
        }
        shown.sets = Sets::from_pairs(persons, pairs);
        Ok(shown)
    }

    /// Takes what a table shows.
    fn take<'a>(
        &mut self,
        name: &'a str,
        cells: &Cells<'a>,
        whose: &[u32],
        items: &mut FxHashMap<(&'a str, &'a str, String), u32>,
        pairs: &mut Vec<(u32, u32)>,
    ) {
        for (column, of) in &cells.table.columns {
            let Some((values, codes)) = cells.texts.get(column.as_str()) else { continue };
            match of {
                Column::QuasiIdentifier { .. } => self.columns.push(codes.clone()),
                Column::Set { items: between } => {
                    let split = |value: &String| -> Vec<String> {
                        let parts = between.as_ref().map_or_else(
                            || vec![value.as_str()],
                            |between| value.split(between.as_str()).collect(),
                        );
                        parts.into_iter().filter(|part| !part.is_empty()).map(str::to_owned).collect()
                    };
                    for (&code, &person) in codes.iter().zip(whose) {
                        for item in split(&values[code as usize]) {
                            let next = items.len() as u32;
                            pairs.push((person, *items.entry((name, column.as_str(), item)).or_insert(next)));
                        }
                    }
                }
                Column::Date => {
                    let days: Vec<Option<i32>> = values.iter().map(|value| days::parse(value)).collect();
                    for (&code, &person) in codes.iter().zip(whose) {
                        if let (Some(day), Some(of)) =
                            (days[code as usize], self.days.get_mut(person as usize))
                        {
                            of.push(day);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// The class of each person, and the sizes of all.
    fn classes(&self) -> (Vec<u32>, Vec<u64>) {
        let mut known: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let mut sizes: Vec<u64> = Vec::new();
        let mut classes = Vec::new();
        for person in 0..self.days.len() {
            let values: Vec<u32> = self.columns.iter().map(|column| column[person]).collect();
            let class = *known.entry(values).or_insert_with(|| {
                sizes.push(0);
                sizes.len() as u32 - 1
            });
            sizes[class as usize] += 1;
            classes.push(class);
        }
        (classes, sizes)
    }
}

impl<'a> Cells<'a> {
    fn read(file: &Path, table: &'a Table, context: &Context<'_>) -> Result<Self, JobError> {
        let input = Input::open(file, &reading(None))?;
        let is_read = |of: &Column| {
            matches!(
                of,
                Column::Key
                    | Column::Reference { .. }
                    | Column::QuasiIdentifier { .. }
                    | Column::Set { .. }
                    | Column::Date
            )
        };
        let wanted: Vec<&'a String> =
            table.columns.iter().filter(|(_, of)| is_read(of)).map(|(name, _)| name).collect();
        let mut requests = Vec::new();
        for name in &wanted {
            let index = input.columns.iter().position(|column| column == *name).ok_or_else(|| {
                JobError::data(format!("{}: no column `{name}`", table.file))
                    .expected("the columns of release.json")
            })?;
            requests.push(ColumnRequest::as_recorded(index, name));
        }
        let read = input.read_in_order(&requests, context)?;
        let rows = read.codes.first().map_or(0, Vec::len);
        let names = wanted.into_iter().map(String::as_str);
        let texts = names.zip(read.values.into_iter().zip(read.codes)).collect();
        Ok(Self { table, texts, rows })
    }
}

/// The person of each row of a table, by their row in the table of persons.
fn whose(
    name: &str,
    manifest: &LinkedManifest,
    tables: &BTreeMap<&str, Cells<'_>>,
    depth: usize,
) -> Vec<u32> {
    let Some(cells) = tables.get(name).filter(|_| depth <= manifest.tables.len()) else { return Vec::new() };
    let Some(parent) = &cells.table.parent else { return (0..cells.rows as u32).collect() };
    let (Some(Column::Reference { table }), Some((values, codes))) =
        (cells.table.columns.get(parent), cells.texts.get(parent.as_str()))
    else {
        return Vec::new();
    };
    let above = whose(table, manifest, tables, depth + 1);
    let rows = rows_by_key(&tables[table.as_str()]);
    let person = |value: &String| {
        rows.get(value.as_str()).and_then(|&row| above.get(row as usize)).copied().unwrap_or(u32::MAX)
    };
    let by_value: Vec<u32> = values.iter().map(person).collect();
    codes.iter().map(|&code| by_value[code as usize]).collect()
}

/// The row of each key of a table.
fn rows_by_key<'a>(cells: &'a Cells<'_>) -> FxHashMap<&'a str, u32> {
    let key =
        cells.table.columns.iter().find(|(_, of)| matches!(of, Column::Key)).map(|(name, _)| name.as_str());
    let texts = key.and_then(|key| cells.texts.get(key));
    let rows = texts.map(|(values, codes)| {
        codes.iter().zip(0..).map(|(&code, row)| (values[code as usize].as_str(), row))
    });
    rows.into_iter().flatten().collect()
}

/// How many persons have three days, and how many of them are alone by the gaps between the first three.
fn gaps(days: Vec<Vec<i32>>) -> (u64, u64) {
    let mut counts: FxHashMap<(i32, i32), u64> = FxHashMap::default();
    for mut of in days {
        of.sort_unstable();
        of.dedup();
        if let [first, second, third, ..] = of[..] {
            *counts.entry((second - first, third - second)).or_default() += 1;
        }
    }
    (counts.values().sum(), counts.values().filter(|count| **count == 1).count() as u64)
}
