//! What the catalog makes of a person's risk, if counterfeits lie uniformly where it allows: the model `catalog-risk`.
//!
//! # Summary
//! Counterfeits fill a class up, and the catalog says how many of each value its group holds. So some of a
//! class's records are more likely real than others, and a person's record is easier to find than one in |E|.
//!
//! # Definition
//! Of the N records of a value in the classes of a group that can hold counterfeits c are counterfeit; n of
//! them are in the class E. X is hypergeometric (N, c, n), independent over the values, R = |E| − ΣX, and
//!
//!   risk(E, s) = E\[(n − X) / (n · R) | R ≥ `least`\].
//!
//! In a class of no more values than its real records are promised to have, one record of each value is real: X counts n − 1
//! of the n there, and N as many.
//!
//! Let g(i, t) = E\[f(t + `X_i` + … + `X_m`)\] and p(i, t) be the law of `X_1` + … + X_(i−1), both by convolution.
//! The expectation for value i is: Σ over t and x of p(i, t) · P(`X_i` = x) · (n − x) · g(i + 1, t + x), where f(t) is
//! 1 / (|E| − t) if at least `least` remain, and 0 otherwise.
//!
//! # Returns
//! [`highest`]: the largest risk of the classes in groups. Every other class has 1/|E|.
//!
//! # Complexity
//! Time O(classes · |E| · min(|E|, counterfeits)), less where `most_risk` rules a class out.
//! All terms are positive, and a law takes a few roundings a step from its mode: the relative error is below
//! 1e-12 for classes of up to a thousand records (a test compares with enumeration in whole numbers).
//!
//! # References
//! Ours. Lee et al. 2017 for the catalog.
//!
//! # Deviations
//! Counterfeits do not lie uniformly: who knows what is usual for such persons does better.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use velamen_core::classes::ClassTable;
use velamen_core::error::Problem;
use velamen_core::plan::Counterfeits;

use super::HCeiling;
use super::pool::{Cells, add_many};

/// How often counterfeits of a node are drawn again because of the risk.
pub(super) const REDRAWS: u64 = 3;

/// A node whose risk is so many times what is promised is not drawn again: another draw changes it by less.
const HOPELESS: f64 = 1.5;

/// Rounding that the bound forgives: less than the checker does.
const ROUNDING: f64 = 1e-10;

/// Counterfeits and the catalog's groups.
pub(super) struct Drawn {
    pub(super) counterfeits: Vec<Counterfeits>,
    /// `None` where no catalog is safe, or none keeps the risk.
    pub(super) groups: Option<Vec<Vec<u32>>>,
    /// The least risk of the safe catalogs that were drawn, where all leave more than is promised.
    pub(super) risk: Option<f64>,
}

impl HCeiling {
    /// Counterfeits whose catalog keeps the promised risk: `draw` draws for the time of that number, once
    /// where nothing is promised. `None` where it gives none.
    pub(super) fn within_risk(
        &self,
        classes: &ClassTable,
        draw: impl Fn(u64) -> Option<Drawn>,
    ) -> Option<Drawn> {
        let Some(most) = self.params.catalog_risk else { return draw(0) };
        let mut least = None::<f64>;
        for time in 0..=REDRAWS {
            let drawn = draw(time)?;
            let Some(groups) = &drawn.groups else { continue };
            let Err(risk) = self.keeps_risk(classes, &drawn.counterfeits, groups) else { return Some(drawn) };
            least = least.into_iter().chain([risk]).reduce(f64::min);
            if risk > most * HOPELESS {
                break;
            }
        }
        Some(Drawn { counterfeits: Vec::new(), groups: None, risk: least })
    }

    /// The highest risk of the classes in groups, if it is higher than promised.
    pub(super) fn keeps_risk(
        &self,
        classes: &ClassTable,
        counterfeits: &[Counterfeits],
        groups: &[Vec<u32>],
    ) -> Result<(), f64> {
        let Some(most) = self.params.catalog_risk else { return Ok(()) };
        let knows = Knows {
            largest: self.largest_concealing(),
            least_real: self.params.limits.least_real,
            values: self.params.real_values,
        };
        let risk = highest(classes, counterfeits, groups, knows);
        if risk <= most * (1.0 + ROUNDING) { Ok(()) } else { Err(risk) }
    }
}

