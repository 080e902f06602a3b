//! Background knowledge: what is left once an adversary can exclude something.
//!
//! # Summary
//! Who knows that a person does not have some sensitive values, or knows the values of others in its class,
//! is left with fewer.
//!
//! # Definition
//! As [`super::inference`], after the knowledge that helps most: the j likeliest values that are not the
//! person's are excluded; or the values of j other persons among the candidates are known, those that leave
//! the fewest others beside the person's value. Under ℓ distinct values no j below ℓ − 1 excluded values
//! make certain.
//!
//! # Complexity
//! O(targets · (candidates + values · log values)).
//!
//! # References
//! Machanavajjhala et al. 2007; Martin et al. 2007 for the worst case of background knowledge.
//!
//! # Deviations
//! Only these two kinds of knowledge; Martin et al. look at implications between any persons.

use velamen_core::context::Context;

use super::beliefs::Belief;
use super::estimate::{Mean, Share};
use super::inference::believed;
use super::scene::{Held, Scene, Sensitive, View};
use super::{AttackFindings, Entry, Figure, LeftOut, over};

pub(super) const ENTRY: Entry = Entry {
    name: "background",
    summary: "the same, if the adversary can exclude values or knows others in the class",
    run,
};

fn run(scene: &Scene<'_>, context: &Context<'_>) -> Result<AttackFindings, LeftOut> {
    let targets = scene.targets(context.seed);
    let confidence = scene.options.confidence;
    let mut found = AttackFindings::new(Vec::new(), &targets);
    for attribute in &scene.view.sensitive {
        for known in 1..=scene.options.background {
            let means = knowing(scene, attribute, known, &targets.of, context)?;
            let figure = |what: String, mean: &Mean, base: Option<&Mean>| {
                let what = format!("{}: {what}", attribute.name);
                Figure::of(what, mean, targets.all, confidence, base.map(Mean::rate))
            };
            let [right, certain, base, by_others, certain_by_others] = &means;
            let (values, others) = (of("value", known), of("other person", known));
            found.figures.extend([
                figure(format!("{values} excluded: right"), right, Some(base)),
                figure(format!("{values} excluded: certain"), certain, None),
                figure(format!("{others} known: right"), by_others, None),
                figure(format!("{others} known: certain"), certain_by_others, None),
            ]);
        }
    }
    if found.figures.is_empty() {
        return Err(LeftOut::because("there is no sensitive attribute, or nothing is to be known"));
    }
    Ok(found)
}

fn of(what: &str, number: u64) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn knowing(
    scene: &Scene<'_>,
    attribute: &Sensitive,
    known: u64,
    targets: &[(u32, u64)],
    context: &Context<'_>,
) -> Result<[Mean; 5], LeftOut> {
    let view = &scene.view;
    let base = Belief::base(view, attribute);
    let mut means = [Mean::default(); 5];
    let one = |entry: u32| one(view, attribute, &base, entry, known);
    over(targets, context, "excluding", one, |shares: [f64; 5], times| {
        means.iter_mut().zip(shares).for_each(|(mean, share)| mean.add(Share::exactly(share), times));
    })?;
    Ok(means)
}

fn one(view: &View<'_>, attribute: &Sensitive, base: &Belief, entry: u32, known: u64) -> [f64; 5] {
    let value = attribute.of[view.people.content[entry as usize] as usize];
    let (belief, found) = believed(view, attribute, base, entry);
    let share = |yes: bool| f64::from(u8::from(yes));
    let (right, alone) = belief.without_others(value, known as usize).guess(value);
    let base_right = base.without_others(value, known as usize).guess(value).0;
    let (by_others, alone_by_others) = match counts(view.candidates(entry), attribute, value) {
        Some((own, others)) => after_others(own, &others, known),
        // Among others' records there is nothing to strike out that would show this value.
        None if found => (0.0, false),
        None => (base.guess(value).0, false),
    };
    [right, share(alone && found && right > 0.0), base_right, by_others, share(alone_by_others)]
}

/// The candidates with a person's value, and those of each other; `None` where none has the person's.
fn counts(candidates: Vec<&Held>, attribute: &Sensitive, value: u32) -> Option<(u64, Vec<u64>)> {
    let mut by_value = std::collections::BTreeMap::new();
    for held in candidates {
        *by_value.entry(attribute.of[held.content as usize]).or_insert(0u64) += held.count;
    }
    let own = by_value.remove(&value)?;
    Some((own, by_value.into_values().collect()))
}

/// What a guess comes to once so many records of other values are struck out, the most harmful ones:
/// the probability that it is right, and whether no other value is left.
fn after_others(own: u64, others: &[u64], known: u64) -> (f64, bool) {
    let all: u64 = others.iter().sum();
    // Strike out what is more frequent than the person's value, then what is as frequent.
    let more: u64 = others.iter().map(|other| other.saturating_sub(own)).sum();
    let tied = others.iter().filter(|other| **other >= own).count() as u64;
    let right = match known.checked_sub(more) {
        None => 0.0,
        Some(left) => 1.0 / (1 + tied.saturating_sub(left)) as f64,
    };
    (right, all <= known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_struck_out_where_it_helps_most() {
        // Two records of the person's value, others 4, 2, 1: two to strike until 2, 2, 1, then ties.
        let after = |known| after_others(2, &[4, 2, 1], known);
        assert_eq!([0, 1, 2, 3, 4].map(|known| after(known).0), [0.0, 0.0, 1.0 / 3.0, 0.5, 1.0]);
        assert_eq!([6, 7].map(|known| after(known).1), [false, true]);
        assert_eq!(after_others(1, &[], 0), (1.0, true));
    }
}
