//! What follows from the noisy tables, found again: which values are put together, how many records there are, and how they are
//! spread over all combinations of values.

use std::collections::{BTreeMap, BTreeSet};

use velamen_contract::{MeasuredTable, Measurements, PromisedAttribute, Promises};
use velamen_core::hierarchy::Rule;

use super::followed::{self, bernstein};
use super::kept::{is_above, log_ways};
use super::refit::{Noisy, Problem};
use super::tree::{Set, cells};
use super::{Axis, MISSING, MOST_VALUES, Nearness, Sizes, View, limits, prescribed, released};
use crate::impossible::named;

/// −ln of the probability that values drawn evenly from a bin are beyond what is allowed, less that of their number.
const DOUBT: f64 = 20.7;
/// What a rounded number of records may be off.
const ROUNDED: f64 = 1e-6;

/// What the tables give when they are fitted again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    /// How far the records are from their distribution, beyond rounding, as a share of the records.
    pub(super) away: f64,
    /// How far their distribution is from the tables. The records' own distance has their rounding too, which little noise does
    /// not hide.
    pub(super) noise: Nearness,
}

/// The distribution that the tables give, beside them and the records; `None` where the records do not follow from the tables
/// otherwise, or the tables do not fit together.
pub(super) fn found(
    measured: &Measurements,
    view: &View<'_>,
    promises: &Promises,
    sizes: &Sizes<'_>,
) -> Option<Found> {
    let case = Case { measured, view, promises, sizes, names: names(measured) };
    let barred = case.barred()?;
    let problem = case.problem(&barred)?;
    let records = view.published.counts.iter().copied().fold(0, u64::saturating_add);
    let even = (records as f64 - problem.estimate().max(0.0)).abs() <= 0.5 + ROUNDED;
    let spread = case.names.iter().all(|name| case.is_spread(name).unwrap_or(false));
    let limited = limits::hold(measured, promises, &problem)?;
    if !(even && spread && limited && case.is_merged_as_drawn(&barred)?) {
        return None;
    }
    let axes: Vec<Axis> = case.names.iter().map(|name| case.axis(name, true)).collect::<Option<_>>()?;
    let tree = problem.tree();
    let fitted = problem.fitted(&tree)?;
    let away = followed::distance(&problem, (&tree, &fitted), records, |set| {
        let axes: Vec<&Axis> = set.iter().map(|&a| axes.get(a)).collect::<Option<_>>()?;
        released(view, &axes, usize::try_from(cells(set.iter().copied(), &problem.sizes)).ok()?)
    })?;
    let noise = Nearness { log_ways: case.log_ways(&barred)?, ..problem.nearness(&tree, &fitted)? };
    Some(Found { away, noise })
}

/// The attributes in the order in which they were measured.
fn names(measured: &Measurements) -> Vec<&str> {
    measured.alone.iter().filter_map(|table| Some(table.attributes.first()?.as_str())).collect()
}

/// By pair of attributes which combinations of what is left of their values no record can have.
type Barred = Vec<(Set, Vec<bool>)>;

/// A release and what is said of it.
struct Case<'a> {
    measured: &'a Measurements,
    view: &'a View<'a>,
    promises: &'a Promises,
    sizes: &'a Sizes<'a>,
    names: Vec<&'a str>,
}

