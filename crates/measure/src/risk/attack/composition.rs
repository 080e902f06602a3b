//! Composition: what two releases of overlapping tables tell together.
//!
//! # Summary
//! A person in both tables has a sensitive value that is among the candidates of both releases.
//!
//! # Definition
//! The belief after both is in proportion to the product of the beliefs after each, divided by the base
//! rate: Bayes' rule for two sights that are independent given the value. Values that one release rules out
//! are ruled out. Where that leaves none, the first release's belief stays.
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
//! several values are left.

use std::collections::{BTreeMap, BTreeSet};

use velamen_core::context::Context;

use super::beliefs::Belief;
use super::estimate::{Mean, Share};
use super::inference::believed;
use super::scene::{NOWHERE, Scene, Second, Trace};
use super::{AttackFindings, Entry, Figure, LeftOut, over};

pub(super) const ENTRY: Entry =
    Entry { name: "composition", summary: "what two releases reveal together", run };

fn run(scene: &Scene<'_>, context: &Context<'_>) -> Result<AttackFindings, LeftOut> {
    let Some(second) = &scene.second else {
        return Err(LeftOut::because(
            "give a second release of some of the same people: --with, --second-original",
        ));
    };
    let shared = scene.view.people.counts.iter().zip(&second.partner);
    let weights: Vec<u64> =
        shared.map(|(&count, &partner)| if partner == NOWHERE { 0 } else { count }).collect();
    let targets = scene.targets_among(&weights, context.seed);
    if targets.of.is_empty() {
        return Err(LeftOut::because("no person is found in both tables"));
    }
    let mut found = AttackFindings::new(Vec::new(), &targets);
    for (number, attribute) in scene.view.sensitive.iter().enumerate() {
        if second.view.sensitive.get(number).is_none_or(|other| other.of.is_empty()) {
            continue;
        }
        let mut means = [Mean::default(); 7];
        let base = Belief::base(&scene.view, attribute);
        let one = |entry: u32| one(scene, second, number, &base, entry);
        over(&targets.of, context, "composing", one, |shares: [f64; 7], times| {
            means.iter_mut().zip(shares).for_each(|(mean, share)| mean.add(Share::exactly(share), times));
        })?;
        let by_base = means[6].rate();
        let told = [
            ("right by the first release", by_base),
            ("right by the second release", by_base),
            ("right by both", by_base),
            ("certain by the first release", 0.0),
            ("certain by the second release", 0.0),
            ("certain by both", 0.0),
        ];
        found.figures.extend(told.iter().zip(&means).map(|((what, base), mean)| {
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
    let mut found = 0;
    for (class, classes) in beside {
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        let records = |class: u32| match class {
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
            found += held.count - shown;
        }
    }
    let share = found as f64 / counterfeits as f64;
    Some(Figure {
        baseline: Some(0.0),
        ..Figure::single("counterfeits that the second release betrays".into(), share)
    })
}

/// Right by the first, the second, both; certain (and right) by the same; right by base rates.
fn one(scene: &Scene<'_>, second: &Second<'_>, number: usize, base: &Belief, entry: u32) -> [f64; 7] {
    let (view, attribute) = (&scene.view, &scene.view.sensitive[number]);
    let value = attribute.of[view.people.content[entry as usize] as usize];
    let partner = second.partner[entry as usize];
    let (one, by_one) = believed(view, attribute, base, entry);
    let (other, by_other) = believed(&second.view, &second.view.sensitive[number], base, partner);
    let joint = one.and(&other, base);
    let (both, by_both) = if joint.0.is_empty() { (&one, by_one) } else { (&joint, by_one || by_other) };
    let guess = |belief: &Belief, found: bool| {
        let (right, alone) = belief.guess(value);
        (right, f64::from(u8::from(alone && found && right > 0.0)))
    };
    let guesses = [guess(&one, by_one), guess(&other, by_other), guess(both, by_both)];
    let [a, b, c] = guesses;
    [a.0, b.0, c.0, a.1, b.1, c.1, base.guess(value).0]
}
