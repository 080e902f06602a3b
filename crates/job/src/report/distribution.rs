//! Distributions made ready to be shown: pooled, and put in a sentence.

use super::Distribution;
use crate::chart::number::percent;
use crate::chart::text::{clean, shorten};

/// The most values that a figure shows.
const MOST: usize = 24;

/// The rows of a figure: label, share before, share after; NaN is missing.
pub(super) type Rows = Vec<(String, f64, f64)>;

/// All values if there are at most 24; else the 23 most frequent, before if that is told, in their own order, and
/// the others as one.
pub(super) fn rows(distribution: &Distribution) -> Rows {
    let share = |shares: &[f64], index: usize| shares.get(index).copied().unwrap_or(f64::NAN);
    let row = |(index, label): (usize, &String)| {
        (shorten(&clean(label), 120), share(&distribution.before, index), share(&distribution.after, index))
    };
    let all: Rows = distribution.labels.iter().enumerate().map(row).collect();
    if all.len() > MOST { pooled(all) } else { all }
}

fn pooled(all: Rows) -> Rows {
    let mut order: Vec<usize> = (0..all.len()).collect();
    let told = all.iter().any(|row| row.1.is_finite());
    let shares: Vec<f64> = all.iter().map(|row| if told { row.1 } else { row.2 }).collect();
    let key = |index: usize| if shares[index].is_nan() { f64::NEG_INFINITY } else { shares[index] };
    order.sort_by(|&a, &b| key(b).total_cmp(&key(a)).then(a.cmp(&b)));
    let mut shown = vec![false; all.len()];
    order.iter().take(MOST - 1).for_each(|&index| shown[index] = true);
    let (mut rows, mut before, mut after, mut others) = (Rows::new(), f64::NAN, f64::NAN, 0usize);
    for (row, shown) in all.into_iter().zip(shown) {
        if shown {
            rows.push(row);
        } else {
            (before, after, others) = (plus(before, row.1), plus(after, row.2), others + 1);
        }
    }
    rows.push((format!("all others ({others})"), before, after));
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
        let words =
            |row: &(String, f64, f64)| format!("The most frequent is “{}”: {}.", row.0, percent(row.2));
        return format!("{} in the release. {}", distribution.attribute, most.map_or(String::new(), words));
    }
    let (first, second) = (&distribution.before_name, &distribution.after_name);
    let both = rows.iter().filter(|row| row.1.is_finite() && row.2.is_finite());
    let widest = both.max_by(|a, b| (a.1 - a.2).abs().total_cmp(&(b.1 - b.2).abs()));
    match widest {
        None => format!("No value has a share both {first} and {second}, so the two cannot be compared."),
        Some((_, before, after)) if (before - after).abs() < 5e-4 => {
            format!("The shares {first} and {second} are the same to within 0.1 percentage points.")
        }
        Some((label, before, after)) => format!(
            "The shares {first} and {second} differ most at “{label}”: {} against {}.",
            percent(*before),
            percent(*after)
        ),
    }
}
