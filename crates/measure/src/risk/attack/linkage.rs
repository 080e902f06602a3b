//! Record linkage: which released record is a person's?
//!
//! # Summary
//! Who knows some quasi-identifiers of a person picks one of the released records that fit. The success is
//! the probability that this record is the person's own.
//!
//! # Definition
//! Candidates are the records of all classes whose labels cover what is known, or, where values are means,
//! of the nearest classes; the suppressed records where no class fits. Of these the adversary picks at
//! random among those that are most likely real (without a catalog: all). For W of them a person's success
//! is s/W, where s is the share of the persons alike to it whose own records are among them.
//! What the release does not tell of s is stated as bounds; proof: `docs/methods/attack.md`.
//!
//! Where a person can have several records, one of them, drawn at random, is known, and each of hers is right: s is how many of hers
//! are to be expected among the candidates.
//!
//! # Complexity
//! O(targets · sets · classes/64 + candidates).
//!
//! # References
//! Sweeney 2002; El Emam 2013 (prosecutor risk); Domingo-Ferrer & Torra 2005 for the nearest means.
//!
//! # Deviations
//! None.

use std::collections::{BTreeMap, BTreeSet};

use velamen_core::context::Context;
use velamen_core::streams;
use velamen_dp::{Seed, below};

use super::estimate::{Mean, Share};
use super::scene::{Alike, Held, NOWHERE, Scene, Trace, View, held};
use super::{AttackFindings, Entry, Figure, LeftOut, over};

/// Up to so many quasi-identifiers every set of them is tried.
const FEW: usize = 6;
/// Of more, so many sets of each size.
const SETS: usize = 12;
/// Shares that differ by less are equal.
const ROUNDING: f64 = 1e-12;

pub(super) const ENTRY: Entry =
    Entry { name: "linkage", summary: "which released record is a person's", run };

fn run(scene: &Scene<'_>, context: &Context<'_>) -> Result<AttackFindings, LeftOut> {
    let view = &scene.view;
    if view.trace == Trace::Noise {
        return Err(LeftOut::because("the records are noisy counts, none of which is a person's"));
    }
    let sizes = sets(view.names.len(), context.seed);
    let targets = scene.targets(context.seed);
    let tried: usize = sizes.iter().map(Vec::len).sum();
    let mut tally = Tallies::new(&sizes);
    let picker = Picker::new(view);
    over(
        &targets.of,
        context,
        "linking",
        |entry| picker.all(entry, &sizes),
        |found, times| {
            tally.add(&found, times);
        },
    )?;
    let confidence = scene.options.confidence;
    let released = view.classes.iter().flatten().chain(&view.suppressed).map(|held| held.count).sum::<u64>();
    // Any released record, and the person need not have one: (real records/persons)/released.
    let (records, persons) = (view.records(), view.people.number());
    let each = records as f64 / persons.max(1) as f64;
    let baseline = Some(each / released.max(records).max(1) as f64);
    let m = view.names.len();
    let mut figures: Vec<Figure> = (1..)
        .zip(&tally.by_size)
        .map(|(size, mean)| {
            let what = format!("knows {size} of {m} quasi-identifiers{}", of_sets(&sizes[size - 1], m, size));
            Figure::of(what, mean, targets.all, confidence, baseline)
        })
        .collect();
    let (worst, mean) = tally.worst();
    // The worst of several was chosen by the same persons.
    let shared = 1.0 - (1.0 - confidence) / tried as f64;
    figures.push(Figure::of("the worst set".into(), &mean, targets.all, shared, baseline));
    let alone = match view.people.whose.is_empty() {
        true => "one candidate only, and the right one",
        false => "all candidates are the person's",
    };
    figures.push(Figure::of(alone.into(), &tally.alone, targets.all, confidence, None));
    let set = sizes.iter().flatten().nth(worst).into_iter().flatten();
    let names: Vec<&str> = set.map(|&q| &*view.names[q]).collect();
    let mut found = AttackFindings::new(figures, &targets);
    found.notes.push(format!("the worst set: {}", names.join(", ")));
    Ok(found)
}

fn of_sets(sets: &[Vec<usize>], m: usize, size: usize) -> String {
    match (sets.len(), combinations(m, size, SETS + 1).len()) {
        (1, _) => String::new(),
        (some, all) if m > FEW && all > SETS => format!(" (mean of {some} sets at random)"),
        (all, _) => format!(" (mean of all {all} sets)"),
    }
}

