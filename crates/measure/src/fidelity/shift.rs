//! How far the distribution of one attribute has moved.
//!
//! # Summary
//! Compares the distribution of an attribute's leaves among original records with that among released
//! ones, each released value counting for all its leaves alike.
//!
//! # Definition
//! p and q are the shares of the leaves among original and released records. A released value over w
//! leaves gives 1/w of its records to each; leaves that no original record has take part.
//! - total variation ½ Σ |p − q|, from 0 to 1;
//! - Jensen–Shannon divergence ½ Σ p log₂(p/m) + ½ Σ q log₂(q/m), m = (p + q)/2, in bits, 0 to 1;
//! - Hellinger distance √(½ Σ (√p − √q)²), 0 to 1;
//! - earth mover's distance of ordered leaves, Σ |P − Q| / (M − 1), P and Q the running sums and M the
//!   number of leaves: the average way that a record moves, as a share of the whole scale.
//!
//! # Parameters
//! The covers of both sides with the records that have them.
//!
//! # Errors
//! None. A side without records has no figures (`None`).
//!
//! # Complexity
//! O(r log r + b · a) for r runs, b different ends of runs and at most a runs over one place, whatever the
//! number of leaves: between two ends p and q do not change, so that each stretch is one term.
//!
//! # References
//! Lin 1991 for the divergence; Li, Li and Venkatasubramanian 2007 for the ordered distance.
//!
//! # Deviations
//! None.

use std::collections::{BTreeMap, BTreeSet};

use super::{Cover, Run};

/// Places of equal shares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretch {
    /// The places.
    pub run: Run,
    /// p of each place.
    pub original: f64,
    /// q of each place.
    pub released: f64,
}

/// Both distributions of an attribute.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profile {
    /// Ascending; places outside have no records.
    pub stretches: Vec<Stretch>,
    /// The shares of leaves without a place, original and released.
    pub elsewhere: (f64, f64),
}

/// How far a distribution has moved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shift {
    /// Half the sum of the differences.
    pub total_variation: f64,
    /// The Jensen–Shannon divergence, in bits.
    pub jensen_shannon: f64,
    /// The Hellinger distance.
    pub hellinger: f64,
}

/// Shares by place on both sides; 0 the original, 1 the released.
type Pair = [f64; 2];

impl Profile {
    /// The distributions of two sides, each given by covers and their records; `None` if a side has no
    /// records.
    #[must_use]
    pub fn new(sides: [&[(&Cover, f64)]; 2]) -> Option<Self> {
        let totals = sides.map(|side| side.iter().map(|(_, records)| records).sum::<f64>());
        if totals.iter().any(|total| *total <= 0.0) {
            return None;
        }
        let (mut points, mut runs) = (BTreeMap::<u64, Pair>::new(), BTreeMap::<Run, Pair>::new());
        let mut elsewhere = [0.0; 2];
        for (side, covers) in sides.into_iter().enumerate() {
            for (cover, records) in covers.iter().filter(|(_, records)| *records > 0.0) {
                let share = records / totals[side];
                elsewhere[side] += share * cover.elsewhere();
                for run in cover.runs() {
                    let pair = match run.places() {
                        1 => points.entry(run.first).or_default(),
                        _ => runs.entry(*run).or_default(),
                    };
                    pair[side] += share * cover.density();
                }
            }
        }
        Some(Self { stretches: stretches(&points, &runs), elsewhere: elsewhere.into() })
    }

    /// The figures that take no order.
    #[must_use]
    pub fn shift(&self) -> Shift {
        let (p, q) = self.elsewhere;
        let places = self.stretches.iter().map(|s| (s.run.places() as f64, s.original, s.released));
        let (mut variation, mut divergence, mut squares) = (0.0, 0.0, 0.0);
        for (places, p, q) in places.chain([(1.0, p, q)]) {
            variation += places * (p - q).abs();
            divergence += places * (to_middle(p, q) + to_middle(q, p));
            squares += places * (p.sqrt() - q.sqrt()).powi(2);
        }
        Shift {
            total_variation: (variation / 2.0).min(1.0),
            jensen_shannon: (divergence / 2.0).clamp(0.0, 1.0),
            hellinger: (squares / 2.0).sqrt().min(1.0),
        }
    }

