//! How far two tables are apart in sets of attributes.

use rayon::prelude::*;
use velamen_core::frequency::FrequencyTable;
use velamen_core::release::Release;
use velamen_dp::{Seed, below};

/// Records in codes, with how many there are of each.
#[derive(Debug, Clone)]
pub(super) struct Columns {
    sizes: Vec<usize>,
    codes: Vec<Vec<u32>>,
    counts: Vec<u64>,
}

/// Groups of the values of a long column.
const BINS: u64 = 20;

/// How far a release is from its original.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Errors {
    /// The mean distance of pairs of attributes, from 0 to 1.
    pub(super) pairs: f64,
    /// That of triples.
    pub(super) triples: f64,
    /// 1000·(1 − the mean distance of pairs), where long columns are in groups: the k-marginal score for k = 2.
    pub(super) k: f64,
}

impl Errors {
    /// `long` columns have numbers.
    pub(super) fn of(original: &Columns, released: &Columns, long: &[usize]) -> Self {
        let groups: Vec<Vec<u32>> = (0..original.sizes.len()).map(|a| original.groups(a, long)).collect();
        let grouped = distance(&original.grouped(&groups), &released.grouped(&groups), 2);
        Self {
            pairs: distance(original, released, 2),
            triples: distance(original, released, 3),
            k: 1000.0 * (1.0 - grouped),
        }
    }

    /// Of these, none without one.
    pub(super) fn mean(all: &[Self]) -> Self {
        let mean = |figure: fn(&Self) -> f64| all.iter().map(figure).sum::<f64>() / all.len().max(1) as f64;
        Self { pairs: mean(|e| e.pairs), triples: mean(|e| e.triples), k: mean(|e| e.k) }
    }
}

/// The stream that independent columns are drawn from.
const SHUFFLED: u64 = 0x5487;

impl Columns {
    pub(super) fn of_table(table: &FrequencyTable) -> Self {
        Self {
            sizes: table.qis.iter().map(|qi| qi.hierarchy.width(0)).collect(),
            codes: table.codes.clone(),
            counts: table.counts.clone(),
        }
    }

    /// A release of the original's attributes, in their order; labels are codes.
    pub(super) fn of_release(release: &Release, original: &Self) -> Self {
        let mut codes: Vec<Vec<u32>> = vec![Vec::with_capacity(release.sizes.len()); original.sizes.len()];
        for class in 0..release.sizes.len() {
            let released = release.class(class);
            for ((column, qi), &code) in codes.iter_mut().zip(&release.qis).zip(released) {
                column.push(qi.label(code).parse().unwrap_or_default());
            }
        }
        Self { sizes: original.sizes.clone(), codes, counts: release.sizes.clone() }
    }

    /// The same columns, each in an order of its own.
    pub(super) fn independent(&self, seed: &Seed) -> Self {
        let mut shuffled = self.clone();
        let mut stream = seed.stream(SHUFFLED);
        for column in &mut shuffled.codes {
            for place in (1..column.len()).rev() {
                column.swap(place, below(&mut stream, place as u64 + 1) as usize);
            }
        }
        shuffled
    }

    /// Other records of the same columns.
    pub(super) fn with(&self, codes: Vec<Vec<u32>>) -> Self {
        let records = codes.first().map_or(0, Vec::len);
        Self { sizes: self.sizes.clone(), codes, counts: vec![1; records] }
    }

    pub(super) fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// By value its group: of a long column those between twentieths of the records, else each its own.
    fn groups(&self, attribute: usize, long: &[usize]) -> Vec<u32> {
        if !long.contains(&attribute) {
            return (0..self.sizes[attribute] as u32).collect();
        }
        let counts = self.counts(&[attribute]);
        let all = counts.iter().sum::<u64>().max(1);
        let below = counts.iter().scan(0, |passed, count| Some(std::mem::replace(passed, *passed + count)));
        below.map(|below| (BINS * below / all).min(BINS - 1) as u32).collect()
    }

    fn grouped(&self, groups: &[Vec<u32>]) -> Self {
        let columns = self.codes.iter().zip(groups);
        let codes = columns.map(|(codes, group)| codes.iter().map(|&code| group[code as usize]).collect());
        let size = |group: &Vec<u32>| group.iter().max().map_or(0, |&most| most as usize + 1);
        Self { sizes: groups.iter().map(size).collect(), codes: codes.collect(), counts: self.counts.clone() }
    }

