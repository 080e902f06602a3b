//! Composition: what two releases of overlapping tables tell together.
//!
//! # Summary
//! A person in both tables has a sensitive value that is among the candidates of both releases.
//!
//! # Definition
//! The belief after both is in proportion to the product of the beliefs after each, divided by the base
//! rate: Bayes' rule for two sights that are independent given the value. Values that one release rules out
//! are ruled out. Where that leaves none, the first release's belief stays. Two releases of one table are not
//! independent: of two copies the product, divided by the base rate, prefers rare values for nothing. So the adversary
//! guesses in four ways: by the first release, by the second, by the product, and by the product divided by the base
//! rate. *Right by both* is the way that is right most often, never less than the better single release. Who is certain by
//! one release stays so.
//!
//! Where both originals say whose their records are in a column of one name, a person is known by it; she is searched for by a
//! record of hers in each, and any of her values is right.
//!
//! Counterfeits of two releases of *one* table are drawn anew, its persons stay. Let a class E have n records of a
//! value, and let its persons be in the classes F of the second release (or suppressed there). At least n less the records
//! of that value in all F are counterfeits: they are *betrayed*. Who knows which persons the table has sees them.
//!
//! # Complexity
//! O(targets · candidates).
//!
//! # References
//! Ganta, Kasiviswanathan & Smith 2008, intersection attack.
//!
//! # Deviations
//! The paper intersects the sets of candidates; here beliefs are weighed, too, so that a guess is made where
//! several values are left. Which way of guessing is the best is seen from the result: an upper bound of what an adversary
//! can do who has to choose before.

use std::collections::{BTreeMap, BTreeSet};

use velamen_core::context::Context;

use super::beliefs::Belief;
use super::estimate::{Mean, Share};
use super::inference::believed;
use super::scene::{NOWHERE, Scene, Second, Sensitive, Trace, View};
use super::whose::OwnValues;
use super::{AttackFindings, Entry, Figure, LeftOut, over};

pub(super) const ENTRY: Entry =
    Entry { name: "composition", summary: "what two releases reveal together", run };

fn run(scene: &Scene<'_>, context: &Context<'_>) -> Result<AttackFindings, LeftOut> {
    let Some(second) = &scene.second else {
        return Err(LeftOut::because(
            "give a second release of some of the same people: --with, --second-original",
        ));
    };
    let people = &scene.view.people;
    let shared = people.counts.iter().zip(&second.partner);
    let weights: Vec<u64> =
        shared.map(|(&count, &partner)| if partner == NOWHERE { 0 } else { count }).collect();
    let targets = scene.targets_by(people, &weights, context.seed);
    if targets.of.is_empty() {
        return Err(LeftOut::because("no person is found in both tables"));
    }
    let mut found = AttackFindings::new(Vec::new(), &targets);
    for (number, attribute) in scene.view.sensitive.iter().enumerate() {
        if second.view.sensitive.get(number).is_none_or(|other| other.of.is_empty()) {
            continue;
        }
        let (mut right, mut certain) = ([Mean::default(); 5], [Mean::default(); 3]);
        let both = Both::new(scene, second, number);
        let one = |entry: u32| both.guesses(entry);
        over(&targets.of, context, "composing", one, |guesses: Guesses, times| {
            let all = right.iter_mut().zip(guesses.right).chain(certain.iter_mut().zip(guesses.certain));
            all.for_each(|(mean, share)| mean.add(Share::exactly(share), times));
        })?;
        let [first, other, product, weighed, of_base] = right;
        let best = [other, product, weighed]
            .iter()
            .fold(first, |best, mean| if mean.rate() > best.rate() { *mean } else { best });
        let by_base = of_base.rate();
        let told = [
            ("right by the first release", first, by_base),
            ("right by the second release", other, by_base),
            ("right by both", best, by_base),
            ("certain by the first release", certain[0], 0.0),
            ("certain by the second release", certain[1], 0.0),
            ("certain by both", certain[2], 0.0),
        ];
        found.figures.extend(told.iter().map(|(what, mean, base)| {
            let what = format!("{}: {what}", attribute.name);
            Figure::of(what, mean, targets.all, scene.options.confidence, Some(*base))
        }));
    }
    found.figures.extend(betrayed(scene, second));
    if found.figures.is_empty() {
        return Err(LeftOut::because("the releases share no sensitive attribute"));
    }
    Ok(found)
}

