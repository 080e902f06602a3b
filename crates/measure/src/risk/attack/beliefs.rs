//! What the candidates' sensitive values tell of a person.

use std::collections::{BTreeMap, BTreeSet};

use super::scene::{Held, Sensitive, View};

/// Beliefs that differ by less are equal.
pub(crate) const ROUNDING: f64 = 1e-12;

/// A belief by value, ascending by value; values that are not believed are left out.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Belief(pub(crate) Vec<(u32, f64)>);

impl Belief {
    /// From weights, which need not sum to 1; nothing where all are 0.
    pub(crate) fn new(weights: BTreeMap<u32, f64>) -> Self {
        let sum: f64 = weights.values().sum();
        let believed = weights.into_iter().filter(|(_, weight)| *weight > ROUNDING * sum && sum > 0.0);
        Self(believed.map(|(value, weight)| (value, weight / sum)).collect())
    }

    /// That of records.
    pub(crate) fn among<'h>(records: impl IntoIterator<Item = &'h Held>, attribute: &Sensitive) -> Self {
        let mut weights = BTreeMap::new();
        for held in records {
            *weights.entry(attribute.of[held.content as usize]).or_insert(0.0) +=
                held.count as f64 * held.real;
        }
        Self::new(weights)
    }

    /// That of who knows all quasi-identifiers of an entry: shares of the candidates, or of their people where these can be told
    /// apart, of whom each value counts, once.
    /// Nothing where all candidates are suppressed and show no value.
    pub(crate) fn of_candidates(view: &View<'_>, attribute: &Sensitive, entry: u32) -> Self {
        let classes = view.classes_of(entry);
        if view.blank && classes.is_empty() {
            return Self::default();
        }
        let Some(linked) = &view.linked else { return Self::among(view.candidates(entry), attribute) };
        let value = |content: u32| attribute.of[content as usize];
        let mut distinct: BTreeMap<(u32, u32), f64> = BTreeMap::new();
        for has in linked.among(&classes) {
            let real = distinct.entry((has.person, value(has.content))).or_default();
            *real = real.max(has.real);
        }
        let mut weights = BTreeMap::new();
        distinct.into_iter().for_each(|((_, value), real)| *weights.entry(value).or_insert(0.0) += real);
        Self::new(weights)
    }

    /// The original's distribution: what is believed of anyone without the release. Of a person with several records every
    /// value counts, once.
    pub(crate) fn base(view: &View<'_>, attribute: &Sensitive) -> Self {
        let mut weights = BTreeMap::new();
        if !view.people.whose.is_empty() {
            let value = |content: &u32| attribute.of[*content as usize];
            let pairs = view.people.whose.iter().copied().zip(view.people.content.iter().map(value));
            let distinct: BTreeSet<(u32, u32)> = pairs.collect();
            distinct.into_iter().for_each(|(_, value)| *weights.entry(value).or_insert(0.0) += 1.0);
            return Self::new(weights);
        }
        for (&content, &count) in view.people.content.iter().zip(&view.people.counts) {
            *weights.entry(attribute.of[content as usize]).or_insert(0.0) += count as f64;
        }
        Self::new(weights)
    }

    /// All values of a belief believed alike.
    pub(crate) fn even(belief: &Self) -> Self {
        Self::new(belief.0.iter().map(|&(value, _)| (value, 1.0)).collect())
    }

    pub(crate) fn of(&self, value: u32) -> f64 {
        self.0.binary_search_by_key(&value, |belief| belief.0).map_or(0.0, |at| self.0[at].1)
    }

    /// Whether all values that are believed have one parent in the attribute's hierarchy.
    pub(crate) fn is_of_one_parent(&self, attribute: &Sensitive) -> bool {
        let mut parents = self.0.iter().map(|(value, _)| attribute.parents.get(value));
        parents.next().flatten().is_some_and(|first| parents.all(|other| other == Some(first)))
    }

    /// The probability that a guess at the likeliest value is one of a person's, each of which is right, and whether nothing else
    /// is left.
    pub(crate) fn guess(&self, values: &[u32]) -> (f64, bool) {
        let most = self.0.iter().map(|belief| belief.1).fold(0.0, f64::max);
        let likeliest = || self.0.iter().filter(|belief| belief.1 >= most - ROUNDING);
        let hits = likeliest().filter(|belief| values.contains(&belief.0)).count();
        (hits as f64 / likeliest().count().max(1) as f64, self.0.len() == 1)
    }

    /// The belief of who knows that so many of the likeliest other values are not the person's.
    pub(crate) fn without_others(&self, values: &[u32], number: usize) -> Self {
        let (own, mut others): (Vec<_>, Vec<_>) =
            self.0.iter().copied().partition(|belief| values.contains(&belief.0));
        others.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Self::new(others.into_iter().skip(number).chain(own).collect())
    }

    /// What follows from two independent sights of one person, whose base rates are known.
    pub(crate) fn and(&self, other: &Self, base: &Self) -> Self {
        let both = |&(value, belief): &(u32, f64)| {
            (value, belief * other.of(value) / base.of(value).max(f64::MIN_POSITIVE))
        };
        Self::new(self.0.iter().filter(|belief| other.of(belief.0) > 0.0).map(both).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn belief(weights: &[(u32, f64)]) -> Belief {
        Belief::new(weights.iter().copied().collect())
    }

    #[test]
    fn guesses_share_ties() {
        let found = belief(&[(1, 2.0), (4, 2.0), (9, 1.0)]);
        assert_eq!(
            (found.guess(&[1]), found.guess(&[9]), found.guess(&[7])),
            ((0.5, false), (0.0, false), (0.0, false))
        );
        assert_eq!(belief(&[(3, 5.0), (4, 0.0)]).guess(&[3]), (1.0, true));
        assert_eq!(belief(&[]).guess(&[3]), (0.0, false));
        assert_eq!(found.guess(&[1, 4]), (1.0, false), "either is right");
    }

    #[test]
    fn values_of_one_parent_are_alike() {
        let parents = BTreeMap::from([(1, 7), (2, 7), (3, 8)]);
        let attribute = Sensitive { name: "s".into(), of: Vec::new(), parents };
        let is = |values: &[(u32, f64)]| belief(values).is_of_one_parent(&attribute);
        assert!(is(&[(1, 1.0), (2, 9.0)]) && is(&[(3, 1.0)]));
        assert!(!is(&[(1, 1.0), (3, 1.0)]) && !is(&[(1, 1.0), (4, 1.0)]) && !is(&[(4, 1.0)]) && !is(&[]));
    }

    #[test]
    fn what_is_excluded_is_the_likeliest_of_the_others() {
        let found = belief(&[(1, 4.0), (2, 3.0), (3, 2.0), (4, 1.0)]);
        let left = found.without_others(&[3], 1);
        assert!(
            (left.of(2) - 0.5).abs() < 1e-12 && (left.of(3) - 1.0 / 3.0).abs() < 1e-12 && left.of(1) <= 0.0
        );
        assert_eq!(found.without_others(&[3], 2).guess(&[3]), (1.0, false));
        assert_eq!(found.without_others(&[3], 3).guess(&[3]), (1.0, true));
        assert_eq!(found.without_others(&[1, 3], 2), belief(&[(1, 4.0), (3, 2.0)]));
    }

    #[test]
    fn two_sights_leave_what_both_have() {
        let base = belief(&[(1, 1.0), (2, 1.0), (3, 2.0)]);
        let joint = belief(&[(1, 1.0), (3, 1.0)]).and(&belief(&[(2, 1.0), (3, 1.0)]), &base);
        assert_eq!(joint, belief(&[(3, 1.0)]));
        // ½·½/¼ against ½·½/½.
        assert_eq!(
            belief(&[(1, 1.0), (3, 1.0)]).and(&belief(&[(1, 1.0), (3, 1.0)]), &base).guess(&[1]),
            (1.0, false)
        );
    }
}