    /// The ordered distance over the first `leaves` places, of the records that lie there; `None` if a
    /// side has none there.
    #[must_use]
    pub fn ordered(&self, leaves: u64) -> Option<f64> {
        let [before, after] = self.sums(leaves)?;
        let (mut ahead, mut moved) = (0.0, 0.0);
        let mut reached = 0;
        for stretch in self.within(leaves) {
            moved += f64::abs(ahead) * (stretch.run.first - reached) as f64;
            let (step, places) = (stretch.original / before - stretch.released / after, stretch.run.places());
            moved += slope(ahead, step, places);
            ahead += step * places as f64;
            reached = stretch.run.last + 1;
        }
        Some(moved / (leaves.max(2) - 1) as f64)
    }

    /// The first place up to which a share of the records lies, original and released, among the first
    /// `leaves` places; `None` if a side has none there.
    #[must_use]
    pub fn quantile(&self, share: f64, leaves: u64) -> Option<[u64; 2]> {
        let sums = self.sums(leaves)?;
        let of = |side: usize| {
            let (wanted, mut sum, mut place) = (share * sums[side] - 1e-12, 0.0, 0);
            for stretch in self.within(leaves) {
                let each = [stretch.original, stretch.released][side];
                let mass = each * stretch.run.places() as f64;
                if mass > 0.0 && sum + mass >= wanted {
                    let steps = ((wanted - sum) / each).ceil().max(1.0) as u64;
                    return (stretch.run.first + steps - 1).min(stretch.run.last);
                }
                if mass > 0.0 {
                    (sum, place) = (sum + mass, stretch.run.last);
                }
            }
            place
        };
        Some([of(0), of(1)])
    }

    fn sums(&self, leaves: u64) -> Option<[f64; 2]> {
        let mut sums = [0.0; 2];
        for stretch in self.within(leaves) {
            let places = stretch.run.places() as f64;
            sums[0] += places * stretch.original;
            sums[1] += places * stretch.released;
        }
        sums.iter().all(|sum| *sum > 0.0).then_some(sums)
    }

    fn within(&self, leaves: u64) -> impl Iterator<Item = Stretch> + '_ {
        self.stretches.iter().filter(move |s| s.run.first < leaves).map(move |s| {
            let last = s.run.last.min(leaves - 1);
            Stretch { run: Run { last, ..s.run }, ..*s }
        })
    }
}

/// x log₂(x / m), m half way to y.
fn to_middle(x: f64, y: f64) -> f64 {
    if x > 0.0 { x * (2.0 * x / (x + y)).log2() } else { 0.0 }
}

/// Σ |ahead + t · step| over t = 1 … places.
fn slope(ahead: f64, step: f64, places: u64) -> f64 {
    let sum = |from: f64, to: f64| {
        let count = to - from + 1.0;
        if count <= 0.0 { 0.0 } else { (ahead * count + step * (from + to) * count / 2.0).abs() }
    };
    let places = places as f64;
    // Where the sign changes, if it does inside.
    let turn = (-ahead / step).floor();
    if step == 0.0 || !(1.0..places).contains(&turn) {
        return sum(1.0, places);
    }
    sum(1.0, turn) + sum(turn + 1.0, places)
}

