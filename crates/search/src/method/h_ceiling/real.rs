//! What the real records of a class have to meet by themselves: counterfeits do not make people diverse.
//!
//! # Summary
//! A counterfeit is no person. A class of five people with one disease and a counterfeit with another has two values,
//! and whoever knows somebody in it still knows the disease. So every model but the size of classes is judged on the
//! real records of a class, and again on all that are released.
//!
//! # Definition
//! 1. The models are bound to the real records that are kept (to all, where suppressed ones show their values). A class
//!    whose real records fail one is suppressed, and again, until none fails: what is compared with changes.
//! 2. Whoever knows the promise knows that the real records of a class meet it. Of n real records of a value, at most c
//!    can be taken for counterfeit: the most whose removal leaves a class that meets the models. So they conceal c
//!    counterfeits of other classes (Lemma 1), not n: a value that one record alone keeps diverse conceals nothing.
//!
//! 3. Then classes are padded for their size alone. A class that fails a model with its counterfeits, or because those of
//!    others have moved what it is compared with, is suppressed, too, and all is drawn again without it.
//!
//! Where the recipe says `counterfeits-count = true`, as the papers read it, counterfeits stand in for people, and
//! neither holds.
//!
//! # Complexity
//! O(rounds · cells) for 1, O(cells · log records) judgements for 2.
//!
//! # References
//! Lee et al. 2017 leave other models than k-anonymity open; this is ours.

use velamen_core::classes::ClassTable;
use velamen_core::plan::{Counterfeits, Fate};

use super::filler::Filler;
use super::growth::{self, Bind, Grown};
use super::limits::Limits;
use super::pool::Cells;
use crate::model::people::{self, Tally};
use crate::model::{Bound, Class, Judge};

impl<'a> Filler<'a> {
    /// What becomes of the classes: those of too few people are suppressed, and those whose real records fail a model.
    pub(super) fn fates(&self, classes: &ClassTable, limits: &Limits) -> Vec<Fate> {
        self.settled(classes, limits.fates(classes))
    }

    /// The same, where some classes are suppressed already.
    pub(super) fn settled(&self, classes: &ClassTable, mut fates: Vec<Fate>) -> Vec<Fate> {
        while let Some(models) = self.alone(classes, &fates) {
            let failing = failing(classes, &fates, &models);
            if failing.is_empty() {
                break;
            }
            failing.into_iter().for_each(|class| fates[class] = Fate::Suppress);
        }
        fates
    }

    /// The kept classes that fail a model with their counterfeits, by what is released of all; none where padding goes on
    /// until there are none.
    pub(super) fn spoilt(
        &self,
        classes: &ClassTable,
        fates: &[Fate],
        counterfeits: &[Counterfeits],
    ) -> Vec<usize> {
        let Some(bind) = self.models.filter(|_| !self.grows) else { return Vec::new() };
        let mut released = self.shown(classes, fates);
        let drawn = counterfeits.iter().flat_map(|of| &of.values);
        drawn.for_each(|&(value, count)| released.add(value, count));
        let kept = (0..classes.len()).filter(|&class| fates[class] == Fate::Keep);
        let Ok(models) = bind(&released) else { return kept.collect() };
        let fails =
            |&class: &usize| !growth::holds(&models, &Grown::beside(classes, class as u32, counterfeits));
        kept.filter(fails).collect()
    }

    /// The models that real records meet by themselves, bound to those of the kept classes; `None` where there are none.
    /// What cannot be bound to so few of the values is met by no class, which the first binding to all rules out.
    fn alone(&self, classes: &ClassTable, fates: &[Fate]) -> Option<Vec<Bound>> {
        let bind: &Bind<'a> = self.models.filter(|_| !self.counterfeits_count)?;
        let of_values = |bound: &Bound| bound.column.is_some() && matches!(bound.judge, Judge::Class(_));
        let bound = bind(&self.shown(classes, fates)).ok()?;
        Some(bound.into_iter().filter(of_values).collect())
    }

