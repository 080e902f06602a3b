//! How populated the surroundings of a class are.
//!
//! A class that is padded has few real records, and mostly so have the classes around it: where people are rare, its
//! counterfeits are a large share. Whoever has the release sees the records of the classes that differ from a class in one label.
//!
//! # Definition
//! Of a class, the mean over the quasi-identifiers q of ln(1 + n_q). Where all values of an attribute are at one level, n_q is the
//! records of other classes that differ from it in the label of q alone. Where classes have labels of their own, hardly two do: then
//! it is the records of those whose labels overlap with its own in every attribute but q.
//!
//! # Complexity
//! O(classes · attributes), and O(classes² · attributes) where labels overlap; beyond [`MOST_PAIRS`] pairs of classes every j-th class
//! stands for j.

use std::hash::Hasher;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHasher};
use velamen_core::hierarchy::Hierarchy;
use velamen_core::label::{Range, position};
use velamen_core::recoding::ReleasedValue;
use velamen_core::release::{Release, ReleasedAttribute};

/// Pairs of classes that are compared at most.
const MOST_PAIRS: usize = 1 << 26;

/// More labels of one attribute are not compared in pairs: then only equal ones overlap.
const MOST_LABELS: usize = 1 << 12;

/// How populated the surroundings of some released classes are.
pub(super) fn crowds(release: &Release, hierarchies: &[&Hierarchy], of: &[u32]) -> Vec<f64> {
    match release.qis.iter().all(|qi| qi.level.is_some()) {
        true => of_neighbours(release, of),
        false => of_overlapping(release, hierarchies, of, MOST_PAIRS),
    }
}

fn of_neighbours(release: &Release, of: &[u32]) -> Vec<f64> {
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

/// By the labels that overlap.
fn of_overlapping(release: &Release, hierarchies: &[&Hierarchy], of: &[u32], most: usize) -> Vec<f64> {
    let pairs = release.qis.iter().zip(hierarchies);
    let overlaps: Vec<Overlaps> = pairs.map(|(qi, hierarchy)| Overlaps::of(qi, hierarchy)).collect();
    let apart = (of.len() * release.sizes.len()).div_ceil(most).max(1);
    of.par_iter().map(|&class| around(release, &overlaps, class as usize, apart)).collect()
}

/// The mean over the quasi-identifiers of ln(1 + n_q) of one class, from every so many-th class.
fn around(release: &Release, overlaps: &[Overlaps], class: usize, apart: usize) -> f64 {
    let mut around = vec![0u64; overlaps.len()];
    let others = (0..release.sizes.len()).step_by(apart).filter(|other| *other != class);
    others.for_each(|other| add(release, overlaps, (class, other), &mut around));
    let logs = around.iter().map(|records| ((records * apart as u64) as f64).ln_1p());
    logs.sum::<f64>() / overlaps.len().max(1) as f64
}

/// Adds the records of another class where it overlaps in all attributes but one at most.
fn add(release: &Release, overlaps: &[Overlaps], (class, other): (usize, usize), around: &mut [u64]) {
    let labels = release.class(class).iter().zip(release.class(other)).zip(overlaps).enumerate();
    let mut differ = labels.filter(|(_, ((a, b), overlaps))| !overlaps.has(**a, **b)).map(|(q, _)| q);
    let size = release.sizes[other];
    match (differ.next(), differ.next()) {
        (None, _) => around.iter_mut().for_each(|records| *records += size),
        (Some(q), None) => around[q] += size,
        _ => {}
    }
}

/// Which labels of an attribute overlap: a bit by pair.
struct Overlaps {
    labels: usize,
    bits: Vec<bool>,
}

impl Overlaps {
    fn of(attribute: &ReleasedAttribute, hierarchy: &Hierarchy) -> Self {
        let labels = attribute.values.len();
        if labels > MOST_LABELS {
            return Self { labels, bits: Vec::new() };
        }
        let covers = covers(attribute, hierarchy);
        let pairs = (0..labels).flat_map(|a| (0..labels).map(move |b| (a, b)));
        let bits = pairs.map(|(a, b)| a == b || covers[a].meets(&covers[b])).collect();
        Self { labels, bits }
    }

    fn has(&self, a: u32, b: u32) -> bool {
        a == b || self.bits.get(a as usize * self.labels + b as usize).is_some_and(|bit| *bit)
    }
}

/// What a label covers.
enum Cover {
    Numbers(f64, f64),
    Leaves(Vec<u64>),
}

impl Cover {
    fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Numbers(a, b), Self::Numbers(c, d)) => a <= d && c <= b,
            (Self::Leaves(a), Self::Leaves(b)) => a.iter().zip(b).any(|(a, b)| a & b != 0),
            _ => false,
        }
    }
}

