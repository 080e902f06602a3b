//! A release of the plan beside what is known of it.

use velamen_assess::guide::{Kind, PlannedRelease};
use velamen_report::language::mark;

use crate::candidate::{Candidate, Measured};

/// What a release is called.
pub(super) fn title(kind: Kind) -> &'static str {
    match kind {
        Kind::Stricter => mark("Stricter"),
        Kind::AsAsked => mark("As you asked"),
        Kind::MoreDetail => mark("More detail"),
        Kind::ByHalves => mark("More detail, by halves"),
        Kind::Invented => mark("Invented records"),
        Kind::InventedFast => mark("Invented records, made faster"),
        Kind::Sample => mark("A sample of genuine records"),
    }
}

/// A release with what is known of it.
pub(super) struct Shown<'a> {
    /// Its place in the plan.
    pub(super) place: usize,
    pub(super) release: &'a PlannedRelease,
    pub(super) found: Option<Candidate>,
    pub(super) is_chosen: bool,
}

impl Shown<'_> {
    pub(super) fn measured(&self) -> Option<&Measured> {
        self.found.as_ref()?.as_ref().ok()?.as_deref()
    }

    pub(super) fn mistake(&self) -> Option<&velamen_recipe::Mistake> {
        self.found.as_ref()?.as_ref().err()
    }

    pub(super) fn is_private(&self) -> bool {
        matches!(self.release.kind, Kind::Invented | Kind::InventedFast | Kind::Sample)
    }
}