/// Means by size, by set, and of persons who have one candidate only.
struct Tallies {
    by_size: Vec<Mean>,
    by_set: Vec<Vec<Mean>>,
    alone: Mean,
}

impl Tallies {
    fn new(sizes: &[Vec<Vec<usize>>]) -> Self {
        let by_set = sizes.iter().map(|sets| vec![Mean::default(); sets.len()]).collect();
        Self { by_size: vec![Mean::default(); sizes.len()], by_set, alone: Mean::default() }
    }

    fn add(&mut self, found: &Picked, times: u64) {
        for ((by_size, by_set), shares) in self.by_size.iter_mut().zip(&mut self.by_set).zip(&found.shares) {
            by_set.iter_mut().zip(shares).for_each(|(mean, share)| mean.add(*share, times));
            let sum = shares.iter().fold(Share::default(), |sum, share| sum.plus(*share));
            by_size.add(sum.times(1.0 / shares.len() as f64), times);
        }
        self.alone.add(found.alone, times);
    }

    /// The number of the set with the largest mean, the first of equals.
    fn worst(&self) -> (usize, Mean) {
        let mut worst = (0, Mean::default());
        for (set, mean) in self.by_set.iter().flatten().enumerate() {
            if set == 0 || mean.rate() > worst.1.rate() + ROUNDING {
                worst = (set, *mean);
            }
        }
        worst
    }
}

/// What an adversary gets on one person.
struct Picked {
    /// By size and set.
    shares: Vec<Vec<Share>>,
    alone: Share,
}

struct Picker<'a> {
    view: &'a View<'a>,
    alike: Alike,
    /// Per class its records that no catalog doubts.
    sure: Vec<u64>,
    /// Each person's entries, where a person can have several.
    entries: BTreeMap<u32, Vec<u32>>,
}

impl<'a> Picker<'a> {
    fn new(view: &'a View<'a>) -> Self {
        let of_class = |class: &Vec<Held>| class.iter().filter(is_sure).map(|held| held.count).sum();
        let sure = view.classes.iter().map(of_class).collect();
        Self { view, alike: Alike::new(&view.people), sure, entries: view.people.entries() }
    }

    fn all(&self, entry: u32, sizes: &[Vec<Vec<usize>>]) -> Picked {
        let fits = self.view.person(entry);
        let full = fits.classes(&self.view.all_attributes());
        let one = |known: &Vec<usize>| self.one(entry, &full, &fits.classes(known));
        let shares = sizes.iter().map(|sets| sets.iter().map(one).collect()).collect();
        let (share, candidates) = self.share(entry, &full, &full);
        let is_alone = match self.entries.is_empty() {
            true => candidates == 1,
            false => share.high >= 1.0 - ROUNDING,
        };
        Picked { shares, alone: if is_alone { share } else { Share::exactly(0.0) } }
    }

    fn one(&self, entry: u32, full: &[u32], classes: &[u32]) -> Share {
        self.share(entry, full, classes).0
    }

    /// The success and how many records are picked from.
    fn share(&self, entry: u32, full: &[u32], classes: &[u32]) -> (Share, u64) {
        if let Some(own) = self.view.people.whose.get(entry as usize).and_then(|who| self.entries.get(who)) {
            return self.share_of(own, (entry, full), classes);
        }
        let kept = self.view.kept(entry, &self.alike, full, classes);
        if classes.is_empty() {
            let suppressed: u64 = self.view.suppressed.iter().map(|held| held.count).sum();
            let starred = self.view.starred(entry, self.view.kept(entry, &self.alike, full, full));
            return (starred.times(1.0 / suppressed.max(1) as f64), suppressed);
        }
        let sure: u64 = classes.iter().map(|&class| self.sure[class as usize]).sum();
        let surest = if sure > 0 { 1.0 } else { self.surest(classes) };
        let picked = if sure > 0 { sure } else { self.as_sure(classes, surest) };
        let own = self.own_is(entry, classes, surest);
        (if own { kept.times(1.0 / picked as f64) } else { Share::exactly(0.0) }, picked)
    }