/// What a search says that found no catalog of so low a risk.
pub(super) fn too_high(least: f64, tried: &str) -> Problem {
    Problem::new(format!("catalog-risk: no catalog keeps the risk, the least seen is {least:.4} ({tried})"))
        .mend("ask for k-anonymity with a larger k, raise h, or allow that risk")
}

/// What everybody knows of the classes.
#[derive(Debug, Clone, Copy)]
pub struct Knows {
    /// The most released records of a class that can hold counterfeits.
    pub largest: u64,
    /// The real records that such a class has at least.
    pub least_real: u64,
    /// The different values that its real records have at least; up to 1: nothing is known.
    pub values: u64,
}

/// The largest risk of the classes in groups, by what everybody knows of them; 0 without groups.
#[must_use]
pub fn highest(
    classes: &ClassTable,
    counterfeits: &[Counterfeits],
    groups: &[Vec<u32>],
    knows: Knows,
) -> f64 {
    let of_group = |members: &Vec<u32>| {
        let members: Vec<(Cells, Cells)> =
            members.iter().map(|&class| released(classes, counterfeits, class)).collect();
        of_group(&members, knows)
    };
    groups.par_iter().map(of_group).reduce(|| 0.0, f64::max)
}

/// A class's released records by value, and those of them that are counterfeit.
fn released(classes: &ClassTable, counterfeits: &[Counterfeits], class: u32) -> (Cells, Cells) {
    let mut cells = classes.sensitive(class as usize).to_vec();
    let own = counterfeits.binary_search_by_key(&class, |one| one.class).ok();
    let made = own.map_or_else(Cells::new, |at| counterfeits[at].values.clone());
    made.iter().for_each(|&(value, count)| add_many(&mut cells, value, count));
    (cells, made)
}

/// The largest risk of the classes of one group.
fn of_group(members: &[(Cells, Cells)], knows: Knows) -> f64 {
    let size = |cells: &Cells| cells.iter().map(|cell| cell.1).sum::<u64>();
    let can_hold = || members.iter().filter(|(cells, _)| size(cells) <= knows.largest);
    // By value the records that can be counterfeit, and how many are.
    let mut all: FxHashMap<u32, (u64, u64)> = FxHashMap::default();
    for (cells, made) in can_hold() {
        cells
            .iter()
            .for_each(|&(value, count)| all.entry(value).or_default().0 += knows.doubtful(cells, count));
        made.iter().for_each(|&(value, count)| all.entry(value).or_default().1 += count);
    }
    let without = members.iter().map(|(cells, _)| 1.0 / size(cells) as f64).fold(0.0, f64::max);
    can_hold().fold(without, |highest, (cells, _)| {
        let class = Class::new(cells.iter().map(|&cell| Held::of(cells, cell, &all, knows)).collect());
        if class.most_risk() <= highest { highest } else { highest.max(class.risk(knows.least_real)) }
    })
}

impl Knows {
    /// How many of a value's records in a class can be counterfeit.
    fn doubtful(&self, cells: &Cells, own: u64) -> u64 {
        own - u64::from(self.values > 1 && cells.len() as u64 <= self.values)
    }
}

/// The records of a value: in a class, those of them that can be counterfeit, such ones in its group, and how many of these
/// are counterfeit.
#[derive(Debug, Clone, Copy)]
struct Held {
    own: u64,
    doubtful: u64,
    released: u64,
    counterfeits: u64,
}

impl Held {
    /// A value's records in a class of these, by the value's records and counterfeits in the group.
    fn of(cells: &Cells, (value, own): (u32, u64), all: &FxHashMap<u32, (u64, u64)>, knows: Knows) -> Self {
        let (released, counterfeits) = all[&value];
        Self { own, doubtful: knows.doubtful(cells, own), released, counterfeits }
    }

    /// The most of its own that can be counterfeit.
    fn most(&self) -> u64 {
        self.doubtful.min(self.counterfeits)
    }

