//! Shares of records by attribute and value, from a release's rows.

use crate::language::mark;
use std::collections::BTreeMap;

use velamen_core::hierarchy::NULL;
use velamen_core::release::{Release, Row, SUPPRESSED};

use super::Distribution;

/// Shares by column: for each quasi-identifier and sensitive attribute, one number per label, the
/// last being for suppressed records that show no value.
pub type Shares = Vec<Vec<f64>>;

/// Released shares of each attribute, beside others of the same shape if there are any.
///
/// Only values that occur among the released or the other records are listed: an attribute without a
/// hierarchy has the values of all original records, suppressed ones included, and the public page may not
/// name a value that is in no released record.
pub fn distributions(release: &Release, before: Option<(&str, &Shares)>) -> Vec<Distribution> {
    let after = weighted(release, |_, _| 1.0);
    let attributes = labels(release).into_iter().enumerate();
    // Labels that overlap say nothing side by side, nor does an attribute of which nothing is left.
    let told = |level: Option<u8>, height: u8| level.is_some_and(|level| level == 0 || level < height);
    let shown =
        attributes.filter(|(index, _)| release.qis.get(*index).is_none_or(|qi| told(qi.level, qi.height)));
    let others = |index: usize| before.map(|(name, shares)| (name, &shares[index][..]));
    shown.map(|(index, named)| distribution(named, &after[index], others(index))).collect()
}

/// The released shares of an attribute's labels, and others by name.
fn distribution(
    (attribute, labels): (String, Vec<String>),
    after: &[f64],
    before: Option<(&str, &[f64])>,
) -> Distribution {
    let others = before.map_or(&[][..], |(_, shares)| shares);
    let share = |shares: &[f64], place: usize| shares.get(place).copied().unwrap_or(0.0);
    let mut rows: Vec<(String, f64, f64)> = (0..)
        .zip(labels)
        .map(|(place, label)| (label, share(others, place), share(after, place)))
        .filter(|(_, before, after)| *before > 0.0 || *after > 0.0)
        .collect();
    rows.sort_by(|a, b| order(&a.0).partial_cmp(&order(&b.0)).unwrap_or(std::cmp::Ordering::Equal));
    Distribution {
        attribute,
        before_name: before.map_or(String::new(), |(name, _)| name.to_owned()),
        before: if before.is_some() { rows.iter().map(|row| row.1).collect() } else { Vec::new() },
        after_name: mark("released").to_owned(),
        after: rows.iter().map(|row| row.2).collect(),
        labels: rows.into_iter().map(|row| row.0).collect(),
    }
}

/// What suppressed records are called among the values.
pub const HIDDEN: &str = mark("suppressed");
/// What an empty cell is called.
pub(super) const MISSING: &str = mark("(missing)");

/// The attributes with their labels, in the order of [`Shares`].
fn labels(release: &Release) -> Vec<(String, Vec<String>)> {
    let qis = release.qis.iter().map(|qi| {
        let labels = qi.values.iter().map(|value| shown(&value.label));
        (qi.name.clone(), labels.chain([HIDDEN.to_owned()]).collect())
    });
    let sensitive = release.rest.sensitive().map(|column| {
        let column = &release.rest.columns[column];
        let values = column.values.iter().map(|value| shown(value));
        (column.name.clone(), values.chain([HIDDEN.to_owned()]).collect())
    });
    qis.chain(sensitive).collect()
}

fn shown(label: &str) -> String {
    if label.is_empty() { MISSING.into() } else { label.into() }
}

/// Numbers and ranges by their first number, then words, then what is not told.
fn order(label: &str) -> (u8, f64, &str) {
    let digits = label.trim_start_matches(['[', '(', '<', '>', '=', '≤', '≥', ' ']);
    let end =
        digits.char_indices().find(|&(at, c)| !(c.is_ascii_digit() || c == '.' || (at == 0 && c == '-')));
    let number = digits[..end.map_or(digits.len(), |(at, _)| at)].trim_end_matches('.').parse::<f64>();
    // What begins with "less than" stands before what begins with that number.
    let below = if label.starts_with(['<', '≤']) { -0.5 } else { 0.0 };
    match number {
        _ if label == "*" || label == MISSING || label == HIDDEN => (2, 0.0, label),
        Ok(number) => (0, number + below, label),
        Err(_) => (1, 0.0, label),
    }
}

