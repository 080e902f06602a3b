//! Telling counterfeits: which records does an adversary take for counterfeit, and for a person's own?
//!
//! # Summary
//! The figures of [`crate::risk::adversary`] on a release with a catalog.
//!
//! # Definition
//! See there. The baseline is chance: ½ of two records, or 1/m in a class of m. Where a person can have several records, areas are
//! over records, and any record of a person is the right one.
//!
//! # Complexity
//! That of the adversary, twice: once as knowing some real records.
//!
//! # References
//! See there.
//!
//! # Deviations
//! See there.

use velamen_core::context::Context;
use velamen_core::number::count;

use super::scene::{Guessed, Scene};
use super::{AttackFindings, Entry, Figure, LeftOut};
use crate::risk::adversary::Matched;

pub(super) const ENTRY: Entry =
    Entry { name: "counterfeits", summary: "which records are likely counterfeit", run };

fn run(scene: &Scene<'_>, context: &Context<'_>) -> Result<AttackFindings, LeftOut> {
    let (sight, counterfeits, people) = match &scene.guessed {
        Guessed::None => return Err(LeftOut::because("the release has no counterfeits")),
        Guessed::Unknown => {
            let why = "classes overlap, so that the original does not tell which records are counterfeit; custodian.json \
                       has the figures";
            return Err(LeftOut::because(why));
        }
        Guessed::Known(sight, counterfeits, people) => (sight, counterfeits, people),
    };
    let told = sight.figures(counterfeits, people.as_deref(), context)?;
    let areas = [
        ("AUC, all records", told.auc),
        ("AUC, classes that can hold counterfeits", told.auc_where_possible),
        ("AUC, by counting alone", told.auc_by_counting),
        ("AUC, by one number of a class", told.auc_by_one_number),
        ("AUC, as the adversary expects by the release alone", told.auc_expected),
        ("AUC, classes of at most k + 6 records", told.auc_in_small_classes),
        ("AUC, three in ten real records known", told.auc_knowing_some),
    ];
    let mut figures: Vec<Figure> =
        areas.iter().filter_map(|(what, area)| Some(Figure::with_base(what, (*area)?, 0.5))).collect();
    let matched = [
        ("right record of a person alone in a class", told.alone),
        match told.counts_people {
            true => ("right record of a person in a class of fewer than k people", told.fewer_than_k),
            false => ("right record of a person among fewer than k real ones", told.fewer_than_k),
        },
    ];
    let some = matched.iter().filter(|(_, matched)| matched.persons > 0);
    figures.extend(
        some.map(|(what, Matched { right, by_chance, .. })| Figure::with_base(what, *right, *by_chance)),
    );
    if told.alone.persons > 0 {
        figures.push(Figure::with_base(
            "belief in the own record of a person alone",
            told.alone_posterior,
            told.alone.by_chance,
        ));
    }
    let mut found = AttackFindings { figures, ..AttackFindings::default() };
    let few = if told.counts_people {
        "in classes of fewer than k people"
    } else {
        "among fewer than k real records"
    };
    found.notes.push(format!(
        "{} persons are alone in a class and {} {few}; {} records of padded classes have a value \
         without a row of the catalog and are real for sure",
        count(told.alone.persons),
        count(told.fewer_than_k.persons),
        count(told.surely_real)
    ));
    found
        .notes
        .extend(told.effective_k.map(|k| format!("a person alone in a class is protected as by k = {k:.1}")));
    Ok(found)
}
