//! The minimality attack, as figures of a release with a catalog.
//!
//! # Summary
//! What [`crate::risk::minimality`] finds: counterfeits that are located, and how often a guess finds one.
//!
//! # Definition
//! See there. The baseline of a guess is one that does not know the algorithm. Where k counts people and the original shows whose
//! the records of each class are, people are compared with k, each counterfeit being one; else a note says that records are.
//!
//! # Complexity
//! That of the attack, which was run already.
//!
//! # References
//! Wong et al. 2007.
//!
//! # Deviations
//! See `docs/methods/h-ceiling.md`.

use velamen_core::context::Context;

use super::scene::Scene;
use super::{AttackFindings, Entry, Figure, LeftOut};

pub(super) const ENTRY: Entry = Entry {
    name: "minimality",
    summary: "which records are counterfeit, if the adversary knows the algorithm",
    run,
};

fn run(scene: &Scene<'_>, _context: &Context<'_>) -> Result<AttackFindings, LeftOut> {
    let Some(minimal) = &scene.minimal else {
        return Err(LeftOut::because("the release has no catalog of counterfeits"));
    };
    let exposure = &minimal.exposure;
    let share = |part: u64, all: u64| if all == 0 { 0.0 } else { part as f64 / all as f64 };
    let figures = vec![
        Figure::with_base(
            "counterfeits that counting locates",
            share(exposure.located, exposure.counterfeits),
            0.0,
        ),
        Figure::with_base("a guess finds a counterfeit", exposure.guess, exposure.blind_guess),
        match exposure.counts_people {
            true => Figure::with_base(
                "people in classes that are then too small",
                share(exposure.exposed_records, scene.view.people.number()),
                0.0,
            ),
            false => Figure::with_base(
                "records in classes that are then too small",
                share(exposure.exposed_records, scene.view.records()),
                0.0,
            ),
        },
    ];
    let mut found = AttackFindings { figures, ..AttackFindings::default() };
    if minimal.of_records {
        let note = "k counts people, and whose the released records are is not certain: these figures compare records with k, so \
                    that more classes can be too small than they say";
        found.notes.push(note.into());
    }
    if minimal.too_kind {
        let note = "padding is exact and more is asked than k-anonymity: an adversary who looks at which classes would hold \
                    without a record of theirs can locate more than these figures say";
        found.notes.push(note.into());
    }
    Ok(found)
}