/// Shares of the released records, each weighted by (class, rest).
pub(super) fn weighted(release: &Release, weight: impl Fn(u32, u32) -> f64) -> Shares {
    let sensitive: Vec<usize> = release.rest.sensitive().collect();
    let mut shares: Shares = release.qis.iter().map(|qi| vec![0.0; qi.values.len() + 1]).collect();
    shares.extend(sensitive.iter().map(|&column| vec![0.0; release.rest.columns[column].values.len() + 1]));
    let blank: Vec<bool> = sensitive.iter().map(|&column| is_blank(release, column)).collect();
    for row in &release.rows {
        let records = row.count as f64 * weight(row.class, row.rest);
        for (q, qi) in release.qis.iter().enumerate() {
            let code = if row.class == SUPPRESSED {
                qi.values.len()
            } else {
                release.class(row.class as usize)[q] as usize
            };
            shares[q][code] += records;
        }
        for (s, &column) in sensitive.iter().enumerate() {
            let code = match row.class == SUPPRESSED && blank[s] {
                true => release.rest.columns[column].values.len(),
                false => release.rest.codes[column][row.rest as usize] as usize,
            };
            shares[release.qis.len() + s][code] += records;
        }
    }
    normalise(shares)
}

/// Whether no suppressed record shows a value of a column of the rest.
fn is_blank(release: &Release, column: usize) -> bool {
    let value = |row: &Row| {
        &release.rest.columns[column].values[release.rest.codes[column][row.rest as usize] as usize]
    };
    release.rows.iter().filter(|row| row.class == SUPPRESSED).all(|row| value(row) == NULL)
}

/// Counts as shares of their column, rounded so that the order in which records were added does not show.
pub fn normalise(mut shares: Shares) -> Shares {
    for column in &mut shares {
        let total: f64 = column.iter().sum();
        column.iter_mut().for_each(|share| *share = (*share / total.max(1.0) * 1e12).round() / 1e12);
    }
    shares
}

/// The released records, each weighted by the probability that it is real.
pub(super) fn expected(release: &Release) -> Shares {
    let shares = velamen_search::metric::released::counterfeit_shares(release);
    let sensitive = release.rest.sensitive().next();
    weighted(release, |class, rest| {
        let value = sensitive.map(|column| release.rest.codes[column][rest as usize]);
        1.0 - value.map_or(0.0, |value| shares.of(class, value))
    })
}

/// The places of a quasi-identifier's released labels.
pub fn place_of_labels(release: &Release, q: usize) -> BTreeMap<&str, usize> {
    release.qis[q].values.iter().map(|value| value.label.as_str()).zip(0..).collect()
}

/// The commonest released values of a quasi-identifier, at most this many, in their order.
pub(super) fn commonest(release: &Release, q: usize, most: usize) -> Vec<String> {
    let mut counts = vec![0u64; release.qis[q].values.len()];
    for (class, &size) in release.sizes.iter().enumerate() {
        counts[release.class(class)[q] as usize] += size;
    }
    let mut codes: Vec<usize> = (0..counts.len()).filter(|&code| counts[code] > 0).collect();
    let label = |code: usize| release.qis[q].label(code as u32);
    codes.sort_by(|&a, &b| counts[b].cmp(&counts[a]).then_with(|| label(a).cmp(label(b))));
    let mut labels: Vec<String> = codes.into_iter().take(most).map(|code| shown(label(code))).collect();
    labels.sort_by(|a, b| order(a).partial_cmp(&order(b)).unwrap_or(std::cmp::Ordering::Equal));
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_stand_in_the_order_that_people_expect() {
        let mut labels = ["suppressed", "[100, 110[", "[20, 30[", "≥ 85", "< 20", "b", "*", "a", "-5", "7.5"];
        labels.sort_by(|a, b| order(a).partial_cmp(&order(b)).expect("no label is NaN"));
        assert_eq!(
            labels,
            ["-5", "7.5", "< 20", "[20, 30[", "≥ 85", "[100, 110[", "a", "b", "*", "suppressed"]
        );
    }
}
