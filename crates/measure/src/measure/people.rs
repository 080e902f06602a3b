//! The measures of an attribute where people are counted, who can have several records and so several values.
//!
//! # Definition
//! Of n people of a class n_v have the value v in any record: that is the share of v for α, β and δ. Where shares have to sum to 1
//! (entropy, t, the rarer values of (c, l)-diversity) each person counts as one and is shared evenly among her values. Distinct l
//! is the largest matching between people and values, and 1 where a value is everybody's. Entropy l is at most distinct l.
//! See [`velamen_core::people`].
//!
//! # Errors
//! None.
//!
//! # Complexity
//! O(pairs · log pairs), and the matching.
//!
//! # References
//! The files of the measures.
//!
//! # Deviations
//! The papers have one record of each person, where these are the same figures.

use velamen_core::people::{distinct, had, number, spread};

use super::Sensitive;
use super::attribute::{AttributeMeasures, Options};
use super::grouped::{Pairs, largest};
use super::pycanon::alone;

/// What is counted of a class or of the table.
struct Tally {
    people: f64,
    /// By code how many have it, 0 left out.
    had: Vec<(u32, u64)>,
    /// By code its share, where shares sum to 1.
    spread: Vec<(u32, f64)>,
    /// Distinct l, 1 where a value is everybody's.
    distinct: u64,
}

impl Tally {
    fn new(pairs: &[(u32, u32)], is_class: bool) -> Self {
        let (people, mut counts) = (number(pairs), Vec::new());
        had(pairs, &mut counts);
        let is_certain = counts.iter().any(|&(_, count)| count >= people);
        let distinct = match is_class && !is_certain {
            true => distinct(pairs, u64::MAX),
            false => 1,
        };
        Self { people: people as f64, had: counts, spread: spread(pairs), distinct }
    }

    fn share(&self, value: u32) -> f64 {
        let place = self.had.binary_search_by_key(&value, |cell| cell.0);
        place.map_or(0.0, |place| self.had[place].1 as f64 / self.people)
    }

    fn most(&self) -> f64 {
        self.had.iter().map(|cell| cell.1).max().unwrap_or(0) as f64
    }

    /// exp(H), and at most distinct l.
    fn entropy_l(&self) -> f64 {
        let entropy: f64 = self.spread.iter().map(|(_, q)| -q * q.ln()).sum();
        entropy.exp().min(self.distinct as f64)
    }

    /// r₁/(r_l + … + r_m); `None` where no c is enough.
    fn ratio(&self, l: u64) -> Option<f64> {
        let skipped = usize::try_from(l.checked_sub(1)?).ok()?;
        let mut shares: Vec<f64> = self.spread.iter().map(|(_, share)| *share).collect();
        shares.sort_unstable_by(|a, b| b.total_cmp(a));
        let rarer = shares.iter().skip(skipped).sum::<f64>() * self.people;
        (self.distinct >= l && rarer > 0.0).then(|| self.most() / rarer)
    }
}

/// The measures of one attribute whose people are known.
pub(super) fn of_attribute(sensitive: &Sensitive, options: &Options) -> AttributeMeasures {
    let mut all: Pairs = sensitive.people.iter().flatten().copied().collect();
    all.sort_unstable();
    all.dedup();
    let table = Tally::new(&all, false);
    let classes: Vec<Tally> = sensitive.people.iter().map(|pairs| Tally::new(pairs, true)).collect();
    let distinct_l = classes.iter().map(|class| class.distinct).min();
    let entropy_l = classes.iter().map(Tally::entropy_l).reduce(f64::min);
    let recursive_l = options.l.map(u64::from).or(distinct_l);
    let ratios: Option<Vec<f64>> =
        recursive_l.and_then(|l| classes.iter().map(|class| class.ratio(l)).collect());
    let recursive_c = ratios.and_then(|ratios| largest(ratios.into_iter()));
    let gains = || classes.iter().flat_map(|class| gains(class, &table));
    let basic_beta = largest(gains().map(|(gain, _)| gain)).or((!all.is_empty()).then_some(0.0));
    AttributeMeasures {
        name: sensitive.name.clone(),
        numeric: sensitive.numeric,
        values: table.had.len() as u64,
        alpha: largest(classes.iter().map(|class| class.most() / class.people)),
        distinct_l,
        entropy_l,
        // Of sums of shares the last bits are rounded.
        entropy_l_whole: entropy_l.map(|l| (l * (1.0 + 1e-12)) as u64),
        recursive_l,
        recursive_c,
        recursive_c_whole: recursive_c.map(|c| c as u64 + 1),
        t_equal: largest(classes.iter().map(|class| equal(class, &table))),
        t_ordered: largest(classes.iter().map(|class| ordered(class, &table))),
        basic_beta,
        enhanced_beta: basic_beta.filter(|_| gains().all(|(gain, ceiling)| gain <= ceiling)),
        delta: largest(classes.iter().flat_map(|class| changes(class, &table))),
        pycanon: alone(sensitive),
    }
}

/// (gain, −ln p) of every value that a class has more often than the table.
fn gains<'a>(class: &'a Tally, table: &'a Tally) -> impl Iterator<Item = (f64, f64)> + 'a {
    let shares = class.had.iter().map(|&(value, _)| (class.share(value), table.share(value)));
    shares.filter(|(q, p)| q > p).map(|(q, p)| ((q - p) / p, -p.ln()))
}

fn changes<'a>(class: &'a Tally, table: &'a Tally) -> impl Iterator<Item = f64> + 'a {
    class.had.iter().map(|&(value, _)| (class.share(value) / table.share(value)).log2().abs())
}

/// By value of the table the class's share less the table's.
fn differences(class: &Tally, table: &Tally) -> Vec<f64> {
    let mut own = class.spread.iter().peekable();
    let mut share = |value: u32| own.next_if(|(other, _)| *other == value).map_or(0.0, |(_, q)| *q);
    table.spread.iter().map(|&(value, p)| share(value) - p).collect()
}

fn equal(class: &Tally, table: &Tally) -> f64 {
    differences(class, table).iter().filter(|gain| **gain > 0.0).sum()
}

fn ordered(class: &Tally, table: &Tally) -> f64 {
    let (mut moved, mut sum) = (0.0, 0.0f64);
    for difference in differences(class, table) {
        moved += difference;
        sum += f64::abs(moved);
    }
    sum / table.spread.len().saturating_sub(1).max(1) as f64
}
