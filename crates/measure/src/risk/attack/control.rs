//! What is learned of persons because they are in the release, and what of anyone.
//!
//! # Summary
//! The same attacks on persons of the original and on a control group: persons of the same population who are not in
//! the release. What works on both is learned of the population; what works better on the original is leaked.
//!
//! # Definition
//! Per attack, with t the rate among targets of the original and c the rate in the control group, the excess is
//! (t − c) / (1 − c): the share of persons of whom the release shows more because they are in it.
//! - *singled out*: exactly one released record fits all quasi-identifiers of the person and has their other values.
//! - *linked*: who knows the first half of the quasi-identifiers and somebody who knows the other half find, together, one
//!   released record.
//! - Where pseudonyms or the original tell whose the released records are, one *person* is singled out or linked by them.
//! - *inferred*: the likeliest value of a sensitive attribute, as in [`super::inference`], is the person's.
//!
//! # Parameters
//! As many persons of each table as [`super::Options`] has targets.
//!
//! # Complexity
//! O(targets · candidates).
//!
//! # References
//! Giomi, Boenisch, Wehmeyer & Tasnádi, PoPETs 2023.
//!
//! # Deviations
//! The paper attacks synthetic records by their distance; here a generalized record fits or does not. Its intervals are
//! Wilson's, propagated; here both rates have Clopper and Pearson's at half the error, and the excess lies between their
//! ends, which is at least as sure.

use velamen_core::context::Context;
use velamen_core::number::count;

use super::beliefs::Belief;
use super::estimate::{Mean, Share};
use super::inference::believed;
use super::scene::{Scene, Targets, View};
use super::whose::OwnValues;
use super::{AttackFindings, Entry, Figure, LeftOut, over};

pub(super) const ENTRY: Entry = Entry {
    name: "control",
    summary: "what is learned about people because they are in the release, beside what is learned about others",
    run,
};

/// What is counted of one table's persons, in the order of the figures.
type Rates = Vec<Mean>;

fn run(scene: &Scene<'_>, context: &Context<'_>) -> Result<AttackFindings, LeftOut> {
    let Some(control) = &scene.control else {
        return Err(LeftOut::because("give records of people who are not in the release: --control TABLE"));
    };
    let targets = scene.targets(context.seed);
    let others = scene.targets_of(control, context.seed);
    if others.of.is_empty() {
        return Err(LeftOut::because("the control group has no record"));
    }
    let ours = rates(&scene.view, &scene.view, &targets, context)?;
    let theirs = rates(control, &scene.view, &others, context)?;
    let names = names(&scene.view);
    let confidence = scene.options.confidence;
    let figures = names.iter().zip(ours.iter().zip(&theirs)).flat_map(|(name, (ours, theirs))| {
        let one =
            |who: &str, mean: &Mean| Figure::of(format!("{name}: {who}"), mean, false, confidence, None);
        [
            one("of the original", ours),
            one("of the control group", theirs),
            excess(name, ours, theirs, confidence),
        ]
    });
    let mut found = AttackFindings::new(figures.collect(), &targets);
    found.notes.push(format!(
        "{} people in the control group; the excess is (original - control) / (1 - control): what is above 0 is leaked, the \
         rest is learned about the population",
        count(others.number())
    ));
    Ok(found)
}

fn names(view: &View<'_>) -> Vec<String> {
    let inferred = view.sensitive.iter().map(|attribute| format!("{} inferred", attribute.name));
    let linked = (view.names.len() > 1).then(|| "linked".to_owned());
    std::iter::once("singled out".to_owned()).chain(linked).chain(inferred).collect()
}

/// (t − c) / (1 − c), and what it can be at the ends of both intervals.
fn excess(name: &str, ours: &Mean, theirs: &Mean, confidence: f64) -> Figure {
    let half = f64::midpoint(1.0, confidence);
    let ([t_low, t_high], [c_low, c_high]) = (ours.interval(false, half), theirs.interval(false, half));
    Figure {
        interval: Some([success(t_low, c_high), success(t_high, c_low)]),
        ..Figure::single(format!("{name}: excess"), success(ours.rate(), theirs.rate()))
    }
}

fn success(t: f64, c: f64) -> f64 {
    if c < 1.0 { ((t - c) / (1.0 - c)).clamp(-1.0, 1.0) } else { 0.0 }
}

/// The rates among a view's persons; what is believed without the release is the original's, `base`.
fn rates(
    view: &View<'_>,
    base: &View<'_>,
    targets: &Targets,
    context: &Context<'_>,
) -> Result<Rates, LeftOut> {
    let beliefs: Vec<Belief> = base.sensitive.iter().map(|attribute| Belief::base(base, attribute)).collect();
    let own: Vec<OwnValues<'_>> =
        view.sensitive.iter().map(|attribute| OwnValues::new(view, attribute)).collect();
    let (first, second) = halves(view.names.len());
    let one = |entry: u32| {
        let linked = (view.names.len() > 1).then(|| is_linked(view, entry, &first, &second));
        let inferred =
            view.sensitive.iter().zip(&beliefs).zip(&own).map(|((attribute, base), own)| {
                believed(view, attribute, base, entry).0.guess(&own.of(entry)).0
            });
        let whole = std::iter::once(is_single(view, entry)).chain(linked).map(Share::of);
        whole.chain(inferred.map(Share::exactly)).collect::<Vec<Share>>()
    };
    let mut means = vec![Mean::default(); names(view).len()];
    over(&targets.of, context, "comparing with the control group", one, |shares, times| {
        means.iter_mut().zip(shares).for_each(|(mean, share)| mean.add(share, times));
    })?;
    Ok(means)
}

fn halves(attributes: usize) -> (Vec<usize>, Vec<usize>) {
    let middle = attributes.div_ceil(2);
    ((0..middle).collect(), (middle..attributes).collect())
}

/// Whether one released record fits the person and has their other values, or the records of one person do where these can be
/// told apart.
fn is_single(view: &View<'_>, entry: u32) -> bool {
    let content = view.people.content[entry as usize];
    let classes = view.classes_of(entry);
    if let Some(linked) = &view.linked {
        return linked.number(&classes, |of| of == content) == 1;
    }
    let held = classes.iter().filter_map(|&class| super::scene::held(&view.classes[class as usize], content));
    held.map(|held| held.count).sum::<u64>() == 1
}

/// Whether what two know of the person, together, fits one released record, or those of one person.
fn is_linked(view: &View<'_>, entry: u32, first: &[usize], second: &[usize]) -> bool {
    let fits = view.person(entry);
    let (one, other) = (fits.classes(first), fits.classes(second));
    let both: Vec<u32> = one.into_iter().filter(|class| other.binary_search(class).is_ok()).collect();
    if let Some(linked) = &view.linked {
        return linked.number(&both, |_| true) == 1;
    }
    let records = |class: &u32| view.classes[*class as usize].iter().map(|held| held.count).sum::<u64>();
    both.iter().map(records).sum::<u64>() == 1
}
