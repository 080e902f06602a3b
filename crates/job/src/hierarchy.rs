//! Hierarchies as files: made from a form, checked, shown, exported.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use velamen_report::OfMethod;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_contract::PromisedAttribute;
use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::{CodedRule, Definition, NULL, Rule, TableRule};
use velamen_engine::source::{Input, ReadOptions};
use velamen_recipe::hierarchy::{ColumnSource, Settled, USUAL_LEAST, read_file, settle};
use velamen_recipe::{HierarchySection, JobError, Origin, Overrides, Problem, Recipe, Resolved};

use crate::outputs::{self, Read};
use crate::{flat, output_file, published};

/// Domains with more leaves are not written out.
const MOST_LEAVES: u64 = 2_000_000;

/// Labels that are shown of a level where values may be shown.
const LABELS: usize = 5;

/// Values that are shown of those that a file lacks where values may be shown.
const MISSING: usize = 20;

/// Values that are given one by one.
#[derive(Debug, Clone)]
pub enum Codes {
    /// A file with one value a line.
    File(PathBuf),
    /// The values themselves.
    Listed(Vec<String>),
}

/// Where the values of a hierarchy come from.
#[derive(Debug, Clone, Default)]
pub struct ValuesFrom {
    /// The values themselves.
    pub codes: Option<Codes>,
    /// A table and the name of its column.
    pub table: Option<(Origin, String)>,
    /// How the table is read.
    pub read: ReadOptions,
}

/// A hierarchy that can be applied.
#[derive(Debug)]
pub struct Ready {
    rule: Rule,
    /// A table of the data, for forms that are read off them.
    from_data: bool,
    /// What it was read from.
    reads: Vec<Read>,
}

/// A level of a hierarchy.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LevelFigures {
    /// Its number.
    pub level: u8,
    /// Different labels.
    pub labels: usize,
    /// The fewest leaves under a label.
    pub least_leaves: u64,
    /// The most leaves under a label.
    pub most_leaves: u64,
    /// Some of the labels, if they may be shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
}

/// What a hierarchy is.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Shown {
    /// The levels, level 0 and `*` included.
    pub levels: u8,
    /// The leaves of the domain; of a hierarchy without, the values that were given.
    pub leaves: u64,
    /// What a value looks like.
    pub values: String,
    /// Whether it is read off the data.
    pub from_data: bool,
    /// The levels over the values that were given or that can be listed; empty where there are none.
    pub by_level: Vec<LevelFigures>,
}

/// What is wrong with a hierarchy's file.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Checked {
    /// Rows of the file.
    pub rows: usize,
    /// All faults, in words.
    pub faults: Vec<String>,
    /// Values of the table's column that the file lacks.
    pub missing_values: usize,
    /// Records of the table that have one of them.
    pub missing_records: u64,
    /// Some of them, if they may be shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
}

impl Checked {
    /// Whether the file can be used, with the table if one was given.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty() && self.missing_values == 0
    }

    /// What a command on the file comes to.
    ///
    /// # Errors
    /// [`JobError::recipe`] unless the file can be used.
    pub fn conclusion(&self, file: &Path) -> Result<(), JobError> {
        let problem = match self.faults.len() {
            0 if self.is_sound() => return Ok(()),
            0 => Problem::new("values of the table are missing").mend("add a row for each"),
            1 => Problem::new("1 fault").mend("mend the row that is named"),
            faults => Problem::new(format!("{faults} faults")).mend("mend the rows that are named"),
        };
        Err(JobError::recipe(file, problem))
    }
}

/// A recipe's `hierarchy = …` alone.
#[derive(Deserialize)]
struct HierarchyText {
    hierarchy: HierarchySection,
}