    /// How many records there are of each combination of a set.
    pub(super) fn counts(&self, set: &[usize]) -> Vec<u64> {
        let mut counts = vec![0u64; set.iter().map(|&a| self.sizes[a]).product()];
        for (record, &count) in self.counts.iter().enumerate() {
            let place =
                set.iter().fold(0, |place, &a| place * self.sizes[a] + self.codes[a][record] as usize);
            counts[place] += count;
        }
        counts
    }

    /// The share of the records in each combination of a set.
    fn shares(&self, set: &[usize]) -> Vec<f64> {
        let counts = self.counts(set);
        let all = self.counts.iter().sum::<u64>().max(1) as f64;
        counts.into_iter().map(|count| count as f64 / all).collect()
    }
}

/// The mean over all sets of so many attributes of half the distance of their shares, summed over all combinations: 0 where two
/// tables have the same counts, 1 where they have no combination in common.
pub(super) fn distance(one: &Columns, other: &Columns, size: usize) -> f64 {
    let sets = sets(one.sizes.len(), size);
    // In order, so that the sum is one for any number of threads.
    let distances: Vec<f64> = sets.par_iter().map(|set| apart(one, other, set)).collect();
    distances.iter().sum::<f64>() / distances.len().max(1) as f64
}

fn apart(one: &Columns, other: &Columns, set: &[usize]) -> f64 {
    let pairs = one.shares(set).into_iter().zip(other.shares(set));
    pairs.map(|(a, b)| (a - b).abs()).sum::<f64>() / 2.0
}

/// All sets of so many of the first attributes, ascending.
fn sets(attributes: usize, size: usize) -> Vec<Vec<usize>> {
    let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..size {
        sets = sets.iter().flat_map(|set| longer(set, attributes)).collect();
    }
    sets
}

/// A set with each later attribute.
fn longer(set: &[usize], attributes: usize) -> Vec<Vec<usize>> {
    let first = set.last().map_or(0, |last| last + 1);
    (first..attributes).map(|next| set.iter().copied().chain([next]).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(codes: Vec<Vec<u32>>) -> Columns {
        Columns { sizes: vec![2, 2, 3], counts: vec![1; codes[0].len()], codes }
    }

    #[test]
    fn equal_tables_are_0_apart_and_others_1() {
        let one = columns(vec![vec![0, 1], vec![0, 0], vec![2, 2]]);
        let other = columns(vec![vec![1, 0, 1, 0], vec![0, 0, 0, 0], vec![2, 2, 2, 2]]);
        assert_eq!((distance(&one, &other, 2), distance(&one, &other, 3)), (0.0, 0.0));
        let far = columns(vec![vec![0, 1], vec![1, 1], vec![2, 2]]);
        // Two of the three pairs have the second attribute.
        assert!((distance(&one, &far, 2) - 2.0 / 3.0).abs() < 1e-12);
        assert!((distance(&one, &far, 3) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn long_columns_are_compared_in_twentieths_of_the_records() {
        let of = |first: Vec<u32>| Columns {
            sizes: vec![100, 2],
            counts: vec![1; 1000],
            codes: vec![first, (0..1000).map(|record| record % 100 / 50).collect()],
        };
        let one = of((0..1000).map(|record| record % 100).collect());
        // A twentieth has five values; all of its records get the first of them.
        let other = of((0..1000).map(|record| record % 100 / 5 * 5).collect());
        let k = |long: &[usize]| Errors::of(&one, &other, long).k;
        assert!((k(&[0]) - 1000.0).abs() < 1e-9 && (k(&[]) - 200.0).abs() < 1e-9, "{} {}", k(&[0]), k(&[]));
        assert!((Errors::of(&one, &other, &[0]).pairs - 0.8).abs() < 1e-12);
        // Of a column with fewer values than groups, each value is one.
        assert_eq!(Errors::of(&one, &one, &[0, 1]).k, 1000.0);
    }

    #[test]
    fn independent_columns_have_the_same_values() {
        let whole = columns(vec![vec![0, 0, 1, 1], vec![0, 0, 1, 1], vec![0, 1, 2, 2]]);
        let shuffled = whole.independent(&Seed::from_number(1));
        assert!(distance(&whole, &shuffled, 1).abs() < 1e-12);
        assert_eq!(sets(4, 2).len(), 6);
        assert_eq!(sets(4, 3)[3], [1, 2, 3]);
    }
}
