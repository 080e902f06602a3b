//! Differential privacy of invented records, as far as a release shows it.
//!
//! That noise was drawn with the right law, and on the right counts, shows in no release. What can be checked is: ρ is what (ε, δ)
//! buy, up to rounding; every table has the noise, and every choice the ε, that the method gives it of ρ, and what all of them cost, computed
//! again, is within ρ; every attribute is measured alone over its
//! whole public domain, and every other table is over what is left of it; the records have values of these domains alone,
//! and follow what was measured as closely as its noise allows; and they are those of the distribution that the tables give,
//! which is found again here, but for rounding to whole records.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use serde_json::{Value, json};
use velamen_contract::model::BY_DRAWS;
use velamen_contract::{ChosenSet, MeasuredTable, Measurements, PromisedAttribute, Promises};
use velamen_core::hierarchy::Rule;
use velamen_dp::{Loss, Rational};

use super::classes::Classes;
use super::{Finding, Uncheckable, View, cells, labels};

mod again;
mod domains;
mod followed;
mod kept;
mod limits;
mod places;
mod prescribed;
mod pulled;
mod refit;
mod tree;

/// How a missing value is written.
const MISSING: &str = "";
/// Binary places of ρ.
const PLACES: u32 = 60;
/// The largest domain that is listed.
const MOST_VALUES: u64 = 1 << 20;
/// −ln of the probability that noise of the stated variances is farther from the records than is allowed.
const DOUBT: f64 = 20.7;
/// Records that a count may differ by rounding alone.
const ROUNDED: f64 = 2.0;

/// Checks the promise.
pub(super) fn check(
    asked: &Value,
    measured: &Measurements,
    view: &View<'_>,
    promises: &Promises,
    classes: &Classes,
) -> Result<Finding, Uncheckable> {
    let total = cells::total(asked).ok_or_else(|| Uncheckable::Parameters(BY_DRAWS.name.into()))?;
    let rho = measured.rho.parse::<u128>().ok();
    let cost = cost(measured).filter(|_| is_of_unit(measured, promises));
    let paid = rho.zip(cost).is_some_and(|(rho, cost)| cost <= rho && is_bought(rho, total));
    let paid = paid && prescribed::holds(measured, &promises.method);
    let spent = is_spent(total, promises);
    let shown =
        public_labels(view, promises, classes) && bare(view) && domains::are_whole(measured, promises);
    let sizes = Sizes::of(measured, promises);
    let near = sizes.as_ref().and_then(|sizes| nearness(measured, view, promises, sizes));
    // What is not of the domains is not fitted.
    let worth = shown && near.is_some();
    let found = sizes.filter(|_| worth).and_then(|sizes| again::found(measured, view, promises, &sizes));
    let away = found.map(|found| found.away);
    let reached = json!({
        "rho": rho.map(|rho| rounded(in_units(rho))),
        "spent": cost.map(|cost| rounded(in_units(cost))),
        "distance-of-noise": near.map(|near| rounded(near.reached)),
        "distance-of-fit": away.map(to_places),
        "only-public-domains": shown,
    });
    let followed = found.is_some_and(|found| found.away <= followed::MOST && found.noise.holds());
    let holds = paid && spent && shown && worth && followed;
    Ok(Finding::of(BY_DRAWS.name, asked.clone(), reached, holds).shown_in_part())
}

/// To nine digits, which every reader of numbers gets back.
fn rounded(number: f64) -> f64 {
    format!("{number:.8e}").parse().unwrap_or(number)
}

/// To the hundredth part of what is allowed: platforms differ in the last digits of logarithms.
fn to_places(share: f64) -> f64 {
    (share * 1e5).round() / 1e5
}

fn in_units(units: u128) -> f64 {
    units as f64 / 2f64.powi(PLACES as i32)
}

/// Whether noise is wide enough for what it is said to protect: one record, or a person with so many.
fn is_of_unit(measured: &Measurements, promises: &Promises) -> bool {
    let most = promises.records_per_person;
    let is_said = promises.protects_persons == Some(most.is_some());
    is_said && measured.sensitivity == most.unwrap_or(1)
}

/// All is spent on measurements, and nothing is left.
fn is_spent(total: Loss, promises: &Promises) -> bool {
    matches!(&promises.spent[..], [step] if step.loss() == Some(total)) && promises.suppressed == 0
}

