//! Utility figures of a release, from what a recipient has: released records, catalog, hierarchies.
//!
//! On purpose not from the original records: which of a class's records are counterfeits is hidden,
//! and a figure over the originals with many digits would be a checksum to test guesses against.
//! Where there are no counterfeits both are the same.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use velamen_core::frequency::QuasiIdentifier;
use velamen_core::hierarchy::Cell;
use velamen_core::release::{CatalogRow, Release, SUPPRESSED};

use super::rce::{certain, weight};
use super::{
    CELL_METRICS, CellMetric, MetricOptions, Reading, combine, generalization_factor, scaled_weights,
};
use super::{average_class_size, discernibility, height, rce, rows_retained};

/// A metric over the released records, read with options: the table's figure and each attribute's. A suppressed record
/// counts as `*` throughout, as in a [local recoding](super::of_recoded).
#[must_use]
pub fn cell_metric(
    metric: CellMetric,
    release: &Release,
    qis: &[QuasiIdentifier],
    options: &MetricOptions,
) -> (f64, Vec<f64>) {
    let (records, kept_factor) = (release.records() as f64, generalization_factor(options));
    let figure = |q: usize| -> f64 {
        let (domain, kept) = (qis[q].hierarchy.domain() as f64, of_kept(metric, release, &qis[q], q));
        let suppressed = release.suppressed as f64 * (metric.suppressed)(&Cell::suppressed(domain));
        (metric.normalise)(kept_factor * kept + suppressed, records, domain, kept_factor)
    };
    let figures: Vec<f64> = (0..qis.len()).map(figure).collect();
    let aggregate = options.aggregate.unwrap_or(metric.aggregate);
    (combine(aggregate, figures.iter().copied(), &scaled_weights(options, qis.len())).first(), figures)
}