    /// What the sensitive attribute comes to in the real records that show it.
    pub(super) fn shown(&self, classes: &ClassTable, fates: &[Fate]) -> Tally {
        let shown = || (0..classes.len()).filter(|&class| !self.hides || fates[class] == Fate::Keep);
        if classes.counts_people() {
            let mut pairs = if self.hides { Vec::new() } else { self.apart_pairs.clone() };
            pairs.extend(shown().flat_map(|class| classes.pairs(class)));
            pairs.sort_unstable();
            pairs.dedup();
            return Tally::of_people(&pairs, self.apart.len());
        }
        let mut counts = if self.hides { vec![0; self.apart.len()] } else { self.apart.clone() };
        let cells = shown().flat_map(|class| classes.sensitive(class));
        cells.for_each(|&(value, count)| counts[value as usize] += count);
        Tally::of_records(counts)
    }

    /// What the records of the classes conceal, of suppressed ones nothing; `None` where that is all of them. `possible`:
    /// the classes without the values that no counterfeit can have, where there are any.
    pub(super) fn concealing(
        &self,
        (classes, possible): (&ClassTable, Option<ClassTable>),
        fates: &[Fate],
    ) -> Option<ClassTable> {
        let Some(models) = self.alone(classes, fates) else { return possible };
        let kept = possible.as_ref().unwrap_or(classes).emptied(|class| fates[class] == Fate::Suppress);
        let own: Vec<Own> = (0..kept.len()).map(|class| Own::of(classes, class)).collect();
        Some(kept.at_most(|class, cell| own[class].spare(cell, &models)))
    }
}

impl Filler<'_> {
    /// Where counterfeits stand in for people: the kept classes whose real records fail a model by themselves, and the
    /// people of these classes.
    pub(super) fn stood_in_for(&self, classes: &ClassTable, fates: &[Fate]) -> (u64, u64) {
        let alone = Self { counterfeits_count: false, ..self.clone() };
        let models = alone.alone(classes, fates).unwrap_or_default();
        let failing = failing(classes, fates, &models);
        (failing.len() as u64, failing.iter().map(|&class| classes.people(class)).sum())
    }
}

/// The kept classes whose real records fail a model.
fn failing(classes: &ClassTable, fates: &[Fate], models: &[Bound]) -> Vec<usize> {
    let kept = (0..classes.len()).filter(|&class| fates[class] == Fate::Keep);
    kept.filter(|&class| !Own::of(classes, class).meets(models)).collect()
}

/// The real records of a class: its people, how many have each value, and whose the values are where a person can have
/// several.
#[derive(Debug, Clone)]
struct Own {
    people: u64,
    cells: Cells,
    pairs: Vec<(u32, u32)>,
}

impl Own {
    fn of(classes: &ClassTable, class: usize) -> Self {
        match classes.counts_people() {
            true => Self::of_people(classes.pairs(class).to_vec()),
            false => Self::of_records(classes.sensitive(class).to_vec()),
        }
    }

    fn of_records(cells: Cells) -> Self {
        Self { people: cells.iter().map(|cell| cell.1).sum(), cells, pairs: Vec::new() }
    }

    fn of_people(pairs: Vec<(u32, u32)>) -> Self {
        let mut cells = Cells::new();
        people::had(&pairs, &mut cells);
        Self { people: people::number(&pairs), cells, pairs }
    }

    /// Without so many records of a value, or so many people's.
    fn without(&self, value: u32, count: u64) -> Self {
        if self.pairs.is_empty() {
            let left = |&(other, n): &(u32, u64)| (other, if other == value { n - count } else { n });
            return Self::of_records(self.cells.iter().map(left).filter(|cell| cell.1 > 0).collect());
        }
        let of_value = self.pairs.iter().enumerate().filter(|(_, pair)| pair.1 == value).map(|(at, _)| at);
        let gone: Vec<usize> = of_value.take(count as usize).collect();
        let left = self.pairs.iter().enumerate().filter(|(at, _)| gone.binary_search(at).is_err());
        Self::of_people(left.map(|(_, pair)| *pair).collect())
    }

    /// Whether what models ask of values holds of them; of nobody it does not.
    fn meets(&self, models: &[Bound]) -> bool {
        let class = Class { pairs: &self.pairs, ..Class::new(self.people, &self.cells) };
        self.people > 0 && models.iter().all(|bound| holds(bound, &class))
    }

