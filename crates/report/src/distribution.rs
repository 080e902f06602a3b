//! Distributions made ready to be shown: pooled, and put in a sentence.

use super::Distribution;
use super::shares::{HIDDEN, MISSING};
use crate::chart::text::{clean, shorten};
use crate::language::{mark, t, text};
use crate::number::{number, percent};

/// What original values are called that are not among the released ones.
pub const NOWHERE: &str = mark("not released");

/// The most values that a figure shows.
const MOST: usize = 24;

/// The rows of a figure: label, share before, share after; NaN is missing.
pub(super) type DistributionRows = Vec<Row>;
type Row = (String, f64, f64);

/// All values if there are at most 24; else the 23 most frequent, before if that is told, in their own order, and
/// the others as one. Numbers go into ranges instead.
pub(super) fn rows(distribution: &Distribution) -> DistributionRows {
    let all: DistributionRows =
        (0..distribution.labels.len()).map(|index| row(distribution, index)).collect();
    if all.len() <= MOST { all } else { binned(&all).unwrap_or_else(|| pooled(all)) }
}

fn row(distribution: &Distribution, index: usize) -> Row {
    let label = shorten(&clean(own_words(&distribution.labels[index])), 120);
    (label, share_at(&distribution.before, index), share_at(&distribution.after, index))
}

/// What the program calls records without a value, in the language of the page.
fn own_words(label: &str) -> &str {
    if [HIDDEN, MISSING, NOWHERE].contains(&label) { t(label) } else { label }
}

fn share_at(shares: &[f64], index: usize) -> f64 {
    shares.get(index).copied().unwrap_or(f64::NAN)
}

/// Numbers by ranges of equal width, what is no number after them; `None` if too much is no number.
fn binned(all: &DistributionRows) -> Option<DistributionRows> {
    let number = |row: &Row| row.0.parse().ok().filter(|number: &f64| number.is_finite());
    let numbers: Vec<(f64, &Row)> = all.iter().filter_map(|row| Some((number(row)?, row))).collect();
    let others: DistributionRows = all.iter().filter(|row| number(row).is_none()).cloned().collect();
    let least = numbers.iter().map(|row| row.0).reduce(f64::min)?;
    let greatest = numbers.iter().map(|row| row.0).reduce(f64::max)?;
    let step = step((greatest - least) / (MOST - 6) as f64);
    if others.len() > 4 || !(step > 0.0 && step.is_finite()) {
        return None;
    }
    let bin = |number: f64| ((number / step).floor() - (least / step).floor()) as usize;
    let whole = numbers.iter().all(|row| row.0.fract() == 0.0) && step >= 1.0;
    let label = |bin: usize| range(((least / step).floor() + bin as f64) * step, step, whole);
    let mut rows: DistributionRows = (0..=bin(greatest)).map(|bin| (label(bin), 0.0, 0.0)).collect();
    for (number, row) in &numbers {
        let into = &mut rows[bin(*number)];
        (into.1, into.2) = (plus(into.1, row.1), plus(into.2, row.2));
    }
    Some(rows.into_iter().chain(others).collect())
}

/// The least of 1, 2, 5 times a power of ten that is not below `wish`.
pub(super) fn step(wish: f64) -> f64 {
    let power = 10f64.powf(wish.log10().floor());
    [1.0, 2.0, 5.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|step| *step >= wish)
        .unwrap_or(10.0 * power)
}

fn range(low: f64, step: f64, whole: bool) -> String {
    match whole {
        true => format!("{low}–{}", low + step - 1.0),
        false => text!("{} to below {}", number(low), number(low + step)),
    }
}

fn pooled(all: DistributionRows) -> DistributionRows {
    let mut order: Vec<usize> = (0..all.len()).collect();
    let told = all.iter().any(|row| row.1.is_finite());
    let shares: Vec<f64> = all.iter().map(|row| if told { row.1 } else { row.2 }).collect();
    let key = |index: usize| if shares[index].is_nan() { f64::NEG_INFINITY } else { shares[index] };
    order.sort_by(|&a, &b| key(b).total_cmp(&key(a)).then(a.cmp(&b)));
    let mut shown = vec![false; all.len()];
    order.iter().take(MOST - 1).for_each(|&index| shown[index] = true);
    let (mut rows, mut before, mut after, mut others) = (DistributionRows::new(), f64::NAN, f64::NAN, 0usize);
    for (row, shown) in all.into_iter().zip(shown) {
        if shown {
            rows.push(row);
        } else {
            (before, after, others) = (plus(before, row.1), plus(after, row.2), others + 1);
        }
    }
    rows.push((text!("all others ({})", others), before, after));
    rows
}

/// A sum in which what is missing counts for nothing.
fn plus(sum: f64, value: f64) -> f64 {
    match (sum.is_nan(), value.is_nan()) {
        (true, _) => value,
        (_, true) => sum,
        _ => sum + value,
    }
}

/// One sentence that says where the two differ most, or if there is one only, what is most frequent.
pub(super) fn sentence(distribution: &Distribution, rows: &[(String, f64, f64)]) -> String {
    if distribution.before_name.is_empty() {
        let most = rows.iter().filter(|row| row.2.is_finite()).max_by(|a, b| a.2.total_cmp(&b.2));
        let words = |row: &(String, f64, f64)| text!("The most frequent is “{}”: {}.", row.0, percent(row.2));
        return text!("{} in the release. {}", distribution.attribute, most.map_or(String::new(), words));
    }
    let (first, second) = (t(&distribution.before_name), t(&distribution.after_name));
    let both = rows.iter().filter(|row| row.1.is_finite() && row.2.is_finite());
    let widest = both.max_by(|a, b| (a.1 - a.2).abs().total_cmp(&(b.1 - b.2).abs()));
    match widest {
        None => text!("No value has a share both {} and {}, so the two cannot be compared.", first, second),
        Some((_, before, after)) if (before - after).abs() < 5e-4 => {
            text!("The shares {} and {} are the same to within 0.1 percentage points.", first, second)
        }
        Some((label, before, after)) => text!(
            "The shares {} and {} differ most at “{}”: {} against {}.",
            first,
            second,
            label,
            percent(*before),
            percent(*after)
        ),
    }
}