/// The share of the first release's counterfeits that the second betrays; `None` where the tables differ, or a
/// person's class is not certain.
fn betrayed(scene: &Scene<'_>, second: &Second<'_>) -> Option<Figure> {
    let (view, other) = (&scene.view, &second.view);
    let counterfeits = scene.minimal.as_ref()?.exposure.counterfeits;
    let certain = [view, other].iter().all(|view| view.trace == Trace::Levels && !view.sampled);
    let one_table = view.records() == other.records() && !second.partner.contains(&NOWHERE);
    let (of, of_other) = (view.sensitive.first()?, second.view.sensitive.first()?);
    if !certain || !one_table || counterfeits == 0 || of_other.of.is_empty() {
        return None;
    }
    let mut beside: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for (&own, &partner) in view.people.own.iter().zip(&second.partner).filter(|(own, _)| **own != NOWHERE) {
        beside.entry(own).or_default().insert(other.people.own[partner as usize]);
    }
    let (mut found, none) = (0, Vec::new());
    for (class, classes) in beside {
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        // Suppressed records that show no value may be of any.
        let is_blank = other.blank && classes.contains(&NOWHERE);
        let mut blank: u64 = if is_blank { other.suppressed.iter().map(|held| held.count).sum() } else { 0 };
        let records = |class: u32| match class {
            NOWHERE if other.blank => &none,
            NOWHERE => &other.suppressed,
            class => &other.classes[class as usize],
        };
        for held in classes.into_iter().flat_map(records) {
            *counts.entry(of_other.of[held.content as usize]).or_default() += held.count;
        }
        for held in &view.classes[class as usize] {
            let left = counts.entry(of.of[held.content as usize]).or_default();
            let shown = held.count.min(*left);
            *left -= shown;
            let hidden = (held.count - shown).min(blank);
            blank -= hidden;
            found += held.count - shown - hidden;
        }
    }
    let share = found as f64 / counterfeits as f64;
    Some(Figure {
        baseline: Some(0.0),
        ..Figure::single("counterfeits that the second release betrays".into(), share)
    })
}

/// What the guesses at one person's value come to.
struct Guesses {
    /// Right by the first release, the second, the product of both, that product divided by the base rate, the base rate.
    right: [f64; 5],
    /// Certain, and right, by the first release, the second, both.
    certain: [f64; 3],
}

/// Two releases, and one sensitive attribute of both.
struct Both<'s> {
    views: [&'s View<'s>; 2],
    attributes: [&'s Sensitive; 2],
    own: [OwnValues<'s>; 2],
    partner: &'s [u32],
    base: Belief,
}

impl<'s> Both<'s> {
    fn new(scene: &'s Scene<'s>, second: &'s Second<'s>, number: usize) -> Self {
        let views = [&scene.view, &second.view];
        let attributes = views.map(|view| &view.sensitive[number]);
        let own = [0, 1].map(|of| OwnValues::new(views[of], attributes[of]));
        let base = Belief::base(views[0], attributes[0]);
        Self { views, attributes, own, partner: &second.partner, base }
    }

    /// A person with several records may have others in each table: any of her values is right.
    fn guesses(&self, entry: u32) -> Guesses {
        let entries = [entry, self.partner[entry as usize]];
        let values: Vec<u32> = [0, 1].iter().flat_map(|&of| self.own[of].of(entries[of])).collect();
        let believed = |of: usize| believed(self.views[of], self.attributes[of], &self.base, entries[of]);
        let ((one, by_one), (other, by_other)) = (believed(0), believed(1));
        let base = &self.base;
        let (product, weighed) = (joint(&one, &other, &Belief::even(&one)), joint(&one, &other, base));
        let right = [&one, &other, &product, &weighed, base].map(|belief| belief.guess(&values).0);
        let (first, second) = (certain(&one, &values, by_one), certain(&other, &values, by_other));
        let both = certain(&product, &values, by_one || by_other).max(first).max(second);
        Guesses { right, certain: [first, second, both] }
    }
}

/// What follows from both beliefs; where they leave nothing, the first.
fn joint(one: &Belief, other: &Belief, base: &Belief) -> Belief {
    let joint = one.and(other, base);
    if joint.0.is_empty() { one.clone() } else { joint }
}

/// 1 if a belief that was found leaves the right value alone.
fn certain(belief: &Belief, values: &[u32], found: bool) -> f64 {
    let (right, alone) = belief.guess(values);
    f64::from(u8::from(alone && found && right > 0.0))
}