    /// The most of so many records of a value that can be taken for counterfeit: all of them where the others meet the
    /// models, otherwise as many as bisection finds.
    fn spare(&self, (value, count): (u32, u64), models: &[Bound]) -> u64 {
        let had = self.cells.iter().find(|cell| cell.0 == value).map_or(0, |cell| cell.1);
        if self.without(value, had).meets(models) {
            return count;
        }
        let (mut most, mut too_many) = (0, had);
        while too_many - most > 1 {
            let middle = most + (too_many - most) / 2;
            match self.without(value, middle).meets(models) {
                true => most = middle,
                false => too_many = middle,
            }
        }
        most
    }
}

/// Whether what a model asks of values holds of a class; of all classes together it asks for sizes alone.
fn holds(bound: &Bound, class: &Class<'_>) -> bool {
    match &bound.judge {
        Judge::Class(model) => model.holds_of_values(class),
        Judge::Table(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::model::{Monotonicity, bound};

    fn models(name: &str, parameters: Value) -> Vec<Bound> {
        let judge = Judge::Class(bound(name, parameters, &[10, 10, 10]));
        vec![Bound { judge, column: Some(0), monotonicity: Monotonicity::None, population: false }]
    }

    fn spares(own: &Own, models: &[Bound]) -> Vec<u64> {
        own.cells.iter().map(|&cell| own.spare(cell, models)).collect()
    }

    #[test]
    fn a_value_that_one_record_keeps_diverse_conceals_nothing() {
        let models = models("distinct-l-diversity", json!({ "l": 2 }));
        assert_eq!(spares(&Own::of_records(vec![(0, 4), (1, 1)]), &models), [3, 0]);
        // With a third value each of them can go.
        assert_eq!(spares(&Own::of_records(vec![(0, 4), (1, 1), (2, 1)]), &models), [4, 1, 1]);
        // The size of a class is no matter of values.
        let both = self::models("alpha-k-anonymity", json!({ "alpha": 0.75, "k": 50 }));
        assert_eq!(spares(&Own::of_records(vec![(0, 4), (1, 2)]), &both), [3, 0]);
    }

    #[test]
    fn of_people_it_is_people_who_stay_diverse() {
        let models = models("distinct-l-diversity", json!({ "l": 2 }));
        // Four people with F32 only, and one with that and another: her other value keeps them diverse.
        let pairs = (0..5).map(|person| (person, 0)).chain([(4, 1)]).collect::<Vec<_>>();
        let mut pairs = pairs;
        pairs.sort_unstable();
        let own = Own::of_people(pairs);
        assert!(!own.meets(&models), "everybody has F32");
        let two = Own::of_people(vec![(0, 0), (1, 0), (2, 1)]);
        assert!(two.meets(&models));
        assert_eq!(spares(&two, &models), [1, 0]);
    }

    #[test]
    fn bisection_finds_the_most() {
        let all = [
            models("distinct-l-diversity", json!({ "l": 2 })),
            models("entropy-l-diversity", json!({ "l": 1.9 })),
            models("recursive-cl-diversity", json!({ "c": 2.0, "l": 2 })),
            models("alpha-k-anonymity", json!({ "alpha": 0.6, "k": 2 })),
        ];
        let (mut none, mut some) = (0, 0);
        for models in &all {
            for (a, b, c) in (1..7).flat_map(|a| (1..7).flat_map(move |b| (0..4).map(move |c| (a, b, c)))) {
                let cells: Cells = [(0, a), (1, b), (2, c)].into_iter().filter(|cell| cell.1 > 0).collect();
                let own = Own::of_records(cells.clone());
                if !own.meets(models) {
                    continue;
                }
                for cell in cells {
                    let left = own.spare(cell, models);
                    // Of a model that more removed records can mend, all may go although some may not.
                    let most =
                        (0..=cell.1).rev().find(|&n| own.without(cell.0, n).meets(models)).unwrap_or(0);
                    assert!(left <= most, "{cell:?} of {own:?}");
                    assert!(own.without(cell.0, left).meets(models), "{cell:?} of {own:?}");
                    none += usize::from(left == 0);
                    some += usize::from(left > 0 && left < cell.1);
                }
            }
        }
        assert!(none > 20 && some > 50, "{none} {some}");
    }
}
