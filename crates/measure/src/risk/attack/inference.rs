//! Homogeneity and skewness: what is a person's sensitive value?
//!
//! # Summary
//! Who knows all quasi-identifiers of a person takes the most frequent sensitive value of the records that
//! fit for the person's.
//!
//! # Definition
//! The belief in a value is its share among the candidates (see [`super::linkage`]), each counted by the
//! share of it that the catalog leaves real: for a row (G, s, c) 1 − c / released records of s in G. Where
//! nothing fits and nothing is suppressed, the adversary falls back on the base rates of the original.
//! - *right*: the value believed most is the person's; ties share.
//! - *certain*: only one value is left.
//! - *certain of one parent*: all values that are left have one parent in the attribute's hierarchy, or one is left; only where the
//!   manifest states a hierarchy. Whoever knows it knows what kind of disease a person has, if not which.
//! - *belief*: what the person's own value is believed; its *gain* is over the base rate.
//!
//! The baseline is the same adversary with the original's base rates alone.
//!
//! Where a person can have several records, one of them, drawn at random, is known, and every value of hers is right; base rates are
//! shares of people. Pseudonyms or the original can show whose the released records are. Then the belief in a value is the share of
//! the candidates' people who have it in any record, scaled to sum to 1: so the models count. A counterfeit is a person of its own.
//! Elsewhere beliefs are shares of records.
//!
//! # Complexity
//! O(targets · candidates).
//!
//! # References
//! Machanavajjhala et al. 2007 (homogeneity); Li, Li & Venkatasubramanian 2007 (skewness, similarity).
//!
//! # Deviations
//! None.

use velamen_core::context::Context;

use super::beliefs::{Belief, ROUNDING};
use super::estimate::{Mean, Share};
use super::scene::{Scene, Sensitive, Targets, View};
use super::whose::OwnValues;
use super::{AttackFindings, Entry, Figure, LeftOut, over};

pub(super) const ENTRY: Entry =
    Entry { name: "inference", summary: "what a person's sensitive value is", run };

fn run(scene: &Scene<'_>, context: &Context<'_>) -> Result<AttackFindings, LeftOut> {
    let targets = scene.targets(context.seed);
    let mut found = AttackFindings::new(Vec::new(), &targets);
    for attribute in &scene.view.sensitive {
        let seen = seen(&scene.view, attribute, &targets, context)?;
        found.figures.extend(seen.figures(attribute, &targets, scene.options.confidence));
        found.worst = found.worst.or(seen.worst.map(|(entry, _)| entry));
    }
    if found.figures.is_empty() {
        return Err(LeftOut::because("the release has no sensitive attribute"));
    }
    Ok(found)
}

/// What an adversary believes of a person, base rates where nothing is found.
pub(super) fn believed(view: &View<'_>, attribute: &Sensitive, base: &Belief, entry: u32) -> (Belief, bool) {
    let belief = Belief::of_candidates(view, attribute, entry);
    if belief.0.is_empty() { (base.clone(), false) } else { (belief, true) }
}

#[derive(Default)]
struct Seen {
    right: Mean,
    base_right: Mean,
    certain: Mean,
    certain_right: Mean,
    similar: Mean,
    belief: Mean,
    base_belief: Mean,
    /// The person of the largest gain.
    worst: Option<(u32, f64)>,
}

/// One person: whether a guess is right, with and without the release, and the like.
struct One {
    entry: u32,
    right: f64,
    base_right: f64,
    certain: bool,
    similar: bool,
    belief: f64,
    base_belief: f64,
}

fn seen(
    view: &View<'_>,
    attribute: &Sensitive,
    targets: &Targets,
    context: &Context<'_>,
) -> Result<Seen, LeftOut> {
    let (base, own) = (Belief::base(view, attribute), OwnValues::new(view, attribute));
    let one = |entry: u32| {
        let values = own.of(entry);
        let (belief, found) = believed(view, attribute, &base, entry);
        let (right, alone) = belief.guess(&values);
        let of_all = |belief: &Belief| values.iter().map(|&value| belief.of(value)).sum();
        One {
            entry,
            right,
            base_right: base.guess(&values).0,
            certain: alone && found,
            similar: found && (alone || belief.is_of_one_parent(attribute)),
            belief: of_all(&belief),
            base_belief: of_all(&base),
        }
    };
    let mut seen = Seen::default();
    over(&targets.of, context, "inferring", one, |one, times| seen.add(&one, times))?;
    Ok(seen)
}

impl Seen {
    fn add(&mut self, one: &One, times: u64) {
        self.right.add(Share::exactly(one.right), times);
        self.base_right.add(Share::exactly(one.base_right), times);
        self.certain.add(Share::of(one.certain), times);
        self.certain_right.add(Share::of(one.certain && one.right > 0.0), times);
        self.similar.add(Share::of(one.similar), times);
        self.belief.add(Share::exactly(one.belief), times);
        self.base_belief.add(Share::exactly(one.base_belief), times);
        let gain = one.belief - one.base_belief;
        if self.worst.is_none_or(|(_, largest)| gain > largest + ROUNDING) {
            self.worst = Some((one.entry, gain));
        }
    }

    fn figures(&self, attribute: &Sensitive, targets: &Targets, confidence: f64) -> Vec<Figure> {
        let figure = |what: &str, mean: &Mean, base: Option<f64>| {
            Figure::of(format!("{}: {what}", attribute.name), mean, targets.all, confidence, base)
        };
        let gain = self.worst.map_or(0.0, |(_, gain)| gain);
        let has_parents = !attribute.parents.is_empty();
        let similar = has_parents.then(|| figure("certain of one parent", &self.similar, Some(0.0)));
        let before = [
            figure("the likeliest value is right", &self.right, Some(self.base_right.rate())),
            figure("certain of one value", &self.certain, Some(0.0)),
            figure("certain, and right", &self.certain_right, Some(0.0)),
        ];
        let after = [
            figure("belief in the right value", &self.belief, Some(self.base_belief.rate())),
            Figure::single(format!("{}: the largest gain of belief", attribute.name), gain),
        ];
        before.into_iter().chain(similar).chain(after).collect()
    }
}