/// The hierarchy of a form as recipes write it, or of a file.
///
/// # Errors
/// [`JobError::usage`] if a form does not read, and what reading its files and data can give.
pub fn of_form(form: &str, values: &ValuesFrom) -> Result<Ready, JobError> {
    let section = match form.trim_start().starts_with('{') {
        false => HierarchySection::File(form.into()),
        true => {
            let written: HierarchyText = toml::from_str(&format!("hierarchy = {form}")).map_err(|error| {
                JobError::usage(format!("the form of the hierarchy: {}", error.message()))
            })?;
            written.hierarchy
        }
    };
    let column = values.table.as_ref().map(|(table, name)| ColumnSource {
        table: table.clone(),
        read: values.read.clone(),
        name,
        least: USUAL_LEAST,
    });
    let located = |problem: Problem| JobError::usage(problem.after("the form of the hierarchy: "));
    let settled = settle(Path::new(form), &section, column.as_ref(), &located)?;
    let file = section.file().map(|file| Read::new("the hierarchy's source", file));
    ready(settled, Path::new(form), file.into_iter().collect())
}

fn ready(settled: Settled, path: &Path, reads: Vec<Read>) -> Result<Ready, JobError> {
    let wrong = |error: velamen_core::hierarchy::HierarchyError| {
        JobError::recipe(path, error.to_string()).coded(error.code())
    };
    let definition = settled.definition.unwrap_or_default();
    let rule = match (Rule::try_from(&definition).map_err(wrong)?, settled.top) {
        (Rule::Interval(rule), Some(top)) => {
            Rule::Coded(CodedRule::new(Some(rule), None, Some(top)).map_err(wrong)?)
        }
        (rule, _) => rule,
    };
    Ok(Ready { rule, from_data: settled.from_data, reads })
}

/// The hierarchy of an attribute of a recipe or of a release.
///
/// # Errors
/// [`JobError::usage`] if there is no such attribute or it has no hierarchy, and what reading can give.
pub fn of_attribute(place: &Path, attribute: &str) -> Result<Ready, JobError> {
    match place.is_dir() {
        true => of_release(place, attribute),
        false => of_recipe(Recipe::load(place, &Overrides::default())?.resolve()?, place, attribute),
    }
}

fn of_release(folder: &Path, attribute: &str) -> Result<Ready, JobError> {
    let promises = velamen_report::load(folder)?.promises(Vec::new())?;
    let of_qi = promises.qis.iter().find(|qi| qi.name == attribute).cloned();
    let of_sensitive = || {
        let hierarchy = promises.hierarchies.get(attribute)?.clone();
        Some(PromisedAttribute { name: attribute.into(), hierarchy, ..PromisedAttribute::default() })
    };
    let found =
        of_qi.or_else(of_sensitive).filter(|found| !matches!(found.hierarchy, Definition::Flat { .. }));
    Ok(Ready {
        rule: published::rule(&found.ok_or_else(|| no_attribute(folder, attribute))?)?,
        from_data: promises.domain_from_data,
        reads: vec![Read::release(folder)],
    })
}

/// The hierarchy of an attribute of a recipe, whose file `path` names in messages.
///
/// # Errors
/// [`JobError::usage`] if there is no such attribute or it has no hierarchy.
pub fn of_recipe(recipe: Resolved, path: &Path, attribute: &str) -> Result<Ready, JobError> {
    let Resolved { reads, attributes, .. } = recipe;
    let mut with = attributes.into_iter().filter(|found| found.definition.is_some());
    let found = with.find(|found| found.name == attribute).ok_or_else(|| no_attribute(path, attribute))?;
    Ok(Ready { rule: Rule::clone(&found.rule), from_data: found.from_data, reads })
}

fn no_attribute(place: &Path, attribute: &str) -> JobError {
    JobError::usage(format!("{} has no attribute `{attribute}` with a hierarchy", place.display()))
}

impl ValuesFrom {
    fn reads(&self) -> impl Iterator<Item = Read> {
        let codes = match &self.codes {
            Some(Codes::File(file)) => Some(Read::new("the file of values", file)),
            Some(Codes::Listed(_)) | None => None,
        };
        let table = self.table.as_ref().and_then(|(table, _)| table.file());
        codes.into_iter().chain(table.map(|table| Read::new("the table", table)))
    }

    fn is_none(&self) -> bool {
        self.codes.is_none() && self.table.is_none()
    }

