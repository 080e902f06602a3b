//! A release folder read back: what its recipients have.

mod labels;
mod space;

pub use space::Space;

use std::collections::BTreeMap;
use std::path::Path;

use velamen_checker::CLASS_ID;
use velamen_contract::PromisedAttribute;
use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, QuasiIdentifier, Rest, Role};
use velamen_core::hierarchy::{CodedRule, Definition, Hierarchy, NULL, Rule};
use velamen_core::recoding::{Recoding, ReleasedValue};
use velamen_core::release::{CatalogRow, Release, ReleasedAttribute, Row, SUPPRESSED};
use velamen_recipe::JobError;
use velamen_report::{Manifest, OfMethod};
use velamen_search::method::Records;
use velamen_search::metric::{self, MetricOptions, Reading};

use crate::flat::{hide_suppressed, open_flat, per_row, read_options};
use crate::utility::{UtilityFigures, of_classes, of_release, rce};
use crate::{catalog, estimate};

/// A release as its folder shows it.
#[derive(Debug)]
pub struct Published {
    /// What it states of itself.
    pub manifest: Manifest,
    /// Its quasi-identifiers as they are promised.
    pub attributes: Vec<PromisedAttribute>,
    /// Names, domains and heights; the original values are not known.
    pub(crate) qis: Vec<QuasiIdentifier>,
    /// The released records.
    pub release: Release,
    /// Whether every label says what it covers.
    covered: bool,
}

impl Published {
    /// Reads a release folder. Ranges of values without hierarchy need the original to be understood.
    ///
    /// # Errors
    /// [`JobError::io`] or [`JobError::data`] if the folder holds no readable release.
    pub fn load(
        folder: &Path,
        original: Option<&FrequencyTable>,
        context: &Context<'_>,
    ) -> Result<Self, JobError> {
        let manifest = velamen_report::load(folder)?;
        let path = velamen_report::data_path(&manifest.data, folder)?;
        let (mut input, requests) = {
            let attributes = manifest.promises(Vec::new())?.qis;
            open_flat(&path, &read_options(&manifest)?, |_| Some(Role::Insensitive), &needed(&attributes))?
        };
        Self::of_table(manifest, &estimate::read(&mut input, &requests, context)?, original, folder)
    }

    /// The same of the released file's table, which has every column as it stands in the file.
    ///
    /// # Errors
    /// [`JobError::io`] or [`JobError::data`] if the catalog or the manifest does not fit.
    pub(crate) fn of_table(
        manifest: Manifest,
        table: &FrequencyTable,
        original: Option<&FrequencyTable>,
        folder: &Path,
    ) -> Result<Self, JobError> {
        let catalog = catalog::read(folder, &manifest)?;
        let attributes = manifest.promises(Vec::new())?.qis;
        let mut release = classes(table, &needed(&attributes))?;
        hide_suppressed(&mut release.rest, &manifest);
        refuse_strange_catalog(&catalog, &release, folder)?;
        release.catalog = catalog;
        let qis = attributes.iter().map(extent).collect::<Result<Vec<_>, _>>()?;
        let covered = describe(&mut release, &attributes, &qis, original)?;
        name_sensitive(&mut release.rest, &manifest);
        Ok(Self { manifest, attributes, qis, release, covered })
    }

    /// The metrics that the released table shows.
    pub fn figures(&self) -> UtilityFigures {
        self.figures_as(None)
    }

    /// As [`Self::figures`], the method's own metric read with the options that the manifest states.
    pub(crate) fn figures_as_asked(&self) -> UtilityFigures {
        self.figures_as(self.asked().as_ref())
    }

    /// The metric that the method minimized, with its options.
    fn asked(&self) -> Option<(&'static metric::Entry, MetricOptions)> {
        let method = &self.manifest.method;
        let options = method.metric_options();
        let weight = |qi: &QuasiIdentifier| options.weights.get(&qi.name).copied().unwrap_or(1.0);
        let weights = self.qis.iter().map(weight).collect();
        Some((metric::find(method.metric()?)?, options.weighted(weights)))
    }

