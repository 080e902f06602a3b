//! Clustering by conditional entropy alone: the distance of [`super::ce_mi`] with λ = 0.
//!
//! # References
//! Yoo 2012.

use super::blocks::{self, SeedKeys};
use super::{Lambda, Objective, Seeds};
use crate::method::Entry;

const NAME: &str = "ce-clustering";

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry =
    blocks::entry::<SeedKeys>(NAME, "Blocks of little conditional entropy.", |keys, task| {
        let objective = Objective::Entropy(Lambda::try_from(0.0)?);
        blocks::seeded(NAME, keys, task, objective, Seeds::Random)
    });