/// Whether every released label is a value of its attribute's level, or a missing one that the domain has.
fn public_labels(view: &View<'_>, promises: &Promises, classes: &Classes) -> bool {
    let mut attributes = promises.qis.iter().zip(&view.qis).enumerate();
    !promises.domain_from_data
        && promises.counterfeits == 0
        && attributes
            .all(|(q, (attribute, &column))| are_public(attribute, view.released(classes, q, column)))
}

fn are_public(attribute: &PromisedAttribute, labels: Vec<&str>) -> bool {
    let reader = labels::Reader::new(attribute);
    let is_missing = |label: &str| label == MISSING && attribute.null_leaf;
    labels.into_iter().all(|label| is_missing(label) || reader.at_level(label))
}

/// No column but the class ids and what was asked for is released.
fn bare(view: &View<'_>) -> bool {
    view.published.table.columns.len() == view.qis.len().saturating_add(1)
}

/// Whether ρ is what (ε, δ) buy: the best α proves it for ρ, and none for a millionth more. Else a run with other ε and δ could be
/// said to have had these.
fn is_bought(rho: u128, total: Loss) -> bool {
    let (delta, more) = (total.delta.to_f64().ln(), (rho >> 20).max(2));
    // What rounds here, not there, is below a part in 10⁹.
    let proves =
        |rho: u128, doubt: f64| least_log_delta(in_units(rho), total.epsilon.to_f64()) <= delta + doubt;
    rho > 0 && proves(rho, 1e-9) && !proves(rho.saturating_add(more), -1e-9)
}

/// ln δ for ρ and ε, by logarithms and the best α: the least (α − 1)(αρ − ε) + α ln(1 − 1/α) − ln(α − 1).
fn least_log_delta(rho: f64, epsilon: f64) -> f64 {
    let proven = |more: f64| log_delta(more, rho, epsilon);
    let (mut low, mut high) = (1e-6f64.ln(), 1e12f64.ln());
    for _ in 0..300 {
        let third = (high - low) / 3.0;
        if proven((low + third).exp()) < proven((high - third).exp()) {
            high -= third;
        } else {
            low += third;
        }
    }
    proven(low.exp())
}

/// (α − 1)(αρ − ε) + α ln(1 − 1/α) − ln(α − 1), for α = 1 + `more`.
fn log_delta(more: f64, rho: f64, epsilon: f64) -> f64 {
    let order = 1.0 + more;
    more * (order * rho - epsilon) + order * (-order.recip()).ln_1p() - more.ln()
}

/// What all was paid for, in units of 2⁻⁶⁰: Δ²/(2σ²) a table and ε²/8 a choice, each rounded up.
fn cost(measured: &Measurements) -> Option<u128> {
    let square = u128::from(measured.sensitivity).checked_mul(measured.sensitivity.into())?;
    let tables = measured.alone.iter().chain(&measured.tables).map(|table| of_table(table, square));
    let choices = measured.choices.iter().map(of_choice);
    tables.chain(choices).try_fold(0u128, |sum, cost| sum.checked_add(cost?))
}

/// Δ²/(2σ²).
fn of_table(table: &MeasuredTable, square: u128) -> Option<u128> {
    let variance = table.variance()?;
    let numerator =
        square.checked_mul(variance.denominator().into())?.checked_shl_exact(PLACES.saturating_sub(1))?;
    (variance != Rational::ZERO).then(|| numerator.div_ceil(variance.numerator().into()))
}

/// ε²/8.
fn of_choice(choice: &ChosenSet) -> Option<u128> {
    let epsilon = choice.epsilon()?;
    let whole = u128::from(epsilon.numerator()).checked_mul(epsilon.numerator().into())?;
    let divisor = u128::from(epsilon.denominator()).checked_mul(epsilon.denominator().into())?;
    Some(whole.checked_shl_exact(PLACES.saturating_sub(3))?.div_ceil(divisor))
}

/// A shift that loses no bit.
trait ShiftExact: Sized {
    fn checked_shl_exact(self, places: u32) -> Option<Self>;
}

impl ShiftExact for u128 {
    fn checked_shl_exact(self, places: u32) -> Option<Self> {
        (self.leading_zeros() >= places).then(|| self.checked_shl(places)).flatten()
    }
}

/// By attribute where each of its values is in further tables, and how many places there are.
struct Sizes<'a>(BTreeMap<&'a str, (Vec<usize>, usize)>);