impl Case<'_> {
    fn axis(&self, name: &str, is_merged: bool) -> Option<Axis> {
        Axis::of(name, is_merged, self.measured, self.view, self.promises, self.sizes)
    }

    fn attribute(&self, name: &str) -> Option<&PromisedAttribute> {
        self.promises.qis.iter().find(|qi| qi.name == name)
    }

    fn number(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|other| *other == name)
    }

    /// The places of an attribute's values among what is left of them.
    fn left(&self, name: &str) -> Option<&[usize]> {
        self.sizes.0.get(name).map(|(places, _)| &places[..])
    }

    fn problem(&self, barred: &Barred) -> Option<Problem> {
        let sizes: Vec<usize> = self.names.iter().map(|name| self.sizes.left(name)).collect::<Option<_>>()?;
        let alone = self.measured.alone.iter().enumerate().map(|(a, table)| self.alone(a, table));
        let tables = self.measured.tables.iter().map(|table| self.table(table));
        Some(Problem { tables: alone.chain(tables).collect::<Option<_>>()?, sizes, barred: barred.clone() })
    }

    /// An attribute's first counts: of values that were put together the sum, with the sum of the variances.
    fn alone(&self, attribute: usize, table: &MeasuredTable) -> Option<Noisy> {
        let name = self.names.get(attribute)?;
        let size = self.sizes.left(name)?;
        let (mut counts, mut variances) = (vec![0.0; size], vec![0.0; size]);
        for (&place, count) in self.left(name)?.iter().zip(table.counts()?) {
            *counts.get_mut(place)? += count as f64;
            *variances.get_mut(place)? += table.variance()?.to_f64();
        }
        Some(Noisy { set: vec![attribute], counts, variances })
    }

    /// A further table; its attributes are in their order.
    fn table(&self, table: &MeasuredTable) -> Option<Noisy> {
        let set: Set = table.attributes.iter().map(|name| self.number(name)).collect::<Option<_>>()?;
        let counts: Vec<f64> = table.counts()?.into_iter().map(|count| count as f64).collect();
        let variances = vec![table.variance()?.to_f64(); counts.len()];
        set.is_sorted_by(|a, b| a < b).then_some(Noisy { set, counts, variances })
    }

    fn barred(&self) -> Option<Barred> {
        let mut all: BTreeMap<(usize, usize), Vec<bool>> = BTreeMap::new();
        for entry in &self.promises.impossible {
            let Some(other) = entry.of.as_deref() else { continue };
            // Of one attribute with itself it would be no table.
            let other = Some(other).filter(|other| *other != entry.attribute)?;
            let (first, second) = (self.attribute(&entry.attribute)?, self.attribute(other)?);
            let (rows, columns) = named(entry, first, second);
            let (a, rows) = self.among_left(first, rows)?;
            let (b, columns) = self.among_left(second, columns)?;
            let ((a, rows), (b, columns)) =
                if a < b { ((a, rows), (b, columns)) } else { ((b, columns), (a, rows)) };
            let cells = rows.iter().flat_map(|row| columns.iter().map(move |column| *row && *column));
            let barred =
                all.entry((a, b)).or_insert_with(|| vec![false; rows.len().saturating_mul(columns.len())]);
            barred.iter_mut().zip(cells).for_each(|(barred, both)| *barred |= both);
        }
        Some(all.into_iter().map(|((a, b), barred)| (vec![a, b], barred)).collect())
    }

    /// An attribute's number, and by place of what is left of its values whether an entry names all that is counted there.
    fn among_left(
        &self,
        attribute: &PromisedAttribute,
        is_named: impl Fn(&str) -> bool,
    ) -> Option<(usize, Vec<bool>)> {
        let name = attribute.name.as_str();
        let level = self.measured.levels.get(name).copied().or(attribute.level)?;
        let mut of_label: BTreeMap<String, bool> = BTreeMap::new();
        let rule = Rule::try_from(&attribute.hierarchy).ok()?;
        for leaf in rule.whole_domain(MOST_VALUES).unwrap_or_default() {
            let is_named = is_named(&leaf);
            of_label
                .entry(rule.label_at(&leaf, level))
                .and_modify(|all| *all &= is_named)
                .or_insert(is_named);
        }
        let mut left = vec![false; self.sizes.left(name)?];
        for (label, &place) in self.measured.domains.get(name)?.iter().zip(self.left(name)?) {
            *left.get_mut(place)? |= of_label.get(label).copied().unwrap_or(false) || is_named(label);
        }
        Some((self.number(name)?, left))
    }

    /// Whether the values that were put together are those whose counts noise drowns, but for those with an impossible partner.
    fn is_merged_as_drawn(&self, barred: &Barred) -> Option<bool> {
        if !prescribed::merges(self.measured, &self.promises.method) {
            return Some(self.measured.merged.is_empty());
        }
        for (a, table) in self.measured.alone.iter().enumerate() {
            let name = self.names.get(a)?;
            let merged = self.measured.merged.get(*name).cloned().unwrap_or_default();
            let tied = self.tied(a, barred)?;
            let variance = table.variance()?;
            let drowned = table.counts()?.into_iter().zip(self.left(name)?);
            let drowned = drowned.map(|(count, place)| !is_above(count, variance) && !tied.contains(place));
            let expected: Vec<u32> =
                (0u32..).zip(drowned).filter(|(_, drowned)| *drowned).map(|(value, _)| value).collect();
            if merged != expected {
                return Some(false);
            }
        }
        Some(true)
    }

    /// ln of the ways in which noise had to pick the values that are kept.
    fn log_ways(&self, barred: &Barred) -> Option<f64> {
        let mut sum = 0.0;
        for (a, table) in self.measured.alone.iter().enumerate() {
            let (tied, left) = (self.tied(a, barred)?, self.left(self.names.get(a)?)?);
            let counts = table.counts()?.into_iter().zip(left);
            sum += log_ways(counts.map(|(count, place)| (count, tied.contains(place))), table.variance()?);
        }
        Some(sum)
    }

    /// Places of an attribute's values that have an impossible partner.
    fn tied(&self, attribute: usize, barred: &Barred) -> Option<BTreeSet<usize>> {
        let mut tied = BTreeSet::new();
        for (set, cells) in barred {
            let [a, b] = set[..] else { continue };
            let width = self.sizes.left(self.names.get(b)?)?;
            let barred = cells.iter().enumerate().filter(|(_, barred)| **barred).map(|(cell, _)| cell);
            if a == attribute {
                tied.extend(barred.filter_map(|cell| cell.checked_div(width)));
            } else if b == attribute {
                tied.extend(barred.filter_map(|cell| cell.checked_rem(width)));
            }
        }
        Some(tied)
    }

    /// Whether the records with values that were put together have them in proportion to the noisy counts above 0, rounded, and
    /// those of a bin any of its values alike.
    fn is_spread(&self, name: &str) -> Option<bool> {
        let axis = self.axis(name, false)?;
        let counts = released(self.view, &[&axis], axis.size)?;
        let noisy = self.measured.alone.get(self.number(name)?)?.counts()?;
        let merged = self.measured.merged.get(name).into_iter().flatten();
        let merged = merged.map(|&value| {
            let noisy = noisy.get(value as usize)?;
            Some((*counts.get(value as usize)? as f64, (*noisy).max(0) as f64))
        });
        let merged: Vec<(f64, f64)> = merged.collect::<Option<_>>()?;
        let hidden: f64 = merged.iter().map(|(count, _)| count).sum();
        let weights: f64 = merged.iter().map(|(_, weight)| weight).sum();
        let share =
            |weight: f64| if weights > 0.0 { weight / weights } else { (merged.len() as f64).recip() };
        let rounded = |(count, weight): &(f64, f64)| (count - hidden * share(*weight)).abs() < 1.0 + ROUNDED;
        Some(merged.iter().all(rounded) && self.is_even_in_bins(name)?)
    }

    /// By Bernstein's inequality, for all values together with the probability that [`DOUBT`] says.
    fn is_even_in_bins(&self, name: &str) -> Option<bool> {
        let Some(&level) = self.measured.levels.get(name) else { return Some(true) };
        let attribute = self.attribute(name)?;
        let rule = Rule::try_from(&attribute.hierarchy).ok()?;
        let missing = attribute.null_leaf.then(|| MISSING.to_owned());
        let mut bins: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
        for leaf in rule.whole_domain(MOST_VALUES)?.into_iter().chain(missing) {
            let value = rule.label_at(&leaf, attribute.level?);
            bins.entry(rule.label_at(&leaf, level)).or_default().insert(value, 0);
        }
        let values = bins.values().map(BTreeMap::len).fold(1, usize::saturating_add);
        let column = self.axis(name, false)?.column;
        for (row, &records) in self.view.published.counts.iter().enumerate() {
            let value = self.view.cell(column, row);
            let count = bins.get_mut(&rule.label_at(value, level))?.get_mut(value)?;
            *count = count.saturating_add(records);
        }
        let lambda = DOUBT + (2.0 * values as f64).ln();
        Some(bins.values().all(|bin| is_even(bin, lambda)))
    }
}

fn is_even(bin: &BTreeMap<String, u64>, lambda: f64) -> bool {
    let records: f64 = bin.values().map(|&count| count as f64).sum();
    let share = (bin.len() as f64).recip();
    let bound = bernstein(records * share * (1.0 - share), lambda);
    bin.values().all(|&count| (count as f64 - records * share).abs() <= bound + ROUNDED)
}

#[cfg(test)]
mod tests;
