//! Presence: is a person in the table at all?
//!
//! # Summary
//! Who knows all quasi-identifiers of somebody says that the person is in the table if some class fits.
//!
//! # Definition
//! The true positive rate is the share of the original's persons whom a class fits, the false positive rate
//! that of outsiders. Outsiders are made up: each quasi-identifier is that of a random original record,
//! drawn on its own, and combinations that the original has are left out. The *advantage* is the difference
//! of the rates, 0 for a release that shows nothing; the *belief* in presence starts from one half.
//!
//! # Complexity
//! O(targets · classes/64).
//!
//! # References
//! Nergiz, Atzori & Clifton 2007 (δ-presence); Shokri et al. 2017 (membership inference).
//!
//! # Deviations
//! No population is asked for: outsiders have the original's marginal distributions.

use rustc_hash::FxHashSet;
use velamen_core::context::Context;
use velamen_core::streams;
use velamen_dp::{Seed, below};

use super::estimate::{Mean, Share};
use super::finder::Finder;
use super::scene::{Scene, View, ends, place};
use super::{AttackFindings, Entry, Figure, LeftOut, over};

/// How often an outsider is drawn again that is in the original.
const TRIES: u64 = 20;

pub(super) const ENTRY: Entry =
    Entry { name: "presence", summary: "whether a person is in the table at all", run };

fn run(scene: &Scene<'_>, context: &Context<'_>) -> Result<AttackFindings, LeftOut> {
    let view = &scene.view;
    if matches!(view.finder, Finder::Nearest(_)) {
        return Err(LeftOut::because("the values are means: some class is always the nearest"));
    }
    let targets = scene.targets(context.seed);
    let outsiders = outsiders(view, scene.options.targets, context.seed);
    if outsiders.is_empty() {
        return Err(LeftOut::because("hardly any combination of values is missing in the original"));
    }
    let (mut inside, mut outside) = (Mean::default(), Mean::default());
    let all = view.all_attributes();
    let fits = |leaves: &mut dyn Iterator<Item = u32>| !view.finder.person(leaves).classes(&all).is_empty();
    let person = |entry: u32| fits(&mut view.people.leaves.iter().map(|leaves| leaves[entry as usize]));
    over(&targets.of, context, "looking for people", person, |fit, times| inside.add(Share::of(fit), times))?;
    let numbers: Vec<(u32, u64)> = (0..outsiders.len() as u32).map(|number| (number, 1)).collect();
    let outsider = |number: u32| fits(&mut outsiders[number as usize].iter().copied());
    over(&numbers, context, "looking for outsiders", outsider, |fit, _| outside.add(Share::of(fit), 1))?;
    Ok(AttackFindings::new(figures(&inside, &outside, targets.all, scene.options.confidence), &targets))
}

fn figures(inside: &Mean, outside: &Mean, all: bool, confidence: f64) -> Vec<Figure> {
    let (there, elsewhere) = (inside.rate(), outside.rate());
    // Each interval with half the doubt.
    let shared = f64::midpoint(1.0, confidence);
    let [[low, high], [least, most]] = [inside.interval(all, shared), outside.interval(false, shared)];
    let advantage = Figure {
        what: "advantage over guessing".into(),
        rate: there - elsewhere,
        at_least: None,
        interval: Some([low - most, high - least]),
        baseline: Some(0.0),
    };
    let belief = if there + elsewhere > 0.0 { there / (there + elsewhere) } else { 0.5 };
    vec![
        Figure::of("people in the table whom a class fits".into(), inside, all, confidence, None),
        Figure::of("outsiders whom a class fits".into(), outside, false, confidence, None),
        advantage,
        Figure {
            baseline: Some(0.5),
            ..Figure::single("belief that who fits is in the table".into(), belief)
        },
    ]
}

/// Made-up persons who are not in the original.
fn outsiders(view: &View<'_>, number: u64, seed: &Seed) -> Vec<Vec<u32>> {
    let people = &view.people;
    let known: FxHashSet<Vec<u32>> = (0..people.counts.len())
        .map(|entry| people.leaves.iter().map(|leaves| leaves[entry]).collect())
        .collect();
    let (ends, records) = (ends(&people.counts), view.records());
    let mut stream = seed.stream(streams::ATTACK_OUTSIDERS);
    let mut drawn = || -> Vec<u32> {
        people
            .leaves
            .iter()
            .map(|leaves| leaves[place(&ends, below(&mut stream, records)) as usize])
            .collect()
    };
    let drawn = (0..number.saturating_mul(TRIES)).map(|_| drawn());
    drawn.filter(|person| !known.contains(person)).take(number as usize).collect()
}