impl<'a> Sizes<'a> {
    /// `None` where an attribute is not measured alone once, or what was put together is none of its values.
    fn of(measured: &'a Measurements, promises: &Promises) -> Option<Self> {
        let alone: Vec<&[String]> = measured.alone.iter().map(|table| &table.attributes[..]).collect();
        let names: Vec<&str> = alone.iter().filter_map(|set| Some(set.first()?.as_str())).collect();
        let expected: BTreeSet<&str> = promises.qis.iter().map(|qi| qi.name.as_str()).collect();
        let each = names.iter().copied().collect::<BTreeSet<&str>>() == expected;
        let singles = alone.iter().all(|set| set.len() == 1) && alone.len() == expected.len();
        let known = measured.merged.keys().all(|name| expected.contains(name.as_str()));
        if !(each && singles && known) {
            return None;
        }
        let of = |name: &'a str| Some((name, places(measured, name)?));
        names.into_iter().map(of).collect::<Option<BTreeMap<_, _>>>().map(Self)
    }

    fn whole(&self, name: &str) -> Option<usize> {
        Some(self.0.get(name)?.0.len())
    }

    fn left(&self, name: &str) -> Option<usize> {
        Some(self.0.get(name)?.1)
    }
}

/// Where each value of an attribute is in further tables, and how many places there are.
fn places(measured: &Measurements, name: &str) -> Option<(Vec<usize>, usize)> {
    let size = measured.domains.get(name)?.len();
    let merged: BTreeSet<usize> =
        measured.merged.get(name).into_iter().flatten().map(|&value| value as usize).collect();
    let within = merged.iter().all(|value| *value < size);
    let kept = size.checked_sub(merged.len()).filter(|_| within)?;
    let mut next = 0usize..;
    let place = |value: usize| if merged.contains(&value) { Some(kept) } else { next.next() };
    let places: Option<Vec<usize>> = (0..size).map(place).collect();
    Some((places?, kept.saturating_add(usize::from(!merged.is_empty()))))
}

/// How far counts are from what was measured: Σ (count − noisy count)²/σ², and what it may be.
#[derive(Debug, Clone, Copy, Default)]
struct Nearness {
    reached: f64,
    cells: f64,
    /// ln of the ways in which noise picked what is compared.
    log_ways: f64,
}

impl Nearness {
    /// Adds a cell. [`ROUNDED`] is allowed each: so far a count may be off by rounding, or where the fit ends.
    fn add(&mut self, count: f64, noisy: f64, variance: f64) {
        self.reached += ((count - noisy).abs() - ROUNDED).max(0.0).powi(2) / variance;
        self.cells += 1.0;
    }

    /// Adds a total: what noise is in it was part of that of its table's cells.
    fn add_total(&mut self, count: f64, noisy: f64, variance: f64) {
        self.reached += ((count - noisy).abs() - ROUNDED).max(0.0).powi(2) / variance;
    }

    /// Of the original the sum would be that of so many squared normal numbers; the fit is nearer than that (Laurent and
    /// Massart 2000, Lemma 1, for each of the ways).
    fn holds(self) -> bool {
        let doubt = DOUBT + self.log_ways;
        self.reached <= self.cells + 2.0 * (self.cells * doubt).sqrt() + 2.0 * doubt
    }
}

/// Of the records and all tables; `None` where one has other than a count for each combination of its
/// attributes' values.
fn nearness(
    measured: &Measurements,
    view: &View<'_>,
    promises: &Promises,
    sizes: &Sizes<'_>,
) -> Option<Nearness> {
    let mut sum = Nearness::default();
    let tables = measured.alone.iter().map(|table| (table, false));
    for (table, is_merged) in tables.chain(measured.tables.iter().map(|table| (table, true))) {
        let axes: Vec<Axis> = table
            .attributes
            .iter()
            .map(|name| Axis::of(name, is_merged, measured, view, promises, sizes))
            .collect::<Option<_>>()?;
        let distinct: BTreeSet<&String> = table.attributes.iter().collect();
        let noisy = table.counts()?;
        let size = axes.iter().try_fold(1usize, |size, axis| size.checked_mul(axis.size))?;
        if noisy.len() != size || distinct.len() != axes.len() || axes.is_empty() {
            return None;
        }
        let released = released(view, &axes.iter().collect::<Vec<_>>(), size)?;
        let variance = table.variance()?.to_f64();
        released
            .iter()
            .zip(&noisy)
            .for_each(|(&count, &noisy)| sum.add(count as f64, noisy as f64, variance));
    }
    Some(sum)
}

/// What a released value is counted as: itself, or its bin.
struct Counted(Option<(Rule, u8)>);

