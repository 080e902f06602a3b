//! The original table as the measurements need it.

use std::path::Path;

use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;
use velamen_core::hierarchy::{Hierarchy, Rule, TOP};
use velamen_core::label::Range;
use velamen_job::table::OpenedTable;
use velamen_recipe::{JobError, Overrides, Recipe, Resolved};

use super::recipes::{PLAIN, Sample};

/// The distinct combinations of the original records.
pub(crate) struct Original {
    pub(crate) table: FrequencyTable,
    /// Of the sensitive attribute, for methods that generalize it.
    sensitive: Hierarchy,
}

impl Original {
    /// Reads the table of a sample, all columns but quasi-identifiers and sensitive one dropped.
    ///
    /// # Errors
    /// [`JobError`] of the files.
    pub(super) fn read(sample: &Sample, work: &Path, context: &Context<'_>) -> Result<Self, JobError> {
        let path = work.join("original.toml");
        let recipe = sample.recipe(&PLAIN);
        std::fs::write(&path, recipe).map_err(|error| JobError::io(&path, "write", &error))?;
        Self::of(&Recipe::load(&path, &Overrides::default())?.resolve()?, &path, context)
    }

    /// Reads the table of a recipe that releases its quasi-identifiers and one sensitive attribute.
    ///
    /// # Errors
    /// [`JobError`] of the files.
    pub(crate) fn of(resolved: &Resolved, path: &Path, context: &Context<'_>) -> Result<Self, JobError> {
        let table = OpenedTable::open(resolved, path, false)?.read(context)?;
        let column = &table.rest.columns[0];
        let named = resolved.attributes.iter().find(|attribute| attribute.name == column.name);
        let rule = named.map_or(&Rule::Flat, |attribute| &attribute.rule);
        let (_, sensitive) = rule.over(column.values.clone(), false);
        Ok(Self { table, sensitive })
    }

    pub(crate) fn hierarchy(&self, q: usize) -> &Hierarchy {
        &self.table.qis[q].hierarchy
    }

    pub(crate) fn values(&self) -> &[String] {
        &self.table.rest.columns[0].values
    }

    /// The sensitive code of an entry.
    pub(crate) fn value(&self, entry: usize) -> u32 {
        self.table.rest.codes[0][self.table.rest_index[entry] as usize]
    }

    /// The entry of the record at a position.
    pub(super) fn entry_of(&self, mut position: u64) -> usize {
        let here = |&count: &u64| {
            let here = position < count;
            position = position.saturating_sub(count);
            here
        };
        self.table.counts.iter().position(here).expect("a position in the table")
    }

    /// The share of the most frequent sensitive value.
    pub(super) fn majority(&self) -> f64 {
        let most = self.table.rest_marginal(0).into_iter().max().unwrap_or(0);
        most as f64 / self.table.records().max(1) as f64
    }

    /// The leaves that occur under a released label of an attribute.
    pub(super) fn covered(&self, q: usize, label: &str) -> Vec<u32> {
        covered(self.hierarchy(q), label)
    }

    /// The sensitive values that occur under a released label.
    pub(super) fn covered_values(&self, label: &str) -> Vec<u32> {
        let codes = covered(&self.sensitive, label);
        let place = |code: u32| self.values().iter().position(|value| value == self.sensitive.label(0, code));
        codes.into_iter().filter_map(place).map(|place| place as u32).collect()
    }
}

fn covered(hierarchy: &Hierarchy, label: &str) -> Vec<u32> {
    let leaves = 0..hierarchy.width(0) as u32;
    if label == TOP {
        return leaves.collect();
    }
    for level in 0..=hierarchy.top() {
        if let Some(code) = (0..).zip(hierarchy.labels(level)).find(|(_, l)| *l == label).map(|f| f.0) {
            return leaves.filter(|&leaf| hierarchy.code(level, leaf) == code).collect();
        }
    }
    let Some(range) = Range::read(label) else { return Vec::new() };
    leaves.filter(|&leaf| range.has(hierarchy.label(0, leaf))).collect()
}
