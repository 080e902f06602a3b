//! Attributes of many leaves in few bins.

use velamen_measure::fidelity::{Cover, Run};

use super::sides::{Attribute, ORIGINAL, Sides};

/// The bins of an attribute: every place is in one.
pub(super) struct Bins {
    /// Ascending, without gaps from place 0 on: where a stretch begins, and its bin.
    starts: Vec<(u64, usize)>,
    /// How many bins there are.
    pub(super) len: usize,
    /// The bin of what has no place, and of places that have none of their own.
    others: usize,
}

impl Bins {
    /// At most `most` bins, by the original's records. Numbers are cut into runs of about equally many
    /// records; of other leaves the most frequent ones stand alone, and all others together. The missing
    /// value stands alone beside numbers. Where there are no more leaves than bins, each has its own.
    pub(super) fn new(sides: &Sides, attribute: usize, most: usize) -> Self {
        let described = &sides.attributes[attribute];
        let records = by_place(sides, attribute);
        let numbers = described.space.numbers();
        let starts = if numbers > 0 {
            cut(&records, numbers, described.space.missing(), most)
        } else {
            frequent(&records, described.space.places(), most)
        };
        let others = starts.iter().map(|start| start.1).max().unwrap_or(0);
        // What has no place goes where the other leaves without a bin are; beside leaves that all have
        // one it is a bin of its own.
        let hidden = described.covers.iter().flatten().any(|cover| cover.elsewhere() > 0.0);
        let rest = numbers == 0 && (described.space.places() as usize) > most;
        let others = if hidden && !rest { others + 1 } else { others };
        Self { starts, len: others + 1, others }
    }

    /// The shares of a value's leaves by bin, ascending, none of them 0.
    pub(super) fn shares(&self, cover: &Cover) -> Vec<(usize, f64)> {
        let mut shares = vec![0.0; self.len];
        for run in cover.runs() {
            let mut at = self.starts.partition_point(|start| start.0 <= run.first) - 1;
            let mut first = run.first;
            while first <= run.last {
                let end = self.starts.get(at + 1).map_or(u64::MAX, |next| next.0 - 1);
                let last = end.min(run.last);
                shares[self.starts[at].1] += (last - first + 1) as f64 * cover.density();
                (first, at) = (last + 1, at + 1);
            }
        }
        shares[self.others] += cover.elsewhere();
        shares.into_iter().enumerate().filter(|(_, share)| *share > 0.0).collect()
    }

    /// The shares of every value of a side.
    pub(super) fn of_side(&self, attribute: &Attribute, side: usize) -> Vec<Vec<(usize, f64)>> {
        attribute.covers[side].iter().map(|cover| self.shares(cover)).collect()
    }
}

/// The original's records by first place, ascending.
fn by_place(sides: &Sides, attribute: usize) -> Vec<(u64, f64)> {
    let covers = &sides.attributes[attribute].covers[ORIGINAL];
    let counts = sides.tables[ORIGINAL].marginal(attribute, covers.len());
    let first = |cover: &Cover| cover.runs().first().map_or(0, |run: &Run| run.first);
    let mut records: Vec<(u64, f64)> = covers.iter().map(first).zip(counts).collect();
    records.sort_by_key(|(place, _)| *place);
    records
}

/// Runs of numbers with about equally many records: a run ends where its share of the records is reached.
fn cut(records: &[(u64, f64)], numbers: u64, missing: Option<u64>, most: usize) -> Vec<(u64, usize)> {
    let present: Vec<&(u64, f64)> = records.iter().filter(|(place, _)| *place < numbers).collect();
    let total: f64 = present.iter().map(|(_, count)| count).sum();
    let mut starts = vec![(0, 0)];
    let (mut sum, mut bins, mut reached) = (0.0, 1, 0);
    let few = numbers <= most as u64;
    if few {
        starts = (0..numbers).map(|place| (place, place as usize)).collect();
        bins = numbers as usize;
    }
    for pair in present.windows(2).filter(|_| !few) {
        sum += pair[0].1;
        let due = (sum * most as f64 / total + 1e-9).floor() as usize;
        if due > reached {
            starts.push((pair[1].0, bins));
            (bins, reached) = (bins + 1, due);
        }
    }
    starts.extend(missing.filter(|place| *place >= numbers).map(|place| (place, bins)));
    starts
}

/// The most frequent leaves alone, ties by place, all others in the last bin.
fn frequent(records: &[(u64, f64)], places: u64, most: usize) -> Vec<(u64, usize)> {
    if places <= most as u64 {
        return (0..places.max(1)).map(|place| (place, place as usize)).collect();
    }
    let mut order: Vec<&(u64, f64)> = records.iter().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut alone: Vec<u64> = order.iter().take(most - 1).map(|(place, _)| *place).collect();
    alone.sort_unstable();
    alone.dedup();
    let others = alone.len();
    let mut starts: Vec<(u64, usize)> = vec![(0, others)];
    for (bin, place) in alone.into_iter().enumerate() {
        starts.retain(|start| start.0 != place);
        starts.extend([(place, bin), (place + 1, others)]);
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_about_equally_many_records() {
        // 8 records in at most 4 bins: a run ends where 2, 4 and 6 are reached.
        let records = [(1, 1.0), (3, 3.0), (4, 1.0), (7, 1.0), (9, 2.0), (10, 5.0)];
        assert_eq!(cut(&records, 10, Some(10), 4), [(0, 0), (4, 1), (9, 2), (10, 3)]);
        assert_eq!(cut(&records, 3, None, 4), [(0, 0), (1, 1), (2, 2)]);
    }

    #[test]
    fn frequent_leaves_stand_alone() {
        let records = [(0, 4.0), (1, 1.0), (2, 4.0), (5, 9.0)];
        let starts = [(0, 0), (1, 2), (5, 1), (6, 2)];
        assert_eq!(frequent(&records, 9, 3), starts);
        let bins = Bins { starts: starts.into(), len: 3, others: 2 };
        let cover = Cover::new(vec![Run { first: 0, last: 2 }, Run { first: 5, last: 6 }], 10.0);
        let shares = bins.shares(&cover);
        assert_eq!(shares.iter().map(|share| share.0).collect::<Vec<_>>(), [0, 1, 2]);
        assert!((shares[0].1 - 0.1).abs() < 1e-12 && (shares[2].1 - 0.8).abs() < 1e-12, "{shares:?}");
    }
}
