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
//! Where a person can have several records, all her values are right. Where pseudonyms or the original tell whose the released records
//! are, others are people: one of several values counts at that which most people have, and who has a value of the person's is never
//! struck out.
//!
//! # Complexity
//! O(targets · (candidates + values · log values)).
//!
//! # References
//! Machanavajjhala et al. 2007; Martin et al. 2007 for the worst case of background knowledge.
//!
//! # Deviations
//! Only these two kinds of knowledge; Martin et al. look at implications between any persons.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use velamen_core::context::Context;

use super::beliefs::Belief;
use super::estimate::{Mean, Share};
use super::inference::believed;
use super::linked::Linked;
use super::scene::{Scene, Sensitive, View};
use super::whose::OwnValues;
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
    let known = Knowing {
        view: &scene.view,
        attribute,
        base: Belief::base(&scene.view, attribute),
        own: OwnValues::new(&scene.view, attribute),
        known,
    };
    let mut means = [Mean::default(); 5];
    over(
        targets,
        context,
        "excluding",
        |entry| known.of(entry),
        |shares: [f64; 5], times| {
            means.iter_mut().zip(shares).for_each(|(mean, share)| mean.add(Share::exactly(share), times));
        },
    )?;
    Ok(means)
}

/// Who knows so many values that are not a person's, or so many others.
struct Knowing<'v> {
    view: &'v View<'v>,
    attribute: &'v Sensitive,
    base: Belief,
    own: OwnValues<'v>,
    known: u64,
}

impl Knowing<'_> {
    /// What the guess at one person's value comes to, in the order of the figures.
    fn of(&self, entry: u32) -> [f64; 5] {
        let (values, known) = (self.own.of(entry), self.known);
        let (belief, found) = believed(self.view, self.attribute, &self.base, entry);
        let share = |yes: bool| f64::from(u8::from(yes));
        let (right, alone) = belief.without_others(&values, known as usize).guess(&values);
        let base_right = self.base.without_others(&values, known as usize).guess(&values).0;
        let (by_others, alone_by_others) = match self.counts(entry, &values) {
            Some((own, others)) => after_others(own, &others, known),
            // Among others' records there is nothing to strike out that would show this value.
            None if found => (0.0, false),
            None => (self.base.guess(&values).0, false),
        };
        [right, share(alone && found && right > 0.0), base_right, by_others, share(alone_by_others)]
    }

    /// The candidates with that of a person's values that most have, and those of each value that is not hers; `None` where none
    /// has one of the person's.
    fn counts(&self, entry: u32, values: &[u32]) -> Option<(u64, Vec<u64>)> {
        let mut by_value = match &self.view.linked {
            Some(linked) => self.people(linked, entry, values),
            None => self.records(entry),
        };
        let own = values.iter().filter_map(|value| by_value.remove(value)).max()?;
        Some((own, by_value.into_values().collect()))
    }

    fn records(&self, entry: u32) -> BTreeMap<u32, u64> {
        let mut by_value = BTreeMap::new();
        for held in self.view.candidates(entry) {
            *by_value.entry(self.attribute.of[held.content as usize]).or_insert(0u64) += held.count;
        }
        by_value
    }

    /// Each of the candidates' people once: at a value of the person's, or at that which most people have.
    fn people(&self, linked: &Linked, entry: u32, values: &[u32]) -> BTreeMap<u32, u64> {
        let classes = self.view.classes_of(entry);
        let value = |content: u32| self.attribute.of[content as usize];
        let pairs: BTreeSet<(u32, u32)> =
            linked.among(&classes).map(|has| (has.person, value(has.content))).collect();
        let mut had: BTreeMap<u32, u64> = BTreeMap::new();
        pairs.iter().for_each(|pair| *had.entry(pair.1).or_default() += 1);
        let pairs: Vec<(u32, u32)> = pairs.into_iter().collect();
        let mut by_value = BTreeMap::new();
        for one in pairs.chunk_by(|a, b| a.0 == b.0) {
            let of_one = one.iter().map(|pair| pair.1);
            let at = of_one.max_by_key(|value| (values.contains(value), had[value], Reverse(*value)));
            if let Some(value) = at {
                *by_value.entry(value).or_insert(0) += 1;
            }
        }
        by_value
    }
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
