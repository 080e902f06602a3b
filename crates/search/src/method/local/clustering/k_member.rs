//! k-member clustering: blocks whose values meet at low levels.
//!
//! # References
//! Byun et al. 2007, as a baseline of Yoo 2012.

use super::blocks::{self, SeedKeys};
use super::{Objective, Seeds};
use crate::method::Entry;

const NAME: &str = "k-member";

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry =
    blocks::entry::<SeedKeys>(NAME, "Blocks whose values are generalized to low levels.", |keys, task| {
        blocks::seeded(NAME, keys, task, Objective::Heights, Seeds::Farthest)
    });