/// What each label of an attribute covers: numbers where its leaves are, else leaves.
fn covers(attribute: &ReleasedAttribute, hierarchy: &Hierarchy) -> Vec<Cover> {
    let leaves = hierarchy.labels(0);
    let positions: Vec<Option<f64>> = leaves.iter().map(|leaf| position(leaf)).collect();
    let numeric = positions.iter().zip(leaves).all(|(at, leaf)| at.is_some() || leaf.is_empty());
    let under = attribute.values.iter().map(|value| (value, leaves_under(value, hierarchy)));
    match numeric {
        true => under.map(|(value, under)| numbers(&value.label, &under, &positions)).collect(),
        false => under.map(|(_, under)| among(&under, leaves.len())).collect(),
    }
}

/// The leaves that occur under a label.
fn leaves_under(value: &ReleasedValue, hierarchy: &Hierarchy) -> Vec<usize> {
    let leaves = hierarchy.labels(0);
    let code = hierarchy.labels(value.level).iter().position(|label| *label == value.label);
    let range = Range::read(&value.label);
    let all = 0..leaves.len();
    match (code, range) {
        (Some(code), _) => {
            all.filter(|&leaf| hierarchy.code(value.level, leaf as u32) == code as u32).collect()
        }
        (None, Some(range)) => all.filter(|&leaf| range.has(&leaves[leaf])).collect(),
        (None, None) => Vec::new(),
    }
}

/// The numbers of a range, or those from the least to the greatest leaf; without a leaf it meets nothing.
fn numbers(label: &str, under: &[usize], positions: &[Option<f64>]) -> Cover {
    if let Some((low, high)) = Range::read(label).and_then(|range| range.bounds()) {
        return Cover::Numbers(low, high);
    }
    let ends = (f64::INFINITY, f64::NEG_INFINITY);
    let numbers = under.iter().filter_map(|&leaf| positions[leaf]);
    let (low, high) = numbers.fold(ends, |(low, high), at| (low.min(at), high.max(at)));
    Cover::Numbers(low, high)
}

/// Some of so many leaves.
fn among(leaves: &[usize], all: usize) -> Cover {
    let mut bits = vec![0u64; all.div_ceil(64)];
    leaves.iter().for_each(|leaf| bits[leaf / 64] |= 1 << (leaf % 64));
    Cover::Leaves(bits)
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
        let found = crowds(&release, &[&hierarchy, &hierarchy], &[0, 1, 2, 3]);
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
        assert_eq!(crowds(&release, &[&hierarchy, &hierarchy], &[2]), found[2..3]);
    }

    /// Ages by ranges, regions by sets: four classes, and one of all.
    #[test]
    fn classes_whose_labels_overlap_in_all_but_one_are_around() {
        let over =
            |values: &[&str]| Rule::Flat.over(values.iter().map(|v| (*v).to_owned()).collect(), false).1;
        let (ages, regions) = (over(&["20", "30", "40", "50"]), over(&["n", "s", "w"]));
        let value = |label: &str, leaves, level| ReleasedValue { label: label.to_owned(), leaves, level };
        let attribute = |hierarchy, values| ReleasedAttribute {
            level: None,
            values,
            ..ReleasedAttribute::at_level("a", hierarchy, 0)
        };
        let release = Release {
            qis: vec![
                attribute(&ages, vec![value("[20-30]", 2, 1), value("[30-50]", 3, 1), value("50", 1, 0)]),
                attribute(&regions, vec![value("{n|s}", 2, 1), value("w", 1, 0), value("*", 3, 1)]),
            ],
            codes: vec![0, 0, 1, 0, 2, 1, 2, 0, 1, 2],
            sizes: vec![5, 7, 20, 9, 3],
            ..Release::default()
        };
        let hierarchies = [&ages, &regions];
        let near = |ages: u64, regions: u64| ((ages as f64).ln_1p() + (regions as f64).ln_1p()) / 2.0;
        // [20-30] {n|s}: [30-50] of {n|s} and of * overlap in both, 50 {n|s} in the region.
        let first = near(7 + 9 + 3, 7 + 3);
        // 50 w: [30-50] * overlaps in both; 50 {n|s} and [30-50] {n|s} in the age.
        let third = near(3, 3 + 9 + 7);
        let found = crowds(&release, &hierarchies, &[0, 2]);
        assert!((found[0] - first).abs() < 1e-12 && (found[1] - third).abs() < 1e-12, "{found:?}");
        // Every second class stands for two: [20-30] {n|s} sees 50 w, which differs in both, and [30-50] * twice.
        let half = of_overlapping(&release, &hierarchies, &[0], 3);
        assert!((half[0] - near(6, 6)).abs() < 1e-12, "{half:?}");
    }
}
