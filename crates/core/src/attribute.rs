//! An attribute as a recipe asks for it: its part, its hierarchy, and what it may be released at.

use std::num::NonZeroU32;
use std::sync::Arc;

use crate::frequency::Role;
use crate::hierarchy::{Definition, Rule};
use crate::step::Step;

/// An attribute with its hierarchy read and checked.
#[derive(Debug, Clone)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Its part.
    pub role: Role,
    /// Its hierarchy in full, if it has one.
    pub definition: Option<Definition>,
    /// The same, ready to use and coded; [`Rule::Flat`] if it has none.
    pub rule: Arc<Rule>,
    /// How much its figure counts in the metric.
    pub weight: f64,
    /// The least and the highest level it may be released at.
    pub levels: (u8, u8),
    /// Whether the recipe says anything about these levels.
    pub levels_asked: bool,
    /// Numbers up to here are coded as one value.
    pub bottom: Option<f64>,
    /// Numbers from here up are coded as one value.
    pub top: Option<f64>,
    /// What the ends of released ranges are multiples of, if the recipe says it.
    pub step: Option<Step>,
    /// Whether the hierarchy is read off the data.
    pub from_data: bool,
    /// With the role `person`: the most records of a person.
    pub records_per_person: Option<NonZeroU32>,
    /// Whether a missing value is one of its declared ones.
    pub missing: bool,
    /// The level of its bins, where noisy counts are of bins and records have a value in each; else 0.
    pub bins: u8,
    /// Whether it is meant to be released although it looks like a direct identifier.
    pub intended: bool,
}

impl Attribute {
    /// Whether an adversary may know it.
    #[must_use]
    pub fn is_quasi_identifier(&self) -> bool {
        self.role == Role::QuasiIdentifier
    }

    /// Whether it may be released at one level only.
    #[must_use]
    pub fn has_one_level(&self) -> bool {
        self.levels_asked && self.levels.0 == self.levels.1
    }
}
