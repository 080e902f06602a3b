//! A release as recipients have it: the file, the catalog, nothing else.

use std::collections::BTreeMap;
use std::path::Path;

use velamen_core::release::CatalogRow;
use velamen_job::catalog;
use velamen_recipe::JobError;
use velamen_report::Manifest;

use super::original::Original;

/// Released records of equal content.
pub(crate) struct Group {
    /// Per quasi-identifier an index into its labels.
    pub(crate) labels: Vec<u32>,
    /// The original's sensitive values that the released one covers.
    pub(crate) values: Vec<u32>,
    /// How many there are.
    pub(crate) records: u64,
    /// How many of them are real, as far as the catalog lets one expect.
    pub(super) expected: f64,
}

/// The groups of a release, and what each label covers.
pub(crate) struct Released {
    pub(crate) groups: Vec<Group>,
    /// Per quasi-identifier and label the original's leaves that it covers, ascending.
    pub(crate) covers: Vec<Vec<Vec<u32>>>,
    /// Per group, whether all its quasi-identifiers are `*`.
    pub(crate) suppressed: Vec<bool>,
}

/// (class id, labels and sensitive value) → records.
type Counts = BTreeMap<(Option<u64>, Vec<String>), u64>;

impl Released {
    /// Reads a release's folder.
    ///
    /// # Errors
    /// [`JobError`] of its files.
    pub(crate) fn read(folder: &Path, manifest: &Manifest, original: &Original) -> Result<Self, JobError> {
        let counts = counts(folder, manifest, original)?;
        let catalog = catalog::read(folder, manifest)?;
        let shares = Shares::new(&catalog, &counts);
        let mut covered: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        let qis = original.table.qis.len();
        let mut labels: Vec<BTreeMap<&str, u32>> = vec![BTreeMap::new(); qis];
        let mut released = Self { groups: Vec::new(), covers: vec![Vec::new(); qis], suppressed: Vec::new() };
        for ((class, content), &count) in &counts {
            let mut codes = Vec::with_capacity(qis);
            for (q, label) in content[..qis].iter().enumerate() {
                let next = labels[q].len() as u32;
                codes.push(*labels[q].entry(label).or_insert(next));
                if codes[q] == next {
                    released.covers[q].push(original.covered(q, label));
                }
            }
            let value = content[qis].as_str();
            let values = covered.entry(value).or_insert_with(|| original.covered_values(value)).clone();
            let expected = count as f64 * (1.0 - shares.of(*class, &content[qis]));
            released.groups.push(Group { labels: codes, values, records: count, expected });
            released.suppressed.push(content[..qis].iter().all(|label| label == "*"));
        }
        Ok(released)
    }
}

/// The released records by class and content: quasi-identifiers in the original's order, then the value.
fn counts(folder: &Path, manifest: &Manifest, original: &Original) -> Result<Counts, JobError> {
    let path = folder.join(&manifest.data.file);
    let wrong =
        |problem: &dyn std::fmt::Display| JobError::unusable(format!("{}: {problem}", path.display()));
    let delimiter = manifest.data.delimiter.as_ref().and_then(|text| text.bytes().next()).unwrap_or(b',');
    let reader = csv::ReaderBuilder::new().delimiter(delimiter).from_path(&path);
    let mut reader = reader.map_err(|error| wrong(&error))?;
    let header = reader.headers().map_err(|error| wrong(&error))?.clone();
    let place = |name: &str| {
        let found = header.iter().position(|column| column == name);
        found.ok_or_else(|| wrong(&format!("no column `{name}`")))
    };
    let columns = original.table.qis.iter().map(|qi| qi.name.as_str());
    let columns = columns.chain([original.table.rest.columns[0].name.as_str()]);
    let columns: Vec<usize> = columns.map(place).collect::<Result<_, _>>()?;
    let class = header.iter().position(|column| column == velamen_checker::CLASS_ID);
    let mut counts = Counts::new();
    for record in reader.records() {
        let record = record.map_err(|error| wrong(&error))?;
        let id = class.and_then(|column| record.get(column)?.parse().ok());
        let content = columns.iter().map(|&column| record.get(column).unwrap_or("").to_owned()).collect();
        *counts.entry((id, content)).or_default() += 1;
    }
    Ok(counts)
}

/// Of each group of classes and value, the share of counterfeits that the catalog states.
struct Shares<'a> {
    group_of: BTreeMap<u64, &'a [u64]>,
    shares: BTreeMap<(&'a [u64], &'a str), f64>,
}

impl<'a> Shares<'a> {
    fn new(catalog: &'a [CatalogRow], counts: &Counts) -> Self {
        let group_of: BTreeMap<u64, &[u64]> = catalog
            .iter()
            .flat_map(|row| row.classes.iter().map(|&class| (class, &row.classes[..])))
            .collect();
        let mut released: BTreeMap<(&[u64], &str), u64> = BTreeMap::new();
        for ((class, content), count) in counts {
            if let Some(group) = class.and_then(|class| group_of.get(&class)) {
                let value = content.last().map_or("", String::as_str);
                if let Some(row) = catalog.iter().find(|row| row.classes[..] == **group && row.value == value)
                {
                    *released.entry((&row.classes[..], &row.value)).or_default() += count;
                }
            }
        }
        let share = |row: &'a CatalogRow| {
            let all = released.get(&(&row.classes[..], row.value.as_str())).copied().unwrap_or(0);
            ((&row.classes[..], row.value.as_str()), row.count as f64 / all.max(1) as f64)
        };
        Self { group_of, shares: catalog.iter().map(share).collect() }
    }

    fn of(&self, class: Option<u64>, value: &str) -> f64 {
        let group = class.and_then(|class| self.group_of.get(&class));
        group.and_then(|group| self.shares.get(&(*group, value))).copied().unwrap_or(0.0)
    }
}