impl Counted {
    /// `None` where the definition does not read.
    fn of(measured: &Measurements, attribute: &PromisedAttribute) -> Option<Self> {
        let Some(&level) = measured.levels.get(&attribute.name) else { return Some(Self(None)) };
        Some(Self(Some((Rule::try_from(&attribute.hierarchy).ok()?, level))))
    }

    fn label<'a>(&self, released: &'a str) -> Cow<'a, str> {
        match &self.0 {
            Some((rule, level)) => Cow::Owned(rule.label_at(released, *level)),
            None => Cow::Borrowed(released),
        }
    }
}

/// An attribute of a table: by code of the released column the place of its value.
struct Axis {
    column: usize,
    places: Vec<Option<usize>>,
    size: usize,
}

impl Axis {
    fn of(
        name: &str,
        is_merged: bool,
        measured: &Measurements,
        view: &View<'_>,
        promises: &Promises,
        sizes: &Sizes<'_>,
    ) -> Option<Self> {
        let place = promises.qis.iter().position(|qi| qi.name == name)?;
        let (column, attribute) = (*view.qis.get(place)?, promises.qis.get(place)?);
        let domain = measured.domains.get(name)?;
        let known: BTreeMap<&str, usize> = domain.iter().map(String::as_str).zip(0..).collect();
        let counted = Counted::of(measured, attribute)?;
        let value = |label: &String| known.get(&*counted.label(label)).copied();
        let values: Vec<Option<usize>> = view.values(column).iter().map(value).collect();
        if !is_merged {
            return Some(Self { column, places: values, size: sizes.whole(name)? });
        }
        let (left, size) = (&sizes.0.get(name)?.0, sizes.left(name)?);
        let places = values.into_iter().map(|value| left.get(value?).copied()).collect();
        Some(Self { column, places, size })
    }
}

/// What has no place.
const NOWHERE: usize = usize::MAX;

/// A column of a table: the codes of its rows, and by code how far its value is into the table.
struct Steps<'a> {
    codes: &'a [u32],
    steps: Vec<usize>,
}

impl<'a> Steps<'a> {
    /// Of the axes of a table, the last of which has its values next to each other.
    fn of(view: &View<'a>, axes: &[&Axis]) -> Option<Vec<Self>> {
        let mut width = 1usize;
        let mut columns = Vec::with_capacity(axes.len());
        for axis in axes.iter().rev() {
            let step = |place: &Option<usize>| place.map_or(NOWHERE, |place| place.saturating_mul(width));
            let codes = view.published.table.codes.get(axis.column)?;
            columns.push(Self { codes, steps: axis.places.iter().map(step).collect() });
            width = width.checked_mul(axis.size)?;
        }
        Some(columns)
    }

    fn step(&self, row: usize) -> usize {
        let code = self.codes.get(row).map_or(NOWHERE, |&code| code as usize);
        self.steps.get(code).copied().unwrap_or(NOWHERE)
    }
}

/// How many records are in each cell; `None` where one has a value of no domain. Parts of the rows are counted side by side.
fn released(view: &View<'_>, axes: &[&Axis], size: usize) -> Option<Vec<u64>> {
    let columns = Steps::of(view, axes)?;
    let rows = view.published.counts.len();
    let each = rows.div_ceil(rayon::current_num_threads().max(1)).max(1);
    let parts: Vec<usize> = (0..rows).step_by(each).collect();
    let counted = |first: usize| part(view, &columns, (first, each), size);
    let none = || Some(vec![0; size]);
    parts.into_par_iter().map(counted).reduce(none, |one, other| Some(together(one?, &other?)))
}

/// Of as many rows from the first on.
fn part(
    view: &View<'_>,
    columns: &[Steps<'_>],
    (first, rows): (usize, usize),
    size: usize,
) -> Option<Vec<u64>> {
    let mut counts = vec![0u64; size];
    for (row, &records) in view.published.counts.iter().enumerate().skip(first).take(rows) {
        let place = columns.iter().fold(0usize, |place, column| place.saturating_add(column.step(row)));
        let count = counts.get_mut(place)?;
        *count = count.saturating_add(records);
    }
    Some(counts)
}

/// The counts of two parts of the rows.
fn together(mut one: Vec<u64>, other: &[u64]) -> Vec<u64> {
    one.iter_mut().zip(other).for_each(|(count, more)| *count = count.saturating_add(*more));
    one
}

#[cfg(test)]
mod tests;