/// The metrics of class sizes, by name.
#[must_use]
pub fn of_sizes(release: &Release) -> [(&'static str, f64); 2] {
    [
        (discernibility::ENTRY.name, discernibility(release)),
        (average_class_size::ENTRY.name, average_class_size(release)),
    ]
}

/// The metric of class sizes that replaces a loss where values are nobody's: by its name, from figures.
#[must_use]
pub fn mean_size(figures: &Map<String, Value>) -> (&'static str, f64) {
    let name = average_class_size::ENTRY.name;
    (name, figures.get(name).and_then(Value::as_f64).unwrap_or_default())
}

/// The sum of the levels, by name; `None` where classes have levels of their own.
#[must_use]
pub fn levels(release: &Release) -> Option<(&'static str, u32)> {
    let levels = release.qis.iter().map(|qi| qi.level.map(u32::from)).sum::<Option<u32>>();
    levels.map(|sum| (height::ENTRY.name, sum))
}

/// The distinct rows, by name.
#[must_use]
pub fn distinct_rows(release: &Release) -> (&'static str, usize) {
    (rows_retained::ENTRY.name, release.rows.len())
}

/// Whether a released table shows a metric's figure by itself: all others are over the original records.
#[must_use]
pub fn shows(name: &str) -> bool {
    let of_tables = [discernibility::ENTRY.name, average_class_size::ENTRY.name, height::ENTRY.name, ERROR];
    of_tables.contains(&name) || CELL_METRICS.iter().any(|metric| metric.name == name)
}

/// The name of the reconstruction error.
pub const ERROR: &str = rce::ENTRY.name;

/// DM: Σ c² over the classes + N for each suppressed record.
fn discernibility(release: &Release) -> f64 {
    let kept: f64 = release.sizes.iter().map(|&size| (size as f64).powi(2)).sum();
    kept + release.suppressed as f64 * release.records() as f64
}

/// N / (classes + 1 if anything is suppressed).
fn average_class_size(release: &Release) -> f64 {
    let classes = release.sizes.len() as u64 + u64::from(release.suppressed > 0);
    release.records() as f64 / classes.max(1) as f64
}

/// RCE as a recipient can expect it, summed over the expected real records: a released record of
/// value s in a group with share f = c / (released records of s) is real with probability 1 − f.
///
/// With `values`, the sensitive value of a suppressed record is lost ([`rce::lost_value`]).
///
/// Equals [`rce`] where there are no counterfeits and nothing moved.
#[must_use]
pub fn expected_rce(release: &Release, qis: &[QuasiIdentifier], (reading, values): (Reading, bool)) -> f64 {
    let shares = counterfeit_shares(release);
    let sensitive = release.rest.sensitive().next();
    let suppressed: Vec<f64> = qis.iter().map(|qi| 1.0 / qi.hierarchy.domain() as f64).collect();
    let of_values = if values { rce::lost_value(reading, &suppressed) } else { 0.0 };
    let mut total = release.suppressed as f64 * of_values;
    let (mut current, mut reciprocals) = (SUPPRESSED, suppressed.clone());
    for row in &release.rows {
        if row.class != current {
            current = row.class;
            reciprocals = if current == SUPPRESSED {
                suppressed.clone()
            } else {
                let codes = release.class(current as usize).iter().zip(&release.qis);
                codes.map(|(&code, qi)| 1.0 / qi.values[code as usize].leaves as f64).collect()
            };
        }
        let value = sensitive.map(|s| release.rest.codes[s][row.rest as usize]);
        let f = value.map_or(0.0, |value| shares.of(row.class, value));
        let record = certain(reading, &reciprocals) + f * f * weight(reading, &reciprocals);
        total += row.count as f64 * (1.0 - f) * record;
    }
    total
}

/// Which share of the released records of a class and value is counterfeit, by the catalog.
#[derive(Debug, Clone, Default)]
pub struct Shares {
    /// Per class its group, if it has one.
    group_of: Vec<Option<u32>>,
    /// (group, sensitive code) → share.
    shares: BTreeMap<(u32, u32), f64>,
}

impl Shares {
    /// f = (catalog count of the value in the class's group) / (released records of it there).
    #[must_use]
    pub fn of(&self, class: u32, value: u32) -> f64 {
        let group = self.group_of.get(class as usize).copied().flatten();
        group.and_then(|group| self.shares.get(&(group, value))).copied().unwrap_or(0.0)
    }
}

/// The shares of counterfeits that a release's catalog shows.
#[must_use]
pub fn counterfeit_shares(release: &Release) -> Shares {
    let Some(sensitive) = release.rest.sensitive().next() else { return Shares::default() };
    let mut group_of = vec![None; release.sizes.len()];
    for (group, entries) in (0..).zip(release.catalog.chunk_by(|a, b| a.classes == b.classes)) {
        for &id in entries[0].classes.iter() {
            group_of[id as usize - 1] = Some(group);
        }
    }
    let mut released: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for row in &release.rows {
        if let Some(group) = group_of.get(row.class as usize).copied().flatten() {
            let value = release.rest.codes[sensitive][row.rest as usize];
            *released.entry((group, value)).or_default() += row.count;
        }
    }
    let values = &release.rest.columns[sensitive].values;
    let codes: BTreeMap<&str, u32> = values.iter().map(String::as_str).zip(0..).collect();
    let share = |entry: &CatalogRow| {
        let group = group_of[*entry.classes.first()? as usize - 1]?;
        let key = (group, *codes.get(entry.value.as_str())?);
        Some((key, entry.count as f64 / *released.get(&key)? as f64))
    };
    Shares { shares: release.catalog.iter().filter_map(share).collect(), group_of }
}

/// An attribute's figure over the records that are not suppressed.
fn of_kept(metric: CellMetric, release: &Release, qi: &QuasiIdentifier, q: usize) -> f64 {
    let (hierarchy, values) = (&qi.hierarchy, &release.qis[q].values);
    let cell = |class: usize| {
        let value = &values[release.class(class)[q] as usize];
        let climbed = hierarchy.climbed(value.level);
        (metric.cell)(&Cell { leaves: value.leaves as f64, domain: hierarchy.domain() as f64, climbed })
    };
    (0..release.sizes.len()).map(|class| release.sizes[class] as f64 * cell(class)).sum()
}