    /// The same of a person with these entries, one of which is known.
    fn share_of(&self, own: &[u32], (known, full): (u32, &[u32]), classes: &[u32]) -> (Share, u64) {
        let picked = match classes {
            [] => self.view.suppressed.iter().map(|held| held.count).sum::<u64>(),
            classes => self.records(classes).map(|held| held.count).sum(),
        };
        let others = own.iter().filter(|entry| **entry != known);
        let others = others.map(|&entry| self.among(entry, &self.view.classes_of(entry), classes));
        let hers = others.fold(self.among(known, full, classes), Share::plus);
        let share = hers.times(1.0 / picked.max(1) as f64);
        (Share { low: share.low.min(1.0), high: share.high.min(1.0) }, picked)
    }

    /// How many records of an entry are among the candidates, which `full` classes fit.
    fn among(&self, entry: u32, full: &[u32], classes: &[u32]) -> Share {
        let (people, place) = (&self.view.people, entry as usize);
        let kept = self.view.kept(entry, &self.alike, full, classes);
        let is_candidate = |class: &u32| classes.binary_search(class).is_ok();
        let share = if classes.is_empty() {
            self.view.starred(entry, self.view.kept(entry, &self.alike, full, full))
        } else if people.own[place] != NOWHERE {
            if is_candidate(&people.own[place]) { kept } else { Share::default() }
        } else if self.view.trace == Trace::Lost || full.iter().all(is_candidate) {
            kept
        } else {
            Share { low: 0.0, high: if full.iter().any(is_candidate) { kept.high } else { 0.0 } }
        };
        share.times(people.counts[place] as f64)
    }

    fn records(&self, classes: &[u32]) -> impl Iterator<Item = &Held> {
        classes.iter().flat_map(|&class| &self.view.classes[class as usize])
    }

    fn surest(&self, classes: &[u32]) -> f64 {
        self.records(classes).map(|held| held.real).fold(0.0, f64::max)
    }

    fn as_sure(&self, classes: &[u32], surest: f64) -> u64 {
        self.records(classes).filter(|held| held.real >= surest - ROUNDING).map(|held| held.count).sum()
    }

    /// Whether the person's record can be one of the surest.
    fn own_is(&self, entry: u32, classes: &[u32], surest: f64) -> bool {
        let people = &self.view.people;
        let (own, content) = (people.own[entry as usize], people.content[entry as usize]);
        let sure = |class: u32| {
            held(&self.view.classes[class as usize], content)
                .is_some_and(|held| held.real >= surest - ROUNDING)
        };
        if own == NOWHERE { classes.iter().any(|&class| sure(class)) } else { sure(own) }
    }
}

fn is_sure(held: &&Held) -> bool {
    held.real >= 1.0 - ROUNDING
}

/// By size, the sets of quasi-identifiers that are tried.
fn sets(m: usize, seed: &Seed) -> Vec<Vec<Vec<usize>>> {
    let mut stream = seed.stream(streams::ATTACK_SETS);
    let of_size = |size| {
        let most = if m <= FEW { usize::MAX } else { SETS };
        let few = combinations(m, size, most.saturating_add(1));
        if few.len() <= most {
            return few;
        }
        let mut drawn = BTreeSet::new();
        while drawn.len() < SETS {
            let mut left: Vec<usize> = (0..m).collect();
            let mut set: Vec<usize> =
                (0..size).map(|_| left.swap_remove(below(&mut stream, left.len() as u64) as usize)).collect();
            set.sort_unstable();
            drawn.insert(set);
        }
        drawn.into_iter().collect()
    };
    (1..=m).map(of_size).collect()
}

/// The first sets of so many of the numbers below m, in order.
fn combinations(m: usize, size: usize, most: usize) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    let mut set: Vec<usize> = (0..size).collect();
    while size <= m && found.len() < most {
        found.push(set.clone());
        let Some(place) = (0..size).rev().find(|&at| set[at] < m - size + at) else { break };
        set[place] += 1;
        for at in place + 1..size {
            set[at] = set[at - 1] + 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_all_or_some() {
        assert_eq!(combinations(4, 2, 9), [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        assert_eq!((combinations(3, 3, 9).len(), combinations(30, 15, 13).len()), (1, 13));
        let seed = Seed::from_number(1);
        assert_eq!(sets(5, &seed).iter().map(Vec::len).collect::<Vec<_>>(), [5, 10, 10, 5, 1]);
        let many = sets(9, &seed);
        assert_eq!(many.iter().map(Vec::len).collect::<Vec<_>>(), [9, 12, 12, 12, 12, 12, 12, 9, 1]);
        assert!(many.iter().flatten().all(|set| set.windows(2).all(|pair| pair[0] < pair[1])));
        assert_eq!(sets(9, &seed), many);
    }
}
