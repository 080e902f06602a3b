//! Error bars of the tables that invented records follow: how far the records' counts may be from the original's.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use velamen_contract::{MeasuredTable, Measurements};
use velamen_core::hierarchy::Rule;
use velamen_core::release::Release;
use velamen_measure::ErrorBars;

use crate::Manifest;

/// What released values are counted as: the bins of attributes that have some.
#[derive(Debug, Default)]
pub struct Counted(BTreeMap<String, (Rule, u8)>);

impl Counted {
    /// Of a release; a hierarchy that does not read has no bins.
    #[must_use]
    pub fn of(all: &Measurements, manifest: &Manifest) -> Self {
        let rule = |name: &String| Rule::try_from(manifest.attributes.get(name)?.hierarchy.as_ref()?).ok();
        let bins = all.levels.iter().filter_map(|(name, &level)| Some((name.clone(), (rule(name)?, level))));
        Self(bins.collect())
    }

    fn label<'a>(&self, name: &str, released: &'a str) -> Cow<'a, str> {
        match self.0.get(name) {
            Some((rule, level)) => Cow::Owned(rule.label_at(released, *level)),
            None => Cow::Borrowed(released),
        }
    }
}

/// By table the most that its counts among the released records are away from those of the original, summed over all cells. All
/// hold together with the probability [`ErrorBars::CONFIDENCE`].
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Bars {
    /// Of the first tables of each attribute, over all its values.
    pub(crate) alone: Vec<f64>,
    /// Of further tables, over the values that are left.
    pub(crate) tables: Vec<f64>,
}

impl Bars {
    /// The bars of all tables; `None` where one does not read.
    pub(crate) fn of(all: &Measurements, release: &Release, counted: &Counted) -> Option<Self> {
        let bars = ErrorBars::of(all.domains.len());
        let of = |tables: &[MeasuredTable], is_merged| -> Option<Vec<f64>> {
            tables.par_iter().map(|table| bar(all, release, counted, bars, (table, is_merged))).collect()
        };
        Some(Self { alone: of(&all.alone, false)?, tables: of(&all.tables, true)? })
    }

    /// The least bar of each set of attributes, as a share of so many records: half the distance, so that 1 is as far as can be. A further
    /// table of one attribute in which values are merged says nothing of each value, which its first table does.
    pub(crate) fn shares(&self, all: &Measurements, records: u64) -> BTreeMap<Vec<String>, f64> {
        let mut shares: BTreeMap<Vec<String>, f64> = BTreeMap::new();
        let alone = all.alone.iter().zip(&self.alone);
        let further = all.tables.iter().zip(&self.tables).filter(|(table, _)| counts_each(table, all));
        for (table, bar) in alone.chain(further) {
            let share = (bar / 2.0 / records.max(1) as f64).min(1.0);
            let least = shares.entry(table.attributes.clone()).or_insert(share);
            *least = least.min(share);
        }
        shares
    }
}

/// Whether a table of one attribute counts each value by itself; tables of several say together what they count.
fn counts_each(table: &MeasuredTable, all: &Measurements) -> bool {
    match &table.attributes[..] {
        [name] => all.merged.get(name).is_none_or(Vec::is_empty),
        _ => true,
    }
}

/// The noise to be reckoned with, and how far the released records are from the noisy counts.
fn bar(
    all: &Measurements,
    release: &Release,
    counted: &Counted,
    bars: ErrorBars,
    (table, is_merged): (&MeasuredTable, bool),
) -> Option<f64> {
    let (variance, noisy) = table.variance().zip(table.counts())?;
    let axis = |name: &String| Axis::of(name, is_merged, all, release, counted);
    let axes: Vec<Axis> = table.attributes.iter().map(axis).collect::<Option<_>>()?;
    let released = counts(release, &axes, noisy.len());
    let away = noisy.iter().zip(&released).map(|(&noisy, &count)| (noisy as f64 - count as f64).abs());
    Some(away.sum::<f64>() + bars.distance(variance.to_f64(), noisy.len(), noisy.len()))
}

/// What has no place.
const NOWHERE: usize = usize::MAX;

/// How many records are in each cell of a table; those with values of no domain are in none.
fn counts(release: &Release, axes: &[Axis], size: usize) -> Vec<u64> {
    let mut width = 1;
    let mut columns = Vec::with_capacity(axes.len());
    for axis in axes.iter().rev() {
        let step = |place: &Option<usize>| place.map_or(NOWHERE, |place| place * width);
        columns.push((axis.column, axis.places.iter().map(step).collect::<Vec<usize>>()));
        width *= axis.size;
    }
    let mut counts = vec![0u64; size];
    for (codes, &records) in release.codes.chunks_exact(release.qis.len().max(1)).zip(&release.sizes) {
        let place = columns.iter().fold(0usize, |place, column| place.saturating_add(step(codes, column)));
        if let Some(count) = counts.get_mut(place) {
            *count += records;
        }
    }
    counts
}

/// How far a class's value in a column is into a table.
fn step(codes: &[u32], (column, steps): &(usize, Vec<usize>)) -> usize {
    let code = codes.get(*column).map_or(NOWHERE, |&code| code as usize);
    steps.get(code).copied().unwrap_or(NOWHERE)
}

/// An attribute of a table: by released code the place of its value.
struct Axis {
    column: usize,
    places: Vec<Option<usize>>,
    size: usize,
}

impl Axis {
    fn of(
        name: &str,
        is_merged: bool,
        all: &Measurements,
        release: &Release,
        counted: &Counted,
    ) -> Option<Self> {
        let column = release.qis.iter().position(|qi| qi.name == name)?;
        let values = all.domains.get(name)?;
        let merged: BTreeSet<usize> = match all.merged.get(name) {
            Some(merged) if is_merged => merged.iter().map(|&value| value as usize).collect(),
            _ => BTreeSet::new(),
        };
        let kept: Vec<usize> = (0..values.len()).filter(|value| !merged.contains(value)).collect();
        let mut by_label: BTreeMap<&str, usize> = BTreeMap::new();
        for (value, label) in values.iter().enumerate() {
            by_label.insert(label, kept.binary_search(&value).unwrap_or(kept.len()));
        }
        let codes = 0..release.qis[column].values.len() as u32;
        let label = |code| counted.label(name, release.qis[column].label(code));
        let places = codes.map(|code| by_label.get(&*label(code)).copied()).collect();
        Some(Self { column, places, size: kept.len() + usize::from(!merged.is_empty()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(counts: &str) -> MeasuredTable {
        MeasuredTable { attributes: vec!["a".into()], variance: "4".into(), counts: counts.into() }
    }

    /// A second table in which values are merged is near to the records, whatever these have of each merged value.
    #[test]
    fn a_table_with_merged_values_bounds_no_attribute_by_itself() {
        let tables = |merged: Vec<u32>, counts: &str| Measurements {
            alone: vec![table("90 5 5")],
            tables: vec![table(counts)],
            merged: [("a".to_owned(), merged)].into(),
            ..Measurements::default()
        };
        let bars = Bars { alone: vec![60.0], tables: vec![10.0] };
        let share = |all: &Measurements| bars.shares(all, 100)[&vec!["a".to_owned()]];
        assert_eq!(share(&tables(vec![1, 2], "90 10")), 0.3);
        assert_eq!(share(&tables(Vec::new(), "90 5 5")), 0.05);
    }
}