/// Places of equal shares, from single places and overlapping runs. The shares of the runs over a place
/// are added up anew there: taking one off a running sum would leave a rest, and a rest on each of 10¹⁵
/// places is no rest.
fn stretches(points: &BTreeMap<u64, Pair>, runs: &BTreeMap<Run, Pair>) -> Vec<Stretch> {
    let ends = points.keys().flat_map(|&place| [place, place + 1]);
    let ends: BTreeSet<u64> = ends.chain(runs.keys().flat_map(|run| [run.first, run.last + 1])).collect();
    let (mut waiting, mut over) = (runs.iter().peekable(), Vec::<(Run, Pair)>::new());
    let mut found = Vec::new();
    let ends: Vec<u64> = ends.into_iter().collect();
    for pair in ends.windows(2) {
        let run = Run { first: pair[0], last: pair[1] - 1 };
        over.retain(|(other, _)| other.last >= run.first);
        while let Some((begun, shares)) = waiting.next_if(|(other, _)| other.first <= run.first) {
            over.push((*begun, *shares));
        }
        let point = points.get(&run.first).copied().unwrap_or_default();
        let sum = |side: usize| over.iter().map(|(_, shares)| shares[side]).sum::<f64>() + point[side];
        if !over.is_empty() || points.contains_key(&run.first) {
            found.push(Stretch { run, original: sum(0), released: sum(1) });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(first: u64, last: u64) -> Cover {
        Cover::new(vec![Run { first, last }], 0.0)
    }

    /// Each place by itself.
    fn naive(sides: [&[(&Cover, f64)]; 2], places: u64) -> [Vec<f64>; 2] {
        sides.map(|side| {
            let total: f64 = side.iter().map(|(_, records)| records).sum();
            let at = |place| side.iter().map(|(c, n)| n / total * c.share(&[Run::point(place)])).sum();
            (0..places).map(at).collect()
        })
    }

    #[test]
    fn by_hand() {
        // Original 1, 1, 2 of the places 0 … 3; released one of them as [0-1], one as *.
        let (zero, one, three) = (Cover::point(0), Cover::point(1), Cover::point(3));
        let (half, all) = (run(0, 1), run(0, 3));
        let original = [(&zero, 1.0), (&one, 1.0), (&three, 2.0)];
        let released = [(&half, 1.0), (&one, 1.0), (&three, 1.0), (&all, 1.0)];
        let profile = Profile::new([&original, &released]).unwrap();
        // p = (4, 4, 0, 8)/16, q = (3, 7, 1, 5)/16
        let shift = profile.shift();
        assert!((shift.total_variation - 4.0 / 16.0).abs() < 1e-15);
        let hellinger = [(4.0, 3.0), (4.0, 7.0), (0.0, 1.0), (8.0, 5.0)]
            .map(|(p, q): (f64, f64)| (p.sqrt() - q.sqrt()).powi(2));
        assert!((shift.hellinger - (hellinger.iter().sum::<f64>() / 32.0).sqrt()).abs() < 1e-15);
        // |P − Q| = (1, 2, 3, 0)/16 over three steps.
        assert!((profile.ordered(4).unwrap() - 6.0 / 16.0 / 3.0).abs() < 1e-15);
        assert_eq!(profile.quantile(0.5, 4), Some([1, 1]));
        assert_eq!(profile.quantile(0.75, 4), Some([3, 3]));
    }

    #[test]
    fn stretches_are_what_each_place_gives() {
        let mut random = 7u64;
        let mut draw = |bound: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % bound
        };
        for _ in 0..200 {
            let mut covers = Vec::new();
            for _ in 0..16 {
                let first = draw(20);
                covers.push((run(first, first + draw(20 - first)), draw(5) as f64 + 0.5));
            }
            let side: Vec<(&Cover, f64)> = covers.iter().map(|(cover, n)| (cover, *n)).collect();
            let sides = [&side[..8], &side[8..]];
            let profile = Profile::new(sides).unwrap();
            let [p, q] = naive(sides, 20);
            let variation: f64 = p.iter().zip(&q).map(|(p, q)| (p - q).abs() / 2.0).sum();
            let (mut ahead, mut moved) = (0.0, 0.0);
            for (p, q) in p.iter().zip(&q) {
                ahead += p - q;
                moved += f64::abs(ahead);
            }
            assert!((profile.shift().total_variation - variation).abs() < 1e-12);
            assert!((profile.ordered(20).unwrap() - moved / 19.0).abs() < 1e-12);
        }
    }

    #[test]
    fn equal_sides_have_not_moved_on_a_scale_of_any_length() {
        let (all, near) = (run(0, 1 << 50), run(3, 12));
        let side = [(&near, 3.0), (&all, 1.0), (&near, 0.1)];
        let other = [(&all, 1.0), (&near, 3.1)];
        let profile = Profile::new([&side, &other]).unwrap();
        assert!(profile.shift().total_variation < 1e-12);
        assert!(profile.ordered((1 << 50) + 1).unwrap() < 1e-12);
    }

    #[test]
    fn what_lies_elsewhere_counts() {
        let (leaf, wide) = (Cover::point(0), Cover::new(vec![Run::point(0)], 10.0));
        let profile = Profile::new([&[(&leaf, 1.0)], &[(&wide, 1.0)]]).unwrap();
        assert!((profile.shift().total_variation - 0.9).abs() < 1e-15);
        assert!(Profile::new([&[], &[(&wide, 1.0)]]).is_none());
    }
}
