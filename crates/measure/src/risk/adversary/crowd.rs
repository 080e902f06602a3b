//! How populated the surroundings of a class are.
//!
//! A class that is padded has few real records, and mostly so have the classes around it: where people are rare, its
//! counterfeits are a large share. Whoever has the release sees the records of the classes that differ from a class in one label.

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHasher};
use velamen_core::release::Release;

/// Of some released classes, the mean over the quasi-identifiers of ln(1 + the records of other classes that differ from it in
/// that label alone).
pub(super) fn crowds(release: &Release, of: &[u32]) -> Vec<f64> {
    let classes = release.sizes.len();
    let mut sums = vec![0.0; of.len()];
    let mut records: FxHashMap<u64, u64> = FxHashMap::default();
    for q in 0..release.qis.len() {
        records.clear();
        let keys: Vec<u64> = (0..classes).map(|class| without(release.class(class), q)).collect();
        for (key, size) in keys.iter().zip(&release.sizes) {
            *records.entry(*key).or_default() += size;
        }
        for (sum, &class) in sums.iter_mut().zip(of) {
            let class = class as usize;
            *sum += ((records[&keys[class]] - release.sizes[class]) as f64).ln_1p();
        }
    }
    sums.iter().map(|sum| sum / release.qis.len().max(1) as f64).collect()
}

/// What stands for all codes but one: two sets of codes hardly ever share it, and the figure is an estimate.
fn without(codes: &[u32], left_out: usize) -> u64 {
    let mut hasher = FxHasher::default();
    let others = codes.iter().enumerate().filter(|(place, _)| *place != left_out);
    others.for_each(|(_, code)| hasher.write_u32(*code));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use velamen_core::hierarchy::Rule;
    use velamen_core::release::ReleasedAttribute;

    use super::*;

    #[test]
    fn classes_that_differ_in_one_label_are_around() {
        let hierarchy = Rule::Flat.over((0..3).map(|code| format!("a{code}")).collect(), false).1;
        let attribute = || ReleasedAttribute::at_level("a", &hierarchy, 0);
        // Two in row 0, one of them with another below it, and one by itself.
        let release = Release {
            qis: vec![attribute(), attribute()],
            codes: vec![0, 0, 0, 1, 1, 1, 2, 2],
            sizes: vec![5, 7, 20, 9],
            ..Release::default()
        };
        let near = |first: f64, second: f64| (first.ln_1p() + second.ln_1p()) / 2.0;
        let expected = [near(0.0, 7.0), near(20.0, 5.0), near(7.0, 0.0), 0.0];
        let found = crowds(&release, &[0, 1, 2, 3]);
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
        assert_eq!(crowds(&release, &[2]), found[2..3]);
    }
}