    /// The values as they are written, each checked against the rule, none missing.
    fn read(&self, rule: &Rule, context: &Context<'_>) -> Result<Vec<String>, JobError> {
        if let Some(codes) = &self.codes {
            return self.listed(codes, rule);
        }
        let Some((table, column)) = &self.table else { return Ok(Vec::new()) };
        // The reader says in which row a value is that the rule has no place for.
        read_column(table, column, &self.read, Arc::new(rule.clone()), context)?;
        let table = read_column(table, column, &self.read, Arc::new(Rule::Flat), context)?;
        let values = table.qis[0].hierarchy.labels(0).iter();
        Ok(values.filter(|value| *value != NULL).cloned().collect())
    }

    fn listed(&self, codes: &Codes, rule: &Rule) -> Result<Vec<String>, JobError> {
        let (values, place) = match codes {
            Codes::File(file) => (velamen_recipe::domain::read(file)?, format!("{}: line", file.display())),
            Codes::Listed(values) => (values.clone(), "the values: number".to_owned()),
        };
        if let Some(number) = values.iter().position(|value| !rule.contains(value)) {
            return Err(
                JobError::data(format!("{place} {}: a wrong value", number + 1)).expected(rule.expectation())
            );
        }
        let distinct: BTreeSet<String> = values.into_iter().filter(|value| value != NULL).collect();
        Ok(distinct.into_iter().collect())
    }
}

fn read_column(
    table: &Origin,
    column: &str,
    options: &ReadOptions,
    rule: Arc<Rule>,
    context: &Context<'_>,
) -> Result<FrequencyTable, JobError> {
    let role = |name: &str| (name == column).then_some(Role::QuasiIdentifier);
    let (input, mut requests): (Input, _) = flat::open_table(table, options, role, &[column])?;
    requests.iter_mut().for_each(|request| request.rule = Arc::clone(&rule));
    Ok(input.read(&requests, context)?)
}

impl Ready {
    /// One row per value, ARX's format: the value as it is written, then its labels up to `*`.
    ///
    /// # Errors
    /// [`JobError::usage`] if there are no values and the domain cannot be listed.
    pub fn rows(&self, values: &ValuesFrom, context: &Context<'_>) -> Result<Vec<Vec<String>>, JobError> {
        let listed = match (&self.rule, values.is_none()) {
            (_, false) => values.read(&self.rule, context)?,
            (Rule::Coded(rule), true) => rule
                .intervals()
                .and_then(|inner| Rule::Interval(inner.clone()).whole_domain(MOST_LEAVES))
                .ok_or_else(unlisted)?,
            (rule, true) => rule.whole_domain(MOST_LEAVES).ok_or_else(unlisted)?,
        };
        // A coded number is a value of its own above what is written.
        let coded = matches!(self.rule, Rule::Coded(_));
        let row = |value: &String| {
            let leaf = self.rule.coded(value).unwrap_or_else(|| value.clone());
            let levels = u8::from(!coded)..=self.rule.top();
            std::iter::once(value.clone())
                .chain(levels.map(|level| self.rule.label_at(&leaf, level)))
                .collect()
        };
        let mut ordered = listed;
        velamen_core::hierarchy::sort_values(&mut ordered);
        Ok(ordered.iter().map(row).collect())
    }

    /// Writes [`Self::rows`] as ARX reads them and gives them back: `;` between, quoted where needed, no header.
    ///
    /// # Errors
    /// As of [`Self::rows`]; [`JobError::usage`] if the target is read, [`JobError::io`] if it cannot be written.
    pub fn write(
        &self,
        values: &ValuesFrom,
        target: &Path,
        context: &Context<'_>,
    ) -> Result<Vec<Vec<String>>, JobError> {
        let reads: Vec<Read> = self.reads.iter().cloned().chain(values.reads()).collect();
        outputs::refuse(target, &reads)?;
        let rows = self.rows(values, context)?;
        write(&rows, target)?;
        Ok(rows)
    }