    fn figures_as(&self, asked: Option<&(&'static metric::Entry, MetricOptions)>) -> UtilityFigures {
        if !self.covered {
            return of_classes(&self.release);
        }
        let mut figures = of_release(&self.qis, &self.release, asked);
        // Of records that moved the released table shows no error.
        if self.manifest.facts().records != Records::Relocated {
            figures.extend([rce(&self.qis, &self.release, self.reading())]);
        }
        figures
    }

    /// How the method reads reconstruction errors, and whether the sensitive values of suppressed records count in them.
    pub fn reading(&self) -> (Reading, bool) {
        (self.manifest.method.error_reading(), self.manifest.method.counts_suppressed_values())
    }

    /// All leaves of a quasi-identifier.
    pub fn domain(&self, name: &str) -> u64 {
        self.qis.iter().find(|qi| qi.name == name).map_or(0, |qi| qi.hierarchy.domain())
    }

    /// The released values of a quasi-identifier, by code.
    pub fn values(&self, name: &str) -> &[ReleasedValue] {
        let found = self.release.qis.iter().find(|qi| qi.name == name);
        found.map_or(&[], |qi| &qi.values)
    }

    /// The labels of a class.
    pub fn labels(&self, class: usize) -> Vec<&str> {
        let codes = self.release.class(class).iter().zip(&self.release.qis);
        codes.map(|(&code, qi)| qi.label(code)).collect()
    }
}

/// The columns that a release cannot do without.
fn needed(attributes: &[PromisedAttribute]) -> Vec<&str> {
    std::iter::once(CLASS_ID).chain(attributes.iter().map(|attribute| &*attribute.name)).collect()
}

/// Rows and classes of the released table; its columns are the rest, so that each row has its own.
fn classes(table: &FrequencyTable, needed: &[&str]) -> Result<Release, JobError> {
    let rest = &table.rest;
    let position = |name: &&str| rest.columns.iter().position(|column| column.name == *name);
    let columns: Vec<usize> = needed.iter().filter_map(position).collect();
    let (class, qis) = columns.split_first().expect("the class ids were asked for");
    let mut release = Release { rest: rest.clone(), ..Release::default() };
    let mut known: BTreeMap<u64, Vec<(u32, u64)>> = BTreeMap::new();
    for (row, count) in (0..).zip(per_row(table)) {
        let id = &rest.columns[*class].values[rest.codes[*class][row as usize] as usize];
        match id.parse() {
            Ok(id) => known.entry(id).or_default().push((row, count)),
            Err(_) => release.rows.push(Row { class: SUPPRESSED, rest: row, count }),
        }
    }
    release.suppressed = release.rows.iter().map(|row| row.count).sum();
    if known.keys().zip(1..).any(|(&id, expected)| id != expected) {
        return Err(JobError::data("the ids of the released classes are not 1, 2, …"));
    }
    let suppressed = std::mem::take(&mut release.rows);
    for (class, rows) in (0..).zip(known.into_values()) {
        release.codes.extend(qis.iter().map(|&column| rest.codes[column][rows[0].0 as usize]));
        release.sizes.push(rows.iter().map(|row| row.1).sum());
        release.rows.extend(rows.into_iter().map(|(rest, count)| Row { class, rest, count }));
    }
    release.rows.extend(suppressed);
    Ok(release)
}

fn refuse_strange_catalog(catalog: &[CatalogRow], release: &Release, folder: &Path) -> Result<(), JobError> {
    let known = |id: &u64| (1..=release.sizes.len() as u64).contains(id);
    if catalog.iter().fold(0, |total: u64, row| total.saturating_add(row.count)) > release.records() {
        let message = "counts more counterfeits than the released table has records";
        return Err(JobError::data(format!("{}: {message}", folder.join(catalog::FILE).display())));
    }
    if catalog.iter().all(|row| !row.classes.is_empty() && row.classes.iter().all(known)) {
        return Ok(());
    }
    let message = "names classes that the released table does not have";
    Err(JobError::data(format!("{}: {message}", folder.join(catalog::FILE).display())))
}

/// Names the quasi-identifiers of a release and returns whether every label says what it covers.
fn describe(
    release: &mut Release,
    attributes: &[PromisedAttribute],
    qis: &[QuasiIdentifier],
    original: Option<&FrequencyTable>,
) -> Result<bool, JobError> {
    let mut covered = true;
    for (attribute, qi) in attributes.iter().zip(qis) {
        let column = release.rest.columns.iter().find(|column| column.name == attribute.name);
        let labels = column.map_or(&[][..], |column| &column.values);
        let rule = rule(attribute)?;
        let known = original.and_then(|table| table.qis.iter().find(|qi| qi.name == attribute.name));
        let (domain, top) = (qi.hierarchy.domain(), qi.hierarchy.top());
        let originals = known.map_or(&[][..], |qi| qi.hierarchy.labels(0));
        let positions = labels::positions(attribute, originals);
        let scope = labels::Scope { attribute, rule: &rule, domain, top, originals, positions };
        let aggregated = attribute.recoding == Recoding::Aggregates;
        let value = |label: &String| {
            let value = scope.value(label).filter(|_| !aggregated);
            covered &= value.is_some();
            value.unwrap_or_else(|| ReleasedValue { label: label.clone(), ..Default::default() })
        };
        let values = labels.iter().map(value).collect();
        let (name, level, recoding) = (attribute.name.clone(), attribute.level, attribute.recoding);
        release.qis.push(ReleasedAttribute { name, level, recoding, height: top, values });
    }
    Ok(covered)
}

/// An attribute's name, domain and height.
pub(crate) fn extent(attribute: &PromisedAttribute) -> Result<QuasiIdentifier, JobError> {
    let wrong = || JobError::data(format!("release.json: attribute `{}`: no such level", attribute.name));
    let hierarchy = match attribute.hierarchy {
        // The values are the custodian's; how many there are is told.
        Definition::Flat { domain } => Hierarchy::unlisted(domain),
        _ => {
            let values = if attribute.null_leaf { vec![NULL.to_owned()] } else { Vec::new() };
            rule(attribute)?.over(values, false).1
        }
    };
    if attribute.level.is_some_and(|level| level > hierarchy.top()) {
        return Err(wrong());
    }
    Ok(QuasiIdentifier { name: attribute.name.clone(), hierarchy })
}

/// The rule that generalized an attribute.
pub fn rule(attribute: &PromisedAttribute) -> Result<Rule, JobError> {
    let rule = rule_of(attribute, &attribute.hierarchy)?;
    if attribute.bottom.is_none() && attribute.top.is_none() {
        return Ok(rule);
    }
    let inner = match rule {
        Rule::Interval(rule) => Some(rule),
        _ => None,
    };
    let coded = CodedRule::new(inner, attribute.bottom, attribute.top).map(Rule::Coded);
    coded.map_err(|error| wrong(attribute, &error))
}

fn rule_of(attribute: &PromisedAttribute, definition: &Definition) -> Result<Rule, JobError> {
    Rule::try_from(definition).map_err(|error| wrong(attribute, &error))
}

fn wrong(attribute: &PromisedAttribute, error: &dyn std::fmt::Display) -> JobError {
    JobError::data(format!("release.json: hierarchy of attribute `{}`: {error}", attribute.name))
}

fn name_sensitive(rest: &mut Rest, manifest: &Manifest) {
    for column in &mut rest.columns {
        if manifest.has_role(&column.name, Role::Sensitive) {
            column.role = Role::Sensitive;
        }
    }
}