    /// The chance that x of its own are counterfeit, by x: from the likeliest x, whose weight is 1, outwards, so
    /// that nothing overflows.
    fn law(&self) -> Vec<f64> {
        let Self { doubtful: own, released, counterfeits, .. } = *self;
        let (least, most) = ((own + counterfeits).saturating_sub(released), self.most());
        let likeliest = (own + 1) as f64 * (counterfeits + 1) as f64 / (released + 2) as f64;
        let mode = (likeliest as u64).clamp(least, most);
        // P(x + 1) / P(x)
        let step = |x: u64| {
            let more = (own - x) as f64 * (counterfeits - x) as f64;
            more / ((x + 1) as f64 * (released + x + 1 - own - counterfeits) as f64)
        };
        let mut law = vec![0.0; most as usize + 1];
        law[mode as usize] = 1.0;
        (mode..most).for_each(|x| law[x as usize + 1] = law[x as usize] * step(x));
        (least..mode).rev().for_each(|x| law[x as usize] = law[x as usize + 1] / step(x));
        let all: f64 = law.iter().sum();
        law.iter_mut().for_each(|chance| *chance /= all);
        law
    }
}

/// A class by the values of its records.
struct Class {
    cells: Vec<Held>,
    size: u64,
    /// Its records less all that can be counterfeit.
    sure: u64,
}

impl Class {
    fn new(cells: Vec<Held>) -> Self {
        let size = cells.iter().map(|held| held.own).sum();
        let sure = size - cells.iter().map(Held::most).sum::<u64>();
        Self { cells, size, sure }
    }

    /// What the risk cannot exceed: R is never below the records that are surely real.
    fn most_risk(&self) -> f64 {
        1.0 / self.sure as f64
    }

    /// The largest risk of its values; 1 where the catalog leaves too few records.
    fn risk(&self, least: u64) -> f64 {
        let doubtful: Vec<&Held> = self.cells.iter().filter(|held| held.counterfeits > 0).collect();
        let laws: Vec<Vec<f64>> = doubtful.iter().map(|held| held.law()).collect();
        let left = |gone: usize| Some(self.size - gone as u64).filter(|&left| left >= least.max(1));
        let later = later(&laws, |gone| left(gone).map_or(0.0, |left| 1.0 / left as f64));
        // Records of a value without counterfeits are real.
        let mut highest = if doubtful.len() < self.cells.len() { later[0][0] } else { 0.0 };
        let mut earlier = vec![1.0];
        for ((held, law), later) in doubtful.iter().zip(&laws).zip(&later[1..]) {
            let found = |(t, before): (usize, &f64)| {
                let real = law.iter().zip(&later[t..]).enumerate();
                before * real.map(|(x, (chance, f))| chance * (held.own - x as u64) as f64 * f).sum::<f64>()
            };
            let sum: f64 = earlier.iter().enumerate().map(found).sum();
            highest = highest.max(sum / held.own as f64);
            earlier = convolved(&earlier, law);
        }
        let enough = earlier.iter().enumerate().filter(|(gone, _)| left(*gone).is_some());
        let given: f64 = enough.map(|(_, chance)| chance).sum();
        if given > 0.0 { highest / given } else { 1.0 }
    }
}

/// By i and t, E[f(t + `X_i` + … + `X_m`)] for each sum t that the values before i can have.
fn later(laws: &[Vec<f64>], f: impl Fn(usize) -> f64) -> Vec<Vec<f64>> {
    let most: usize = laws.iter().map(|law| law.len() - 1).sum();
    let mut all = vec![(0..=most).map(f).collect::<Vec<f64>>()];
    for law in laws.iter().rev() {
        let next = &all[all.len() - 1];
        let mean = |t: usize| law.iter().zip(&next[t..]).map(|(chance, f)| chance * f).sum();
        all.push((0..=next.len() - law.len()).map(mean).collect());
    }
    all.reverse();
    all
}

