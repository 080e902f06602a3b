//! The tables that a query can name: the released records and their truthful version.

use std::collections::BTreeMap;
use std::path::Path;

use velamen_checker::CLASS_ID;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::TOP;
use velamen_core::release::CatalogRow;
use velamen_engine::sink::OutTable;
use velamen_job::catalog;
use velamen_job::estimate;
use velamen_job::flat::{hide_suppressed, open_flat, per_row, read_options};
use velamen_measure::answer::Stratum;
use velamen_recipe::JobError;
use velamen_report::manifest::FILE;
use velamen_report::{Manifest, OfMethod};
use velamen_sql::QueriedTable;

/// A released column: its labels, and by row an index into them.
#[derive(Debug)]
pub(super) struct ReleasedColumn {
    pub(super) name: String,
    pub(super) labels: Vec<String>,
    pub(super) codes: Vec<u32>,
    /// The label of suppressed records that show no value of the column, and the records of each label.
    pub(super) hidden: Option<(u32, Vec<u64>)>,
}

impl ReleasedColumn {
    /// Gives the suppressed records a label of their own, if there are some.
    fn hide(&mut self, suppressed: &[usize], counts: &[u64]) {
        if suppressed.is_empty() {
            return;
        }
        let hidden = self.labels.len() as u32;
        self.labels.push(TOP.into());
        suppressed.iter().for_each(|&row| self.codes[row] = hidden);
        self.hidden = Some((hidden, self.records(counts)));
    }

    /// The labels, with a missing value for what is hidden.
    pub(super) fn blanked(&mut self) -> &[String] {
        if let Some((hidden, _)) = &self.hidden {
            self.labels[*hidden as usize].clear();
        }
        &self.labels
    }

    fn records(&self, counts: &[u64]) -> Vec<u64> {
        let mut records = vec![0; self.labels.len()];
        self.codes.iter().zip(counts).for_each(|(&code, count)| records[code as usize] += count);
        records
    }
}

/// Distinct released records.
#[derive(Debug)]
pub(super) struct ReleasedTable {
    pub(super) columns: Vec<ReleasedColumn>,
    /// How many records each row stands for.
    pub(super) counts: Vec<u64>,
    /// By row an index into the strata; records of stratum 0 are all real.
    pub(super) stratum: Vec<usize>,
    pub(super) strata: Vec<Stratum>,
}

impl ReleasedTable {
    pub(super) fn load(
        folder: &Path,
        manifest: &Manifest,
        source: QueriedTable,
        context: &Context<'_>,
    ) -> Result<Self, JobError> {
        match source {
            QueriedTable::Release => Self::released(folder, manifest, context),
            QueriedTable::Truthful => {
                Ok(Self::real(velamen_job::truthful::version(folder, context)?.table, manifest))
            }
        }
    }

    fn released(folder: &Path, manifest: &Manifest, context: &Context<'_>) -> Result<Self, JobError> {
        let path = velamen_report::data_path(&manifest.data, folder)?;
        let options = read_options(manifest)?;
        let (mut input, requests) = open_flat(&path, &options, |_| Some(Role::Insensitive), &[CLASS_ID])?;
        let mut table = estimate::read(&mut input, &requests, context)?;
        hide_suppressed(&mut table.rest, manifest);
        let counts = per_row(&table);
        let mut columns: Vec<ReleasedColumn> = released(table);
        let suppressed = suppressed(&columns, manifest);
        let shows_none = |name: &str| name != CLASS_ID && !manifest.has_role(name, Role::QuasiIdentifier);
        let hidden = columns.iter_mut().filter(|column| shows_none(&column.name));
        hidden.for_each(|column| column.hide(&suppressed, &counts));
        let catalog = catalog::read(folder, manifest)?;
        let stated = manifest.counterfeits.unwrap_or(0);
        if catalog.iter().map(|row| row.count).sum::<u64>() != stated {
            return Err(unaccounted(folder));
        }
        let mut table =
            Self { stratum: vec![0; counts.len()], columns, counts, strata: vec![Stratum::default()] };
        if stated > 0 {
            let sensitive = manifest.promises(Vec::new())?.sensitive;
            let sensitive = sensitive.and_then(|name| table.columns.iter().position(|c| c.name == name));
            table.divide(&catalog, sensitive.ok_or_else(|| unaccounted(folder))?, folder)?;
        }
        Ok(table)
    }

