//! How far a release moves the sensitive values that go with each quasi-identifier.

use std::collections::BTreeMap;

use crate::methods::original::Original;
use crate::methods::released::Released;

/// The mean over the quasi-identifiers of: the mean over the released records of the total variation between the
/// sensitive values under their label, released (counterfeits included) and original. Suppressed records are left out.
pub(super) fn of(released: &Released, original: &Original) -> f64 {
    let qis = original.table.qis.len();
    let sum: f64 = (0..qis).map(|q| of_attribute(released, original, q)).sum();
    sum / qis.max(1) as f64
}

fn of_attribute(released: &Released, original: &Original, q: usize) -> f64 {
    let values = original.values().len();
    let mut by_label: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for (group, _) in released.groups.iter().zip(&released.suppressed).filter(|(_, gone)| !**gone) {
        let shares = by_label.entry(group.labels[q]).or_insert_with(|| vec![0.0; values]);
        for &value in &group.values {
            shares[value as usize] += group.records as f64 / group.values.len() as f64;
        }
    }
    let mut by_leaf = vec![vec![0.0; values]; original.hierarchy(q).width(0)];
    for (entry, &leaf) in original.table.codes[q].iter().enumerate() {
        by_leaf[leaf as usize][original.value(entry) as usize] += original.table.counts[entry] as f64;
    }
    let (mut moved, mut records) = (0.0, 0.0);
    for (label, shares) in by_label {
        let mut before = vec![0.0; values];
        for &leaf in &released.covers[q][label as usize] {
            before.iter_mut().zip(&by_leaf[leaf as usize]).for_each(|(before, of)| *before += of);
        }
        let all: f64 = shares.iter().sum();
        moved += all * distance(&before, &shares);
        records += all;
    }
    if records > 0.0 { moved / records } else { 0.0 }
}

/// Half the sum of the differences of two distributions, given by counts.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    let [all_a, all_b] = [a, b].map(|counts| counts.iter().sum::<f64>().max(1.0));
    a.iter().zip(b).map(|(a, b)| (a / all_a - b / all_b).abs()).sum::<f64>() / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_by_hand() {
        assert_eq!(distance(&[1.0, 3.0], &[2.0, 6.0]), 0.0);
        assert_eq!(distance(&[4.0, 0.0], &[1.0, 1.0]), 0.5);
    }
}