/// The law of a sum.
fn convolved(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; a.len() + b.len() - 1];
    for (i, a) in a.iter().enumerate() {
        b.iter().enumerate().for_each(|(j, b)| sum[i + j] += a * b);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(cells: &[(u64, u64, u64)]) -> Class {
        Class::new(
            cells
                .iter()
                .map(|&(own, released, counterfeits)| Held { own, doubtful: own, released, counterfeits })
                .collect(),
        )
    }

    /// The risk of each value in whole numbers: every choice of the counterfeits among the group's records is as
    /// likely as any. `None` where no choice leaves enough.
    fn enumerated(cells: &[(u64, u64, u64)], least: u64) -> Option<Vec<(u128, u128)>> {
        // lcm(1, …, 16)
        const WHOLE: u128 = 720_720;
        let records: Vec<(usize, bool)> = cells
            .iter()
            .enumerate()
            .flat_map(|(value, &(own, all, _))| (0..all).map(move |record| (value, record < own)))
            .collect();
        let size: u64 = cells.iter().map(|cell| cell.0).sum();
        let (mut choices, mut found) = (0u128, vec![0u128; cells.len()]);
        for mask in 0u32..1 << records.len() {
            let chosen =
                || records.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1).map(|(_, record)| record);
            let of = |value: usize| chosen().filter(|record| record.0 == value).count() as u64;
            if (0..cells.len()).any(|value| of(value) != cells[value].2) {
                continue;
            }
            let inside = |value: usize| chosen().filter(|record| **record == (value, true)).count() as u64;
            let real = size - (0..cells.len()).map(inside).sum::<u64>();
            if real < least.max(1) {
                continue;
            }
            choices += 1;
            for (value, found) in found.iter_mut().enumerate() {
                *found += u128::from(cells[value].0 - inside(value)) * WHOLE / u128::from(real);
            }
        }
        let share = |(found, cell): (u128, &(u64, u64, u64))| (found, u128::from(cell.0) * choices * WHOLE);
        (choices > 0).then(|| found.into_iter().zip(cells).map(share).collect())
    }

    /// Small classes of up to three values, all that fit in 12 records.
    fn small() -> Vec<Vec<(u64, u64, u64)>> {
        let mut cells = Vec::new();
        for own in 1..=3u64 {
            for others in 0..=3u64 {
                let held = |counterfeits| (own, own + others, counterfeits);
                cells.extend((0..=others + 1).filter(|&c| c <= own + others).map(held));
            }
        }
        let mut classes = Vec::new();
        for (i, &a) in cells.iter().enumerate() {
            classes.push(vec![a]);
            for &b in &cells[i..] {
                classes.push(vec![a, b]);
                classes.extend(cells.iter().step_by(7).map(|&c| vec![a, b, c]));
            }
        }
        classes.retain(|class| class.iter().map(|cell| cell.1).sum::<u64>() <= 12);
        classes
    }

    #[test]
    fn it_is_what_enumeration_finds() {
        let mut compared = 0;
        for cells in small().iter().step_by(5) {
            for least in [1, 2] {
                let expected = enumerated(cells, least).map_or(1.0, |shares| {
                    shares.iter().map(|&(found, all)| found as f64 / all as f64).fold(0.0, f64::max)
                });
                let risk = class(cells).risk(least);
                assert!(
                    (risk / expected - 1.0).abs() < 1e-14 * 50.0,
                    "{cells:?} {least}: {risk}, not {expected}"
                );
                compared += 1;
            }
        }
        assert!(compared > 300, "{compared}");
    }

    #[test]
    fn it_is_at_least_one_by_the_size() {
        for cells in &small() {
            let (class, size) = (class(cells), cells.iter().map(|cell| cell.0).sum::<u64>() as f64);
            let risk = class.risk(1);
            assert!(
                risk * size >= 1.0 - 1e-12 && risk <= class.most_risk().min(1.0) + 1e-12,
                "{cells:?}: {risk}"
            );
            if cells.iter().all(|cell| cell.2 == 0) {
                assert!((risk * size - 1.0).abs() < 1e-12, "{cells:?}");
            }
        }
    }

    #[test]
    fn by_hand() {
        // Five records, one of a value of which half are counterfeit: R is 4 or 5, and the other four are real.
        let risk = class(&[(1, 10, 5), (4, 20, 0)]).risk(1);
        assert!((risk - 0.5 * (1.0 / 4.0 + 1.0 / 5.0)).abs() < 1e-15);
        // All equally doubtful: one in the size.
        assert!((class(&[(4, 40, 20)]).risk(1) - 0.25).abs() < 0.02);
        // Both records of the class are counterfeit, says a catalog that cannot be.
        assert_eq!(class(&[(2, 2, 2)]).risk(1), 1.0);
    }

    #[test]
    fn large_classes_keep_their_figures() {
        // 10 000 records of 100 values, a tenth counterfeit, all alike: one by the size.
        let cells = vec![(100, 1000, 100); 100];
        let risk = class(&cells).risk(1);
        assert!((risk * 10_000.0 - 1.0).abs() < 1e-12, "{risk}");
        let law = Held { own: 50_000, doubtful: 50_000, released: 1_000_000, counterfeits: 40_000 }.law();
        let mean: f64 = law.iter().enumerate().map(|(x, chance)| x as f64 * chance).sum();
        assert!((mean / 2_000.0 - 1.0).abs() < 1e-10, "{mean}");
    }
}