    /// The levels, over the values that are given or the whole domain where it can be listed; with some labels of
    /// each if `show_values`.
    ///
    /// # Errors
    /// What reading the values can give.
    pub fn show(
        &self,
        values: &ValuesFrom,
        show_values: bool,
        context: &Context<'_>,
    ) -> Result<Shown, JobError> {
        let examples = if show_values { LABELS } else { 0 };
        let listed = match values.is_none() {
            false => Some(values.read(&self.rule, context)?),
            true => self.rule.whole_domain(MOST_LEAVES),
        };
        let coded = |value: String| self.rule.coded(&value).unwrap_or(value);
        let distinct: BTreeSet<String> = listed.into_iter().flatten().map(coded).collect();
        let (_, hierarchy) = self.rule.over(distinct.into_iter().collect(), false);
        let figures = |level: u8| {
            let leaves = (0..hierarchy.width(level) as u32).map(|code| hierarchy.leaves(level, code));
            LevelFigures {
                level,
                labels: hierarchy.width(level),
                least_leaves: leaves.clone().min().unwrap_or(0),
                most_leaves: leaves.max().unwrap_or(0),
                examples: hierarchy.labels(level).iter().take(examples).cloned().collect(),
            }
        };
        let by_level =
            if hierarchy.width(0) == 0 { Vec::new() } else { (0..=hierarchy.top()).map(figures).collect() };
        Ok(Shown {
            levels: hierarchy.top() + 1,
            leaves: hierarchy.domain(),
            values: self.rule.expectation(),
            from_data: self.from_data,
            by_level,
        })
    }
}

fn unlisted() -> JobError {
    JobError::usage("the form does not list the values there are")
        .mend("give them with --codes (a file, one a line), or with --table and --column")
}

/// Writes rows as ARX reads them and gives them back: `;` between, quoted where needed, no header.
///
/// # Errors
/// [`JobError::usage`] if the target exists, [`JobError::io`] if it cannot be written.
pub fn write(rows: &[Vec<String>], target: &Path) -> Result<(), JobError> {
    crate::outputs::refuse_existing(target)?;
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| quoted(cell)).collect();
        writeln!(text, "{}", cells.join(";")).expect("a string takes any text");
    }
    output_file::write(target, |path| {
        std::fs::write(path, &text).map_err(|error| JobError::io(target, "write the hierarchy", &error))
    })
}

fn quoted(cell: &str) -> String {
    match cell.contains([';', '"', '\n', '\r']) || cell.is_empty() {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}

/// Lists all faults of a file, and counts the values of a table's column that it lacks; some are shown if `show_values`.
///
/// # Errors
/// What reading can give; faults are none.
pub fn check(
    file: &Path,
    values: &ValuesFrom,
    show_values: bool,
    context: &Context<'_>,
) -> Result<Checked, JobError> {
    let most = if show_values { MISSING } else { 0 };
    let rows = read_file(file)?;
    let mut faults: Vec<String> = TableRule::faults(&rows).iter().map(ToString::to_string).collect();
    let known: BTreeSet<&str> = rows.iter().filter_map(|row| row.first()).map(String::as_str).collect();
    let spaced = |label: &&String| label.trim().len() != label.len();
    for (number, row) in (1..).zip(&rows) {
        if row.iter().any(|label| spaced(&label)) {
            faults.push(format!(
                "row {number}: a label begins or ends with white space; values are compared as they are"
            ));
        }
        if row.last().is_some_and(|label| label != velamen_core::hierarchy::TOP) {
            faults
                .push(format!("row {number}: the last level is not `*`; add a level with `*` to every row"));
        }
    }
    let rows = rows.len();
    let mut checked = Checked { rows, faults, missing_values: 0, missing_records: 0, examples: Vec::new() };
    if let Some((table, column)) = &values.table {
        let table = read_column(table, column, &values.read, Arc::new(Rule::Flat), context)?;
        for (value, records) in table.qis[0].hierarchy.labels(0).iter().zip(table.marginal(0)) {
            if value != NULL && !known.contains(value.as_str()) {
                checked.missing_values += 1;
                checked.missing_records += records;
                checked.examples.extend((checked.examples.len() < most).then(|| value.clone()));
            }
        }
    }
    Ok(checked)
}