    fn real(out: OutTable, manifest: &Manifest) -> Self {
        // What a suppressed record shows in a column that was not generalized is no value of it.
        let blank =
            |name: &str| !manifest.has_role(name, Role::QuasiIdentifier) && manifest.suppresses_records();
        let columns = out.columns.into_iter().zip(out.codes).map(|(column, codes)| {
            let star = column.labels.iter().position(|label| label == TOP).filter(|_| blank(&column.name));
            let (name, labels) = (column.name, column.labels);
            let mut column = ReleasedColumn { name, labels, codes, hidden: None };
            column.hidden = star.map(|star| (star as u32, column.records(&out.counts)));
            column
        });
        Self {
            columns: columns.collect(),
            stratum: vec![0; out.counts.len()],
            counts: out.counts,
            strata: vec![Stratum::default()],
        }
    }

    /// Puts the records of each catalog row into a stratum of its own.
    fn divide(&mut self, catalog: &[CatalogRow], sensitive: usize, folder: &Path) -> Result<(), JobError> {
        let (mut group_of, mut strata) = (BTreeMap::new(), BTreeMap::new());
        for (group, rows) in catalog.chunk_by(|a, b| a.classes == b.classes).enumerate() {
            for &class in rows[0].classes.iter() {
                // A class that two groups name has no counterfeits of its own that anybody could bound.
                if group_of.insert(class, group).is_some() {
                    return Err(unaccounted(folder));
                }
            }
            for row in rows {
                if strata.insert((group, &*row.value), self.strata.len()).is_some() {
                    return Err(unaccounted(folder));
                }
                self.strata.push(Stratum { released: 0, counterfeits: row.count });
            }
        }
        let class = self.columns.iter().position(|column| column.name == CLASS_ID).expect("it was asked for");
        let (class, sensitive) = (&self.columns[class], &self.columns[sensitive]);
        let ids: Vec<Option<u64>> = class.labels.iter().map(|label| label.parse().ok()).collect();
        for row in 0..self.counts.len() {
            let value = &*sensitive.labels[sensitive.codes[row] as usize];
            let group = ids[class.codes[row] as usize].and_then(|id| group_of.get(&id));
            if let Some(&stratum) = group.and_then(|&group| strata.get(&(group, value))) {
                self.stratum[row] = stratum;
                self.strata[stratum].released += self.counts[row];
            }
        }
        match self.strata.iter().all(|stratum| stratum.counterfeits <= stratum.released) {
            true => Ok(()),
            false => Err(unaccounted(folder)),
        }
    }
}

fn released(table: FrequencyTable) -> Vec<ReleasedColumn> {
    let columns = table.rest.columns.into_iter().zip(table.rest.codes);
    columns
        .map(|(column, codes)| ReleasedColumn {
            name: column.name,
            labels: column.values,
            codes,
            hidden: None,
        })
        .collect()
}

/// The rows of suppressed records that show nothing.
fn suppressed(columns: &[ReleasedColumn], manifest: &Manifest) -> Vec<usize> {
    let class = columns.iter().find(|column| column.name == CLASS_ID);
    let Some(class) = class.filter(|_| manifest.suppresses_records()) else { return Vec::new() };
    let has_class: Vec<bool> = class.labels.iter().map(|id| id.parse::<u64>().is_ok()).collect();
    (0..class.codes.len()).filter(|&row| !has_class[class.codes[row] as usize]).collect()
}

fn unaccounted(folder: &Path) -> JobError {
    let message = Problem::new("the catalog does not account for the counterfeits of the data")
        .mend("see `velamen verify`");
    JobError::data(message.after(&format!("{}: {FILE}: ", folder.display())))
}
